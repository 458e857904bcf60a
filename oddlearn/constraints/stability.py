"""Stable diagrams: enough samples at every node, or on every arc."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.sparse import coo_array

from oddlearn.diagram.arrays import FloatArray, IntArray
from oddlearn.errors import InvalidInputError
from oddlearn.problem.linear_rows import LinearRows
from oddlearn.problem.observables import ObservableLayout
from oddlearn.problem.training_data import TrainingData
from oddlearn.table.checks import check_int, check_share

# a share of the samples is rounded up to a whole number unless it is this little above one
NOISE = 1e-9


@dataclass(frozen=True)
class _FlowConstraint:
    """A minimum number of training samples; ``WHERE`` says of what."""

    WHERE: ClassVar[str]

    samples: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "samples", _check_samples(type(self).__name__, self.samples))

    def describe(self) -> str:
        """Return the constraint in words."""
        return f"at least {_samples_text(self.samples)} {self.WHERE}"

    def slack(self, data: TrainingData, layout: ObservableLayout, observables: FloatArray) -> float:
        """Return by how many samples the minimum is exceeded, where there are fewest."""
        minimum = _min_samples(type(self).__name__, self.samples, _counts(data))
        return self._fewest(data, layout, observables) - minimum

    @abstractmethod
    def _fewest(self, data: TrainingData, layout: ObservableLayout, observables: FloatArray) -> float:
        """Return the smallest number of samples that the constraint looks at."""


@dataclass(frozen=True)
class MinFlow(_FlowConstraint):
    """At least so many training samples pass every internal node in use: the paper's S.

    Parameters
    ----------
    samples : int or float
        A whole number is a count of samples, a float a share of them, above 0 and at most 1. Samples count
        with their ``sample_weight``; class weights do not count.
    """

    WHERE = "through every node"

    def rows(self, data: TrainingData, layout: ObservableLayout) -> LinearRows:
        """Return ``sum_i weight[i] reached[i, v] >= S used[v]`` for each node slot v but the root's."""
        count = _counts(data)
        minimum = _min_samples("MinFlow", self.samples, count)
        parts = [_FlowRow(((layout.reached[:, v], count),), v, minimum) for v in range(1, layout.n_slots)]
        return _build_rows(layout, parts, f"at least {minimum:g} samples through node slot")

    def reached(self, data: TrainingData, layout: ObservableLayout, observables: FloatArray) -> str:
        """Return the value of a diagram in words."""
        return f"{self._fewest(data, layout, observables):g} samples through the node with the fewest"

    def _fewest(self, data: TrainingData, layout: ObservableLayout, observables: FloatArray) -> float:
        flow = _counts(data) @ observables[layout.reached]
        return float(flow[observables[layout.used] > 0].min())


@dataclass(frozen=True)
class MinFlowPerArc(_FlowConstraint):
    """At least so many training samples take every arc: no leaf is tiny, no split cuts off a few samples.

    The constant diagram, which has no split and no arcs, satisfies it.

    Parameters
    ----------
    samples : int or float
        A whole number is a count of samples, a float a share of them, above 0 and at most 1. Samples count
        with their ``sample_weight``; class weights do not count.
    """

    WHERE = "on every arc"

    def rows(self, data: TrainingData, layout: ObservableLayout) -> LinearRows:
        """Return ``sum_i weight[i] side[i, v] >= S used[v]`` for both sides of each node slot v.

        The root is in use in the constant diagram too, where everything leaves it on one side. Its two sides
        need S samples if it splits the rows, or if a node below is in use.
        """
        count = _counts(data)
        minimum = _min_samples("MinFlowPerArc", self.samples, count)
        positive = [((layout.positive[:, v], count),) for v in range(layout.n_slots)]
        negative = [
            ((layout.reached[:, v], count), (layout.positive[:, v], -count)) for v in range(layout.n_slots)
        ]
        parts = []
        for side in (negative, positive):
            parts += [_FlowRow(side[0], 0, minimum, int(layout.root_splits))]
            parts += [_FlowRow(side[0], 0, minimum, int(layout.used[v])) for v in _below_root(layout)]
            parts += [_FlowRow(side[v], v, minimum) for v in range(1, layout.n_slots)]
        return _build_rows(layout, parts, f"at least {minimum:g} samples on both arcs of node slot")

    def reached(self, data: TrainingData, layout: ObservableLayout, observables: FloatArray) -> str:
        """Return the value of a diagram in words."""
        fewest = self._fewest(data, layout, observables)
        if math.isinf(fewest):
            return "no arc, as everything is given one class"
        return f"{fewest:g} samples on the arc with the fewest"

    def _fewest(self, data: TrainingData, layout: ObservableLayout, observables: FloatArray) -> float:
        used = observables[layout.used] > 0
        if not used[1:].any() and not observables[layout.root_splits]:
            return math.inf
        count = _counts(data)
        positive = (count @ observables[layout.positive])[used]
        passing = (count @ observables[layout.reached])[used]
        return float(np.minimum(positive, passing - positive).min())


@dataclass(frozen=True)
class _FlowRow:
    """A row: terms of places and weights, and what must be reached when an observable is 1."""

    terms: tuple[tuple[IntArray, FloatArray], ...]
    slot: int
    minimum: float
    switch: int | None = None


def _build_rows(layout: ObservableLayout, parts: list[_FlowRow], text: str) -> LinearRows:
    """Return the rows ``sum of terms - minimum * switch >= 0``; the switch is used[slot] unless given."""
    if not parts:
        return LinearRows.none(layout.size)
    rows, places, values = [], [], []
    for row, part in enumerate(parts):
        switch = int(layout.used[part.slot]) if part.switch is None else part.switch
        terms = [*part.terms, (np.array([switch]), np.array([-part.minimum]))]
        for place, value in terms:
            rows.append(np.full(place.size, row))
            places.append(place)
            values.append(value)
    entries = (np.concatenate(values), (np.concatenate(rows), np.concatenate(places)))
    matrix = coo_array(entries, shape=(len(parts), layout.size)).tocsr()
    labels = tuple(f"{text} {part.slot}" for part in parts)
    return LinearRows(matrix, np.zeros(len(parts)), np.full(len(parts), np.inf), labels)


def _check_samples(name: str, samples: object) -> float:
    if isinstance(samples, (float, np.floating)):
        share = check_share(f"{name}, as a share of the samples,", samples)
        if share == 0:
            raise InvalidInputError(f"{name} is {samples!r}: give a share above 0, or a count of at least 1.")
        return share
    return check_int(name, samples)


def _counts(data: TrainingData) -> FloatArray:
    """Return the weight of the samples at each distinct row, shape (m,)."""
    return np.asarray(data.weight_by_class_and_group().sum(axis=(1, 2)))


def _min_samples(name: str, samples: float, count: FloatArray) -> float:
    """Return the minimum number of samples."""
    total = float(count.sum())
    if isinstance(samples, int) and samples > total:
        raise InvalidInputError(
            f"{name} asks for {samples} samples, the training data have {total:g}: give fewer, or a share of "
            "the samples such as 0.05."
        )
    minimum = samples if isinstance(samples, int) else samples * total
    is_whole = bool((count == np.floor(count)).all())
    # sums of whole numbers reach the next whole number: the same diagrams, and stronger relaxations
    return float(math.ceil(minimum - NOISE * total)) if is_whole else float(minimum)


def _below_root(layout: ObservableLayout) -> range:
    first = layout.skeleton.first
    return range(int(first[1]), int(first[2])) if layout.skeleton.depth > 1 else range(0)


def _samples_text(samples: float) -> str:
    if isinstance(samples, int):
        return "1 sample" if samples == 1 else f"{samples} samples"
    return f"{100 * samples:g} % of the samples"
