"""Results made by hand or by chance, for tables and figures: nothing is trained."""

import random
from itertools import product

from oddlearn.study.paper_results import ALPHAS, GRID_ROWS, SPLITS
from oddlearn.study.trial import Outcome, Result, Trial

# a root, two nodes below it, and one that both of these lead to
SHARED = "0:1:2:80 1:c0:3:30 1:3:c1:50 2:c0:c1:40"
TREE = "0:1:2:80 1:c0:c1:30 1:c1:c0:50"


def result(dataset="iris", seed=1, **given):
    """Return a result; what is not given is dull."""
    trial = {
        "skeleton": "1-2-4-8",
        "is_tree": False,
        "alpha": 0.1,
        "split": "univariate",
        "method": "auto",
        "seconds": 1.0,
    }
    outcome = {
        "objective": 0.2,
        "lower_bound": 0.1,
        "is_optimal": False,
        "solver": "",
        "n_nodes": 3,
        "training": 0.9,
        "validation": 0.8,
        "test": 0.7,
        "fit_seconds": 0.5,
        "iterations": 10,
        "flows": TREE,
    }
    names = set(trial) | {"stability", "scaling", "target"}
    trial |= {name: value for name, value in given.items() if name in names}
    outcome |= {name: value for name, value in given.items() if name not in names}
    return Result(Trial(dataset, seed, **trial), Outcome(**outcome))


def chance_grid(datasets, seeds=(1, 2), *, seed=0, kept=1.0, **given):
    """Return the grid over some data sets, with outcomes drawn from few values so that many tie."""
    draw = random.Random(seed)
    results = []
    for dataset, number, (skeleton, model), alpha, split in product(
        datasets, seeds, GRID_ROWS, ALPHAS, SPLITS
    ):
        is_tree = model == "ODT"
        chance = {
            "objective": draw.choice([0.1, 0.2, 0.3]),
            "is_optimal": draw.random() < 0.4,
            "validation": draw.choice([0.6, 0.7, 0.8]),
            "test": draw.choice([0.5, 0.6, 0.7]),
            "fit_seconds": draw.random(),
            "flows": TREE if is_tree else draw.choice([TREE, SHARED, ""]),
        }
        chance["n_nodes"] = len(chance["flows"].split())
        chance["solver"] = draw.choice(["branch_and_bound", "class_count"]) if chance["is_optimal"] else ""
        shape = {"skeleton": skeleton, "is_tree": is_tree, "alpha": alpha, "split": split}
        if draw.random() < kept:
            results.append(result(dataset, number, **shape, **(chance | given)))
    return results
