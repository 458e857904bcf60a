"""Which provers are worth a try: chosen by kind of split, size of the problem and what is installed."""

from __future__ import annotations

import importlib.util
import math
from dataclasses import dataclass
from typing import cast

import numpy as np

from oddlearn.diagram.skeleton import cut_to
from oddlearn.problem.certificate import NOT_TRIED, Evidence
from oddlearn.problem.node_count_bounds import Floors
from oddlearn.problem.training_problem import TrainingProblem
from oddlearn.solve.budget import Budget
from oddlearn.solve.solver import Prover, prover_class

# a solver's process takes this long to start and to read its model: with less time it proves nothing
LEAST_SECONDS = 0.25

REPEATABLE = (
    "because max_iter asks for a fit that repeats exactly, and how far a proof comes depends on the time: "
    "leave max_iter out, or name a prover in exact"
)
NO_TIME = "because too little time was left to begin"


@dataclass(frozen=True)
class Auto:
    """The wish that the problem choose its provers; seed and threads are handed on to them."""

    seed: int = 0
    n_jobs: int = 1


Exact = Auto | Prover | None


@dataclass(frozen=True)
class Choice:
    """A prover that may be chosen for one kind of split.

    Attributes
    ----------
    name : str
        In the table of provers.
    split : str
    most_cells, cells_per_second : int
        Distinct rows x features x node slots of the smallest problem that is still open, at most and per
        second of the time left: with more, trials of a few seconds to a minute proved nothing at all.
    package, extra : str
        What must be installed, and the extra of oddlearn that brings it; empty when it always is.
    is_spare : bool
        Only tried when no prover before it in the list is.
    """

    name: str
    split: str
    most_cells: int
    cells_per_second: int
    package: str = ""
    extra: str = ""
    is_spare: bool = False


# in the order they are tried
CHOICES = (
    Choice("branch", "univariate", 10_000_000, 400_000),
    Choice("cpsat", "univariate", 1_000_000, 5_000, package="ortools", extra="cpsat"),
    # continuous thresholds: beyond some forty rows the branch and bound gets nowhere
    Choice("milp", "univariate", 2_000, 100, is_spare=True),
    Choice("milp", "multivariate", 1_000_000, 2_000),
)


@dataclass(frozen=True)
class Plan:
    """The provers to try, in order, and of others why not: their names and sentences."""

    provers: tuple[Prover, ...] = ()
    reasons: tuple[tuple[str, str], ...] = ()

    def evidence(self, lower_bound: float) -> tuple[Evidence, ...]:
        """Return what a certificate says of the provers that are not tried."""
        return tuple(Evidence(name, lower_bound, why, 0.0, ending=NOT_TRIED) for name, why in self.reasons)


def plan(problem: TrainingProblem, exact: Exact, floors: Floors, objective: float, budget: Budget) -> Plan:
    """Choose the provers for what is left to prove.

    Parameters
    ----------
    problem : TrainingProblem
    exact : Auto, Prover or None
        A prover that was asked for is tried, whatever the size.
    floors : Floors
    objective : float
        Of the best diagram known.
    budget : Budget
        What is left for the proof.
    """
    if exact is None:
        return Plan()
    name = "auto" if isinstance(exact, Auto) else exact.name
    if isinstance(exact, Auto) and budget.max_iter is not None:
        return Plan(reasons=((name, REPEATABLE),))
    if budget.remaining() < LEAST_SECONDS:
        return Plan(reasons=((name, NO_TIME),))
    if isinstance(exact, Auto):
        return _chosen(problem, exact, smallest_cells(problem, floors, objective), budget.remaining())
    return Plan((exact,))


def smallest_cells(problem: TrainingProblem, floors: Floors, objective: float) -> int:
    """Return rows x features x slots for the least number of nodes that could beat the objective."""
    counts = floors.open_counts(problem, objective)
    slots = cut_to(problem.skeleton, counts[0]).n_nodes if counts else 0
    varying = int((np.ptp(problem.data.X, axis=0) > 0).sum())
    return problem.data.n_rows * varying * slots


def _chosen(problem: TrainingProblem, auto: Auto, cells: int, seconds: float) -> Plan:
    provers: list[Prover] = []
    reasons: list[tuple[str, str]] = []
    for choice in CHOICES:
        if choice.split != problem.split or (choice.is_spare and provers):
            continue
        prover, why = _considered(problem, auto, choice, cells, seconds)
        if prover is not None:
            provers.append(prover)
        else:
            reasons.append((choice.name, why))
    return Plan(tuple(provers), tuple(reasons))


def _considered(
    problem: TrainingProblem, auto: Auto, choice: Choice, cells: int, seconds: float
) -> tuple[Prover | None, str]:
    """Return the prover if it is worth a try, else the reason why not."""
    if choice.package and importlib.util.find_spec(choice.package) is None:
        return None, f'because {choice.package} is not installed: pip install "oddlearn[{choice.extra}]"'
    most = min(choice.most_cells, choice.cells_per_second * seconds)
    if cells > most:
        within = f" in the {seconds:.1f} s left" if math.isfinite(seconds) else ""
        return None, (
            f"because the smallest problem that is open has {cells:,} rows x features x nodes, and more than "
            f"{most:,.0f} are beyond it{within}"
        )
    prover = cast(Prover, prover_class(choice.name)(seed=auto.seed, n_jobs=auto.n_jobs))
    objections = prover.objections(problem)
    return (None, "because: " + " ".join(objections)) if objections else (prover, "")
