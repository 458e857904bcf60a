import json
from dataclasses import replace

import numpy as np
import pytest

from oddlearn.diagram import Skeleton
from oddlearn.errors import ModelFileError
from oddlearn.problem import Bounded, Certificate, Evidence, Improved, certificate_from_dict

CERTIFICATE = Certificate(
    digest="ab" * 32,
    objective=0.3,
    lower_bound=0.1 + 0.1,
    violation=0.0,
    margin=1e-4,
    split="univariate",
    skeleton=Skeleton.parse("1-2-4-8"),
    alpha=0.1,
    evidence=(Evidence("coverage", 0.2, "few nodes predict few classes", 0.01),),
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
        "Optimal among all diagrams of skeleton 1-2-4-8 with univariate splits that keep a margin of 0.0001 "
        "in the unit box" in optimal.explain()
    )
    assert "at most 33.4 % could be saved" in CERTIFICATE.explain()
    assert "coverage" in CERTIFICATE.explain()
    assert "all trees" in replace(CERTIFICATE, skeleton=Skeleton.tree(2)).explain()


def test_bounds_are_never_rounded_up():
    bound = 1 / 140
    certificate = replace(CERTIFICATE, lower_bound=bound, evidence=(Evidence("coverage", bound, "", 0.0),))
    assert "below 0.007142857142;" in certificate.explain()
    assert "at least 0.007142857142 " in certificate.explain()
    assert "below 0.2;" in CERTIFICATE.explain()
    for value in np.random.default_rng(0).random(200):
        claim = replace(CERTIFICATE, objective=2.0, lower_bound=float(value)).explain().splitlines()[0]
        assert float(claim.split("below ")[1].split(";")[0]) <= value
        assert float(claim.split("at most ")[1].split(" %")[0]) >= 100 * (2.0 - value) / 2.0


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
