"""The models of ``oddlearn demo``: two diagrams of scikit-learn's breast cancer data.

With univariate splits, branches meet again at shared nodes; one multivariate split is proved optimal.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

from oddlearn import DecisionDiagram, OptimalDecisionDiagramClassifier
from oddlearn.export import export_svg, export_text
from oddlearn.report import export_html
from oddlearn.table.column_table import ColumnTable
from oddlearn.table.files import write_whole

SECONDS = 5.0
SKELETON = "1-2-3-3"

# terms of a weighted sum that are printed; the report has them all
MAX_TERMS = 5

KINDS: tuple[Literal["univariate", "multivariate"], ...] = ("univariate", "multivariate")


def run_demo(folder: Path) -> None:
    """Train, print, draw and report a diagram of each kind of split; the files go to a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    reports = [show(split, folder) for split in KINDS]
    print(f"Pictures (.svg) and models (.json, for 'oddlearn show' and oddlearn.load) are in {folder}.")
    print("Open the reports in a browser:")
    for report in reports:
        print(f"  {report}")


def show(split: Literal["univariate", "multivariate"], folder: Path) -> Path:
    """Train on three quarters of the rows, print the results, write the files, and return the report."""
    tumours = load_breast_cancer()
    labels = tumours.target_names[tumours.target]
    X, X_test, y, y_test = train_test_split(tumours.data, labels, random_state=0, stratify=labels)
    train, test = (_named(rows, tumours.feature_names) for rows in (X, X_test))
    model = OptimalDecisionDiagramClassifier(
        SKELETON, alpha=0.01, split=split, time_limit=SECONDS, random_state=0
    )
    model.fit(train, y)
    print(f"{split.capitalize()} splits, {SKELETON}, {len(X)} tumours: {_size(model.diagram_)}")
    print(f"Accuracy: {model.score(train, y):.1%} in training, {model.score(test, y_test):.1%} on others")
    print(model.certificate_.explain())
    print(export_text(model, X=train, max_terms=MAX_TERMS), end="\n\n")
    place = folder / f"tumours_{split}"
    write_whole(place.with_suffix(".svg"), export_svg(model, X=train))
    model.save(place.with_suffix(".json"))
    title = f"Tumours, {split} splits"
    return export_html(model, place.with_suffix(".html"), train, y, X_test=test, y_test=y_test, title=title)


def _named(rows: NDArray[Any], names: NDArray[Any]) -> Any:  # noqa: ANN401
    return ColumnTable.of(dict(zip(names.tolist(), rows.T, strict=True)))


def _size(diagram: DecisionDiagram) -> str:
    shared = int((diagram.in_degree > 1).sum())
    return f"{diagram.n_nodes} node{'s' * (diagram.n_nodes != 1)}, {shared} of them where branches meet again"
