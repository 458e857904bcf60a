"""The rules of the house hold, but for the violations that are listed; the lists may only shrink."""

import pytest

from tests.architecture.source_tree import SourceTree
from tests.architecture.violations import CHECKS, ROOT, known_violations

HINT = "run: python tests/architecture/violations.py"


@pytest.fixture(scope="module")
def tree():
    return SourceTree(ROOT)


@pytest.mark.parametrize("name", CHECKS)
def test_nothing_new_breaks_a_rule(tree, name):
    new = set(CHECKS[name](tree)) - known_violations(name)
    assert not new, f"{CHECKS[name].__doc__} New:\n" + "\n".join(sorted(new))


@pytest.mark.parametrize("name", CHECKS)
def test_what_was_mended_is_off_the_list(tree, name):
    mended = known_violations(name) - set(CHECKS[name](tree))
    assert not mended, f"{HINT}. Mended:\n" + "\n".join(sorted(mended))
