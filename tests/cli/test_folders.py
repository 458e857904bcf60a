"""Folders of files on the command line: fit, verify and predict in batches."""

import io
import json
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

import oddlearn
from oddlearn.cli import streamed_tables
from oddlearn.cli.main import main
from oddlearn.cli.stored_model import ColumnRoles
from oddlearn.streaming.file_batches import open_batches
from tests.estimators.test_streamed_fits import mixed_frame, write_parts
from tests.solve.histogram.test_histogram_search import small_is_large  # noqa: F401

pytestmark = pytest.mark.usefixtures("small_is_large")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    frame, y, w = mixed_frame(800)
    return write_parts(frame.assign(y=y, w=w, name=np.arange(800)), tmp_path / "folder")


def fit(*options):
    return main(["fit", "folder", "--target", "y", "--drop", "name", "--time-limit", "1", *options])


def test_a_folder_is_fitted_verified_and_classified(folder, capsys):
    assert fit("--weights", "w", "--skeleton", "1-2-2", "--json", "--quiet") == 0
    result = json.loads(capsys.readouterr().out)
    assert result["accuracy"]["test"] > 0.7 and 0 < result["rows"]["test"] < 400
    model = oddlearn.load("model.json")
    assert "name" not in model.feature_names_in_.tolist()
    assert main(["verify", "model.json", "folder"]) == 0
    told = capsys.readouterr().out
    assert f"Verified on {result['rows']['train']} rows" in told and result["rows"]["train"] < 800
    assert main(["predict", "model.json", "folder", "--output", "out.parquet", "--proba"]) == 0
    written = pq.read_table("out.parquet").to_pandas()
    whole = pd.concat(pd.read_parquet(path) for path in sorted(folder.iterdir()))
    assert written.prediction.tolist() == model.predict(whole[model.feature_names_in_]).tolist()
    assert "800 predictions" in capsys.readouterr().err


def test_columns_are_dropped_from_a_folder_by_lists(folder, capsys):
    assert fit("--drop", "w,", "--json", "--quiet", "--no-report") == 0
    dropped = json.loads(Path("model.json").read_text())["training_metadata"]["dropped"]
    assert dropped == ["name", "w"]
    assert {"name", "w"}.isdisjoint(oddlearn.load("model.json").feature_names_in_)
    assert main(["verify", "model.json", "folder"]) == 0
    capsys.readouterr()
    assert fit("--drop", "w,nmae", "--force") == 2
    assert "no column 'nmae': did you mean 'name'?" in capsys.readouterr().err


def test_metrics_of_many_rows_are_of_a_sample_and_say_so(folder, capsys, monkeypatch):
    monkeypatch.setattr(streamed_tables, "SAMPLE_ROWS", 60)
    assert fit("--skeleton", "1-2", "--json", "--no-report") == 0
    printed = capsys.readouterr()
    assert 20 < json.loads(printed.out)["rows"]["train"] < 120
    assert "drawn at random" in printed.err


def test_held_out_rows_hang_on_their_numbers_alone():
    rows = np.arange(100_000)
    taken = streamed_tables.draw_mask(rows, 0.25, 3)
    assert abs(taken.mean() - 0.25) < 0.01
    assert np.array_equal(taken[777:], streamed_tables.draw_mask(rows[777:], 0.25, 3))
    assert not np.array_equal(taken, streamed_tables.draw_mask(rows, 0.25, 4))


def test_without_rows_held_out_the_sample_of_tests_is_empty(folder):
    batches = open_batches("folder", "y", None, ("name",))
    train, test = streamed_tables.draw_samples(batches, ColumnRoles("y", test_size=0.0), 800)
    assert (train.n_rows, test.n_rows) == (800, 0)
    train, test = streamed_tables.draw_samples(batches, ColumnRoles("y", test_size=0.25), 800)
    assert train.n_rows + test.n_rows == 800 and 100 < test.n_rows < 300


def test_options_that_need_all_rows_are_refused(folder, capsys):
    assert fit("--skip-missing") == 2
    assert "read in batches" in capsys.readouterr().err
    assert fit("--no-report", "--quiet") == 0
    assert main(["predict", "model.json", "folder"]) == 2
    assert "--output" in capsys.readouterr().err


def test_a_folder_without_rows_is_refused_in_a_sentence(folder, capsys):
    for path in folder.iterdir():
        pq.write_table(pq.read_table(path).slice(0, 0), path)
    assert fit() == 2
    assert "folder has no rows: give at least two." in capsys.readouterr().err


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_the_count_of_rows_is_cleared_before_the_last_line(folder, monkeypatch):
    assert fit("--no-report", "--quiet") == 0
    monkeypatch.setattr(streamed_tables, "SHOW_SECONDS", -1.0)
    monkeypatch.setattr("sys.stderr", Terminal())
    assert main(["predict", "model.json", "folder", "--output", "out.csv"]) == 0
    counts = "".join(f"\r{count} rows read" for count in (200, 400, 600, 800))
    assert sys.stderr.getvalue() == f"{counts}\r\x1b[K800 predictions written to out.csv.\n"


def test_every_row_is_a_training_row_or_a_test_row_by_its_number(folder):
    roles = ColumnRoles(target="y", dropped=("name",), test_size=0.25, seed=3)
    batches = open_batches(str(folder), "y", None, ("w", "a1", "town", "day", "old"))
    told = []
    train = list(streamed_tables.training_batches(batches, roles, told.append).read())
    assert told == [200] * 4
    is_test = streamed_tables.draw_mask(np.arange(800), 0.25, 3)
    taken = np.concatenate([batch.X.columns[-1].values for batch in train])
    assert taken.tolist() == np.flatnonzero(~is_test).tolist()
    own, tests = streamed_tables.draw_samples(batches, roles, 800)
    assert own.X["name"].tolist() == np.flatnonzero(~is_test).tolist()
    assert tests.X["name"].tolist() == np.flatnonzero(is_test).tolist()
