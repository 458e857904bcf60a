"""Rows of Dask collections: parts are built by tasks and stay on the workers; only small results travel."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Generic, cast

import numpy as np

from oddlearn.diagram.arrays import IntArray
from oddlearn.streaming.batch_profile import ProfileBatches, TableProfile
from oddlearn.streaming.batch_rows import BatchEncoder, join_blocks, slice_block
from oddlearn.streaming.dask_batches import DaskBatches, import_dask
from oddlearn.streaming.dask_tasks import TaskRunner, merge_tree
from oddlearn.streaming.row_source import (
    Extra,
    Parts,
    PartWork,
    Piece,
    Result,
    RowBlock,
    Stop,
    WeightSummary,
    never,
)
from oddlearn.streaming.streamed_rows import SampleCache
from oddlearn.table.samples import LabelledSamples


@dataclass(eq=False)
class DaskParts(Generic[Piece]):
    """Parts on the workers: groups of partitions, about one for each thread of the cluster."""

    runner: TaskRunner
    groups: list[Any]  # delayed lists of parts, persisted
    bounds: list[tuple[int, int]]  # first and last partition of each group
    is_shared: bool = True

    def reduce(self, work: PartWork[Piece, Result], stop: Stop = never, n_jobs: int = 1) -> Result | None:
        """Return the result of some work on all parts: one task for each group, then a tree of merges."""
        run = import_dask().delayed(_reduce_parts)
        found = self.runner.compute(merge_tree(work, [run(group, work) for group in self.groups]), stop)
        return cast("Result | None", found)

    def update(self, change: Callable[[Piece], Piece]) -> None:
        """Replace each part."""
        run = import_dask().delayed(_change_parts)
        changed = self.runner.persist([run(group, change) for group in self.groups])
        self.groups = cast("list[Any]", changed)


def _reduce_parts(parts: list[Piece], work: PartWork[Piece, Result]) -> Result | None:
    total: Result | None = None
    for part in parts:
        total = work.add(part, total)
    return total


def _change_parts(parts: list[Piece], change: Callable[[Piece], Piece]) -> list[Piece]:
    return [change(part) for part in parts]


def _join_parts(
    parts: list[Piece], found: list[Extra | None], join: Callable[[Piece, Extra], Piece]
) -> list[Piece]:
    pairs = zip(parts, (own for own in found if own is not None), strict=True)
    return [join(part, own) for part, own in pairs]


def _drop_empty(parts: list[Piece | None]) -> list[Piece]:
    return [part for part in parts if part is not None]


@dataclass(eq=False)
class DaskRows:
    """The rows of Dask collections, numbered by partition."""

    runner: TaskRunner
    given: DaskBatches
    encoder: BatchEncoder
    sizes: list[int]  # rows of positive weight of each partition
    weights: WeightSummary
    pass_seconds: float = 0.0  # of the last pass
    _cache: SampleCache = field(default_factory=SampleCache)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return sum(self.sizes)

    @property
    def n_features(self) -> int:
        """Number of features."""
        return self.encoder.n_features

    def prepare_samples(self, samples: Sequence[IntArray]) -> None:
        """Read the rows of all samples in one pass."""
        self._cache.fill(samples, self._read_rows)

    def take(self, rows: IntArray) -> RowBlock:
        """Return the rows of these numbers, ascending."""
        return self._cache.take(rows, self._read_rows)

    def _read_rows(self, rows: IntArray) -> RowBlock:
        run, tasks, first = import_dask().delayed(_take_rows), [], 0
        for batch, size in zip(self.given.batches(), self.sizes, strict=True):
            own = rows[np.searchsorted(rows, first) : np.searchsorted(rows, first + size)] - first
            first += size
            if own.size:
                tasks.append(run(batch, self.encoder, own))
        return join_blocks(self.runner.compute(import_dask().delayed(list)(tasks)))

    def reduce(
        self, work: PartWork[RowBlock, Result], features: IntArray | None = None, stop: Stop = never
    ) -> Result | None:
        """Return the result of some work on all rows: one task for each partition, then a tree of merges."""
        run = import_dask().delayed(_reduce_block)
        started = time.perf_counter()
        results = [run(batch, self.encoder, features, work) for batch in self._batches(features)]
        found = self.runner.compute(merge_tree(work, results), stop)
        self.pass_seconds = time.perf_counter() - started
        return cast("Result | None", found)

    def build(
        self, function: Callable[[RowBlock], Piece], features: IntArray | None = None, stop: Stop = never
    ) -> DaskParts[Piece] | None:
        """Return what a function makes of each partition, on the workers."""
        if stop():
            return None
        dask = import_dask()
        run, gather = dask.delayed(_apply), dask.delayed(_drop_empty)
        parts = [run(batch, self.encoder, features, function) for batch in self._batches(features)]
        bounds = self._group_bounds()
        groups = self.runner.persist([gather(parts[first:last]) for first, last in bounds], stop)
        return None if groups is None else DaskParts(self.runner, groups, bounds)

    def extend(
        self,
        parts: Parts[Piece],
        find: Callable[[RowBlock], Extra],
        join: Callable[[Piece, Extra], Piece],
        features: IntArray,
    ) -> None:
        """Join to each part what a function finds in its rows; raw values of few rows travel."""
        own = cast("DaskParts[Piece]", parts)
        dask = import_dask()
        run, put = dask.delayed(_apply), dask.delayed(_join_parts)
        found = [run(batch, self.encoder, features, find) for batch in self._batches(features)]
        pairs = zip(own.groups, own.bounds, strict=True)
        joined = [put(group, found[first:last], join) for group, (first, last) in pairs]
        own.groups = cast("list[Any]", self.runner.persist(joined))

    def _batches(self, features: IntArray | None) -> list[Any]:
        names = self.given.names
        if names is None or features is None:
            return self.given.batches()
        needed = self.encoder.columns_of(features) or [0]
        return self.given.batches([names[place] for place in needed])

    def _group_bounds(self) -> list[tuple[int, int]]:
        """Return consecutive partitions for each thread of the cluster, of about as many rows."""
        n_groups = self.runner.n_threads
        ends = np.cumsum(self.sizes)
        cuts = np.searchsorted(ends, np.linspace(0, ends[-1], n_groups + 1)[1:-1], side="left") + 1
        edges = np.unique([0, *cuts.clip(max=len(self.sizes)).tolist(), len(self.sizes)]).tolist()
        return list(pairwise(edges))


def profile_dask(runner: TaskRunner, given: DaskBatches) -> tuple[TableProfile, list[int]]:
    """Return what one pass over all partitions finds, and the rows of positive weight of each."""
    dask = import_dask()
    profile, count = dask.delayed(TableProfile.of), dask.delayed(_count_rows)
    profiles = [profile(batch) for batch in given.batches()]
    merged = merge_tree(ProfileBatches(), profiles)
    total, sizes = runner.compute(dask.delayed(_pair)(merged, [count(one) for one in profiles]))
    return total, sizes


def compute_batches(runner: TaskRunner, given: DaskBatches) -> list[LabelledSamples]:
    """Return all partitions that have rows, in this process."""
    batches = runner.compute(import_dask().delayed(list)(given.batches()))
    return [batch for batch in batches if batch.n_rows]


def _pair(one: Any, other: Any) -> tuple[Any, Any]:  # noqa: ANN401
    return one, other


def _count_rows(profile: TableProfile) -> int:
    return profile.n_rows


def _take_rows(batch: LabelledSamples, encoder: BatchEncoder, rows: IntArray) -> RowBlock:
    return slice_block(encoder(batch), rows)


def _reduce_block(
    batch: LabelledSamples, encoder: BatchEncoder, features: IntArray | None, work: PartWork[RowBlock, Result]
) -> Result | None:
    block = encoder(batch, features)
    return work.add(block, None) if block.n_rows else None


def _apply(
    batch: LabelledSamples,
    encoder: BatchEncoder,
    features: IntArray | None,
    function: Callable[[RowBlock], Piece],
) -> Piece | None:
    block = encoder(batch, features)
    return function(block) if block.n_rows else None
