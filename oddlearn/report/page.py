"""One self-contained HTML page of a diagram: to read, to try out, to hand on."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Mapping
from importlib.resources import files
from os import PathLike
from pathlib import Path
from typing import Any

from numpy.typing import ArrayLike

from oddlearn.diagram.labels import Label
from oddlearn.diagram.notes import Notes
from oddlearn.errors import InvalidInputError
from oddlearn.export.subject import rows_of
from oddlearn.report.content import Given, parts_of
from oddlearn.report.fairness import named_groups
from oddlearn.report.palette import style_rules
from oddlearn.report.samples import Samples, row_names, samples_of
from oddlearn.report.subject import Subject, reported

TITLE = "Decision diagram"

# together one module: each uses what those before it define
SCRIPTS = ("classifier.js", "details.js", "follow.js", "page.js")


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
    favourable: Label | None = None,
    notes: Notes | None = None,
) -> Path:
    """Write the page of a fitted classifier or a diagram to a file, and return its path.

    One file that needs no network: the diagram with the flow of the samples, every question in full, a form
    to follow a sample through it, accuracy, confusion matrix, certificate and, where groups are given, how
    they are treated.

    Parameters
    ----------
    model : fitted classifier or DecisionDiagram
    path : str or path
        Of the file to write; one that is there is replaced.
    X : array-like (n, n_features), optional
        Rows to show, best those of training. Without them the page tells what the model remembers. Up to 200
        are written into the page, for its reader to follow.
    y : array-like (n,), optional
        Their labels.
    X_test, y_test : array-like, optional
        Other rows, whose accuracy and confusion matrix are shown beside those of X and y.
    sample_weight, sample_weight_test : array-like (n,), optional
        What each row of X, and of X_test, counts: flows, accuracy, confusion matrices and rates of groups are
        weighted then, and the page says so. Give those of the fit, and the page agrees with the certificate.
    title : str
    sensitive_features : array-like (n,), frame or dict of columns, optional
        Groups of the rows of X; the page then shows how each is treated.
    favourable : label, optional
        The class people hope for: the page compares its rates only. None is every class, of two the second.
    notes : Notes, optional
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
        favourable=favourable,
        notes=notes,
    )
    target = Path(path)
    # a name may hold half a surrogate pair, which no file can
    target.write_text(page, encoding="utf-8", errors="replace")
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
    favourable: Label | None = None,
    notes: Notes | None = None,
) -> str:
    """Return the page that ``export_html`` writes, as text."""
    fitted = getattr(model, "best_estimator_", model)  # a search over parameters keeps its choice there
    subject = reported(fitted, notes)
    shown = _samples(subject, fitted, (X, y, sample_weight), "")
    test = _samples(subject, fitted, (X_test, y_test, sample_weight_test), "_test")
    compared = _compared(subject, favourable)
    given = Given(str(title), shown, test, _groups(sensitive_features, shown), compared)
    return _filled(parts_of(subject, given))


def _samples(
    subject: Subject,
    model: Any,  # noqa: ANN401
    given: tuple[ArrayLike | None, ArrayLike | None, ArrayLike | None],
    ending: str,
) -> Samples | None:
    """Return the samples of rows, labels and weights; ``ending`` is that of the names they were given by."""
    X, y, weights = given
    rows = rows_of(model, X)
    if rows is None:
        for name, value in (("y", y), ("sample_weight", weights)):
            if value is not None:
                raise InvalidInputError(f"{name}{ending} was given without its rows: give X{ending} too.")
        return None
    names = row_names(X, len(rows))
    return samples_of(subject.diagram, subject.notes.class_labels, rows, y, names, weights)


def _groups(sensitive_features: Any, samples: Samples | None) -> Mapping[str, list[str]]:  # noqa: ANN401
    if sensitive_features is None:
        return {}
    if samples is None or samples.codes is None:
        raise InvalidInputError("sensitive_features belong to rows and their labels: give X and y too.")
    return named_groups(sensitive_features, len(samples.X))


def _compared(subject: Subject, favourable: Label | None) -> tuple[int, ...]:
    """Return the codes of the classes whose rates are compared; of two the second stands for both."""
    labels = list(subject.notes.class_labels)
    if favourable is None:
        return (1,) if len(labels) == 2 else tuple(range(len(labels)))
    if favourable not in labels:
        raise InvalidInputError(f"favourable is {favourable!r}: give one of the labels {labels[:10]}.")
    return (labels.index(favourable),)


def _filled(parts: Mapping[str, str]) -> str:
    """Return the template with its places filled, each once: what is filled in is not looked at again."""
    script = "\n".join(_asset(name) for name in SCRIPTS)
    policy = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    values = {
        **parts,
        "style": f"{_asset('page.css')}\n{style_rules()}",
        "script": script,
        # with it, no other script can run in the page, wherever it might come from
        "script_hash": f"sha256-{policy}",
    }
    return re.sub(r"\{\{(\w+)\}\}", lambda found: values[found[1]], _asset("page.html"))


def _asset(name: str) -> str:
    return (files("oddlearn.report") / "assets" / name).read_text(encoding="utf-8")
