"""Imports point down the ladder of the design; importing oddlearn loads no solver and no plotting."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "oddlearn"

LADDER = [
    "errors",
    "kernels",
    "diagram",
    "table",
    "problem",
    "constraints",
    "view",
    "export",
    "report",
    "solve",
    "estimators",
    "fairness",
    "datasets",
    "study",
    "cli",
]

# rooms that have not moved yet, and where they are going
OLD_ROOMS = {"isolation": "solve", "milp": "solve", "cpsat": "solve", "experiments": "study"}

# file -> rooms above it that it still imports; only shrinks
KNOWN_VIOLATIONS = {
    "diagram/diagram.py": {"report"},
    "diagram/slot_diagram.py": {"problem"},
}


def room_of(name):
    return OLD_ROOMS.get(name, name)


def imported_rooms(path):
    """Return the rooms of oddlearn a file imports, at any depth of its code, by name or by importlib."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.Call) and ast.unparse(node.func) == "importlib.import_module":
            names |= {argument.value for argument in node.args if isinstance(argument, ast.Constant)}
    parts = {name.split(".")[1] for name in names if name.startswith("oddlearn.")}
    return {room_of(part) for part in parts} & set(LADDER)


def part_of(path):
    return room_of(path.relative_to(PACKAGE).parts[0].removesuffix(".py"))


SOLVERS = {"highspy", "ortools", "pyscipopt", "gurobipy"}

FILES = sorted(PACKAGE.rglob("*.py"))


def test_every_file_is_in_a_room():
    assert {part_of(path) for path in FILES} <= {*LADDER, "__init__", "__main__"}


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_point_down(path):
    part = part_of(path)
    if part in LADDER:
        above = {room for room in imported_rooms(path) if LADDER.index(room) > LADDER.index(part)}
        assert above == KNOWN_VIOLATIONS.get(path.relative_to(PACKAGE).as_posix(), set())


def loaded_by(code):
    script = f"{code}\nimport sys\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return {name.split(".")[0] for name in done.stdout.split()}


def test_importing_and_predicting_load_no_solver_and_no_plotting():
    predict = "import numpy, oddlearn as o; o.DecisionDiagram.constant(0, 2, 1).predict(numpy.zeros((1, 1)))"
    assert not loaded_by(predict) & (SOLVERS | {"matplotlib", "rich", "pandas"})


def test_files_stay_short():
    too_long = [path.name for path in PACKAGE.rglob("*.py") if len(path.read_text().splitlines()) > 300]
    assert too_long == []


def test_fitting_loads_no_plotting_and_no_progress_line():
    fit = (
        "from oddlearn import OptimalDecisionDiagramClassifier as C; "
        "C('1', max_iter=2).fit([[0.0], [0.4], [1.0]], [0, 0, 1]).predict([[2.0]])"
    )
    assert not loaded_by(fit) & (SOLVERS | {"matplotlib", "rich"})
