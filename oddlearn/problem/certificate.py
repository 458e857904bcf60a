"""Two numbers we stand behind: the objective of a diagram and a proved lower bound."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal

from oddlearn.diagram.json_checks import checksum
from oddlearn.diagram.skeleton import Skeleton
from oddlearn.problem.constraint_block import Requirement
from oddlearn.problem.events import Bounded, Event, Improved
from oddlearn.problem.tolerances import OPTIMALITY_TOLERANCE, VIOLATION_TOLERANCE

# significant digits of objectives and bounds in the text
DIGITS = 10

# the ending of a prover that was not worth a try
NOT_TRIED = "not tried"

# ignored features named in the text, the others are counted
MOST_NAMED = 10


@dataclass(frozen=True)
class Evidence:
    """One engine's proof.

    Attributes
    ----------
    engine : str
    bound : float
        No diagram of the problem has a lower objective, as far as was known when the engine had ended.
    text : str
        What the bound rests on, or why there is no better one.
    seconds : float
        It took.
    version, options : str
        Of the solver behind it, if there is one, and what it was told.
    nodes : int
        Of its search tree.
    size : str
        Of the largest model it solved.
    ending : str
        How it ended, such as "optimal" or "time"; NOT_TRIED if it never began.
    """

    engine: str
    bound: float
    text: str
    seconds: float
    version: str = ""
    options: str = ""
    nodes: int = 0
    size: str = ""
    ending: str = ""


@dataclass(frozen=True)
class Certificate:
    """What is known about a trained diagram.

    Attributes
    ----------
    digest : str
        Of the training problem.
    objective, lower_bound, violation : float
        Recomputed value of the diagram, largest proved bound, distance to the constraints.
    margin, split, skeleton, alpha
        The problem's, for the text.
    evidence : tuple of Evidence
    events : tuple of Event
    ignored_features : tuple of int
        Features that vary and that no split was allowed to use; nothing is claimed about diagrams with them.
    requirements : tuple of Requirement
        What was demanded of the diagram, and what it has.
    """

    digest: str
    objective: float
    lower_bound: float
    violation: float
    margin: float
    split: str
    skeleton: Skeleton
    alpha: float
    evidence: tuple[Evidence, ...] = ()
    events: tuple[Event, ...] = ()
    ignored_features: tuple[int, ...] = ()
    requirements: tuple[Requirement, ...] = ()

    @property
    def gap(self) -> float:
        """Largest share of the objective that could still be saved: (U - L) / U, 0 when U equals L."""
        return relative_gap(self.objective, self.lower_bound)

    @property
    def is_feasible(self) -> bool:
        """True when the diagram keeps all constraints."""
        return self.violation <= VIOLATION_TOLERANCE

    @property
    def is_optimal(self) -> bool:
        """True when the diagram is feasible and no better one exists among those that ``explain`` names."""
        return self.is_feasible and self.objective - self.lower_bound <= OPTIMALITY_TOLERANCE

    def explain(self) -> str:
        """Return the exact claim, in plain English."""
        kept = [_demanded(requirement) for requirement in self.requirements]
        told = [self._claim(), *kept, *(_sentence(proof) for proof in self.evidence)]
        return "\n".join(told + _when(self.events))

    def _claim(self) -> str:
        shape = "trees" if self.skeleton.tree_only else "diagrams"
        family = (
            f"all {shape} of skeleton {self.skeleton} with {self.split} splits{self._margin()} "
            f"(alpha = {self.alpha:g}){self._exception()}{self._condition()}"
        )
        value = f"objective {self.objective:.{DIGITS}g}"
        if not self.is_feasible:
            return f"Not feasible: {value}; a constraint is violated by {self.violation:.3g}. Among {family}."
        if self.is_optimal:
            return f"Optimal among {family}: {value}, and no other has less."
        return (
            f"Not proved optimal: {value}. Among {family}, none has an objective below "
            f"{_at_least(self.lower_bound)}; at most {_at_most(100 * self.gap)} % could be saved."
        )

    def _margin(self) -> str:
        if self.split == "univariate":
            return ""
        return f" that keep a margin of {self.margin:g} in the unit box"

    def _condition(self) -> str:
        is_hard = any(not requirement.is_soft for requirement in self.requirements)
        return " and keep the requirements below" if is_hard else ""

    def _exception(self) -> str:
        if not self.ignored_features:
            return ""
        named = ", ".join(str(feature) for feature in self.ignored_features[:MOST_NAMED])
        others = len(self.ignored_features) - MOST_NAMED
        more = f" and {others} more" if others > 0 else ""
        return f" and use only other features than {named}{more}, which vary but were ignored"

    def to_dict(self) -> dict[str, object]:
        """Return JSON-able content with a checksum; ``certificate_from_dict`` reads it back."""
        content = {
            "digest": self.digest,
            "objective": self.objective,
            "lower_bound": self.lower_bound,
            "violation": self.violation,
            "margin": self.margin,
            "split": self.split,
            "skeleton": {"widths": list(self.skeleton.widths), "tree_only": self.skeleton.tree_only},
            "alpha": self.alpha,
            "evidence": [vars(proof) for proof in self.evidence],
            "events": [{"kind": type(event).__name__, **vars(event)} for event in self.events],
            "ignored_features": list(self.ignored_features),
            "requirements": [_stored(requirement) for requirement in self.requirements],
        }
        return {**content, "checksum": checksum(content)}


def relative_gap(objective: float, lower_bound: float) -> float:
    """Return (objective - lower_bound) / objective, 0 when both are equal up to the tolerance."""
    distance = objective - lower_bound
    return 0.0 if distance <= OPTIMALITY_TOLERANCE else distance / objective


def _demanded(requirement: Requirement) -> str:
    """Return what was demanded, what is reached and how much is left."""
    kind = "Priced" if requirement.is_soft else "Required"
    if not math.isfinite(requirement.slack):
        left = "nothing that could break it"
    elif requirement.slack < -VIOLATION_TOLERANCE:
        left = f"short by {-requirement.slack:.4g}"
    else:
        left = f"slack {max(0.0, requirement.slack):.4g}"
    return f"- {kind}: {requirement.required}. Reached: {requirement.reached}; {left}."


def _stored(requirement: Requirement) -> dict[str, object]:
    # JSON has no infinity: None is the slack of a constraint without rows
    slack = requirement.slack if math.isfinite(requirement.slack) else None
    return {**vars(requirement), "slack": slack}


def _sentence(proof: Evidence) -> str:
    if proof.ending == NOT_TRIED:
        return f"- {proof.engine}: not tried, {proof.text}"
    name = f"{proof.engine} ({proof.version})" if proof.version else proof.engine
    details = [
        proof.text,
        f"ended: {proof.ending}" if proof.ending else "",
        f"{proof.nodes:,} nodes searched" if proof.nodes else "",
        proof.size,
        proof.options,
        f"{proof.seconds:.2f} s",
    ]
    return f"- {name}: at least {_at_least(proof.bound)} ({'; '.join(part for part in details if part)})"


def _when(events: tuple[Event, ...]) -> list[str]:
    """Say after which time the diagram and the bound were known."""
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
