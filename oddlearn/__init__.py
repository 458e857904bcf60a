"""Optimal decision diagrams for classification."""

from __future__ import annotations

import importlib
from typing import Any

__version__ = "0.1.0"

# public names by module, imported on first use (scikit-learn takes a second); __init__.pyi declares the same
_NAMES = {
    "oddlearn.constraints": (
        "DemographicParity",
        "EqualOpportunity",
        "EqualizedOdds",
        "MaxDepth",
        "MaxNodes",
        "MaxNodesPerLayer",
        "MinFlow",
        "MinFlowPerArc",
        "OverallAccuracyEquality",
        "PredictiveEquality",
    ),
    "oddlearn.diagram.diagram": ("DecisionDiagram",),
    "oddlearn.diagram.skeleton": ("Skeleton",),
    "oddlearn.diagram.splits": ("MultivariateSplit", "UnivariateSplit"),
    "oddlearn.estimators": (
        "OptimalDecisionDiagramClassifier",
        "OptimalDecisionTreeClassifier",
        "from_json",
        "load",
    ),
    "oddlearn.estimators.cross_validated": ("OptimalDecisionDiagramClassifierCV",),
    "oddlearn.estimators.verification": ("verify",),
    "oddlearn.export.certificate_plot": ("plot_certificate",),
    "oddlearn.export.code": ("export_c", "export_onnx", "export_python", "export_sklearn", "export_sql"),
    "oddlearn.export.dot": ("export_dot",),
    "oddlearn.export.plane": ("export_plane",),
    "oddlearn.export.plots": ("plot_diagram", "plot_fragmentation", "plot_history", "plot_tuning"),
    "oddlearn.export.rules": ("export_rules",),
    "oddlearn.export.svg": ("export_svg",),
    "oddlearn.export.text": ("export_text",),
    "oddlearn.fairness": ("accuracy_fairness_path", "fairness_report"),
    "oddlearn.problem.certificate": ("Certificate",),
    "oddlearn.report": ("export_html",),
    "oddlearn.solve.branch_and_bound.solver": ("BranchAndBound",),
    "oddlearn.solve.construct.solver": ("Construct",),
    "oddlearn.solve.cpsat.solver": ("CpSat",),
    "oddlearn.solve.local_search.solver": ("LocalSearch",),
    "oddlearn.solve.milp.solver": ("Milp",),
}

_MODULES = {name: module for module, names in _NAMES.items() for name in names}

__all__ = sorted([*_MODULES, "__version__"])


def __getattr__(name: str) -> Any:  # noqa: ANN401
    if name not in _MODULES:
        raise AttributeError(f"module 'oddlearn' has no attribute {name!r}")
    return getattr(importlib.import_module(_MODULES[name]), name)


def __dir__() -> list[str]:
    return list(__all__)
