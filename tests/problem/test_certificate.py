import json
import math
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from oddlearn.diagram.json_checks import checksum
from oddlearn.diagram.skeleton import Skeleton
from oddlearn.errors import ModelFileError
from oddlearn.problem.certificate import Certificate, Evidence
from oddlearn.problem.certificate_json import certificate_from_dict
from oddlearn.problem.constraint_block import ConstraintStatus
from oddlearn.problem.events import Bounded, Improved
from oddlearn.problem.evidence import floor_decimals, round_down

CERTIFICATE = Certificate(
    digest="ab" * 32,
    objective=0.3,
    violation=0.0,
    n_nodes=2,
    objective_bounds=(0.3, 0.31, 0.1 + 0.1, 0.35),
    margin=0.0,
    split="univariate",
    skeleton=Skeleton.parse("1-2-1"),
    node_price=0.01,
    evidence=(Evidence("class_count", 0.2, "few nodes predict few classes", 0.01),),
    events=(Improved(0.1, 0.3, 4), Bounded(0.2, 0.2)),
)


def test_the_gap_is_what_could_still_be_saved():
    assert CERTIFICATE.gap == pytest.approx(1 / 3)
    assert not CERTIFICATE.is_optimal


OPTIMAL = replace(CERTIFICATE, objective_bounds=(0.3,) * 4)


@pytest.mark.parametrize("objective", [0.0, 0.25])
def test_equal_bounds_mean_optimal(objective):
    certificate = replace(CERTIFICATE, objective=objective, objective_bounds=(objective, 0.5))
    assert certificate.is_optimal
    assert certificate.gap == 0.0


def test_a_violated_constraint_is_never_called_optimal():
    certificate = replace(OPTIMAL, violation=0.5)
    assert not certificate.is_optimal
    assert certificate.explain() == (
        "Not feasible: the diagram violates a constraint by 0.5. Nothing is proved about how good it is."
    )
    assert "By number of nodes" not in certificate.explain(details=True)


def test_the_claim_is_two_sentences():
    assert OPTIMAL.explain() == (
        "Proved optimal: of all diagrams of skeleton 1-2-1 with univariate splits, no other is better. "
        "Better means a lower sum of training error and 1 % for each node after the first (here 2 nodes: "
        "29.0 % + 1 x 1 % = 30.0 %)."
    )
    assert CERTIFICATE.explain() == (
        "Not proved optimal. Proved: of all diagrams of skeleton 1-2-1 with univariate splits, none with up "
        "to 2 nodes is better, nor one that needs more than 3 nodes. With 3 nodes the training error could "
        "fall from 29.0 % to 18.0 % at most.\n"
        "Better means a lower sum of training error and 1 % for each node after the first (here 2 nodes: "
        "29.0 % + 1 x 1 % = 30.0 %)."
    )
    open_certificate = replace(CERTIFICATE, objective_bounds=(0.25, 0.25, 0.25, 0.25))
    assert open_certificate.explain().startswith(
        "Not proved optimal: of all diagrams of skeleton 1-2-1 with univariate splits, another may be better."
    )
    free = replace(OPTIMAL, node_price=0.0).explain()
    assert free.endswith("Better means less training error (here 30.0 %).")
    planes = replace(OPTIMAL, split="multivariate", margin=1e-4).explain()
    assert "with multivariate splits of margin 0.0001, no other" in planes
    assert "all trees" in replace(CERTIFICATE, skeleton=Skeleton.tree(2)).explain()
    by_price = replace(CERTIFICATE, skeleton=Skeleton.tree_of_nodes(4)).explain()
    assert "of all trees of any depth with up to 4 nodes and univariate splits, none with" in by_price


@pytest.mark.parametrize("certificate", [CERTIFICATE, OPTIMAL])
def test_optimal_never_stands_alone_if_classes_are_never_predicted(certificate):
    rare = replace(certificate, unpredicted_classes=("fraud",))
    beside = "(Not p|P)roved optimal, (but|and) it"
    assert re.match(f"{beside} never predicts class fraud(. Proved)?: of all", rare.explain())
    hardly = replace(certificate, missed_text="finds only 1.2 % of class fraud")
    assert re.match(f"{beside} finds only 1.2 % of class fraud", hardly.explain())
    constant = replace(rare, only_class="regular")
    assert re.match(f'{beside} predicts class "regular"', constant.explain())


def test_solvers_numbers_and_times_are_details():
    told, details = CERTIFICATE.explain(), CERTIFICATE.explain(details=True)
    assert details.startswith(told)
    assert details.splitlines()[2:] == [
        "Exactly: objective 0.3, price per node 0.01; none has less than 0.2, which is 33.4 % lower.",
        "By number of nodes: 1 to 2: none is better; 3: a better one has a training error of at least "
        "18.00 %; 4: none is better.",
        "- class_count: at least 0.2 (few nodes predict few classes; 0.01 s)",
        "The objective was reached after 0.10 s, the bound after 0.20 s.",
    ]
    assert "reached after" not in replace(CERTIFICATE, events=()).explain(details=True)


def test_a_large_gap_is_not_written_as_a_percentage():
    wide = replace(CERTIFICATE, objective_bounds=(0.05,) * 4)
    assert wide.gap > 0.8
    assert "% lower" not in wide.explain(details=True)


def test_bounds_are_never_rounded_up():
    bound = 1 / 140
    certificate = replace(CERTIFICATE, evidence=(Evidence("class_count", bound, "", 0.0),))
    assert "at least 0.007142857142 " in certificate.explain(details=True)
    for value in np.random.default_rng(0).random(200):
        bounds = (2.0, 1.0 + float(value))
        told = replace(CERTIFICATE, objective=2.0, objective_bounds=bounds).explain(details=True)
        assert float(told.split("less than ")[1].split(",")[0]) <= bounds[1]
        assert float(told.split("which is ")[1].split(" %")[0]) >= 100 * (2.0 - bounds[1]) / 2.0
        assert float(told.split("error of at least ")[1].split(" %")[0]) <= 100 * (bounds[1] - 0.01)


def test_the_table_by_number_of_nodes_becomes_a_frame():
    frame = pd.DataFrame(CERTIFICATE.by_node_count)
    assert frame["n_nodes"].tolist() == [1, 2, 3, 4]
    assert frame["is_resolved"].tolist() == [True, True, False, True]
    assert frame["cost_bound"].tolist() == pytest.approx([0.3, 0.3, 0.18, 0.32])
    assert frame["objective_bound"].min() == CERTIFICATE.lower_bound


def test_the_check_of_single_nodes_is_told_where_it_adds_something():
    sentence = "All changes of one node"
    assert sentence not in CERTIFICATE.explain()
    assert sentence in replace(CERTIFICATE, is_single_node_optimal=True).explain()
    assert sentence not in replace(OPTIMAL, is_single_node_optimal=True).explain()


def test_the_claim_leaves_out_ignored_features():
    some = replace(OPTIMAL, ignored_features=(1, 4))
    assert "that use only other features than 1, 4, which vary but were ignored, no other" in some.explain()
    many = replace(CERTIFICATE, ignored_features=tuple(range(25)))
    assert "8, 9 and 15 more, which vary" in many.explain()


@pytest.mark.parametrize("ignored", [(), (2, 5)])
def test_a_certificate_survives_json(ignored):
    bounds = (0.3, 0.4, np.inf)
    certificate = replace(CERTIFICATE, ignored_features=ignored, objective_bounds=bounds, only_class="a")
    assert certificate_from_dict(json.loads(json.dumps(certificate.to_dict()))) == certificate


@pytest.mark.parametrize("field", ["objective", "objective_bounds", "digest", "events", "checksum"])
def test_a_tampered_certificate_is_refused(field):
    document = json.loads(json.dumps(CERTIFICATE.to_dict()))
    document[field] = 0.2999
    with pytest.raises(ModelFileError, match="changed after it was written"):
        certificate_from_dict(document)


@pytest.mark.parametrize("document", [None, [], {}, {"checksum": "x"}])
def test_what_is_no_certificate_is_refused(document):
    with pytest.raises(ModelFileError):
        certificate_from_dict(document)


PROOF = Evidence(
    "milp",
    0.25,
    "3 numbers of nodes were ruled out",
    1.5,
    version="HiGHS 1.15.1",
    options="variant prepared",
    nodes=123,
    size="40 columns, 60 rows",
    status="time",
)


def test_an_exact_solver_says_how_it_came_to_its_bound():
    told = replace(CERTIFICATE, evidence=(PROOF,)).explain(details=True)
    assert (
        "- milp (HiGHS 1.15.1): at least 0.25 (3 numbers of nodes were ruled out; status: time; 123 nodes "
        "searched; 40 columns, 60 rows; variant prepared; 1.50 s)" in told
    )


def test_a_solver_that_was_skipped_says_why():
    skipped = Evidence("cpsat", 0.2, "because ortools is not installed", 0.0, status="skipped")
    told = replace(CERTIFICATE, evidence=(skipped,)).explain(details=True)
    assert "- cpsat: skipped, because ortools is not installed" in told


def test_the_evidence_of_exact_solvers_survives_json():
    certificate = replace(CERTIFICATE, evidence=(PROOF,))
    assert certificate_from_dict(json.loads(json.dumps(certificate.to_dict()))) == certificate


DEMANDED = (
    ConstraintStatus("at most 4 nodes", "3 nodes", 1.0, False),
    ConstraintStatus("at most 9 layers of nodes", "2 layers", np.inf, False),
    ConstraintStatus("selection rates alike", "0.5 and 0.7", -0.06, True),
)


def test_requirements_survive_json_and_are_told():
    certificate = replace(CERTIFICATE, constraints=DEMANDED)
    document = json.loads(json.dumps(certificate.to_dict(), allow_nan=False))
    assert certificate_from_dict(document) == certificate
    told = certificate.explain().splitlines()
    assert "splits that satisfy the constraints below, none" in told[0]
    assert told[2:5] == [
        "- Required: at most 4 nodes. Reached: 3 nodes; slack 1.",
        "- Required: at most 9 layers of nodes. Reached: 2 layers; nothing that could violate it.",
        "- Priced: selection rates alike. Reached: 0.5 and 0.7; short by 0.06.",
    ]
    assert "constraints below" not in replace(CERTIFICATE, constraints=DEMANDED[2:]).explain()


@pytest.mark.parametrize("field", ["version", "options", "nodes", "size", "status"])
def test_evidence_without_one_of_its_fields_is_refused(field):
    document = json.loads(json.dumps(CERTIFICATE.to_dict()))
    del document["evidence"][0][field]
    document["checksum"] = checksum({name: value for name, value in document.items() if name != "checksum"})
    with pytest.raises(ModelFileError, match=f"has no field '{field}'"):
        certificate_from_dict(document)


@pytest.mark.parametrize(("name", "value"), [("version", 3), ("nodes", -1), ("status", None)])
def test_evidence_that_is_no_evidence_is_refused(name, value):
    document = json.loads(json.dumps(replace(CERTIFICATE, evidence=(PROOF,)).to_dict()))
    document["evidence"][0][name] = value
    document["checksum"] = checksum({name: value for name, value in document.items() if name != "checksum"})
    with pytest.raises(ModelFileError, match="damaged"):
        certificate_from_dict(document)


@pytest.mark.parametrize(("name", "value"), [("objective_bounds", []), ("measure", "x"), ("only_class", 3)])
def test_a_claim_that_is_no_claim_is_refused(name, value):
    document = {**json.loads(json.dumps(CERTIFICATE.to_dict())), name: value}
    document["checksum"] = checksum({name: value for name, value in document.items() if name != "checksum"})
    with pytest.raises(ModelFileError, match="damaged"):
        certificate_from_dict(document)


def test_an_event_of_another_kind_is_refused():
    document = json.loads(json.dumps(CERTIFICATE.to_dict()))
    document["events"] = [{"kind": "Luck", "seconds": 1.0}]
    document["checksum"] = checksum({name: value for name, value in document.items() if name != "checksum"})
    with pytest.raises(ModelFileError, match="Luck"):
        certificate_from_dict(document)


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [(0.12999, 2, "0.12"), (-0.121, 2, "-0.13"), (1999.0, 2, "1.9e+03"), (math.inf, 3, "inf"), (0.0, 3, "0")],
)
def test_a_number_is_never_rounded_up(value, digits, text):
    assert round_down(value, digits) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.129, "0.12"), (-0.121, "-0.13"), (0.3 - 1e-14, "0.30"), (-1e-15, "0.00"), (2.0, "2.00")],
)
def test_decimals_are_never_rounded_up_but_for_noise(value, text):
    assert floor_decimals(value, 2) == text
