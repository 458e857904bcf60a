"""The 54 data sets of the paper: a catalogue with checksums, loading, and the authors' splits."""

from oddlearn.datasets.catalogue import CATALOGUE, DatasetEntry, find_entry
from oddlearn.datasets.dataset import Dataset
from oddlearn.datasets.load_dataset import Target, load
from oddlearn.datasets.paper_splits import SplitIndices, scale_over_all_rows, split_indices

__all__ = [
    "CATALOGUE",
    "Dataset",
    "DatasetEntry",
    "SplitIndices",
    "Target",
    "find_entry",
    "load",
    "scale_over_all_rows",
    "split_indices",
]
