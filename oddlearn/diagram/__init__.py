"""What a diagram is: skeleton, splits, routing and the file format."""

from oddlearn.diagram.codec import (
    ModelDocument,
    diagram_from_dict,
    diagram_to_dict,
    model_from_text,
    model_to_text,
)
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.features import Feature, FeatureKind
from oddlearn.diagram.notes import Notes
from oddlearn.diagram.skeleton import Skeleton
from oddlearn.diagram.splits import MultivariateSplit, Split, UnivariateSplit
from oddlearn.diagram.trace import Trace, Walk, walk

__all__ = [
    "DecisionDiagram",
    "Feature",
    "FeatureKind",
    "ModelDocument",
    "MultivariateSplit",
    "Notes",
    "Skeleton",
    "Split",
    "Trace",
    "UnivariateSplit",
    "Walk",
    "diagram_from_dict",
    "diagram_to_dict",
    "model_from_text",
    "model_to_text",
    "walk",
]
