"""scikit-learn's own checks, with no exemption, and its tools around our estimators."""

import pickle
import warnings

import joblib
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

from oddlearn import OptimalDecisionDiagramClassifier, OptimalDecisionTreeClassifier

IRIS = load_iris(return_X_y=True)
QUICK = {"skeleton": "1-2-2", "max_iter": 50, "random_state": 0}


# few nodes: some checks compare two fits, and a search that is cut short need not come as far twice; two
# hyperplanes are seldom proved optimal in a second, so that iterations are counted there
SMALL = [OptimalDecisionDiagramClassifier("1-2"), OptimalDecisionTreeClassifier(2)]
LIMITS = {
    "univariate": {"time_limit": 1.0},
    "multivariate": {"max_iter": 10, "exact": None, "random_state": 0},
}


@pytest.mark.parametrize("split", LIMITS)
@pytest.mark.parametrize("model", SMALL, ids=lambda model: type(model).__name__)
def test_every_check_of_scikit_learn_passes(model, split):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = check_estimator(clone(model).set_params(split=split, **LIMITS[split]), on_fail=None)
    status = {result["check_name"]: result["status"] for result in results}
    # the array API is checked only where SCIPY_ARRAY_API is set, for scikit-learn's own estimators too
    skipped = {name for name, how in status.items() if how == "skipped"}
    assert skipped <= {"check_array_api_input"}
    assert {name: how for name, how in status.items() if how not in ("passed", "skipped")} == {}
    assert len(status) > 40


def test_parameters_are_searched_by_cross_validation():
    model = OptimalDecisionDiagramClassifier(**QUICK)
    search = GridSearchCV(model, {"alpha": [0.01, 5.0], "skeleton": ["1", "1-2"]}, cv=3).fit(*IRIS)
    assert search.best_params_ == {"alpha": 0.01, "skeleton": "1-2"}
    assert search.best_score_ > 0.9


def test_a_pipeline_predicts():
    pipeline = make_pipeline(StandardScaler(), OptimalDecisionDiagramClassifier(**QUICK)).fit(*IRIS)
    assert pipeline.score(*IRIS) > 0.9


def test_a_clone_trains_the_same_model():
    model = OptimalDecisionDiagramClassifier(**QUICK).fit(*IRIS)
    assert clone(model).fit(*IRIS).diagram_ == model.diagram_


@pytest.mark.parametrize("split", ["univariate", "multivariate"])
def test_a_model_survives_pickle_and_joblib(split, tmp_path):
    model = OptimalDecisionDiagramClassifier(split=split, **QUICK).fit(*IRIS)
    joblib.dump(model, tmp_path / "model.joblib")
    for copy in (pickle.loads(pickle.dumps(model)), joblib.load(tmp_path / "model.joblib")):
        assert np.array_equal(copy.predict_proba(IRIS[0]), model.predict_proba(IRIS[0]))
        assert copy.certificate_ == model.certificate_


def test_models_are_fitted_in_parallel_processes():
    fits = (joblib.delayed(OptimalDecisionTreeClassifier(2, max_iter=20).fit)(*IRIS) for _ in range(2))
    assert all(model.score(*IRIS) > 0.9 for model in joblib.Parallel(n_jobs=2)(fits))
