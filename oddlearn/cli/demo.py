"""``oddlearn demo``: two diagrams of scikit-learn's breast cancer data.

With univariate splits, branches meet again at shared nodes; one multivariate split is proved optimal.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any, Literal

from numpy.typing import NDArray

import oddlearn
from oddlearn.cli.parser import Commands, add_command
from oddlearn.table.column_table import ColumnTable
from oddlearn.table.files import write_whole
from oddlearn.view.number_text import plural

DESCRIPTION = """\
Train two diagrams on scikit-learn's breast cancer data, one with single features and one with weighted
sums, print them, and write a picture, a model and a report of each."""

EXAMPLES = """\
  oddlearn demo
  oddlearn demo --output /tmp/tour
"""

SECONDS = 5.0
SKELETON = "1-2-3-3"

# terms of a weighted sum that are printed; the report has them all
MAX_TERMS = 5

KINDS: tuple[Literal["univariate", "multivariate"], ...] = ("univariate", "multivariate")


def add(commands: Commands, summary: str) -> None:
    """Add the command and its options."""
    parser = add_command(commands, "demo", "", summary, DESCRIPTION, EXAMPLES)
    parser.add_argument(
        "--output", metavar="DIR", default="demo", help="folder of the files; it is created if missing (demo)"
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Train, print, draw and report a diagram of each kind of split."""
    folder = Path(args.output)
    folder.mkdir(parents=True, exist_ok=True)
    reports = [fit_and_show(split, folder) for split in KINDS]
    print(f"Pictures (.svg) and models (.json, for 'oddlearn show' and oddlearn.load) are in {folder}.")
    print("Open the reports in a browser:")
    for report in reports:
        print(f"  {report}")
    return 0


def fit_and_show(split: Literal["univariate", "multivariate"], folder: Path) -> Path:
    """Train on three quarters of the rows, print the results, write the files, and return the report."""
    from sklearn.datasets import load_breast_cancer
    from sklearn.model_selection import train_test_split

    tumours = load_breast_cancer()
    labels = tumours.target_names[tumours.target]
    X, X_test, y, y_test = train_test_split(tumours.data, labels, random_state=0, stratify=labels)
    train, test = (_to_table(rows, tumours.feature_names) for rows in (X, X_test))
    model = oddlearn.OptimalDecisionDiagramClassifier(
        SKELETON, alpha=0.01, split=split, time_limit=SECONDS, random_state=0
    )
    model.fit(train, y)
    n_shared = int((model.diagram_.in_degree > 1).sum())
    size = f"{plural(model.n_nodes_, 'node')}, {n_shared} of them where branches meet again"
    print(f"{split.capitalize()} splits, {SKELETON}, {len(X)} tumours: {size}")
    print(f"Accuracy: {model.score(train, y):.1%} in training, {model.score(test, y_test):.1%} on others")
    print(model.certificate_.explain())
    print(oddlearn.export_text(model, X=train, max_terms=MAX_TERMS), end="\n\n")
    place = folder / f"tumours_{split}"
    write_whole(place.with_suffix(".svg"), oddlearn.export_svg(model, X=train))
    model.save(place.with_suffix(".json"))
    title = f"Tumours, {split} splits"
    return oddlearn.export_html(
        model, place.with_suffix(".html"), train, y, X_test=test, y_test=y_test, title=title
    )


def _to_table(rows: NDArray[Any], names: NDArray[Any]) -> Any:  # noqa: ANN401
    return ColumnTable.from_mapping(dict(zip(names.tolist(), rows.T, strict=True)))
