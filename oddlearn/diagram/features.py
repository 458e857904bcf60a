"""What a feature stands for in the user's table; class labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from oddlearn.diagram.json_checks import field_of, text
from oddlearn.errors import InvalidInputError, ModelFileError

FeatureKind = Literal["number", "category", "boolean"]

Label = str | int | float | bool


@dataclass(frozen=True)
class Feature:
    """One number of a row, and the column of the user's table it comes from.

    Parameters
    ----------
    column : str
        Name of the column.
    category : str, int, float, bool or None
        With kind "category": the feature is 1 where the column holds this category, else 0.
    kind : "number", "category" or "boolean"
        A number as it stands; one category of a column; a column of booleans, 1 for true and 0 for false.
    """

    column: str
    category: Label | None = None
    kind: FeatureKind = "number"

    def __post_init__(self) -> None:
        object.__setattr__(self, "column", str(self.column))
        if self.kind not in get_args(FeatureKind):
            raise InvalidInputError(f"The kind of a feature is {self.kind!r}: give one of {KINDS}.")
        if (self.kind == "category") != (self.category is not None):
            raise InvalidInputError(
                f"The feature {self.column!r} is a {self.kind} with the category {self.category!r}: features "
                "of kind category have one, others have None."
            )
        if self.category is not None:
            object.__setattr__(self, "category", plain_label(self.category, "A category"))

    @property
    def name(self) -> str:
        """The column's name, or ``colour = red`` for a category of it."""
        return self.column if self.category is None else f"{self.column} = {self.category}"

    def to_dict(self) -> dict[str, object]:
        """Return JSON-able content."""
        return {"column": self.column, "category": self.category, "kind": self.kind}


KINDS = ", ".join(f'"{kind}"' for kind in get_args(FeatureKind))


def numbered(n_features: int) -> tuple[Feature, ...]:
    """Return features of a table whose columns have no names: x0, x1, ..."""
    return tuple(Feature(f"x{place}") for place in range(n_features))


def feature_from_dict(document: object, where: str = "feature") -> Feature:
    """Read a feature written by ``to_dict``; a damaged one raises ModelFileError."""
    column = text(field_of(document, "column", where), f"{where}.column")
    category = field_of(document, "category", where)
    kind = text(field_of(document, "kind", where), f"{where}.kind")
    if category is not None:
        category = label_from(category, f"{where}.category")
    try:
        return Feature(column, category, kind)  # type: ignore[arg-type]
    except InvalidInputError as problem:
        raise ModelFileError(f"The model file does not hold a valid feature. {problem}") from None


def plain_label(label: object, what: str = "A class label") -> Label:
    """Return a label as a plain Python value; ``what`` names it in the error."""
    plain = label.item() if isinstance(label, np.generic) else label
    if not isinstance(plain, (str, int, float, bool)):
        raise InvalidInputError(f"{what} is text, a number or a boolean; got {label!r}.")
    return plain


def label_from(value: object, where: str) -> Label:
    """Return a label read from a model file; ``where`` names the field."""
    if not isinstance(value, (str, int, float, bool)):
        raise ModelFileError(f"The model file is damaged: {where} holds {value!r}, not a label.")
    return value
