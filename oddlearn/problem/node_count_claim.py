"""The claim of a certificate by number of nodes, in sentences."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby

from oddlearn.diagram.skeleton import Skeleton
from oddlearn.problem.evidence import floor_decimals, round_down
from oddlearn.problem.tolerances import GRID_TOLERANCE, OPTIMALITY_TOLERANCE

# what the mean cost of the training rows is called
MEASURES = {
    "error": "training error",
    "weighted_error": "weighted training error",
    "cost": "mean training cost",
}

MIN_INFORMATIVE_SHARE = 0.5  # a bound below this share of the cost says little

# decimals of a percentage: more are written until two different ones look different
MIN_DECIMALS, MAX_DECIMALS = 1, 6
COST_DIGITS = 4


@dataclass(frozen=True)
class NodeCountClaim:
    """A diagram and the bounds on all others, by number of nodes."""

    objective: float
    n_nodes: int  # of the diagram
    node_price: float
    # ``objective_bounds[k - 1]``: no diagram that needs all of its k nodes has a lower objective
    objective_bounds: tuple[float, ...]
    measure: str = "error"  # a key of MEASURES
    has_penalties: bool = False  # True when penalties of priced constraints count as cost
    shape: str = "diagram"  # or "tree": what the bounds are about

    @property
    def mean_cost(self) -> float:
        """The objective without the price of nodes."""
        return self.objective - self.node_price * (max(1, self.n_nodes) - 1)

    @cached_property
    def cost_bounds(self) -> tuple[float, ...]:
        """The bounds without the price of nodes."""
        bounds = enumerate(self.objective_bounds)
        return tuple(max(0.0, bound - self.node_price * place) for place, bound in bounds)

    @cached_property
    def unresolved(self) -> tuple[int, ...]:
        """The numbers of nodes, ascending, with which a better diagram may exist."""
        limit = self.objective - OPTIMALITY_TOLERANCE
        return tuple(place + 1 for place, bound in enumerate(self.objective_bounds) if bound < limit)

    def least_cost(self, n_nodes: int) -> float:
        """Return the least mean cost that a better diagram with up to ``n_nodes`` nodes may have.

        One that does not need all its nodes is covered by the bound of those that it needs.
        """
        return min(self.cost_bounds[count - 1] for count in self.unresolved if count <= n_nodes)

    @property
    def cost_name(self) -> str:
        """The name of the mean cost, such as "training error"."""
        return MEASURES[self.measure] + (" plus penalties" if self.has_penalties else "")

    def cost_text(self, value: float, decimals: int = MIN_DECIMALS) -> str:
        """Return a mean cost for readers: a percentage of the rows, or a number."""
        return f"{value:.{COST_DIGITS}g}" if self.measure == "cost" else f"{100 * value:.{decimals}f} %"

    def price_text(self, price: float) -> str:
        """Return the price of a node in the unit of ``cost_text``."""
        return f"{price:.3g}" if self.measure == "cost" else f"{100 * price:.3g} %"

    def bound_text(self, value: float, decimals: int = MIN_DECIMALS) -> str:
        """Return a lower bound on a mean cost for readers, never rounded up."""
        if self.measure == "cost":
            return round_down(value, COST_DIGITS)
        return f"{floor_decimals(100 * value, decimals)} %"

    def resolved_clause(self, subject: str) -> str:
        """Return for which numbers of nodes the subject, such as "none", is better; "" for no number."""
        first, last = self.unresolved[0], self.unresolved[-1]
        few = f"{subject} with up to {_nodes(first - 1)} is better" if first > 1 else ""
        if last == len(self.objective_bounds):
            return few
        many = f"that needs more than {_nodes(last)}"
        return f"{few}, nor one {many}" if few else f"{subject} {many} is better"

    def unresolved_sentence(self) -> str:
        """Return what a diagram with more nodes could still save, at most."""
        first, last = self.unresolved[0], self.unresolved[-1]
        near, far = self.least_cost(first), self.least_cost(last)
        if first == 1 and last == len(self.objective_bounds) and near <= GRID_TOLERANCE:
            return "Nothing is proved about how much better."
        if last == first or math.isclose(near, far, rel_tol=0, abs_tol=GRID_TOLERANCE):
            return f"{self._limit_sentence(self._count_text(first, last), far)}."
        if self._is_smaller(near):
            beyond = f". {self._beyond_sentence(first + 1, last, far)}"
        else:
            beyond = f"; {self._beyond_clause(self._count_text(first + 1, last), far)}"
        return f"{self._limit_sentence(_nodes(first), near)}{beyond}."

    def _is_smaller(self, bound: float) -> bool:
        """Return True if only the price of nodes can make diagrams with this bound better."""
        return bound >= self.mean_cost - GRID_TOLERANCE

    def _count_text(self, first: int, last: int) -> str:
        if first == last:
            return _nodes(first)
        return f"{first} or more nodes" if last == len(self.objective_bounds) else f"{first} to {last} nodes"

    def _limit_sentence(self, nodes: str, bound: float) -> str:
        """Return what is proved about one number of nodes that is not resolved."""
        name = self.cost_name
        if bound <= GRID_TOLERANCE:
            return f"Nothing is proved about {self.shape}s with {nodes}"
        now, least = self._different_texts(bound)
        if self._is_smaller(bound):
            return (
                f"A {self.shape} with {nodes} could be better because it is smaller than this one of "
                f"{_nodes(self.n_nodes)}; its {name} would be at least {least}, here it is {now}"
            )
        if bound < MIN_INFORMATIVE_SHARE * self.mean_cost:
            shapes = f"{self.shape}s with {nodes}"
            return f"About {shapes} it is only proved that their {name} is at least {least} (here {now})"
        return f"With {nodes} the {name} could fall from {now} to {least} at most"

    def _beyond_sentence(self, first: int, last: int, bound: float) -> str:
        """Return what is proved about more nodes, after a sentence on a smaller diagram."""
        if bound <= GRID_TOLERANCE or not self._is_smaller(bound):
            return self._limit_sentence(self._count_text(first, last), bound)
        return f"With more nodes it would be at least {self._different_texts(bound)[1]}"

    def _beyond_clause(self, nodes: str, bound: float) -> str:
        if bound <= GRID_TOLERANCE:
            return f"about {self.shape}s with {nodes} nothing is proved"
        least = self._different_texts(bound)[1]
        if bound < MIN_INFORMATIVE_SHARE * self.mean_cost:
            return f"with {nodes}, {least} is not ruled out"
        return f"with {nodes}, to {least} at most"

    def _different_texts(self, bound: float) -> tuple[str, str]:
        """Return the diagram's own cost and a bound, with as many decimals as it takes to tell them apart."""
        for decimals in range(MIN_DECIMALS, MAX_DECIMALS + 1):
            texts = self.cost_text(self.mean_cost, decimals), self.bound_text(bound, decimals)
            if texts[0] != texts[1]:
                break
        return texts

    def table_sentence(self) -> str:
        """Return one line on all numbers of nodes, equal ones together."""
        words = [self._row_text(count) for count in range(1, len(self.objective_bounds) + 1)]
        runs = [
            (text, [count for count, _ in run])
            for text, run in groupby(enumerate(words, start=1), key=lambda pair: pair[1])
        ]
        parts = [f"{_range_text(counts)}: {text}" for text, counts in runs]
        return f"By number of nodes: {'; '.join(parts)}."

    def _row_text(self, count: int) -> str:
        if count not in self.unresolved:
            return "none is better"
        least = self.least_cost(count)
        if least <= GRID_TOLERANCE:
            return "nothing is proved"
        return f"a better one has a {self.cost_name} of at least {self.bound_text(least, MIN_DECIMALS + 1)}"


def describe_skeleton(skeleton: Skeleton) -> str:
    """Return what a skeleton allows, up to the word before its kind of splits."""
    most = skeleton.depth
    if most > 1 and skeleton == Skeleton.tree_of_nodes(most):
        return f"trees of any depth with up to {most} nodes and"
    return f"{'trees' if skeleton.tree_only else 'diagrams'} of skeleton {skeleton} with"


def _nodes(count: int) -> str:
    return f"{count} node{'s' * (count != 1)}"


def _range_text(counts: Sequence[int]) -> str:
    return str(counts[0]) if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
