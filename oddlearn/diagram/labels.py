"""Labels of classes and categories: the plain values that JSON holds."""

from __future__ import annotations

import numpy as np

from oddlearn.errors import InvalidInputError, ModelFileError

Label = str | int | float | bool


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
