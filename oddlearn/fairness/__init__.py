"""Fairness: rates by group, and the trade-off between accuracy and fairness."""

from oddlearn.fairness.accuracy_path import FairnessPath, PathPoint, accuracy_fairness_path
from oddlearn.fairness.group_report import FairnessReport, fairness_report

__all__ = ["FairnessPath", "FairnessReport", "PathPoint", "accuracy_fairness_path", "fairness_report"]
