"""Which results of a store a table or figure is about: one setting of the grid, never a mixture."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from oddlearn.experiments.printed import ALPHAS, ROWS, SEEDS, sizes
from oddlearn.experiments.trial import Result, Trial

Results = Sequence[Result]

# objectives are sums of a few fractions: what differs by less is equal
TOLERANCE = 1e-9

# all that a trial is about, but how it is worked on
Task = tuple[str, int, str, bool, float, str, float, str, str]


@dataclass(frozen=True, order=True)
class Setting:
    """What the trials of a grid have in common: seconds a run, and the rows that set the unit box."""

    seconds: float
    scaling: str

    def __str__(self) -> str:
        return f"{self.seconds:g} s a run, scaled over the {self.scaling} rows"


def task_of(trial: Trial) -> Task:
    """Return the fields of a trial without method and seconds: what is compared has the same."""
    return (
        trial.dataset,
        trial.seed,
        trial.skeleton,
        trial.is_tree,
        trial.alpha,
        trial.split,
        trial.stability,
        trial.scaling,
        trial.target,
    )


def is_of_grid(trial: Trial, target: str = "published") -> bool:
    """Return whether a trial is one of the 13,500 of the paper's grid, under any setting."""
    return (
        trial.method == "auto"
        and trial.stability == 0
        and trial.target == target
        and (trial.skeleton, trial.model) in ROWS
        and trial.alpha in ALPHAS
        and trial.seed in SEEDS
        and trial.dataset in sizes()
    )


def main_setting(results: Results, target: str = "published") -> Setting | None:
    """Return the setting with most trials of the grid, the shortest of equals; None if none ran."""
    groups = _by_setting(results, target)
    return max(groups, key=lambda setting: len(groups[setting]), default=None)


def main_results(results: Results, target: str = "published") -> list[Result]:
    """Return the trials of the grid that ran under the main setting."""
    groups = _by_setting(results, target)
    return max(groups.values(), key=len, default=[])


def first_steps(results: Results) -> Mapping[Task, float]:
    """Return the objective of step 1 alone for every task it ran on.

    Of several time limits the one with most trials counts; of equal ones the shortest, as in
    ``main_setting``.
    """
    groups: dict[float, dict[Task, float]] = defaultdict(dict)
    for one in results:
        if one.trial.method == "construct":
            groups[one.trial.seconds][task_of(one.trial)] = one.outcome.objective
    return max((groups[seconds] for seconds in sorted(groups)), key=len, default={})


def is_better(objective: float, other: float) -> bool:
    """Return whether an objective is truly below another."""
    return objective < other - TOLERANCE


def _by_setting(results: Results, target: str) -> Mapping[Setting, list[Result]]:
    """Return the trials of the grid by setting, the shortest time first: max() takes the first of equals."""
    groups: dict[tuple[float, str], list[Result]] = defaultdict(list)
    for one in results:
        if is_of_grid(one.trial, target):
            groups[one.trial.seconds, one.trial.scaling].append(one)
    return {Setting(*key): groups[key] for key in sorted(groups)}
