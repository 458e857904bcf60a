"""Checks of the fields of a JSON document, its checksum, and its parser."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Mapping
from typing import NoReturn, TypeVar

from oddlearn.errors import ModelFileError

Value = TypeVar("Value")


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
