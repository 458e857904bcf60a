"""Fitted models as JSON: diagram, metadata, certificate and the parameters of the estimator."""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.diagram_json import ModelDocument, model_from_text, model_to_text
from oddlearn.diagram.json_checks import field_of, text, whole
from oddlearn.diagram.metadata import Notes
from oddlearn.errors import ModelFileError, OddlearnWarning
from oddlearn.estimators.parameter_json import NOT_STORED, decode, encode
from oddlearn.problem.certificate import Certificate
from oddlearn.problem.certificate_json import certificate_from_dict
from oddlearn.table.encoding import Encoding, encoding_from_dict

WHERE = "estimator"

# types of labels in a file: booleans, whole numbers, floats, text, Python objects
LABEL_TYPE = re.compile(r"[<>|=]?([biuf][1248]|U[0-9]{1,4}|O[48]?)")


@dataclass(frozen=True, eq=False)
class ModelRecord:
    """The content of a fitted estimator; ``estimator`` is the name of its class."""

    estimator: str
    parameters: Mapping[str, Any]
    classes: NDArray[Any]
    diagram: DecisionDiagram
    notes: Notes
    certificate: Certificate
    iterations: int
    encoding: Encoding | None = None


def dump_model(model: ModelRecord) -> str:
    """Return the model as JSON text."""
    encoded = {name: encode(value) for name, value in model.parameters.items()}
    lost = [name for name, value in encoded.items() if value is NOT_STORED]
    if lost:
        warnings.warn(
            f"JSON cannot hold the given {', '.join(lost)}: a model that is read back has the default "
            "instead. Its predictions are the same; set the parameter again before another fit.",
            OddlearnWarning,
            stacklevel=3,
        )
    estimator = {
        "name": model.estimator,
        "parameters": {name: value for name, value in encoded.items() if value is not NOT_STORED},
        "label_type": model.classes.dtype.str,
        "iterations": model.iterations,
        "encoding": None if model.encoding is None else model.encoding.to_dict(),
    }
    return model_to_text(ModelDocument(model.diagram, model.notes, model.certificate.to_dict(), estimator))


def parse_model(content: str) -> ModelRecord:
    """Read a model from JSON text; raise ModelFileError if it is incomplete or was changed."""
    document = model_from_text(content)
    estimator = document.estimator
    parameters = field_of(estimator, "parameters", WHERE)
    if not isinstance(parameters, Mapping):
        raise ModelFileError(f"The model file is damaged: {WHERE}.parameters must be an object.")
    return ModelRecord(
        estimator=text(field_of(estimator, "name", WHERE), f"{WHERE}.name"),
        parameters={name: decode(value, f"{WHERE}.{name}") for name, value in parameters.items()},
        classes=_labels(document.notes, field_of(estimator, "label_type", WHERE)),
        diagram=document.diagram,
        notes=document.notes,
        certificate=certificate_from_dict(document.certificate),
        iterations=whole(field_of(estimator, "iterations", WHERE), f"{WHERE}.iterations"),
        encoding=_encoding(estimator, document.notes),
    )


def _encoding(estimator: object, notes: Notes) -> Encoding | None:
    """Return the encoding of the columns, None for a model of plain numbers."""
    assert isinstance(estimator, Mapping)
    if estimator.get("encoding") is None:
        return None
    encoding = encoding_from_dict(estimator["encoding"], f"{WHERE}.encoding")
    if encoding.features != notes.features:
        raise ModelFileError("The model file is damaged: its encoding gives other features than its notes.")
    return encoding


def _labels(notes: Notes, label_type: object) -> NDArray[Any]:
    name = text(label_type, f"{WHERE}.label_type")
    if not LABEL_TYPE.fullmatch(name):
        raise ModelFileError(f"The model file is damaged: {name!r} is not a type of labels.")
    try:
        labels = np.array(notes.class_labels, dtype="O" if "O" in name else name)
    except (ValueError, TypeError, OverflowError):
        labels = np.array([])
    if labels.tolist() != list(notes.class_labels):
        raise ModelFileError(f"The model file is damaged: its class labels are not of type {name!r}.")
    return labels
