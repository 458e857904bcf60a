"""Choosing the skeleton and alpha by validation."""

from oddlearn.tuning.classifier import OptimalDecisionDiagramClassifierCV
from oddlearn.tuning.plot import plot_tuning

__all__ = ["OptimalDecisionDiagramClassifierCV", "plot_tuning"]
