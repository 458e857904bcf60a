"""Contents of the boxes of a drawing: the text, numbers and class shares of each node and each end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from oddlearn.view.arc_flows import ArcFlows
from oddlearn.view.conditions import class_name
from oddlearn.view.inputs import ModelView
from oddlearn.view.node_labels import FONT_SIZE, MAX_LINE_WIDTH, NodeLabel
from oddlearn.view.number_text import count_text, share_text
from oddlearn.view.text_metrics import wrap_text

# lines of a class label
MAX_LABEL_LINES = 2


@dataclass(frozen=True)
class BoxContent:
    """A node or the end of a final arc, before it has a place.

    Attributes
    ----------
    lines : tuple of str
    caption : str
        A line in small letters below them.
    description : str
        The full text, for tooltips and screen readers.
    node : int or None
    arc : int or None
        The final arc of an end.
    class_code : int or None
        The class of an end.
    class_shares : tuple of float
        Share of each class at a node; empty where it is not known.
    arc_labels : (str, str)
        Texts beside the negative and the positive arc of a node.
    number : str
        Number of a node, written above its box; empty where the caption has it.
    """

    lines: tuple[str, ...]
    caption: str
    description: str
    node: int | None = None
    arc: int | None = None
    class_code: int | None = None
    class_shares: tuple[float, ...] = ()
    arc_labels: tuple[str, str] = ("", "")
    number: str = ""


def picture_contents(view: ModelView, labels: Sequence[NodeLabel], flows: ArcFlows) -> list[BoxContent]:
    """Return the boxes of a picture: nodes, then ends."""
    nodes = [
        BoxContent(
            lines=label.lines,
            caption=" · ".join([f"node {node}", *_weight_and_share(flows, flows.node_weight(node))]),
            description=f"node {node}: {label.text}",
            node=node,
            class_shares=flows.class_shares(node),
            arc_labels=_arc_labels(flows, node),
        )
        for node, label in enumerate(labels)
    ]
    return [*nodes, *_end_contents(view, flows, "")]


def page_contents(view: ModelView, labels: Sequence[NodeLabel], flows: ArcFlows) -> list[BoxContent]:
    """Return the boxes of the page: nodes, then ends."""
    nodes = [
        BoxContent(
            lines=label.lines,
            caption=" · ".join(_weight_and_share(flows, flows.node_weight(node))),
            description=_spoken_text(node, label, flows),
            node=node,
            class_shares=flows.class_shares(node),
            arc_labels=_arc_labels(flows, node),
            number=str(node),
        )
        for node, label in enumerate(labels)
    ]
    return [*nodes, *_end_contents(view, flows, "Class ")]


def share_contents(view: ModelView, flows: ArcFlows) -> list[BoxContent]:
    """Return boxes that show only the share of the samples: nodes, then ends."""
    contents = []
    for node in range(view.diagram.n_nodes):
        text = share_text(flows.node_weight(node), flows.total) or "?"
        shares = flows.class_shares(node)
        contents.append(BoxContent((text,), "", f"node {node}: {text}", node, class_shares=shares))
    for arc in view.diagram.final_arcs:
        code = int(view.diagram.arc_class[arc])
        text = share_text(flows.arc_weight(arc), flows.total) or "?"
        name = class_name(view.metadata, code)
        contents.append(BoxContent((text,), "", f"{name}: {text}", arc=arc, class_code=code))
    return contents


def _end_contents(view: ModelView, flows: ArcFlows, prefix: str) -> list[BoxContent]:
    contents = []
    for arc in view.diagram.final_arcs:
        code = int(view.diagram.arc_class[arc])
        name, caption = class_name(view.metadata, code), _correct_text(flows, arc, code)
        lines = tuple(wrap_text(name, FONT_SIZE, MAX_LINE_WIDTH, MAX_LABEL_LINES))
        description = f"{prefix}{name}: {caption}" if caption else f"{prefix}{name}"
        contents.append(BoxContent(lines, caption, description, arc=arc, class_code=code))
    return contents


def _correct_text(flows: ArcFlows, arc: int, code: int) -> str:
    """Return how many of the samples on a final arc have its class, if that is known."""
    if not flows.has_classes or not flows.total > 0:
        return ""
    return f"{count_text(float(flows.arcs[arc][code]))} of {count_text(flows.arc_weight(arc))} right"


def _spoken_text(node: int, label: NodeLabel, flows: ArcFlows) -> str:
    weight = f" {count_text(flows.node_weight(node))} {flows.unit}" if flows.total > 0 else ""
    return f"Node {node}: {label.sides[1]}?{weight}"


def _weight_and_share(flows: ArcFlows, weight: float) -> list[str]:
    return [count_text(weight), share_text(weight, flows.total)] if flows.total > 0 else []


def _arc_labels(flows: ArcFlows, node: int) -> tuple[str, str]:
    """Return the label beside each arc of a node: its side and, if known, its weight."""
    if not flows.total > 0:
        return "no", "yes"
    counts = [count_text(flows.arc_weight(2 * node + side)) for side in (0, 1)]
    return f"no {counts[0]}", f"yes {counts[1]}"
