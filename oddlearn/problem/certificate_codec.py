"""Certificates read back from a model file; one that was changed is refused."""

from __future__ import annotations

from collections.abc import Mapping

from oddlearn.diagram.fields import field_of, finite, listed, text, whole
from oddlearn.diagram.skeleton import Skeleton
from oddlearn.errors import InvalidInputError, ModelFileError
from oddlearn.problem.certificate import Certificate, Evidence, checksum
from oddlearn.problem.events import Bounded, Event, Improved

WHERE = "certificate"


def certificate_from_dict(document: object) -> Certificate:
    """Read a certificate written by ``Certificate.to_dict``; anything else raises ModelFileError."""
    _check_untouched(document)
    numbers = ("objective", "lower_bound", "violation", "margin", "alpha")
    values = {name: finite(field_of(document, name, WHERE), f"{WHERE}.{name}") for name in numbers}
    evidence = listed(field_of(document, "evidence", WHERE), f"{WHERE}.evidence")
    events = listed(field_of(document, "events", WHERE), f"{WHERE}.events")
    return Certificate(
        digest=text(field_of(document, "digest", WHERE), f"{WHERE}.digest"),
        split=text(field_of(document, "split", WHERE), f"{WHERE}.split"),
        skeleton=_skeleton(field_of(document, "skeleton", WHERE)),
        evidence=tuple(_evidence(item) for item in evidence),
        events=tuple(_event(item) for item in events),
        **values,
    )


def _check_untouched(document: object) -> None:
    stored = field_of(document, "checksum", WHERE)
    if not isinstance(document, Mapping):
        raise ModelFileError("The certificate must be an object.")
    content = {name: value for name, value in document.items() if name != "checksum"}
    if stored != checksum(content):
        raise ModelFileError("The certificate was changed after it was written: its checksum does not match.")


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
    )


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
