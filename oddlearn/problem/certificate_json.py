"""Certificates read back from a model file; one that was changed is refused."""

from __future__ import annotations

import math
from collections.abc import Mapping

from oddlearn.diagram.json_checks import check_untouched, field_of, finite, listed, text, whole
from oddlearn.diagram.skeleton import Skeleton
from oddlearn.errors import InvalidInputError, ModelFileError
from oddlearn.problem.certificate import Certificate, Evidence
from oddlearn.problem.constraint_block import Requirement
from oddlearn.problem.events import Bounded, Event, Improved

WHERE = "certificate"

# what evidence of exact engines says besides
TEXTS = ("version", "options", "size", "ending")


def certificate_from_dict(document: object) -> Certificate:
    """Read a certificate written by ``Certificate.to_dict``; anything else raises ModelFileError."""
    check_untouched(document, "certificate")
    numbers = ("objective", "lower_bound", "violation", "margin", "alpha")
    values = {name: finite(field_of(document, name, WHERE), f"{WHERE}.{name}") for name in numbers}
    evidence = listed(field_of(document, "evidence", WHERE), f"{WHERE}.evidence")
    events = listed(field_of(document, "events", WHERE), f"{WHERE}.events")
    ignored = listed(field_of(document, "ignored_features", WHERE), f"{WHERE}.ignored_features")
    return Certificate(
        digest=text(field_of(document, "digest", WHERE), f"{WHERE}.digest"),
        split=text(field_of(document, "split", WHERE), f"{WHERE}.split"),
        skeleton=_skeleton(field_of(document, "skeleton", WHERE)),
        evidence=tuple(_evidence(item) for item in evidence),
        events=tuple(_event(item) for item in events),
        ignored_features=tuple(whole(item, f"{WHERE}.ignored_features") for item in ignored),
        requirements=tuple(_requirement(item) for item in _requirements(document)),
        **values,
    )


def _requirements(document: object) -> list[object]:
    return listed(_given(document, "requirements", []), f"{WHERE}.requirements")


def _requirement(document: object) -> Requirement:
    where = f"{WHERE}.requirements"
    slack = field_of(document, "slack", where)
    return Requirement(
        required=text(field_of(document, "required", where), where),
        reached=text(field_of(document, "reached", where), where),
        slack=math.inf if slack is None else finite(slack, where),
        is_soft=field_of(document, "is_soft", where) is True,
    )


def _skeleton(document: object) -> Skeleton:
    where = f"{WHERE}.skeleton"
    widths = [whole(width, where, low=1) for width in listed(field_of(document, "widths", where), where)]
    try:
        return Skeleton(tuple(widths), tree_only=field_of(document, "tree_only", where) is True)
    except InvalidInputError as problem:
        raise ModelFileError(f"The certificate does not hold a valid skeleton. {problem}") from None


def _evidence(document: object) -> Evidence:
    where = f"{WHERE}.evidence"
    return Evidence(
        text(field_of(document, "engine", where), where),
        finite(field_of(document, "bound", where), where),
        text(field_of(document, "text", where), where),
        finite(field_of(document, "seconds", where), where),
        **{name: text(_given(document, name, ""), where) for name in TEXTS},
        nodes=whole(_given(document, "nodes", 0), where),
    )


def _given(document: object, name: str, default: object) -> object:
    """Return a field that files written by earlier versions lack."""
    return document.get(name, default) if isinstance(document, Mapping) else default


def _event(document: object) -> Event:
    where = f"{WHERE}.events"
    kind = field_of(document, "kind", where)
    seconds = finite(field_of(document, "seconds", where), where)
    if kind == "Improved":
        objective = finite(field_of(document, "objective", where), where)
        return Improved(seconds, objective, whole(field_of(document, "n_nodes", where), where))
    if kind == "Bounded":
        return Bounded(seconds, finite(field_of(document, "lower_bound", where), where))
    raise ModelFileError(f"The model file is damaged: {where} holds an unknown kind {kind!r}.")
