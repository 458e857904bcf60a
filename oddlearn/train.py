"""Training: free bounds, then an engine, then the best diagram and the largest bound of all."""

from __future__ import annotations

from dataclasses import dataclass

from oddlearn.bounds.free import free_bounds
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.engine import Budget, Engine, Outcome, Report, ignore
from oddlearn.errors import BrokenProofError, UnsupportedError
from oddlearn.problem.certificate import OPTIMALITY_TOLERANCE, VIOLATION_TOLERANCE, Evidence
from oddlearn.problem.constant import best_constant
from oddlearn.problem.evaluate import Evaluation, evaluate
from oddlearn.problem.events import Bounded, Event, Improved, Standing
from oddlearn.problem.problem import TrainingProblem

# the free bounds may take this share of the time left, and this many seconds
BOUND_SHARE = 0.15
MOST_BOUND_SECONDS = 1.0

# the first split is free, but one that saves less than this share of all weight is not worth having:
# it would tell apart samples that hardly count
NEGLIGIBLE = 1e-7


@dataclass(frozen=True)
class Trained:
    """The result of training.

    Attributes
    ----------
    diagram : DecisionDiagram
        The best found, in the unit box.
    lower_bound : float
        The largest proved.
    evidence : tuple of Evidence
    events : tuple of Event
    interrupted : bool
        True when the user ended the search from the keyboard.
    iterations : int
        Of the engine; 0 when it was not needed.
    """

    diagram: DecisionDiagram
    lower_bound: float
    evidence: tuple[Evidence, ...]
    events: tuple[Event, ...]
    interrupted: bool = False
    iterations: int = 0


class Log:
    """The events that are news, passed on as they happen."""

    def __init__(self, report: Report) -> None:
        self.events: list[Event] = []
        self.standing = Standing()
        self._report = report

    def __call__(self, event: Event) -> None:
        """Keep and pass on an event if it is news: a better diagram or a larger bound."""
        if self._is_news(event):
            self.standing = self.standing.after(event)
            self.events.append(event)
            self._report(event)

    def _is_news(self, event: Event) -> bool:
        if isinstance(event, Bounded):
            return event.lower_bound > self.standing.lower_bound
        return event.objective < self.standing.objective - NEGLIGIBLE


def train(problem: TrainingProblem, engine: Engine, budget: Budget, report: Report = ignore) -> Trained:
    """Find a good diagram for the problem and a bound on all others.

    Parameters
    ----------
    problem : TrainingProblem
    engine : Engine
    budget : Budget
        For the bounds and the engine together.
    report : callable
        Told of every better diagram and larger bound, from the calling thread.

    Raises
    ------
    UnsupportedError
        When the engine cannot take the problem.
    """
    objections = engine.objections(problem)
    if objections:
        raise UnsupportedError(" ".join(objections))
    log = Log(report)
    try:
        bound, evidence, start = free_bounds(problem, _bound_seconds(budget))
    except KeyboardInterrupt:
        outcome = Outcome(None, interrupted=True)
        return _folded(problem, None, outcome, 0.0, (), log, budget)
    log(Bounded(budget.elapsed(), bound))
    best = best_constant(problem) if start is None else start
    value = evaluate(problem, best)
    log(Improved(budget.elapsed(), value.objective, value.n_nodes))
    outcome = Outcome(None)
    if not _is_met(value, bound):
        # the free diagram is kept but not started from: a single split is a valley of its own
        outcome = engine.run(problem, None, budget, log, bound)
    return _folded(problem, start, outcome, bound, evidence, log, budget)


def _bound_seconds(budget: Budget) -> float:
    return min(BOUND_SHARE * budget.remaining(), MOST_BOUND_SECONDS)


def _folded(
    problem: TrainingProblem,
    start: DecisionDiagram | None,
    outcome: Outcome,
    bound: float,
    evidence: tuple[Evidence, ...],
    log: Log,
    budget: Budget,
) -> Trained:
    best, value = _best(problem, [outcome.diagram, start])
    largest = max(bound, outcome.lower_bound)
    _check_proof(value, largest)
    log(Improved(budget.elapsed(), value.objective, value.n_nodes))
    log(Bounded(budget.elapsed(), largest))
    proofs = (*evidence, *outcome.evidence)
    return Trained(best, largest, proofs, tuple(log.events), outcome.interrupted, outcome.iterations)


def _best(
    problem: TrainingProblem, found: list[DecisionDiagram | None]
) -> tuple[DecisionDiagram, Evaluation]:
    """Return the diagram that violates least, then costs least, with its value; the constant wins ties."""
    constant = best_constant(problem)
    best, value = constant, evaluate(problem, constant)
    for diagram in found:
        if diagram is not None:
            other = evaluate(problem, diagram)
            saved = value.objective - other.objective
            least = NEGLIGIBLE if best is constant else 0.0
            if (_excess(other), -saved) < (_excess(value), -least):
                best, value = diagram, other
    return best, value


def _excess(value: Evaluation) -> float:
    return value.violation if value.violation > VIOLATION_TOLERANCE else 0.0


def _is_met(value: Evaluation, bound: float) -> bool:
    return _excess(value) == 0 and value.objective - bound <= OPTIMALITY_TOLERANCE


def _check_proof(value: Evaluation, bound: float) -> None:
    if _excess(value) == 0 and bound > value.objective + OPTIMALITY_TOLERANCE:
        raise BrokenProofError(
            f"A bound of {bound!r} was claimed and a diagram of {value.objective!r} was found: one is wrong."
        )
