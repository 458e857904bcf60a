"""A result as a row of a file, and back: what a file says is checked before anything is read off it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields
from itertools import pairwise
from operator import attrgetter, itemgetter
from typing import Any

from oddlearn.datasets import find_entry
from oddlearn.diagram.skeleton import Skeleton
from oddlearn.errors import InvalidInputError
from oddlearn.experiments.flows import shape_of
from oddlearn.experiments.trial import Outcome, Result, Trial

TRIAL_COLUMNS = tuple(field.name for field in fields(Trial))
OUTCOME_COLUMNS = tuple(field.name for field in fields(Outcome))
COLUMNS = (*TRIAL_COLUMNS, *OUTCOME_COLUMNS)

# annotations are texts: the columns' types by name
KINDS = tuple(str(field.type) for owner in (Trial, Outcome) for field in fields(owner))

# a table holds the words, a database the numbers
TRUTHS = {"True": True, "False": False, "1": True, "0": False, 1: True, 0: False}

# what a column of a type holds, in words
WORDS = {"int": "a whole number", "float": "a number", "bool": "True or False"}

# all fields as a tuple; unlike dataclasses.astuple it copies none, which would take most of the time
_trial_values = attrgetter(*TRIAL_COLUMNS)
_outcome_values = attrgetter(*OUTCOME_COLUMNS)


def row_of(result: Result) -> tuple[Any, ...]:
    """Return the values of a result in the order of ``COLUMNS``."""
    return (*_trial_values(result.trial), *_outcome_values(result.outcome))


def result_of(row: Sequence[object]) -> Result:
    """Return the result that a row holds, its values in the order of ``COLUMNS``.

    Raises
    ------
    ValueError
        When no trial could have come to this.
    """
    if len(row) != len(COLUMNS):
        raise ValueError(f"{len(row)} fields, and {len(COLUMNS)} are expected")
    try:
        values = [read(value) for read, value in zip(_READERS, row, strict=True)]
    except (ValueError, TypeError, KeyError):
        raise ValueError(_misread(row)) from None
    result = Result(Trial(*values[: len(TRIAL_COLUMNS)]), Outcome(*values[len(TRIAL_COLUMNS) :]))
    _check_flows(result)
    return result


def in_order(results: Iterable[Result]) -> list[Result]:
    """Return results sorted by trial.

    Raises
    ------
    InvalidInputError
        When a trial is there twice: every count of a table would be too high.
    """
    # tuples of fields, made once: trials make theirs anew for every comparison
    keyed = sorted(((_trial_values(one.trial), one) for one in results), key=itemgetter(0))
    for (values, one), (others, _) in pairwise(keyed):
        if values == others:
            how = f"{one.trial.method}, {one.trial.seconds:g} s"
            raise InvalidInputError(f"A trial is there twice: {one.trial}, {how}.")
    return [one for _, one in keyed]


def _whole(value: object) -> int:
    return int(str(value))


_READERS_BY_KIND: dict[str, Callable[[Any], Any]] = {
    "int": _whole,
    "float": float,
    "bool": TRUTHS.__getitem__,
}
_READERS = tuple(_READERS_BY_KIND.get(kind, str) for kind in KINDS)


def _misread(row: Sequence[object]) -> str:
    """Return which value of a row is not what its column holds."""
    for name, kind, read, value in zip(COLUMNS, KINDS, _READERS, row, strict=True):
        try:
            read(value)
        except (ValueError, TypeError, KeyError):
            return f"{name} is {value!r}, and not {WORDS[kind]}"
    raise AssertionError("every value of the row can be read")


def _check_flows(result: Result) -> None:
    trial, outcome = result.trial, result.outcome
    shape = shape_of(outcome.flows)
    if shape.n_nodes != outcome.n_nodes:
        raise ValueError(f"n_nodes is {outcome.n_nodes}, and flows has {shape.n_nodes}")
    shape.check(Skeleton.parse(trial.skeleton), trial.is_tree, find_entry(trial.dataset).classes)
