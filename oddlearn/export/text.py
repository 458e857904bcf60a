"""A diagram as indented plain text: each node once, and a reference wherever it is reached again."""

from __future__ import annotations

from dataclasses import dataclass, field

from numpy.typing import ArrayLike

from oddlearn.diagram.metadata import ModelMetadata
from oddlearn.view.conditions import APPROXIMATE, class_name, condition_parts, first_terms, term_texts
from oddlearn.view.inputs import ModelView, check_count, model_view
from oddlearn.view.number_text import count_text
from oddlearn.view.rounding import RoundedSplit, round_splits

INDENT = "    "

MIN_WIDTH = 40  # lines are not wrapped to less than this, however deep the node


def export_text(
    model: object,
    metadata: ModelMetadata | None = None,
    X: ArrayLike | None = None,
    *,
    digits: int | None = None,
    max_terms: int | None = None,
    width: int = 110,
) -> str:
    """Return the diagram as text: its nodes, and how many training samples each final arc predicts right.

    Parameters
    ----------
    model : fitted classifier, Pipeline that ends in one, or DecisionDiagram
    metadata : ModelMetadata, optional
        Names and counts of a diagram; a classifier has its own.
    X : array-like (n, n_features), optional
        The training rows. Numbers are then as short as keeps each of them on its side of every node; without
        them all numbers are exact.
    digits : int, optional
        Round to so many digits where X does not show how far is safe; conditions that lose something by it
        begin with "about".
    max_terms : int, optional
        Terms of a weighted sum that are written, the largest weight first; the others are counted.
    width : int
        Longer conditions are wrapped.

    Examples
    --------
    >>> import numpy as np
    >>> from oddlearn import DecisionDiagram, UnivariateSplit, export_text
    >>> print(export_text(DecisionDiagram((UnivariateSplit(0, 0.5),), [1], [2], [0], 2, 1)))
    node 0: x0 >= 0.5
      yes: 1
      no:  0
    """
    check_count("digits", digits)
    check_count("max_terms", max_terms)
    view = model_view(model, metadata)
    if view.diagram.n_nodes == 0:
        return f"always {_terminal_text(view, 0)}"
    splits = round_splits(view.diagram, view.rows(X), digits, view.metadata)
    writer = _TextWriter(view, splits, max_terms, width)
    writer.write(0, "")
    return "\n".join([*writer.lines, *(f"Note: {note}" for note in view.notes)])


@dataclass
class _TextWriter:
    """The lines so far, and the nodes that are on them."""

    view: ModelView
    splits: tuple[RoundedSplit, ...]
    max_terms: int | None
    width: int
    lines: list[str] = field(default_factory=list)
    seen: set[int] = field(default_factory=set)

    def write(self, node: int, indent: str) -> None:
        """Append the lines of a node and of all below it that were not seen before."""
        self.seen.add(node)
        self._write_condition(node, indent)
        diagram = self.view.diagram
        for side, word, ends in ((1, "yes:", diagram.positive), (0, "no: ", diagram.negative)):
            target = int(ends[node])
            if target >= diagram.n_nodes:
                self.lines.append(f"{indent}  {word} {_terminal_text(self.view, 2 * node + side)}")
            elif target in self.seen:
                self.lines.append(f"{indent}  {word} node {target}, shown above")
            else:
                self.lines.append(f"{indent}  {word.strip()}")
                self.write(target, indent + INDENT)

    def _write_condition(self, node: int, indent: str) -> None:
        name = f"node {node}: "
        space = max(MIN_WIDTH, self.width - len(indent) - len(name))
        first, *others = _fill_lines(self._pieces(self.splits[node]), space)
        self.lines.append(f"{indent}{name}{first}")
        self.lines += [f"{indent}{' ' * len(name)}{line}" for line in others]

    def _pieces(self, rounded: RoundedSplit) -> list[str]:
        """Return the pieces of a condition that stay on one line: terms of a sum, words of a name."""
        subject, comparison = condition_parts(rounded, self.view.metadata)
        if len(rounded.features) < 2:
            return [*subject.split(" "), comparison]
        terms = term_texts(rounded, self.view.metadata)
        pieces = [*first_terms(terms, self.max_terms or len(terms)), comparison]
        return pieces if rounded.is_exact else [APPROXIMATE + pieces[0], *pieces[1:]]


def _fill_lines(pieces: list[str], space: int) -> list[str]:
    """Return lines of whole pieces, as many on each as fit."""
    lines = [pieces[0]]
    for piece in pieces[1:]:
        if len(lines[-1]) + 1 + len(piece) <= space:
            lines[-1] += f" {piece}"
        else:
            lines.append(piece)
    return lines


def _terminal_text(view: ModelView, arc: int) -> str:
    code = int(view.diagram.arc_class[arc])
    name, counts = class_name(view.metadata, code), view.metadata.arc_counts
    if not counts.any():
        return name
    unit = "weight " if view.metadata.is_weighted else ""
    return f"{name} ({unit}{count_text(counts[arc, code])} of {count_text(counts[arc].sum())} right)"
