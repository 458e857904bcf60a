"""Models as text, rules, pictures and code: each exporter takes a fitted classifier or a diagram."""

from oddlearn.export.certificate_plot import plot_certificate
from oddlearn.export.dot import export_dot
from oddlearn.export.formats import FORMATS, Format
from oddlearn.export.plane import export_plane
from oddlearn.export.plots import plot_diagram, plot_fragmentation, plot_history, plot_tuning
from oddlearn.export.rules import Rule, Rules, export_rules
from oddlearn.export.svg import export_svg
from oddlearn.export.text import export_text

__all__ = [
    "FORMATS",
    "Format",
    "Rule",
    "Rules",
    "export_dot",
    "export_plane",
    "export_rules",
    "export_svg",
    "export_text",
    "plot_certificate",
    "plot_diagram",
    "plot_fragmentation",
    "plot_history",
    "plot_tuning",
]
