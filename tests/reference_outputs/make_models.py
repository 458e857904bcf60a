"""Make the tables and models of the reference outputs: ``python -m tests.reference_outputs.make_models``.

Run it when the schema of model files changes, for stored models of another schema are refused, or when models
should show more. Then renew the outputs with ``ODDLEARN_UPDATE=1``; CONTRIBUTING.md has the steps.
"""

import csv
import json
from datetime import date, timedelta
from pathlib import Path

import numpy as np

import oddlearn
from oddlearn.cli.main import main
from oddlearn.diagram.json_checks import checksum

FILES = Path(__file__).parent / "files"
TARGET = "repaid"  # the labels of all tables
SEARCH = {"time_limit": None, "max_iter": 200, "n_jobs": 1, "random_state": 0, "exact": None}


def write_table(name, columns):
    """Write columns as a CSV file; None is an empty cell."""
    with (FILES / f"{name}.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))


def drop_some(values, share, random):
    """Return the values with None for a share of them."""
    return [None if random.random() < share else value for value in values]


def make_loans():
    """Make a model of categories, dates, missing values, groups and weights, by the command line."""
    random = np.random.default_rng(0)
    n = 90
    income = random.gamma(4, 9, n).round(1)
    purpose = random.choice(["car", "home & garden", "studies", "other <1>"], n, p=[0.4, 0.3, 0.2, 0.1])
    days = random.integers(0, 4000, n)
    phone = random.random(n) < 0.6
    region = random.choice(["north", "south"], n)
    score = income / 12 + (purpose == "home & garden") * 1.5 - days / 1500 + phone + (region == "north") * 0.5
    columns = {
        "income": drop_some(income.tolist(), 0.12, random),
        "purpose": drop_some(purpose.tolist(), 0.08, random),
        "since": [date(2010, 1, 1) + timedelta(int(day)) for day in days],
        "phone": drop_some(phone.tolist(), 0.1, random),
        "debt": random.normal(0, 300, n).round(2).tolist(),
        "region": region.tolist(),
        "weight": random.integers(1, 5, n).tolist(),
        TARGET: np.where(score + random.normal(0, 0.8, n) > 2.5, "yes", "no").tolist(),
    }
    write_table("loans", columns)
    options = "--weights weight --sensitive region --parity 0.6 --favourable yes --skeleton 1-2-3-3"
    options += " --exact none --time-limit none --quiet --name loans --no-report --force --output"
    command = ["fit", str(FILES / "loans.csv"), "--target", TARGET, *options.split(), str(FILES)]
    assert main(command) == 0


def make_sums():
    """Make a model of weighted sums and four classes with weights."""
    random = np.random.default_rng(1)
    X = random.normal(size=(80, 4)).round(2) * [1, 10, 100, 1000]
    scaled = X / [1, 10, 100, 1000]
    labels = 2 * (scaled[:, 0] + scaled[:, 1] > 0) + (scaled[:, 2] - scaled[:, 3] > 0.5)
    labels[:5] = 3 - labels[:5]
    write_table("sums", {f"m{i}": X[:, i].round(2).tolist() for i in range(4)} | {TARGET: labels.tolist()})
    weights = {0: 1, 1: 2, 2: 1, 3: 0.5}
    train("sums", split="multivariate", node_price=0.02, skeleton="1-2-2", class_weight=weights)


def make_plane():
    """Make a model of two features whose optimum is proved."""
    random = np.random.default_rng(2)
    X = random.uniform(0, 10, (70, 2)).round(1)
    labels = np.where((X[:, 0] > 6) ^ (X[:, 1] > 4) ^ (np.arange(70) < 4), "in", "out")
    write_table("plane", {"length": X[:, 0].tolist(), "width": X[:, 1].tolist(), TARGET: labels.tolist()})
    train("plane", skeleton="1-2", exact="branch_and_bound")


def train(name, **parameters):
    """Train a diagram on a stored table and store it."""
    import pandas as pd

    table = pd.read_csv(FILES / f"{name}.csv")
    model = oddlearn.OptimalDecisionDiagramClassifier(**(SEARCH | parameters))
    model.fit(table.drop(columns=TARGET), table[TARGET]).save(FILES / f"{name}.json")


def set_seconds(name):
    """Replace measured times by whole numbers, so that models made again are the same."""
    path = FILES / f"{name}.json"
    content = json.loads(path.read_text())
    certificate = content["certificate"]
    for place, event in enumerate(certificate["events"]):
        event["seconds"] = float(place + 1)
    for evidence in certificate["evidence"]:
        evidence["seconds"] = 1.0
    for document in (certificate, content):
        del document["checksum"]
        document["checksum"] = checksum(document)
    path.write_text(json.dumps(content, indent=1))


if __name__ == "__main__":
    make_loans()
    make_sums()
    make_plane()
    for name in ("loans", "sums", "plane"):
        set_seconds(name)
