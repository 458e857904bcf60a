"""The solvers: arrays in; values, a bound and how it ended out. They know no diagrams."""

from oddlearn.milp.backends.contract import Backend
from oddlearn.milp.backends.gurobi import Gurobi
from oddlearn.milp.backends.highs import Highs
from oddlearn.milp.backends.scip import Scip

__all__ = ["BACKENDS"]

# name of a solver -> how it is driven; the solver's own package is imported when it is asked to work
BACKENDS: dict[str, Backend] = {"highs": Highs(), "scip": Scip(), "gurobi": Gurobi()}
