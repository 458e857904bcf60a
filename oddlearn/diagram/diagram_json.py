"""Diagrams and models as JSON, with a versioned schema. Reading checks everything and runs nothing."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace

from oddlearn.diagram.arrays import read_only_integers
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.features import default_features
from oddlearn.diagram.json_checks import (
    checksum,
    parse_json,
    read_field,
    require_field,
    require_int,
    require_list,
    require_text,
    verify_checksum,
)
from oddlearn.diagram.metadata import ModelMetadata, metadata_from_dict
from oddlearn.diagram.splits import split_from_dict
from oddlearn.errors import InvalidInputError, ModelFileError

FORMAT = "oddlearn-diagram"

SCHEMA = 6  # files of other schemas are refused

# a larger number of classes is taken for damage before arrays of that size are made
MAX_CLASSES = 1_000_000


@dataclass(frozen=True)
class ModelDocument:
    """All that is saved of a fitted model; the certificate and the estimator are kept as they are, unread."""

    diagram: DecisionDiagram
    metadata: ModelMetadata
    certificate: Mapping[str, object] | None = None
    estimator: Mapping[str, object] | None = None


def model_to_text(model: ModelDocument) -> str:
    """Write a model as JSON text under a checksum; floats survive exactly."""
    metadata = model.metadata
    if not metadata.features:
        metadata = replace(metadata, features=default_features(model.diagram.n_features))
    document = {
        "format": FORMAT,
        "schema": SCHEMA,
        "diagram": diagram_to_dict(model.diagram),
        "metadata": metadata.to_dict(),
        "certificate": None if model.certificate is None else dict(model.certificate),
        "estimator": None if model.estimator is None else dict(model.estimator),
    }
    return json.dumps({**document, "checksum": checksum(document)}, indent=1, allow_nan=False)


def model_from_text(content: str) -> ModelDocument:
    """Read a model written by ``model_to_text``; anything else raises ModelFileError.

    The checksum finds damage and edits by hand. It is no signature: whoever can write a file can forge one.
    """
    document = parse_json(content)
    _check_schema(document)
    verify_checksum(document, "model file")
    metadata = metadata_from_dict(require_field(document, "metadata", "the file"))
    drawn = require_field(document, "diagram", "the file")
    if require_field(drawn, "n_classes", "diagram") != len(metadata.class_labels):
        raise ModelFileError("The model file is damaged: n_classes is not the number of class labels.")
    diagram = diagram_from_dict(drawn)
    _check_agreement(diagram, metadata)
    return ModelDocument(diagram, metadata, _unread(document, "certificate"), _unread(document, "estimator"))


def diagram_to_dict(diagram: DecisionDiagram) -> dict[str, object]:
    """Return JSON-able content of a diagram."""
    nodes = [
        {
            "layer": int(diagram.layer[node]),
            "split": split.to_dict(),
            "negative": _target_to_dict(diagram, int(diagram.negative[node])),
            "positive": _target_to_dict(diagram, int(diagram.positive[node])),
        }
        for node, split in enumerate(diagram.splits)
    ]
    return {
        "n_classes": diagram.n_classes,
        "n_features": diagram.n_features,
        "constant_class": diagram.constant_class,
        "nodes": nodes,
    }


def diagram_from_dict(document: object) -> DecisionDiagram:
    """Read a diagram written by ``diagram_to_dict``; a damaged one raises ModelFileError."""
    where = "diagram"
    nodes = read_field(document, "nodes", where, require_list)
    n_classes = read_field(document, "n_classes", where, require_int, low=1, high=MAX_CLASSES)
    constant = require_field(document, "constant_class", where)
    n_features = read_field(document, "n_features", where, require_int)
    places = [f"node {node}" for node in range(len(nodes))]
    fields = list(zip(nodes, places, strict=True))
    splits = tuple(
        split_from_dict(require_field(node, "split", at), f"the split of {at}") for node, at in fields
    )
    negative = [_target_from(node, "negative", at, len(nodes), n_classes) for node, at in fields]
    positive = [_target_from(node, "positive", at, len(nodes), n_classes) for node, at in fields]
    layer = [
        require_int(require_field(node, "layer", at), f"the layer of {at}", high=len(nodes))
        for node, at in fields
    ]
    if constant is not None:
        constant = require_int(constant, "diagram.constant_class", high=n_classes - 1)
    arcs = (read_only_integers(negative), read_only_integers(positive), read_only_integers(layer))
    try:
        return DecisionDiagram(splits, *arcs, n_classes, n_features, constant)
    except InvalidInputError as problem:
        raise ModelFileError(f"The model file does not hold a valid diagram. {problem}") from None


def _target_to_dict(diagram: DecisionDiagram, target: int) -> dict[str, int]:
    return {"node": target} if target < diagram.n_nodes else {"class": target - diagram.n_nodes}


def _target_from(node: object, side: str, place: str, n_nodes: int, n_classes: int) -> int:
    target = require_field(node, side, place)
    where = f"the {side} arc of {place}"
    if isinstance(target, Mapping) and set(target) == {"class"}:
        return n_nodes + require_int(target["class"], f"the class of {where}", high=n_classes - 1)
    return require_int(require_field(target, "node", where), f"the target node of {where}", high=n_nodes - 1)


def _unread(document: object, name: str) -> Mapping[str, object] | None:
    content = require_field(document, name, "the file")
    if content is not None and not isinstance(content, Mapping):
        raise ModelFileError(f"The model file is damaged: the {name} must be an object.")
    return content


def _check_schema(document: object) -> None:
    if require_text(require_field(document, "format", "the file"), "format") != FORMAT:
        raise ModelFileError(f"The file is not an oddlearn model: its format is not {FORMAT!r}.")
    schema = require_int(require_field(document, "schema", "the file"), "schema", low=1)
    if schema != SCHEMA:
        advice = "install a newer oddlearn" if schema > SCHEMA else "train the model again"
        raise ModelFileError(f"The model file has schema {schema}, this oddlearn reads {SCHEMA}: {advice}.")


def _check_agreement(diagram: DecisionDiagram, metadata: ModelMetadata) -> None:
    if metadata.arc_weights.shape != (diagram.n_arcs, diagram.n_classes):
        raise ModelFileError("The model file is damaged: its metadata and its diagram differ in size.")
    if metadata.feature_names is not None and len(metadata.feature_names) != diagram.n_features:
        raise ModelFileError("The model file is damaged: it needs one feature name per feature.")
    if len(metadata.features) != diagram.n_features:
        raise ModelFileError("The model file is damaged: it needs one description per feature.")
