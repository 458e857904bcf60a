"""Dates, times and durations are ordered numbers that read back as what they were."""

import datetime as dt
import json
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

import oddlearn
from oddlearn import OptimalDecisionDiagramClassifier, export_rules, export_sql, export_text
from oddlearn.diagram.timestamps import (
    TIMESTAMP_KINDS,
    first_not_before,
    shortest_timestamp,
    timestamp_text,
    units_per_number,
)
from oddlearn.errors import InvalidInputError
from oddlearn.table.column_table import ColumnTable, RawColumn, read_columns
from oddlearn.table.encoding import learn_encoding
from oddlearn.table.timestamp_columns import parse_iso, parse_timestamps, to_microseconds, to_numbers

DAYS = pd.date_range("2020-02-20", periods=40, freq="D")
TIMES = pd.date_range("2020-02-20", periods=40, freq="7h13min5s")


def learned(values):
    return learn_encoding(read_columns(pd.DataFrame({"x": values, "text": "a"})))


def fitted(X, y, **parameters):
    return OptimalDecisionDiagramClassifier("1", max_iter=5, random_state=0, **parameters).fit(X, y)


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (DAYS, "date"),
        (DAYS.date, "date"),
        (DAYS.to_numpy().astype("M8[D]"), "date"),
        (DAYS.astype("M8[ns]"), "date"),
        (TIMES, "datetime"),
        (TIMES.to_pydatetime(), "datetime"),
        (TIMES.tz_localize("Europe/Helsinki"), "datetime_utc"),
        (pd.Series(TIMES.tz_localize("Asia/Tokyo").to_pydatetime(), dtype=object), "datetime_utc"),
        (TIMES - TIMES[3], "duration"),
        (pd.Series((TIMES - TIMES[3]).to_pytimedelta(), dtype=object), "duration"),
        (TIMES.time, "time"),
    ],
)
def test_a_column_of_dates_or_times_is_one_ordered_number(values, kind):
    encoding = learned(values)
    assert encoding.columns[0].kind == encoding.features[0].kind == kind
    rows = encoding.encode(read_columns(pd.DataFrame({"x": values, "text": "a"})))[:, 0]
    order = np.argsort(np.asarray(list(values)), kind="stable")
    assert np.array_equal(np.argsort(rows, kind="stable"), order)
    assert np.unique(rows).size == len(set(values)) == 40  # sorted rows of one number would be in order too
    again = read_columns(pd.DataFrame({"x": pd.Series(values).where(np.arange(40) > 1, None), "text": "a"}))
    holes = encoding.encode(again)[:, 0]
    assert np.isnan(holes[:2]).all()
    assert np.array_equal(holes[2:], rows[2:])


def test_polars_dates_and_times_are_those_of_pandas():
    polars = pytest.importorskip("polars")
    columns = {
        "day": DAYS.date.tolist(),
        "time": TIMES.to_pydatetime().tolist(),
        "zone": TIMES.tz_localize("Asia/Tokyo").to_pydatetime().tolist(),
        "wait": (TIMES - TIMES[0]).to_pytimedelta().tolist(),
        "clock": TIMES.time.tolist(),
    }
    given, twin = (read_columns(frame(columns)) for frame in (polars.DataFrame, pd.DataFrame))
    encoding = learn_encoding(given)
    assert [column.kind for column in encoding.columns] == [
        "date",
        "datetime",
        "datetime_utc",
        "duration",
        "time",
    ]
    assert encoding == learn_encoding(twin)
    assert np.array_equal(encoding.encode(given), encoding.encode(twin))


def test_numbers_read_back_as_the_same_microsecond():
    random = np.random.default_rng(0)
    span = [np.datetime64(day, "us").astype(np.int64) for day in ("1700-01-01", "2240-01-01")]
    micro = random.integers(*span, 20_000)
    numbers = to_numbers(micro, "datetime")
    assert np.unique(numbers).size == np.unique(micro).size
    assert [first_not_before(number, "datetime") for number in numbers] == micro.tolist()
    assert np.array_equal(to_microseconds(micro.astype("M8[us]")), micro)
    neighbours = to_numbers(micro[:1000] + 1, "datetime")
    assert (neighbours > numbers[:1000]).all()


@pytest.mark.parametrize("kind", TIMESTAMP_KINDS)
def test_the_date_of_a_threshold_divides_all_dates_as_the_threshold_does(kind):
    random = np.random.default_rng(1)
    per_number = units_per_number(kind)
    for _ in range(300):
        size = random.choice([1e9, 1e4, 0.0])
        threshold = float(random.normal(0, size) if size else random.integers(-9, 9))
        count = first_not_before(threshold, kind)
        around = [count + step for step in range(-3, 4)]
        assert [unit / per_number >= threshold for unit in around] == [unit >= count for unit in around]
        assert abs(Fraction(count, per_number) - Fraction(threshold)) <= Fraction(1, per_number)


@pytest.mark.parametrize(
    ("number", "kind", "text"),
    [
        (18690.5, "date", "2021-03-05"),
        (18690.0, "date", "2021-03-04"),
        (-1.0, "date", "1969-12-31"),
        (1614834367.25, "datetime", "2021-03-04 05:06:07.25"),
        (1614816000.0, "datetime", "2021-03-04"),
        (1614834360.0, "datetime_utc", "2021-03-04 05:06 UTC"),
        (18360.0, "time", "05:06"),
        (90061.5, "duration", "1 day 01:01:01.5"),
        (-3600.0, "duration", "-01:00"),
        (2 * 86400.0, "duration", "2 days"),
        (0.0, "duration", "00:00"),
    ],
)
def test_numbers_are_written_as_dates(number, kind, text):
    assert timestamp_text(number, kind) == text


@pytest.mark.parametrize(
    ("days", "text"),
    [
        (("2019-06-01", "2022-09-01"), "2021-01-01"),
        (("2021-01-20", "2021-04-10"), "2021-03-01"),
        (("2021-03-03", "2021-03-04"), "2021-03-04"),
    ],
)
def test_a_threshold_between_dates_is_the_coarsest(days, text):
    low, high = (np.datetime64(day).astype(int).item() for day in days)
    middle, quarter = (low + high) / 2, (high - low) / 8
    found = shortest_timestamp(middle, middle - quarter, middle + quarter, "date")
    assert timestamp_text(found, "date") == text
    assert low < found <= high


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("unit", ["D", "h", "s", "us"])
def test_a_date_that_is_shown_keeps_every_row_on_its_side(seed, unit):
    random = np.random.default_rng(seed)
    moments = (np.datetime64("2021-03-04", unit) + random.integers(0, 500, 60)).astype("M8[us]")
    labels = moments >= np.sort(moments)[20]
    frame = pd.DataFrame({"joined": moments, "text": "a"})
    model = fitted(frame, labels)
    for X in (None, frame):
        shown = next(rule for rule in export_rules(model, X=X) if ">=" in rule.condition).condition
        date = np.datetime64(shown.split(">= ")[1].replace(" ", "T"), "us")
        assert np.array_equal(moments >= date, labels)
        assert shown.split(" >=")[0] == "joined"
    assert shown.split(">= ")[1] in export_text(model, X=frame)


def test_dates_are_shown_in_text_rules_and_sql():
    frame = pd.DataFrame({"joined": DAYS, "text": "a"})
    model = fitted(frame, DAYS >= "2020-03-15")
    assert "joined >= 2020-03-15" in export_text(model)
    assert "\"joined\" >= '2020-03-15'" in export_sql(model)
    assert "joined < 2020-03-15" in str(export_rules(model, digits=2))
    copy = oddlearn.from_json(model.to_json())
    assert np.array_equal(copy.predict(frame), model.predict(frame))
    assert json.loads(model.to_json())["metadata"]["features"][0]["kind"] == "date"


def test_an_interval_of_dates_is_written_with_dates():
    frame = pd.DataFrame({"joined": DAYS, "text": "a"})
    inside = (DAYS >= "2020-03-01") & (DAYS < "2020-03-15")
    model = OptimalDecisionDiagramClassifier("1-2", alpha=0.0, max_iter=20, random_state=0).fit(frame, inside)
    assert "2020-03-01 <= joined < 2020-03-15" in str(export_rules(model, X=frame))


def test_dates_of_an_array_are_features():
    X = np.column_stack([DAYS.to_numpy(), TIMES.to_numpy()])
    model = fitted(X, X[:, 1] > X[20, 1])
    assert [feature.kind for feature in model.metadata_.features] == ["date", "datetime"]
    assert model.score(X, X[:, 1] > X[20, 1]) == 1.0


def test_a_time_of_day_does_not_matter_to_a_date():
    frame = pd.DataFrame({"joined": DAYS, "text": "a"})
    model = fitted(frame, DAYS >= "2020-03-15")
    late = frame.assign(joined=DAYS + pd.Timedelta("23:59:59"))
    assert np.array_equal(model.predict(late), model.predict(frame))


def test_dates_are_predicted_from_text_in_iso_form():
    frame = pd.DataFrame({"joined": DAYS, "text": "a"})
    model = fitted(frame, DAYS >= "2020-03-15")
    for form in ("%Y-%m-%d", "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M:%S.000"):
        text = frame.assign(joined=DAYS.strftime(form))
        assert np.array_equal(model.predict(text), model.predict(frame))
    hole = frame.assign(joined=DAYS.strftime("%Y-%m-%d")).astype(object)
    hole.loc[0, "joined"] = None
    model.predict(hole)


@pytest.mark.parametrize(
    ("joined", "message"),
    [
        ("04.03.2021", r"joined held dates .* cannot be read as such, '04.03.2021': give dates, or text"),
        ("2021-02-30", "cannot be read as such, '2021-02-30'"),
        ("2021-03-04T05:06Z", "cannot be read as such"),
        (20210304, "joined held dates in the training data and holds numbers now: give dates"),
        (pd.Timestamp("2021-03-04", tz="UTC"), "holds times with a time zone now"),
        (dt.timedelta(3), "holds durations now"),
        (dt.time(3), "holds times of day now"),
        (True, "holds booleans now"),
    ],
)
def test_a_date_column_that_holds_something_else_is_refused(joined, message):
    frame = pd.DataFrame({"joined": DAYS, "text": "a"})
    model = fitted(frame, DAYS >= "2020-03-15")
    with pytest.raises(InvalidInputError, match=message):
        model.predict(frame.assign(joined=pd.Series([joined] * 40)))


def test_python_times_of_several_zones_are_counted_in_utc():
    zones = [dt.timezone(dt.timedelta(hours=hours)) for hours in (0, 2, -5)]
    moments = np.array([dt.datetime(2020, 1, 1, 12, 30, 5, 7, zone) for zone in zones], dtype=object)
    hour = 3_600_000_000
    at_noon = np.datetime64("2020-01-01T12:30:05.000007", "us").astype(np.int64)
    assert to_microseconds(moments).tolist() == [at_noon, at_noon - 2 * hour, at_noon + 5 * hour]
    assert to_microseconds(np.array([dt.datetime(2020, 1, 1)], dtype=object)).tolist() == [18262 * 24 * hour]


def test_times_with_and_without_a_zone_in_one_column_are_refused():
    moment = dt.datetime(2020, 1, 1)
    mixed = pd.Series([moment, moment.replace(tzinfo=dt.timezone.utc)] * 5, dtype=object)
    with pytest.raises(InvalidInputError, match="x holds values of type datetime"):
        learned(mixed)


def test_iso_text_is_read_as_python_reads_it():
    random = np.random.default_rng(0)
    texts, moments = [], []
    for _ in range(300):
        zone = dt.timezone(dt.timedelta(minutes=int(random.integers(-600, 600))))
        ranges = ((1900, 2100), (1, 13), (1, 29), (0, 24), (0, 60), (0, 60))
        moment = dt.datetime(
            *(int(random.integers(*ends)) for ends in ranges),
            int(random.choice([0, random.integers(0, 10**6)])),
            zone,
        )
        texts.append(moment.isoformat(random.choice(["T", " "])))
        moments.append(moment.astimezone(dt.timezone.utc).replace(tzinfo=None))
    values, is_utc = parse_iso(texts)
    assert is_utc
    assert values.tolist() == moments
    assert parse_iso([*texts, "2020-01-01"]) is None
    assert parse_iso(["2020-01-01", "soon"]) is None
    assert parse_timestamps(["05:06:07.5"], "time").tolist() == [18367500000]
    assert parse_timestamps(["25:00"], "time") is None


def test_a_sum_of_dates_takes_the_median_for_missing_ones():
    moments = DAYS.to_numpy(copy=True)
    moments[:5] = "NaT"
    table = ColumnTable((RawColumn("joined", moments), RawColumn("size", np.arange(40.0))))
    model = fitted(table, np.arange(40) > 20, split="multivariate")
    assert [feature.name for feature in model.metadata_.features] == ["joined", "joined is missing", "size"]
    rows = model.encode(table)
    assert np.isfinite(rows).all()
    assert rows[0, 0] == np.median(rows[5:, 0])


@pytest.mark.parametrize(
    ("text", "micro"),
    [
        ("00:00", 0),
        ("12:30", 45_000_000_000),
        ("23:59:59", 86_399_000_000),
        ("05:06:07.123456789", 18_367_123_456),
        ("24:00", None),
        ("12:60", None),
        ("12:30:60", None),
        ("noon", None),
    ],
)
def test_a_clock_is_read_to_the_microsecond(text, micro):
    found = parse_timestamps([text], "time")
    assert (None if found is None else found.tolist()) == (None if micro is None else [micro])


def test_text_of_another_kind_is_not_read():
    assert parse_timestamps(["2020-01-01"], "datetime_utc") is None
    assert parse_timestamps(["2020-01-01T00:00+00:00"], "datetime") is None
    assert parse_timestamps(["2020-01-01T00:00+01:30"], "datetime_utc").tolist() == [1577831400000000]
    assert parse_timestamps(["1970-01-02"], "datetime").tolist() == [86_400_000_000]
    assert parse_timestamps(["1970-01-02"], "duration") is None
