"""The corrected target of the monks follows the rules that generated them; the published one does not."""

import numpy as np
import pytest

from oddlearn.datasets import load
from oddlearn.errors import InvalidInputError


def attributes(dataset):
    """Return the six attributes, counted from 1 as in the rules, of a corrected data set.

    A value v above 1 is in the file as column "k_v-1" where the attribute has three or four values, and as
    v - 1 in column "k" where it has two.
    """
    columns = dict(zip(dataset.feature_names, dataset.X.T, strict=True))
    found = np.ones((6, len(dataset.X)))
    for name, column in columns.items():
        attribute, _, value = name.removeprefix("a").partition("_")
        found[int(attribute) - 1] += column * int(value or 1)
    return found


def by_rule(name, a):
    if name == "monks1":
        return (a[0] == a[1]) | (a[4] == 1)
    if name == "monks2":
        return (a == 1).sum(axis=0) == 2
    return ((a[4] == 3) & (a[3] == 1)) | ((a[4] != 4) & (a[1] != 3))


@pytest.mark.parametrize(
    ("name", "agreeing", "n"), [("monks1", 556, 556), ("monks2", 601, 601), ("monks3", 548, 554)]
)
def test_the_corrected_target_follows_the_rule(published, name, agreeing, n):
    dataset = load(name, published, target="corrected")
    truth = by_rule(name, attributes(dataset))
    assert (dataset.codes == truth).sum() == agreeing
    assert len(dataset.codes) == n


@pytest.mark.parametrize("name", ["monks1", "monks2", "monks3"])
def test_the_published_target_agrees_with_the_rule_in_about_half_of_the_rows(published, name):
    truth = by_rule(name, attributes(load(name, published, target="corrected")))
    assert 0.4 < np.mean(load(name, published).codes == truth) < 0.6


def test_in_monks2_the_true_class_gives_the_published_target_away_in_two_thirds_of_the_rows(published):
    dataset = load("monks2", published, target="corrected")
    a = attributes(dataset)
    ones = (a[:5] == 1).sum(axis=0)
    told = np.isin(ones, [1, 2])
    assert told.sum() == 399
    # one more 1 makes two of one, three of two
    assert np.array_equal((a[5] == 1)[told], ((dataset.codes == 1) == (ones == 1))[told])


def test_the_sixth_attribute_and_the_class_change_places(published):
    given, corrected = (load("monks2", published, target=target) for target in ("published", "corrected"))
    assert np.array_equal(corrected.X[:, 0], given.classes[given.codes])
    assert np.array_equal(corrected.classes[corrected.codes], given.X[:, 0])
    assert np.array_equal(corrected.X[:, 1:], given.X[:, 1:])
    assert corrected.feature_names == ("a6", *given.feature_names[1:])
    assert not corrected.X.flags.writeable


def test_no_other_data_set_has_a_corrected_target():
    with pytest.raises(InvalidInputError, match=r"only monks1, monks2, monks3 .*target='published'"):
        load("iris", target="corrected")
