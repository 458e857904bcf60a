"""Skeleton and alpha of every data set, chosen on the validation rows as in the paper.

The choice is one for all seeds of a data set: the pair with the best mean over them. So the rows on which one
seed is tested may have been validation rows of another, in the paper as here.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from oddlearn.experiments.printed import SKELETONS
from oddlearn.experiments.selection import Results, main_results
from oddlearn.experiments.trial import Result

# means of the same accuracies, added in another order, must tie
DIGITS = 12

ORDER = {skeleton: place for place, skeleton in enumerate(SKELETONS)}

# data set, kind of split, model
Subject = tuple[str, str, str]
Pair = tuple[str, float]


@dataclass(frozen=True)
class Choice:
    """The skeleton and alpha chosen for a data set, a kind of split and a model.

    Attributes
    ----------
    dataset, split, model : str
        The model is "ODD" or "ODT".
    skeleton : str
    alpha : float
    results : tuple of Result
        Their trials, in the order of the seeds.
    """

    dataset: str
    split: str
    model: str
    skeleton: str
    alpha: float
    results: tuple[Result, ...]

    @property
    def subject(self) -> Subject:
        """Data set, kind of split and model: what the choice is for."""
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


def calibrated(results: Results, target: str = "published") -> tuple[Choice, ...]:
    """Return the choice for every data set, kind of split and model with trials under the main setting.

    Of pairs with equal mean accuracy the larger alpha wins, which asks for fewer nodes, then fewer nodes
    (mean over the seeds), then the first of the skeletons I to IV. In a grid that is not finished only the
    pairs with most seeds are compared: means over other rows would be chance.
    """
    pairs: dict[Subject, dict[Pair, list[Result]]] = defaultdict(lambda: defaultdict(list))
    for one in main_results(results, target):
        trial = one.trial
        pairs[trial.dataset, trial.split, trial.model][trial.skeleton, trial.alpha].append(one)
    return tuple(_chosen(subject, pairs[subject]) for subject in sorted(pairs))


def mean(values: Sequence[float]) -> float:
    """Return the mean of one or more values."""
    return sum(values) / len(values)


def _chosen(subject: Subject, pairs: Mapping[Pair, list[Result]]) -> Choice:
    most = max(len(ran) for ran in pairs.values())
    choices = [
        Choice(*subject, skeleton, alpha, tuple(sorted(ran, key=lambda one: one.trial.seed)))
        for (skeleton, alpha), ran in pairs.items()
        if len(ran) == most
    ]
    return min(choices, key=_rank)


def _rank(choice: Choice) -> tuple[float, float, float, int]:
    accuracy = round(choice.validation, DIGITS)
    return -accuracy, -choice.alpha, choice.nodes, ORDER[choice.skeleton]
