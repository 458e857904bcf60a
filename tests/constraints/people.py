"""Random people: few distinct rows, so that groups and classes share them, with weights."""

from dataclasses import dataclass

import numpy as np

from oddlearn.diagram.skeleton import Skeleton
from oddlearn.problem import Layout, TrainingData
from oddlearn.table.groups import People, SensitiveColumn


@dataclass(frozen=True)
class Crowd:
    """Samples, what they were given, and the observables that say so."""

    data: TrainingData
    layout: Layout
    truth: np.ndarray
    given: np.ndarray
    weight: np.ndarray
    groups: np.ndarray
    observables: np.ndarray


def crowd(seed, n=60, n_classes=2, n_groups=2, weighted=True):
    """Return random samples with random predictions, every group with every class."""
    random = np.random.default_rng(seed)
    X = random.integers(0, 4, (n, 2)) / 3
    truth, groups = random.integers(0, n_classes, n), random.integers(0, n_groups, n)
    cells = n_classes * n_groups
    truth[:cells], groups[:cells] = np.divmod(np.arange(cells), n_groups)
    weight = random.integers(1, 4, n) / 2 if weighted else np.ones(n)
    column = SensitiveColumn("kind", tuple("abcdef"[:n_groups]), groups)
    people = People(truth, weight, tuple(range(n_classes)), (column,))
    # class weights of another scale, to see that they do not count
    data = TrainingData.collect(X, truth, n_classes, weight * (1.0 + truth), people)
    layout = Layout(data.n_rows, n_classes, Skeleton.parse("1-2"))
    chosen = random.integers(0, n_classes, data.n_rows)
    observables = np.zeros(layout.size)
    observables[layout.assigned[np.arange(data.n_rows), chosen]] = 1.0
    return Crowd(data, layout, truth, chosen[data.group], weight, groups, observables)
