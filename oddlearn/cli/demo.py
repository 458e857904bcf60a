"""``oddlearn demo``: three diagrams of generated tables, each proved optimal within seconds.

Branches that meet again, weighted sums drawn in the plane, and missing values.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import oddlearn
from oddlearn.cli.parser import Commands, add_command
from oddlearn.export.code.program import build_program
from oddlearn.export.code.sklearn_tree import count_copies
from oddlearn.table.column_table import ColumnTable
from oddlearn.table.files import write_whole
from oddlearn.view.number_text import percentage_text, plural

DESCRIPTION = """\
Train three diagrams on small generated tables: one whose branches meet again, one with weighted sums of two
columns, one with missing values. Print them, and write a picture, a model and a report of each."""

EXAMPLES = """\
  oddlearn demo
  oddlearn demo --output /tmp/tour
"""

# limit of each fit in seconds, for machines that are very busy: a fit ends when its proof is done, after one
SECONDS = 60.0

N_ROWS = 400  # rows of each generated table


def add(commands: Commands, summary: str) -> None:
    """Add the command and its options."""
    parser = add_command(commands, "demo", "", summary, DESCRIPTION, EXAMPLES)
    parser.add_argument(
        "--output", metavar="DIR", default="demo", help="folder of the files; it is created if missing (demo)"
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Train, print, draw and report a diagram of each table."""
    folder = Path(args.output)
    folder.mkdir(parents=True, exist_ok=True)
    pages = [path for make in TABLES for path in fit_and_show(make(), folder)]
    print(f"Pictures (.svg) and models (.json, for 'oddlearn show' and oddlearn.load) are in {folder}.")
    print("Open these in a browser:")
    for path in pages:
        print(f"  {path}")
    return 0


def fit_and_show(table: DemoTable, folder: Path) -> list[Path]:
    """Train on three quarters of the rows, print the result, and return the files to open."""
    model = oddlearn.OptimalDecisionDiagramClassifier(**table.parameters, time_limit=SECONDS, random_state=0)
    started = time.perf_counter()
    model.fit(table.X, table.y)
    seconds = time.perf_counter() - started
    print(f"{table.story}\n")
    print(oddlearn.export_text(model, X=table.X), end="\n\n")
    print(f"{_describe_shape(model)}, found in {seconds:.1f} s.")
    shares = [model.score(table.X, table.y), model.score(table.X_test, table.y_test)]
    print("Accuracy: {} in training, {} on other rows.".format(*map(percentage_text, shares)))
    print(model.certificate_.explain().splitlines()[0], end="\n\n\n")
    return _write_files(model, table, folder / table.name)


def _describe_shape(model: oddlearn.OptimalDecisionDiagramClassifier) -> str:
    diagram = model.diagram_
    n_shared = int((diagram.in_degree > 1).sum())
    if not n_shared:
        return plural(diagram.n_nodes, "node")
    # a tree has one node less than leaves
    n_nodes = count_copies(build_program(model)) // 2
    size = plural(diagram.n_nodes, "node")
    return f"{size}, {n_shared} where branches meet again (as a tree {n_nodes} nodes)"


def _write_files(
    model: oddlearn.OptimalDecisionDiagramClassifier, table: DemoTable, place: Path
) -> list[Path]:
    """Write picture, model and report, and the map of a model on two columns."""
    write_whole(place.with_suffix(".svg"), oddlearn.export_svg(model, X=table.X))
    model.save(place.with_suffix(".json"))
    report = oddlearn.export_html(
        model,
        place.with_suffix(".html"),
        table.X,
        table.y,
        X_test=table.X_test,
        y_test=table.y_test,
        title=table.name.capitalize(),
    )
    if model.n_features_in_ != 2:
        return [report]
    plane = place.with_name(f"{place.name}_map.svg")
    write_whole(plane, oddlearn.export_plane(model, table.X, table.y))
    return [report, plane]


@dataclass(frozen=True, eq=False)
class DemoTable:
    """A table of the demo: training and test rows with their labels, and how it is trained."""

    name: str  # of the files
    story: str  # what the rows are, in a sentence
    X: Any
    y: NDArray[Any]  # (n,) str
    X_test: Any
    y_test: NDArray[Any]  # (n,) str
    parameters: dict[str, Any]  # of the classifier


def make_loans() -> DemoTable:
    """Return applicants who get a loan in one of two ways: branches of the diagram meet again."""
    random = np.random.default_rng(0)
    columns = {
        "income": random.uniform(1, 6, N_ROWS).round(1),
        "years employed": random.integers(0, 21, N_ROWS),
        "guarantor income": random.uniform(0, 6, N_ROWS).round(1),
        "savings": random.uniform(0, 50, N_ROWS).round(),
        "age": random.integers(18, 75, N_ROWS),
    }
    own = (columns["income"] >= 3) & (columns["years employed"] >= 6)
    helped = (columns["guarantor income"] >= 3.5) & (columns["savings"] >= 15)
    story = "Applicants get a loan by income and work, or by a guarantor and savings."
    parameters = {"skeleton": "1-2-2-2", "node_price": 0.005}
    return _split("loans", story, columns, np.where(own | helped, "loan", "no loan"), parameters)


def make_plants() -> DemoTable:
    """Return places where a plant grows between two slanted lines: weighted sums of two columns."""
    random = np.random.default_rng(1)
    columns = {
        "temperature": random.uniform(5, 30, N_ROWS).round(1),
        "rain": random.uniform(0, 100, N_ROWS).round(1),
    }
    need = 10 + 2 * columns["temperature"]
    grows = (columns["rain"] > need - 12) & (columns["rain"] < need + 20)
    story = "A plant grows where there is rain enough for the warmth, and not too much."
    parameters = {"skeleton": "1-2", "node_price": 0.02, "split": "multivariate"}
    return _split("plants", story, columns, np.where(grows, "grows", "does not"), parameters)


def make_patients() -> DemoTable:
    """Return patients without a test in emergencies: a missing value tells something."""
    random = np.random.default_rng(2)
    age = random.integers(20, 95, N_ROWS)
    pressure = random.normal(125, 22, N_ROWS).round()
    lactate = random.gamma(3, 0.7, N_ROWS).round(1)
    lactate[random.random(N_ROWS) < 0.5] = np.nan
    heart_rate = random.normal(85, 15, N_ROWS).round()
    at_risk = (age >= 80) | ((np.isnan(lactate) | (lactate >= 2.2)) & (pressure < 120))
    columns = {"age": age, "blood pressure": pressure, "lactate": lactate, "heart rate": heart_rate}
    story = "Patients, half of them without a lactate test, for which an emergency leaves no time."
    parameters = {"skeleton": "1-2-2", "node_price": 0.01}
    return _split("patients", story, columns, np.where(at_risk, "at risk", "stable"), parameters)


def _split(
    name: str, story: str, columns: dict[str, NDArray[Any]], labels: NDArray[Any], parameters: dict[str, Any]
) -> DemoTable:
    """Hold out every fourth row; the rows are in random order."""
    table, is_test = ColumnTable.from_mapping(columns), np.arange(N_ROWS) % 4 == 3
    return DemoTable(
        name, story, table.rows(~is_test), labels[~is_test], table.rows(is_test), labels[is_test], parameters
    )


TABLES = (make_loans, make_plants, make_patients)
