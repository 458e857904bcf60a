"""Which trials the study is made of, part by part, in the order they run."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product

from oddlearn.datasets import CATALOGUE
from oddlearn.errors import InvalidInputError
from oddlearn.experiments.calibration import calibrated
from oddlearn.experiments.printed import ALPHAS, ROWS, SEEDS, STABILITIES
from oddlearn.experiments.trial import Result, Split, Trial

SPLITS: tuple[Split, ...] = ("univariate", "multivariate")
MONKS = ("monks1", "monks2", "monks3")

# the paper gave step 1 a tenth of the time of the solver, in plain Python; ours is compiled
STEP_ONE_SHARE = 0.05

# the long sample: so many trials, this much longer, drawn with this seed
LONG_TRIALS = 100
LONG_FACTOR = 60.0
LONG_SEED = 7


@dataclass(frozen=True)
class Scope:
    """What of the study is wanted.

    Attributes
    ----------
    datasets : tuple of str
    seeds : tuple of int
        Some of the paper's five.
    splits : tuple of str
    seconds : float
        Time limit of a run of the grid; the other parts follow from it.
    """

    datasets: tuple[str, ...] = tuple(entry.name for entry in CATALOGUE)
    seeds: tuple[int, ...] = SEEDS
    splits: tuple[Split, ...] = SPLITS
    seconds: float = 1.0

    def __post_init__(self) -> None:
        others = [seed for seed in self.seeds if seed not in SEEDS]
        if others:
            raise InvalidInputError(
                f"The study has no seed {', '.join(map(str, others))}: give some of "
                f"{', '.join(map(str, SEEDS))}, which are the paper's."
            )


def grid(scope: Scope) -> Iterator[Trial]:
    """Yield the runs of the paper's grid, one seed after the other: a part of it is a smaller study."""
    for seed, split, dataset, (skeleton, model), alpha in product(
        scope.seeds, scope.splits, scope.datasets, ROWS, ALPHAS
    ):
        yield Trial(dataset, seed, skeleton, model == "ODT", alpha, split, "auto", scope.seconds)


def step_one(scope: Scope) -> Iterator[Trial]:
    """Yield the paper's step 1 alone, for every run of the grid."""
    for trial in grid(scope):
        yield replace(trial, method="construct", seconds=STEP_ONE_SHARE * scope.seconds)


def monks(scope: Scope) -> Iterator[Trial]:
    """Yield the grid of the monks data sets with the classes that they were made for."""
    names = tuple(name for name in scope.datasets if name in MONKS)
    for trial in grid(replace(scope, datasets=names)):
        yield replace(trial, target="corrected")


def stability(scope: Scope, results: Sequence[Result]) -> Iterator[Trial]:
    """Yield runs on the selected data sets with every share that nodes must see at least.

    Skeleton and alpha are those that the grid's results choose; without them a data set is left out.
    """
    selected = {entry.name for entry in CATALOGUE if entry.is_selected}.intersection(scope.datasets)
    chosen = calibrated([result for result in results if result.trial.seconds == scope.seconds])
    for choice in chosen:
        is_wanted = choice.dataset in selected and choice.split in scope.splits and choice.model == "ODD"
        for share, seed in product(STABILITIES, scope.seeds if is_wanted else ()):
            yield replace(choice.results[0].trial, seed=seed, stability=share)


def long_sample(scope: Scope) -> Iterator[Trial]:
    """Yield those trials in the scope of a random sample of the whole grid, with more time."""
    trials = list(grid(Scope(seconds=scope.seconds)))
    for trial in random.Random(LONG_SEED).sample(trials, LONG_TRIALS):
        if trial.dataset in scope.datasets and trial.seed in scope.seeds and trial.split in scope.splits:
            yield replace(trial, seconds=LONG_FACTOR * scope.seconds)
