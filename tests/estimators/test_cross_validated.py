import pickle
import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import KFold, StratifiedKFold, StratifiedShuffleSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

import oddlearn
from oddlearn import OptimalDecisionDiagramClassifier, OptimalDecisionDiagramClassifierCV, Skeleton
from oddlearn.errors import InvalidInputError, UnsupportedError
from oddlearn.table.column_table import ColumnTable
from tests.fakes import FixedSearch
from tests.table.people import people

IRIS, SPECIES = load_iris(return_X_y=True)
SKELETONS, ALPHAS = ("1", "1-2-2"), (0.01, 0.5, 0.1)


def tuned(X=IRIS, y=SPECIES, sample_weight=None, **parameters):
    defaults = {"skeletons": SKELETONS, "alphas": ALPHAS, "cv": 3, "max_iter": 10, "random_state": 0}
    return OptimalDecisionDiagramClassifierCV(**{**defaults, **parameters}).fit(X, y, sample_weight)


def plain(skeleton, alpha, **parameters):
    defaults = {"exact": None, "max_iter": 10, "random_state": 0}
    return OptimalDecisionDiagramClassifier(skeleton, alpha, **{**defaults, **parameters})


def slow_scores(warm_start, **parameters):
    """Return scores and nodes of every cell (rows) on every fold (columns), fit after fit."""
    scores, n_nodes = [], []
    for skeleton in SKELETONS:
        cells = {alpha: [] for alpha in ALPHAS}
        for train, test in StratifiedKFold(3).split(IRIS, SPECIES):
            start = None
            for alpha in sorted(ALPHAS, reverse=True):
                model = plain(skeleton, alpha, **parameters)
                found = model._fit_from(start, IRIS[train], SPECIES[train], None)
                start = found if warm_start else None
                cells[alpha].append((model.score(IRIS[test], SPECIES[test]), model.n_nodes_))
        scores += [[score for score, _ in cells[alpha]] for alpha in ALPHAS]
        n_nodes += [[nodes for _, nodes in cells[alpha]] for alpha in ALPHAS]
    return np.array(scores), np.array(n_nodes)


@pytest.mark.parametrize("warm_start", [True, False])
@pytest.mark.parametrize("split", ["univariate", "multivariate"])
def test_the_results_are_those_of_one_fit_after_the_other(warm_start, split):
    model = tuned(warm_start=warm_start, split=split)
    scores, n_nodes = slow_scores(warm_start, split=split)
    results = model.cv_results_
    for fold in range(3):
        assert results[f"split{fold}_test_score"].tolist() == scores[:, fold].tolist()
        assert results[f"split{fold}_n_nodes"].tolist() == n_nodes[:, fold].tolist()
    assert results["mean_test_score"] == pytest.approx(scores.mean(axis=1))
    assert results["std_test_score"] == pytest.approx(scores.std(axis=1))
    assert model.best_score_ == pytest.approx(scores.mean(axis=1).max())
    assert model.best_params_ == results["params"][model.best_index_]
    assert results["rank_test_score"][model.best_index_] == 1


def test_the_columns_of_the_results_are_of_equal_length():
    results = tuned().cv_results_
    assert {len(column) for column in results.values()} == {6}
    assert results["param_skeleton"].tolist() == ["1"] * 3 + ["1-2-2"] * 3
    assert results["param_alpha"].tolist() == [*ALPHAS, *ALPHAS]
    assert results["params"][4] == {"skeleton": "1-2-2", "alpha": 0.5}
    assert (results["mean_fit_time"] > 0).all()


def test_the_model_is_trained_on_all_rows_as_usual():
    model = tuned()
    alone = plain(**model.best_params_, exact="auto").fit(IRIS, SPECIES)
    assert model.best_estimator_.diagram_ == model.diagram_ == alone.diagram_
    assert np.array_equal(model.predict(IRIS), alone.predict(IRIS))
    assert np.array_equal(model.predict_proba(IRIS), alone.predict_proba(IRIS))
    assert np.array_equal(model.apply(IRIS), alone.apply(IRIS))
    assert np.array_equal(model.decision_path(IRIS).toarray(), alone.decision_path(IRIS).toarray())
    assert np.array_equal(model.encode(IRIS), IRIS)
    assert model.score(IRIS, SPECIES) == alone.score(IRIS, SPECIES)
    assert (model.n_splits_, model.n_features_in_, model.n_iter_) == (3, 4, alone.n_iter_)
    assert model.classes_.tolist() == [0, 1, 2]


def test_the_chosen_model_is_saved_loaded_and_verified(tmp_path):
    model = tuned()
    model.save(tmp_path / "model.json")
    copy = oddlearn.load(tmp_path / "model.json")
    assert type(copy) is OptimalDecisionDiagramClassifier
    assert copy.get_params()["alpha"] == model.best_params_["alpha"]
    assert copy.time_limit == model.time_limit
    assert copy.metadata_ == model.metadata_
    assert oddlearn.verify(model, IRIS, SPECIES).objective == model.certificate_.objective


def test_folds_and_skeletons_side_by_side_give_the_same():
    alone, together = tuned().cv_results_, tuned(n_jobs=2).cv_results_
    for name in alone.keys() - {"mean_fit_time", "std_fit_time"}:
        assert list(alone[name]) == list(together[name])


@pytest.mark.parametrize("random_state", [3, np.random.RandomState(3), None])
def test_one_part_may_be_held_out(random_state):
    model = tuned(cv="holdout", validation_fraction=0.2, random_state=random_state)
    assert model.n_splits_ == 1
    # 30 rows are held out: scores are thirtieths
    thirtieths = 30 * model.cv_results_["split0_test_score"]
    assert thirtieths == pytest.approx(np.round(thirtieths))


def test_the_part_held_out_is_drawn_with_the_seed():
    model = tuned(cv="holdout", warm_start=False, random_state=5)
    splitter = StratifiedShuffleSplit(1, test_size=0.25, random_state=5)
    (train, test), *_ = splitter.split(IRIS, SPECIES)
    cell = plain("1-2-2", 0.1, random_state=5).fit(IRIS[train], SPECIES[train])
    assert model.cv_results_["split0_test_score"][5] == cell.score(IRIS[test], SPECIES[test])


def test_folds_may_come_from_a_splitter_or_a_list():
    splitter = KFold(4, shuffle=True, random_state=1)
    one, other = tuned(cv=splitter), tuned(cv=list(splitter.split(IRIS)))
    assert one.n_splits_ == 4
    assert one.cv_results_["mean_test_score"].tolist() == other.cv_results_["mean_test_score"].tolist()
    assert tuned(cv=None, skeletons=("1",), alphas=(0.1,)).n_splits_ == 5


def test_without_a_last_fit_there_are_results_and_no_model():
    model = tuned().set_params(refit=False).fit(IRIS, SPECIES)
    assert model.best_score_ > 0.9
    assert not hasattr(model, "best_estimator_")
    with pytest.raises(UnsupportedError, match="refit=False"):
        model.predict(IRIS)
    with pytest.raises(NotFittedError):
        clone(model).predict(IRIS)


def test_a_score_of_the_user_is_used():
    def virginica_found(model, X, y):
        return float((model.predict(X)[y == 2] == 2).mean())

    model = tuned(scoring=virginica_found)
    assert model.score(IRIS, SPECIES) == virginica_found(model, IRIS, SPECIES)
    by_name = tuned(scoring="neg_log_loss")
    assert (by_name.cv_results_["mean_test_score"] < 0).all()
    assert by_name.score(IRIS, SPECIES) < 0


def test_weights_count_in_training_and_in_the_scores():
    weight = np.random.default_rng(0).integers(0, 3, 150).astype(float)
    model = tuned(sample_weight=weight, warm_start=False)
    train, test = next(StratifiedKFold(3).split(IRIS, SPECIES))
    cell = plain("1-2-2", 0.01).fit(IRIS[train], SPECIES[train], weight[train])
    expected = cell.score(IRIS[test], SPECIES[test], weight[test])
    assert model.cv_results_["split0_test_score"][3] == pytest.approx(expected)
    best = model.best_estimator_
    assert model.score(IRIS, SPECIES, weight) == best.score(IRIS, SPECIES, weight)


def test_trees_are_skeletons_too():
    model = tuned(skeletons=(Skeleton.tree(2), [1, 2]), alphas=(0.01,))
    assert model.cv_results_["param_skeleton"].tolist() == [Skeleton.tree(2), [1, 2]]


def test_frames_are_tuned_without_a_word_on_categories_that_a_fold_lacks():
    frame, labels = people(60)
    frame.loc[0, "colour"] = "violet"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = tuned(frame, labels)
    assert model.feature_names_in_.tolist() == list(frame.columns)
    assert model.predict(frame).shape == (60,)
    columns = ColumnTable.from_mapping({name: frame[name].to_numpy() for name in ("age", "colour", "smoker")})
    other = tuned(frame[["age", "colour", "smoker"]], labels)
    assert tuned(columns, labels).cv_results_["params"] == other.cv_results_["params"]
    assert tuned(columns, labels).best_score_ == other.best_score_


def test_costs_of_a_class_that_a_fold_lacks_are_left_out():
    labels = np.where(np.arange(150) == 0, 7, SPECIES)
    costs = np.arange(16.0).reshape(4, 4) * (1 - np.eye(4))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # scikit-learn's, on the small class
        assert tuned(y=labels, cost_matrix=costs, alphas=(0.1,)).best_estimator_.classes_.size == 4


def test_a_clone_a_pickle_and_a_pipeline_choose_the_same():
    model = tuned()
    assert clone(model).fit(IRIS, SPECIES).best_params_ == model.best_params_
    assert np.array_equal(pickle.loads(pickle.dumps(model)).predict(IRIS), model.predict(IRIS))
    pipeline = make_pipeline(StandardScaler(), clone(model)).fit(IRIS, SPECIES)
    assert pipeline[-1].best_params_ == model.best_params_


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("skeletons", "1-2", "skeletons is '1-2': give a sequence of skeletons such as"),
        ("skeletons", (), "give a sequence of skeletons"),
        ("skeletons", ("1-3",), "at most twice"),
        ("alphas", 0.1, "alphas is 0.1: give a sequence of numbers"),
        ("alphas", (0.1, -1), "alphas is -1: give a finite number of 0 or more"),
        ("cv", "fold", "cv is 'fold': give None, a number of folds"),
        ("cv", 1, "n_splits"),
        ("scoring", ["accuracy"], "give one scorer"),
        ("scoring", "luck", "luck"),
        ("split", "diagonal", 'give "univariate"'),
        ("time_limit", -1, "time_limit is -1"),
        ("random_state", "x", "cannot be used to seed"),
    ],
)
def test_bad_parameters_are_refused(name, value, message):
    with pytest.raises(ValueError, match=message):
        tuned(**{name: value})


@pytest.mark.parametrize("fraction", [0.0, 1.0, 5, "half"])
def test_a_share_of_the_rows_is_held_out(fraction):
    with pytest.raises(InvalidInputError, match=r"validation_fraction is .*: give a share of the rows"):
        tuned(cv="holdout", validation_fraction=fraction)


def test_a_failed_or_interrupted_fit_leaves_the_earlier_model_whole():
    model = tuned()
    before = dict(vars(model))
    with pytest.raises(InvalidInputError):
        model.fit(IRIS, SPECIES * 0)
    assert vars(model) == before
    model.set_params(search=FixedSearch(interrupted=True))
    with pytest.raises(KeyboardInterrupt):
        model.fit(IRIS[:, :2], SPECIES)
    assert model.n_features_in_ == 4
    assert model.best_estimator_ is before["best_estimator_"]


def test_every_check_of_scikit_learn_passes():
    model = OptimalDecisionDiagramClassifierCV(("1", "1-2"), (0.1,), cv=2, max_iter=10)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = check_estimator(model, on_fail=None)
    status = {result["check_name"]: result["status"] for result in results}
    skipped = {name for name, how in status.items() if how == "skipped"}
    assert skipped <= {"check_array_api_input"}
    assert {name: how for name, how in status.items() if how not in ("passed", "skipped")} == {}
    assert len(status) > 40


def test_folds_that_cannot_choose_are_refused():
    first = np.arange(150) >= 50
    with pytest.raises(InvalidInputError, match="gives no fold"):
        tuned(cv=[])
    with pytest.raises(InvalidInputError, match="validation rows of fold 1 all have weight 0"):
        tuned(cv=KFold(3), sample_weight=first.astype(float))
    lacking = [(np.arange(100), np.arange(50))]
    with pytest.raises(InvalidInputError, match="All mean scores are NaN"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tuned(IRIS[:100], SPECIES[:100], cv=lacking, scoring="roc_auc")
