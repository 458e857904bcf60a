"""Training: free bounds, then a search, then provers, which share the best diagram and the floors."""

from __future__ import annotations

from dataclasses import dataclass, replace

from oddlearn.bounds.free import free_bounds
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.dual import dual_bound, objections_to_dual
from oddlearn.engine import Budget, Engine, Proof, Prover, Report, ignore
from oddlearn.errors import DiagramMisfitError, UnsupportedError
from oddlearn.infeasible import check_feasible, check_rows
from oddlearn.known import Known, Log
from oddlearn.plan import Auto, Exact, plan
from oddlearn.problem.certificate import Evidence
from oddlearn.problem.events import Event
from oddlearn.problem.problem import TrainingProblem
from oddlearn.search.planes import widened

# the free bounds may take this share of the time left, and this many seconds
BOUND_SHARE = 0.15
MOST_BOUND_SECONDS = 1.0

# what the search may take of the time left when a proof is to follow; it has a stall rule of its own. Our own
# branch and bound finds better diagrams too, so that with univariate splits the search need not find the best
SEARCH_SHARE = {"univariate": 0.3, "multivariate": 0.5}

# a quick prover tries first, after a short search: shares of the time for both. Small problems end there
QUICK_PROVERS = {"branch"}
QUICK_SEARCH_SHARE = 0.03
QUICK_PROOF_SHARE = 0.1

# what a prover may take of the time left when others follow: the first choice is the best
PROVER_SHARE = 0.9

# what pricing the constraints may take of the time left before the provers that keep them
PRICED_SHARE = 0.4

# when the provers give up early, a search that was cut short goes on if so many seconds are left
WORTH_SEARCHING = 0.1

# of a prover's time, set aside to widen the gaps of a diagram it may find
POLISH_SHARE = 0.1
MOST_POLISH_SECONDS = 1.0


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
        True when the user ended the work from the keyboard.
    iterations : int
        Of the engine; 0 when it was not needed.
    """

    diagram: DecisionDiagram
    lower_bound: float
    evidence: tuple[Evidence, ...]
    events: tuple[Event, ...]
    interrupted: bool = False
    iterations: int = 0


def train(
    problem: TrainingProblem, engine: Engine, budget: Budget, report: Report = ignore, exact: Exact = None
) -> Trained:
    """Find a good diagram for the problem and a bound on all others.

    Parameters
    ----------
    problem : TrainingProblem
    engine : Engine
    budget : Budget
        For the bounds, the engine and the provers together.
    report : callable
        Told of every better diagram and larger bound, from the calling thread.
    exact : Auto, Prover or None
        What closes the gap: what the problem chooses, one prover, or nothing.

    Raises
    ------
    UnsupportedError
        When the engine, or a prover that was asked for, cannot take the problem.
    InfeasibleError, NoFeasibleDiagramError
        When it is proved that no diagram keeps the constraints; when none was found.
    """
    _check_objections(problem, engine, exact)
    log = Log(report)
    known = _bounded(problem, budget, log)
    check_rows(known, exact, budget)
    if not known.is_over:
        known = _worked(known, engine, exact, budget, log)
    check_feasible(known, exact, budget)
    log.tell(known.checked(), budget.elapsed())
    return Trained(
        known.diagram,
        known.lower_bound,
        known.evidence,
        tuple(log.events),
        known.interrupted,
        known.iterations,
    )


def _check_objections(problem: TrainingProblem, engine: Engine, exact: Exact) -> None:
    objections = engine.objections(problem)
    if exact is not None and not isinstance(exact, Auto):
        objections = [*objections, *exact.objections(problem)]
    if objections:
        raise UnsupportedError(" ".join(objections))


def _bounded(problem: TrainingProblem, budget: Budget, log: Log) -> Known:
    """Return what the free bounds know."""
    known = Known.of(problem)
    try:
        seconds = min(BOUND_SHARE * budget.remaining(), MOST_BOUND_SECONDS)
        floors, evidence, diagram = free_bounds(problem, seconds)
    except KeyboardInterrupt:
        return replace(known, interrupted=True)
    known = known.with_floors(floors, evidence).offered(diagram)
    log.tell(known, budget.elapsed())
    return known


def _worked(known: Known, engine: Engine, exact: Exact, budget: Budget, log: Log) -> Known:
    """Search, prove, and search on if the proof left time that the search could have used."""
    share = SEARCH_SHARE[known.problem.split]
    proof_part = budget.share(1 - share)
    first = plan(known.problem, exact, known.floors, known.objective, proof_part)
    if first.provers and first.provers[0].name in QUICK_PROVERS:
        known = _tried_quickly(known, engine, first.provers[0], budget, log)
        if known.is_over:
            return known
    can_price = _can_price(known.problem, exact, budget)
    part = budget.share(share) if first.provers or can_price else budget
    # the free diagram is kept but not started from: a single split is a valley of its own
    known = _searched(known, engine, None, part, log)
    if can_price and not known.is_over:
        known = _priced(known, budget, log)
    if first.provers:
        known = _proved(known, exact, budget, log)
    elif not known.is_over:
        known = replace(known, evidence=(*known.evidence, *first.evidence(known.lower_bound)))
    was_cut = part.expired and budget.max_iter is None
    if was_cut and not known.is_over and budget.remaining() > WORTH_SEARCHING:
        known = _searched(known, engine, known.diagram, budget, log)
    return known


def _tried_quickly(known: Known, engine: Engine, prover: Prover, budget: Budget, log: Log) -> Known:
    """Search and prove for a short time; what the prover says is kept only if it is the last word."""
    found = _searched(known, engine, None, budget.share(QUICK_SEARCH_SHARE), log)
    if found.is_over:
        return found
    tried = _asked(found, prover, budget.share(QUICK_PROOF_SHARE), log)
    return tried if tried.is_over else replace(tried, evidence=found.evidence)


def _searched(known: Known, engine: Engine, start: DecisionDiagram | None, budget: Budget, log: Log) -> Known:
    outcome = engine.run(known.problem, start, budget, log, known.lower_bound)
    found = replace(
        known,
        bound=max(known.bound, outcome.lower_bound),
        evidence=(*known.evidence, *outcome.evidence),
        interrupted=outcome.interrupted,
        iterations=known.iterations + outcome.iterations,
    )
    try:
        return found.offered(outcome.diagram).checked()
    except KeyboardInterrupt:
        # what was found is kept, so its value is needed once more
        return replace(found.offered(outcome.diagram), interrupted=True)


def _can_price(problem: TrainingProblem, exact: Exact, budget: Budget) -> bool:
    """Return whether constraints may be priced: a fit under max_iter is to repeat exactly."""
    is_asked = isinstance(exact, Auto) and budget.max_iter is None
    return is_asked and len(problem.rows) > 0 and not objections_to_dual(problem)


def _priced(known: Known, budget: Budget, log: Log) -> Known:
    """Raise the bound by pricing the constraints that the branch and bound cannot keep."""
    dual = dual_bound(known.problem, known.objective, budget.share(PRICED_SHARE))
    found = replace(known, interrupted=dual.interrupted).with_floors(dual.floors, (dual.evidence,))
    found = found.offered(dual.diagram).checked()
    log.tell(found, budget.elapsed())
    return found


def _proved(known: Known, exact: Exact, budget: Budget, log: Log) -> Known:
    """Let one prover after the other raise the floors, each with its share of the time."""
    if known.is_over:
        return known
    chosen = plan(known.problem, exact, known.floors, known.objective, budget)
    for place, prover in enumerate(chosen.provers):
        is_last = place + 1 == len(chosen.provers)
        part = budget if is_last else budget.share(PROVER_SHARE)
        known = _asked(known, prover, part, log)
        if known.is_over:
            return known
    return replace(known, evidence=(*known.evidence, *chosen.evidence(known.lower_bound)))


def _asked(known: Known, prover: Prover, budget: Budget, log: Log) -> Known:
    """Let a prover work, and widen the gaps of a better diagram if it found one."""
    reserve = 0.0
    if known.problem.split == "multivariate":
        reserve = min(POLISH_SHARE * budget.remaining(), MOST_POLISH_SECONDS)
    try:
        proof = prover.prove(known.problem, known.diagram, known.floors, budget.without(reserve), log)
    except KeyboardInterrupt:
        return replace(known, interrupted=True)
    found = _with_proof(known, proof).checked()
    log.tell(found, budget.elapsed())
    if proof.interrupted:
        return replace(found, interrupted=True)
    return found if found.diagram is known.diagram else _polished(found, budget)


def _with_proof(known: Known, proof: Proof) -> Known:
    proved = known.with_floors(proof.floors, proof.evidence)
    try:
        return proved.offered(proof.diagram)
    except DiagramMisfitError:
        return proved  # a solver's rounding: the diagram is dropped, the floors do not rest on it


def _polished(known: Known, budget: Budget) -> Known:
    if known.problem.split == "univariate":
        return known  # thresholds are put in the middle of their gaps on the way to raw units
    try:
        return known.offered(widened(known.problem, known.diagram, budget))
    except KeyboardInterrupt:
        return replace(known, interrupted=True)
