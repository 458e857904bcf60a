"""Every check of the rules can fail: small fake trees that break one rule each, and one that breaks none."""

import pytest

from tests.architecture import violations
from tests.architecture.source_tree import SourceTree
from tests.architecture.violations import CHECKS

GOOD = {
    "__init__.py": 'LATER = {"Model": "oddlearn.estimators.base"}\n',
    "__main__.py": "from oddlearn.cli.main import main\n",
    "errors.py": '"""Errors."""\n',
    "diagram/__init__.py": "",
    "diagram/splits.py": "import math\nfrom oddlearn.errors import Problem\n",
    "kernels/common/clock.pxd": "cdef double now() noexcept nogil\n",
    "kernels/local_search/moves.pyx": "from oddlearn.kernels.common.clock cimport now\n",
    "solve/budget.py": "from oddlearn.diagram.splits import Split\n",
    "solve/solver.py": "from oddlearn.solve.budget import Budget\n",
    "solve/milp/solver.py": "from oddlearn.solve.solver import Solver\n",
    "solve/milp/worker.py": "",
    "solve/cpsat/worker.py": 'TASK = "oddlearn.solve.cpsat.worker:work"\n',
    "solve/schedule.py": 'SOLVERS = {"milp": "oddlearn.solve.milp.solver"}\n',
    "estimators/base.py": "def fit():\n    from oddlearn.solve import schedule\n",
    "cli/main.py": "import oddlearn\nfrom oddlearn import __version__\n",
}


def long_function(header, lines, indent="    "):
    return header + f"{indent}x = 1\n" * lines


# check -> files that break its rule, each set alone
BAD = {
    "rooms": [{"desk/clerk.py": ""}, {"orphan.py": ""}, {"solve/attic.py": ""}],
    "ladder": [
        {"diagram/splits.py": "from oddlearn.solve.budget import Budget\n"},
        {"diagram/splits.py": "import oddlearn.solve.budget\n"},
        {"diagram/splits.py": "from oddlearn.solve import budget\n"},
        {"diagram/splits.py": "from oddlearn import Model\n"},
        {"diagram/splits.py": "def lazy():\n    if True:\n        from oddlearn.cli.main import main\n"},
        {"diagram/splits.py": 'import importlib\nx = importlib.import_module("oddlearn.cli.main")\n'},
        {"diagram/splits.py": 'TASK = "oddlearn.solve.milp.worker:work"\n'},
        {"diagram/splits.py": 'def load(room):\n    return f"oddlearn.{room}"\n'},
        {"diagram/splits.py": "from .other import Split\n"},
        {"diagram/splits.py": "if TYPE_CHECKING:\n    import oddlearn.cli.main\n"},
        {"cli/main.py": 'TASK = "oddlearn.solve.gone.worker:work"\n'},
        {"kernels/local_search/moves.pyx": "from oddlearn.diagram.splits import Split\n"},
        {"solve/budget.py": "from oddlearn.solve.schedule import SOLVERS\n"},
        {"solve/milp/worker.py": "from oddlearn.solve.cpsat.worker import work\n"},
    ],
    "import_cycles": [
        {"diagram/a.py": "import oddlearn.diagram.b\n", "diagram/b.py": "import oddlearn.diagram.a\n"},
        {
            "diagram/a.py": "def f():\n    from oddlearn.diagram import b\n",
            "diagram/b.py": 'X = "oddlearn.diagram.c:run"\n',
            "diagram/c.py": "from oddlearn.diagram.a import f\n",
        },
    ],
    "cimports": [
        {"kernels/flat.pyx": ""},
        {"kernels/routing/route.pyx": "from oddlearn.kernels.local_search.moves cimport move\n"},
        {"kernels/common/clock.pxd": "cimport oddlearn.kernels.local_search.moves\n"},
        {"kernels/routing/route.pxd": "from oddlearn.kernels.routing.gone cimport x\n"},
    ],
    "cimport_cycles": [
        {
            "kernels/routing/a.pyx": "from oddlearn.kernels.routing.b cimport x\n",
            "kernels/routing/b.pxd": "from oddlearn.kernels.routing.a cimport y\n",
        }
    ],
    "top_level": [{"train.py": ""}],
    "unique_names": [
        {"view/layout.py": "", "export/layout.py": ""},
        {"view/moves.py": ""},
        {"solve/milp/model.py": "", "solve/cpsat/model.py": ""},
        {"solve/construct/worker.py": "", "view/worker.py": ""},
    ],
    "file_lengths": [
        {"view/layout.py": "x = 1\n" * 301},
        {"kernels/routing/route.pyx": "x = 1\n" * 301},
    ],
    "function_lengths": [
        {"view/layout.py": long_function("def place():\n", 60)},
        {"kernels/routing/route.pyx": long_function("cdef void route(int* x) noexcept nogil:\n", 60)},
        {"kernels/routing/route.pyx": long_function("cdef class A:\n    def b(self):\n", 60, " " * 8)},
    ],
    "docstrings": [
        {"view/layout.py": '"""Where boxes stand."""\n'},
        {"view/layout.py": 'def place():\n    """How it is done."""\n'},
        {"kernels/routing/route.pyx": 'def route():\n    """What a sample reaches."""\n'},
    ],
    "words": [
        {"view/layout.py": "class Known:\n    pass\n"},
        {"view/layout.py": "MOST_ROWS = 3\n"},
        {"view/layout.py": "def f(x):\n    return x.notes_\n"},
        {"view/layout.py": "f = g(objections=1)\n"},
        {"kernels/routing/route.pyx": "cdef struct Desk:\n    int n\n"},
        {"hulls/planes.py": ""},
    ],
}

FINE = {
    "file_lengths": {"view/layout.py": "x = 1\n" * 300},
    "function_lengths": {
        "view/layout.py": long_function('def place():\n    """Place.\n\n    More.\n    """\n', 59),
        "kernels/routing/route.pyx": long_function("cdef void route(int* x) noexcept nogil:\n", 59),
    },
    "docstrings": {"view/layout.py": '"""Whatever the boxes need."""\n'},
    "words": {
        "kernels/routing/route.pyx": '"""The Desk."""\n# Desk\nx = "Desk"\n',
        "view/layout.py": "x = 'Known'\n",
    },
}


def make_tree(root, files):
    for path, text in files.items():
        file = root / "oddlearn" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return SourceTree(root)


@pytest.mark.parametrize("name", CHECKS)
def test_a_good_tree_breaks_no_rule(tmp_path, name):
    assert list(CHECKS[name](make_tree(tmp_path, GOOD | FINE.get(name, {})))) == []


CASES = [
    pytest.param(name, files, id=f"{name}-{place}")
    for name, cases in BAD.items()
    for place, files in enumerate(cases)
]


@pytest.mark.parametrize(("name", "files"), CASES)
def test_a_broken_rule_is_seen(tmp_path, name, files):
    assert list(CHECKS[name](make_tree(tmp_path, GOOD | files)))


def test_every_check_has_a_tree_that_breaks_it():
    assert BAD.keys() == CHECKS.keys()


def test_a_list_loses_what_was_mended_and_takes_nothing_new(tmp_path, monkeypatch):
    monkeypatch.setattr(violations, "KNOWN", tmp_path)
    assert violations.refresh("words", {"a", "b"}, accept_new=True)
    assert not violations.refresh("words", {"b", "c"}, accept_new=False)
    assert violations.known_violations("words") == {"b"}
    assert violations.refresh("words", set(), accept_new=False)
    assert list(tmp_path.iterdir()) == []
