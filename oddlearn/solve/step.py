"""The parts of a schedule: steps, rounds of steps, their shares of the time, and their conditions."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from oddlearn.problem.certificate import relative_gap
from oddlearn.solve.budget import Budget
from oddlearn.solve.solver import Solver
from oddlearn.solve.state import SolveState

# while the gap is wider than this a proof is not near: the search has so many seconds first, up to a share
WIDE_GAP = 0.5
MIN_SEARCH_SECONDS = 1.0
MAX_SEARCH_SHARE = 0.8

# a proof is not given up before this much work, in seconds: small problems jump from nothing to everything
MIN_PROOF_WORK = 0.5


@dataclass(frozen=True)
class LoopStatus:
    """The state of a solve between two steps, the time left, and the budgets solvers have had."""

    state: SolveState
    budget: Budget
    spent: Mapping[str, Budget] = field(default_factory=dict)


# None: the step is due. "": it is not. A sentence: it is not, and the certificate says why.
Condition = Callable[[LoopStatus], str | None]


def always(status: LoopStatus) -> str | None:
    """Let a step run whatever the status."""
    return None


@dataclass(frozen=True)
class TimeShare:
    """A share of the time left; all of it where ``only_if_followed`` is set and no exact step follows."""

    fraction: float = 1.0
    max_seconds: float = math.inf
    only_if_followed: bool = False

    def fraction_of(self, status: LoopStatus) -> float:
        """Return the fraction of the time left."""
        return self.fraction

    def of(self, status: LoopStatus, is_followed: bool) -> Budget:
        """Return the budget of a step."""
        if self.only_if_followed and not is_followed:
            return status.budget
        part = status.budget.share(self.fraction_of(status))
        return part if math.isinf(self.max_seconds) else part.at_most(self.max_seconds)

    def seconds(self, budget: Budget) -> float:
        """Return the share in seconds; a share of 0 is 0, also of a budget without end."""
        return min(self.fraction * budget.remaining(), self.max_seconds) if self.fraction else 0.0

    def __str__(self) -> str:
        share = f"{100 * self.fraction:g} % of the time left"
        share += f", at most {self.max_seconds:g} s" if math.isfinite(self.max_seconds) else ""
        return share + (", all if no exact step follows" if self.only_if_followed else "")


@dataclass(frozen=True)
class SearchShare(TimeShare):
    """The share of the search: more while the gap is wide."""

    def fraction_of(self, status: LoopStatus) -> float:
        """Return the fraction of the time left."""
        state, seconds = status.state, status.budget.remaining()
        if state.is_feasible and relative_gap(state.objective, state.lower_bound) <= WIDE_GAP:
            return self.fraction
        wanted = MIN_SEARCH_SECONDS / max(seconds, MIN_SEARCH_SECONDS)
        return max(self.fraction, min(MAX_SEARCH_SHARE, wanted))


@dataclass(frozen=True)
class WorkShare(TimeShare):
    """So much work, in the seconds that it usually takes, within the time left."""

    work: float = math.inf

    def of(self, status: LoopStatus, is_followed: bool) -> Budget:
        """Return the budget of a step."""
        return status.budget.limit_work(self.work)

    def __str__(self) -> str:
        return f"work of {1000 * self.work:g} ms"


@dataclass(frozen=True)
class Step:
    """A solver with its share of the time and the condition under which it runs.

    Attributes
    ----------
    solver : Solver
    share : TimeShare
    condition : callable
    is_exact : bool
        True for a step that the search leaves time for.
    min_work : float
        Of a proof in rounds, in seconds, before it is given up.
    """

    solver: Solver
    share: TimeShare = TimeShare()
    condition: Condition = always
    is_exact: bool = False
    min_work: float = MIN_PROOF_WORK

    @property
    def text(self) -> str:
        """The solver and when it runs."""
        condition = getattr(self.condition, "__doc__", None) or ""
        when = "" if self.condition is always else f" when: {condition.splitlines()[0].rstrip('.')}"
        return f"{self.solver.name}{' (exact)' if self.is_exact else ''}{when}"

    def __str__(self) -> str:
        return f"{self.text}: {self.share}"


@dataclass(frozen=True)
class Rounds:
    """Steps that take turns, each round with twice the work of the one before.

    Work is counted, not timed, so that a solve takes the same course whatever its time limit. The solvers
    resume where they stopped; one that leaves nothing in ``SolveState.resumable`` has nothing left to do.

    Attributes
    ----------
    steps : tuple of Step
        Their own shares of the time are not used.
    share : TimeShare
        Of all rounds together.
    patience : float
        Work without a better diagram, in seconds, after which the search has stalled.
    gives_up : bool
        True if a proof ends that is not going to be finished in the time left.
    pauses_searches : bool
        True if the searches wait while a proof, which finds better diagrams too, shrinks the gap.
    work_per_second : float
        Work, by the meter, that is done in a second: a proof is given up if it needs more than is left.
    """

    steps: tuple[Step, ...]
    share: TimeShare = TimeShare()
    patience: float = math.inf
    gives_up: bool = True
    pauses_searches: bool = False
    work_per_second: float = 1.0

    @property
    def is_exact(self) -> bool:
        """True if one of the steps is."""
        return any(step.is_exact for step in self.steps)

    def __str__(self) -> str:
        steps = "; ".join(step.text for step in self.steps)
        return f"in turns, each round with twice the work of the last, {self.share}: {steps}"


@dataclass(frozen=True)
class Schedule:
    """The steps of a solve.

    Attributes
    ----------
    steps : tuple of Step and Rounds
    final : tuple of Step
        Run on time set aside, also after a proof, not after Ctrl-C.
    reserve : TimeShare or None
        The time set aside.
    skipped : tuple of (name, reason)
        Solvers left out from the start, for the certificate.
    """

    steps: tuple[Step | Rounds, ...]
    final: tuple[Step, ...] = ()
    reserve: TimeShare | None = None
    skipped: tuple[tuple[str, str], ...] = ()

    @property
    def all_steps(self) -> tuple[Step, ...]:
        """The steps in order, those of rounds one by one."""
        return list_steps(self.steps)

    def __str__(self) -> str:
        lines = [f"{number}. {step}" for number, step in enumerate(self.steps, 1)]
        return "\n".join(lines + [f"finally. {step.solver.name}: {self.reserve}" for step in self.final])


def list_steps(parts: Iterable[Step | Rounds]) -> tuple[Step, ...]:
    """Return the steps of parts of a schedule, those of rounds one by one."""
    return tuple(step for part in parts for step in (part.steps if isinstance(part, Rounds) else (part,)))
