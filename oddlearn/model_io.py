"""Fitted models as JSON: the diagram's document with the estimator's parameters and labels beside it."""

from __future__ import annotations

import dataclasses
import math
import re
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oddlearn.constraints import CONSTRAINTS
from oddlearn.diagram.codec import ModelDocument, model_from_text, model_to_text
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.fields import field_of, listed, text, whole
from oddlearn.diagram.notes import Notes
from oddlearn.diagram.skeleton import Skeleton
from oddlearn.encoding import Encoding, encoding_from_dict
from oddlearn.engine import ENGINES, PROVERS, engine_class, prover_class
from oddlearn.errors import InvalidInputError, ModelFileError, OddlearnWarning
from oddlearn.problem.certificate import Certificate
from oddlearn.problem.certificate_codec import certificate_from_dict

WHERE = "estimator"

# kinds of labels a file may ask for: booleans, whole numbers, floats, text, Python objects
LABEL_TYPE = re.compile(r"[<>|=]?([biuf][1248]|U[0-9]{1,4}|O[48]?)")

# kinds of arrays among the parameters
ARRAY_TYPE = re.compile(r"[<>|=]?([biuf][1248]|U[0-9]{1,4})")

# parameters nest as deep as a list of lists, a cost matrix
DEEPEST = 4

NOT_STORED = object()

# parameters that are engines with options: the names of the known ones, and their classes
ENGINE_KINDS: Mapping[str, tuple[Mapping[str, object], Callable[[str], Any]]] = {
    "search": (ENGINES, engine_class),
    "prover": (PROVERS, prover_class),
}


@dataclass(frozen=True, eq=False)
class StoredModel:
    """A fitted estimator in plain values; ``estimator`` is the name of its class."""

    estimator: str
    parameters: Mapping[str, Any]
    classes: NDArray[Any]
    diagram: DecisionDiagram
    notes: Notes
    certificate: Certificate
    iterations: int
    encoding: Encoding | None = None


def written(model: StoredModel) -> str:
    """Return the model as JSON text."""
    encoded = {name: _encoded(value) for name, value in model.parameters.items()}
    lost = [name for name, value in encoded.items() if value is NOT_STORED]
    if lost:
        warnings.warn(
            f"JSON cannot hold the given {', '.join(lost)}: left out, so that the model read back has the "
            "default there. It predicts the same; set the parameter again before another fit.",
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


def read(content: str) -> StoredModel:
    """Read a model from JSON text; anything but a whole, unchanged one raises ModelFileError."""
    document = model_from_text(content)
    estimator = document.estimator
    parameters = field_of(estimator, "parameters", WHERE)
    if not isinstance(parameters, Mapping):
        raise ModelFileError(f"The model file is damaged: {WHERE}.parameters must be an object.")
    return StoredModel(
        estimator=text(field_of(estimator, "name", WHERE), f"{WHERE}.name"),
        parameters={name: _decoded(value, f"{WHERE}.{name}") for name, value in parameters.items()},
        classes=_labels(document.notes, field_of(estimator, "label_type", WHERE)),
        diagram=document.diagram,
        notes=document.notes,
        certificate=certificate_from_dict(document.certificate),
        iterations=whole(field_of(estimator, "iterations", WHERE), f"{WHERE}.iterations"),
        encoding=_encoding(estimator, document.notes),
    )


def _encoding(estimator: object, notes: Notes) -> Encoding | None:
    """Return how columns become features, None for a model of numbers; files of schema 1 hold no others."""
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


def _encoded(value: Any) -> Any:  # noqa: ANN401
    """Return JSON-able content of a parameter, NOT_STORED if it has none."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return NOT_STORED
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, Skeleton):
        return {"kind": "skeleton", "widths": list(value.widths), "tree_only": value.tree_only}
    if isinstance(value, (list, tuple)):
        return _encoded_items("list" if isinstance(value, list) else "tuple", value)
    if hasattr(value, "__array__"):
        return _encoded_array(np.asarray(value))
    if isinstance(value, Mapping):
        return _encoded_items("dict", value.items())
    if type(value) is CONSTRAINTS.get(type(value).__name__):
        return _encoded_constraint(value)
    for kind, (names, class_of) in ENGINE_KINDS.items():
        if getattr(value, "name", None) in names and type(value) is class_of(value.name):
            options = {name: given for name, given in dataclasses.asdict(value).items() if name != "name"}
            return {"kind": kind, "name": value.name, "options": options}
    return NOT_STORED


def _encoded_constraint(constraint: Any) -> Any:  # noqa: ANN401
    options = {item.name: _encoded(getattr(constraint, item.name)) for item in dataclasses.fields(constraint)}
    if any(option is NOT_STORED for option in options.values()):
        return NOT_STORED
    return {"kind": "constraint", "name": type(constraint).__name__, "options": options}


def _encoded_array(values: NDArray[Any]) -> Any:  # noqa: ANN401
    """Return JSON-able content of an array of numbers or of text; a DataFrame's may be of objects."""
    if values.dtype.kind == "O":
        try:
            values = values.astype(np.float64)
        except (ValueError, TypeError):
            return NOT_STORED
    is_known = ARRAY_TYPE.fullmatch(values.dtype.str) is not None
    if not is_known or (values.dtype.kind == "f" and not np.isfinite(values).all()):
        return NOT_STORED
    return {"kind": "ndarray", "type": values.dtype.str, "items": values.tolist()}


def _encoded_items(kind: str, values: Any) -> Any:  # noqa: ANN401
    items = [_encoded(item) for item in values]
    return NOT_STORED if any(item is NOT_STORED for item in items) else {"kind": kind, "items": items}


def _decoded(value: Any, where: str, depth: int = 0) -> Any:  # noqa: ANN401
    """Return the parameter ``_encoded`` wrote."""
    if not isinstance(value, Mapping):
        if isinstance(value, list) or depth > DEEPEST:
            raise ModelFileError(f"The model file is damaged: {where} cannot be read.")
        return value
    kind = text(field_of(value, "kind", where), where)
    if kind == "skeleton":
        return _skeleton(value, where)
    if kind == "constraint":
        return _constraint(value, where, depth)
    if kind in ENGINE_KINDS:
        return _engine(value, kind, where)
    if kind == "ndarray":
        return _array(value, where)
    items = [_decoded(item, where, depth + 1) for item in listed(field_of(value, "items", where), where)]
    return _container(kind, items, where)


def _array(value: Mapping[str, Any], where: str) -> NDArray[Any]:
    name = text(field_of(value, "type", where), where)
    items = listed(field_of(value, "items", where), where)
    if ARRAY_TYPE.fullmatch(name):
        try:
            return np.array(items, dtype=name)
        except (ValueError, TypeError, OverflowError):
            pass
    raise ModelFileError(f"The model file is damaged: {where} is not an array of type {name!r}.")


def _container(kind: str, items: list[Any], where: str) -> Any:  # noqa: ANN401
    try:
        if kind in ("list", "tuple"):
            return items if kind == "list" else tuple(items)
        if kind == "dict":
            return dict(items)
    except (ValueError, TypeError):
        raise ModelFileError(f"The model file is damaged: {where} is not a {kind}.") from None
    raise ModelFileError(f"The model file is damaged: {where} is of an unknown kind {kind!r}.")


def _skeleton(value: Mapping[str, Any], where: str) -> Skeleton:
    widths = [whole(width, where, low=1) for width in listed(field_of(value, "widths", where), where)]
    try:
        return Skeleton(tuple(widths), tree_only=field_of(value, "tree_only", where) is True)
    except InvalidInputError as problem:
        raise ModelFileError(f"The model file does not hold a valid skeleton. {problem}") from None


def _constraint(value: Mapping[str, Any], where: str, depth: int) -> Any:  # noqa: ANN401
    name = text(field_of(value, "name", where), where)
    options = field_of(value, "options", where)
    if name not in CONSTRAINTS or not isinstance(options, Mapping) or depth > DEEPEST:
        raise ModelFileError(f"The model file is damaged: {where} asks for an unknown constraint {name!r}.")
    try:
        given = {key: _decoded(option, where, depth + 1) for key, option in options.items()}
        return CONSTRAINTS[name](**given)
    except (TypeError, ValueError) as problem:
        raise ModelFileError(f"The model file is damaged: {where} holds no valid {name}. {problem}") from None


def _engine(value: Mapping[str, Any], kind: str, where: str) -> Any:  # noqa: ANN401
    names, class_of = ENGINE_KINDS[kind]
    name = text(field_of(value, "name", where), where)
    options = field_of(value, "options", where)
    if name not in names or not isinstance(options, Mapping):
        raise ModelFileError(f"The model file is damaged: {where} asks for an unknown {kind} {name!r}.")
    try:
        return class_of(name)(**options)
    except (TypeError, ValueError):
        raise ModelFileError(f"The model file is damaged: {where} has options unknown to {name!r}.") from None
