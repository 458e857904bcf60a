"""Choosing the skeleton and alpha by validation."""

from oddlearn.tuning.classifier import OptimalDecisionDiagramClassifierCV

__all__ = ["OptimalDecisionDiagramClassifierCV"]
