"""A trial of the study: one training run, identified by everything its outcome depends on."""

from __future__ import annotations

import hashlib
import json
import math
import sys
from dataclasses import asdict, dataclass
from numbers import Real
from operator import attrgetter, le
from typing import Literal, get_args

from oddlearn.datasets import Target, find_entry
from oddlearn.diagram.skeleton import Skeleton
from oddlearn.errors import InvalidInputError
from oddlearn.study.paper_results import Split

Method = Literal["construct", "local_search", "auto"]
ScalingRows = Literal["training", "all"]

# allowed values of each text field
ALLOWED: dict[str, tuple[str, ...]] = {
    "split": get_args(Split),
    "method": get_args(Method),
    "scaling": get_args(ScalingRows),
    "target": get_args(Target),
}

MAX_FLOAT = sys.float_info.max

# minimum, maximum and description of each numeric field of a trial
RANGES = {
    "seed": (0, 2**32 - 1, "a whole number from 0 to 4294967295"),
    "alpha": (0.0, MAX_FLOAT, "a number from 0 on"),
    "seconds": (math.nextafter(0.0, 1.0), MAX_FLOAT, "seconds above 0"),
    "stability": (0.0, math.nextafter(1.0, 0.0), "a share from 0 to below 1"),
}

# minimum, maximum and description of each numeric field of an outcome
OUTCOME_RANGES = {
    "objective": (0.0, MAX_FLOAT, "a number from 0 on"),
    "lower_bound": (-MAX_FLOAT, MAX_FLOAT, "a finite number"),
    "n_nodes": (0, MAX_FLOAT, "a whole number from 0 on"),
    "training": (0.0, 1.0, "an accuracy from 0 to 1"),
    "validation": (0.0, 1.0, "an accuracy from 0 to 1"),
    "test": (0.0, 1.0, "an accuracy from 0 to 1"),
    "fit_seconds": (0.0, MAX_FLOAT, "seconds from 0 on"),
    "iterations": (0, MAX_FLOAT, "a whole number from 0 on"),
}
OUTCOME_MIN = tuple(low for low, _, _ in OUTCOME_RANGES.values())
OUTCOME_MAX = tuple(high for _, high, _ in OUTCOME_RANGES.values())

_numeric_fields = attrgetter(*OUTCOME_RANGES)


@dataclass(frozen=True, order=True)
class Trial:
    """One training run."""

    dataset: str  # name in the catalogue
    seed: int  # seed of the authors' split into training, validation and test rows, and of the search
    skeleton: str  # such as "1-2-4-8"
    is_tree: bool  # train a tree: no node has two parents. The skeleton is then a full binary tree.
    alpha: float
    split: Split  # "univariate" or "multivariate"
    # "construct" is step 1 of the paper alone, "local_search" our local search alone, "auto" the local search
    # and the exact solvers
    method: Method
    seconds: float  # time limit of the run
    stability: float = 0.0  # minimum share of the samples in every active node; 0 for no such constraint
    # rows whose range becomes the unit box: "training", or "all" as in the authors' code, which leaks the
    # range of the test rows into training
    scaling: ScalingRows = "training"
    # "published", or "corrected" for the monks data sets, whose files have the classes among the features
    target: Target = "published"

    def __post_init__(self) -> None:
        find_entry(self.dataset)
        for name, allowed in ALLOWED.items():
            given = getattr(self, name)
            if given not in allowed:
                raise InvalidInputError(f"{name} is {given!r}: give one of {', '.join(allowed)}.")
        # 1 and 1.0 are the same trial and must have the same key: convert every field to one type
        for name in RANGES:
            object.__setattr__(self, name, _parse_number(name, getattr(self, name)))
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
        """Digest of all fields: equal for equal trials, and the same on every machine."""
        text = json.dumps(asdict(self), sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:24]

    @property
    def model(self) -> str:
        """Kind of model: "ODT" for a tree, "ODD" for a diagram."""
        return "ODT" if self.is_tree else "ODD"

    def __str__(self) -> str:
        """Return a description that identifies the trial within its part of the study."""
        stable = f", {100 * self.stability:g} % in every node" if self.stability else ""
        shape = f"{self.model} {self.skeleton}"
        return f"{self.dataset}, seed {self.seed}, {self.split} {shape}, alpha {self.alpha:g}{stable}"


@dataclass(frozen=True)
class Outcome:
    """The outcome of a trial."""

    objective: float  # training error plus node price
    lower_bound: float  # proved lower bound of the objective
    is_optimal: bool  # the bound equals the objective, within the tolerance of the certificate
    solver: str  # name of the solver that proved optimality; empty if the gap is open
    n_nodes: int
    training: float  # accuracy on the training, validation and test rows
    validation: float
    test: float
    fit_seconds: float  # duration of the fit
    iterations: int  # iterations of the local search
    flows: str  # nodes of the diagram with their numbers of training samples, see ``flow_text``

    def __post_init__(self) -> None:
        # results are read by the thousand: compare all numbers at once, and each only if one is out of range
        values = _numeric_fields(self)
        if all(map(le, OUTCOME_MIN, values)) and all(map(le, values, OUTCOME_MAX)):
            return
        for value, (name, (low, high, words)) in zip(values, OUTCOME_RANGES.items(), strict=True):
            if not low <= value <= high:
                raise InvalidInputError(f"{name} is {value!r}, and not {words}.")


@dataclass(frozen=True)
class Result:
    """A trial and its outcome."""

    trial: Trial
    outcome: Outcome


def _parse_number(name: str, given: object) -> float:
    """Return the value of a numeric field: an int for the seed, else a float."""
    low, high, words = RANGES[name]
    # float first, as nearly all are: isinstance(..., Real) is slow
    is_bool = isinstance(given, bool)
    value = float(given) if isinstance(given, (float, Real)) and not is_bool else math.nan
    if low <= value <= high and (name != "seed" or value.is_integer()):
        return int(value) if name == "seed" else value
    raise InvalidInputError(f"{name} is {given!r}: give {words}.")
