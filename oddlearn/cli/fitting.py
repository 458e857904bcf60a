"""What training commands do before and while they fit."""

from __future__ import annotations

import argparse
import warnings
from dataclasses import replace
from typing import Any

from oddlearn.cli.console import note, one_line, progress_on_standard_error, rows_told
from oddlearn.cli.options import read_noted, reading_of
from oddlearn.cli.origin import Roles
from oddlearn.cli.samples import Samples, held_out, samples_of
from oddlearn.errors import OddlearnWarning, SearchInterruptedWarning


def check_parameters(model: Any) -> None:  # noqa: ANN401
    """Refuse parameters that are not allowed, before a large file is read for them."""
    from oddlearn.validation import checked_settings

    checked_settings(model.get_params(deep=False), model._skeleton())


def split_samples(asked: argparse.Namespace, roles: Roles) -> tuple[Samples, Samples, Roles]:
    """Return the samples to train on, those held out, and the roles with how the table was read."""
    table = read_noted(asked.data, reading_of(asked))
    samples, n_skipped = samples_of(table, roles)
    if n_skipped:
        note(f"Note: {rows_told(n_skipped)} with missing values left out.")
    is_test = held_out(samples.labels, roles.test_size, roles.seed)
    train, test = samples.rows(~is_test), samples.rows(is_test)
    if not asked.quiet:
        n_features = len(samples.features.columns)
        columns = f"{n_features:,} column{'s' * (n_features != 1)}"
        note(f"{rows_told(train.n_rows)} to train on, {test.n_rows:,} held out, {columns}.")
    return train, test, replace(roles, habit=table.habit)


def fit_noting_interrupts(model: Any, train: Samples, further: dict[str, Any]) -> bool:  # noqa: ANN401
    """Fit a model, and return whether the keyboard ended it early."""
    interrupted = False
    with warnings.catch_warnings(record=True) as caught, progress_on_standard_error():
        warnings.simplefilter("always", OddlearnWarning)
        model.fit(train.features, train.labels, sample_weight=train.weights, **further)
    notes = []
    for warning in caught:
        if issubclass(warning.category, SearchInterruptedWarning):
            interrupted = True
            notes.append("Interrupted: the best diagram so far is kept and written.")
        else:
            notes.append(f"Note: {one_line(warning.message)}")
    for text in dict.fromkeys(notes):  # each once, in their order
        note(text)
    return interrupted
