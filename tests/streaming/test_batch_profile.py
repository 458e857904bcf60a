"""Profiles of batches: what two parts of a table say together is what the whole says."""

import numpy as np
import pytest

from oddlearn.errors import InvalidInputError
from oddlearn.streaming import batch_profile
from oddlearn.streaming.batch_profile import ColumnProfile, ProfileBatches, TableProfile
from oddlearn.table.column_table import ColumnTable, RawColumn
from oddlearn.table.samples import LabelledSamples

NOON = np.array(["2020-01-01T12:00"], dtype="datetime64[us]")
MIDNIGHT = np.array(["2020-01-01"], dtype="datetime64[us]")


def profile_of(values):
    return ColumnProfile.of(RawColumn("a", np.asarray(values)))


def table_of(labels, weight=None):
    column = RawColumn("a", np.arange(float(len(labels))))
    return TableProfile.of(LabelledSamples(ColumnTable((column,)), np.asarray(labels), weight))


@pytest.mark.parametrize(
    ("values", "kind", "has_missing", "has_clock", "n_present", "is_array"),
    [
        ([1.0, np.nan], "number", True, False, 1, True),
        ([1, 2, 3], "number", False, False, 3, True),
        (np.array(["a", None, "b"], dtype=object), "text", True, False, 2, False),
        (np.array([True, False]), "boolean", False, False, 2, False),
        (MIDNIGHT, "datetime", False, False, 1, False),
        (NOON, "datetime", False, True, 1, False),
        ([np.nan, np.nan], None, True, False, 0, True),
    ],
)
def test_a_column_of_one_batch_is_described(values, kind, has_missing, has_clock, n_present, is_array):
    found = profile_of(values)
    assert (found.kind, found.has_missing, found.has_clock) == (kind, has_missing, has_clock)
    assert (found.n_present, found.is_array, bool(found.levels)) == (n_present, is_array, kind == "text")


def test_levels_of_both_parts_are_counted_together():
    one, two = profile_of(np.array(["a", "b", "a"], object)), profile_of(np.array(["b", "c", None], object))
    both = one.merge(two)
    assert both.levels == {"a": 2, "b": 2, "c": 1}
    assert (both.n_present, both.has_missing, both.kind, both.is_category) == (5, True, "text", False)
    assert not one.has_missing and not profile_of([1]).merge(profile_of([2])).has_missing


def test_a_part_without_values_leaves_the_kind_to_the_other():
    nothing, numbers = profile_of([np.nan]), profile_of([1.0])
    assert nothing.merge(numbers).kind == numbers.merge(nothing).kind == "number"
    assert nothing.merge(nothing).kind is None


@pytest.mark.parametrize(("one", "two"), [(MIDNIGHT, NOON), (NOON, MIDNIGHT)])
def test_a_clock_in_one_part_is_one_of_the_column(one, two):
    assert profile_of(one).merge(profile_of(two)).has_clock


def test_of_too_many_levels_no_more_are_kept_than_show_that_they_are_too_many(monkeypatch):
    monkeypatch.setattr(batch_profile, "MAX_LEVELS", 3)
    one = profile_of(np.array(["a", "a", "b", "b", "c"], object))
    both = one.merge(profile_of(np.array(["c", "d", "d", "e"], object)))
    assert both.levels == {"a": 2, "b": 2, "c": 2, "d": 2}
    assert one.merge(profile_of(np.array(["c"], object))).levels == {"a": 2, "b": 2, "c": 2}


def test_a_mixture_in_one_batch_is_refused():
    with pytest.raises(InvalidInputError, match="a"):
        profile_of(np.array([1, "b", NOON[0]], dtype=object))


def test_labels_weights_and_rows_add_up():
    both = ProfileBatches().merge(
        table_of([0, 1, 1], np.array([1.0, 2.0, 0.0])), table_of([1, 2], np.array([0.5, 1.0]))
    )
    assert both.classes().tolist() == [0, 1, 2]
    assert both.class_totals().tolist() == [1.0, 2.5, 1.0]
    assert (both.n_rows, both.n_given, both.largest) == (4, 5, 2.0)
    assert (both.has_weights, both.is_integer) == (True, False)


@pytest.mark.parametrize("empty_first", [True, False])
def test_parts_without_rows_or_without_weight_count_for_nothing(empty_first):
    rows, none = table_of(["no", "yes"]), table_of(np.empty(0, dtype=np.int64))
    weightless = table_of([3, 4], np.zeros(2))
    pair = (none, rows) if empty_first else (rows, none)
    assert ProfileBatches().merge(*pair) is rows
    pair = (weightless, rows) if empty_first else (rows, weightless)
    both = ProfileBatches().merge(*pair)
    assert both.classes().tolist() == ["no", "yes"] and both.classes().dtype.kind in "OU"
    assert (both.n_rows, both.n_given) == (2, 4)


@pytest.mark.parametrize("pair", [(["no"], [1]), ([1], ["no"])])
def test_labels_of_two_kinds_are_refused(pair):
    with pytest.raises(InvalidInputError, match=f"y holds the label {pair[0][0]!r} in one part"):
        table_of(pair[0]).merge(table_of(pair[1]))


def test_labels_of_two_widths_take_the_wider_type():
    both = table_of(np.array([1], np.int8)).merge(table_of(np.array([2.0])))
    assert both.classes().dtype == np.float64
    assert table_of(["no"]).merge(table_of(["perhaps"])).classes().tolist() == ["no", "perhaps"]


def test_parts_with_other_columns_are_refused_with_what_differs():
    def named(*names):
        columns = tuple(RawColumn(name, np.arange(2.0)) for name in names)
        return TableProfile.of(LabelledSamples(ColumnTable(columns), np.array([0, 1]), None))

    with pytest.raises(InvalidInputError, match="another lacks b and has c beside"):
        named("a", "b").merge(named("a", "c"))
    with pytest.raises(InvalidInputError, match="another has them in another order, b, a"):
        named("a", "b").merge(named("b", "a"))


def test_a_part_with_more_labels_than_rows_is_refused():
    column = RawColumn("a", np.arange(2.0))
    with pytest.raises(InvalidInputError, match="2 rows of X and 3 of y"):
        TableProfile.of(LabelledSamples(ColumnTable((column,)), np.zeros(3), None))
