"""How a model was made: kept inside its file, so that ``predict`` and ``verify`` need not be told again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from oddlearn.diagram.json_checks import checksum
from oddlearn.errors import ModelFileError
from oddlearn.table.csv_dialect import NO_HABIT, Habit

FIELD = "origin"

# what the fields are in JSON
KINDS: dict[str, tuple[type, ...]] = {
    "target": (str,),
    "weights": (str, type(None)),
    "dropped": (list,),
    "sensitive": (list,),
    "skip_missing": (bool,),
    "test_size": (int, float),
    "seed": (int,),
}

# what the fields of the habit are; files of before have none
HABIT = "habit"
HABIT_KINDS: dict[str, tuple[type, ...]] = {
    "delimiter": (str, type(None)),
    "decimal": (str, type(None)),
    "decimal_commas": (list,),
}


@dataclass(frozen=True)
class Roles:
    """Which columns of a file do what, and which rows are held out.

    Attributes
    ----------
    target : str
        Column of the labels.
    weights : str or None
        Column of the sample weights.
    dropped, sensitive : tuple of str
        Columns that are not used, and columns of groups; neither are features.
    skip_missing : bool
        Leave out rows with missing values.
    test_size : float
        Share of the rows that is held out.
    seed : int
    habit : Habit
        How the file was read.
    """

    target: str
    weights: str | None = None
    dropped: tuple[str, ...] = ()
    sensitive: tuple[str, ...] = ()
    skip_missing: bool = False
    test_size: float = 0.25
    seed: int = 0
    habit: Habit = NO_HABIT


def with_origin(model: str, roles: Roles) -> str:
    """Return the text of a model file with the roles in it, under its checksum."""
    document = json.loads(model)
    content = {name: value for name, value in document.items() if name != "checksum"}
    content[FIELD] = asdict(roles)
    return json.dumps({**content, "checksum": checksum(content)}, indent=1, allow_nan=False)


def origin_of(model: str) -> Roles | None:
    """Return the roles in the text of a model file, which was read before; None when it has none."""
    stored = json.loads(model).get(FIELD)
    if stored is None:
        return None
    known = _has(stored, KINDS) and (HABIT not in stored or _has(stored[HABIT], HABIT_KINDS))
    if not known or not 0 <= stored["test_size"] < 1 or not 0 <= stored["seed"] < 2**32:
        raise ModelFileError("The model file is damaged: what it says of its origin cannot be read.")
    return _roles(stored)


def _has(stored: object, kinds: Mapping[str, tuple[type, ...]]) -> bool:
    return isinstance(stored, Mapping) and all(
        name in stored and isinstance(stored[name], allowed) for name, allowed in kinds.items()
    )


def _habit(stored: Mapping[str, Any]) -> Habit:
    return Habit(stored["delimiter"], stored["decimal"], tuple(map(str, stored["decimal_commas"])))


def _roles(stored: Mapping[str, Any]) -> Roles:
    return Roles(
        target=stored["target"],
        weights=stored["weights"],
        dropped=tuple(map(str, stored["dropped"])),
        sensitive=tuple(map(str, stored["sensitive"])),
        skip_missing=stored["skip_missing"],
        test_size=stored["test_size"],
        seed=stored["seed"],
        habit=_habit(stored[HABIT]) if HABIT in stored else NO_HABIT,
    )
