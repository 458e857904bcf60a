"""Importing oddlearn, predicting and fitting load no solver, no plotting and no progress line."""

import subprocess
import sys

SOLVERS = {"highspy", "ortools", "pyscipopt", "gurobipy"}


def loaded_by(code):
    script = f"{code}\nimport sys\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return {name.split(".")[0] for name in done.stdout.split()}


def test_importing_and_predicting_load_no_solver_and_no_plotting():
    predict = "import numpy, oddlearn as o; o.DecisionDiagram.constant(0, 2, 1).predict(numpy.zeros((1, 1)))"
    assert not loaded_by(predict) & (SOLVERS | {"matplotlib", "rich", "pandas"})


def test_fitting_loads_no_plotting_and_no_progress_line():
    fit = (
        "from oddlearn import OptimalDecisionDiagramClassifier as C; "
        "C('1', max_iter=2).fit([[0.0], [0.4], [1.0]], [0, 0, 1]).predict([[2.0]])"
    )
    assert not loaded_by(fit) & (SOLVERS | {"matplotlib", "rich"})
