"""Diagrams for people: each exporter is a function of a diagram and its notes that returns text."""

from oddlearn.export.svg import to_svg
from oddlearn.export.text import to_text

__all__ = ["to_svg", "to_text"]
