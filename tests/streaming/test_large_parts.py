"""Parts of large tables: exact sums, blocks of equal sizes, files in memory, profiles in any order."""

import errno
import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from oddlearn.errors import InvalidInputError
from oddlearn.streaming.available_memory import available_bytes
from oddlearn.streaming.batch_profile import ProfileBatches, TableProfile
from oddlearn.streaming.batch_rows import BatchEncoder, regroup
from oddlearn.streaming.mapped_file import MappedFile
from oddlearn.streaming.memory_rows import LocalParts
from oddlearn.streaming.row_source import RowBlock
from oddlearn.table.categories import Pooling
from oddlearn.table.column_table import ColumnTable
from oddlearn.table.encoding import learn_encoding, learn_number_encoding
from oddlearn.table.exact_sum import ExactSum, sum_by_class
from oddlearn.table.samples import LabelledSamples


@pytest.mark.parametrize("seed", range(5))
def test_an_exact_sum_is_that_of_fractions_in_any_order(seed):
    random = np.random.default_rng(seed)
    values = random.random(300) * 10.0 ** random.integers(-20, 20, 300)
    expected = float(sum(map(Fraction, values.tolist()), Fraction(0)))
    one, two = ExactSum(), ExactSum()
    one.add(values[:100])
    two.add(values[:99:-1])
    one.merge(two)
    assert one.value == expected == math.fsum(values)
    codes = random.integers(0, 3, 300)
    order = random.permutation(300)
    assert np.array_equal(sum_by_class(codes, values, 3), sum_by_class(codes[order], values[order], 3))


def test_blocks_are_regrouped_without_losing_a_row():
    X = np.arange(60.0).reshape(30, 2)
    rows = RowBlock(X, np.arange(30) % 3, np.arange(30) + 1.0)
    cuts = [0, 4, 5, 5, 17, 30]
    pieces = [
        RowBlock(X[first:last], rows.codes[first:last], rows.weight[first:last])
        for first, last in itertools.pairwise(cuts)
    ]
    for size in (1, 7, 30, 100):
        found = list(regroup(pieces, size))
        assert [block.n_rows for block in found] == [size] * (30 // size) + [30 % size] * (30 % size > 0)
        for name in ("X", "codes", "weight"):
            joined = np.concatenate([getattr(block, name) for block in found])
            assert np.array_equal(joined, getattr(rows, name))


@pytest.mark.parametrize(
    ("code", "kind", "message"), [(errno.ENOMEM, MemoryError, "ulimit"), (errno.EIO, OSError, "broken")]
)
def test_a_mapped_file_without_address_space_is_refused_in_a_sentence(monkeypatch, code, kind, message):
    def refuse(*given, **options):
        raise OSError(code, "broken")

    monkeypatch.setattr(np, "memmap", refuse)
    with pytest.raises(kind, match=message):
        MappedFile(1000)


def test_a_mapped_file_holds_arrays_that_can_be_changed():
    file = MappedFile(1000)
    first, second = file.store(np.arange(5, dtype=np.uint8)), file.store(np.linspace(0, 1, 7))
    second[3] = 9.0
    assert first.tolist() == [0, 1, 2, 3, 4] and second[3] == 9.0 and second[6] == 1.0
    assert file.store(np.empty(0)).size == 0


def test_the_memory_at_hand_is_a_number_of_bytes():
    assert 0 < available_bytes() < 2**60


class AddUp:
    def add(self, part, total):
        return part + (total or 0)

    def merge(self, one, other):
        return one + other


def test_parts_are_worked_on_in_threads_until_they_are_stopped():
    parts = LocalParts(list(range(10)))
    assert parts.reduce(AddUp()) == parts.reduce(AddUp(), n_jobs=3) == parts.reduce(AddUp(), n_jobs=40) == 45
    assert parts.reduce(AddUp(), stop=lambda: True) is None
    parts.update(lambda part: 2 * part)
    assert parts.reduce(AddUp(), n_jobs=2) == 90


def random_batch(seed, n_rows=40):
    random = np.random.default_rng(seed)
    text = random.choice(["a", "b", "c", None], n_rows).astype(object)
    days = np.datetime64("2020-01-01", "us") + random.integers(0, 99, n_rows) * np.timedelta64(1, "D")
    numbers = np.where(random.random(n_rows) < 0.1, np.nan, random.normal(size=n_rows))
    table = ColumnTable.from_mapping({"n": numbers, "t": text, "d": days, "b": random.random(n_rows) < 0.5})
    return LabelledSamples(table, random.choice(["x", "y"], n_rows), random.random(n_rows) + 0.5)


def test_profiles_in_any_order_learn_the_encoding_of_the_whole_table():
    batches = [random_batch(seed) for seed in range(4)]
    columns = zip(*(batch.X.columns for batch in batches), strict=True)
    whole = ColumnTable.from_mapping(
        {own[0].name: np.concatenate([one.values for one in own]) for own in columns}
    )
    for order in itertools.permutations(range(4)):
        profile, work = None, ProfileBatches()
        for place in order:
            profile = work.add(batches[place], profile)
        assert profile.encoding(Pooling()) == learn_encoding(whole)
        totals = [
            math.fsum(
                w
                for batch in batches
                for w, y in zip(batch.sample_weight, batch.y, strict=True)
                if y == label
            )
            for label in ("x", "y")
        ]
        assert profile.classes().tolist() == ["x", "y"] and profile.class_totals().tolist() == totals


def test_batches_that_do_not_fit_together_are_refused():
    one = random_batch(0)
    fewer = LabelledSamples(ColumnTable(one.X.columns[:2]), one.y, one.sample_weight)
    numbers = LabelledSamples(one.X, np.arange(40) % 2, one.sample_weight)
    shorter = LabelledSamples(one.X, one.y[:5])
    for other, message in [(fewer, "lacks d, b"), (numbers, "y holds the label"), (shorter, "give as many")]:
        with pytest.raises(InvalidInputError, match=message):
            ProfileBatches().merge(TableProfile.of(one), TableProfile.of(other))


def test_objects_among_numbers_are_encoded_and_not_copied():
    encoding = learn_number_encoding(np.array([[1.0, np.nan], [2.0, 3.0]]), ["a", "b"], fill=False)
    encoder = BatchEncoder(("a", "b"), encoding, np.array(["x", "y"]), None, False)
    table = ColumnTable.from_mapping({"a": np.array([4, 5]), "b": np.array([None, 7.0], dtype=object)})
    block = encoder(LabelledSamples(table, np.array(["y", "x"])))
    assert np.array_equal(block.X, [[4.0, np.nan], [5.0, 7.0]], equal_nan=True)
    assert block.codes.tolist() == [1, 0] and block.weight is None


@pytest.mark.parametrize(("classes", "unknown"), [(["x", "y", "z"], "zz"), ([1, 4, 6], 9), ([1, 4, 6], 5)])
def test_rows_have_the_codes_and_weights_of_their_classes(classes, unknown):
    factors = np.array([2.0, 0.5, 3.0])
    encoder = BatchEncoder(("a", "b"), None, np.array(classes), factors, True)
    table = ColumnTable.from_mapping({"a": np.arange(4.0), "b": np.arange(4) * 10})
    labels = np.array([classes[code] for code in (2, 0, 1, 2)])
    block = encoder(LabelledSamples(table, labels, np.array([1.0, 4.0, 0.0, 5.0])), np.array([1]))
    assert block.X.tolist() == [[0.0], [10.0], [30.0]]  # a row without weight is left out
    assert (block.codes.tolist(), block.weight.tolist()) == ([2, 0, 2], [3.0, 8.0, 15.0])
    assert encoder(LabelledSamples(table, labels)).weight.tolist() == [3.0, 2.0, 0.5, 3.0]
    with pytest.raises(InvalidInputError, match="has changed since the fit began"):
        encoder(LabelledSamples(table, np.array([*classes, unknown])))
    endless = ColumnTable.from_mapping({"a": np.arange(4.0), "b": np.array([1.0, np.inf, 2.0, 3.0])})
    with pytest.raises(InvalidInputError, match="infinity in the column b"):
        encoder(LabelledSamples(endless, labels))
