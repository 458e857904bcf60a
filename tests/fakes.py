"""Engines and provers that do what a test says."""

import math
import time
from dataclasses import dataclass, field

from oddlearn.problem.certificate import Evidence
from oddlearn.problem.evaluate import evaluate
from oddlearn.problem.events import Bounded, Improved
from oddlearn.solve.solver import Outcome, Proof


@dataclass(frozen=True)
class FixedEngine:
    """Hands back one diagram and one bound."""

    diagram: object = None
    lower_bound: float = -math.inf
    interrupted: bool = False
    objection: str = ""
    seconds: float = 0.0
    seed: int = 0
    n_jobs: int = 1
    name: str = "fixed"
    starts: list = field(default_factory=list, compare=False)
    limits: list = field(default_factory=list, compare=False)

    def objections(self, problem):
        return [self.objection] if self.objection else []

    def run(self, problem, start, budget, report, lower_bound=-math.inf):
        self.starts.append(start)
        self.limits.append(budget.remaining())
        time.sleep(min(self.seconds, budget.remaining()))
        if self.diagram is not None:
            value = evaluate(problem, self.diagram)
            report(Improved(budget.elapsed(), value.objective, value.n_nodes))
        return Outcome(self.diagram, self.lower_bound, interrupted=self.interrupted, iterations=1)


@dataclass(frozen=True)
class FixedProver:
    """Raises the floors of all numbers of nodes to one objective, and hands back one diagram."""

    bound: float = 0.0
    diagram: object = None
    interrupted: bool = False
    objection: str = ""
    ending: str = "optimal"
    raises: object = None
    seed: int = 0
    n_jobs: int = 1
    name: str = "fixed prover"
    incumbents: list = field(default_factory=list, compare=False)
    limits: list = field(default_factory=list, compare=False)

    def objections(self, problem):
        return [self.objection] if self.objection else []

    def prove(self, problem, incumbent, floors, budget, report):
        self.incumbents.append(incumbent)
        self.limits.append(budget.remaining())
        if self.raises is not None:
            raise self.raises
        for count in range(1, problem.skeleton.n_nodes + 1):
            floors = floors.raised_by(problem, count, self.bound)
        report(Bounded(budget.elapsed(), floors.lower_bound(problem)))
        evidence = Evidence(self.name, floors.lower_bound(problem), "by decree", 0.0, ending=self.ending)
        return Proof(floors, self.diagram, (evidence,), self.interrupted)
