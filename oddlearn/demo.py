"""``python -m oddlearn.demo``: train two diagrams on scikit-learn's wine data, and draw them.

The files go to ``./demo``.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Literal

from sklearn.datasets import load_wine
from sklearn.model_selection import train_test_split

from oddlearn import OptimalDecisionDiagramClassifier
from oddlearn.export import to_svg, to_text

FOLDER = Path("demo")
SECONDS = 5.0

KINDS: tuple[Literal["univariate", "multivariate"], ...] = ("univariate", "multivariate")


def main() -> None:
    """Train, print and draw a diagram of each kind of split."""
    FOLDER.mkdir(exist_ok=True)
    written = [path for split in KINDS for path in show(split)]
    print("Written (open the pictures in a browser; oddlearn.load reads the models):")
    for path in written:
        print(f"  {path}")


def show(split: Literal["univariate", "multivariate"]) -> list[Path]:
    """Train on three quarters of the wines, print what is known, and return the files written."""
    wine = load_wine()
    labels = wine.target_names[wine.target]
    X, X_test, y, y_test = train_test_split(wine.data, labels, random_state=0, stratify=labels)
    model = OptimalDecisionDiagramClassifier("1-2-4-4-4", split=split, time_limit=SECONDS, random_state=0)
    model.fit(X, y)
    notes = replace(model.notes_, feature_names=tuple(wine.feature_names))
    print(f"Wine, {split} splits: {model.n_nodes_} nodes for {len(X)} wines of {len(model.classes_)} kinds")
    print(f"Accuracy: {model.score(X, y):.1%} in training, {model.score(X_test, y_test):.1%} on others")
    print(model.certificate_.explain())
    print(to_text(model.diagram_, notes), end="\n\n")
    picture, stored = FOLDER / f"wine_{split}.svg", FOLDER / f"wine_{split}.json"
    picture.write_text(to_svg(model.diagram_, notes, X), encoding="utf-8")
    model.save(stored)
    return [picture, stored]


if __name__ == "__main__":
    main()
