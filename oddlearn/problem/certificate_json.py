"""Certificates read back from a model file; one that was changed is refused."""

from __future__ import annotations

import math
from functools import partial

from oddlearn.diagram.json_checks import (
    read_items,
    read_record,
    require_choice,
    require_field,
    require_finite,
    verify_checksum,
)
from oddlearn.errors import ModelFileError
from oddlearn.problem.certificate import ENDINGS, Certificate
from oddlearn.problem.constraint_block import ConstraintStatus
from oddlearn.problem.events import Bounded, Event, Improved
from oddlearn.problem.node_count_claim import MEASURES

EVENTS: dict[object, type[Event]] = {"Improved": Improved, "Bounded": Bounded}


def certificate_from_dict(document: object) -> Certificate:
    """Read a certificate written by ``Certificate.to_dict``; anything else raises ModelFileError."""
    verify_checksum(document, "certificate")
    return read_record(
        Certificate,
        document,
        "certificate",
        objective_bounds=_bounds,
        measure=partial(require_choice, MEASURES),
        events=partial(read_items, _event),
        constraints=partial(read_items, partial(read_record, ConstraintStatus, slack=_finite_or_inf)),
        ending=partial(require_choice, ENDINGS),
    )


def _bounds(value: object, where: str) -> tuple[float, ...]:
    if not value:
        raise ModelFileError(f"The model file is damaged: {where} is empty.")
    return read_items(_finite_or_inf, value, where)


def _finite_or_inf(value: object, where: str) -> float:
    return math.inf if value is None else require_finite(value, where)


def _event(document: object, where: str) -> Event:
    kind = require_choice(EVENTS, require_field(document, "kind", where), f"{where}.kind")
    return read_record(EVENTS[kind], document, where)
