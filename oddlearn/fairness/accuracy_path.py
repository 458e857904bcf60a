"""The trade-off between accuracy and fairness: the best diagram for a list of ratios."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone

from oddlearn.constraints.fairness import DemographicParity, Parity
from oddlearn.constraints.group_rates import RateKind, rate_of_predictions
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.errors import InfeasibleError, InvalidInputError, NoFeasibleDiagramError
from oddlearn.estimators.base import DiagramClassifier
from oddlearn.export.matplotlib_canvas import new_figure
from oddlearn.fairness.group_report import format_rows
from oddlearn.table.checks import check_share
from oddlearn.table.column_table import rows_to_frame
from oddlearn.table.groups import SensitiveColumn, cross_columns, read_sensitive_features
from oddlearn.table.labels_and_weights import check_sample_weight
from oddlearn.table.samples import LabelledSamples, gather_samples

DEFAULT_RATIOS = (0.0, 0.2, 0.4, 0.6, 0.7, 0.8, 0.9, 1.0)

# what is drawn, and what it is called
MEASURES = ("accuracy", "reached")
LABELS = ("accuracy", "smallest rate / largest rate")


@dataclass(frozen=True, eq=False)
class PathPoint:
    """The best diagram for one ratio.

    Attributes
    ----------
    ratio : float
        Required ratio.
    model : fitted classifier or None
        None if no diagram that satisfies the ratio was found; ``text`` gives the reason.
    row : dict
        ratio, accuracy, reached (the ratio on the training data), objective, lower_bound, is_optimal, nodes,
        and with test data test_accuracy and test_reached; None where there is no model.
    text : str
    """

    ratio: float
    model: DiagramClassifier | None
    row: dict[str, Any]
    text: str = ""


@dataclass(frozen=True, eq=False)
class FairnessPath:
    """The best diagram for each ratio; ``print`` shows the table.

    Attributes
    ----------
    points : tuple of PathPoint
        By ascending ratio.
    """

    points: tuple[PathPoint, ...]

    def __str__(self) -> str:
        return format_rows([point.row for point in self.points])

    def to_frame(self) -> Any:  # noqa: ANN401
        """Return the table as a pandas DataFrame, indexed by ratio."""
        return rows_to_frame([point.row for point in self.points]).set_index("ratio")

    def plot(self) -> Any:  # noqa: ANN401
        """Plot accuracy and the reached ratio against the required ratio; return the matplotlib figure."""
        figure = new_figure(9, 3.5)
        rows = [point.row for point in self.points if point.model is not None]
        required = [row["ratio"] for row in rows]
        prefixes = [("", "training", "o-")]
        if rows and "test_accuracy" in rows[0]:
            prefixes.append(("test_", "test", "s--"))
        for axes, name, label in zip(figure.subplots(1, 2), MEASURES, LABELS, strict=True):
            for prefix, legend, style in prefixes:
                axes.plot(required, [row[prefix + name] for row in rows], style, label=legend)
            axes.set_xlabel("required ratio")
            axes.set_ylabel(label)
            axes.spines[["top", "right"]].set_visible(False)
        axes.plot([0, 1], [0, 1], color="0.6", linewidth=1, label="required")
        axes.legend()
        return figure


def accuracy_fairness_path(
    estimator: DiagramClassifier,
    X: ArrayLike,
    y: ArrayLike,
    sensitive_features: Any,  # noqa: ANN401
    *,
    ratios: Sequence[float] = DEFAULT_RATIOS,
    constraint: Parity | None = None,
    sample_weight: ArrayLike | None = None,
    X_test: ArrayLike | None = None,
    y_test: ArrayLike | None = None,
    sensitive_test: Any = None,  # noqa: ANN401
) -> FairnessPath:
    """Train the best diagram for each ratio, from the strictest to the loosest.

    A diagram that satisfies a ratio satisfies every smaller one: each search starts from the diagram of the
    next stricter ratio and never returns a worse one.

    Parameters
    ----------
    estimator : classifier
        Cloned for every ratio; its other constraints stay.
    X, y, sensitive_features, sample_weight
        As for ``fit``.
    ratios : sequence of float
        From 0 to 1; 0 is no constraint.
    constraint : fairness constraint, optional
        Constraint whose ratio is varied; ``DemographicParity()`` by default.
    X_test, y_test, sensitive_test : optional
        Test data, all three or none.
    """
    if not isinstance(estimator, DiagramClassifier):
        raise InvalidInputError(
            f"estimator is a {type(estimator).__name__}: give an OptimalDecisionDiagramClassifier or an "
            "OptimalDecisionTreeClassifier."
        )
    if constraint is not None and not isinstance(constraint, Parity):
        raise InvalidInputError(f"constraint is {constraint!r}: give a fairness constraint.")
    wanted = sorted({check_share("ratios", ratio) for ratio in ratios})
    if not wanted:
        raise InvalidInputError("ratios is empty: give numbers from 0 to 1.")
    given = [part is None for part in (X_test, y_test, sensitive_test)]
    if any(given) and not all(given):
        raise InvalidInputError("Give X_test, y_test and sensitive_test together, or none of them.")
    constraint = DemographicParity() if constraint is None else constraint
    training = gather_samples(X, y, sample_weight, sensitive_features)
    test = None if X_test is None or y_test is None else gather_samples(X_test, y_test, None, sensitive_test)
    points, start = [], None
    for ratio in reversed(wanted):
        current = replace(constraint, ratio=ratio, difference=None)
        point, start = _point(estimator, current, training, test, start)
        points.append(point)
    return FairnessPath(tuple(reversed(points)))


def _point(
    estimator: DiagramClassifier,
    constraint: Parity,
    training: LabelledSamples,
    test: LabelledSamples | None,
    start: DecisionDiagram | None,
) -> tuple[PathPoint, DecisionDiagram | None]:
    """Return a point of the path and the start of the next one."""
    ratio = float(constraint.ratio or 0.0)
    model: DiagramClassifier = clone(estimator)
    others = estimator.get_params(deep=False)["constraints"]
    others = tuple(others) if isinstance(others, Sequence) else (others,)
    model.set_params(constraints=(*others, constraint))
    try:
        weight, groups = training.sample_weight, training.sensitive_features
        found = model._fit_from(start, training.X, training.y, weight, groups)
    except (InfeasibleError, NoFeasibleDiagramError) as problem:
        return PathPoint(ratio, None, _row(ratio, None, constraint, training, test), str(problem)), start
    return PathPoint(ratio, model, _row(ratio, model, constraint, training, test)), found


def _row(
    ratio: float,
    model: DiagramClassifier | None,
    constraint: Parity,
    training: LabelledSamples,
    test: LabelledSamples | None,
) -> dict[str, Any]:
    row: dict[str, Any] = {"ratio": ratio}
    row |= dict(zip(("accuracy", "reached"), _evaluate(model, constraint, training), strict=True))
    if test is not None:
        row |= dict(zip(("test_accuracy", "test_reached"), _evaluate(model, constraint, test), strict=True))
    names = ("objective_", "lower_bound_", "is_optimal_", "n_nodes_")
    row |= {name.strip("_").replace("n_", ""): getattr(model, name, None) for name in names}
    return row


def _evaluate(
    model: DiagramClassifier | None, constraint: Parity, samples: LabelledSamples
) -> tuple[float | None, float | None]:
    """Return accuracy and ratio of a model on samples."""
    if model is None:
        return None, None
    predicted = model.predict(samples.X)
    accuracy = float(model.score(samples.X, samples.y, samples.sample_weight))
    favourable = model.classes_[-1] if constraint.favourable is None else constraint.favourable
    if constraint.used_kinds != ("accuracy",) and favourable not in np.union1d(samples.y, predicted):
        return accuracy, 1.0  # no sample has it, true or predicted
    weight = check_sample_weight(samples.sample_weight, len(predicted))
    outcomes = (np.asarray(samples.y), predicted, weight)
    columns = _select_columns(constraint, samples.sensitive_features, len(predicted))
    pairs = product(constraint.used_kinds, columns)
    return accuracy, min(
        _ratio(kind, column, constraint.groups, favourable, *outcomes) for kind, column in pairs
    )


def _select_columns(constraint: Parity, sensitive: Any, count: int) -> tuple[SensitiveColumn, ...]:  # noqa: ANN401
    """Return the columns whose groups the constraint compares."""
    columns = read_sensitive_features(sensitive, count)
    if constraint.columns is not None:
        columns = tuple(column for column in columns if column.name in constraint.columns)
    return (cross_columns(columns),) if constraint.intersection and len(columns) > 1 else columns


def _ratio(
    kind: RateKind,
    column: SensitiveColumn,
    named: Sequence[Any] | None,
    favourable: Any,  # noqa: ANN401
    *outcomes: NDArray[Any],
) -> float:
    """Return smallest over largest rate of the groups, 1 if all are 0; outcomes: true, predicted, weight."""
    codes = [code for code, level in enumerate(column.levels) if named is None or level in named]
    parts = [[values[column.codes == code] for values in outcomes] for code in codes]
    rates = np.array(
        [rate_of_predictions(kind, true, predicted, weight, favourable) for true, predicted, weight in parts]
    )
    if kind == "number selected (as a share of all)":
        rates = rates * np.array([weight.sum() for _, _, weight in parts])
    largest = float(np.nanmax(rates))
    return float(np.nanmin(rates)) / largest if largest > 0 else 1.0
