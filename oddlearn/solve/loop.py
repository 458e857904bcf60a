"""Training: free bounds, then a search, then provers, which share the best diagram and the floors."""

from __future__ import annotations

from dataclasses import dataclass, replace

from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.errors import UnsupportedError
from oddlearn.problem.certificate import Evidence, relative_gap
from oddlearn.problem.events import Event
from oddlearn.problem.training_problem import TrainingProblem
from oddlearn.solve.budget import Budget
from oddlearn.solve.exact_steps import asked, can_part, can_price, is_worth_parting, parted, priced, proved
from oddlearn.solve.feasibility import check_feasible, check_rows
from oddlearn.solve.hyperplanes.polish import softened
from oddlearn.solve.hyperplanes.solver import OneHyperplane
from oddlearn.solve.root_bounds.solver import free_bounds
from oddlearn.solve.schedule import Auto, Exact, plan
from oddlearn.solve.solver import Engine, Prover, Report, ignore
from oddlearn.solve.state import Known, Log

# the free bounds may take this share of the time left, and this many seconds
BOUND_SHARE = 0.15
MOST_BOUND_SECONDS = 1.0

# what the search may take of the time left when a proof is to follow; it has a stall rule of its own. Our own
# branch and bound finds better diagrams too, so that with univariate splits the search need not find the best
SEARCH_SHARE = {"univariate": 0.3, "multivariate": 0.5}

# while the gap is wider than this, a proof is not near: the search has so many seconds first, as long as they
# are not more than this share of the time left
WIDE_GAP = 0.5
FIRST_SECONDS = 1.0
MOST_SEARCH_SHARE = 0.8

# a quick prover tries first, after a short search: shares of the time for both. Small problems end there
QUICK_PROVERS = {"branch"}
QUICK_SEARCH_SHARE = 0.03
QUICK_PROOF_SHARE = 0.1

# the best single hyperplane is looked for before the search for so long at most: it may be far from the best
MOST_QUICK_SECONDS = 0.3

# what the proof of the best single hyperplane may take of the time left when provers follow
PARTED_SHARE = 0.5

# set aside to turn hyperplanes towards a regression, which costs nothing and helps on other samples
SOFT_SHARE = 0.08
MOST_SOFT_SECONDS = 1.0

# when the provers give up early, a search that was cut short goes on if so many seconds are left
WORTH_SEARCHING = 0.1


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
    is_soft = problem.split == "multivariate"
    working = budget.without(min(SOFT_SHARE * budget.remaining(), MOST_SOFT_SECONDS)) if is_soft else budget
    known = _bounded(problem, working, log)
    check_rows(known, exact, working)
    if not known.is_over:
        known = _worked(known, engine, exact, working, log)
    check_feasible(known, exact, working)
    known = _softened(known, budget) if is_soft else known
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
    proof_part = budget.share(1 - SEARCH_SHARE[known.problem.split])
    first = plan(known.problem, exact, known.floors, known.objective, proof_part)
    begun: Prover | None = None
    if first.provers and first.provers[0].name in QUICK_PROVERS:
        known, begun = _tried_quickly(known, engine, first.provers[0], budget, log)
        if known.is_over:
            return known
    is_priced = can_price(known.problem, exact, budget)
    planes = OneHyperplane(known.problem) if can_part(known.problem, exact, budget) else None
    if planes is not None:
        known = parted(known, planes, budget.share(QUICK_PROOF_SHARE).at_most(MOST_QUICK_SECONDS), log)
        if known.is_over:
            return known
    is_parted = planes is not None and is_worth_parting(known)
    is_followed = first.provers or is_priced or is_parted
    part = budget.share(_search_share(known, budget)) if is_followed else budget
    # the free diagram is kept but not started from: a single split is a valley of its own
    known = _searched(known, engine, None, part, log)
    if is_priced and not known.is_over:
        known = priced(known, budget, log)
    if planes is not None and is_worth_parting(known):
        known = parted(known, planes, budget.share(PARTED_SHARE) if first.provers else budget, log)
    if first.provers:
        known = proved(known, exact, budget, log, begun)
    elif not known.is_over:
        known = replace(known, evidence=(*known.evidence, *first.evidence(known.lower_bound)))
    was_cut = part.expired and budget.max_iter is None
    if was_cut and not known.is_over and budget.remaining() > WORTH_SEARCHING:
        known = _searched(known, engine, known.diagram, budget, log)
    return known


def _softened(known: Known, budget: Budget) -> Known:
    if known.interrupted:
        return known
    try:
        return known.offered(softened(known.problem, known.diagram, budget))
    except KeyboardInterrupt:
        return replace(known, interrupted=True)


def _search_share(known: Known, budget: Budget) -> float:
    """Return what the search may take of the time left before a proof is tried in earnest."""
    share = SEARCH_SHARE[known.problem.split]
    if known.is_feasible and relative_gap(known.objective, known.lower_bound) <= WIDE_GAP:
        return share
    return max(share, min(MOST_SEARCH_SHARE, FIRST_SECONDS / max(budget.remaining(), FIRST_SECONDS)))


def _tried_quickly(
    known: Known, engine: Engine, prover: Prover, budget: Budget, log: Log
) -> tuple[Known, Prover | None]:
    """Search and prove for a short time; return what is known and the prover as it was left.

    What the prover says is kept only if it is the last word.
    """
    found = _searched(known, engine, None, budget.share(QUICK_SEARCH_SHARE), log)
    if found.is_over:
        return found, None
    tried, begun = asked(found, prover, budget.share(QUICK_PROOF_SHARE), log)
    return (tried if tried.is_over else replace(tried, evidence=found.evidence)), begun


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
