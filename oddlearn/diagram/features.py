"""Features and the columns of the user's table they come from; class labels."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Literal

import numpy as np

from oddlearn.diagram.timestamps import TIMESTAMP_KINDS, TimestampKind
from oddlearn.errors import InvalidInputError

FeatureKind = Literal["number", "category", "other", "missing", "boolean"] | TimestampKind

# kinds of features that are 0 or 1
BINARY_KINDS: tuple[FeatureKind, ...] = ("category", "other", "missing", "boolean")

FEATURE_KINDS: tuple[FeatureKind, ...] = ("number", *BINARY_KINDS, *TIMESTAMP_KINDS)

Label = str | int | float | bool


@dataclass(frozen=True)
class Feature:
    """One number of a row, and the column of the user's table it comes from."""

    column: str  # name of the column
    category: Label | None = None  # with kind "category": the feature is 1 where the column holds it
    # "number": a number as it stands. "date", "datetime", "datetime_utc", "time", "duration": days or
    # seconds, see ``timestamps``. "category": 1 where the column holds the category. "other": 1 where it
    # holds one of the rare categories, which are pooled, or an unknown one. "missing": 1 where its value is
    # missing. "boolean": 1 for true and 0 for false.
    kind: FeatureKind = "number"
    has_missing: bool = False  # True if values of it were missing in the training data
    # number that stands for a missing value; None: it stays NaN, or cannot occur. Of a category or "other"
    # behind an imputer 1 if that is what it fills in, else 0; None: a missing value is no category
    fill: float | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "column", str(self.column))
        if self.kind not in FEATURE_KINDS:
            kinds = ", ".join(f'"{kind}"' for kind in FEATURE_KINDS)
            raise InvalidInputError(f"The kind of a feature is {self.kind!r}: give one of {kinds}.")
        if (self.kind == "category") != (self.category is not None):
            raise InvalidInputError(
                f"The feature {self.column!r} is a {self.kind} with the category {self.category!r}: features "
                "of kind category have one, others have None."
            )
        if self.category is not None:
            object.__setattr__(self, "category", to_plain_label(self.category, "A category"))

    @property
    def name(self) -> str:
        """The column's name, or ``colour = red``, ``colour is other`` or ``colour is missing``."""
        if self.kind in ("other", "missing"):
            return f"{self.column} is {self.kind}"
        return self.column if self.category is None else f"{self.column} = {self.category}"

    @property
    def is_binary(self) -> bool:
        """True for a feature that is 0 or 1: a category of a column, or a boolean."""
        return self.kind in BINARY_KINDS

    @property
    def timestamp_kind(self) -> TimestampKind | None:
        """The kind of a date, time or duration, None for other features."""
        return self.kind if self.kind in TIMESTAMP_KINDS else None

    def to_dict(self) -> dict[str, object]:
        """Return JSON-able content."""
        return asdict(self)


def default_features(n_features: int) -> tuple[Feature, ...]:
    """Return features of a table whose columns have no names: x0, x1, ..."""
    return tuple(Feature(f"x{place}") for place in range(n_features))


def to_plain_label(label: object, what: str = "A class label") -> Label:
    """Return a label as a plain Python value; ``what`` names it in the error."""
    plain = label.item() if isinstance(label, np.generic) else label
    if not isinstance(plain, (str, int, float, bool)):
        raise InvalidInputError(f"{what} is text, a number or a boolean; got {label!r}.")
    return plain
