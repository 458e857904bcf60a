"""A diagram as indented plain text: each node once, and a reference wherever it is reached again."""

from __future__ import annotations

from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.notes import Notes
from oddlearn.export.totals import weight_text

INDENT = "    "


def to_text(diagram: DecisionDiagram, notes: Notes) -> str:
    """Return the diagram as text, with the training weight that arrived at each terminal."""
    if diagram.n_nodes == 0:
        return f"always {_terminal(diagram, notes, 0)}"
    lines: list[str] = []
    _write(diagram, notes, 0, "", lines, set())
    return "\n".join(lines)


def _write(
    diagram: DecisionDiagram, notes: Notes, node: int, indent: str, lines: list[str], seen: set[int]
) -> None:
    """Append the lines of a node and of all below it that were not seen before."""
    seen.add(node)
    lines.append(f"{indent}node {node}: {diagram.splits[node].describe(notes.feature_names)}")
    for side, word, ends in ((1, "yes", diagram.positive), (0, "no", diagram.negative)):
        target = int(ends[node])
        if target >= diagram.n_nodes:
            lines.append(f"{indent}  {word + ':':4s} {_terminal(diagram, notes, 2 * node + side)}")
        elif target in seen:
            lines.append(f"{indent}  {word + ':':4s} node {target}, shown above")
        else:
            lines.append(f"{indent}  {word}:")
            _write(diagram, notes, target, indent + INDENT, lines, seen)


def _terminal(diagram: DecisionDiagram, notes: Notes, arc: int) -> str:
    code = int(diagram.arc_class[arc])
    weights = notes.arc_weights[arc]
    share = f"{weight_text(weights[code])} of {weight_text(weights.sum())} right"
    return f"{notes.class_labels[code]} ({share})"
