"""Back ends of the MILP solver: they solve a LinearModel and know no diagrams."""

from oddlearn.solve.milp.backends.backend import Backend
from oddlearn.solve.milp.backends.gurobi import Gurobi
from oddlearn.solve.milp.backends.highs import Highs
from oddlearn.solve.milp.backends.scip import Scip

__all__ = ["BACKENDS"]

# name of a solver -> its back end; the solver's own package is imported when it is used
BACKENDS: dict[str, Backend] = {"highs": Highs(), "scip": Scip(), "gurobi": Gurobi()}
