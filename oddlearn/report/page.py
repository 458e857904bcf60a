"""One self-contained HTML page of a model: to read, to try out, to share."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Mapping
from dataclasses import replace
from importlib.resources import files
from os import PathLike
from pathlib import Path
from typing import Any

from numpy.typing import ArrayLike

from oddlearn.diagram.features import Label
from oddlearn.diagram.metadata import ModelMetadata
from oddlearn.errors import InvalidInputError
from oddlearn.report.page_content import PageInputs, page_sections
from oddlearn.report.page_data import row_names
from oddlearn.report.theme import style_rules
from oddlearn.table.files import write_whole
from oddlearn.table.groups import read_sensitive_features
from oddlearn.view.inputs import ModelView, model_view
from oddlearn.view.predictions import Predictions, predict_rows

TITLE = "Decision diagram"

# together one module: each uses the definitions of those before it
SCRIPTS = ("classifier.js", "details.js", "timestamps.js", "follow.js", "page.js")


def export_html(
    model: Any,  # noqa: ANN401
    path: str | PathLike[str],
    X: ArrayLike | None = None,
    y: ArrayLike | None = None,
    *,
    X_test: ArrayLike | None = None,
    y_test: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    sample_weight_test: ArrayLike | None = None,
    title: str = TITLE,
    sensitive_features: Any = None,  # noqa: ANN401
    sensitive_features_test: Any = None,  # noqa: ANN401
    favourable: Label | None = None,
    metadata: ModelMetadata | None = None,
) -> Path:
    """Write the page of a fitted classifier or a diagram to a file, and return its path.

    One file that works offline: the diagram with the flow of the samples, the exact condition of every node,
    a form to follow a sample through it, accuracy, confusion matrix, certificate and, where groups are given,
    their rates.

    Parameters
    ----------
    model : fitted classifier, Pipeline that ends in one, or DecisionDiagram
    path : str or path
        File to write; an existing one is replaced.
    X : array-like (n, n_features), optional
        Rows to show, best those of training. Without them the page shows what the model has stored. Up to 200
        are written into the page, for its reader to follow.
    y : array-like (n,), optional
        Their labels.
    X_test, y_test : array-like, optional
        Other rows, whose accuracy and confusion matrix are shown beside those of X and y.
    sample_weight, sample_weight_test : array-like (n,), optional
        Weights of the rows of X and of X_test: flows, accuracy, confusion matrices and rates of groups are
        weighted then, and the page says so. With those of the fit, the page agrees with the certificate.
    title : str
    sensitive_features : array-like (n,), frame or dict of columns, optional
        Groups of the rows of X, whose rates the page then shows.
    sensitive_features_test : optional
        The same for the rows of X_test.
    favourable : label, optional
        The favourable class: the page compares its rates only and colours it blue. None is that of the
        model's fairness constraint; without one every class, of two the second.
    metadata : ModelMetadata, optional
        Names and counts to use instead of the model's own; a bare diagram has none.

    Returns
    -------
    Path

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from oddlearn import OptimalDecisionDiagramClassifier, export_html
    >>> X, y = load_iris(return_X_y=True)
    >>> model = OptimalDecisionDiagramClassifier("1-2", random_state=0).fit(X, y)
    >>> export_html(model, "iris.html", X, y)  # doctest: +SKIP
    """
    if not isinstance(path, (str, PathLike)):
        raise InvalidInputError(
            f"path is a {type(path).__name__}: give the name of the file to write, then X and y."
        )
    target = Path(path)
    page = html_page(
        model,
        X,
        y,
        X_test=X_test,
        y_test=y_test,
        sample_weight=sample_weight,
        sample_weight_test=sample_weight_test,
        title=title,
        sensitive_features=sensitive_features,
        sensitive_features_test=sensitive_features_test,
        favourable=favourable,
        metadata=metadata,
    )
    write_whole(target, page)
    return target


def html_page(
    model: Any,  # noqa: ANN401
    X: ArrayLike | None = None,
    y: ArrayLike | None = None,
    *,
    X_test: ArrayLike | None = None,
    y_test: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    sample_weight_test: ArrayLike | None = None,
    title: str = TITLE,
    sensitive_features: Any = None,  # noqa: ANN401
    sensitive_features_test: Any = None,  # noqa: ANN401
    favourable: Label | None = None,
    metadata: ModelMetadata | None = None,
) -> str:
    """Return the page that ``export_html`` writes, as text."""
    if hasattr(model, "fit"):
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(model)
    view = _name_favourable(model_view(model, metadata), favourable)
    samples = _predictions(view, X, y, sample_weight, "")
    test = _predictions(view, X_test, y_test, sample_weight_test, "_test")
    inputs = PageInputs(
        title=str(title),
        samples=samples,
        test=test,
        row_names=() if samples is None else row_names(X, len(samples.X)),
        groups=_groups(sensitive_features, samples, ""),
        test_names=() if test is None else row_names(X_test, len(test.X)),
        test_groups=_groups(sensitive_features_test, test, "_test"),
        compared=_compared_classes(view),
    )
    return _fill_template(page_sections(view, inputs), style_rules(view.metadata.favourable_class))


def _predictions(
    view: ModelView, X: ArrayLike | None, y: ArrayLike | None, weights: ArrayLike | None, suffix: str
) -> Predictions | None:
    """Return the predictions of rows; ``suffix`` ends the names of the parameters in messages."""
    rows = view.rows(X)
    if rows is None:
        for name, value in (("y", y), ("sample_weight", weights)):
            if value is not None:
                raise InvalidInputError(f"{name}{suffix} was given without its rows: give X{suffix} too.")
        return None
    return predict_rows(view.diagram, view.metadata.class_labels, rows, y, weights)


def _groups(sensitive_features: object, samples: Predictions | None, suffix: str) -> Mapping[str, list[str]]:
    if sensitive_features is None:
        return {}
    if samples is None or samples.codes is None:
        raise InvalidInputError(
            f"sensitive_features{suffix} belong to rows and their labels: give X{suffix} and y{suffix} too."
        )
    return {
        column.name: [str(column.levels[code]) for code in column.codes]
        for column in read_sensitive_features(sensitive_features, len(samples.X))
    }


def _name_favourable(view: ModelView, favourable: Label | None) -> ModelView:
    """Return the view with the favourable class that was given; None is the one that the model knows of."""
    labels = list(view.metadata.class_labels)
    if favourable is None:
        return view
    if favourable not in labels:
        raise InvalidInputError(f"favourable is {favourable!r}: give one of the labels {labels[:10]}.")
    return replace(view, metadata=replace(view.metadata, favourable_class=labels.index(favourable)))


def _compared_classes(view: ModelView) -> tuple[int, ...]:
    """Return the codes of the classes whose rates are compared; of two the second stands for both."""
    n_classes, favourable = view.diagram.n_classes, view.metadata.favourable_class
    if favourable is not None:
        return (favourable,)
    return (1,) if n_classes == 2 else tuple(range(n_classes))


def _fill_template(sections: Mapping[str, str], rules: str) -> str:
    """Return the template with each placeholder replaced once: inserted text is not searched again."""
    script = "\n".join(_asset(name) for name in SCRIPTS)
    policy = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    values = {
        **sections,
        "style": f"{_asset('page.css')}\n{rules}",
        "script": script,
        # with it, no other script can run in the page, wherever it might come from
        "script_hash": f"sha256-{policy}",
    }
    return re.sub(r"\{\{(\w+)\}\}", lambda found: values[found[1]], _asset("page.html"))


def _asset(name: str) -> str:
    return (files("oddlearn.report") / "assets" / name).read_text(encoding="utf-8")
