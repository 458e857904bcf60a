"""Fairness seen from outside: a table of rates by group, and the price of fairness as a path."""

from oddlearn.fairness.accuracy_path import FairnessPath, PathPoint, accuracy_fairness_path
from oddlearn.fairness.group_report import FairnessReport, fairness_report

__all__ = ["FairnessPath", "FairnessReport", "PathPoint", "accuracy_fairness_path", "fairness_report"]
