"""Fitted models as JSON: diagram, metadata, certificate, encoding and parameters."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.diagram_json import ModelDocument, model_from_text, model_to_text
from oddlearn.diagram.json_checks import read_field, require_field, require_int, require_text
from oddlearn.diagram.metadata import ModelMetadata
from oddlearn.errors import ModelFileError
from oddlearn.problem.certificate import Certificate
from oddlearn.problem.certificate_json import certificate_from_dict
from oddlearn.table.encoding import Encoding, encoding_from_dict

WHERE = "estimator"

# types of labels in a file: booleans, whole numbers, floats, text, Python objects
LABEL_TYPE = re.compile(r"[<>|=]?([biuf][1248]|U[0-9]{1,4}|O[48]?)")


@dataclass(frozen=True, eq=False)
class ModelRecord:
    """The content of a fitted estimator.

    ``estimator`` is the name of its class, ``parameters`` are its parameters as JSON content.
    """

    estimator: str
    parameters: Mapping[str, Any]
    classes: NDArray[Any]
    diagram: DecisionDiagram
    metadata: ModelMetadata
    certificate: Certificate
    iterations: int
    encoding: Encoding | None = None


def dump_model(model: ModelRecord) -> str:
    """Return the model as JSON text."""
    estimator = {
        "name": model.estimator,
        "parameters": dict(model.parameters),
        "label_type": model.classes.dtype.str,
        "iterations": model.iterations,
        "encoding": None if model.encoding is None else model.encoding.to_dict(),
    }
    return model_to_text(ModelDocument(model.diagram, model.metadata, model.certificate.to_dict(), estimator))


def parse_model(content: str) -> ModelRecord:
    """Read a model from JSON text; raise ModelFileError if it is incomplete or was changed."""
    document = model_from_text(content)
    estimator = document.estimator
    parameters = require_field(estimator, "parameters", WHERE)
    if not isinstance(parameters, Mapping):
        raise ModelFileError(f"The model file is damaged: {WHERE}.parameters must be an object.")
    return ModelRecord(
        estimator=read_field(estimator, "name", WHERE, require_text),
        parameters=parameters,
        classes=_labels(document.metadata, require_field(estimator, "label_type", WHERE)),
        diagram=document.diagram,
        metadata=document.metadata,
        certificate=certificate_from_dict(document.certificate),
        iterations=read_field(estimator, "iterations", WHERE, require_int),
        encoding=_encoding(estimator, document.metadata),
    )


def _encoding(estimator: object, metadata: ModelMetadata) -> Encoding | None:
    """Return the encoding of the columns, None for a model of numbers."""
    stored = require_field(estimator, "encoding", WHERE)
    if stored is None:
        return None
    encoding = encoding_from_dict(stored, f"{WHERE}.encoding")
    if encoding.features != metadata.features:
        raise ModelFileError(
            "The model file is damaged: its encoding gives other features than its metadata."
        )
    return encoding


def _labels(metadata: ModelMetadata, label_type: object) -> NDArray[Any]:
    name = require_text(label_type, f"{WHERE}.label_type")
    if not LABEL_TYPE.fullmatch(name):
        raise ModelFileError(f"The model file is damaged: {name!r} is not a type of labels.")
    try:
        labels = np.array(metadata.class_labels, dtype="O" if "O" in name else name)
    except (ValueError, TypeError, OverflowError):
        labels = np.array([])
    if labels.tolist() != list(metadata.class_labels):
        raise ModelFileError(f"The model file is damaged: its class labels are not of type {name!r}.")
    return labels
