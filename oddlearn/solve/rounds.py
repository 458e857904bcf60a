"""Rounds of a solve: searches and proofs take turns, until neither is of use any more."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from oddlearn.problem.defaults import TIME_LIMIT
from oddlearn.solve.budget import Budget
from oddlearn.solve.solver import is_resumable
from oddlearn.solve.state import MIN_SAVING, SolveState
from oddlearn.solve.step import LoopStatus, Rounds, Step

# work of a step in the first round, in seconds: small problems end in the first ones, and the search is of no
# use to them (0.001 took 1.1 times as long on 34 fits of 2 to 170 ms)
FIRST_WORK = 0.00025

# less than this is rounding: no turn is that short
MIN_WORK = 1e-6

# work of an exact step, as a multiple of a search's: small problems have their best diagram early. The second
# number holds after turns of the searches that found nothing better, until the proof has had its least work
EXACT_WORK, EXACT_WORK_AFTER_SEARCH = 2.0, 8.0

# a search has stalled after as much work without a better diagram as it took to find the best one, times this
PATIENCE_FACTOR = 1.5

# ... and as much as this share of the work of proofs: a long one rests on a good diagram
PROOF_SHARE = 0.25

# the last rounds by which a proof is judged, and the share of the gap that they must leave at most
JUDGED_ROUNDS = 3
MAX_GAP_LEFT = 0.7

# a proof that leaves at most this share of the gap in a turn is finished without the searches
MAX_GAP_LEFT_IN_TURN = 0.95

# the share of the first gap that may be left when the time is over, if the gap goes on shrinking as it did:
# the last of it often closes at once
MAX_FINAL_GAP = 0.4


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
    gaps, work_at : list of float
        What was still to be proved after each turn, see ``open_gap``, and the work by then.
    reason : str
        The sentence of a step whose condition does not hold.
    gave_up : bool
        True if the proof ended that was not going to be finished in the time left.
    """

    step: Step
    work: float = 0.0
    improved_at: float = 0.0
    finished_at: float | None = None
    gaps: list[float] = field(default_factory=list)
    work_at: list[float] = field(default_factory=list)
    reason: str = ""
    gave_up: bool = False

    @property
    def is_shrinking(self) -> bool:
        """True if the last turn of a proof took its share of the gap."""
        has_turns = self.step.is_exact and len(self.gaps) > 1
        return has_turns and self.gaps[-1] <= MAX_GAP_LEFT_IN_TURN * self.gaps[-2]

    def record(self, before: SolveState, after: SolveState, work: float) -> None:
        """Record a turn."""
        self.work += work
        if after.objective < before.objective - MIN_SAVING:
            self.improved_at = self.work
        self.finished_at = None if self.step.solver.name in after.resumable else after.objective
        self.gaps.append(open_gap(after))
        self.work_at.append(self.work)


@dataclass
class RoundRobin:
    """The order of turns: which step is due, and with how much work.

    Attributes
    ----------
    rounds : Rounds
    budget : Budget
        Of all rounds.
    work : float
        Of a search in the present round, in seconds.
    turns : list of Turns
        Of each step.
    """

    rounds: Rounds
    budget: Budget
    work: float = field(init=False)
    turns: list[Turns] = field(init=False)

    def __post_init__(self) -> None:
        self.work = FIRST_WORK
        self.turns = [Turns(step) for step in self.rounds.steps]

    def work_of(self, turns: Turns, state: SolveState) -> float:
        """Return the work of a step in the present round, in seconds.

        A search that has satisfied the constraints works no longer than until it has stalled.
        """
        if turns.step.is_exact:
            searches = [other for other in self.turns if not other.step.is_exact and other.work]
            is_quiet = all(turn.work > turn.improved_at or turn.finished_at is not None for turn in searches)
            early = min(EXACT_WORK_AFTER_SEARCH * self.work, turns.step.min_work - turns.work)
            return max(EXACT_WORK * self.work, early if searches and is_quiet else 0.0)
        return min(self.work, self._work_to_stall(turns)) if state.is_feasible else self.work

    def is_due(self, turns: Turns, status: LoopStatus) -> bool:
        """Return True if a step is of use in the present round."""
        state, step = status.state, turns.step
        if turns.work and not is_resumable(step.solver):
            return False  # it runs once
        if state.is_finished or state.objective == turns.finished_at or self.budget.is_late:
            return False
        reason = step.condition(status)
        turns.reason = reason or ""
        if reason is not None:
            return False
        if not step.is_exact:
            # until a diagram satisfies the constraints, all the time there is
            is_urgent = not state.is_feasible and math.isfinite(self.budget.deadline)
            if self.rounds.pauses_searches and not is_urgent and self._has_fast_proof(status):
                return False
            return is_urgent or self._work_to_stall(turns) > 0
        estimate = getattr(step.solver, "estimate_work", None)
        # an enumeration ends some time, its bound rises at the end; without a limit the gap judges all others
        is_estimated = math.isfinite(self.budget.deadline) or getattr(step.solver, "is_enumeration", False)
        if estimate is not None and is_estimated:
            turns.gave_up = self.rounds.gives_up and estimate(state) > self._work_left()
        else:
            turns.gave_up = self.rounds.gives_up and self._is_hopeless(turns)
        return not turns.gave_up

    def _has_fast_proof(self, status: LoopStatus) -> bool:
        """Return True if a proof is due that finds better diagrams too and shrinks the gap."""
        return any(turns.is_shrinking and self.is_due(turns, status) for turns in self.turns)

    def _work_to_stall(self, turns: Turns) -> float:
        """Return the work without a better diagram after which a search has stalled; 0 if it has."""
        proof_work = sum(other.work for other in self.turns if other.step.is_exact)
        patience = max(self.rounds.patience, PATIENCE_FACTOR * turns.improved_at, PROOF_SHARE * proof_work)
        left = patience - (turns.work - turns.improved_at)
        return left if left > MIN_WORK else 0.0

    def _is_hopeless(self, turns: Turns) -> bool:
        """Return True if the proof is not going to be finished in the time left."""
        # rounds double the work: so much of it ago
        judged = [
            gap
            for gap, work in zip(turns.gaps, turns.work_at, strict=True)
            if work <= turns.work / 2**JUDGED_ROUNDS
        ]
        if turns.work < max(turns.step.min_work, self._min_proof_work()) or not judged:
            return False
        gap, earlier = turns.gaps[-1], judged[-1]
        rounds_left = math.log2(1 + self._work_left() / self.work)
        # gaps may grow with a better incumbent, or be inf before the first that satisfies the constraints
        if not gap < MAX_GAP_LEFT * earlier:
            return True
        final_gap: float = gap * (gap / earlier) ** (rounds_left / JUDGED_ROUNDS)
        return final_gap >= MAX_FINAL_GAP * turns.gaps[0]

    def _work_left(self) -> float:
        """Return the work until the deadline, in seconds of the meter.

        No clock is read: what is given up must not hang on the speed of the machine.
        """
        seconds = self.budget.deadline - self.budget.started
        return max(0.0, self.rounds.work_per_second * seconds - self.budget.meter.seconds)

    def _min_proof_work(self) -> float:
        """Return the work of a proof before it is given up, in seconds of the meter; 0 without a limit.

        A limit above the default asks for a proof: it has all the seconds above it. Of 20 runs of the study
        that were given up after half a second of work, five are proved in 1, 7, 13, 29 and 44 s of 60.
        """
        seconds = self.budget.deadline - self.budget.started
        above = max(0.0, seconds - TIME_LIMIT) if math.isfinite(seconds) else 0.0
        return self.rounds.work_per_second * above


def open_gap(state: SolveState) -> float:
    """Return what is left to prove: the gap of each node count that could beat the incumbent, summed up."""
    gaps = (state.objective - state.objective_bounds[count - 1] for count in state.unresolved_node_counts)
    return math.fsum(gaps) if state.is_feasible else math.inf
