import json
from dataclasses import replace

import numpy as np
import pytest

from oddlearn.diagram.json_checks import checksum
from oddlearn.diagram.skeleton import Skeleton
from oddlearn.errors import ModelFileError
from oddlearn.problem.certificate import Certificate, Evidence
from oddlearn.problem.certificate_json import certificate_from_dict
from oddlearn.problem.constraint_block import ConstraintStatus
from oddlearn.problem.events import Bounded, Improved

CERTIFICATE = Certificate(
    digest="ab" * 32,
    objective=0.3,
    lower_bound=0.1 + 0.1,
    violation=0.0,
    margin=0.0,
    split="univariate",
    skeleton=Skeleton.parse("1-2-4-8"),
    node_price=0.1,
    evidence=(Evidence("class_count", 0.2, "few nodes predict few classes", 0.01),),
    events=(Improved(0.1, 0.3, 4), Bounded(0.2, 0.2)),
)


def test_the_gap_is_what_could_still_be_saved():
    assert CERTIFICATE.gap == pytest.approx(1 / 3)
    assert not CERTIFICATE.is_optimal


@pytest.mark.parametrize("objective", [0.0, 0.25])
def test_equal_bounds_mean_optimal(objective):
    certificate = replace(CERTIFICATE, objective=objective, lower_bound=objective)
    assert certificate.is_optimal
    assert certificate.gap == 0.0


def test_a_violated_constraint_is_never_called_optimal():
    certificate = replace(CERTIFICATE, lower_bound=0.3, violation=0.5)
    assert not certificate.is_optimal
    assert certificate.explain().startswith("Not feasible")


def test_the_claim_is_told_exactly():
    optimal = replace(CERTIFICATE, lower_bound=0.3)
    assert (
        "Optimal among all diagrams of skeleton 1-2-4-8 with univariate splits (price per node 0.1): "
        in optimal.explain()
    )
    planes = replace(optimal, split="multivariate", margin=1e-4)
    assert "with multivariate splits that keep a margin of 0.0001 in the unit box (price" in planes.explain()
    assert "could be up to 33.4 % lower" in CERTIFICATE.explain()
    assert "class_count" in CERTIFICATE.explain()
    assert "all trees" in replace(CERTIFICATE, skeleton=Skeleton.tree(2)).explain()


def test_bounds_are_never_rounded_up():
    bound = 1 / 140
    certificate = replace(CERTIFICATE, lower_bound=bound, evidence=(Evidence("class_count", bound, "", 0.0),))
    assert "below 0.007142857142;" in certificate.explain()
    assert "at least 0.007142857142 " in certificate.explain()
    assert "below 0.2;" in CERTIFICATE.explain()
    for value in np.random.default_rng(0).random(200):
        claim = replace(CERTIFICATE, objective=2.0, lower_bound=float(value)).explain().splitlines()[0]
        assert float(claim.split("below ")[1].split(";")[0]) <= value
        assert float(claim.split("up to ")[1].split(" %")[0]) >= 100 * (2.0 - value) / 2.0


def test_the_claim_leaves_out_ignored_features():
    some = replace(CERTIFICATE, lower_bound=0.3, ignored_features=(1, 4))
    assert "and use only other features than 1, 4, which vary but were ignored: obj" in some.explain()
    many = replace(CERTIFICATE, ignored_features=tuple(range(25)))
    assert "8, 9 and 15 more, which vary" in many.explain()


@pytest.mark.parametrize("ignored", [(), (2, 5)])
def test_a_certificate_survives_json(ignored):
    certificate = replace(CERTIFICATE, ignored_features=ignored)
    assert certificate_from_dict(json.loads(json.dumps(certificate.to_dict()))) == certificate


@pytest.mark.parametrize("field", ["objective", "lower_bound", "digest", "skeleton", "events", "checksum"])
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
    told = replace(CERTIFICATE, evidence=(PROOF,)).explain()
    assert (
        "- milp (HiGHS 1.15.1): at least 0.25 (3 numbers of nodes were ruled out; status: time; 123 nodes "
        "searched; 40 columns, 60 rows; variant prepared; 1.50 s)" in told
    )


def test_a_solver_that_was_skipped_says_why():
    skipped = Evidence("cpsat", 0.2, "because ortools is not installed", 0.0, status="skipped")
    told = replace(CERTIFICATE, evidence=(skipped,)).explain()
    assert "- cpsat: skipped, because ortools is not installed" in told


def test_the_end_tells_when_the_objective_and_the_bound_were_known():
    assert CERTIFICATE.explain().endswith("The objective was reached after 0.10 s, the bound after 0.20 s.")
    assert "reached after" not in replace(CERTIFICATE, events=()).explain()


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
    assert "and satisfy the constraints below" in told[0]
    assert told[1:4] == [
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
