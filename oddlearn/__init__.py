"""Optimal decision diagrams for classification."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from oddlearn.diagram import DecisionDiagram, MultivariateSplit, Skeleton, UnivariateSplit
from oddlearn.problem import Certificate

if TYPE_CHECKING:
    from oddlearn.branch.prover import Branch
    from oddlearn.constraints import (
        DemographicParity,
        EqualizedOdds,
        EqualOpportunity,
        MaxDepth,
        MaxNodes,
        MaxNodesPerLayer,
        MinFlow,
        MinFlowPerArc,
        OverallAccuracyEquality,
        PredictiveEquality,
    )
    from oddlearn.cpsat.prover import CpSat
    from oddlearn.estimator import (
        OptimalDecisionDiagramClassifier,
        OptimalDecisionTreeClassifier,
        from_json,
        load,
    )
    from oddlearn.export import (
        export_dot,
        export_rules,
        export_svg,
        export_text,
        plot_diagram,
        plot_fragmentation,
        plot_history,
        plot_tuning,
    )
    from oddlearn.export.code import export_c, export_onnx, export_python, export_sklearn, export_sql
    from oddlearn.fairness import accuracy_fairness_path, fairness_report
    from oddlearn.milp.prover import Milp
    from oddlearn.report import export_html
    from oddlearn.search.alternate import Alternate
    from oddlearn.search.construct import Construct
    from oddlearn.tuning import OptimalDecisionDiagramClassifierCV
    from oddlearn.verification import verify

__version__ = "0.1.0"

__all__ = [
    "Alternate",
    "Branch",
    "Certificate",
    "Construct",
    "CpSat",
    "DecisionDiagram",
    "DemographicParity",
    "EqualOpportunity",
    "EqualizedOdds",
    "MaxDepth",
    "MaxNodes",
    "MaxNodesPerLayer",
    "Milp",
    "MinFlow",
    "MinFlowPerArc",
    "MultivariateSplit",
    "OptimalDecisionDiagramClassifier",
    "OptimalDecisionDiagramClassifierCV",
    "OptimalDecisionTreeClassifier",
    "OverallAccuracyEquality",
    "PredictiveEquality",
    "Skeleton",
    "UnivariateSplit",
    "__version__",
    "accuracy_fairness_path",
    "export_c",
    "export_dot",
    "export_html",
    "export_onnx",
    "export_python",
    "export_rules",
    "export_sklearn",
    "export_sql",
    "export_svg",
    "export_text",
    "fairness_report",
    "from_json",
    "load",
    "plot_diagram",
    "plot_fragmentation",
    "plot_history",
    "plot_tuning",
    "verify",
]

# imported when first asked for: scikit-learn takes a second, and brings pandas where it is installed
_LATER = {
    "Alternate": "oddlearn.search.alternate",
    "Construct": "oddlearn.search.construct",
    "Branch": "oddlearn.branch.prover",
    "CpSat": "oddlearn.cpsat.prover",
    "Milp": "oddlearn.milp.prover",
    "OptimalDecisionDiagramClassifier": "oddlearn.estimator",
    "OptimalDecisionDiagramClassifierCV": "oddlearn.tuning",
    "OptimalDecisionTreeClassifier": "oddlearn.estimator",
    "export_c": "oddlearn.export.code",
    "export_onnx": "oddlearn.export.code",
    "export_python": "oddlearn.export.code",
    "export_sklearn": "oddlearn.export.code",
    "export_sql": "oddlearn.export.code",
    "export_dot": "oddlearn.export",
    "export_rules": "oddlearn.export",
    "export_svg": "oddlearn.export",
    "export_text": "oddlearn.export",
    "plot_diagram": "oddlearn.export",
    "plot_fragmentation": "oddlearn.export",
    "plot_history": "oddlearn.export",
    "plot_tuning": "oddlearn.export",
    "export_html": "oddlearn.report",
    "from_json": "oddlearn.estimator",
    "load": "oddlearn.estimator",
    "DemographicParity": "oddlearn.constraints",
    "EqualOpportunity": "oddlearn.constraints",
    "EqualizedOdds": "oddlearn.constraints",
    "MaxDepth": "oddlearn.constraints",
    "MaxNodes": "oddlearn.constraints",
    "MaxNodesPerLayer": "oddlearn.constraints",
    "MinFlow": "oddlearn.constraints",
    "MinFlowPerArc": "oddlearn.constraints",
    "OverallAccuracyEquality": "oddlearn.constraints",
    "PredictiveEquality": "oddlearn.constraints",
    "accuracy_fairness_path": "oddlearn.fairness",
    "fairness_report": "oddlearn.fairness",
    "verify": "oddlearn.verification",
}


def __getattr__(name: str) -> Any:  # noqa: ANN401
    if name not in _LATER:
        raise AttributeError(f"module 'oddlearn' has no attribute {name!r}")
    return getattr(importlib.import_module(_LATER[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
