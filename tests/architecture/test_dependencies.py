"""Every package that oddlearn imports is declared in pyproject.toml, as a dependency or in an extra."""

import ast
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# import name -> name of the distribution, where they differ
DISTRIBUTIONS = {"sklearn": "scikit-learn"}

# oddlearn itself, and the sibling that the worker script imports by path
OWN_MODULES = {"oddlearn", "frames"}


def imported_packages():
    """Return the top-level packages imported anywhere in oddlearn, lazy imports included."""
    names = set()
    for path in (ROOT / "oddlearn").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                names |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                names.add(node.module.split(".")[0])
    others = names - set(sys.stdlib_module_names) - OWN_MODULES
    return {DISTRIBUTIONS.get(name, name) for name in others}


def declared_packages():
    """Return the distributions of the dependencies and of the extras that users install."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    dependencies = re.search(r"^dependencies = \[(.*?)^\]", text, re.M | re.S).group(1)
    extras = re.search(r"^\[project\.optional-dependencies\]\n(.*?)^\[", text, re.M | re.S).group(1)
    for_users = [line for line in extras.splitlines() if not line.startswith(("test ", "lint ", "bench "))]
    return set(re.findall(r'"([a-z][\w-]*)', "\n".join([dependencies, *for_users])))


def test_every_imported_package_is_declared():
    assert imported_packages() <= declared_packages() - {"oddlearn"}
