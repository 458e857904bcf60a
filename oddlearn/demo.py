"""``python -m oddlearn.demo``: train two diagrams on scikit-learn's breast cancer data, and draw them.

With univariate splits, branches meet again at shared nodes; one multivariate split is proved to be optimal.
The files go to ``./demo``.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Literal

from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

from oddlearn import DecisionDiagram, OptimalDecisionDiagramClassifier
from oddlearn.export import to_svg, to_text

FOLDER = Path("demo")
SECONDS = 5.0
SKELETON = "1-2-3-3"

KINDS: tuple[Literal["univariate", "multivariate"], ...] = ("univariate", "multivariate")


def main() -> None:
    """Train, print and draw a diagram of each kind of split."""
    FOLDER.mkdir(exist_ok=True)
    written = [path for split in KINDS for path in show(split)]
    print("Written (open the pictures in a browser; oddlearn.load reads the models):")
    for path in written:
        print(f"  {path}")


def show(split: Literal["univariate", "multivariate"]) -> list[Path]:
    """Train on three quarters of the tumours, print what is known, and return the files written."""
    tumours = load_breast_cancer()
    labels = tumours.target_names[tumours.target]
    X, X_test, y, y_test = train_test_split(tumours.data, labels, random_state=0, stratify=labels)
    model = OptimalDecisionDiagramClassifier(
        SKELETON, alpha=0.01, split=split, time_limit=SECONDS, random_state=0
    )
    model.fit(X, y)
    notes = replace(model.notes_, feature_names=tuple(tumours.feature_names))
    print(f"{split.capitalize()} splits, {SKELETON}, {len(X)} tumours: {_size(model.diagram_)}")
    print(f"Accuracy: {model.score(X, y):.1%} in training, {model.score(X_test, y_test):.1%} on others")
    print(model.certificate_.explain())
    print(to_text(model.diagram_, notes), end="\n\n")
    picture, stored = FOLDER / f"tumours_{split}.svg", FOLDER / f"tumours_{split}.json"
    picture.write_text(to_svg(model.diagram_, notes, X), encoding="utf-8")
    model.save(stored)
    return [picture, stored]


def _size(diagram: DecisionDiagram) -> str:
    shared = int((diagram.in_degree > 1).sum())
    return f"{diagram.n_nodes} node{'s' * (diagram.n_nodes != 1)}, {shared} of them where branches meet again"


if __name__ == "__main__":
    main()
