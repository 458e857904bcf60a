"""The 54 data sets of the paper: a catalogue with checksums, loading, and the authors' splits."""

from oddlearn.datasets.catalogue import CATALOGUE, Entry, entry
from oddlearn.datasets.loading import load
from oddlearn.datasets.splits import Parts, parts, scaled_over_all
from oddlearn.datasets.table import Dataset

__all__ = ["CATALOGUE", "Dataset", "Entry", "Parts", "entry", "load", "parts", "scaled_over_all"]
