"""When the first incumbents of a local search are built: a greedy tree, regressions, a tree of classes."""

from __future__ import annotations

from oddlearn.solve.construct.class_tree import ClassTree
from oddlearn.solve.construct.feature_start import FeatureStart
from oddlearn.solve.construct.greedy_tree import GreedyTree
from oddlearn.solve.construct.logistic_start import LogisticStart
from oddlearn.solve.construct.separated_classes import SeparatedClasses
from oddlearn.solve.construct.soft_search import SoftDiagrams
from oddlearn.solve.solver import Solver
from oddlearn.solve.step import LoopStatus, Step, TimeShare

# the share of the time left for one of them, at most: 5 s allow a greedy tree on 100,000 rows x 33 features x
# 5 levels
GREEDY_SHARE = 0.5

# seconds of work before them: importing scikit-learn's trees takes longer than small problems do
GREEDY_AFTER = 0.02

# rows x features, and that times the limit in seconds, from which a search with splits by single features
# comes before that with hyperplanes; and its share of the time left, at most. 10,000 x 20 in 2 s has an
# objective of 0.090 instead of 0.183; with 1 s seven data sets of 57,000 to 180,000 values had 0.0824 instead
# of 0.0818
MIN_FEATURE_CELLS = 50_000
MIN_FEATURE_CELL_SECONDS = 300_000
FEATURE_SHARE = 0.2

# rows x features up to which soft diagrams are fitted: beyond, one fit takes longer than a second
MAX_SOFT_CELLS = 1_000_000

# rows x features x classes from which the tree of classes comes first: one turn of the search takes longer
LONG_SEARCH_CELLS = 500_000


def greedy_steps(split: str, search: Solver) -> tuple[Step, ...]:
    """Return the greedy starts, before the local search; the paper's construction stays alone."""
    if search.name != "local_search":
        return ()

    def is_not_solved_at_once(status: LoopStatus) -> str | None:
        """The problem was not solved in the first rounds, or the search is over."""
        has_ended = search.name not in status.state.resumable
        return None if has_ended or status.budget.meter.seconds >= GREEDY_AFTER else ""

    seed = getattr(search, "seed", 0)
    starts: tuple[Solver, ...] = (GreedyTree(seed), *((LogisticStart(seed),) * (split == "multivariate")))
    return tuple(Step(start, TimeShare(GREEDY_SHARE), is_not_solved_at_once) for start in starts)


def first_steps(split: str, search: Solver) -> tuple[Step, ...]:
    """Return what comes before the first turn of a local search with hyperplanes where that takes long."""
    if search.name != "local_search" or split == "univariate":
        return ()
    return (_feature_step(search), *_class_tree_steps(search))


def _feature_step(search: Solver) -> Step:

    def has_many_values(status: LoopStatus) -> str | None:
        """The table has many values, and the limit leaves time."""
        n_cells, budget = status.state.problem.data.X.size, status.budget
        has_time = n_cells * (budget.deadline - budget.started) >= MIN_FEATURE_CELL_SECONDS
        return None if n_cells >= MIN_FEATURE_CELLS and has_time else ""

    start = FeatureStart(getattr(search, "seed", 0), getattr(search, "n_jobs", 1))
    return Step(start, TimeShare(FEATURE_SHARE), has_many_values)


def _class_tree_steps(search: Solver) -> tuple[Step, ...]:
    def has_three_classes_and_is_due(status: LoopStatus) -> str | None:
        """There are three classes and more, and the first rounds did not solve the problem or take long."""
        problem, work = status.state.problem, status.budget.meter.seconds
        takes_long = problem.data.X.size * problem.data.n_classes >= LONG_SEARCH_CELLS
        is_due = takes_long or work >= GREEDY_AFTER
        return None if is_due and not solver.unsupported_reasons(problem) else ""

    def could_be_without_errors(status: LoopStatus) -> str | None:
        """There are three classes and more, and the fewest nodes that predict all of them could be better."""
        state, problem = status.state, status.state.problem
        is_open = problem.data.n_classes - 1 in state.unresolved_node_counts
        is_due = is_open and problem.data.X.size <= MAX_SOFT_CELLS
        is_due = is_due and has_three_classes_and_is_due(status) is None
        return None if is_due and not by_groups.unsupported_reasons(problem) else ""

    solver, by_groups = ClassTree(), SeparatedClasses(getattr(search, "seed", 0))
    tree = Step(solver, TimeShare(GREEDY_SHARE), has_three_classes_and_is_due)
    return (tree, Step(by_groups, condition=could_be_without_errors))


def soft_diagram_steps(split: str, search: Solver) -> tuple[Step, ...]:
    """Return the fits of soft diagrams, in turns with the local search."""
    if search.name != "local_search" or split == "univariate":
        return ()
    solver = SoftDiagrams(getattr(search, "seed", 0))

    def is_small_and_not_solved_at_once(status: LoopStatus) -> str | None:
        """Splits have all terms, the table is small, and the first rounds did not solve the problem."""
        problem = status.state.problem
        is_small = problem.data.X.size <= MAX_SOFT_CELLS
        is_due = is_small and status.budget.meter.seconds >= GREEDY_AFTER
        return None if is_due and not solver.unsupported_reasons(problem) else ""

    return (Step(solver, condition=is_small_and_not_solved_at_once),)
