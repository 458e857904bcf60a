"""A diagram as indented plain text: each node once, and a reference wherever it is reached again."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from numpy.typing import ArrayLike

from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.notes import Notes
from oddlearn.export.conditions import (
    APPROXIMATE,
    class_name,
    condition_parts,
    first_terms,
    shown_splits,
    term_texts,
)
from oddlearn.export.flows import weight_text
from oddlearn.export.shown import ShownSplit
from oddlearn.export.subject import check_count, rows_of, subject_of

INDENT = "    "

# lines are not wrapped to less than this, however deep the node
NARROWEST = 40


def export_text(
    model: Any,  # noqa: ANN401
    notes: Notes | None = None,
    X: ArrayLike | None = None,
    *,
    digits: int | None = None,
    most_terms: int | None = None,
    width: int = 110,
) -> str:
    """Return the diagram as text: its nodes, and how many training samples each end gets right.

    Parameters
    ----------
    model : fitted classifier or DecisionDiagram
    notes : Notes, optional
        Names and counts of a diagram; a classifier has its own.
    X : array-like (n, n_features), optional
        The training rows. Numbers are then as short as keeps each of them on its side of every node; without
        them all numbers are exact.
    digits : int, optional
        Round to so many digits what X does not tell to be safe; conditions that lose something by it begin
        with "about".
    most_terms : int, optional
        Terms of a weighted sum that are shown, the heaviest first; the others are counted.
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
    check_count("most_terms", most_terms)
    diagram, notes = subject_of(model, notes)
    if diagram.n_nodes == 0:
        return f"always {_terminal(diagram, notes, 0)}"
    shown = shown_splits(diagram, rows_of(model, X), digits)
    page = _Page(diagram, notes, shown, most_terms, width)
    page.write(0, "")
    return "\n".join(page.lines)


@dataclass
class _Page:
    """The lines so far, and the nodes that are on them."""

    diagram: DecisionDiagram
    notes: Notes
    shown: tuple[ShownSplit, ...]
    most_terms: int | None
    width: int
    lines: list[str] = field(default_factory=list)
    seen: set[int] = field(default_factory=set)

    def write(self, node: int, indent: str) -> None:
        """Append the lines of a node and of all below it that were not seen before."""
        self.seen.add(node)
        self._ask(node, indent)
        diagram = self.diagram
        for side, word, ends in ((1, "yes:", diagram.positive), (0, "no: ", diagram.negative)):
            target = int(ends[node])
            if target >= diagram.n_nodes:
                self.lines.append(f"{indent}  {word} {_terminal(diagram, self.notes, 2 * node + side)}")
            elif target in self.seen:
                self.lines.append(f"{indent}  {word} node {target}, shown above")
            else:
                self.lines.append(f"{indent}  {word.strip()}")
                self.write(target, indent + INDENT)

    def _ask(self, node: int, indent: str) -> None:
        name = f"node {node}: "
        room = max(NARROWEST, self.width - len(indent) - len(name))
        first, *others = _in_lines(self._atoms(self.shown[node]), room)
        self.lines.append(f"{indent}{name}{first}")
        self.lines += [f"{indent}{' ' * len(name)}{line}" for line in others]

    def _atoms(self, shown: ShownSplit) -> list[str]:
        """Return the pieces of a condition that are not torn apart: terms of a sum, words of a name."""
        asked, answer = condition_parts(shown, self.notes)
        if len(shown.features) < 2:
            return [*asked.split(" "), answer]
        terms = term_texts(shown, self.notes)
        atoms = [*first_terms(terms, self.most_terms or len(terms)), answer]
        return atoms if shown.is_exact else [APPROXIMATE + atoms[0], *atoms[1:]]


def _in_lines(atoms: list[str], room: int) -> list[str]:
    """Return lines of whole atoms, as many on each as fit."""
    lines = [atoms[0]]
    for atom in atoms[1:]:
        if len(lines[-1]) + 1 + len(atom) <= room:
            lines[-1] += f" {atom}"
        else:
            lines.append(atom)
    return lines


def _terminal(diagram: DecisionDiagram, notes: Notes, arc: int) -> str:
    code = int(diagram.arc_class[arc])
    weights = notes.arc_weights[arc]
    name = class_name(notes, code)
    if not notes.arc_weights.any():
        return name
    return f"{name} ({weight_text(weights[code])} of {weight_text(weights.sum())} right)"
