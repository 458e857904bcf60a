"""A trial of the study: one training run, named by everything its outcome depends on."""

from __future__ import annotations

import hashlib
import json
import math
from dataclasses import asdict, dataclass
from numbers import Real
from operator import attrgetter, le
from typing import Literal

from oddlearn.datasets import find_entry
from oddlearn.diagram.skeleton import Skeleton
from oddlearn.errors import InvalidInputError

Split = Literal["univariate", "multivariate"]
Method = Literal["construct", "alternate", "auto"]
Rows = Literal["training", "all"]
Target = Literal["published", "corrected"]

# what each field that is a word may say
ALLOWED = {
    "split": ("univariate", "multivariate"),
    "method": ("construct", "alternate", "auto"),
    "scaling": ("training", "all"),
    "target": ("published", "corrected"),
}

# the largest number that is not infinite
MOST = math.nextafter(math.inf, 0.0)

# from where to where each field that is a number may go, and in words
RANGES = {
    "seed": (0, 2**32 - 1, "a whole number from 0 to 4294967295"),
    "alpha": (0.0, MOST, "a number from 0 on"),
    "seconds": (math.nextafter(0.0, 1.0), MOST, "seconds above 0"),
    "stability": (0.0, math.nextafter(1.0, 0.0), "a share from 0 to below 1"),
}

# the same of an outcome
OUTCOME_RANGES = {
    "objective": (0.0, MOST, "a number from 0 on"),
    "lower_bound": (-MOST, MOST, "a finite number"),
    "n_nodes": (0, MOST, "a whole number from 0 on"),
    "training": (0.0, 1.0, "an accuracy from 0 to 1"),
    "validation": (0.0, 1.0, "an accuracy from 0 to 1"),
    "test": (0.0, 1.0, "an accuracy from 0 to 1"),
    "spent": (0.0, MOST, "seconds from 0 on"),
    "iterations": (0, MOST, "a whole number from 0 on"),
}
OUTCOME_LEAST = tuple(least for least, _, _ in OUTCOME_RANGES.values())
OUTCOME_MOST = tuple(most for _, most, _ in OUTCOME_RANGES.values())

_numbers_of = attrgetter(*OUTCOME_RANGES)


@dataclass(frozen=True, order=True)
class Trial:
    """One training run.

    Attributes
    ----------
    dataset : str
        Its name in the catalogue.
    seed : int
        Of the authors' split into training, validation and test rows, and of the search.
    skeleton : str
        Such as "1-2-4-8".
    is_tree : bool
        Only trees: no node has two parents. The skeleton is then a full binary one.
    alpha : float
    split : str
        "univariate" or "multivariate".
    method : str
        "construct" is step 1 of the paper alone, "alternate" our search alone, "auto" the search and whatever
        proves.
    seconds : float
        Time limit of the run.
    stability : float
        Least share of the samples that every node must see; 0 for no such demand.
    scaling : str
        Rows whose range becomes the unit box: "training", or "all" as in the authors' code, which lets the
        training see the range of the test rows.
    target : str
        "published", or "corrected" for the monks data sets, whose files have the classes among the features.
    """

    dataset: str
    seed: int
    skeleton: str
    is_tree: bool
    alpha: float
    split: Split
    method: Method
    seconds: float
    stability: float = 0.0
    scaling: Rows = "training"
    target: Target = "published"

    def __post_init__(self) -> None:
        find_entry(self.dataset)
        for name, allowed in ALLOWED.items():
            given = getattr(self, name)
            if given not in allowed:
                raise InvalidInputError(f"{name} is {given!r}: give one of {', '.join(allowed)}.")
        # 1 and 1.0 are one trial, so they must have one key: every field is brought to one form
        for name in RANGES:
            object.__setattr__(self, name, _number(name, getattr(self, name)))
        object.__setattr__(self, "is_tree", bool(self.is_tree))
        skeleton = Skeleton.parse(self.skeleton)
        object.__setattr__(self, "skeleton", str(skeleton))
        if self.is_tree and any(width != 2**layer for layer, width in enumerate(skeleton.widths)):
            raise InvalidInputError(
                f"The skeleton {skeleton} of a tree is not full: give 1-2-4-8 or another that doubles in "
                "every layer."
            )

    @property
    def key(self) -> str:
        """Digest of all fields: two trials with one key are the same run."""
        text = json.dumps(asdict(self), sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:24]

    @property
    def model(self) -> str:
        """What is trained: "ODT" for a tree, "ODD" for a diagram."""
        return "ODT" if self.is_tree else "ODD"

    def __str__(self) -> str:
        """Return what tells the trial from others of its part, in words."""
        stable = f", {100 * self.stability:g} % in every node" if self.stability else ""
        shape = f"{self.model} {self.skeleton}"
        return f"{self.dataset}, seed {self.seed}, {self.split} {shape}, alpha {self.alpha:g}{stable}"


@dataclass(frozen=True)
class Outcome:
    """What a trial came to.

    Attributes
    ----------
    objective, lower_bound : float
        Training error plus price of the nodes, and what no diagram can be below.
    is_optimal : bool
        The certificate says that the bound meets the objective.
    prover : str
        Name of the bound that closed the gap; empty when it is open.
    n_nodes : int
    training, validation, test : float
        Accuracies on the three parts.
    spent : float
        Seconds of the fit.
    iterations : int
        Of the search.
    flows : str
        Nodes of the diagram with the training samples that pass them, see ``flows.Flow``.
    """

    objective: float
    lower_bound: float
    is_optimal: bool
    prover: str
    n_nodes: int
    training: float
    validation: float
    test: float
    spent: float
    iterations: int
    flows: str

    def __post_init__(self) -> None:
        # results are read by the thousand: all numbers at once, and each only when one of them is out
        given = _numbers_of(self)
        if all(map(le, OUTCOME_LEAST, given)) and all(map(le, given, OUTCOME_MOST)):
            return
        for value, (name, (least, most, words)) in zip(given, OUTCOME_RANGES.items(), strict=True):
            if not least <= value <= most:
                raise InvalidInputError(f"{name} is {value!r}, and not {words}.")


@dataclass(frozen=True)
class Result:
    """A trial that has run, with its outcome."""

    trial: Trial
    outcome: Outcome


def _number(name: str, given: object) -> float:
    """Return the value of a field that is a number: an int for the seed, else a float."""
    least, most, words = RANGES[name]
    # a float, which nearly all are, is known at once: it takes long to ask whether something is a Real
    is_truth = isinstance(given, bool)
    value = float(given) if isinstance(given, (float, Real)) and not is_truth else math.nan
    if least <= value <= most and (name != "seed" or value.is_integer()):
        return int(value) if name == "seed" else value
    raise InvalidInputError(f"{name} is {given!r}: give {words}.")
