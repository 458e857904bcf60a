"""Diagrams for people: each exporter takes a fitted classifier, or a diagram and its notes."""

from oddlearn.export.dot import export_dot
from oddlearn.export.fragmentation import plot_fragmentation
from oddlearn.export.history import plot_history
from oddlearn.export.plot import plot_diagram
from oddlearn.export.rules import Rule, Rules, export_rules
from oddlearn.export.svg import export_svg
from oddlearn.export.text import export_text

__all__ = [
    "Rule",
    "Rules",
    "export_dot",
    "export_rules",
    "export_svg",
    "export_text",
    "plot_diagram",
    "plot_fragmentation",
    "plot_history",
]
