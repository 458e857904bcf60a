"""Results of a fit: model file, report, printed text and JSON."""

from __future__ import annotations

import argparse
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oddlearn.cli.console import check_overwrite, print_json
from oddlearn.cli.metric_tables import TrainingMetrics, measure_fit
from oddlearn.cli.stored_model import ColumnRoles, add_training_metadata
from oddlearn.errors import InvalidInputError
from oddlearn.model.predictor import DiagramPredictor
from oddlearn.table.files import STANDARD_INPUT, write_whole
from oddlearn.table.samples import LabelledSamples

if TYPE_CHECKING:
    from oddlearn.estimators.base import DiagramClassifier
    from oddlearn.model.predictor import DiagramPredictor

# of a certificate in JSON, as they are
CERTIFICATE_FIELDS = ("node_price", "split", "objective", "lower_bound", "gap", "is_optimal")

# terms of a weighted sum that are printed after a fit; 'oddlearn show' and the report have them all
MAX_TERMS = 6


@dataclass(frozen=True)
class Outputs:
    """Paths of the model file and the report."""

    model: Path
    report: Path


@dataclass(frozen=True, eq=False)
class FitResult:
    """A fitted model and the samples it was trained and tested on; ``test`` may have no rows.

    ``favourable`` is the class whose rates the report compares by group, None for every class.
    """

    model: DiagramClassifier
    train: LabelledSamples
    test: LabelledSamples
    roles: ColumnRoles
    seconds: float
    interrupted: bool
    favourable: Any = None

    @cached_property
    def metrics(self) -> TrainingMetrics:
        """Metrics on the training and the test rows."""
        return measure_fit(self.model, self.train, self.test)


def add_output_options(parser: argparse.ArgumentParser) -> None:
    """Add the options for output files."""
    group = parser.add_argument_group("output")
    group.add_argument(
        "--output", metavar="DIR", default=".", help="folder of the files; it is created if missing (.)"
    )
    group.add_argument("--name", help="write NAME.json and NAME.html instead of model.json and report.html")
    group.add_argument("--no-report", action="store_true", help="write the model only")
    group.add_argument(
        "--verbose", action="store_true", help="print also what each solver contributed to the certificate"
    )
    group.add_argument("--force", action="store_true", help="replace existing files")


def build_outputs(args: argparse.Namespace) -> Outputs:
    """Return the paths of the output files; raise InvalidInputError if one exists without --force."""
    folder = Path(args.output)
    if args.name is not None and (not args.name or Path(args.name).name != args.name):
        raise InvalidInputError(
            f"--name is {args.name!r}: give a file name without folders; --output takes the folder."
        )
    names = ("model.json", "report.html") if args.name is None else (f"{args.name}.json", f"{args.name}.html")
    outputs = Outputs(folder / names[0], folder / names[1])
    check_overwrite([outputs.model] if args.no_report else [outputs.model, outputs.report], args.force)
    return outputs


def report_fit(
    result: FitResult, outputs: Outputs, args: argparse.Namespace, further: Mapping[str, Any] | None = None
) -> None:
    """Write the model and its report, and print the result; ``further`` is added to the JSON."""
    with_report = not args.no_report
    write_whole(outputs.model, add_training_metadata(result.model.to_json(), result.roles, result.metrics))
    if with_report:
        write_whole(outputs.report, _build_page(result, _title(result.roles, args.data)))
    written = {"model": str(outputs.model), "report": str(outputs.report) if with_report else None}
    if args.json:
        print_json({**written, **_result_content(result), **(further or {})})
    else:
        print(_result_text(result, args.verbose))
        print("".join(f"\n{name.capitalize() + ':':8s}{path}" for name, path in written.items() if path))


def _result_text(result: FitResult, details: bool) -> str:
    """Return the diagram, its metrics and its certificate as text."""
    from oddlearn.export.text import export_text

    model = result.model
    lines = [
        export_text(model, X=result.train.X, max_terms=MAX_TERMS),
        "",
        result.metrics.summary(),
        "",
        model.certificate_.explain(details=details),
    ]
    if model.class_weight is not None:
        lines.append("Objective and probabilities count rows by their class weights; the metrics do not.")
    if result.interrupted:
        lines.append("The fit was interrupted: this is the best diagram found so far.")
    return "\n".join(lines)


def _result_content(result: FitResult) -> dict[str, Any]:
    """Return the content of --json."""
    metrics = result.metrics.to_dict()
    return {
        "rows": {"train": result.train.n_rows, "test": result.test.n_rows},
        "accuracy": {
            part: None if metrics[part] is None else metrics[part]["model"]["accuracy"]
            for part in ("train", "test")
        },
        "metrics": metrics,
        **certificate_content(result.model),
        "seconds": round(result.seconds, 3),
        "interrupted": result.interrupted,
    }


def certificate_content(model: DiagramPredictor) -> dict[str, Any]:
    """Return the certificate of a model for JSON."""
    certificate = model.certificate_
    return {
        "classes": list(model.classes_.tolist()),
        "nodes": model.n_nodes_,
        "skeleton": str(certificate.skeleton),
        "tree_only": certificate.skeleton.tree_only,
        **{name: getattr(certificate, name) for name in CERTIFICATE_FIELDS},
        "unpredicted_classes": list(certificate.unpredicted_classes),
        "certificate": certificate.explain(details=True),
        "by_node_count": [
            {"n_nodes": count, "objective_bound": bound if math.isfinite(bound) else None, "is_resolved": end}
            for count, _, bound, end in certificate.by_node_count.tolist()
        ],
    }


def _title(roles: ColumnRoles, data: str) -> str:
    return roles.target if data == STANDARD_INPUT else f"{roles.target} in {Path(data).name}"


def _build_page(result: FitResult, title: str) -> str:
    from oddlearn.report import html_page

    train, test = result.train, result.test
    return html_page(
        result.model,
        train.X,
        train.y,
        X_test=test.X if test.n_rows else None,
        y_test=test.y if test.n_rows else None,
        sample_weight=train.sample_weight,
        sample_weight_test=test.sample_weight if test.n_rows else None,
        title=title,
        sensitive_features=train.sensitive_features or None,
        sensitive_features_test=(test.sensitive_features or None) if test.n_rows else None,
        favourable=result.favourable,
    )
