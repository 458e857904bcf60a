"""The trials of each part of the study, in the order in which they run."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product

from oddlearn.datasets import CATALOGUE
from oddlearn.datasets.dataset import MONKS
from oddlearn.errors import InvalidInputError
from oddlearn.study.calibration import calibrate
from oddlearn.study.paper_results import ALPHAS, GRID_ROWS, MIN_FLOW_SHARES, SEEDS, SELECTED, SPLITS, Split
from oddlearn.study.trial import Result, Trial

# step 1 as a share of the time of a run; the paper used a tenth, for step 1 in plain Python
STEP_ONE_SHARE = 0.05

# the long sample: number of trials, factor of their time limit, seed of the draw
LONG_TRIALS = 100
LONG_FACTOR = 60.0
LONG_SEED = 7


@dataclass(frozen=True)
class Scope:
    """The requested part of the study."""

    datasets: tuple[str, ...] = tuple(entry.name for entry in CATALOGUE)
    seeds: tuple[int, ...] = SEEDS  # some of the paper's five
    splits: tuple[Split, ...] = SPLITS[::-1]  # in the order in which they run
    seconds: float = 1.0  # time limit of a run of the grid; the limits of the other parts are multiples of it

    def __post_init__(self) -> None:
        unknown = [seed for seed in self.seeds if seed not in SEEDS]
        if unknown:
            raise InvalidInputError(
                f"The study has no seed {', '.join(map(str, unknown))}: give some of "
                f"{', '.join(map(str, SEEDS))}, which are the paper's."
            )


def plan_grid(scope: Scope) -> Iterator[Trial]:
    """Yield the trials of the paper's grid, seed by seed, so that the first ones are a smaller study."""
    for seed, split, dataset, (skeleton, model), alpha in product(
        scope.seeds, scope.splits, scope.datasets, GRID_ROWS, ALPHAS
    ):
        yield Trial(dataset, seed, skeleton, model == "ODT", alpha, split, "auto", scope.seconds)


def plan_step_one(scope: Scope) -> Iterator[Trial]:
    """Yield the paper's step 1 alone, for every trial of the grid."""
    for trial in plan_grid(scope):
        yield replace(trial, method="construct", seconds=STEP_ONE_SHARE * scope.seconds)


def plan_monks(scope: Scope) -> Iterator[Trial]:
    """Yield the grid of the monks data sets with the corrected target."""
    names = tuple(name for name in scope.datasets if name in MONKS)
    for trial in plan_grid(replace(scope, datasets=names)):
        yield replace(trial, target="corrected")


def plan_stability(scope: Scope, results: Sequence[Result]) -> Iterator[Trial]:
    """Yield trials on the selected data sets with each minimum share of samples per node.

    Skeleton and alpha are tuned on the results of the grid; data sets without results are left out.
    """
    datasets = SELECTED.intersection(scope.datasets)
    tuned_models = calibrate([result for result in results if result.trial.seconds == scope.seconds])
    for tuned in tuned_models:
        is_wanted = tuned.dataset in datasets and tuned.split in scope.splits and tuned.model == "ODD"
        for share, seed in product(MIN_FLOW_SHARES, scope.seeds if is_wanted else ()):
            yield replace(tuned.results[0].trial, seed=seed, stability=share)


def plan_long_sample(scope: Scope) -> Iterator[Trial]:
    """Yield the trials in the scope of a random sample of the whole grid, with a longer time limit."""
    trials = list(plan_grid(Scope(seconds=scope.seconds)))
    for trial in random.Random(LONG_SEED).sample(trials, LONG_TRIALS):
        if trial.dataset in scope.datasets and trial.seed in scope.seeds and trial.split in scope.splits:
            yield replace(trial, seconds=LONG_FACTOR * scope.seconds)
