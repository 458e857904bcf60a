"""Certificates read back from a model file; one that was changed is refused."""

from __future__ import annotations

import math
from collections.abc import Container

from oddlearn.diagram.json_checks import (
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

# fields of the evidence of exact solvers
TEXTS = ("version", "options", "size", "status")


def certificate_from_dict(document: object) -> Certificate:
    """Read a certificate written by ``Certificate.to_dict``; anything else raises ModelFileError."""
    verify_checksum(document, "certificate")
    numbers = ("objective", "violation", "margin", "node_price")
    values = {
        name: require_finite(require_field(document, name, WHERE), f"{WHERE}.{name}") for name in numbers
    }
    evidence = require_list(require_field(document, "evidence", WHERE), f"{WHERE}.evidence")
    events = require_list(require_field(document, "events", WHERE), f"{WHERE}.events")
    constraints = require_list(require_field(document, "constraints", WHERE), f"{WHERE}.constraints")
    ignored = require_list(require_field(document, "ignored_features", WHERE), f"{WHERE}.ignored_features")
    unpredicted = require_list(
        require_field(document, "unpredicted_classes", WHERE), f"{WHERE}.unpredicted_classes"
    )
    return Certificate(
        digest=require_text(require_field(document, "digest", WHERE), f"{WHERE}.digest"),
        split=require_text(require_field(document, "split", WHERE), f"{WHERE}.split"),
        skeleton=skeleton_from_dict(require_field(document, "skeleton", WHERE), f"{WHERE}.skeleton"),
        evidence=tuple(_evidence(item) for item in evidence),
        events=tuple(_event(item) for item in events),
        ignored_features=tuple(require_int(item, f"{WHERE}.ignored_features") for item in ignored),
        constraints=tuple(_constraint_status(item) for item in constraints),
        unpredicted_classes=tuple(require_text(item, f"{WHERE}.unpredicted_classes") for item in unpredicted),
        n_nodes=require_int(require_field(document, "n_nodes", WHERE), f"{WHERE}.n_nodes"),
        objective_bounds=_bounds(document),
        measure=_choice(document, "measure", MEASURES),
        only_class=_optional_text(document, "only_class"),
        missed_text=require_text(require_field(document, "missed_text", WHERE), f"{WHERE}.missed_text"),
        is_single_node_optimal=require_field(document, "is_single_node_optimal", WHERE) is True,
        ending=_choice(document, "ending", ENDINGS),
        **values,
    )


def _bounds(document: object) -> tuple[float, ...]:
    where = f"{WHERE}.objective_bounds"
    given = require_list(require_field(document, "objective_bounds", WHERE), where)
    if not given:
        raise ModelFileError(f"The model file is damaged: {where} is empty.")
    return tuple(math.inf if bound is None else require_finite(bound, where) for bound in given)


def _choice(document: object, name: str, allowed: Container[str]) -> str:
    value = require_text(require_field(document, name, WHERE), f"{WHERE}.{name}")
    if value not in allowed:
        raise ModelFileError(f"The model file is damaged: {WHERE}.{name} is {value!r}.")
    return value


def _optional_text(document: object, name: str) -> str | None:
    value = require_field(document, name, WHERE)
    return None if value is None else require_text(value, f"{WHERE}.{name}")


def _constraint_status(document: object) -> ConstraintStatus:
    where = f"{WHERE}.constraints"
    slack = require_field(document, "slack", where)
    return ConstraintStatus(
        required=require_text(require_field(document, "required", where), where),
        reached=require_text(require_field(document, "reached", where), where),
        slack=math.inf if slack is None else require_finite(slack, where),
        is_soft=require_field(document, "is_soft", where) is True,
    )


def _evidence(document: object) -> Evidence:
    where = f"{WHERE}.evidence"
    return Evidence(
        require_text(require_field(document, "solver", where), where),
        require_finite(require_field(document, "bound", where), where),
        require_text(require_field(document, "text", where), where),
        require_finite(require_field(document, "seconds", where), where),
        **{name: require_text(require_field(document, name, where), where) for name in TEXTS},
        nodes=require_int(require_field(document, "nodes", where), where),
    )


def _event(document: object) -> Event:
    where = f"{WHERE}.events"
    kind = require_field(document, "kind", where)
    seconds = require_finite(require_field(document, "seconds", where), where)
    if kind == "Improved":
        objective = require_finite(require_field(document, "objective", where), where)
        return Improved(seconds, objective, require_int(require_field(document, "n_nodes", where), where))
    if kind == "Bounded":
        return Bounded(seconds, require_finite(require_field(document, "lower_bound", where), where))
    raise ModelFileError(f"The model file is damaged: {where} holds an unknown kind {kind!r}.")
