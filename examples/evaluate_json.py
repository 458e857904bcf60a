"""Evaluate a model file of oddlearn (docs/guide/model_format.md) by Python's standard library alone.

python evaluate_json.py model.json rows.csv   prints the label of each row of a CSV file with a header
"""

import csv
import datetime as dt
import json
import sys

# texts of a missing value in a file
MISSING = ("", "?", "NA", "N/A", "n/a", "na", "<NA>", "#N/A", "NaN", "nan", "NAN", "null", "NULL", "Null")


def load(path):
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    if document.get("format") != "oddlearn-diagram" or document.get("schema") != 6:
        raise ValueError(f"{path} is not an oddlearn model of schema 6.")
    return document


def predict(document, row):
    """Return the label of a row, a mapping from the names of columns to values."""
    diagram, features = document["diagram"], document["metadata"]["features"]
    target = {"node": 0} if diagram["nodes"] else {"class": diagram["constant_class"]}
    while "node" in target:
        node = diagram["nodes"][target["node"]]
        target = node["positive"] if is_positive(node["split"], features, row) else node["negative"]
    return document["metadata"]["class_labels"][target["class"]]


def is_positive(split, features, row):
    """Return the side that a row takes at a node."""
    terms = enumerate(split["weights"]) if "weights" in split else [(split["feature"], 1.0)]
    key = 0.0
    for place, weight in terms:  # in this order, and not by sum(), which may round differently
        key += weight * number(features, features[place], row) if weight else 0.0
    if "missing" in split and (key != key or split["threshold"] is None):
        return (key != key) == (split["missing"] == "positive")
    return key >= split["threshold"]


def number(features, feature, row):
    """Return a feature of a row: a number, NaN if it is missing, or 1 where a category holds, else 0."""
    value, kind, fill = row[feature["column"]], feature["kind"], feature["fill"]
    siblings = [other for other in features if other["column"] == feature["column"]]
    if value is None or value != value or (value == "" and all(one["category"] != "" for one in siblings)):
        is_other = all(other["kind"] != "missing" for other in siblings)
        fills = {"missing": 1.0, "other": float(is_other), "category": 0.0, "boolean": 0.0}
        return fills.get(kind, float("nan") if fill is None else fill)
    if kind == "category":
        return float(is_same(value, feature))
    if kind == "other":
        return float(not any(is_same(value, other) for other in siblings))
    if kind in ("date", "datetime", "datetime_utc", "time"):
        return timestamp(str(value), kind)
    return 0.0 if kind == "missing" else float({"true": 1, "false": 0}.get(str(value).lower(), value))


def timestamp(text, kind):
    """Return days since 1970 (of a date), or seconds since then, or since midnight (of a time)."""
    day = "1970-01-01T" if kind == "time" else ""
    moment = dt.datetime.fromisoformat(day + text.replace("Z", "+00:00"))
    start = dt.datetime(1970, 1, 1, tzinfo=moment.tzinfo and dt.timezone.utc)
    microseconds = (moment - start) // dt.timedelta(microseconds=1)
    return microseconds // 86_400_000_000 if kind == "date" else microseconds / 1_000_000


def is_same(value, feature):
    category = feature["category"]
    return category is not None and (value == category or (isinstance(value, str) and value == str(category)))


if __name__ == "__main__":
    model = load(sys.argv[1])
    with open(sys.argv[2], newline="", encoding="utf-8-sig") as rows:
        for row in csv.DictReader(rows):
            lacking = {name: None for name, text in row.items() if (text or "").strip() in MISSING}
            print(predict(model, {**row, **lacking}))
