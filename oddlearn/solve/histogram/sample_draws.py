"""Samples of a large table: the rows to compare diagrams on, to choose edges from, to search."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from oddlearn.diagram.arrays import IntArray

# values of the sample on which diagrams are compared, and its rows at least and at most
COMPARED_CELLS = 2_500_000
MIN_COMPARED_ROWS = 20_000
MAX_COMPARED_ROWS = 250_000

# rows at least where they have weighted sums, which need all columns: on 50,000 x 300 test accuracies were
# the same as with 20,000, or higher
MIN_PROJECTED_ROWS = 10_000

# the part of its rows from which edges are chosen, and rows at least
EDGE_SHARE = 0.2
MIN_EDGE_ROWS = 5_000

# rows of the smallest samples that are searched; on two teachers like that of benchmarks/scale.py five and
# four of six searches of 0.25 s ended near the best, with 5,000 rows two and three. Samples have 1, 2, 4 or
# 8 times as many
FIRST_ROWS = 2_500
N_SCALES = 4

# and so many values at most: the arrays of a local search take about 30 bytes a value. Fewer rows do not
# concern tables of up to 200 columns
MAX_SEARCHED_CELLS = 4_000_000

# samples of the smallest size, of others fewer in proportion: they are searched in turn. Where the rows are
# not in memory, they are read beforehand, up to so many values
N_SAMPLES = 16
PREPARED_CELLS = 10_000_000


@dataclass(frozen=True)
class SampleDraws:
    """The samples of one search: the same rows for the same numbers, wherever the rows are.

    Attributes
    ----------
    n_rows : int
        Of the table.
    n_counted : int
        Features by which the size of samples is chosen.
    seed : int
    has_sums : bool
        True if the rows have weighted sums as further columns.
    """

    n_rows: int
    n_counted: int
    seed: int
    has_sums: bool = False

    @cached_property
    def compared(self) -> IntArray:
        """Numbers of the rows on which diagrams are compared, ascending."""
        least = MIN_PROJECTED_ROWS if self.has_sums else MIN_COMPARED_ROWS
        count = int(np.clip(COMPARED_CELLS // self.n_counted, least, MAX_COMPARED_ROWS))
        return self._draw(np.random.default_rng(self.seed), min(count, self.n_rows))

    @cached_property
    def edge_rows(self) -> IntArray:
        """Numbers of the rows from which edges are chosen, ascending."""
        count = max(MIN_EDGE_ROWS, int(EDGE_SHARE * self.compared.size))
        return self._draw(np.random.default_rng([self.seed, 1]), min(count, self.n_rows))

    def draw_searched(self, number: int, scale: int) -> IntArray:
        """Return the rows of a search, ascending: ``scale`` (1, 2, 4, 8) times as many as the first ones."""
        most = max(FIRST_ROWS, MAX_SEARCHED_CELLS // self.n_counted)
        count = min(self.n_rows, FIRST_ROWS * scale, most)
        return self._draw(np.random.default_rng([self.seed, 1 + scale, number % (N_SAMPLES // scale)]), count)

    def list_searched(self, n_features: int) -> list[IntArray]:
        """Return the rows of the searches to come, as many as may be kept of all features."""
        samples: list[IntArray] = []
        n_kept = 0
        for scale in (2**power for power in range(N_SCALES)):
            for number in range(N_SAMPLES // scale):
                if n_kept > PREPARED_CELLS:
                    return samples
                samples.append(self.draw_searched(number, scale))
                n_kept += samples[-1].size * n_features
        return samples

    def _draw(self, rng: np.random.Generator, count: int) -> IntArray:
        """Return about so many rows, ascending: of a large table one at random in each of equal parts."""
        n_rows = self.n_rows
        if 2 * count > n_rows:
            return np.sort(rng.choice(n_rows, count, replace=False, shuffle=False))
        return np.unique(((np.arange(count) + rng.random(count)) * (n_rows / count)).astype(np.intp))
