"""Optimal decision diagrams for classification."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.skeleton import Skeleton
from oddlearn.diagram.splits import MultivariateSplit, UnivariateSplit
from oddlearn.problem.certificate import Certificate

if TYPE_CHECKING:
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
    from oddlearn.estimators import (
        OptimalDecisionDiagramClassifier,
        OptimalDecisionTreeClassifier,
        from_json,
        load,
    )
    from oddlearn.estimators.cross_validated import OptimalDecisionDiagramClassifierCV
    from oddlearn.estimators.verification import verify
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
    from oddlearn.report import export_html
    from oddlearn.solve.branch_and_bound.solver import Branch
    from oddlearn.solve.construct.solver import Construct
    from oddlearn.solve.cpsat.solver import CpSat
    from oddlearn.solve.local_search.solver import Alternate
    from oddlearn.solve.milp.solver import Milp

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
    "Alternate": "oddlearn.solve.local_search.solver",
    "Construct": "oddlearn.solve.construct.solver",
    "Branch": "oddlearn.solve.branch_and_bound.solver",
    "CpSat": "oddlearn.solve.cpsat.solver",
    "Milp": "oddlearn.solve.milp.solver",
    "OptimalDecisionDiagramClassifier": "oddlearn.estimators",
    "OptimalDecisionDiagramClassifierCV": "oddlearn.estimators.cross_validated",
    "OptimalDecisionTreeClassifier": "oddlearn.estimators",
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
    "from_json": "oddlearn.estimators",
    "load": "oddlearn.estimators",
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
    "verify": "oddlearn.estimators.verification",
}


def __getattr__(name: str) -> Any:  # noqa: ANN401
    if name not in _LATER:
        raise AttributeError(f"module 'oddlearn' has no attribute {name!r}")
    return getattr(importlib.import_module(_LATER[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
