"""Packages that find optimal trees, behind one call: errors per row plus a price per leaf.

Some charge for splits and some for leaves, which differ by one price for every tree. Ours has a free root
split: with the constant beside it, its optimum is the same (see ``fit_oddlearn``). Objectives are computed
here, from the predictions on the training rows and the number of leaves. pystreed and gosdt want columns of
0 and 1, which are made of all thresholds between the values of each column.
"""

from __future__ import annotations

import importlib
import multiprocessing
import resource
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from multiprocessing.connection import Connection
from typing import Any

import numpy as np
import psutil

from oddlearn import OptimalDecisionTreeClassifier

# pystreed looks at pairs of columns, gosdt keeps bits of all: more columns are not given to them
MAX_BINARY_COLUMNS = 300

# pystreed and pycontree want a depth: where it is free, this one, or what the price allows if that is less
MAX_DEPTH = 20

# seconds between looks at the processor time of a package
INTERVAL = 0.5

# a process is ended at this multiple of its limit on processor time
GRACE = 1.5


@dataclass(frozen=True)
class Task:
    """Errors per row plus ``price`` per leaf, over trees of a depth, or of any depth if it is None.

    ``limit`` is in seconds of processor time. Packages are told ``clock`` times as many on the clock: 1 where
    their trees at the limit are compared, more where proofs are and cores are shared.
    """

    X: np.ndarray
    labels: np.ndarray
    n_classes: int
    price: float
    depth: int | None
    limit: float
    clock: float = 1.0

    @property
    def seconds(self) -> float:
        """The limit on the clock."""
        return self.clock * self.limit

    @property
    def finite_depth(self) -> int:
        """The depth, or the number of splits that can pay for themselves, within MAX_DEPTH."""
        n_errors = self.labels.size - np.bincount(self.labels).max()
        return self.depth or int(min(MAX_DEPTH, max(1, n_errors / self.labels.size / self.price)))

    def objective(self, predicted: np.ndarray, n_leaves: int) -> float:
        return float(np.mean(predicted != self.labels)) + self.price * n_leaves


@dataclass(frozen=True)
class Answer:
    """What a package says of a task, with the processor time of its fit and the memory it grew by."""

    status: str
    objective: float = float("nan")
    n_leaves: int = 0
    is_proved: bool = False
    cpu: float = float("nan")
    seconds: float = float("nan")
    megabytes: float = float("nan")


Fit = Callable[[Task], tuple[np.ndarray, int, bool]]


def fit_oddlearn(task: Task) -> tuple[np.ndarray, int, bool]:
    """Fit our tree. Trees with a split cost the same two prices more than they say, the constant one more."""
    model = OptimalDecisionTreeClassifier(
        task.depth, node_price=task.price, exact="branch_and_bound", time_limit=task.seconds, random_state=0
    ).fit(task.X, task.labels)
    predicted, n_leaves = model.predict(task.X), model.n_nodes_ + 1
    constant = np.full_like(task.labels, np.bincount(task.labels).argmax())
    if task.objective(constant, 1) < task.objective(predicted, n_leaves):
        predicted, n_leaves = constant, 1
    return predicted, n_leaves, bool(model.is_optimal_)


def fit_imodels(task: Task) -> tuple[np.ndarray, int, bool]:
    """Fit FastSmallTreeClassifier; it has no limit on depth."""
    from imodels import FastSmallTreeClassifier

    model = FastSmallTreeClassifier(task.price, time_limit=task.seconds).fit(task.X, task.labels)
    return model.predict(task.X), int(model.n_leaves_), bool(model.optimal_)


def fit_pycontree(task: Task) -> tuple[np.ndarray, int, bool]:
    from pycontree import ConTree

    model = ConTree(max_depth=task.finite_depth, complexity_cost=task.price, time_limit=task.seconds)
    model.fit(task.X, task.labels)

    def count_leaves(tree: Any) -> int:  # noqa: ANN401
        if tree.is_leaf_node():
            return 1
        return count_leaves(tree.get_left()) + count_leaves(tree.get_right())

    is_proved = bool(model._config.is_within_time_limit())
    return np.asarray(model.predict(task.X)), count_leaves(model.tree_), is_proved


def fit_pystreed(task: Task) -> tuple[np.ndarray, int, bool]:
    from pystreed import STreeDClassifier

    table = binary_table(task.X).astype(np.intc)
    model = STreeDClassifier(
        "cost-complex-accuracy",
        max_depth=task.finite_depth,
        cost_complexity=task.price,
        time_limit=task.seconds,
    ).fit(table, task.labels.astype(np.intc))
    n_leaves = int(model.get_n_leaves())
    return np.asarray(model.predict(table)), n_leaves, bool(model.fit_result.is_optimal())


def fit_gosdt(task: Task) -> tuple[np.ndarray, int, bool]:
    from gosdt import GOSDTClassifier

    table = binary_table(task.X)
    model = GOSDTClassifier(
        regularization=task.price,
        allow_small_reg=True,
        depth_budget=task.depth,
        time_limit=round(task.seconds),
        worker_limit=1,
    ).fit(table, task.labels)
    n_leaves = str(model.result_.model).count('"prediction"')
    predicted = model.trees_[0].predict(table)  # its own predict needs an older scikit-learn
    return predicted, n_leaves, str(model.result_.status).endswith("CONVERGED")


PACKAGES: dict[str, tuple[str, Fit]] = {
    "oddlearn": ("oddlearn", fit_oddlearn),
    "FastSmallTree": ("imodels", fit_imodels),
    "pycontree": ("pycontree", fit_pycontree),
    "pystreed": ("pystreed", fit_pystreed),
    "gosdt": ("gosdt", fit_gosdt),
}
WITHOUT_DEPTH = ("FastSmallTree",)
WITH_PRICE = ("FastSmallTree", "gosdt")
BINARY = ("pystreed", "gosdt")


def missing(name: str) -> str | None:
    """Return, in a sentence, why a package cannot be used, None if it can."""
    module = PACKAGES[name][0]
    try:
        importlib.import_module(module)
    except ImportError as error:
        return f"{name} is left out: {module} cannot be imported ({error})."
    return None


def reason_to_skip(name: str, task: Task) -> str | None:
    """Return why a package is not given a task, None if it is."""
    if name in WITHOUT_DEPTH and task.depth is not None:
        return "no depth"
    if name in WITH_PRICE and task.price == 0:
        return "no price"
    if name in BINARY and count_thresholds(task.X) > MAX_BINARY_COLUMNS:
        return "too many columns"
    return None


def count_thresholds(X: np.ndarray) -> int:
    return sum(np.unique(column).size - 1 for column in X.T)


def binary_table(X: np.ndarray) -> np.ndarray:
    """Return a column of 0 and 1 for each threshold between neighbouring values of a column."""
    sides = [column >= above for column in X.T for _, above in pairwise(np.unique(column))]
    return np.column_stack(sides)


def warm_up(names: list[str]) -> None:
    """Fit a small table with each package: modules are imported and compiled code is loaded.

    Our greedy start imports scikit-learn's trees, and only where a fit is longer: 0.17 s that other packages
    take here. So they are imported whichever packages take part.
    """
    importlib.import_module("sklearn.tree")
    for name in names:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            fit_small_table(name)


def fit_small_table(name: str) -> None:
    """Fit a table of 32 rows with a package."""
    X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]] * 8)
    PACKAGES[name][1](Task(X, (X[:, 0] == X[:, 1]).astype(int), 2, 0.01, 2, 10.0))


def measure(name: str, task: Task) -> Answer:
    """Let a package solve a task in a process of its own, which is ended when its processor time is over."""
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_solve, args=(name, task, sender))
    process.start()
    sender.close()
    answer = None
    try:
        while answer is None:
            if receiver.poll(INTERVAL):
                answer = receiver.recv()
            elif _processor_time(process.pid) > GRACE * task.limit:
                answer = Answer("out of time")
    except EOFError:
        answer = Answer("its process ended")
    process.kill()
    process.join()
    return answer


def _processor_time(pid: int | None) -> float:
    times = psutil.Process(pid).cpu_times()
    return float(times.user + times.system)


def _solve(name: str, task: Task, sender: Connection) -> None:
    warnings.simplefilter("ignore")
    # a new process copies pages as it touches them: some 10 ms, which are of no interest
    fit_small_table(name)
    before = _peak_megabytes()
    started, cpu = time.perf_counter(), time.process_time()
    predicted, n_leaves, is_proved = PACKAGES[name][1](task)
    cpu, seconds = time.process_time() - cpu, time.perf_counter() - started
    objective = task.objective(predicted, n_leaves)
    grown = _peak_megabytes() - before
    sender.send(Answer("", objective, n_leaves, is_proved, cpu, seconds, grown))


def _peak_megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
