"""Optimal decision diagrams for classification."""

from oddlearn.diagram import DecisionDiagram, MultivariateSplit, Skeleton, UnivariateSplit

__version__ = "0.1.0"

__all__ = ["DecisionDiagram", "MultivariateSplit", "Skeleton", "UnivariateSplit", "__version__"]
