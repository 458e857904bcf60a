"""The results that tables and figures use, and the tuned skeleton and alpha of every data set.

Tables never mix settings: they use the trials of the grid with one time limit and one scaling. As in the
paper, skeleton and alpha are tuned once for all seeds of a data set, by the best mean validation accuracy. So
test rows of one seed may have been validation rows of another.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from operator import attrgetter

from oddlearn.study.paper_results import ALPHAS, GRID_ROWS, SEEDS, SKELETONS
from oddlearn.study.trial import Result, Trial

# objectives are sums of a few fractions: smaller differences are rounding
OBJECTIVE_TOLERANCE = 1e-9

# decimals of a mean accuracy: equal accuracies, added in another order, must tie
ACCURACY_DIGITS = 12

SKELETON_ORDER = {skeleton: place for place, skeleton in enumerate(SKELETONS)}

Results = Sequence[Result]

# all fields of a trial but method and seconds
Task = tuple[str, int, str, bool, float, str, float, str, str]

_task_fields = attrgetter(*(field.name for field in fields(Trial) if field.name not in ("method", "seconds")))

# data set, kind of split, model
Subject = tuple[str, str, str]

# skeleton, alpha
Parameters = tuple[str, float]


@dataclass(frozen=True, order=True)
class GridSetting:
    """Time limit of a run, and the rows whose range is scaled to the unit box."""

    seconds: float
    scaling: str

    def __str__(self) -> str:
        return f"{self.seconds:g} s a run, scaled over the {self.scaling} rows"


@dataclass(frozen=True)
class TunedModel:
    """The skeleton and alpha tuned for a data set, a kind of split and a model."""

    dataset: str
    split: str
    model: str  # "ODD" or "ODT"
    skeleton: str
    alpha: float
    results: tuple[Result, ...]  # the results with this skeleton and alpha, in the order of the seeds

    @property
    def subject(self) -> Subject:
        """Data set, kind of split and model."""
        return self.dataset, self.split, self.model

    @property
    def validation(self) -> float:
        """Mean accuracy on the validation rows."""
        return mean([one.outcome.validation for one in self.results])

    @property
    def test(self) -> float:
        """Mean accuracy on the test rows."""
        return mean([one.outcome.test for one in self.results])

    @property
    def nodes(self) -> float:
        """Mean number of nodes."""
        return mean([one.outcome.n_nodes for one in self.results])


def calibrate(results: Results, target: str = "published") -> tuple[TunedModel, ...]:
    """Tune skeleton and alpha of every data set, kind of split and model with trials of the main setting.

    Of pairs with equal mean validation accuracy the larger alpha wins, then the smaller mean number of nodes,
    then the first of the skeletons I to IV. If the grid is incomplete, only the pairs with the most seeds are
    compared: means over different seeds are not comparable.
    """
    groups: dict[Subject, dict[Parameters, list[Result]]] = defaultdict(lambda: defaultdict(list))
    for one in select_main_results(results, target):
        trial = one.trial
        groups[trial.dataset, trial.split, trial.model][trial.skeleton, trial.alpha].append(one)
    return tuple(_tune(subject, groups[subject]) for subject in sorted(groups))


def _tune(subject: Subject, groups: Mapping[Parameters, list[Result]]) -> TunedModel:
    n_seeds = max(map(len, groups.values()))
    candidates = [
        TunedModel(*subject, skeleton, alpha, tuple(sorted(ran, key=lambda one: one.trial.seed)))
        for (skeleton, alpha), ran in groups.items()
        if len(ran) == n_seeds
    ]
    return min(candidates, key=_rank)


def _rank(tuned: TunedModel) -> tuple[float, float, float, int]:
    accuracy = round(tuned.validation, ACCURACY_DIGITS)
    return -accuracy, -tuned.alpha, tuned.nodes, SKELETON_ORDER[tuned.skeleton]


def mean(values: Sequence[float]) -> float:
    """Return the mean of one or more values."""
    return sum(values) / len(values)


def task_key(trial: Trial) -> Task:
    """Return the fields of a trial without method and seconds: equal for results that can be compared."""
    key: Task = _task_fields(trial)
    return key


def is_grid_trial(trial: Trial, target: str = "published") -> bool:
    """Return True for one of the 13,500 trials of the paper's grid, with any setting."""
    return (
        trial.method == "auto"
        and trial.stability == 0
        and trial.target == target
        and (trial.skeleton, trial.model) in GRID_ROWS
        and trial.alpha in ALPHAS
        and trial.seed in SEEDS
    )


def find_main_setting(results: Results, target: str = "published") -> GridSetting | None:
    """Return the setting with the most trials of the grid, of equal ones the shortest; None if none ran."""
    groups = _group_by_setting(results, target)
    return max(groups, key=lambda setting: len(groups[setting]), default=None)


def select_main_results(results: Results, target: str = "published") -> list[Result]:
    """Return the results of the grid with the main setting."""
    groups = _group_by_setting(results, target)
    return max(groups.values(), key=len, default=[])


def find_step_one_objectives(results: Results) -> Mapping[Task, float]:
    """Return the objective of step 1 alone by task.

    Of several time limits the one with the most trials is used, of equal ones the shortest, as in
    ``find_main_setting``.
    """
    groups: dict[float, dict[Task, float]] = defaultdict(dict)
    for one in results:
        if one.trial.method == "construct":
            groups[one.trial.seconds][task_key(one.trial)] = one.outcome.objective
    return max((groups[seconds] for seconds in sorted(groups)), key=len, default={})


def is_better(objective: float, other: float) -> bool:
    """Return True if an objective is below another by more than rounding."""
    return objective < other - OBJECTIVE_TOLERANCE


def _group_by_setting(results: Results, target: str) -> Mapping[GridSetting, list[Result]]:
    """Return the results of the grid by setting, the shortest first: max() takes the first of equal ones."""
    groups: dict[tuple[float, str], list[Result]] = defaultdict(list)
    for one in results:
        if is_grid_trial(one.trial, target):
            groups[one.trial.seconds, one.trial.scaling].append(one)
    return {GridSetting(*key): groups[key] for key in sorted(groups)}
