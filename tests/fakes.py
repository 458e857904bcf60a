"""Solvers that do what a test says, and short ways to run real ones."""

import math
import time
from dataclasses import dataclass, field, replace
from types import SimpleNamespace

from oddlearn.problem.certificate import Evidence
from oddlearn.problem.evaluate import evaluate
from oddlearn.problem.events import Bounded, Improved
from oddlearn.solve.loop import solve_problem
from oddlearn.solve.solver import SearchResult, ignore, search_start
from oddlearn.solve.state import SolveState


def train(problem, search, budget, emit=ignore, exact=None):
    """Solve a problem; return its final state and the events in one namespace."""
    result = solve_problem(problem, search, budget, emit, exact)
    state = result.state
    return SimpleNamespace(
        diagram=state.diagram,
        lower_bound=state.lower_bound,
        evidence=state.evidence,
        events=result.events,
        interrupted=state.interrupted,
        iterations=state.iterations,
    )


def run_exact(solver, problem, incumbent, bounds, budget, emit=ignore):
    """Run one exact solver from an incumbent and bounds; the diagram is None unless it found a better one."""
    state = solver.run(SolveState.initial(problem, incumbent, bounds), budget, emit)
    return SimpleNamespace(
        bounds=state.bounds,
        diagram=None if state.diagram is incumbent else state.diagram,
        evidence=state.evidence,
        interrupted=state.interrupted,
        resumable=state.resumable.get(solver.name),
        state=state,
    )


def tighten_all(state, objective):
    """Return the state with the bounds of all node counts tightened to an objective."""
    bounds = state.bounds
    for count in range(1, state.problem.skeleton.n_nodes + 1):
        bounds = bounds.tightened_by_objective(state.problem, count, objective)
    return bounds


@dataclass(frozen=True)
class FixedSearch:
    """Hands back one diagram and one bound."""

    diagram: object = None
    lower_bound: float = -math.inf
    interrupted: bool = False
    objection: str = ""
    seconds: float = 0.0
    seed: int = 0
    n_jobs: int = 1
    name: str = "fixed"
    start: str = "warm"
    starts: list = field(default_factory=list, compare=False)
    limits: list = field(default_factory=list, compare=False)

    def unsupported_reasons(self, problem):
        return [self.objection] if self.objection else []

    def run(self, state, budget, emit):
        self.starts.append(search_start(state, self.start))
        self.limits.append(budget.remaining())
        time.sleep(min(self.seconds, budget.remaining()))
        if self.diagram is not None:
            value = evaluate(state.problem, self.diagram)
            emit(Improved(budget.elapsed(), value.objective, value.n_nodes))
        state = state.tighten(tighten_all(state, self.lower_bound))
        return SearchResult(self.diagram, 1, self.interrupted).update(state)


@dataclass(frozen=True)
class FixedExact:
    """Tightens the bounds of all numbers of nodes to one objective, and hands back one diagram."""

    bound: float = 0.0
    diagram: object = None
    interrupted: bool = False
    objection: str = ""
    status: str = "optimal"
    raises: object = None
    seed: int = 0
    n_jobs: int = 1
    name: str = "fixed solver"
    incumbents: list = field(default_factory=list, compare=False)
    limits: list = field(default_factory=list, compare=False)

    def unsupported_reasons(self, problem):
        return [self.objection] if self.objection else []

    def bounds(self, state):
        return tighten_all(state, self.bound)

    def run(self, state, budget, emit):
        self.incumbents.append(state.diagram)
        self.limits.append(budget.remaining())
        if self.raises is not None:
            raise self.raises
        bounds = self.bounds(state)
        bound = bounds.lower_bound(state.problem)
        emit(Bounded(budget.elapsed(), bound))
        evidence = Evidence(self.name, self.bound, "by decree", 0.0, status=self.status)
        state = state.tighten(bounds, replace(evidence, bound=max(bound, self.bound)))
        state = state.offer(self.diagram, trusted=False)
        return replace(state, interrupted=state.interrupted or self.interrupted)
