"""The rows of a large table as training data: seen in passes, wherever they are."""

from __future__ import annotations

from functools import cached_property
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from oddlearn.diagram.arrays import FloatArray, IntArray
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.errors import UnsupportedError
from oddlearn.problem.amount_scale import choose_scale
from oddlearn.problem.row_passes import Gap, HashRows, Passage, PassRows, used_features
from oddlearn.problem.training_data import TrainingData
from oddlearn.streaming.memory_rows import MemoryRows
from oddlearn.streaming.row_source import RowBlock, RowSource
from oddlearn.table.groups import SampleGroups


class LargeData(TrainingData):
    """Rows of a large table as they are, in raw units and their own order, equal ones not put together."""

    source: RowSource
    cost_matrix: FloatArray  # (n_classes, n_classes): [true, given], for a row of weight 1
    _passed: tuple[DecisionDiagram, Passage] | None

    def __init__(
        self, source: RowSource, cost_matrix: FloatArray, sample_groups: SampleGroups | None = None
    ) -> None:
        for name, value in (
            ("source", source),
            ("cost_matrix", np.asarray(cost_matrix, dtype=np.float64)),
            ("sample_groups", sample_groups),
            ("is_merged", False),
            ("_passed", None),
        ):
            object.__setattr__(self, name, value)

    def __getstate__(self) -> dict[str, Any]:
        names = ("source", "cost_matrix", "sample_groups", "is_merged")
        return {**{name: vars(self)[name] for name in names}, "_passed": None}

    def with_costs(self, cost_matrix: FloatArray) -> LargeData:
        """Return the same rows with another cost matrix."""
        return LargeData(self.source, cost_matrix, self.sample_groups)

    @property
    def X(self) -> FloatArray:  # noqa: N802
        """The rows, if they are in memory."""
        return self._memory.X  # type: ignore[return-value]

    @cached_property
    def class_weight(self) -> FloatArray:
        """Weight of each row in each class, if the rows are in memory; shape (n, n_classes)."""
        rows = self._memory
        return RowBlock(rows.X, rows.codes, rows.weight).class_weight(self.n_classes)

    @cached_property
    def distinct_row_of(self) -> IntArray:
        """The number of each row."""
        return np.arange(self._memory.n_rows)

    @property
    def _memory(self) -> MemoryRows:
        if not isinstance(self.source, MemoryRows):
            raise UnsupportedError(
                "This step needs all rows in memory: give fewer rows, as a frame or arrays."
            )
        return self.source

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.source.n_rows

    @property
    def n_features(self) -> int:
        """Number of features."""
        return self.source.n_features

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return int(self.cost_matrix.shape[0])

    @cached_property
    def class_totals(self) -> FloatArray:
        """Weight of each class, shape (n_classes,)."""
        constant = DecisionDiagram.constant(0, self.n_classes, self.n_features)
        return np.asarray(self.arc_weights(constant)[0])

    @cached_property
    def total_weight(self) -> float:
        """Sum of all weights."""
        return float(self.class_totals.sum())

    @cached_property
    def factor(self) -> float:
        """The factor by which weights become integers."""
        return choose_scale(self.source, np.ones((1, 1))).factor

    def arc_weights(self, diagram: DecisionDiagram) -> FloatArray:
        """Return the weight of each class that takes each arc, shape (n_arcs, n_classes)."""
        return np.asarray(self.pass_rows(diagram).counts / self.factor)

    def pass_rows(self, diagram: DecisionDiagram) -> Passage:
        """Return the passage of all rows through a diagram: one pass, kept for the same diagram.

        All rows take the one arc of every constant.
        """
        if diagram.n_nodes == 0:
            return self._constant_passage
        if self._passed is None or self._passed[0] != diagram:
            object.__setattr__(self, "_passed", (diagram, self._read_passage(diagram)))
        return cast("tuple[DecisionDiagram, Passage]", self._passed)[1]

    @cached_property
    def _constant_passage(self) -> Passage:
        return self._read_passage(DecisionDiagram.constant(0, self.n_classes, self.n_features))

    def _read_passage(self, diagram: DecisionDiagram) -> Passage:
        work = PassRows(diagram, self.n_classes, self.factor)
        found = self.source.reduce(work, used_features(diagram))
        n_arcs = max(1, diagram.n_arcs)
        none = Passage(np.zeros((n_arcs, self.n_classes), np.int64), (Gap(),) * diagram.n_nodes)
        return none if found is None else found

    def hash_rows(self) -> tuple[int, int]:
        """Return two sums of hashes of all rows, which do not depend on their order."""
        return self.source.reduce(HashRows(self.cost_matrix)) or (0, 0)

    def raw_representatives(self, X: NDArray[np.floating]) -> FloatArray:
        """Return the rows in raw units where they are in memory, else X as it is given."""
        return self.X if isinstance(self.source, MemoryRows) else X  # type: ignore[return-value]
