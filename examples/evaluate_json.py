"""Evaluate a model file of oddlearn (docs/model_format.md) by Python's standard library alone.

python evaluate_json.py model.json rows.csv   prints the label of each row of a CSV file with a header
"""

import csv
import json
import sys


def load(path):
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    if document.get("format") != "oddlearn-diagram" or document.get("schema") != 3:
        raise ValueError(f"{path} is not an oddlearn model of schema 3.")
    return document


def predict(document, row):
    """Return the label of a row, a mapping from the names of columns to values."""
    diagram, metadata = document["diagram"], document["metadata"]
    target = {"node": 0} if diagram["nodes"] else {"class": diagram["constant_class"]}
    while "node" in target:
        node = diagram["nodes"][target["node"]]
        split = node["split"]
        terms = enumerate(split["weights"]) if "weights" in split else [(split["feature"], 1.0)]
        key = 0.0
        for place, weight in terms:  # in this order, and not by sum(), which may round differently
            key += weight * number(metadata, place, row) if weight else 0.0
        target = node["positive"] if key >= split["threshold"] else node["negative"]
    return metadata["class_labels"][target["class"]]


def number(metadata, place, row):
    """Return what the diagram sees at a place: the value of a column, or 1 for a category of it, else 0."""
    feature = metadata["features"][place]
    value, category = row[feature["column"]], feature["category"]
    if value is None or value == "" or value != value:
        raise ValueError(f"The value of {feature['column']!r} is missing: fill it in first.")
    if category is not None:
        return float(value == category or (isinstance(value, str) and value == str(category)))
    return float({"true": 1, "false": 0}.get(str(value).lower(), value))


if __name__ == "__main__":
    model = load(sys.argv[1])
    with open(sys.argv[2], newline="", encoding="utf-8-sig") as rows:
        print(*(predict(model, row) for row in csv.DictReader(rows)), sep="\n")
