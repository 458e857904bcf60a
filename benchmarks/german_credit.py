"""Credit decisions without and with the four-fifths rule, on statlog-german-credit.

    python benchmarks/german_credit.py --seconds 10 --output docs/pictures/german_credit.svg

The group is the age: 25 years or less against more (column 12). The age itself is left out of the features.
The favourable class is a good credit risk, y = 0. Errors cost what the data's own documentation says: 5 for a
bad risk taken for a good one, 1 for a good one refused; --count-errors counts them instead. Of the authors'
shuffle of each seed the first three quarters are for training, the rest is for testing. Ends and resumes with
--results.
"""

from __future__ import annotations

import argparse
import csv
import random
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from _data import data_directory
from _store import Store

from oddlearn import (
    DemographicParity,
    OptimalDecisionDiagramClassifier,
    accuracy_fairness_path,
    fairness_report,
)

GROUP, OLDEST_YOUNG, GOOD = "12", 25.0, 0
RATIOS = (0.0, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0)
KEY = ["split", "skeleton", "alpha", "costs", "budget", "seed", "ratio"]
MEASURES = ("accuracy", "cost", "reached", "test_accuracy", "test_cost", "test_reached")
COLUMNS = [*KEY, *MEASURES, "objective", "lower_bound", "is_optimal"]

# of [true, given] classes, good and bad
COSTS = np.array([[0.0, 1.0], [5.0, 0.0]])


@dataclass(frozen=True)
class Applicants:
    """Features without the age, the risk, and who is young."""

    X: np.ndarray
    y: np.ndarray
    age: np.ndarray

    def part(self, rows: np.ndarray) -> Applicants:
        return Applicants(self.X[rows], self.y[rows], self.age[rows])


def arguments() -> argparse.Namespace:
    layout = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=layout)
    parser.add_argument("--split", choices=["univariate", "multivariate"], default="univariate")
    parser.add_argument("--skeleton", default="1-2")
    parser.add_argument("--alpha", type=float, default=0.05)
    parser.add_argument("--count-errors", action="store_true", help="every error costs 1")
    parser.add_argument("--seconds", type=float, default=10.0, help="of each fit")
    parser.add_argument("--seeds", type=int, default=5, help="splits of the data for the comparison")
    parser.add_argument("--output", type=Path, help="SVG of the path on the first split")
    parser.add_argument("--results", type=Path, help="CSV file to write, and to resume from")
    return parser.parse_args()


def main() -> None:
    options = arguments()
    store = Store(options.results, COLUMNS, KEY)
    applicants = read_applicants()
    for seed in range(1, options.seeds + 1):
        compare(options, store, *halves(applicants, str(seed)), seed)
    summarise(store.rows)
    path(options, *halves(applicants, "1"))


def read_applicants() -> Applicants:
    file = data_directory() / "data" / "uci54" / "statlog-german-credit.csv"
    with file.open(newline="") as lines:
        names = next(csv.reader(lines))
    values = np.loadtxt(file, delimiter=",", skiprows=1)
    age = np.where(values[:, names.index(GROUP)] <= OLDEST_YOUNG, "25 or less", "older")
    features = [place for place, name in enumerate(names[:-1]) if name != GROUP]
    return Applicants(values[:, features], values[:, -1].astype(int), age)


def halves(applicants: Applicants, seed: str) -> tuple[Applicants, Applicants]:
    indices = list(range(len(applicants.y)))
    random.Random(seed).shuffle(indices)
    cut = round(0.75 * len(indices))
    return applicants.part(np.array(indices[:cut])), applicants.part(np.array(indices[cut:]))


def compare(
    options: argparse.Namespace, store: Store, training: Applicants, test: Applicants, seed: int
) -> None:
    """Fit without a demand and with the four-fifths rule."""
    for ratio in (0.0, 0.8):
        costs = "errors" if options.count_errors else "5:1"
        key = [options.split, options.skeleton, options.alpha, costs, options.seconds, seed, ratio]
        if store.find(*key) is not None:
            continue
        constraints = [DemographicParity(ratio, favourable=GOOD)] if ratio else []
        model = estimator(options).set_params(constraints=constraints)
        model.fit(training.X, training.y, sensitive_features=training.age if ratio else None)
        row = dict(zip(KEY, key, strict=True))
        for prefix, people in (("", training), ("test_", test)):
            chosen = model.predict(people.X)
            report = fairness_report(people.y, chosen, people.age, favourable=GOOD)
            row[f"{prefix}accuracy"] = model.score(people.X, people.y)
            row[f"{prefix}cost"] = COSTS[people.y, chosen].mean()
            row[f"{prefix}reached"] = report.comparison("selection_rate")["ratio"]
        store.add(
            **row, objective=model.objective_, lower_bound=model.lower_bound_, is_optimal=model.is_optimal_
        )
        print(" ".join(f"{name}={value}" for name, value in store.rows[-1].items()), flush=True)


def path(options: argparse.Namespace, training: Applicants, test: Applicants) -> None:
    """Print the path on the first split, and draw it."""
    found = accuracy_fairness_path(
        estimator(options),
        training.X,
        training.y,
        training.age,
        ratios=RATIOS,
        constraint=DemographicParity(favourable=GOOD),
        X_test=test.X,
        y_test=test.y,
        sensitive_test=test.age,
    )
    print(found)
    if options.output is not None:
        figure = found.plot()
        figure.suptitle("statlog-german-credit: accuracy, and selection rates by age")
        figure.savefig(options.output, metadata={"Date": None})


def estimator(options: argparse.Namespace) -> OptimalDecisionDiagramClassifier:
    return OptimalDecisionDiagramClassifier(
        options.skeleton,
        alpha=options.alpha,
        split=options.split,
        cost_matrix=None if options.count_errors else COSTS,
        time_limit=options.seconds,
        random_state=0,
    )


def summarise(rows: list[dict[str, str]]) -> None:
    print("demand            " + " ".join(f"{name:>14s}" for name in MEASURES) + "  proved")
    for ratio in sorted({row["ratio"] for row in rows}, key=float):
        mine = [row for row in rows if row["ratio"] == ratio]
        means = [np.mean([float(row[name]) for row in mine]) for name in MEASURES]
        proved = sum(row["is_optimal"] == "True" for row in mine)
        cells = " ".join(f"{mean:14.4f}" for mean in means)
        print(f"ratio {float(ratio):<12g}{cells}  {proved} of {len(mine)}")


if __name__ == "__main__":
    main()
