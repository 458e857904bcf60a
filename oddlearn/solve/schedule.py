"""The schedule of a solve: its solvers in order, their shares of the time and their conditions."""

from __future__ import annotations

import dataclasses
import importlib
import importlib.util
import math
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from oddlearn.diagram.skeleton import truncate_skeleton
from oddlearn.problem.tolerances import OPTIMALITY_TOLERANCE
from oddlearn.solve.budget import Budget
from oddlearn.solve.construct.start_steps import first_steps, greedy_steps, soft_diagram_steps
from oddlearn.solve.hyperplanes.hyperplane_steps import node_hyperplane_rounds, several_hyperplanes_step
from oddlearn.solve.hyperplanes.polish import RegulariseHyperplanes
from oddlearn.solve.hyperplanes.solver import SingleHyperplaneSolver
from oddlearn.solve.hyperplanes.sparse_solver import SparseSplitSolver, build_sparse_step
from oddlearn.solve.lagrangian.solver import Lagrangian
from oddlearn.solve.large_tables import add_histogram_step, uses_histogram
from oddlearn.solve.root_bounds.lp_relaxation import LpRelaxation
from oddlearn.solve.root_bounds.solver import RootBounds
from oddlearn.solve.solver import Solver, is_resumable
from oddlearn.solve.state import SolveState
from oddlearn.solve.step import LoopStatus, Rounds, Schedule, SearchShare, Step, TimeShare, WorkShare, always

# name -> module and class; importing the module loads no external solver
SEARCHES = {
    "local_search": ("oddlearn.solve.local_search.solver", "LocalSearch"),
    "construct": ("oddlearn.solve.construct.solver", "Construct"),
    "histogram": ("oddlearn.solve.histogram.solver", "HistogramSearch"),
}
EXACT_SOLVERS = {
    "branch_and_bound": ("oddlearn.solve.branch_and_bound.solver", "BranchAndBound"),
    "milp": ("oddlearn.solve.milp.solver", "Milp"),
    "cpsat": ("oddlearn.solve.cpsat.solver", "CpSat"),
}

# the process of an external solver takes this long to start and to read its model
MIN_EXACT_SECONDS = 0.25

# rows x features up to which single hyperplanes are searched: beyond, one linear program takes seconds
MAX_HYPERPLANE_CELLS = 5_000_000

# the search's share of the time left when an exact solver follows. Branch and bound finds better diagrams
# too, so that with univariate splits the search need not find the best
SEARCH_SHARE = {"univariate": 0.3, "multivariate": 0.9}

# work of the meter in a second of a fast machine: that of hyperplanes is charged too high, so that hayes-roth
# was given up after 4 of 10 s
WORK_PER_SECOND = {"univariate": 1.0, "multivariate": 2.5}

# work during which the best single hyperplane takes turns whatever the bounds, unless the incumbent has more
# nodes: most small problems end there
EARLY_SECONDS = 0.6

# up to so many rows x features trees are proved first, with so much work: 12 fits took 0.7 to 0.8 of the time
MAX_EARLY_PROOF_CELLS, EARLY_PROOF_WORK = 100_000, 0.002

# work without a better diagram after which the search has stalled, in seconds
PATIENCE = {"univariate": 0.5, "multivariate": 3.0}

REPEATABLE = (
    "because max_iter limits the search, and no limit was given to a proof: leave max_iter out, or name a "
    "solver in exact"
)
NO_TIME = "because too little time was left to begin"


@dataclass(frozen=True)
class AutoSchedule:
    """The request to select exact solvers by the problem, with the seed and threads they get."""

    seed: int = 0
    n_jobs: int = 1


Exact = AutoSchedule | Solver | None


@dataclass(frozen=True)
class SolverRule:
    """The limits within which an exact solver is tried on one kind of split.

    Attributes
    ----------
    name : str
        In the table of exact solvers.
    split : str
    max_cells, cells_per_second : int
        Distinct rows x features x node slots of the smallest problem that is unresolved, at most and per
        second of the time left: with more, trials of a few seconds to a minute proved nothing at all.
    package, extra : str
        The package that must be installed, and the extra of oddlearn that brings it; empty when it always is.
    is_spare : bool
        Only tried when no solver before it in the list is.
    """

    name: str
    split: str
    max_cells: int
    cells_per_second: int
    package: str = ""
    extra: str = ""
    is_spare: bool = False


# in the order they are tried
RULES = (
    SolverRule("branch_and_bound", "univariate", 10_000_000, 400_000),
    SolverRule("cpsat", "univariate", 1_000_000, 5_000, package="ortools", extra="cpsat", is_spare=True),
    # continuous thresholds: beyond some forty rows the MILP gets nowhere
    SolverRule("milp", "univariate", 2_000, 100, is_spare=True),
    SolverRule("milp", "multivariate", 1_000_000, 2_000),
)


def build_schedule(split: str, search: Solver, exact: Exact, budget: Budget) -> Schedule:
    """Return the steps of a solve for one kind of split.

    Parameters
    ----------
    split : "univariate" or "multivariate"
    search : Solver
    exact : AutoSchedule, Solver or None
        What closes the gap: what the problem selects, one solver, or nothing.
    budget : Budget
        Of the solve; with ``max_iter`` a fit is to repeat exactly, and "auto" runs no exact step.
    """
    usual = _build_usual(split, search, exact, budget)
    if not uses_histogram(search, exact):
        return usual
    return add_histogram_step(usual, search, has_proofs=isinstance(exact, AutoSchedule))


def _build_usual(split: str, search: Solver, exact: Exact, budget: Budget) -> Schedule:
    is_auto = isinstance(exact, AutoSchedule) and budget.max_iter is None
    proofs = _exact_steps(split, exact) if is_auto or not isinstance(exact, AutoSchedule) else ()
    bounds = Step(RootBounds(), TimeShare(0.15, max_seconds=1.0))
    first = (bounds, Step(LpRelaxation(), TimeShare(0.5), violates_constraints))
    share = SearchShare(SEARCH_SHARE[split], only_if_followed=True)
    takes_turns = is_resumable(search)
    turns = (
        *first_steps(split, search),
        *((Step(search),) * takes_turns),
        *(soft_diagram_steps(split, search) if is_auto else ()),
        *((build_sparse_step(), _hyperplane_step(), several_hyperplanes_step()) * is_auto),
        *(step for step in proofs if is_resumable(step.solver)),
        *greedy_steps(split, search),
    )
    has_own_patience = getattr(search, "patience", None) is not None
    patience = math.inf if has_own_patience else PATIENCE[split]
    rounds = Rounds(
        turns,
        share,
        patience,
        gives_up=is_auto,
        pauses_searches=split == "multivariate",
        work_per_second=WORK_PER_SECOND[split],
    )
    last = Rounds((Step(search, condition=violates_constraints),), patience=patience)
    steps: tuple[Step | Rounds, ...] = (
        *first,
        *(_early_proof(step) for step in proofs if split == "univariate" and is_resumable(step.solver)),
        *((Step(search, share),) * (not takes_turns)),
        *((rounds,) * bool(turns)),
        *((node_hyperplane_rounds(),) * (is_auto and split == "multivariate")),
        *((_lagrangian_step(),) * is_auto),
        *(step for step in proofs if not is_resumable(step.solver)),
        *((last,) * takes_turns),
    )
    skipped = (("auto", REPEATABLE),) if isinstance(exact, AutoSchedule) and not is_auto else ()
    if split == "univariate":
        return Schedule(steps, skipped=skipped)
    final = (Step(RegulariseHyperplanes()),)
    return Schedule(steps, final, TimeShare(0.08, max_seconds=1.0), skipped)


def _exact_steps(split: str, exact: Exact) -> tuple[Step, ...]:
    if exact is None:
        return ()
    if not isinstance(exact, AutoSchedule):
        return (Step(exact, condition=always if is_resumable(exact) else has_time, is_exact=True),)
    share, rules = TimeShare(0.9, only_if_followed=True), [rule for rule in RULES if rule.split == split]
    solvers = [build_solver(EXACT_SOLVERS[rule.name], exact.seed, exact.n_jobs) for rule in rules]
    pairs = zip(solvers, rules, strict=True)
    return tuple(Step(solver, share, RuleCondition(rule, solver), is_exact=True) for solver, rule in pairs)


def _early_proof(step: Step) -> Step:
    def is_of_small_trees(status: LoopStatus) -> str | None:
        """Trees are wanted, and the table is small."""
        problem = status.state.problem
        is_small = problem.data.n_rows * problem.data.n_features <= MAX_EARLY_PROOF_CELLS
        is_tried = problem.skeleton.tree_only and is_small and step.condition(status) is None
        return None if is_tried else ""

    return Step(step.solver, WorkShare(work=EARLY_PROOF_WORK), is_of_small_trees, is_exact=True)


def _lagrangian_step() -> Step:
    def has_rows_to_price(status: LoopStatus) -> str | None:
        """The problem has constraint rows that can be priced into the costs."""
        problem = status.state.problem
        return None if len(problem.rows) and not Lagrangian().unsupported_reasons(problem) else ""

    return Step(Lagrangian(), TimeShare(0.4), has_rows_to_price, is_exact=True)


def _hyperplane_step() -> Step:
    def is_multivariate_and_small(status: LoopStatus) -> str | None:
        """Splits are multivariate, the table is small, and one node could be better or has not been tried."""
        problem = status.state.problem
        if problem.split != "multivariate" or problem.data.X.size > MAX_HYPERPLANE_CELLS:
            return ""
        if not SparseSplitSolver().unsupported_reasons(problem):
            return ""  # it is exact, and faster
        is_early = status.budget.meter.seconds < EARLY_SECONDS and status.state.evaluation.n_nodes <= 1
        return None if is_early or limits_lower_bound(status.state, 1) else ""

    solver, patience = SingleHyperplaneSolver(), PATIENCE["multivariate"]
    return Step(solver, condition=is_multivariate_and_small, is_exact=True, min_work=patience)


def limits_lower_bound(state: SolveState, count: int) -> bool:
    """Return True if the lower bound would rise with that of diagrams with ``count`` nodes."""
    bounds = state.objective_bounds
    others = np.delete(bounds, count - 1)
    limit = min([state.objective - OPTIMALITY_TOLERANCE, *others.tolist()])
    return not state.is_finished and bool(bounds[count - 1] < limit)


def violates_constraints(status: LoopStatus) -> str | None:
    """The incumbent violates a constraint."""
    return "" if status.state.is_feasible else None


def has_time(status: LoopStatus) -> str | None:
    """There is time to begin."""
    return NO_TIME if status.budget.remaining() < MIN_EXACT_SECONDS else None


@dataclass(frozen=True)
class RuleCondition:
    """The solver is installed, takes the problem, and the problem is within its limits."""

    rule: SolverRule
    solver: Solver

    def __call__(self, status: LoopStatus) -> str | None:
        """Return None if the solver is worth a try, else the reason."""
        rule, budget = self.rule, status.budget
        takes_turns = is_resumable(self.solver)
        # a solver that takes turns begins at once; by its whole time it is chosen in every round or in none
        seconds = budget.deadline - budget.started if takes_turns else budget.remaining()
        if rule.is_spare and any(other.name in status.spent for other in RULES if not other.is_spare):
            return ""
        if seconds < MIN_EXACT_SECONDS and not takes_turns:
            return NO_TIME
        if rule.package and importlib.util.find_spec(rule.package) is None:
            return f'because {rule.package} is not installed: pip install "oddlearn[{rule.extra}]"'
        cells, limit = smallest_cells(status.state), min(rule.max_cells, rule.cells_per_second * seconds)
        if cells > limit:
            within = f" in the {seconds:.1f} s left" if math.isfinite(seconds) else ""
            return (
                f"because the smallest unresolved problem has {cells:,} rows x features x nodes, and more "
                f"than {limit:,.0f} are beyond it{within}"
            )
        reasons = self.solver.unsupported_reasons(status.state.problem)
        return "because: " + " ".join(reasons) if reasons else None


def smallest_cells(state: SolveState) -> int:
    """Return rows x features x slots for the smallest number of nodes that could beat the incumbent."""
    problem = state.problem
    counts = state.unresolved_node_counts
    slots = truncate_skeleton(problem.skeleton, counts[0]).n_nodes if counts else 0
    varying = int(np.count_nonzero(problem.data.spans > 0))
    return problem.data.n_rows * varying * slots


def solver_class(entry: tuple[str, str]) -> Any:  # noqa: ANN401
    """Return the class of an entry of the tables; the options of a solver are the fields of its class."""
    module, name = entry
    return getattr(importlib.import_module(module), name)


def build_solver(entry: tuple[str, str], seed: int, n_jobs: int) -> Solver:
    """Return a solver with its default options; seed and threads go to those that have such options."""
    return set_options(solver_class(entry)(), seed=seed, n_jobs=n_jobs)


def set_options(solver: Solver, **options: object) -> Solver:
    """Return the solver with those of the options that it has."""
    names = {field.name for field in dataclasses.fields(cast(Any, solver))}
    supported = {name: value for name, value in options.items() if name in names}
    return cast(Solver, dataclasses.replace(cast(Any, solver), **supported))
