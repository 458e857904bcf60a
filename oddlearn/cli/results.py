"""What becomes of a fitted model: files, numbers, and words."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from oddlearn.cli.column_roles import Roles, with_origin
from oddlearn.cli.console import check_free, percent, rows_told, say, say_json
from oddlearn.cli.training_rows import Samples
from oddlearn.errors import InvalidInputError
from oddlearn.table.files import STANDARD_INPUT, write_whole
from oddlearn.view.predictions import accuracy

if TYPE_CHECKING:
    from oddlearn.estimators.base import DiagramClassifier

# terms of a weighted sum that are printed after a fit; 'oddlearn show' and the report have them all
MAX_TERMS = 6


@dataclass(frozen=True)
class Outputs:
    """Where a model and its report are written."""

    model: Path
    report: Path


@dataclass(frozen=True, eq=False)
class Fitted:
    """A fitted model and the samples it was trained and tested on; ``test`` may have no rows.

    ``favourable`` is the class whose rates the report compares between groups, None for every class.
    """

    model: DiagramClassifier
    train: Samples
    test: Samples
    roles: Roles
    seconds: float
    interrupted: bool
    favourable: Any = None


def add_output(parser: argparse.ArgumentParser) -> None:
    """Add where the results go."""
    group = parser.add_argument_group("output")
    group.add_argument(
        "--output", metavar="DIR", default=".", help="folder of the files, made if need be (.)"
    )
    group.add_argument("--name", help="write NAME.json and NAME.html instead of model.json and report.html")
    group.add_argument("--no-report", action="store_true", help="write the model only")
    group.add_argument("--force", action="store_true", help="replace files that are there already")


def outputs_of(asked: argparse.Namespace) -> Outputs:
    """Return where the results go; files that would be replaced unasked are refused."""
    folder = Path(asked.output)
    if asked.name is not None and (not asked.name or Path(asked.name).name != asked.name):
        raise InvalidInputError(
            f"--name is {asked.name!r}: give a name without folders, and these to --output."
        )
    names = (
        ("model.json", "report.html") if asked.name is None else (f"{asked.name}.json", f"{asked.name}.html")
    )
    outputs = Outputs(folder / names[0], folder / names[1])
    check_free([outputs.model] if asked.no_report else [outputs.model, outputs.report], asked.force)
    return outputs


def finished(
    fitted: Fitted, outputs: Outputs, asked: argparse.Namespace, further: Mapping[str, Any] | None = None
) -> None:
    """Write the model and its report, and tell about them; ``further`` is added for machines."""
    with_report = not asked.no_report
    write_whole(outputs.model, with_origin(fitted.model.to_json(), fitted.roles))
    if with_report:
        write_whole(outputs.report, _page(fitted, _title(fitted.roles, asked.data)))
    written = {"model": str(outputs.model), "report": str(outputs.report) if with_report else None}
    if asked.json:
        say_json({**written, **_content(fitted), **(further or {})})
    else:
        say(_told(fitted))
        say("".join(f"\n{what.capitalize() + ':':8s}{path}" for what, path in written.items() if path))


def _told(fitted: Fitted) -> str:
    """Return what a person wants to know of a fitted model."""
    from oddlearn.export import export_text

    model = fitted.model
    lines = [
        export_text(model, X=fitted.train.features, max_terms=MAX_TERMS),
        "",
        _accuracy_line(fitted),
        model.certificate_.explain(),
    ]
    if fitted.interrupted:
        lines.append("The fit was interrupted: this is the best diagram found until then.")
    return "\n".join(lines)


def _content(fitted: Fitted) -> dict[str, Any]:
    """Return the same for machines."""
    model = fitted.model
    return {
        "rows": {"train": fitted.train.n_rows, "test": fitted.test.n_rows},
        "accuracy": {
            "train": model_accuracy(model, fitted.train),
            "test": model_accuracy(model, fitted.test),
        },
        **certificate_content(model),
        "seconds": round(fitted.seconds, 3),
        "interrupted": fitted.interrupted,
    }


def certificate_content(model: DiagramClassifier) -> dict[str, Any]:
    """Return what is known of a model, for JSON."""
    certificate = model.certificate_
    return {
        "classes": list(model.classes_.tolist()),
        "nodes": model.n_nodes_,
        "skeleton": str(certificate.skeleton),
        "tree_only": certificate.skeleton.tree_only,
        "alpha": certificate.alpha,
        "split": certificate.split,
        "objective": certificate.objective,
        "lower_bound": certificate.lower_bound,
        "gap": certificate.gap,
        "is_optimal": certificate.is_optimal,
        "certificate": certificate.explain(),
    }


def model_accuracy(model: DiagramClassifier, samples: Samples) -> float | None:
    """Return the accuracy of a model on samples, None without any weight."""
    if samples.n_rows == 0:
        return None
    return accuracy(model.predict(samples.features) == samples.labels, samples.weights)


def _accuracy_line(fitted: Fitted) -> str:
    labels, codes = np.unique(fitted.train.labels, return_inverse=True)
    totals = np.bincount(codes, weights=fitted.train.weights)
    parts = []
    for samples, where in ((fitted.train, "in training"), (fitted.test, "held out")):
        value = model_accuracy(fitted.model, samples)
        if value is not None:
            parts.append(f"{percent(value)} on the {rows_told(samples.n_rows)} {where}")
    always = f"always {labels[totals.argmax()]!s}: {percent(totals.max() / totals.sum())}"
    weighted = "Weighted accuracy" if fitted.train.weights is not None else "Accuracy"
    return f"{weighted}: {', '.join(parts)} ({always})"


def _title(roles: Roles, data: str) -> str:
    return roles.target if data == STANDARD_INPUT else f"{roles.target} in {Path(data).name}"


def _page(fitted: Fitted, title: str) -> str:
    from oddlearn.report import html_page

    train, test = fitted.train, fitted.test
    return html_page(
        fitted.model,
        train.features,
        train.labels,
        X_test=test.features if test.n_rows else None,
        y_test=test.labels if test.n_rows else None,
        sample_weight=train.weights,
        sample_weight_test=test.weights if test.n_rows else None,
        title=title,
        sensitive_features=train.groups or None,
        favourable=fitted.favourable,
    )
