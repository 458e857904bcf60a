"""Folders and large files on the command line: read in batches, with their rows counted as they pass."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import numpy as np
from numpy.typing import NDArray

from oddlearn.cli.shared_options import build_read_options
from oddlearn.cli.stored_model import ColumnRoles
from oddlearn.cli.training_rows import split_names
from oddlearn.errors import InvalidInputError
from oddlearn.table.samples import LabelledSamples

if TYPE_CHECKING:
    from oddlearn.streaming.file_batches import FileBatches

# a file of more bytes is read in batches, a folder always
STREAMED_BYTES = 200_000_000

# rows that metrics and the report are of
SAMPLE_ROWS = 50_000

# seconds between two counts of rows on a terminal
SHOW_SECONDS = 0.5

# the seed of a sample differs from that of the held-out rows
SAMPLE_SALT = 0x5EED


def is_streamed(path: str) -> bool:
    """Return True for a folder or a large file."""
    given = Path(path)
    return given.is_dir() or (given.is_file() and given.stat().st_size > STREAMED_BYTES)


@dataclass
class RowCounter:
    """A line on a terminal that counts the rows read."""

    stream: TextIO = field(default_factory=lambda: sys.stderr)
    count: int = 0
    shown: float = 0.0

    def __call__(self, n_rows: int) -> None:
        """Count rows; the line is written twice a second."""
        self.count += n_rows
        if self.stream.isatty() and time.perf_counter() - self.shown > SHOW_SECONDS:
            self.shown = time.perf_counter()
            self.stream.write(f"\r{self.count:,} rows read")
            self.stream.flush()

    def close(self) -> None:
        """Clear the line."""
        if self.shown:
            self.stream.write("\r\x1b[K")


def open_streamed(args: argparse.Namespace, roles: ColumnRoles | None, target: str | None) -> FileBatches:
    """Open the folder or file of the options; without a target, for its features alone."""
    from oddlearn.streaming.file_batches import open_batches

    if roles is not None and target is not None and (roles.sensitive or roles.skip_missing):
        raise InvalidInputError(
            f"{args.data} is read in batches, which --sensitive and --skip-missing do not allow: leave them "
            "out, or give a file that fits into memory."
        )
    dropped = () if roles is None or target is None else roles.dropped
    weights = None if roles is None or target is None else roles.weights
    batches = open_batches(args.data, target, weights, (), build_read_options(args, roles))
    batches = batches.without(split_names(dropped, batches.dataset.schema.names))
    return replace(batches, skips_unlabelled=target is not None)


def draw_mask(rows: NDArray[np.int64], share: float, seed: int) -> NDArray[np.bool_]:
    """Return True for a share of the rows, chosen by their numbers: the same in every pass."""
    with np.errstate(over="ignore"):
        # the finalizer of splitmix64
        mixed = rows.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(seed)
        for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
            mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
        mixed ^= mixed >> np.uint64(31)
    return np.asarray((mixed >> np.uint64(11)) * 2.0**-53 < share)


def select_rows(
    batch: LabelledSamples, first: int, *, share: float, seed: int, tests: bool, part: float = 1.0
) -> NDArray[np.bool_]:
    """Return the training or the test rows of a batch, or about a part of them."""
    rows = np.arange(first, first + batch.n_rows)
    taken = np.asarray(draw_mask(rows, share, seed) == tests)
    return taken if part >= 1 else np.asarray(taken & draw_mask(rows, part, seed + SAMPLE_SALT))


def training_batches(
    batches: FileBatches, roles: ColumnRoles, report: Callable[[int], None] | None = None
) -> FileBatches:
    """Return the batches with their training rows only."""
    choose = partial(select_rows, share=roles.test_size, seed=roles.seed, tests=False)
    return replace(batches, selects=choose, report=report)


def draw_samples(
    batches: FileBatches, roles: ColumnRoles, n_rows: int
) -> tuple[LabelledSamples, LabelledSamples]:
    """Return about 50,000 training rows and as many test rows, or all where there are fewer."""
    from oddlearn.streaming.large_table import collect_samples

    if not n_rows:
        raise InvalidInputError(f"{batches.source} has no rows: give at least two.")
    found = []
    for tests, share in ((False, 1 - roles.test_size), (True, roles.test_size)):
        part = SAMPLE_ROWS / max(1.0, share * n_rows)
        choose = partial(select_rows, share=roles.test_size, seed=roles.seed, tests=tests, part=part)
        chosen = replace(batches, selects=choose) if share > 0 else None
        rows = [] if chosen is None else list(chosen.read())
        found.append(collect_samples(rows) if rows else None)
    train, test = found
    if train is None:
        raise InvalidInputError(f"{batches.source} has no rows to train on: give a smaller --test-size.")
    return train, test if test is not None else train.rows(np.empty(0, dtype=np.intp))
