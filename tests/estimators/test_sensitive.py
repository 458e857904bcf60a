"""Constraints in the estimator: sensitive features, routing, certificates, files and verification."""

import json
import warnings

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from oddlearn import (
    DemographicParity,
    EqualizedOdds,
    EqualOpportunity,
    MaxDepth,
    MaxNodes,
    MaxNodesPerLayer,
    MinFlow,
    MinFlowPerArc,
    OptimalDecisionDiagramClassifier,
    OptimalDecisionTreeClassifier,
    OverallAccuracyEquality,
    PredictiveEquality,
    from_json,
    verify,
)
from oddlearn.errors import InvalidInputError, ModelFileError, UnusedGroupsWarning, VerificationError
from oddlearn.estimators.parameter_json import decode, encode
from oddlearn.table.groups import read_sensitive_features
from oddlearn.table.training_table import check_training_table

ALL = (
    DemographicParity(0.8, favourable="yes", columns=["sex"]),
    EqualOpportunity(difference=0.3, groups=("f", "m")),
    PredictiveEquality(0.1),
    EqualizedOdds(difference=0.4, weight=0.5),
    OverallAccuracyEquality(0.7, intersection=True),
    MaxNodes(4),
    MaxNodesPerLayer([1, 2, 2]),
    MaxDepth(2),
    MinFlow(0.1),
    MinFlowPerArc(3),
)


def people(n=60):
    random = np.random.default_rng(0)
    groups = random.integers(0, 2, n)
    X = np.column_stack([random.random(n) + 0.6 * groups, random.random(n)]).round(1)
    y = np.where(X[:, 0] + 0.3 * random.normal(size=n) > 0.8, "yes", "no")
    return X, y, np.array(["f", "m"])[groups]


def classifier(*constraints, **options):
    options = {"exact": None, "max_iter": 40, "time_limit": None, "random_state": 0, "alpha": 0.01} | options
    return OptimalDecisionDiagramClassifier("1-2-2", constraints=constraints, **options)


def rates(model, X, groups):
    chosen = model.predict(X) == "yes"
    return [chosen[groups == group].mean() for group in ("f", "m")]


@pytest.mark.parametrize("kind", [OptimalDecisionDiagramClassifier, OptimalDecisionTreeClassifier])
def test_a_fit_keeps_the_four_fifths_rule_and_an_unconstrained_one_does_not(kind):
    X, y, groups = people()
    options = {"exact": None, "max_iter": 40, "time_limit": None, "random_state": 0, "alpha": 0.01}
    free = rates(kind(**options).fit(X, y), X, groups)
    fair = rates(kind(constraints=[DemographicParity()], **options).fit(X, y, None, groups), X, groups)
    assert min(free) < 0.8 * max(free)
    assert min(fair) >= 0.8 * max(fair) - 1e-9


@pytest.mark.parametrize(
    "given",
    [
        lambda groups: groups,
        lambda groups: groups.tolist(),
        lambda groups: groups[:, None],
        lambda groups: pd.Series(groups, name="sex"),
        lambda groups: pd.Series(groups, dtype="category"),
        lambda groups: pd.DataFrame({"sex": groups}),
        lambda groups: {"sex": groups},
    ],
)
def test_sensitive_features_are_taken_in_every_form(given):
    X, y, groups = people()
    model = classifier(DemographicParity()).fit(X, y, sensitive_features=given(groups))
    expected = classifier(DemographicParity()).fit(X, y, sensitive_features=groups)
    assert model.certificate_.digest == expected.certificate_.digest
    assert model.n_features_in_ == 2


def test_an_array_of_several_columns_gives_each_a_name_and_its_own_values():
    _, _, sex = people()
    shift = np.where(np.arange(60) % 3 == 0, "day", "night")
    columns = read_sensitive_features(np.column_stack([sex, shift, sex]), 60)
    assert [column.name for column in columns] == ["group 0", "group 1", "group 2"]
    for column, values in zip(columns, (sex, shift, sex), strict=True):
        assert [column.levels[code] for code in column.codes] == values.tolist()
    assert [column.name for column in read_sensitive_features(sex[:, None], 60)] == ["group"]


def test_a_constraint_may_name_a_column_of_an_array():
    X, y, sex = people()
    shift = np.where(np.arange(60) % 3 == 0, "day", "night")
    for name, groups in (("group 0", sex), ("group 1", shift)):
        demand = DemographicParity(0.95, columns=[name])
        model = classifier(demand).fit(X, y, sensitive_features=np.column_stack([sex, shift]))
        means = [(model.predict(X) == "yes")[groups == group].mean() for group in np.unique(groups)]
        assert min(means) >= 0.95 * max(means) - 1e-9


@pytest.mark.parametrize(
    ("groups", "sentence"),
    [
        (["f"] * 59, "shape"),
        (np.full((60, 2, 2), "f"), "shape"),
        ([None] + ["f"] * 59, "1 missing values, the first in row 0"),
        (np.array([np.nan] + [1.0] * 59), "missing"),
        (pd.Series(["f", pd.NA] * 30), "30 missing values"),
        (pd.Series(pd.Categorical(["f", "m"] * 30, categories=["f", "m", "x"])), "'x'.*has no sample"),
        (["f"] * 60, "one group only"),
        (np.arange(60.0), "60 different values"),
        (np.array(["f", 1] * 30, dtype=object), "type int, str"),
        (pd.to_datetime(["2020-01-01", "2021-01-01"] * 30), "all text, all numbers"),
        ({}, "no column"),
        (pd.DataFrame([["f", "m"]] * 60, columns=["a", "a"]), "name of its own"),
        (None, "sensitive_features"),
    ],
)
def test_groups_that_cannot_be_compared_are_refused(groups, sentence):
    X, y, _ = people()
    with pytest.raises(InvalidInputError, match=sentence):
        classifier(DemographicParity()).fit(X, y, sensitive_features=groups)


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: DemographicParity(1.5), "from 0 to 1"),
        (lambda: DemographicParity(-0.1), "from 0 to 1"),
        (lambda: DemographicParity("0.8"), "from 0 to 1"),
        (lambda: DemographicParity(0.8, difference=0.1), "one of them"),
        (lambda: DemographicParity(form="odds"), "rate"),
        (lambda: DemographicParity(difference=0.1, form="count"), "ratio"),
        (lambda: DemographicParity(weight=0), "above 0"),
        (lambda: EqualOpportunity(difference=2), "from 0 to 1"),
        (lambda: EqualizedOdds(intersection=1), "True or False"),
        (lambda: EqualizedOdds(columns=[3]), "names"),
        (lambda: EqualizedOdds(groups="fm"), "two or more"),
    ],
)
def test_a_fairness_constraint_without_sense_is_refused(make, sentence):
    with pytest.raises(InvalidInputError, match=sentence):
        make()


@pytest.mark.parametrize(
    ("constraint", "sentence"),
    [
        (DemographicParity(favourable="maybe"), "'maybe' is no class"),
        (DemographicParity(columns="age"), "no sensitive column 'age'"),
        (DemographicParity(groups=["f", "x"]), "'x'.*has no training sample"),
        (DemographicParity(groups=["f", "f"]), "twice"),
    ],
)
def test_a_constraint_that_does_not_suit_the_data_is_refused(constraint, sentence):
    X, y, groups = people()
    with pytest.raises(InvalidInputError, match=sentence):
        classifier(constraint).fit(X, y, sensitive_features=groups)


def test_more_samples_at_a_node_than_there_are_is_refused():
    X, y, _ = people()
    with pytest.raises(InvalidInputError, match="MinFlow asks for 61 samples, the training data have 60"):
        classifier(MinFlow(61)).fit(X, y)


def test_a_group_without_anybody_of_a_class_has_no_such_rate():
    X, y, groups = people()
    y = np.where(groups == "f", "no", y)
    with pytest.raises(InvalidInputError, match="'f' of 'group' has no training sample of class 'yes'"):
        classifier(EqualOpportunity()).fit(X, y, sensitive_features=groups)


def test_a_group_whose_samples_weigh_nothing_is_empty():
    X, y, groups = people()
    with pytest.raises(InvalidInputError, match="'f' of 'group' has no training sample"):
        classifier(DemographicParity()).fit(X, y, (groups == "m").astype(float), groups)


def test_with_three_classes_the_favourable_one_must_be_named():
    X, y, groups = people()
    y[:20] = "may"
    with pytest.raises(InvalidInputError, match="favourable="):
        classifier(DemographicParity()).fit(X, y, sensitive_features=groups)
    model = classifier(DemographicParity(favourable="may")).fit(X, y, sensitive_features=groups)
    assert model.certificate_.is_feasible
    classifier(OverallAccuracyEquality()).fit(X, y, sensitive_features=groups)


def test_groups_that_nothing_compares_are_warned_of():
    X, y, groups = people()
    with pytest.warns(UnusedGroupsWarning, match="have no effect"):
        classifier(MaxNodes(2)).fit(X, y, sensitive_features=groups)


def test_a_certificate_says_what_was_required_and_what_is_reached():
    X, y, groups = people()
    model = classifier(*ALL).fit(X, y, sensitive_features=pd.Series(groups, name="sex"))
    text = model.certificate_.explain()
    assert "satisfy the constraints below" in text
    required = "selection rate (of class 'yes') of groups by sex: the smallest at least 80 % of the largest"
    assert f"Required: {required}" in text
    assert "Priced: true positive rate and false positive rate" in text
    assert text.count("- Required") == len(ALL) - 1
    found = rates(model, X, groups)
    assert f"f {found[0]:.4g}, m {found[1]:.4g}" in model.certificate_.constraints[0].reached


def test_a_model_with_constraints_survives_a_file_and_is_verified():
    X, y, groups = people()
    sex = {"sex": groups}
    model = classifier(*ALL).fit(X, y, sensitive_features=sex)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        again = from_json(model.to_json())
    assert again.constraints == ALL
    assert again.certificate_ == model.certificate_
    assert verify(again, X, y, sensitive_features=sex).objective == model.objective_
    with pytest.raises(VerificationError, match="sensitive_features"):
        verify(again, X, y, sensitive_features={"sex": np.roll(groups, 1)})
    with pytest.raises(InvalidInputError, match="sensitive_features"):
        verify(again, X, y)


def test_a_requirement_that_is_not_what_the_diagram_has_is_found_out():
    X, y, groups = people()
    model = classifier(DemographicParity()).fit(X, y, sensitive_features=groups)
    (entry,) = model.certificate_.constraints
    flattering = type(entry)(entry.required, "perfectly fair", entry.slack, entry.is_soft)
    changed = {**vars(model.certificate_), "constraints": (flattering,)}
    model.certificate_ = type(model.certificate_)(**changed)
    with pytest.raises(VerificationError, match="perfectly fair"):
        verify(model, X, y, sensitive_features=groups)


def test_a_file_with_an_unknown_constraint_is_damaged():
    X, y, _ = people()
    document = json.loads(classifier(MaxNodes(2)).fit(X, y).to_json())
    assert document["estimator"]["parameters"]["constraints"]["items"][0]["name"] == "MaxNodes"
    for broken in ({"name": "Mystery", "options": {}}, {"name": "MaxNodes", "options": {"nodes": 0}}):
        with pytest.raises(ModelFileError, match="damaged"):
            decode({"kind": "constraint", **broken}, "constraints")


def test_parameters_are_nested_up_to_four_deep():
    deep = [("a", [(1,)])]
    assert decode(encode(deep), "x") == deep
    with pytest.raises(ModelFileError, match="damaged: x cannot be read"):
        decode(encode([deep]), "x")


def test_metadata_routing_hands_groups_to_the_fit_of_a_pipeline_in_a_search():
    X, y, groups = people()
    with sklearn.config_context(enable_metadata_routing=True):
        model = classifier(DemographicParity(), max_iter=5).set_fit_request(sensitive_features=True)
        pipeline = make_pipeline(StandardScaler(), model)
        pipeline.fit(X, y, sensitive_features=groups)
        found = rates(pipeline, X, groups)
        assert min(found) >= 0.8 * max(found) - 1e-9
        grid = {"optimaldecisiondiagramclassifier__alpha": [0.01, 0.3]}
        search = GridSearchCV(pipeline, grid, cv=2, error_score="raise")
        search.fit(X, y, sensitive_features=groups)
        assert search.best_estimator_[-1].certificate_.is_feasible
        unasked = make_pipeline(StandardScaler(), classifier(DemographicParity()))
        with pytest.raises(UnsetMetadataPassedError):
            unasked.fit(X, y, sensitive_features=groups)


def test_constraints_survive_cloning():
    model = classifier(*ALL)
    assert clone(model).constraints == ALL


def test_a_label_of_numpy_is_stored_as_it_comes_back(tmp_path):
    X, y, sex = people()
    codes = (y == "yes").astype(int)
    model = classifier(DemographicParity(0.5, favourable=codes.max())).fit(X, codes, sensitive_features=sex)
    model.save(tmp_path / "model.json")
    verify(tmp_path / "model.json", X, codes, sensitive_features=sex)


@pytest.mark.parametrize("missing", [float("nan"), None])
def test_missing_values_in_a_list_of_text_are_no_group(missing):
    X, y, sex = people()
    with pytest.raises(InvalidInputError, match="missing"):
        classifier(DemographicParity()).fit(X, y, sensitive_features=[missing, *sex[1:]])


def test_masked_values_are_missing():
    X, y, sex = people()
    masked = np.ma.array(sex, mask=np.arange(len(sex)) == 3)
    with pytest.raises(InvalidInputError, match="missing"):
        classifier(DemographicParity()).fit(X, y, sensitive_features=masked)


def test_a_class_in_place_of_a_constraint_is_named():
    X, y, sex = people()
    with pytest.raises(InvalidInputError, match="give an instance"):
        classifier(DemographicParity).fit(X, y, sensitive_features=sex)


@pytest.mark.parametrize("options", [{"favourable": np.array([0, 1])}, {"groups": [["f"], ["m"]]}])
def test_names_are_single_values(options):
    with pytest.raises(InvalidInputError, match=r"give the label|by one value"):
        DemographicParity(**options)


def test_frames_of_polars_keep_their_names():
    polars = pytest.importorskip("polars")
    X, y, sex = people()
    frame = polars.DataFrame({"s": sex, "other": sex[::-1]})
    model = classifier(DemographicParity(0.5, columns=["s"])).fit(X, y, sensitive_features=frame)
    assert "by s" in model.certificate_.explain()


def test_the_others_keep_their_weights_and_groups_where_samples_weigh_nothing():
    X, y, groups = np.arange(6.0)[:, None], [0, 1, 0, 1, 0, 1], ["a", "b", "c", "a", "b", "c"]
    model = OptimalDecisionDiagramClassifier(class_weight={0: 2.0, 1: 1.0})
    table = check_training_table(model, X, y, [3.0, 0.0, 4.0, 5.0, 0.0, 6.0], groups)
    assert table.X[:, 0].tolist() == [0.0, 2.0, 3.0, 5.0] and table.codes.tolist() == [0, 0, 1, 1]
    assert table.weight.tolist() == [6.0, 8.0, 5.0, 6.0]
    assert table.sample_groups.weight.tolist() == [3.0, 4.0, 5.0, 6.0]
    (column,) = table.sample_groups.columns
    assert [column.levels[code] for code in column.codes] == ["a", "c", "a", "c"]
