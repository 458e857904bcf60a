"""Constraints a user may set on a diagram; each is declared as rows on the observables."""

from oddlearn.constraints.fairness import (
    DemographicParity,
    EqualizedOdds,
    EqualOpportunity,
    OverallAccuracyEquality,
    PredictiveEquality,
)
from oddlearn.constraints.parsimony import MaxDepth, MaxNodes, MaxNodesPerLayer
from oddlearn.constraints.stability import MinFlow, MinFlowPerArc

CONSTRAINTS = {
    kind.__name__: kind
    for kind in (
        DemographicParity,
        EqualOpportunity,
        PredictiveEquality,
        EqualizedOdds,
        OverallAccuracyEquality,
        MaxNodes,
        MaxNodesPerLayer,
        MaxDepth,
        MinFlow,
        MinFlowPerArc,
    )
}

__all__ = [
    "CONSTRAINTS",
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
]
