"""The margin that a fit of the command line chooses."""

from argparse import Namespace

import pytest

from oddlearn.cli.shared_options import MARGIN, SHARE_OF_DISTANCE, choose_margin


MAX_ROWS = round(1 / MARGIN)


@pytest.mark.parametrize(("n_rows", "is_default"), [(MAX_ROWS, True), (MAX_ROWS + 1, False)])
def test_the_margin_shrinks_with_more_rows_than_it_has_places(n_rows, is_default, capsys):
    chosen = choose_margin(Namespace(epsilon=None, split="multivariate"), n_rows)
    assert chosen == (None if is_default else SHARE_OF_DISTANCE / n_rows)
    assert ("margin" in capsys.readouterr().err) != is_default


def test_a_margin_that_is_given_stays():
    assert choose_margin(Namespace(epsilon=0.25, split="multivariate"), 10**9) == 0.25
    assert choose_margin(Namespace(epsilon=None, split="univariate"), 10**9) is None
