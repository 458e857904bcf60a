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
    from oddlearn.fairness import accuracy_fairness_path, fairness_report
    from oddlearn.milp.prover import Milp
    from oddlearn.search.alternate import Alternate
    from oddlearn.search.construct import Construct
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
    "OptimalDecisionTreeClassifier",
    "OverallAccuracyEquality",
    "PredictiveEquality",
    "Skeleton",
    "UnivariateSplit",
    "__version__",
    "accuracy_fairness_path",
    "fairness_report",
    "from_json",
    "load",
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
    "OptimalDecisionTreeClassifier": "oddlearn.estimator",
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
