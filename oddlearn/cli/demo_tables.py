"""The three tables of ``oddlearn demo``: small, generated, the same on every machine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oddlearn.table.column_table import ColumnTable

N_ROWS = 400


@dataclass(frozen=True, eq=False)
class DemoTable:
    """A table of the demo: training and test rows with their labels, and how it is trained."""

    name: str  # of the files
    story: str  # what the rows are, in a sentence
    X: Any
    y: NDArray[Any]  # (n,) str
    X_test: Any
    y_test: NDArray[Any]  # (n,) str
    parameters: dict[str, Any]  # of the classifier


def make_loans() -> DemoTable:
    """Return applicants who get a loan in one of two ways: branches of the diagram meet again."""
    random = np.random.default_rng(0)
    columns = {
        "income": random.uniform(1, 6, N_ROWS).round(1),
        "years employed": random.integers(0, 21, N_ROWS),
        "guarantor income": random.uniform(0, 6, N_ROWS).round(1),
        "savings": random.uniform(0, 50, N_ROWS).round(),
        "age": random.integers(18, 75, N_ROWS),
    }
    own = (columns["income"] >= 3) & (columns["years employed"] >= 6)
    helped = (columns["guarantor income"] >= 3.5) & (columns["savings"] >= 15)
    story = "Applicants get a loan by income and work, or by a guarantor and savings."
    parameters = {"skeleton": "1-2-2-2", "node_price": 0.005}
    return _split("loans", story, columns, np.where(own | helped, "loan", "no loan"), parameters)


def make_plants() -> DemoTable:
    """Return places where a plant grows between two slanted lines: weighted sums of two columns."""
    random = np.random.default_rng(1)
    columns = {
        "temperature": random.uniform(5, 30, N_ROWS).round(1),
        "rain": random.uniform(0, 100, N_ROWS).round(1),
    }
    need = 10 + 2 * columns["temperature"]
    grows = (columns["rain"] > need - 12) & (columns["rain"] < need + 20)
    story = "A plant grows where there is rain enough for the warmth, and not too much."
    parameters = {"skeleton": "1-2", "node_price": 0.02, "split": "multivariate"}
    return _split("plants", story, columns, np.where(grows, "grows", "does not"), parameters)


def make_patients() -> DemoTable:
    """Return patients without a test in emergencies: a missing value tells something."""
    random = np.random.default_rng(2)
    age = random.integers(20, 95, N_ROWS)
    pressure = random.normal(125, 22, N_ROWS).round()
    lactate = random.gamma(3, 0.7, N_ROWS).round(1)
    lactate[random.random(N_ROWS) < 0.5] = np.nan
    heart_rate = random.normal(85, 15, N_ROWS).round()
    at_risk = (age >= 80) | ((np.isnan(lactate) | (lactate >= 2.2)) & (pressure < 120))
    columns = {"age": age, "blood pressure": pressure, "lactate": lactate, "heart rate": heart_rate}
    story = "Patients, half of them without a lactate test, for which an emergency leaves no time."
    parameters = {"skeleton": "1-2-2", "node_price": 0.01}
    return _split("patients", story, columns, np.where(at_risk, "at risk", "stable"), parameters)


def _split(
    name: str, story: str, columns: dict[str, NDArray[Any]], labels: NDArray[Any], parameters: dict[str, Any]
) -> DemoTable:
    """Hold out every fourth row; the rows are in random order."""
    table, is_test = ColumnTable.from_mapping(columns), np.arange(N_ROWS) % 4 == 3
    return DemoTable(
        name, story, table.rows(~is_test), labels[~is_test], table.rows(is_test), labels[is_test], parameters
    )
