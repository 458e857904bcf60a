"""Certificates read back from a model file; one that was changed is refused."""

from __future__ import annotations

import math
from collections.abc import Callable, Container
from typing import TypeVar

from oddlearn.diagram.json_checks import (
    read_field,
    require_field,
    require_finite,
    require_int,
    require_list,
    require_text,
    verify_checksum,
)
from oddlearn.diagram.skeleton import skeleton_from_dict
from oddlearn.errors import ModelFileError
from oddlearn.problem.certificate import ENDINGS, Certificate, Evidence
from oddlearn.problem.constraint_block import ConstraintStatus
from oddlearn.problem.events import Bounded, Event, Improved
from oddlearn.problem.node_count_claim import MEASURES

WHERE = "certificate"

# fields of one type
NUMBERS = ("objective", "violation", "margin", "node_price")
EVIDENCE_TEXTS = ("solver", "text", "version", "options", "size", "status")

Value = TypeVar("Value")


def certificate_from_dict(document: object) -> Certificate:
    """Read a certificate written by ``Certificate.to_dict``; anything else raises ModelFileError."""
    verify_checksum(document, "certificate")
    only_class = require_field(document, "only_class", WHERE)
    return Certificate(
        digest=read_field(document, "digest", WHERE, require_text),
        split=read_field(document, "split", WHERE, require_text),
        missed_text=read_field(document, "missed_text", WHERE, require_text),
        **{name: read_field(document, name, WHERE, require_finite) for name in NUMBERS},
        n_nodes=read_field(document, "n_nodes", WHERE, require_int),
        objective_bounds=_read_list(document, "objective_bounds", _finite_or_inf),
        skeleton=read_field(document, "skeleton", WHERE, skeleton_from_dict),
        measure=_choice(document, "measure", MEASURES),
        evidence=_read_list(document, "evidence", _evidence),
        events=_read_list(document, "events", _event),
        ignored_features=_read_list(document, "ignored_features", require_int),
        constraints=_read_list(document, "constraints", _constraint_status),
        unpredicted_classes=_read_list(document, "unpredicted_classes", require_text),
        only_class=None if only_class is None else require_text(only_class, f"{WHERE}.only_class"),
        is_single_node_optimal=require_field(document, "is_single_node_optimal", WHERE) is True,
        ending=_choice(document, "ending", ENDINGS),
    )


def _read_list(document: object, name: str, read: Callable[[object, str], Value]) -> tuple[Value, ...]:
    given = read_field(document, name, WHERE, require_list)
    if name == "objective_bounds" and not given:
        raise ModelFileError(f"The model file is damaged: {WHERE}.{name} is empty.")
    return tuple(read(item, f"{WHERE}.{name}") for item in given)


def _finite_or_inf(value: object, where: str) -> float:
    return math.inf if value is None else require_finite(value, where)


def _choice(document: object, name: str, allowed: Container[str]) -> str:
    value = read_field(document, name, WHERE, require_text)
    if value not in allowed:
        raise ModelFileError(f"The model file is damaged: {WHERE}.{name} is {value!r}.")
    return value


def _constraint_status(document: object, where: str) -> ConstraintStatus:
    return ConstraintStatus(
        required=read_field(document, "required", where, require_text),
        reached=read_field(document, "reached", where, require_text),
        slack=read_field(document, "slack", where, _finite_or_inf),
        is_soft=require_field(document, "is_soft", where) is True,
    )


def _evidence(document: object, where: str) -> Evidence:
    return Evidence(
        bound=read_field(document, "bound", where, require_finite),
        seconds=read_field(document, "seconds", where, require_finite),
        nodes=read_field(document, "nodes", where, require_int),
        **{name: read_field(document, name, where, require_text) for name in EVIDENCE_TEXTS},
    )


def _event(document: object, where: str) -> Event:
    kind = require_field(document, "kind", where)
    seconds = read_field(document, "seconds", where, require_finite)
    if kind == "Improved":
        objective = read_field(document, "objective", where, require_finite)
        return Improved(seconds, objective, read_field(document, "n_nodes", where, require_int))
    if kind == "Bounded":
        return Bounded(seconds, read_field(document, "lower_bound", where, require_finite))
    raise ModelFileError(f"The model file is damaged: {where} holds an unknown kind {kind!r}.")
