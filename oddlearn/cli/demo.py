"""``oddlearn demo``: three diagrams of generated tables, each proved optimal within seconds.

Branches that meet again, weighted sums drawn in the plane, and missing values.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import oddlearn
from oddlearn.cli.demo_tables import DemoTable, make_loans, make_patients, make_plants
from oddlearn.cli.parser import Commands, add_command
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

TABLES = (make_loans, make_plants, make_patients)


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
    # a tree has a leaf per path, and one node less than leaves
    n_nodes = sum(_count_paths(model)) - 1
    return (
        f"{plural(diagram.n_nodes, 'node')}, {n_shared} where branches meet again (as a tree {n_nodes} nodes)"
    )


def _count_paths(model: oddlearn.OptimalDecisionDiagramClassifier) -> list[int]:
    """Return the number of paths that end at each final arc; targets come after their node."""
    diagram = model.diagram_
    n_paths, ends = [1] + [0] * (diagram.n_nodes - 1), []
    for node in range(diagram.n_nodes):
        for target in (diagram.negative[node], diagram.positive[node]):
            if target < diagram.n_nodes:
                n_paths[target] += n_paths[node]
            else:
                ends.append(n_paths[node])
    return ends


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
