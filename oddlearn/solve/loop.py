"""The solve loop: run the steps of a schedule, one after the other, on one state."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.errors import UnsupportedError
from oddlearn.problem.certificate import SKIPPED, Evidence
from oddlearn.problem.events import Bounded, Event, Improved, ProgressSnapshot
from oddlearn.problem.training_problem import TrainingProblem
from oddlearn.solve.budget import Budget
from oddlearn.solve.feasibility import require_feasible
from oddlearn.solve.interrupt import handle_interrupts
from oddlearn.solve.rounds import RoundRobin, Turns
from oddlearn.solve.schedule import AutoSchedule, Exact, build_schedule
from oddlearn.solve.solver import Emit, Solver, ignore, is_resumable
from oddlearn.solve.state import MIN_SAVING, SolveState
from oddlearn.solve.step import LoopStatus, Rounds, Schedule, Step, list_steps

# the share of a limited time that is left, at most, when a fit has ended for lack of time: solvers end before
# their deadline, the last steps have 8 %, and no step begins that could not end
UNUSED_SHARE = 0.1


@dataclass(frozen=True)
class SolveResult:
    """The final state of a solve, the events on the way, and what ended it: see ``ENDINGS``."""

    state: SolveState
    events: tuple[Event, ...]
    ending: str = ""


class EventLog:
    """A record of events that improve on the ones before; they are emitted as they happen."""

    def __init__(self, emit: Emit) -> None:
        self.events: list[Event] = []
        self.snapshot = ProgressSnapshot()
        self._emit = emit

    def __call__(self, event: Event) -> None:
        """Record and emit an event if it has a better objective or a larger bound than those before."""
        if self._is_improvement(event):
            self.snapshot = self.snapshot.after(event)
            self.events.append(event)
            self._emit(event)

    def record(self, state: SolveState, seconds: float) -> None:
        """Record the state ``seconds`` after the start."""
        if not state.is_infeasible:
            self(Bounded(seconds, state.lower_bound))
        if state.is_feasible:
            self(Improved(seconds, state.objective, state.evaluation.n_nodes))

    def _is_improvement(self, event: Event) -> bool:
        if isinstance(event, Bounded):
            # an infinite bound says that no diagram satisfies the constraints, which ends in an error
            return math.inf > event.lower_bound > self.snapshot.lower_bound
        return event.objective < self.snapshot.objective - MIN_SAVING


def solve_problem(
    problem: TrainingProblem,
    search: Solver,
    budget: Budget,
    emit: Emit = ignore,
    exact: Exact = None,
    warm_start: DecisionDiagram | None = None,
) -> SolveResult:
    """Find a good diagram for the problem and a bound on all others.

    Parameters
    ----------
    problem : TrainingProblem
    search : Solver
    budget : Budget
        For all steps together.
    emit : callable
        Receives every better diagram and larger bound, from the calling thread.
    exact : AutoSchedule, Solver or None
        What closes the gap: what the problem selects, one solver, or nothing.
    warm_start : DecisionDiagram, optional
        Start of the search.

    Raises
    ------
    UnsupportedError
        When the search, or an exact solver that was named, cannot take the problem.
    InfeasibleError, NoFeasibleDiagramError
        When it is proved that no diagram satisfies the constraints; when none was found.
    """
    named = [search] if exact is None or isinstance(exact, AutoSchedule) else [search, exact]
    reasons = [reason for solver in named for reason in solver.unsupported_reasons(problem)]
    if reasons:
        raise UnsupportedError(" ".join(reasons))
    return solve(problem, build_schedule(problem.split, search, exact, budget), budget, emit, warm_start)


def solve(
    problem: TrainingProblem,
    schedule: Schedule,
    budget: Budget,
    emit: Emit = ignore,
    warm_start: DecisionDiagram | None = None,
) -> SolveResult:
    """Run a schedule on a problem; see ``solve_problem``."""
    log = EventLog(emit)
    working = budget if schedule.reserve is None else budget.without(schedule.reserve.seconds(budget))
    with handle_interrupts() as interrupt:
        state = run_steps(schedule, SolveState.initial(problem, warm_start=warm_start), working, log)
        if not state.is_feasible:
            with interrupt.raising():  # there is no diagram to lose
                require_feasible(state, schedule, working)
        # the linear programs of the last steps take as much memory as the searches, which are over
        state = replace(state, resumable={})
        problem.data.release_columns()
        for step in schedule.final:
            is_due = not state.interrupted and step.condition(LoopStatus(state, budget, {})) is None
            state = run_step(step, state, budget, log) if is_due else state
        state = record_state(state, budget, log)
        interrupted = state.interrupted or interrupt.requested
    state = replace(state, interrupted=interrupted)
    return SolveResult(state, tuple(log.events), find_ending(state, working))


def find_ending(state: SolveState, budget: Budget) -> str:
    """Return what ended a solve, a key of ``ENDINGS``."""
    if state.interrupted:
        return "interrupted"
    if state.is_optimal:
        return "proved"
    if _is_almost_late(budget):
        return "time"
    if budget.max_iter is not None and state.iterations >= budget.max_iter:
        return "iterations"
    return "gave_up" if state.gave_up else "stalled"


def _is_almost_late(budget: Budget) -> bool:
    """Return True if so little time is left that no step could begin, or that last steps had their share."""
    seconds = budget.deadline - budget.started
    return math.isfinite(seconds) and budget.remaining() <= UNUSED_SHARE * seconds


def run_steps(schedule: Schedule, state: SolveState, budget: Budget, log: EventLog) -> SolveState:
    """Run the steps that are due until the state is finished."""
    spent: dict[str, Budget] = {}
    skipped = list(schedule.skipped)
    for place, step in enumerate(schedule.steps):
        if state.is_finished:
            return state
        status = LoopStatus(state, budget, spent)
        later = schedule.steps[place + 1 :]
        if isinstance(step, Rounds):
            part = share_budget(step, later, status)
            state, turns = run_rounds(step, status, part, log)
            spent |= {turn.step.solver.name: part for turn in turns if turn.work}
            unused = (turn for turn in turns if turn.reason and not turn.work)
            skipped += [(turn.step.solver.name, turn.reason) for turn in unused]
            continue
        reason = step.condition(status)
        if reason is not None:
            skipped += [(step.solver.name, reason)] if reason else []
            continue
        part = share_budget(step, later, status)
        state = run_step(step, state, part, log)
        spent[step.solver.name] = part
    if state.is_finished:
        return state
    entries = (Evidence(name, state.lower_bound, why, 0.0, status=SKIPPED) for name, why in skipped)
    return replace(state, evidence=(*state.evidence, *entries))


def run_rounds(
    rounds: Rounds, status: LoopStatus, budget: Budget, log: EventLog
) -> tuple[SolveState, list[Turns]]:
    """Let the steps take turns until none is due; return the state and the turns they had."""
    robin, state = RoundRobin(rounds, budget), status.state
    while True:
        n_due = 0
        for turns in robin.turns:
            now = replace(status, state=state, budget=budget)
            if robin.is_due(turns, now):
                work = robin.work_of(turns, state)
                is_turn = is_resumable(turns.step.solver)
                part = budget.limit_work(work) if is_turn else turns.step.share.of(now, False)
                state = run_step(turns.step, now.state, part, log)
                turns.record(now.state, state, work)
                n_due += 1
        if n_due == 0:
            gave_up = any(turns.gave_up for turns in robin.turns)
            return replace(state, gave_up=state.gave_up or gave_up), robin.turns
        robin.work *= 2


def share_budget(step: Step | Rounds, later: Sequence[Step | Rounds], status: LoopStatus) -> Budget:
    """Return the budget of a step with others after it."""
    # conditions of later steps take time: they are asked only where they matter
    return step.share.of(status, not step.share.only_if_followed or is_followed(later, step, status))


def is_followed(later: Sequence[Step | Rounds], step: Step | Rounds, status: LoopStatus) -> bool:
    """Return True if a later exact step is due.

    Exact steps divide the time left among themselves; the search leaves them the rest of its own share.
    """
    left = status.budget if step.is_exact else status.budget.share(1 - step.share.fraction)
    names = [part.solver.name for part in list_steps([step])]
    ahead = LoopStatus(status.state, left, {**status.spent, **dict.fromkeys(names, left)})
    return any(other.is_exact and other.condition(ahead) is None for other in list_steps(later))


def run_step(step: Step, state: SolveState, budget: Budget, log: EventLog) -> SolveState:
    """Run one step, and record its state."""
    return record_state(run_guarded(step.solver, state, budget, log), budget, log)


def record_state(state: SolveState, budget: Budget, log: EventLog) -> SolveState:
    """Record a state; when a receiver of events asks to stop, its work is kept and it is interrupted."""
    try:
        log.record(state.check(), budget.elapsed())
    except KeyboardInterrupt:
        return replace(state, interrupted=True)
    return state


def run_guarded(solver: Solver, state: SolveState, budget: Budget, log: EventLog) -> SolveState:
    """Run a solver; after a Ctrl-C that it did not handle, return the state before it."""
    after = state
    with handle_interrupts() as interrupt:
        try:
            with interrupt.raising():
                if interrupt.requested:  # between two steps
                    raise KeyboardInterrupt
                after = solver.run(state, budget, log)
        except KeyboardInterrupt:
            return replace(after, interrupted=True)
        except ImportError:  # of a module that Ctrl-C interrupted while it was imported
            if not interrupt.requested:
                raise
        return replace(after, interrupted=True) if interrupt.requested else after
