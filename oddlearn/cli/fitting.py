"""What training commands do before and while they fit."""

from __future__ import annotations

import argparse
import warnings
from typing import Any

from oddlearn.cli.console import note, progress_on_standard_error
from oddlearn.cli.options import read_noted, reading_of
from oddlearn.cli.origin import Roles
from oddlearn.cli.samples import Samples, held_out, samples_of
from oddlearn.errors import OddlearnWarning, SearchInterruptedWarning


def check_parameters(model: Any) -> None:  # noqa: ANN401
    """Refuse parameters that are not allowed, before a large file is read for them."""
    from oddlearn.validation import checked_settings

    checked_settings(model.get_params(deep=False), model._skeleton())


def split_samples(asked: argparse.Namespace, roles: Roles) -> tuple[Samples, Samples]:
    """Return the samples to train on and those held out, and tell how many they are."""
    samples, n_skipped = samples_of(read_noted(asked.data, reading_of(asked)), roles)
    if n_skipped:
        note(f"Note: {n_skipped:,} rows with missing values are left out.")
    is_test = held_out(samples.labels, roles.test_size, roles.seed)
    train, test = samples.rows(~is_test), samples.rows(is_test)
    if not asked.quiet:
        n_features = len(samples.features.columns)
        note(f"{train.n_rows:,} rows to train on, {test.n_rows:,} held out, {n_features:,} columns.")
    return train, test


def fit_noting_interrupts(model: Any, train: Samples, further: dict[str, Any]) -> bool:  # noqa: ANN401
    """Fit a model, and return whether the keyboard ended it early."""
    interrupted = False
    with warnings.catch_warnings(record=True) as caught, progress_on_standard_error():
        warnings.simplefilter("always", OddlearnWarning)
        model.fit(train.features, train.labels, sample_weight=train.weights, **further)
    for warning in caught:
        if issubclass(warning.category, SearchInterruptedWarning):
            interrupted = True
            note("Interrupted: the best diagram so far is kept and written.")
        else:
            note(f"Note: {' '.join(str(warning.message).split())}")
    return interrupted
