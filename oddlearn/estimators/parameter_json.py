"""Parameters of an estimator as JSON."""

from __future__ import annotations

import dataclasses
import math
import re
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oddlearn.constraints import CONSTRAINTS
from oddlearn.diagram.json_checks import require_field, require_list, require_text
from oddlearn.diagram.skeleton import Skeleton, skeleton_from_dict
from oddlearn.errors import ModelFileError, OddlearnWarning
from oddlearn.solve.schedule import EXACT_SOLVERS, SEARCHES, solver_class

# kinds of arrays among the parameters
ARRAY_TYPE = re.compile(r"[<>|=]?([biuf][1248]|U[0-9]{1,4})")

# parameters nest as deep as a list of lists, a cost matrix
MAX_NESTING = 4

NOT_STORED = object()

# parameters that are solvers with options, by kind
SOLVER_KINDS: Mapping[str, Mapping[str, tuple[str, str]]] = {
    "search": SEARCHES,
    "exact solver": EXACT_SOLVERS,
}


def encode_parameters(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters as JSON content; warn of those that JSON cannot hold and leave them out."""
    encoded = {name: encode(value) for name, value in parameters.items()}
    lost = [name for name, value in encoded.items() if value is NOT_STORED]
    if lost:
        warnings.warn(
            f"JSON cannot hold the given {', '.join(lost)}: a model that is read back has the default "
            "instead. Its predictions are the same; set the parameter again before another fit.",
            OddlearnWarning,
            stacklevel=3,
        )
    return {name: value for name, value in encoded.items() if value is not NOT_STORED}


def encode(value: Any) -> Any:  # noqa: ANN401
    """Return a parameter as JSON content, NOT_STORED if JSON cannot hold it."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return NOT_STORED
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, Skeleton):
        return {"kind": "skeleton", **value.to_dict()}
    if isinstance(value, (list, tuple)):
        return _encode_items("list" if isinstance(value, list) else "tuple", value)
    if hasattr(value, "__array__"):
        return _encode_array(np.asarray(value))
    if isinstance(value, Mapping):
        return _encode_items("dict", value.items())
    if type(value) is CONSTRAINTS.get(type(value).__name__):
        return _encode_constraint(value)
    for kind, entries in SOLVER_KINDS.items():
        name = getattr(value, "name", "")
        if name in entries and type(value) is solver_class(entries[name]):
            return {"kind": kind, "name": name, "options": dataclasses.asdict(value)}
    return NOT_STORED


def _encode_constraint(constraint: Any) -> Any:  # noqa: ANN401
    options = {item.name: encode(getattr(constraint, item.name)) for item in dataclasses.fields(constraint)}
    if any(option is NOT_STORED for option in options.values()):
        return NOT_STORED
    return {"kind": "constraint", "name": type(constraint).__name__, "options": options}


def _encode_array(values: NDArray[Any]) -> Any:  # noqa: ANN401
    """Return an array of numbers or text as JSON content; that of a DataFrame may hold objects."""
    if values.dtype.kind == "O":
        try:
            values = values.astype(np.float64)
        except (ValueError, TypeError):
            return NOT_STORED
    is_known = ARRAY_TYPE.fullmatch(values.dtype.str) is not None
    if not is_known or (values.dtype.kind == "f" and not np.isfinite(values).all()):
        return NOT_STORED
    return {"kind": "ndarray", "type": values.dtype.str, "items": values.tolist()}


def _encode_items(kind: str, values: Any) -> Any:  # noqa: ANN401
    items = [encode(item) for item in values]
    return NOT_STORED if any(item is NOT_STORED for item in items) else {"kind": kind, "items": items}


def decode_parameters(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters of JSON content written by ``encode_parameters``."""
    return {name: decode(value, f"estimator.{name}") for name, value in parameters.items()}


def decode(value: Any, where: str, depth: int = 0) -> Any:  # noqa: ANN401
    """Return the parameter of JSON content written by ``encode``."""
    if not isinstance(value, Mapping):
        if isinstance(value, list) or depth > MAX_NESTING:
            raise ModelFileError(f"The model file is damaged: {where} cannot be read.")
        return value
    kind = require_text(require_field(value, "kind", where), where)
    if kind == "skeleton":
        return skeleton_from_dict(value, where)
    if kind == "constraint":
        return _constraint(value, where, depth)
    if kind in SOLVER_KINDS:
        return _solver(value, kind, where)
    if kind == "ndarray":
        return _array(value, where)
    items = [
        decode(item, where, depth + 1) for item in require_list(require_field(value, "items", where), where)
    ]
    return _container(kind, items, where)


def _array(value: Mapping[str, Any], where: str) -> NDArray[Any]:
    name = require_text(require_field(value, "type", where), where)
    items = require_list(require_field(value, "items", where), where)
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


def _constraint(value: Mapping[str, Any], where: str, depth: int) -> Any:  # noqa: ANN401
    name = require_text(require_field(value, "name", where), where)
    options = require_field(value, "options", where)
    if name not in CONSTRAINTS or not isinstance(options, Mapping) or depth > MAX_NESTING:
        raise ModelFileError(f"The model file is damaged: {where} asks for an unknown constraint {name!r}.")
    try:
        given = {key: decode(option, where, depth + 1) for key, option in options.items()}
        return CONSTRAINTS[name](**given)
    except (TypeError, ValueError) as problem:
        raise ModelFileError(f"The model file is damaged: {where} holds no valid {name}. {problem}") from None


def _solver(value: Mapping[str, Any], kind: str, where: str) -> Any:  # noqa: ANN401
    entries = SOLVER_KINDS[kind]
    name = require_text(require_field(value, "name", where), where)
    options = require_field(value, "options", where)
    if name not in entries or not isinstance(options, Mapping):
        raise ModelFileError(f"The model file is damaged: {where} asks for an unknown {kind} {name!r}.")
    try:
        return solver_class(entries[name])(**options)
    except (TypeError, ValueError):
        raise ModelFileError(f"The model file is damaged: {where} has options unknown to {name!r}.") from None
