"""Items as bits, for the search by price on columns of few values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from oddlearn.solve.branch_and_bound.price_items import PriceItems

# bits are used where the thresholds of all columns have at most so many words, of all planes, per value: they
# took 0.1 to 0.8 of the time of lists on ten tables with up to 0.28, 0.9 to 1.3 on two with 1.5 and more
MAX_WORDS_PER_VALUE = 0.3

BITS_PER_WORD, ITEMS_PER_HASH, THRESHOLDS_PER_VECTOR = 64, 4, 8

# sums of weights fit into 32 bits
MAX_WEIGHT = 2**30


class _Plane(NamedTuple):
    """The items of a class whose gain has a certain bit; of bases, the class is the number of classes."""

    bits: NDArray[np.bool_]
    label: int
    weight: int


@dataclass(frozen=True, eq=False)
class PackedItems:
    """The items of a problem as bits: 64 in a word.

    Attributes
    ----------
    unit : int
        Gains and bases are counted in it.
    has_base_planes : bool
        Some bases are not gains: rows that gain from several classes.
    below, column : (thresholds, words) and (words, thresholds) uint64
        Items at or below each threshold, feature by feature; ``column`` ends with empty thresholds that fill
        vectors.
    threshold_rank : (thresholds,) int
        The last rank below.
    first_threshold : (d + 1,) int
        Where those of each feature begin.
    counting : int
        0, 1, ... as far as there are thresholds or features.
    plane : (planes, words) uint64
        Items of a class whose gain has a certain bit, or whose base has it.
    plane_class, plane_weight : (planes,) int
        The class, or the number of classes for bases; the number that the bit stands for.
    """

    unit: int
    has_base_planes: bool
    below: NDArray[np.uint64]
    column: NDArray[np.uint64]
    threshold_rank: NDArray[np.int32]
    first_threshold: NDArray[np.int32]
    counting: NDArray[np.int32]
    plane: NDArray[np.uint64]
    plane_class: NDArray[np.int32]
    plane_weight: NDArray[np.int32]

    @classmethod
    def from_items(
        cls, items: PriceItems, n_classes: int, max_words: float = MAX_WORDS_PER_VALUE
    ) -> PackedItems | None:
        """Return the items as bits; None where columns have too many values, or weights too many bits."""
        ascending = np.take_along_axis(items.rank, items.order, axis=1)
        # ranks of each feature that some item has and that are not its largest
        is_last = ascending[:, 1:] > ascending[:, :-1]
        counts = is_last.sum(axis=1)
        n_words, n_thresholds = -(-items.label.size // BITS_PER_WORD), int(counts.sum())
        max_planes = max_words * items.rank.size / (n_thresholds * n_words)
        unit = int(np.gcd.reduce(np.concatenate([items.gain, items.base])))
        if max_planes < 1 or int(items.base.sum() + items.gain.sum()) // unit > MAX_WEIGHT:
            return None
        planes = _list_planes(items, n_classes, unit)
        if len(planes) > max_planes:
            return None
        last_ranks = ascending[:, :-1][is_last]
        below = _pack(np.repeat(items.rank, counts, axis=0) <= last_ranks[:, None])
        return cls(
            unit=unit,
            has_base_planes=planes[-1].label == n_classes,
            below=below,
            column=np.ascontiguousarray(
                np.pad(below.T, ((0, 0), (0, -n_thresholds % THRESHOLDS_PER_VECTOR)))
            ),
            threshold_rank=last_ranks,
            first_threshold=np.concatenate([[0], np.cumsum(counts)]).astype(np.int32),
            counting=np.arange(max(n_thresholds, items.features.size), dtype=np.int32),
            plane=_pack(np.array([plane.bits for plane in planes])),
            plane_class=np.array([plane.label for plane in planes], dtype=np.int32),
            plane_weight=np.array([plane.weight for plane in planes], dtype=np.int32),
        )

    def hash_table(self, hash_words: NDArray[np.uint64]) -> NDArray[np.uint64]:
        """Return, for every four items and each subset of them, both hashes: the exclusive or of theirs."""
        n_groups = self.below.shape[1] * BITS_PER_WORD // ITEMS_PER_HASH
        words = np.zeros((2, n_groups * ITEMS_PER_HASH), dtype=np.uint64)
        words[:, : hash_words.shape[1]] = hash_words
        words = words.reshape(2, n_groups, ITEMS_PER_HASH)
        table = np.zeros((n_groups, 2**ITEMS_PER_HASH, 2), dtype=np.uint64)
        for bit in range(ITEMS_PER_HASH):
            has_bit = np.arange(2**ITEMS_PER_HASH) >> bit & 1 == 1
            table[:, has_bit] ^= words[:, :, bit].T[:, None]
        return table


def _list_planes(items: PriceItems, n_classes: int, unit: int) -> list[_Plane]:
    """Return the planes of the gains of each class, and of the bases if they are not the gains."""
    amounts = {c: np.where(items.label == c, items.gain, 0) // unit for c in range(n_classes)}
    if (items.gain != items.base).any():
        amounts[n_classes] = items.base // unit
    return [
        _Plane(amount >> place & 1 == 1, c, 2**place)
        for c, amount in amounts.items()
        for place in range(int(amount.max()).bit_length())
    ]


def _pack(bits: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """Return rows of bits as rows of words, the first bit the lowest."""
    n_words = -(-bits.shape[1] // BITS_PER_WORD)
    padded = np.zeros((bits.shape[0], n_words * BITS_PER_WORD), dtype=bool)
    padded[:, : bits.shape[1]] = bits
    return np.packbits(padded, axis=1, bitorder="little").view("<u8").astype(np.uint64)
