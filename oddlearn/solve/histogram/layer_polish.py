"""Descent on histograms: the nodes of a layer get their best splits and targets together, layer by layer."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from oddlearn.diagram.arrays import FloatArray
from oddlearn.problem.row_structure import NodeLimits
from oddlearn.problem.training_problem import TrainingProblem
from oddlearn.solve.budget import Budget
from oddlearn.solve.histogram.binned_diagram import BinnedDiagram, reachable_slots
from oddlearn.solve.histogram.binned_rows import BinnedRows
from oddlearn.solve.histogram.binned_table import BinnedTable
from oddlearn.solve.histogram.layer_sums import BinSplit, LayerSums, sum_layer
from oddlearn.solve.local_search.constraint_arrays import MinFlowRows

# a change must save this share of all weight: less is rounding of sums
MIN_SAVING_SHARE = 1e-9


@dataclass(frozen=True, eq=False)
class StructureLimits:
    """Limits on numbers of nodes and minimum flows, which every change keeps."""

    node_limits: NodeLimits
    flows: MinFlowRows

    @classmethod
    def from_problem(cls, problem: TrainingProblem) -> StructureLimits:
        """Read the limits from the constraint rows of a problem."""
        return cls(NodeLimits.from_problem(problem), MinFlowRows.from_problem(problem))

    @property
    def row_flow(self) -> FloatArray:
        """Weight of each row in the minimum flows, empty if there are none."""
        return self.flows.weight if self.flows.numbers else np.empty(0)


@dataclass(frozen=True, eq=False)
class SumCosts:
    """The work of adding up what a diagram costs, in integers."""

    diagram: BinnedDiagram
    n_classes: int

    def add(self, part: BinnedRows, total: int | None) -> int:
        """Return the cost of a part, added to that of others."""
        classes = np.empty(part.n_rows, dtype=np.uint8)
        self.diagram.row_pass(part, self.n_classes).find_classes(0, part.n_rows, classes)
        return int(part.amounts(slice(None), classes).sum()) + (total or 0)

    def merge(self, one: int, other: int) -> int:
        """Return the cost of the rows of both."""
        return one + other


@dataclass(eq=False)
class LayerPolish:
    """A diagram on a binned table, improved layer by layer until no layer gains.

    Attributes
    ----------
    problem : TrainingProblem
        Skeleton, node price and constraints; the rows are those of the table.
    table : BinnedTable
    diagram : BinnedDiagram
        Changed in place.
    limits : StructureLimits
        Minimum flows scaled to the weight of the table's rows by ``flow_share``.
    n_passes : int
        Passes over the rows so far.
    """

    problem: TrainingProblem
    table: BinnedTable
    diagram: BinnedDiagram
    limits: StructureLimits
    flow_share: float = 1.0
    n_jobs: int = 1
    n_passes: int = field(default=0, init=False)

    @property
    def price(self) -> float:
        """Price of a node, in units of cost."""
        return self.problem.node_price * self.table.total_weight

    def run(self, budget: Budget) -> bool:
        """Improve layers from the last to the first until none gains; return False if the time was over."""
        depth = self.problem.skeleton.depth
        layer, n_unchanged = depth - 1, 0
        while n_unchanged < depth:
            changed = self.improve_layer(layer, budget)
            if changed is None:
                return False
            n_unchanged = 0 if changed else n_unchanged + 1
            layer = (layer - 1) % depth
        return True

    def objective(self) -> float:
        """Return the objective on the rows of the table."""
        work = SumCosts(self.diagram, self.problem.data.n_classes)
        cost = (self.table.parts.reduce(work, n_jobs=self.n_jobs) or 0) / self.table.scale.factor
        n_nodes = int(self.diagram.active.sum())
        return float(cost / self.table.total_weight + self.problem.node_price * (n_nodes - 1))

    def improve_layer(self, layer: int, budget: Budget) -> bool | None:
        """Give every node of a layer its best split, and put new ones on arcs; None if the time was over."""
        layer_sums = self._sum(layer, budget)
        if layer_sums is None:
            return None
        before = self.diagram.copy()
        slots = [(place, slot) for place, slot in enumerate(layer_sums.groups) if slot >= 0]
        changes = [self._improve_node(layer_sums, place, slot) for place, slot in slots]
        changes += [self._grow(layer_sums, layer)]
        if not any(changes):
            return False
        self.diagram.drop_unreachable()
        if self.table.has_flow:
            is_satisfied = self.satisfies_flows(budget)
            if not is_satisfied:
                self.diagram = before
                return None if is_satisfied is None else False
        return True

    def _sum(self, layer: int, budget: Budget) -> LayerSums | None:
        self.n_passes += 1
        return sum_layer(self.problem, self.table, self.diagram, layer, budget, self.n_jobs)

    def _improve_node(self, sums: LayerSums, place: int, slot: int) -> bool:
        """Give a node its best split and targets, the others fixed; return True if it changed."""
        diagram = self.diagram
        if not diagram.active[slot] or not diagram.reachable() >> slot & 1:
            return False
        price = self._pair_prices(sums.targets, slot)
        limit = self._node_value(sums, place, slot) - MIN_SAVING_SHARE * self.table.total_weight
        split = sums.best_split(place, price, self._least_flows(sums.targets, slot), limit)
        if not np.isfinite(split.value):
            return False
        self._set(slot, split)
        return True

    def _node_value(self, sums: LayerSums, place: int, slot: int) -> float:
        """Return the cost of a node's rows as it is, plus the price of all nodes."""
        diagram = self.diagram
        sides = sums.side_totals(place, *self._bins(slot))
        lanes = [sums.targets.index(int(target)) for target in diagram.child[slot]]
        n_nodes = diagram.reachable().bit_count()
        return float(sides[0][lanes[0]] + sides[1][lanes[1]]) + self.price * n_nodes

    def _pair_prices(self, targets: tuple[int, ...], slot: int) -> FloatArray:
        """Return the price of all nodes for each negative and positive target; inf where not allowed."""
        child, n_slots = self.diagram.child.tolist(), self.diagram.active.size
        base = reachable_slots(child, {0}, without=slot)
        below = [base | reachable_slots(child, {target}) for target in targets]
        counts = [[(one | other).bit_count() for other in below] for one in below]
        prices = self.price * np.array(counts, dtype=np.float64)
        np.fill_diagonal(prices, np.inf)
        if self.problem.skeleton.tree_only:
            own = self.diagram.child[slot]
            foreign = [target < n_slots and target not in own for target in targets]
            prices[foreign] = np.inf
            prices[:, foreign] = np.inf
        return prices

    def _least_flows(self, targets: tuple[int, ...], slot: int) -> FloatArray:
        """Return the flow that each target needs from one side of a node; empty without minimum flows."""
        if not self.table.has_flow:
            return np.empty(0)
        flows, layer = self.limits.flows, int(self.problem.skeleton.layer_of[slot])
        n_slots = self.diagram.active.size
        below = [flows.min_flow[layer + 1] if target < n_slots else 0.0 for target in targets]
        return np.asarray(self.flow_share * np.maximum(np.array(below), flows.min_side_flow[layer]))

    def _grow(self, sums: LayerSums, layer: int) -> bool:
        """Put nodes on arcs to classes, those that save most first; return True if there is a new one."""
        first, diagram = self.problem.skeleton.first, self.diagram
        free = [slot for slot in range(int(first[layer]), int(first[layer + 1])) if not diagram.active[slot]]
        if not free:
            return False
        found = [self._new_node(sums, place, free[0]) for place, group in enumerate(sums.groups) if group < 0]
        by_saving = sorted((item for item in found if item[0] > 0), key=lambda item: -item[0])
        n_grown = 0
        for (_, split, arc), slot in zip(by_saving, free, strict=False):
            if self._allows_another(layer):
                self._set(slot, split)
                diagram.active[slot] = 1
                diagram.child.ravel()[arc] = slot
                n_grown += 1
        return n_grown > 0

    def _new_node(self, sums: LayerSums, place: int, slot: int) -> tuple[float, BinSplit, int]:
        """Return the saving of the best node on an arc, its split, and the arc."""
        arc, n_slots = -1 - sums.groups[place], self.diagram.active.size
        present = sums.totals(place)[sums.targets.index(int(self.diagram.child.ravel()[arc]))]
        prices = np.full((len(sums.targets),) * 2, self.price)
        np.fill_diagonal(prices, np.inf)
        # a next node that this layer no longer leads to would have to be paid for again
        reached = self.diagram.reachable()
        closed = [
            target < n_slots and (self.problem.skeleton.tree_only or not reached >> target & 1)
            for target in sums.targets
        ]
        prices[closed] = np.inf
        prices[:, closed] = np.inf
        limit = present - MIN_SAVING_SHARE * self.table.total_weight
        least = self._least_flows(sums.targets, slot)
        if least.size:
            layer = int(self.problem.skeleton.layer_of[slot])
            if sums.totals(place)[len(sums.targets)] < self.flow_share * self.limits.flows.min_flow[layer]:
                return 0.0, BinSplit(np.inf), arc
        split = sums.best_split(place, prices, least, limit)
        return (present - split.value if np.isfinite(split.value) else 0.0), split, arc

    def _allows_another(self, layer: int) -> bool:
        skeleton = self.problem.skeleton
        counts = np.bincount(skeleton.layer_of[self.diagram.active == 1], minlength=skeleton.depth)
        counts[layer] += 1
        return self.limits.node_limits.allows(counts.tolist())

    def _bins(self, slot: int) -> tuple[int, int, int]:
        diagram = self.diagram
        return int(diagram.column[slot]), int(diagram.low[slot]), int(diagram.high[slot])

    def _set(self, slot: int, split: BinSplit) -> None:
        diagram = self.diagram
        diagram.column[slot], diagram.low[slot], diagram.high[slot] = split.column, split.low, split.high
        diagram.child[slot] = split.targets

    def satisfies_flows(self, budget: Budget) -> bool | None:
        """Return True if every node and side has its minimum flow; None if the time was over."""
        flows = self.limits.flows
        for layer in range(self.problem.skeleton.depth if self.table.has_flow else 0):
            sums = sum_layer(self.problem, self.table, self.diagram, layer, budget, self.n_jobs, grows=False)
            if sums is None:
                return None
            lane = len(sums.targets)
            for place, slot in enumerate(sums.groups):
                sides = [side[lane] for side in sums.side_totals(place, *self._bins(slot))]
                if min(sides) < self.flow_share * flows.min_side_flow[layer]:
                    return False
                if layer > 0 and sum(sides) < self.flow_share * flows.min_flow[layer]:
                    return False
        return True
