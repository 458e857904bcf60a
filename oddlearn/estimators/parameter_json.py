"""Parameters of an estimator as JSON."""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oddlearn.constraints import CONSTRAINTS
from oddlearn.diagram.json_checks import field_of, listed, text, whole
from oddlearn.diagram.skeleton import Skeleton
from oddlearn.errors import InvalidInputError, ModelFileError
from oddlearn.solve.solver import ENGINES, PROVERS, engine_class, prover_class

# kinds of arrays among the parameters
ARRAY_TYPE = re.compile(r"[<>|=]?([biuf][1248]|U[0-9]{1,4})")

# parameters nest as deep as a list of lists, a cost matrix
MAX_NESTING = 4

NOT_STORED = object()

# parameters that are engines with options: the names of the known ones, and their classes
ENGINE_KINDS: Mapping[str, tuple[Mapping[str, object], Callable[[str], Any]]] = {
    "search": (ENGINES, engine_class),
    "prover": (PROVERS, prover_class),
}


def encode(value: Any) -> Any:  # noqa: ANN401
    """Return a parameter as JSON content, NOT_STORED if JSON cannot hold it."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return NOT_STORED
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, Skeleton):
        return {"kind": "skeleton", "widths": list(value.widths), "tree_only": value.tree_only}
    if isinstance(value, (list, tuple)):
        return _encode_items("list" if isinstance(value, list) else "tuple", value)
    if hasattr(value, "__array__"):
        return _encode_array(np.asarray(value))
    if isinstance(value, Mapping):
        return _encode_items("dict", value.items())
    if type(value) is CONSTRAINTS.get(type(value).__name__):
        return _encode_constraint(value)
    for kind, (names, class_of) in ENGINE_KINDS.items():
        if getattr(value, "name", None) in names and type(value) is class_of(value.name):
            options = {name: given for name, given in dataclasses.asdict(value).items() if name != "name"}
            return {"kind": kind, "name": value.name, "options": options}
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


def decode(value: Any, where: str, depth: int = 0) -> Any:  # noqa: ANN401
    """Return the parameter of JSON content written by ``encode``."""
    if not isinstance(value, Mapping):
        if isinstance(value, list) or depth > MAX_NESTING:
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
    items = [decode(item, where, depth + 1) for item in listed(field_of(value, "items", where), where)]
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
    if name not in CONSTRAINTS or not isinstance(options, Mapping) or depth > MAX_NESTING:
        raise ModelFileError(f"The model file is damaged: {where} asks for an unknown constraint {name!r}.")
    try:
        given = {key: decode(option, where, depth + 1) for key, option in options.items()}
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
