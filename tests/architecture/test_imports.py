"""Imports point down the ladder of the design; importing oddlearn loads no solver and no plotting."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "oddlearn"

BASE = {"errors", "kernels"}
CORE = BASE | {"diagram", "problem"}
ENGINES = CORE | {"encoding", "engine", "constraints", "hulls", "validation"}

# part of the package -> the other parts it may import
ALLOWED = {
    "errors": set(),
    "files": set(),
    "kernels": set(),
    "diagram": BASE,
    "problem": BASE | {"diagram"},
    "encoding": BASE | {"diagram"},
    "engine": CORE,
    "constraints": CORE,
    "hulls": CORE | {"engine"},
    "plan": CORE | {"engine"},
    "known": CORE | {"engine"},
    "relaxed": CORE,
    "infeasible": CORE | {"engine", "plan", "known", "relaxed"},
    "validation": CORE | {"encoding", "engine", "plan"},
    "preparation": ENGINES,
    "progress": CORE | {"engine"},
    "model_io": CORE | {"encoding", "engine", "constraints"},
    "search": CORE | {"engine", "constraints", "hulls"},
    "bounds": CORE | {"engine", "constraints", "hulls"},
    "branch": CORE | {"engine"},
    "dual": CORE | {"engine", "branch"},
    "isolation": CORE | {"engine"},
    "milp": CORE | {"engine", "constraints", "hulls", "isolation"},
    "cpsat": CORE | {"engine", "constraints", "isolation"},
    "proving": CORE | {"engine", "plan", "known", "dual", "bounds", "search"},
    "train": ENGINES | {"plan", "known", "infeasible", "proving", "search", "bounds"},
    "estimator": ENGINES | {"preparation", "progress", "model_io", "report", "train"},
    "view": BASE | {"diagram"},
    "export": BASE | {"diagram", "view"},
    "report": BASE | {"diagram", "view", "export"},
    "datasets": BASE | {"diagram"},
    "tables": BASE,
    "verification": ENGINES | {"preparation", "estimator"},
    "tuning": ENGINES | {"estimator"},
    "fairness": ENGINES | {"preparation", "estimator"},
    "experiments": ENGINES | {"datasets", "estimator", "export", "files", "view", "__version__"},
    # the public names, and a program that uses them
    "__init__": ENGINES
    | {"search", "branch", "milp", "cpsat", "estimator", "export", "fairness", "report", "tuning"}
    | {"verification"},
    "demo": {"DecisionDiagram", "OptimalDecisionDiagramClassifier", "encoding", "export", "report"},
    "cli": BASE
    | {"datasets", "demo", "diagram", "encoding", "estimator", "experiments", "export", "report", "tables"}
    | {"files", "validation", "view"},
    "__main__": {"cli"},
}


def imported_parts(path):
    """Return the parts of oddlearn a file imports, at any depth of its code."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
    return {name.split(".")[1] for name in names if name.startswith("oddlearn.")}


def part_of(path):
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


SOLVERS = {"highspy", "ortools", "pyscipopt", "gurobipy"}

FILES = sorted(PACKAGE.rglob("*.py"))


def test_every_part_of_the_package_has_its_place():
    assert {part_of(path) for path in FILES} <= ALLOWED.keys()


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_point_down(path):
    part = part_of(path)
    assert imported_parts(path) - {part} <= ALLOWED.get(part, set())


def loaded_by(code):
    script = f"{code}\nimport sys\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return {name.split(".")[0] for name in done.stdout.split()}


def test_importing_and_predicting_load_no_solver_and_no_plotting():
    predict = "import numpy, oddlearn as o; o.DecisionDiagram.constant(0, 2, 1).predict(numpy.zeros((1, 1)))"
    assert not loaded_by(predict) & (SOLVERS | {"matplotlib", "rich", "pandas"})


def test_files_stay_short():
    too_long = [path.name for path in PACKAGE.rglob("*.py") if len(path.read_text().splitlines()) > 250]
    assert too_long == []


def test_fitting_loads_no_plotting_and_no_progress_line():
    fit = (
        "from oddlearn import OptimalDecisionDiagramClassifier as C; "
        "C('1', max_iter=2).fit([[0.0], [0.4], [1.0]], [0, 0, 1]).predict([[2.0]])"
    )
    assert not loaded_by(fit) & (SOLVERS | {"matplotlib", "rich"})
