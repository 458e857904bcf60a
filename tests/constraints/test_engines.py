"""Every constraint in every exact engine and in a whole fit, against all diagrams of tiny problems."""

import numpy as np
import pytest

from oddlearn import OptimalDecisionDiagramClassifier, verify
from oddlearn.constraints import (
    DemographicParity,
    EqualizedOdds,
    EqualOpportunity,
    MaxDepth,
    MaxNodes,
    MaxNodesPerLayer,
    MinFlow,
    MinFlowPerArc,
    OverallAccuracyEquality,
    PredictiveEquality,
)
from oddlearn.diagram.skeleton import Skeleton
from oddlearn.estimators.parameters import validate_parameters
from oddlearn.estimators.scaled_problem import scale_problem
from oddlearn.problem import TrainingData
from oddlearn.problem.training_problem import pose
from oddlearn.solve.cpsat.solver import CpSat
from oddlearn.solve.milp.context import FormulationOptions
from oddlearn.solve.milp.formulation import formulate
from oddlearn.table.groups import People, SensitiveColumn
from oddlearn.table.training_table import checked_table
from tests.solve.cpsat import enumeration
from tests.solve.cpsat.proving import prove_all
from tests.solve.milp.solving import solved

DEMANDS = [
    (DemographicParity(0.9),),
    (DemographicParity(0.5, form="count"),),
    (DemographicParity(difference=0.1, weight=0.5),),
    (EqualOpportunity(0.8), MaxNodes(2)),
    (PredictiveEquality(difference=0.2), MinFlow(3)),
    (EqualizedOdds(0.7, weight=1.0), MinFlowPerArc(2)),
    (OverallAccuracyEquality(0.9),),
    (MaxDepth(1), DemographicParity(0.7)),
    (MaxNodesPerLayer(1),),
    (MinFlowPerArc(0.25),),
]


def table(seed, n=9):
    """Return X, y, weights and groups, with every class in every group and no structure."""
    random = np.random.default_rng(seed)
    X = random.integers(0, 4, (n, 1)) / 3
    y, groups = random.integers(0, 2, n), random.integers(0, 2, n)
    y[:4], groups[:4] = [0, 0, 1, 1], [0, 1, 0, 1]
    return X, y, random.integers(1, 4, n).astype(float), groups


def problem(seed, constraints, costs):
    X, y, weight, groups = table(seed)
    people = People(y, weight, (0, 1), (SensitiveColumn("kind", ("a", "b"), groups),))
    data = TrainingData.collect(X, y, 2, weight, people)
    return pose(data, Skeleton.parse("1-2"), 0.1, "univariate", 1e-3, costs, constraints)


def best_of(costs, posed):
    return (costs / posed.total_weight + posed.node_price * np.arange(costs.size)).min()


PROBLEMS = [
    problem(place, demand, None if place % 2 else [[0, 3], [1, 0]]) for place, demand in enumerate(DEMANDS)
]


@pytest.fixture(scope="module")
def optima():
    return [best_of(enumeration.least_costs(posed), posed) for posed in PROBLEMS]


def test_constraints_change_the_optimum_of_some(optima):
    free = [problem(place, (), None if place % 2 else [[0, 3], [1, 0]]) for place in range(len(PROBLEMS))]
    changed = [
        best > best_of(enumeration.least_costs(posed), posed) + 1e-9
        for best, posed in zip(optima, free, strict=True)
    ]
    assert sum(changed) >= 4


def test_the_mixed_integer_program_agrees_with_all_diagrams(optima):
    for posed, best in zip(PROBLEMS, optima, strict=True):
        values = [solved(formulate(posed, count, FormulationOptions()).model)[1] for count in (1, 2, 3)]
        assert min(values) == pytest.approx(best, abs=1e-6)


def test_cpsat_agrees_with_all_diagrams(optima):
    for posed, best, proof in zip(PROBLEMS, optima, prove_all([(CpSat(), p) for p in PROBLEMS]), strict=True):
        assert proof.floors.lower_bound(posed) == pytest.approx(best, abs=1e-9)


@pytest.mark.parametrize(
    ("seed", "options"),
    [
        (0, {"cost_matrix": [[0, 3], [1, 0]]}),
        (1, {"class_weight": "balanced"}),
        (2, {"class_weight": {0: 2.0, 1: 1.0}, "cost_matrix": [[0, 1], [2, 0]]}),
    ],
)
@pytest.mark.parametrize("exact", ["cpsat", "milp"])
def test_costs_and_weights_reach_the_proof_beside_fairness(seed, options, exact):
    X, y, weight, groups = table(seed)
    demand = DemographicParity(0.9)
    model = OptimalDecisionDiagramClassifier(
        "1-2", alpha=0.1, exact=exact, time_limit=60, constraints=(demand,), random_state=0, **options
    )
    model.fit(X, y, sample_weight=weight, sensitive_features=groups)
    settings = validate_parameters(model.get_params(deep=False), Skeleton.parse("1-2"))
    posed = scale_problem(checked_table(model, X, y, weight, groups), settings).problem
    best = best_of(enumeration.least_costs(posed), posed)
    assert model.is_optimal_
    assert model.objective_ == pytest.approx(best, abs=1e-9)
    # rates are of the sample weights alone, whatever errors cost
    rates = [
        weight[(groups == group) & (model.predict(X) == 1)].sum() / weight[groups == group].sum()
        for group in (0, 1)
    ]
    assert min(rates) >= 0.9 * max(rates) - 1e-9
    assert verify(model, X, y, weight, groups).is_optimal
