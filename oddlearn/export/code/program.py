"""A model as a program: its states, its ends and their answers, for every target language."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from oddlearn.diagram.arrays import FloatArray
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.features import Feature, Label
from oddlearn.diagram.metadata import Notes
from oddlearn.diagram.splits import Split, UnivariateSplit
from oddlearn.errors import UnsupportedError
from oddlearn.view.inputs import ModelView, model_view


@dataclass(frozen=True, eq=False)
class Program:
    """A diagram that is written in another language.

    A state is a node 0..n_nodes-1, or ``n_nodes + end``. The ends are the final arcs in order, one for each
    arc to a terminal; the constant diagram is one end without a node.
    """

    view: ModelView

    @property
    def diagram(self) -> DecisionDiagram:
        """The diagram."""
        return self.view.diagram

    @property
    def metadata(self) -> Notes:
        """Names, labels and training weights."""
        return self.view.metadata

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
        return self.metadata.probabilities(self.diagram.arc_class)[list(self.diagram.final_arcs)]

    @cached_property
    def children(self) -> tuple[tuple[int, int], ...]:
        """State after the negative and after the positive side of each node."""
        end = {arc: self.n_nodes + place for place, arc in enumerate(self.diagram.final_arcs)}
        pairs = zip(self.diagram.negative, self.diagram.positive, strict=True)
        return tuple(
            (end.get(2 * node, int(negative)), end.get(2 * node + 1, int(positive)))
            for node, (negative, positive) in enumerate(pairs)
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


def build_program(model: object, notes: Notes | None = None) -> Program:
    """Return the program of a fitted classifier, or of a diagram and its metadata."""
    return Program(model_view(model, notes))


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
