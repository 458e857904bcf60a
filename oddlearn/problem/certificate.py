"""Certificates: the objective of a diagram and proved lower bounds, with their evidence."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oddlearn.diagram.json_checks import checksum
from oddlearn.diagram.skeleton import Skeleton
from oddlearn.problem.constraint_block import ConstraintStatus
from oddlearn.problem.events import Bounded, Event, Improved
from oddlearn.problem.evidence import DIGITS, SKIPPED, Evidence, round_down
from oddlearn.problem.node_count_claim import NodeCountClaim, describe_skeleton
from oddlearn.problem.tolerances import OPTIMALITY_TOLERANCE, VIOLATION_TOLERANCE
from oddlearn.table.checks import list_names

__all__ = ["SKIPPED", "Certificate", "Evidence", "relative_gap"]

MAX_IGNORED_NAMES = 10  # ignored features in the text, the others are counted
MAX_UNPREDICTED_NAMES = 5  # classes that are never predicted in the text, the others are counted
MAX_PRINTED_GAP = 0.5  # a larger gap is not written as a percentage

NODE_COUNT_FIELDS = [("n_nodes", "i8"), ("cost_bound", "f8"), ("objective_bound", "f8"), ("is_resolved", "?")]


SINGLE_NODE_SENTENCE = (
    "All changes of one node, its question and where both answers lead, were tried: none helps."
)

PROOF_ADVICE = (
    "More time makes a complete proof likelier, and so do fewer nodes (skeleton, depth) and a higher price "
    "per node."
)

# what ended a fit, in the words of a certificate that proves less than everything
ENDINGS = {
    "proved": "",
    "gave_up": (
        "The fit ended by itself: the search found nothing better for long, and the proof came on too slowly "
        f"to be finished within the time limit. {PROOF_ADVICE}"
    ),
    "stalled": "The fit ended by itself: the search found nothing better for long.",
    "time": f"The time limit ended the fit. {PROOF_ADVICE}",
    "iterations": "The limit on iterations ended the fit.",
    "interrupted": "The user ended the fit.",
}


@dataclass(frozen=True)
class Certificate:
    """The objective of a trained diagram, lower bounds on all diagrams, and the evidence for them.

    Attributes
    ----------
    digest : str
        Of the training problem.
    objective, violation : float
        Recomputed value of the diagram, distance to the constraints.
    n_nodes : int
        Number of nodes of the diagram.
    objective_bounds : tuple of float
        ``objective_bounds[k - 1]``: no diagram that needs all of its k nodes has a lower objective; inf when
        there is none.
    margin, split, skeleton, node_price
        The problem's, for the text.
    measure : {"error", "weighted_error", "cost"}
        What the objective counts beside the price of nodes.
    evidence : tuple of Evidence
    events : tuple of Event
    ignored_features : tuple of int
        Features that vary and that no split was allowed to use; nothing is claimed about diagrams with them.
    constraints : tuple of ConstraintStatus
        Each constraint, and how far the diagram satisfies it.
    unpredicted_classes : tuple of str
        Labels of the training classes that the diagram never predicts.
    only_class : str or None
        Label of the class that the diagram predicts for every row, None if it predicts more than one.
    missed_text : str
        Such as "finds only 2.1 % of class fraud"; empty if it finds more of every class.
    is_single_node_optimal : bool
        True when it was checked that no change of one node, its split and both arcs, makes it better.
    ending : str
        What ended the fit: a key of ``ENDINGS``.
    max_terms : int or None
        The most columns in a weighted sum; None if there is no limit.
    """

    digest: str
    objective: float
    violation: float
    n_nodes: int
    objective_bounds: tuple[float, ...]
    margin: float
    split: str
    skeleton: Skeleton
    node_price: float
    measure: str = "error"
    evidence: tuple[Evidence, ...] = ()
    events: tuple[Event, ...] = ()
    ignored_features: tuple[int, ...] = ()
    constraints: tuple[ConstraintStatus, ...] = ()
    unpredicted_classes: tuple[str, ...] = ()
    only_class: str | None = None
    missed_text: str = ""
    is_single_node_optimal: bool = False
    ending: str = "proved"
    max_terms: int | None = None

    @property
    def lower_bound(self) -> float:
        """Largest proved lower bound on the objective of all diagrams."""
        return min(self.objective_bounds)

    @property
    def gap(self) -> float:
        """Largest possible relative improvement of the objective: (U - L) / U, 0 when U equals L."""
        return relative_gap(self.objective, self.lower_bound)

    @property
    def is_feasible(self) -> bool:
        """True when the diagram satisfies all constraints."""
        return self.violation <= VIOLATION_TOLERANCE

    @property
    def is_optimal(self) -> bool:
        """True when the diagram is feasible and no better one exists among those that ``explain`` names."""
        return self.is_feasible and self.objective - self.lower_bound <= OPTIMALITY_TOLERANCE

    @property
    def claim(self) -> NodeCountClaim:
        """The claim for each number of nodes."""
        has_penalties = any(status.is_soft for status in self.constraints)
        return NodeCountClaim(
            self.objective,
            self.n_nodes,
            self.node_price,
            self.objective_bounds,
            self.measure,
            has_penalties,
            "tree" if self.skeleton.tree_only else "diagram",
        )

    @property
    def by_node_count(self) -> NDArray[Any]:
        """Bounds proved for each number of nodes, a structured array; ``pandas.DataFrame`` takes it.

        Fields: ``n_nodes``; ``cost_bound`` and ``objective_bound``, the least training error (or mean cost)
        and the least objective of a diagram that needs so many nodes; ``is_resolved``, True when none of them
        is better than this diagram. One that does not need all its nodes counts as one of those it needs.
        """
        claim = self.claim
        rows = [
            (place + 1, claim.cost_bounds[place], bound, place + 1 not in claim.unresolved)
            for place, bound in enumerate(self.objective_bounds)
        ]
        return np.array(rows, dtype=NODE_COUNT_FIELDS)

    def summarise(self) -> str:
        """Return in two sentences what is proved."""
        if not self.is_feasible:
            return (
                f"Not feasible: the diagram violates a constraint by {self.violation:.3g}. Nothing is proved "
                "about how good it is."
            )
        if self.is_optimal:
            fact = f"of all {self._family()}, no other is better."
            return f"Proved optimal{self._restriction(', but')}: {fact} {self._value()}"
        claim = self.claim
        resolved, opening = claim.resolved_clause("none"), f"Not proved optimal{self._restriction(', and')}"
        fact = f"of all {self._family()}, {resolved or 'another may be better'}."
        return f"{opening}{'. Proved' if resolved else ''}: {fact} {claim.unresolved_sentence()}"

    def explain(self, *, details: bool = False) -> str:
        """Return what is proved, in plain English, and the status of each constraint.

        Parameters
        ----------
        details : bool
            Also return the exact numbers, the bound for every number of nodes, what each solver contributed
            and the times.
        """
        lines = [self.summarise()]
        if self.is_feasible and not self.is_optimal:
            lines.append(self._value())
        if self.is_single_node_optimal and not self.is_optimal:
            lines.append(SINGLE_NODE_SENTENCE)
        if ENDINGS[self.ending] and not self.is_optimal:
            lines.append(ENDINGS[self.ending])
        lines += [status.describe() for status in self.constraints]
        if details:
            numbers = [self._numbers_sentence(), self.claim.table_sentence()] if self.is_feasible else []
            solvers = [entry.describe() for entry in self.evidence]
            lines += [*numbers, *solvers, *_timing_sentence(self.events)]
        return "\n".join(lines)

    def _family(self) -> str:
        """Return the diagrams that a claim is about."""
        wishes = [wish for wish in (self._exception(), self._condition()) if wish]
        conditions = " and ".join([", ".join(wishes[:-1]), wishes[-1]]) if wishes[1:] else "".join(wishes)
        family = f"{describe_skeleton(self.skeleton)} {self.split} splits{self._margin()}"
        return f"{family} that {conditions}" if conditions else family

    def _value(self) -> str:
        """Return what "better" means, with the numbers of this diagram."""
        claim = self.claim
        cost, n_paid = claim.cost_text(claim.mean_cost), max(0, self.n_nodes - 1)
        if not self.node_price:
            return f"Better means less {claim.cost_name} (here {cost})."
        price = claim.price_text(self.node_price)
        total = f"{cost} + {n_paid} x {price} = {claim.cost_text(self.objective)}" if n_paid else cost
        nodes = f"{self.n_nodes} node{'s' * (self.n_nodes != 1)}"
        meaning = f"a lower sum of {claim.cost_name} and {price} for each node after the first"
        return f"Better means {meaning} (here {nodes}: {total})."

    def _numbers_sentence(self) -> str:
        objective = f"objective {self.objective:.{DIGITS}g}, price per node {self.node_price:.{DIGITS}g}"
        if self.is_optimal:
            return f"Exactly: {objective}; no other has less by more than {OPTIMALITY_TOLERANCE:g}."
        # floor of the negative: a possible saving is never rounded down
        percent = round_down(-100 * self.gap, 3).removeprefix("-")
        gap = f", which is {percent} % lower" if self.gap <= MAX_PRINTED_GAP else ""
        return f"Exactly: {objective}; none has less than {round_down(self.lower_bound, DIGITS)}{gap}."

    def _margin(self) -> str:
        if self.split == "univariate":
            return ""
        terms = f" with at most {self.max_terms} term{'s' * (self.max_terms != 1)}" if self.max_terms else ""
        return f"{terms}{' and' * bool(terms)} of margin {self.margin:g}"

    def _restriction(self, link: str) -> str:
        """Return what stands beside "optimal" when classes are never predicted."""
        if self.only_class is not None:
            return f'{link} it predicts class "{self.only_class}" for every row'
        if self.unpredicted_classes:
            return f"{link} it never predicts {self.unpredicted_text}"
        return f"{link} it {self.missed_text}" if self.missed_text else ""

    @property
    def unpredicted_text(self) -> str:
        """The classes that the diagram never predicts, such as "class fraud"; empty if it predicts all."""
        names = list(self.unpredicted_classes)
        noun = "class" if len(names) == 1 else "classes"
        return f"{noun} {list_names(names, MAX_UNPREDICTED_NAMES)}" if names else ""

    def _condition(self) -> str:
        is_hard = any(not status.is_soft for status in self.constraints)
        return "satisfy the constraints below" if is_hard else ""

    def _exception(self) -> str:
        if not self.ignored_features:
            return ""
        names = list_names([str(feature) for feature in self.ignored_features], MAX_IGNORED_NAMES)
        return f"use only other features than {names}, which vary but were ignored"

    def to_dict(self) -> dict[str, object]:
        """Return JSON-able content with a checksum; ``certificate_from_dict`` reads it back."""
        content = {
            **vars(self),
            "objective_bounds": [_finite_or_none(bound) for bound in self.objective_bounds],
            "skeleton": self.skeleton.to_dict(),
            "evidence": [vars(entry) for entry in self.evidence],
            "events": [{"kind": type(event).__name__, **vars(event)} for event in self.events],
            "ignored_features": list(self.ignored_features),
            "constraints": [
                {**vars(status), "slack": _finite_or_none(status.slack)} for status in self.constraints
            ],
            "unpredicted_classes": list(self.unpredicted_classes),
        }
        return {**content, "checksum": checksum(content)}


def relative_gap(objective: float, lower_bound: float) -> float:
    """Return (objective - lower_bound) / objective, 0 when both are equal up to the tolerance."""
    distance = objective - lower_bound
    return 0.0 if distance <= OPTIMALITY_TOLERANCE else distance / objective


def _finite_or_none(value: float) -> float | None:
    # JSON has no infinity: None is the slack of a constraint without rows, the bound where no diagram exists
    return value if math.isfinite(value) else None


def _timing_sentence(events: tuple[Event, ...]) -> list[str]:
    """Return the sentence on the times of the diagram and of the bound."""
    improved = [event.seconds for event in events if isinstance(event, Improved)]
    bounded = [event.seconds for event in events if isinstance(event, Bounded)]
    if not improved or not bounded:
        return []
    return [f"The objective was reached after {improved[-1]:.2f} s, the bound after {bounded[-1]:.2f} s."]
