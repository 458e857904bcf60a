"""JSON documents: checks of fields, dataclasses read by the types of their fields, checksum and parser."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Container, Mapping
from dataclasses import fields, is_dataclass
from functools import cache, partial
from types import NoneType
from typing import Any, Literal, NoReturn, TypeVar, cast, get_args, get_origin, get_type_hints

from oddlearn.errors import InvalidInputError, ModelFileError

Value = TypeVar("Value")

Check = Callable[[object, str], Any]  # of a value, given the name of its place: returns what is to be kept


def require_field(document: object, name: str, where: str) -> object:
    """Return one field of a JSON object."""
    if not isinstance(document, Mapping):
        raise ModelFileError(f"The model file is damaged: {where} must be an object.")
    if name not in document:
        raise ModelFileError(f"The model file is incomplete: {where} has no field {name!r}.")
    return document[name]


def read_field(document: object, name: str, where: str, check: Callable[..., Value], **limits: int) -> Value:
    """Return one field of a JSON object after a check of its value."""
    return check(require_field(document, name, where), f"{where}.{name}", **limits)


def require_int(value: object, where: str, low: int = 0, high: int | None = None) -> int:
    """Return a whole number in ``low..high``."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise ModelFileError(f"The model file is damaged: {where} must be a whole number, not {value!r}.")
    if value < low or (high is not None and value > high):
        limit = f"at least {low}" if high is None else f"between {low} and {high}"
        raise ModelFileError(f"The model file is damaged: {where} must be {limit}, not {value}.")
    return value


def require_finite(value: object, where: str) -> float:
    """Return a finite number."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not _is_finite(value):
        raise ModelFileError(f"The model file is damaged: {where} must be a finite number, not {value!r}.")
    return float(value)


def require_bool(value: object, where: str) -> bool:
    """Return a boolean."""
    if not isinstance(value, bool):
        raise ModelFileError(f"The model file is damaged: {where} must be true or false, not {value!r}.")
    return value


def require_text(value: object, where: str) -> str:
    """Return a string."""
    if not isinstance(value, str):
        raise ModelFileError(f"The model file is damaged: {where} must be text, not {value!r}.")
    return value


def require_list(value: object, where: str) -> list[object]:
    """Return a list."""
    if not isinstance(value, list):
        raise ModelFileError(f"The model file is damaged: {where} must be a list, not {value!r}.")
    return value


def require_numbers(value: object, where: str) -> list[float]:
    """Return a list of finite numbers."""
    items = require_list(value, where)
    return [require_finite(item, f"{where}[{place}]") for place, item in enumerate(items)]


def _is_finite(value: int | float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


PLAIN_CHECKS: dict[object, Check] = {
    int: require_int, float: require_finite, bool: require_bool, str: require_text,
}  # fmt: skip


def read_record(kind: type[Value], document: object, where: str, **checks: Check) -> Value:
    """Return a dataclass from a JSON object that has its fields, each checked by its annotated type.

    ``checks``: of the fields whose type says too little.
    """
    types = _field_types(cast("Any", kind))
    found = {
        name: read_field(document, name, where, checks.get(name) or _check_of(types[name])) for name in types
    }
    try:
        return kind(**found)
    except InvalidInputError as problem:
        raise ModelFileError(f"The model file does not hold a valid {where}. {problem}") from None


def read_items(check: Check, value: object, where: str) -> tuple[Any, ...]:
    """Return the items of a list, each checked."""
    return tuple(check(item, f"{where}[{place}]") for place, item in enumerate(require_list(value, where)))


@cache
def _field_types(kind: Any) -> dict[str, Any]:  # noqa: ANN401
    types = get_type_hints(kind)
    return {field.name: types[field.name] for field in fields(kind)}


@cache
def _check_of(annotation: Any) -> Check:  # noqa: ANN401
    """Return the check of a plain type, a dataclass, a tuple of items of one type, choices, or a union."""
    if annotation in PLAIN_CHECKS:
        return PLAIN_CHECKS[annotation]
    if is_dataclass(annotation):
        return partial(read_record, cast("type", annotation))
    if get_origin(annotation) is tuple:
        return partial(read_items, _check_of(get_args(annotation)[0]))
    literals = [part for part in (annotation, *get_args(annotation)) if get_origin(part) is Literal]
    if literals:
        return partial(require_choice, {choice for part in literals for choice in get_args(part)})
    return partial(_read_union, get_args(annotation))


def require_choice(allowed: Container[object], value: object, where: str) -> Any:  # noqa: ANN401
    """Return one of some values."""
    if not isinstance(value, str) or value not in allowed:
        raise ModelFileError(f"The model file is damaged: {where} is {value!r}.")
    return value


def _read_union(types: tuple[Any, ...], value: object, where: str) -> Any:  # noqa: ANN401
    """Return a value that may be None or of one other type, or that is of one of several plain types."""
    others = tuple(kind for kind in types if kind is not NoneType)
    if value is None and len(others) < len(types):
        return None
    if len(others) == 1:
        return _check_of(others[0])(value, where)
    if not isinstance(value, others):
        raise ModelFileError(f"The model file is damaged: {where} holds {value!r}, not a label.")
    return value


def checksum(content: Mapping[str, object]) -> str:
    """Return the SHA-256 of JSON-able content, in hexadecimal."""
    canonical = json.dumps(content, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(canonical.encode()).hexdigest()


def verify_checksum(document: object, what: str) -> None:
    """Refuse a document whose field ``checksum`` is not that of its other fields."""
    stored = require_field(document, "checksum", f"the {what}")
    assert isinstance(document, Mapping)
    content = {name: value for name, value in document.items() if name != "checksum"}
    if stored != checksum(content):
        raise ModelFileError(f"The {what} was changed after it was written: its checksum does not match.")


def parse_json(content: str) -> object:
    """Return the content of JSON text whose numbers are all finite."""
    try:
        return json.loads(content, parse_constant=_refuse_constant, parse_float=_finite_float)
    except ModelFileError:
        raise
    except (ValueError, RecursionError) as problem:
        message = f"The model file is not complete JSON, it may be truncated: {problem}."
        raise ModelFileError(message) from None


def _finite_float(digits: str) -> float:
    value = float(digits)
    if math.isinf(value):
        _refuse_constant(digits[:40])
    return value


def _refuse_constant(name: str) -> NoReturn:
    raise ModelFileError(f"The model file is damaged: it holds {name}, and only finite numbers are allowed.")
