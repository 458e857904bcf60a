"""Fits of files and datasets in batches: the model of the frame, to the bit; sentences on bad files."""

import json
import os
import warnings

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

from oddlearn import (
    MaxNodes,
    MinFlow,
    OptimalDecisionDiagramClassifier,
    OptimalDecisionDiagramClassifierCV,
    verify,
)
from oddlearn.errors import InvalidInputError, UnsupportedError, VerificationError
from oddlearn.estimators import table_inputs
from oddlearn.streaming import row_source, streamed_rows
from oddlearn.streaming.large_table import LargeTable
from oddlearn.table import column_medians
from tests.solve.histogram.test_histogram_search import small_is_large  # noqa: F401

pytestmark = pytest.mark.usefixtures("small_is_large")
OPTIONS = {"skeleton": "1-2-2", "max_iter": 20, "time_limit": 600, "exact": None, "random_state": 0}


def mixed_frame(n_rows=600, seed=0):
    """Return numbers, text, booleans, dates and missing values, with a target and weights."""
    random = np.random.default_rng(seed)
    frame = pd.DataFrame({f"a{place}": random.normal(size=n_rows) for place in range(4)})
    frame["town"] = random.choice(["Aix", "Bonn", "Cork", None], n_rows)
    frame["day"] = pd.Timestamp("2020-01-01") + pd.to_timedelta(random.integers(0, 900, n_rows), "D")
    frame["old"] = random.random(n_rows) < 0.3
    frame.loc[random.random(n_rows) < 0.1, "a1"] = np.nan
    flips = random.random(n_rows) < 0.05
    y = np.where((frame.a0 > 0.2) ^ (frame.town == "Bonn") ^ flips, "yes", "no")
    return frame, pd.Series(y, name="y"), pd.Series(random.random(n_rows) + 0.2, name="w")


def write_parts(frame, folder, n_parts=4):
    folder.mkdir()
    for place, rows in enumerate(np.array_split(np.arange(len(frame)), n_parts)):
        frame.iloc[rows].to_parquet(folder / f"part{place}.parquet", index=False)
    return folder


# what a certificate says that hangs on no time
CERTIFIED = ("digest", "objective", "violation", "n_nodes", "measure", "skeleton", "split", "node_price")


def content(model):
    document = json.loads(model.to_json())
    certificate = document.pop("certificate")
    del document["checksum"]  # it is of the times, too
    return document, {name: certificate[name] for name in CERTIFIED}


@pytest.fixture
def spied_tables(monkeypatch):
    """Record the tables of fits."""
    found = []
    original = table_inputs.LearnedTable.to_table
    monkeypatch.setattr(
        table_inputs.LearnedTable, "to_table", lambda *given: found.append(original(*given)) or found[-1]
    )
    return found


@pytest.mark.parametrize("part_rows", [65_536, 37])
@pytest.mark.parametrize("weights", [None, "w"])
def test_a_folder_gives_the_model_of_its_frame(tmp_path, weights, part_rows, monkeypatch, spied_tables):
    frame, y, w = mixed_frame()
    folder = write_parts(frame.assign(y=y, w=w) if weights else frame.assign(y=y), tmp_path / "folder")
    options = {**OPTIONS, "class_weight": "balanced", "cost_matrix": [[0, 2], [1, 0]]}
    memory = OptimalDecisionDiagramClassifier(**options).fit(frame, y, w if weights else None)
    monkeypatch.setattr(row_source, "PART_ROWS", part_rows)
    streamed = OptimalDecisionDiagramClassifier(**options).fit(folder, "y", weights)
    assert len(spied_tables) == 1 and isinstance(spied_tables[0], LargeTable)
    assert content(streamed) == content(memory)
    assert streamed.feature_names_in_.tolist() == frame.columns.tolist()
    verified = verify(memory, folder, "y", weights)
    assert verified.objective == memory.objective_


def test_bytes_that_exceed_the_memory_are_in_a_file(tmp_path, monkeypatch):
    frame, y, w = mixed_frame()
    folder = write_parts(frame.assign(y=y, w=w), tmp_path / "folder")
    memory = OptimalDecisionDiagramClassifier(**OPTIONS).fit(frame, y, w)
    monkeypatch.setattr(row_source, "PART_ROWS", 37)
    monkeypatch.setattr(streamed_rows, "MEMORY_SHARE", 0.0)
    opened, original = [], streamed_rows.MappedFile
    monkeypatch.setattr(streamed_rows, "MappedFile", lambda size: opened.append(size) or original(size))
    assert content(OptimalDecisionDiagramClassifier(**OPTIONS).fit(folder, "y", "w")) == content(memory)
    assert opened


def test_a_dataset_and_a_csv_file_give_the_model_of_their_frame(tmp_path, spied_tables):
    frame, y, _ = mixed_frame()
    memory = OptimalDecisionDiagramClassifier(**OPTIONS).fit(frame, y)
    dataset = ds.dataset(pa.Table.from_pandas(frame.assign(y=y)))
    assert content(OptimalDecisionDiagramClassifier(**OPTIONS).fit(dataset, "y")) == content(memory)
    path = tmp_path / "table.csv"
    frame.assign(y=y).to_csv(path, index=False)
    assert content(OptimalDecisionDiagramClassifier(**OPTIONS).fit(str(path), "y")) == content(memory)
    assert len(spied_tables) == 2


def test_numbers_need_no_encoding_and_limits_on_nodes_hold(tmp_path, spied_tables):
    frame, y, _ = mixed_frame()
    numbers = frame[["a0", "a2", "a3"]].assign(count=np.arange(len(frame)) % 7)
    folder = write_parts(numbers.assign(y=(y == "yes").astype(int)), tmp_path / "folder")
    options = {**OPTIONS, "constraints": [MaxNodes(2)]}
    memory = OptimalDecisionDiagramClassifier(**options).fit(numbers, (y == "yes").astype(int))
    streamed = OptimalDecisionDiagramClassifier(**options).fit(folder, "y")
    assert content(streamed) == content(memory) and spied_tables
    assert streamed.encoding_ is None and streamed.n_nodes_ <= 2
    assert streamed.certificate_.constraints == memory.certificate_.constraints


def test_small_files_and_other_parameters_are_read_into_memory(tmp_path, spied_tables):
    frame, y, w = mixed_frame(90)
    folder = write_parts(frame.assign(y=y, w=w), tmp_path / "small")
    small = OptimalDecisionDiagramClassifier(**OPTIONS).fit(folder, "y", "w")
    assert content(small) == content(OptimalDecisionDiagramClassifier(**OPTIONS).fit(frame, y, w))
    frame, y, _ = mixed_frame()
    folder = write_parts(frame.assign(y=y), tmp_path / "large")
    options = {**OPTIONS, "constraints": [MinFlow(20)]}
    limited = OptimalDecisionDiagramClassifier(**options).fit(folder, "y")
    assert content(limited) == content(OptimalDecisionDiagramClassifier(**options).fit(frame, y))
    assert not spied_tables


def test_a_table_that_must_be_in_memory_and_is_too_large_is_refused(tmp_path, monkeypatch):
    frame, y, _ = mixed_frame()
    folder = write_parts(frame.assign(y=y), tmp_path / "folder")
    monkeypatch.setattr(table_inputs, "available_bytes", lambda: 1000)
    with pytest.raises(UnsupportedError, match="A given epsilon needs all rows in memory"):
        OptimalDecisionDiagramClassifier(**OPTIONS, split="multivariate", epsilon=0.01).fit(folder, "y")


@pytest.mark.parametrize("memory_share", [0.4, 0.0])
def test_hyperplanes_of_a_folder_are_those_of_its_frame(tmp_path, monkeypatch, spied_tables, memory_share):
    frame, y, w = mixed_frame()
    options = {**OPTIONS, "split": "multivariate", "class_weight": "balanced"}
    folder = write_parts(frame.assign(y=y, w=w), tmp_path / "folder")
    memory = OptimalDecisionDiagramClassifier(**options).fit(frame, y, w)
    monkeypatch.setattr(row_source, "PART_ROWS", 37)
    monkeypatch.setattr(streamed_rows, "MEMORY_SHARE", memory_share)
    streamed = OptimalDecisionDiagramClassifier(**options).fit(folder, "y", "w")
    assert len(spied_tables) == 1 and content(streamed) == content(memory)
    assert any(np.count_nonzero(split.weights) > 1 for split in streamed.diagram_.splits)
    assert streamed.predict(folder).tolist() == memory.predict(frame).tolist()
    assert verify(streamed, folder, "y", "w").objective == memory.objective_


@pytest.mark.parametrize("missing", [False, True])
def test_hyperplanes_of_numbers_have_the_medians_of_the_frame(tmp_path, monkeypatch, missing):
    monkeypatch.setattr(column_medians, "MAX_MEDIAN_ROWS", 100)
    frame, y, _ = mixed_frame()
    numbers = frame[["a0", "a2", "a1"] if missing else ["a0", "a2"]].assign(none=np.nan)
    numbers = numbers if missing else numbers.drop(columns="none")
    options = {**OPTIONS, "split": "multivariate"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the column without a value
        memory = OptimalDecisionDiagramClassifier(**options).fit(numbers, y)
        folder = write_parts(numbers.assign(y=y), tmp_path / "folder")
        streamed = OptimalDecisionDiagramClassifier(**options).fit(folder, "y")
    assert content(streamed) == content(memory)


def test_predictions_of_files_are_those_of_the_frame(tmp_path):
    frame, y, _ = mixed_frame()
    folder = write_parts(frame.assign(y=y), tmp_path / "folder")
    model = OptimalDecisionDiagramClassifier(**OPTIONS).fit(frame, y)
    assert model.predict(folder).tolist() == model.predict(frame).tolist()
    np.testing.assert_array_equal(model.predict_proba(folder), model.predict_proba(frame))
    for name in ("out.parquet", "out.csv"):
        assert model.predict_to(folder, tmp_path / name, proba=True) == len(frame)
    written = pq.read_table(tmp_path / "out.parquet").to_pandas()
    assert written.prediction.tolist() == model.predict(frame).tolist()
    np.testing.assert_array_equal(written.iloc[:, 1:].to_numpy(), model.predict_proba(frame))
    pd.testing.assert_frame_equal(pd.read_csv(tmp_path / "out.csv"), written)
    with pytest.raises(InvalidInputError, match="is there already"):
        model.predict_to(folder, tmp_path / "out.csv")


def test_nothing_is_written_if_a_file_is_damaged(tmp_path):
    frame, y, _ = mixed_frame()
    model = OptimalDecisionDiagramClassifier(**OPTIONS).fit(frame, y)
    folder = write_parts(frame, tmp_path / "folder")
    damaged = folder / "part3.parquet"
    whole = damaged.read_bytes()
    damaged.write_bytes(whole[:100] + bytes(len(whole) - 200) + whole[-100:])
    with pytest.raises(InvalidInputError, match=r"part3\.parquet cannot be read"):
        model.predict_to(folder, tmp_path / "out.parquet")
    assert sorted(os.listdir(tmp_path)) == ["folder"]


def change_columns(frame):
    return frame.rename(columns={"a0": "b0"})


def change_types(frame):
    return frame.assign(a0=frame.a0.astype(str))


def drop_labels(frame):
    return frame.assign(y=frame.y.where(frame.index % 50 > 0))


def number_labels(frame):
    return frame.assign(y=1)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (change_columns, "same columns in the same order"),
        (change_types, "column a0 is .* give files with the same types"),
        (drop_labels, "y holds 3 missing labels"),
        (number_labels, "y is .* give files with the same types"),
    ],
)
def test_a_file_unlike_the_others_is_refused_in_a_sentence(tmp_path, change, message):
    frame, y, _ = mixed_frame()
    folder = write_parts(frame.assign(y=y), tmp_path / "folder")
    changed = pd.read_parquet(folder / "part2.parquet").reset_index(drop=True)
    change(changed).to_parquet(folder / "part2.parquet", index=False)
    model = OptimalDecisionDiagramClassifier(**OPTIONS)
    with pytest.raises(InvalidInputError, match=message):
        model.fit(folder, "y")
    assert not hasattr(model, "diagram_")


def test_empty_files_and_classes_that_come_late_are_taken(tmp_path):
    frame, y, _ = mixed_frame()
    order = np.argsort(y.to_numpy(), kind="stable")  # one class in the first files, the other later
    frame, y = frame.iloc[order].reset_index(drop=True), y.iloc[order].reset_index(drop=True)
    folder = write_parts(frame.assign(y=y), tmp_path / "folder")
    pd.read_parquet(folder / "part0.parquet").iloc[:0].to_parquet(folder / "part00.parquet", index=False)
    streamed = OptimalDecisionDiagramClassifier(**OPTIONS).fit(folder, "y")
    assert content(streamed) == content(OptimalDecisionDiagramClassifier(**OPTIONS).fit(frame, y))


def test_a_file_that_vanishes_during_a_fit_ends_it_in_a_sentence(tmp_path, monkeypatch):
    frame, y, _ = mixed_frame()
    folder = write_parts(frame.assign(y=y), tmp_path / "folder")
    original = table_inputs.profile_files

    def profile_and_remove(batches):
        profile = original(batches)
        (folder / "part1.parquet").unlink()
        return profile

    monkeypatch.setattr(table_inputs, "profile_files", profile_and_remove)
    model = OptimalDecisionDiagramClassifier(**OPTIONS)
    with pytest.raises(InvalidInputError, match=r"part1\.parquet is not there any more"):
        model.fit(folder, "y")
    assert not hasattr(model, "diagram_")


def test_names_and_paths_are_checked(tmp_path):
    frame, y, _ = mixed_frame(60)
    folder = write_parts(frame.assign(y=y), tmp_path / "folder")
    model = OptimalDecisionDiagramClassifier(**OPTIONS)
    for given, message in [
        ((folder, "Y"), "did you mean 'y'"),
        ((folder, y), "give the name of its column"),
        ((tmp_path / "nowhere", "y"), "no file or folder"),
        ((tmp_path, "y", "weight"), "no column 'weight'"),
    ]:
        with pytest.raises(InvalidInputError, match=message):
            model.fit(*given)
    with pytest.raises(UnsupportedError, match="sensitive_features"):
        model.fit(folder, "y", sensitive_features=[1])
    with pytest.raises(UnsupportedError, match="Cross-validation needs all rows"):
        OptimalDecisionDiagramClassifierCV().fit(folder, "y")
    model.fit(folder, "y")
    with pytest.raises(VerificationError):
        verify(model, write_parts(frame.iloc[1:].assign(y=y), tmp_path / "other"), "y")


def test_columns_without_a_value_in_the_first_csv_file_have_the_type_of_a_later_one(tmp_path):
    frame, y, _ = mixed_frame()
    frame = frame[["a0", "town"]].assign(y=y)
    frame.loc[:149, "town"] = None
    write_csv(frame.iloc[:0], tmp_path / "folder" / "0.csv")  # a line of names and no rows
    write_csv(frame.iloc[:150], tmp_path / "folder" / "1.csv")
    write_csv(frame.iloc[150:], tmp_path / "folder" / "2.csv")
    (tmp_path / "folder" / "README.txt").write_text("What the columns mean")
    model = OptimalDecisionDiagramClassifier(**OPTIONS).fit(tmp_path / "folder", "y")
    memory = OptimalDecisionDiagramClassifier(**OPTIONS).fit(frame[["a0", "town"]], y)
    assert content(model) == content(memory)


def write_csv(frame, path):
    path.parent.mkdir(parents=True, exist_ok=True)
    frame.to_csv(path, index=False)


@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_names_of_subfolders_are_a_column(tmp_path, kind):
    frame, y, _ = mixed_frame()
    frame = frame[["a0", "old"]].assign(y=y, town=frame.town.fillna("none"))
    for town, rows in frame.groupby("town"):
        folder = tmp_path / "folder" / f"town={town}"
        folder.mkdir(parents=True)
        rows = rows.drop(columns="town")
        if kind == "parquet":
            rows.to_parquet(folder / "0.parquet", index=False)
        else:
            write_csv(rows, folder / "0.csv")
    model = OptimalDecisionDiagramClassifier(**OPTIONS).fit(tmp_path / "folder", "y")
    assert model.feature_names_in_.tolist() == ["a0", "old", "town"]
    in_order = frame.sort_values("town", kind="stable")[["a0", "old", "town"]]
    assert model.predict(tmp_path / "folder").tolist() == model.predict(in_order).tolist()


def test_predictions_are_not_written_among_the_data(tmp_path):
    frame, y, _ = mixed_frame()
    folder = write_parts(frame.assign(y=y), tmp_path / "folder")
    model = OptimalDecisionDiagramClassifier(**OPTIONS).fit(folder, "y")
    with pytest.raises(InvalidInputError, match="would be in the folder that is read"):
        model.predict_to(folder, folder / "new" / "out.parquet")
    assert len(list(folder.iterdir())) == 4
