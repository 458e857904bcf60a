"""Parameters of constructions that make no sense are refused when they are given."""

import pytest

from oddlearn import Construct
from oddlearn.errors import InvalidInputError


@pytest.mark.parametrize("share", [0, -0.5, 1.01])
def test_a_share_of_features_is_above_0_and_at_most_1(share):
    with pytest.raises(InvalidInputError, match="feature_share is"):
        Construct(feature_share=share)
    assert Construct(feature_share=1).feature_share == 1


@pytest.mark.parametrize("restarts", [0, -1, 1.5, "2"])
def test_restarts_are_counted_from_1(restarts):
    with pytest.raises(InvalidInputError, match="restarts is"):
        Construct(restarts=restarts)
    assert Construct(restarts=1).restarts == 1 and Construct().restarts is None
