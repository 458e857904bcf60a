"""A model as a program: its states, its ends and their answers, for every target language."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from oddlearn.diagram.arrays import FloatArray
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.features import Feature, Label
from oddlearn.diagram.metadata import ModelMetadata
from oddlearn.diagram.splits import Split, UnivariateSplit
from oddlearn.errors import UnsupportedError
from oddlearn.view.inputs import ModelView, model_view


@dataclass(frozen=True, eq=False)
class StateProgram:
    """A diagram as states and transitions, from which every target language is written.

    A state is a node 0..n_nodes-1, or ``n_nodes + end``. The ends are the final arcs in order, one for each
    arc to a terminal; the constant diagram is one end without a node.
    """

    view: ModelView
    diagram: DecisionDiagram
    metadata: ModelMetadata

    @property
    def n_nodes(self) -> int:
        """Number of nodes, which is also the state of end 0."""
        return self.diagram.n_nodes

    @property
    def labels(self) -> tuple[Label, ...]:
        """Label of each class code."""
        return self.metadata.class_labels

    @cached_property
    def end_class(self) -> tuple[int, ...]:
        """Class code of each end."""
        return tuple(int(self.diagram.arc_class[arc]) for arc in self.diagram.final_arcs)

    @cached_property
    def probabilities(self) -> FloatArray:
        """Class probabilities of each end, shape (n_ends, n_classes)."""
        return self.metadata.probabilities(self.diagram)[list(self.diagram.final_arcs)]

    @cached_property
    def children(self) -> tuple[tuple[int, int], ...]:
        """State after the negative and after the positive side of each node."""
        end = {arc: self.n_nodes + place for place, arc in enumerate(self.diagram.final_arcs)}
        pairs = zip(self.diagram.negative, self.diagram.positive, strict=True)
        return tuple(
            (end.get(2 * node, int(negative)), end.get(2 * node + 1, int(positive)))
            for node, (negative, positive) in enumerate(pairs)
        )

    @cached_property
    def missing_children(self) -> tuple[int | None, ...]:
        """State after a missing value at each node; None for a sum, which none of its values may lack."""
        return tuple(
            pair[split.missing_positive] if isinstance(split, UnivariateSplit) else None
            for pair, split in zip(self.children, self.diagram.splits, strict=True)
        )

    @property
    def is_univariate(self) -> bool:
        """True when every split compares a single feature."""
        return all(isinstance(split, UnivariateSplit) for split in self.diagram.splits)

    @cached_property
    def features(self) -> tuple[Feature, ...]:
        """The feature of each number of a row."""
        return tuple(self.metadata.feature(place) for place in range(self.diagram.n_features))

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The columns of the user's table, in order: one for all categories of a column."""
        return tuple(dict.fromkeys(feature.column for feature in self.features))

    def may_miss(self, place: int) -> bool:
        """Return True if a missing value of this feature stays missing, and no number stands for it."""
        feature = self.features[place]
        return not feature.is_binary and feature.fill is None

    def categories(self, column: str) -> tuple[Label, ...]:
        """Return the categories of a column that have a feature of their own."""
        found = (feature.category for feature in self.features if feature.column == column)
        return tuple(category for category in found if category is not None)

    def has_missing_feature(self, column: str) -> bool:
        """Return True if a feature says where this column is missing; if not, missing counts as unknown."""
        return any(feature.kind == "missing" and feature.column == column for feature in self.features)


def build_program(model: object, metadata: ModelMetadata | None = None) -> StateProgram:
    """Return the program of a fitted classifier, or of a diagram and its metadata."""
    view = model_view(model, metadata)
    return StateProgram(view, view.diagram, view.metadata)


def split_terms(split: Split) -> list[tuple[int, float]]:
    """Return the features of a split with their weights, in the order in which predict adds them.

    Weights of 0 are left out: adding 0 to a finite sum changes nothing.
    """
    if isinstance(split, UnivariateSplit):
        return [(split.feature, 1.0)]
    return [(int(place), float(split.weights[place])) for place in np.flatnonzero(split.weights)]


def check_text(text: str, language: str) -> str:
    """Return a name or label that can be written in any language, or raise UnsupportedError."""
    if any(letter == "\0" or "\ud800" <= letter <= "\udfff" for letter in text):
        raise UnsupportedError(
            f"{language} cannot hold a zero byte or half a character, as in {text!r}: rename it first."
        )
    return text
