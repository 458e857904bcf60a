"""Steps of training that prove: provers asked one after the other, and constraints priced into the costs."""

from __future__ import annotations

from dataclasses import replace

from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.errors import DiagramMisfitError
from oddlearn.problem.certificate import Evidence
from oddlearn.problem.node_count_bounds import Lattice
from oddlearn.problem.tolerances import OPTIMALITY_TOLERANCE
from oddlearn.problem.training_problem import TrainingProblem
from oddlearn.solve.budget import Budget
from oddlearn.solve.hyperplanes.polish import widened
from oddlearn.solve.hyperplanes.solver import OneHyperplane
from oddlearn.solve.lagrangian.solver import dual_bound, objections_to_dual
from oddlearn.solve.schedule import Auto, Exact, plan
from oddlearn.solve.solver import Proof, Prover
from oddlearn.solve.state import Known, Log

# what a prover may take of the time left when others follow: the first choice is the best
PROVER_SHARE = 0.9

# of a prover's time, set aside to widen the gaps of a diagram it may find
POLISH_SHARE = 0.1
MOST_POLISH_SECONDS = 1.0

# what pricing the constraints may take of the time left before the provers that keep them
PRICED_SHARE = 0.4

# as a certificate names it
ONE_HYPERPLANE = "one hyperplane"

# rows x features up to which single hyperplanes are searched: beyond, one linear program takes seconds
MOST_CELLS = 5_000_000


def can_price(problem: TrainingProblem, exact: Exact, budget: Budget) -> bool:
    """Return whether constraints may be priced: a fit under max_iter is to repeat exactly."""
    is_asked = isinstance(exact, Auto) and budget.max_iter is None
    return is_asked and len(problem.rows) > 0 and not objections_to_dual(problem)


def priced(known: Known, budget: Budget, log: Log) -> Known:
    """Raise the bound by pricing the constraints that the branch and bound cannot keep."""
    dual = dual_bound(known.problem, known.objective, budget.share(PRICED_SHARE))
    found = replace(known, interrupted=dual.interrupted).with_floors(dual.floors, (dual.evidence,))
    found = found.offered(dual.diagram).checked()
    log.tell(found, budget.elapsed())
    return found


def can_part(problem: TrainingProblem, exact: Exact, budget: Budget) -> bool:
    """Return whether the best single hyperplane may be searched for: a fit under max_iter repeats exactly."""
    is_asked = isinstance(exact, Auto) and budget.max_iter is None
    return is_asked and problem.split == "multivariate" and problem.data.X.size <= MOST_CELLS


def is_worth_parting(known: Known) -> bool:
    """Return whether the bound would rise if more was known of diagrams with one node."""
    floors = known.floors.objectives(known.problem)
    return not known.is_over and bool(floors[0] < min([known.objective - OPTIMALITY_TOLERANCE, *floors[1:]]))


def parted(known: Known, planes: OneHyperplane, budget: Budget, log: Log) -> Known:
    """Raise the floor of one node by the clashes of rows on the two sides of a hyperplane."""
    problem, started = known.problem, budget.elapsed()
    target = (known.objective - OPTIMALITY_TOLERANCE / 2) * problem.total_weight
    try:
        planes.run(Lattice.of(problem).round_up_cost(target), budget)
    except KeyboardInterrupt:
        return replace(_offered(known, planes.diagram), interrupted=True)
    floors = known.floors.raised(1, planes.lower_bound)
    # what it said when it was left is part of what it says now
    before = [proof for proof in known.evidence if proof.engine == ONE_HYPERPLANE]
    others = tuple(proof for proof in known.evidence if proof.engine != ONE_HYPERPLANE)
    text = f"{planes.programs} linear programs on rows that no single hyperplane keeps apart"
    seconds = budget.elapsed() - started + sum(proof.seconds for proof in before)
    evidence = Evidence(ONE_HYPERPLANE, min(floors.lower_bound(problem), known.objective), text, seconds)
    known = replace(known, evidence=others)
    found = _offered(known.with_floors(floors, (evidence,)), planes.diagram).checked()
    log.tell(found, budget.elapsed())
    return found if found.diagram is known.diagram else _polished(found, budget)


def proved(known: Known, exact: Exact, budget: Budget, log: Log, begun: Prover | None = None) -> Known:
    """Let one prover after the other raise the floors, each with its share of the time.

    One that has ``begun`` already goes on in its place.
    """
    if known.is_over:
        return known
    chosen = plan(known.problem, exact, known.floors, known.objective, budget)
    for place, prover in enumerate(chosen.provers):
        is_last = place + 1 == len(chosen.provers)
        part = budget if is_last else budget.share(PROVER_SHARE)
        taken_up = prover if begun is None or begun.name != prover.name else begun
        known, _ = asked(known, taken_up, part, log)
        if known.is_over:
            return known
    return replace(known, evidence=(*known.evidence, *chosen.evidence(known.lower_bound)))


def asked(known: Known, prover: Prover, budget: Budget, log: Log) -> tuple[Known, Prover | None]:
    """Let a prover work, and widen the gaps of a better diagram if it found one; with what may go on."""
    reserve = 0.0
    if known.problem.split == "multivariate":
        reserve = min(POLISH_SHARE * budget.remaining(), MOST_POLISH_SECONDS)
    try:
        proof = prover.prove(known.problem, known.diagram, known.floors, budget.without(reserve), log)
    except KeyboardInterrupt:
        return replace(known, interrupted=True), None
    found = _with_proof(known, proof).checked()
    log.tell(found, budget.elapsed())
    if proof.interrupted:
        return replace(found, interrupted=True), None
    return found if found.diagram is known.diagram else _polished(found, budget), proof.goes_on


def _with_proof(known: Known, proof: Proof) -> Known:
    return _offered(known.with_floors(proof.floors, proof.evidence), proof.diagram)


def _offered(known: Known, diagram: DecisionDiagram | None) -> Known:
    try:
        return known.offered(diagram)
    except DiagramMisfitError:
        return known  # a solver's rounding: the diagram is dropped, the floors do not rest on it


def _polished(known: Known, budget: Budget) -> Known:
    if known.problem.split == "univariate":
        return known  # thresholds are put in the middle of their gaps on the way to raw units
    try:
        return known.offered(widened(known.problem, known.diagram, budget))
    except KeyboardInterrupt:
        return replace(known, interrupted=True)
