"""Test accuracy when every node must see a share of the samples: the paper's table on its 18 data sets.

    python benchmarks/stability.py --seconds 2 --results stability.csv       (ends and resumes at any row)
    python benchmarks/stability.py --dataset monks --seeds 1

As in the paper: half of the rows for training, a quarter for validation, a quarter for testing, five seeds;
alpha (and, with --all-skeletons, the skeleton) of each data set and kind of split is the one with the best
mean accuracy on the validation rows, found without the constraint; then S = 0.05n to 0.20n with it. Budgets
are short; the mean over data sets and seeds is printed beside the paper's.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from _data import FIFTEEN_NODES, load
from _store import Store

from oddlearn import MinFlow, OptimalDecisionDiagramClassifier
from oddlearn.datasets import CATALOGUE, split_indices

SPLITS = ("multivariate", "univariate")
ALPHAS = (0.01, 0.1, 0.2, 0.5, 1.0)
SHARES = (0.05, 0.1, 0.15, 0.2)
PRINTED = {"multivariate": (0.828, 0.827, 0.823, 0.823), "univariate": (0.840, 0.838, 0.837, 0.835)}

KEY = ["split", "dataset", "skeleton", "alpha", "share", "seed", "exact", "budget"]
COLUMNS = [*KEY, "training", "validation", "test", "n_nodes", "objective", "lower_bound"]


@dataclass(frozen=True)
class Trial:
    """One fit: a data set, its parameters, the share of S and the seed of the rows."""

    split: str
    dataset: str
    skeleton: str
    alpha: float
    share: float
    seed: int


def arguments() -> argparse.Namespace:
    layout = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=layout)
    parser.add_argument("--seconds", type=float, default=2.0, help="budget of each fit")
    parser.add_argument("--exact", choices=["none", "auto"], default="none", help="what follows the search")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--split", choices=SPLITS, help="only this kind of split")
    parser.add_argument("--dataset", help="only data sets whose name contains this")
    parser.add_argument("--alphas", type=float, nargs="+", default=list(ALPHAS))
    parser.add_argument("--all-skeletons", action="store_true", help="choose among four, not only 1-2-4-4-4")
    parser.add_argument("--results", type=Path, help="CSV file to write, and to resume from")
    return parser.parse_args()


def main() -> None:
    options = arguments()
    store = Store(options.results, COLUMNS, KEY)
    done: list[dict[str, str]] = []
    for split in (options.split,) if options.split else SPLITS:
        for dataset in chosen_names(options.dataset):
            done += one_dataset(options, store, split, dataset)
    summarise(done)


def one_dataset(options: argparse.Namespace, store: Store, split: str, dataset: str) -> list[dict[str, str]]:
    """Choose the parameters of a data set, then fit with every share."""
    skeletons = FIFTEEN_NODES if options.all_skeletons else ("1-2-4-4-4",)
    seeds = range(1, options.seeds + 1)
    rated = []
    for skeleton in skeletons:
        for alpha in options.alphas:
            trials = [Trial(split, dataset, skeleton, alpha, 0.0, seed) for seed in seeds]
            rows = [one_trial(options, store, trial) for trial in trials]
            rated.append((mean(rows, "validation"), skeleton, alpha))
    _, skeleton, alpha = max(rated, key=lambda entry: entry[0])
    found = [
        one_trial(options, store, Trial(split, dataset, skeleton, alpha, share, seed))
        for share in SHARES
        for seed in seeds
    ]
    means = " ".join(f"{mean(rows_of(found, share=share), 'test'):.3f}" for share in SHARES)
    print(f"{split:12s} {dataset:28s} {skeleton} alpha {alpha:g}: {means}", flush=True)
    return found


def one_trial(options: argparse.Namespace, store: Store, trial: Trial) -> dict[str, str]:
    key = {**vars(trial), "exact": options.exact, "budget": options.seconds}
    known = store.find(*(key[name] for name in KEY))
    if known is not None:
        return known
    X, y = load(trial.dataset)
    rows = split_indices(len(y), trial.seed)
    model = OptimalDecisionDiagramClassifier(
        trial.skeleton,
        alpha=trial.alpha,
        split=trial.split,
        exact=None if options.exact == "none" else options.exact,
        time_limit=options.seconds,
        constraints=[MinFlow(trial.share)] if trial.share else [],
        random_state=trial.seed,
    )
    model.fit(X[rows.training], y[rows.training])
    return store.add(
        **key,
        training=model.score(X[rows.training], y[rows.training]),
        validation=model.score(X[rows.validation], y[rows.validation]),
        test=model.score(X[rows.test], y[rows.test]),
        n_nodes=model.n_nodes_,
        objective=model.objective_,
        lower_bound=model.lower_bound_,
    )


def chosen_names(wanted: str | None) -> list[str]:
    """Return the data sets that the paper selected."""
    names = [entry.name for entry in CATALOGUE if entry.is_selected]
    return [name for name in names if wanted is None or wanted in name]


def rows_of(rows: list[dict[str, str]], **wanted: object) -> list[dict[str, str]]:
    return [row for row in rows if all(row[name] == str(value) for name, value in wanted.items())]


def mean(rows: list[dict[str, str]], name: str) -> float:
    return float(np.mean([float(row[name]) for row in rows]))


def summarise(rows: list[dict[str, str]]) -> None:
    print("split         " + " ".join(f"S={share:g}n".rjust(10) for share in SHARES))
    for split in sorted({row["split"] for row in rows}):
        ours = [mean(rows_of(rows, split=split, share=share), "test") for share in SHARES]
        print(f"{split:14s}" + " ".join(f"{value:10.3f}" for value in ours))
        print("  paper       " + " ".join(f"{value:10.3f}" for value in PRINTED[split]))


if __name__ == "__main__":
    main()
