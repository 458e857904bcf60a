"""Diagrams and models as JSON, with a versioned schema. Reading checks everything and runs nothing."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace

from oddlearn.diagram.arrays import read_only_integers
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.features import numbered
from oddlearn.diagram.json_checks import check_untouched, checksum, field_of, listed, parsed_json, text, whole
from oddlearn.diagram.metadata import Notes, notes_from_dict
from oddlearn.diagram.splits import split_from_dict
from oddlearn.errors import InvalidInputError, ModelFileError

FORMAT = "oddlearn-diagram"

# 1: as first released; 2: the notes say what each feature stands for, the estimator may hold an encoding
SCHEMA = 2

# more classes are taken for damage, before anything of their number is made
MOST_CLASSES = 1_000_000


@dataclass(frozen=True)
class ModelDocument:
    """All that is saved of a fitted model; the certificate and the estimator are kept as they are, unread."""

    diagram: DecisionDiagram
    notes: Notes
    certificate: Mapping[str, object] | None = None
    estimator: Mapping[str, object] | None = None


def model_to_text(model: ModelDocument) -> str:
    """Write a model as JSON text under a checksum; floats survive exactly."""
    document = {
        "format": FORMAT,
        "schema": SCHEMA,
        "diagram": diagram_to_dict(model.diagram),
        "notes": model.notes.to_dict(),
        "certificate": None if model.certificate is None else dict(model.certificate),
        "estimator": None if model.estimator is None else dict(model.estimator),
    }
    return json.dumps({**document, "checksum": checksum(document)}, indent=1, allow_nan=False)


def model_from_text(content: str) -> ModelDocument:
    """Read a model written by ``model_to_text``; anything else raises ModelFileError.

    The checksum finds damage and edits by hand. It is no signature: whoever can write a file can forge one.
    """
    document = parsed_json(content)
    schema = _checked_schema(document)
    check_untouched(document, "model file")
    notes = notes_from_dict(field_of(document, "notes", "the file"), schema=schema)
    drawn = field_of(document, "diagram", "the file")
    if field_of(drawn, "n_classes", "diagram") != len(notes.class_labels):
        raise ModelFileError("The model file is damaged: n_classes is not the number of class labels.")
    diagram = diagram_from_dict(drawn)
    if not notes.features:
        notes = replace(notes, features=numbered(diagram.n_features))
    _check_agreement(diagram, notes)
    return ModelDocument(diagram, notes, _unread(document, "certificate"), _unread(document, "estimator"))


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
    nodes = listed(field_of(document, "nodes", where), "diagram.nodes")
    n_classes = whole(field_of(document, "n_classes", where), "diagram.n_classes", 1, MOST_CLASSES)
    constant = field_of(document, "constant_class", where)
    n_features = whole(field_of(document, "n_features", where), "diagram.n_features")
    places = [f"node {node}" for node in range(len(nodes))]
    fields = list(zip(nodes, places, strict=True))
    splits = tuple(split_from_dict(field_of(node, "split", at), f"the split of {at}") for node, at in fields)
    negative = [_target_from(node, "negative", at, len(nodes), n_classes) for node, at in fields]
    positive = [_target_from(node, "positive", at, len(nodes), n_classes) for node, at in fields]
    layer = [whole(field_of(node, "layer", at), f"the layer of {at}", high=len(nodes)) for node, at in fields]
    if constant is not None:
        constant = whole(constant, "diagram.constant_class", high=n_classes - 1)
    arcs = (read_only_integers(negative), read_only_integers(positive), read_only_integers(layer))
    try:
        return DecisionDiagram(splits, *arcs, n_classes, n_features, constant)
    except InvalidInputError as problem:
        raise ModelFileError(f"The model file does not hold a valid diagram. {problem}") from None


def _target_to_dict(diagram: DecisionDiagram, target: int) -> dict[str, int]:
    return {"node": target} if target < diagram.n_nodes else {"class": target - diagram.n_nodes}


def _target_from(node: object, side: str, place: str, n_nodes: int, n_classes: int) -> int:
    target = field_of(node, side, place)
    where = f"the {side} arc of {place}"
    if isinstance(target, Mapping) and set(target) == {"class"}:
        return n_nodes + whole(target["class"], f"the class of {where}", high=n_classes - 1)
    return whole(field_of(target, "node", where), f"the target node of {where}", high=n_nodes - 1)


def _unread(document: object, name: str) -> Mapping[str, object] | None:
    content = field_of(document, name, "the file")
    if content is not None and not isinstance(content, Mapping):
        raise ModelFileError(f"The model file is damaged: the {name} must be an object.")
    return content


def _checked_schema(document: object) -> int:
    if text(field_of(document, "format", "the file"), "format") != FORMAT:
        raise ModelFileError(f"The file is not an oddlearn model: its format is not {FORMAT!r}.")
    schema = whole(field_of(document, "schema", "the file"), "schema", low=1)
    if schema > SCHEMA:
        raise ModelFileError(
            f"The model file has schema {schema}, this oddlearn reads up to {SCHEMA}: install a newer one."
        )
    return schema


def _check_agreement(diagram: DecisionDiagram, notes: Notes) -> None:
    if notes.arc_weights.shape != (diagram.n_arcs, diagram.n_classes):
        raise ModelFileError("The model file is damaged: its notes and its diagram differ in size.")
    if notes.feature_names is not None and len(notes.feature_names) != diagram.n_features:
        raise ModelFileError("The model file is damaged: it needs one feature name per feature.")
    if len(notes.features) != diagram.n_features:
        raise ModelFileError("The model file is damaged: it needs one description per feature.")
