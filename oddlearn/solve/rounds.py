"""Rounds of a solve: searches and proofs take turns, until neither is of use any more."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

from oddlearn.solve.budget import Budget
from oddlearn.solve.solver import is_resumable
from oddlearn.solve.state import MIN_SAVING, SolveState
from oddlearn.solve.step import LoopStatus, Rounds, Step

# work of a step in the first round, in seconds
FIRST_WORK = 0.004

# a search has stalled after as much work without a better diagram as it took to find the best one, times this
PATIENCE_FACTOR = 2.0


@dataclass
class Turns:
    """The turns that a step has had.

    Attributes
    ----------
    step : Step
    work : float
        Seconds of work so far.
    improved_at : float
        The work at the last turn that found a better diagram.
    finished_at : float or None
        The objective of the incumbent for which nothing is left to do.
    gaps : list of float
        What was still to be proved after each turn: see ``open_gap``.
    reason : str
        The sentence of a step whose condition does not hold.
    """

    step: Step
    work: float = 0.0
    improved_at: float = 0.0
    finished_at: float | None = None
    gaps: list[float] = field(default_factory=list)
    reason: str = ""

    def record(self, before: SolveState, after: SolveState, work: float) -> None:
        """Record a turn."""
        self.work += work
        if after.objective < before.objective - MIN_SAVING:
            self.improved_at = self.work
        self.finished_at = None if self.step.solver.name in after.resumable else after.objective
        self.gaps.append(open_gap(after))


@dataclass
class RoundRobin:
    """The order of turns: which step is due, and with how much work."""

    rounds: Rounds
    budget: Budget
    turns: list[Turns] = field(init=False)

    def __post_init__(self) -> None:
        self.turns = [Turns(step) for step in self.rounds.steps]

    def next_work(self) -> Iterator[float]:
        """Yield the work of a step in each round."""
        work = FIRST_WORK
        while True:
            yield work
            work *= 2

    def is_due(self, turns: Turns, status: LoopStatus) -> bool:
        """Return True if a step is of use in the next round."""
        state = status.state
        if turns.work and not is_resumable(turns.step.solver):
            return False  # it runs once
        if state.is_finished or state.objective == turns.finished_at or self.budget.is_late:
            return False
        reason = turns.step.condition(status)
        turns.reason = reason or ""
        if reason is not None:
            return False
        if turns.step.is_exact:
            return not (self.rounds.gives_up and self._is_hopeless(turns))
        return turns.work - turns.improved_at < max(
            self.rounds.patience, PATIENCE_FACTOR * turns.improved_at
        )

    def _is_hopeless(self, turns: Turns) -> bool:
        """Return True if the proof is not going to be finished in the time left."""
        return False


def open_gap(state: SolveState) -> float:
    """Return what is left to prove: the gap of each node count that could beat the incumbent, summed up."""
    objectives = state.bounds.objectives(state.problem)
    gaps = (state.objective - objectives[count - 1] for count in state.unresolved_node_counts)
    return math.fsum(gaps) if state.is_feasible else math.inf
