"""Certificates: the objective of a diagram and a proved lower bound, with their evidence."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal

from oddlearn.diagram.json_checks import checksum
from oddlearn.diagram.skeleton import Skeleton
from oddlearn.problem.constraint_block import ConstraintStatus
from oddlearn.problem.events import Bounded, Event, Improved
from oddlearn.problem.tolerances import OPTIMALITY_TOLERANCE, VIOLATION_TOLERANCE
from oddlearn.table.checks import list_names

# significant digits of objectives and bounds in the text
DIGITS = 10

# status of a solver that was not run
SKIPPED = "skipped"

# ignored features in the text, the others are counted
MAX_IGNORED_NAMES = 10

# classes that are never predicted in the text, the others are counted
MAX_UNPREDICTED_NAMES = 5


@dataclass(frozen=True)
class Evidence:
    """The result of one solver: a lower bound and the reason for it.

    Attributes
    ----------
    solver : str
    bound : float
        No diagram of the problem has a lower objective.
    text : str
        Reason for the bound, or for the lack of a better one.
    seconds : float
        Time spent.
    version, options : str
        Name, version and options of the external solver, if there is one.
    nodes : int
        Nodes of its search tree.
    size : str
        Size of the largest model it solved.
    status : str
        Such as "optimal" or "time"; SKIPPED if it was not run.
    """

    solver: str
    bound: float
    text: str
    seconds: float
    version: str = ""
    options: str = ""
    nodes: int = 0
    size: str = ""
    status: str = ""


@dataclass(frozen=True)
class Certificate:
    """The objective of a trained diagram, a lower bound on all diagrams, and the evidence for it.

    Attributes
    ----------
    digest : str
        Of the training problem.
    objective, lower_bound, violation : float
        Recomputed value of the diagram, largest proved bound, distance to the constraints.
    margin, split, skeleton, node_price
        The problem's, for the text.
    evidence : tuple of Evidence
    events : tuple of Event
    ignored_features : tuple of int
        Features that vary and that no split was allowed to use; nothing is claimed about diagrams with them.
    constraints : tuple of ConstraintStatus
        Each constraint, and how far the diagram satisfies it.
    unpredicted_classes : tuple of str
        Labels of the training classes that the diagram never predicts.
    """

    digest: str
    objective: float
    lower_bound: float
    violation: float
    margin: float
    split: str
    skeleton: Skeleton
    node_price: float
    evidence: tuple[Evidence, ...] = ()
    events: tuple[Event, ...] = ()
    ignored_features: tuple[int, ...] = ()
    constraints: tuple[ConstraintStatus, ...] = ()
    unpredicted_classes: tuple[str, ...] = ()

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

    def explain(self) -> str:
        """Return the exact claim, in plain English."""
        constraints = [_constraint_sentence(status) for status in self.constraints]
        lines = [self._claim(), *constraints, *(_evidence_sentence(entry) for entry in self.evidence)]
        return "\n".join(lines + _timing_sentence(self.events))

    def _claim(self) -> str:
        shape = "trees" if self.skeleton.tree_only else "diagrams"
        family = (
            f"all {shape} of skeleton {self.skeleton} with {self.split} splits{self._margin()} "
            f"(price per node {self.node_price:.4g}){self._exception()}{self._condition()}"
        )
        value = f"objective {self.objective:.{DIGITS}g}"
        if not self.is_feasible:
            return f"Not feasible: {value}; a constraint is violated by {self.violation:.3g}. Among {family}."
        if self.is_optimal:
            return f"Optimal among {family}: {value}, and no other has less{self._restriction('; it') or '.'}"
        return (
            f"Not proved optimal: {value}. Among {family}, none has an objective below "
            f"{_at_least(self.lower_bound)}; the best possible objective could be up to "
            f"{_at_most(100 * self.gap)} % lower.{self._restriction(' This diagram')}"
        )

    def _margin(self) -> str:
        if self.split == "univariate":
            return ""
        return f" that keep a margin of {self.margin:g} in the unit box"

    def _restriction(self, subject: str) -> str:
        """Return the end of the claim on classes never predicted: "optimal" alone would hide them."""
        return f"{subject} never predicts {self.unpredicted_text}." if self.unpredicted_classes else ""

    @property
    def unpredicted_text(self) -> str:
        """The classes that the diagram never predicts, such as "class fraud"; empty if it predicts all."""
        names = list(self.unpredicted_classes)
        noun = "class" if len(names) == 1 else "classes"
        return f"{noun} {list_names(names, MAX_UNPREDICTED_NAMES)}" if names else ""

    def _condition(self) -> str:
        is_hard = any(not status.is_soft for status in self.constraints)
        return " and satisfy the constraints below" if is_hard else ""

    def _exception(self) -> str:
        if not self.ignored_features:
            return ""
        names = list_names([str(feature) for feature in self.ignored_features], MAX_IGNORED_NAMES)
        return f" and use only other features than {names}, which vary but were ignored"

    def to_dict(self) -> dict[str, object]:
        """Return JSON-able content with a checksum; ``certificate_from_dict`` reads it back."""
        content = {
            "digest": self.digest,
            "objective": self.objective,
            "lower_bound": self.lower_bound,
            "violation": self.violation,
            "margin": self.margin,
            "split": self.split,
            "skeleton": self.skeleton.to_dict(),
            "node_price": self.node_price,
            "evidence": [vars(entry) for entry in self.evidence],
            "events": [{"kind": type(event).__name__, **vars(event)} for event in self.events],
            "ignored_features": list(self.ignored_features),
            "constraints": [_status_to_dict(status) for status in self.constraints],
            "unpredicted_classes": list(self.unpredicted_classes),
        }
        return {**content, "checksum": checksum(content)}


def relative_gap(objective: float, lower_bound: float) -> float:
    """Return (objective - lower_bound) / objective, 0 when both are equal up to the tolerance."""
    distance = objective - lower_bound
    return 0.0 if distance <= OPTIMALITY_TOLERANCE else distance / objective


def _constraint_sentence(status: ConstraintStatus) -> str:
    """Return the sentence on one constraint: the limit, the value reached and the slack."""
    kind = "Priced" if status.is_soft else "Required"
    if not math.isfinite(status.slack):
        left = "nothing that could violate it"
    elif status.slack < -VIOLATION_TOLERANCE:
        left = f"short by {-status.slack:.4g}"
    else:
        left = f"slack {max(0.0, status.slack):.4g}"
    return f"- {kind}: {status.required}. Reached: {status.reached}; {left}."


def _status_to_dict(status: ConstraintStatus) -> dict[str, object]:
    # JSON has no infinity: None is the slack of a constraint without rows
    slack = status.slack if math.isfinite(status.slack) else None
    return {**vars(status), "slack": slack}


def _evidence_sentence(evidence: Evidence) -> str:
    """Return the line on one solver: its bound, the reason, and how it ended."""
    if evidence.status == SKIPPED:
        return f"- {evidence.solver}: skipped, {evidence.text}"
    name = f"{evidence.solver} ({evidence.version})" if evidence.version else evidence.solver
    details = [
        evidence.text,
        f"status: {evidence.status}" if evidence.status else "",
        f"{evidence.nodes:,} nodes searched" if evidence.nodes else "",
        evidence.size,
        evidence.options,
        f"{evidence.seconds:.2f} s",
    ]
    return f"- {name}: at least {_at_least(evidence.bound)} ({'; '.join(part for part in details if part)})"


def _timing_sentence(events: tuple[Event, ...]) -> list[str]:
    """Return the sentence on the times of the diagram and of the bound."""
    improved = [event.seconds for event in events if isinstance(event, Improved)]
    bounded = [event.seconds for event in events if isinstance(event, Bounded)]
    if not improved or not bounded:
        return []
    return [f"The objective was reached after {improved[-1]:.2f} s, the bound after {bounded[-1]:.2f} s."]


def _at_least(bound: float) -> str:
    """Return a bound for people, never rounded up."""
    return _rounded(bound, DIGITS, ROUND_FLOOR)


def _at_most(percent: float) -> str:
    return _rounded(percent, 3, ROUND_CEILING)


def _rounded(value: float, digits: int, rounding: str) -> str:
    if not math.isfinite(value):
        return str(value)
    return f"{float(Context(prec=digits, rounding=rounding).create_decimal(Decimal(repr(value)))):.{digits}g}"
