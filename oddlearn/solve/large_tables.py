"""Large tables: from which size on, and a schedule that searches them by histograms."""

from __future__ import annotations

from dataclasses import replace

from oddlearn.solve.histogram.class_totals import ClassTotalBounds
from oddlearn.solve.histogram.large_bounds import LargeBounds
from oddlearn.solve.histogram.solver import HistogramSearch
from oddlearn.solve.histogram.wide_search import MIN_WIDE_COLUMNS
from oddlearn.solve.histogram.wide_stump import WideStump
from oddlearn.solve.solver import Solver
from oddlearn.solve.step import Condition, LoopStatus, Rounds, Schedule, Step, TimeShare, always

# a table of at least so many rows and values is searched by histograms. At 100,000 x 20, the smallest of
# them, it reached the accuracy of the usual way in half of the time. On Birthdays (279,648 x 6, 7 classes) it
# takes 24 to 63 MB instead of 191 to 216, and the mean test accuracy of three seeds was 0.1790, before 0.1773
LARGE_ROWS = 50_000
LARGE_CELLS = 2_000_000

# tables of fewer rows and so many values stay as they are, too, and are searched by columns. Branch and bound
# takes no problem of two nodes with as many
WIDE_CELLS = 5_000_000

# with hyperplanes tables of 100 columns are from fewer values on: on teachers of 20,000 x 100, 10,000 x 300
# and 5,000 x 400 test accuracies of 0.60 to 0.84 became 0.83 to 0.93, and 86 to 173 MB became 24 to 58
WIDE_SUM_CELLS = 2_000_000

# share of the time for the best single split of such a table
WIDE_STUMP_SHARE = 0.15

# smaller tables of more different rows than this are searched by histograms when the usual way has ended: a
# search of all rows is slow there. On diamonds (40,455 x 9) histograms took the objective in 4 s from 0.2765
# to 0.2739, and 17 s of local search to 0.2738; more seconds of work gained nothing there
MEDIUM_ROWS = 20_000
MEDIUM_WORK = 5.0


def is_large(n_rows: int, n_features: int, n_classes: int) -> bool:
    """Return True for a table that is searched by histograms.

    Classes beyond two count as features: elsewhere every row has costs by class.
    """
    return n_rows >= LARGE_ROWS and n_rows * (n_features + max(0, n_classes - 2)) >= LARGE_CELLS


def is_large_or_wide(split: str, n_rows: int, n_features: int, n_classes: int) -> bool:
    """Return True for a table whose rows stay as they are."""
    n_cells = n_rows * n_features
    has_columns = split == "multivariate" and n_features >= MIN_WIDE_COLUMNS
    is_wide = n_cells >= WIDE_CELLS or (has_columns and n_cells >= WIDE_SUM_CELLS)
    return is_wide or is_large(n_rows, n_features, n_classes)


def uses_histogram(search: Solver, exact: object) -> bool:
    """Return True if large tables are searched by histograms: unless another solver is asked for by name."""
    return search.name in ("local_search", "histogram") and not hasattr(exact, "run")


def is_large_table(status: LoopStatus) -> str | None:
    """The table is large."""
    problem = status.state.problem
    if not problem.data.is_merged:
        return None
    data = problem.data
    is_taken = is_large_or_wide(problem.split, data.n_rows, data.n_features, data.n_classes)
    return None if is_taken and not HistogramSearch().unsupported_reasons(problem) else ""


def is_medium_table(status: LoopStatus) -> str | None:
    """The table has more than 20,000 different rows, and splits are univariate."""
    problem, max_iter = status.state.problem, status.budget.max_iter
    if problem.split != "univariate" or problem.data.n_rows <= MEDIUM_ROWS or max_iter is not None:
        return ""
    return None if not HistogramSearch().unsupported_reasons(problem) else ""


def is_wide_table(status: LoopStatus) -> str | None:
    """The rows of a wide table stay as they are, and splits are univariate."""
    return None if not WideStump().unsupported_reasons(status.state.problem) else ""


def has_class_totals(status: LoopStatus) -> str | None:
    """The rows of a large table stay as they are."""
    return None if not ClassTotalBounds().unsupported_reasons(status.state.problem) else ""


def has_large_bounds(status: LoopStatus) -> str | None:
    """The rows of a large table stay as they are, splits are univariate, and no max_iter is given."""
    is_unlimited = status.budget.max_iter is None
    return None if is_unlimited and not LargeBounds().unsupported_reasons(status.state.problem) else ""


def add_histogram_step(usual: Schedule, search: Solver, *, has_proofs: bool) -> Schedule:
    """Return a schedule that searches large tables by histograms, and all others as usual."""
    seed = getattr(search, "seed", 0)
    solver = HistogramSearch(seed, getattr(search, "n_jobs", 1))
    histogram = Step(solver, condition=is_large_table)
    medium = Step(replace(solver, max_work=MEDIUM_WORK), condition=unless_large(is_medium_table))
    bounds = Step(LargeBounds(seed, uses_groups=has_proofs), condition=has_large_bounds)
    final = tuple(_leave_step_out_if_large(step) for step in usual.final)
    small = [_leave_out_if_large(part) for part in usual.steps]
    place = next((n for n, part in enumerate(usual.steps, 1) if isinstance(part, Rounds)), len(small))
    stump = Step(WideStump(), TimeShare(WIDE_STUMP_SHARE), is_wide_table)
    totals = Step(ClassTotalBounds(), condition=has_class_totals)
    steps = (totals, stump, histogram, bounds, *small[:place], medium, *small[place:])
    return replace(usual, steps=steps, final=final)


def _leave_out_if_large(part: Step | Rounds) -> Step | Rounds:
    if isinstance(part, Rounds):
        return replace(part, steps=tuple(_leave_step_out_if_large(step) for step in part.steps))
    return _leave_step_out_if_large(part)


def _leave_step_out_if_large(step: Step) -> Step:
    return replace(step, condition=unless_large(step.condition))


def unless_large(condition: Condition) -> Condition:
    """Return a condition that does not hold for large tables, and else as the one given."""

    def holds_and_is_not_large(status: LoopStatus) -> str | None:
        return "" if is_large_table(status) is None else condition(status)

    given = "" if condition is always else f"; {(condition.__doc__ or '').splitlines()[0]}"
    holds_and_is_not_large.__doc__ = f"The table is not large{given}"
    return holds_and_is_not_large
