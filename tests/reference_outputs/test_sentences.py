"""The sentences that bad parameters and bad data are refused with, compared with a stored file."""

import re
from pathlib import Path

import numpy as np
import pytest

import oddlearn
from oddlearn import (
    BranchAndBound,
    Construct,
    DemographicParity,
    EqualOpportunity,
    LocalSearch,
    MaxDepth,
    MaxNodes,
    MaxNodesPerLayer,
    Milp,
    MinFlow,
    MinFlowPerArc,
    OptimalDecisionDiagramClassifier,
    OptimalDecisionDiagramClassifierCV,
    OptimalDecisionTreeClassifier,
    Skeleton,
)
from oddlearn.errors import OddlearnError, OddlearnWarning
from tests.stored_texts import compare_text

pd = pytest.importorskip("pandas")

X = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 1.0], [3.0, 0.0]])
Y = np.array([0, 0, 1, 1])
GROUPS = np.array(["a", "b", "a", "b"])

# parameters of a diagram, each refused when it is fitted
PARAMETERS = (
    *({"skeleton": value} for value in ("", "2-1", "1-x", "1-0", [1, 3], 5, "1-2-8", (), "1--2")),
    *({"alpha": value} for value in (-1.0, "much", np.nan, np.inf, True)),
    *({"node_price": value} for value in (-0.1, "much", np.inf)),
    {"alpha": 0.1, "node_price": 0.1},
    *({"split": value} for value in ("oblique", None, 1)),
    *({"max_terms": value} for value in (2, 0, 1.5)),
    *({"max_terms": value, "split": "multivariate"} for value in (0, -1, 1.5, "two")),
    *({"search": value} for value in ("random", None, 3)),
    *({"exact": value} for value in ("quickly", 3, "local_search")),
    {"exact": "branch_and_bound", "split": "multivariate"},
    {"exact": "cpsat", "split": "multivariate"},
    {"search": "construct", "constraints": [MinFlow(1)]},
    {"exact": "branch_and_bound", "constraints": [MinFlow(1)]},
    *({"time_limit": value} for value in (0, -1.0, "long", np.nan)),
    *({"max_iter": value} for value in (0, -1, 1.5, "many")),
    *({"constraints": value} for value in (3, "MaxNodes", [3], MaxNodes(2), [MaxNodes])),
    {"constraints": [DemographicParity(0.8)]},
    *({"class_weight": value} for value in ("equal", {2: 1.0}, {0: -1.0}, {0: "a"}, 3, {0: 0.0, 1: 1.0})),
    *({"cost_matrix": value} for value in ([[0, 1]], [[0, -1], [1, 0]], [[0, 1e9], [1, 0]], "costly")),
    *({"epsilon": value, "split": "multivariate"} for value in (0, -1, 2, "small", 1e-12)),
    *({"max_categories": value} for value in (0, 1.5, "few")),
    *({"min_frequency": value} for value in (0, -1, 1.5, "often")),
    *({"n_jobs": value} for value in (0, -2, 1.5, "all", 100_000)),
    *({"random_state": value} for value in (-1, 1.5, "seed", 2**32)),
    *({"verbose": value} for value in ("loud", -1)),
)

FRAME = pd.DataFrame({"a": [0.0, 1.0, 2.0, 3.0], "b": ["x", "y", "x", "y"]})

# data, each refused by fit
DATA = {
    "rows of one number": ([1.0, 2.0, 3.0, 4.0], Y),
    "no rows": (np.empty((0, 2)), []),
    "no columns": (np.empty((4, 0)), Y),
    "three dimensions": (np.zeros((4, 2, 2)), Y),
    "infinity": (np.where(X == 3, np.inf, X), Y),
    "words": (np.array([["a", "b"]] * 4), Y),
    "complex numbers": (X + 1j, Y),
    "other lengths": (X, Y[:3]),
    "one class": (X, np.zeros(4)),
    "missing label": (X, [0, 1, np.nan, 1]),
    "label None": (X, [None, 1, 0, 1]),
    "continuous labels": (X, [0.5, 1.2, 3.3, 0.1]),
    "labels in columns": (X, np.zeros((4, 2))),
    "mixed labels": (X, ["a", 1, "b", 2]),
    "two columns of one name": (pd.DataFrame(X, columns=["a", "a"]), Y),
    "column of lists": (pd.DataFrame({"a": [[1], [2], [3], [4]]}), Y),
    "column of mixed values": (pd.DataFrame({"a": [1, "b", 2.5, "c"]}), Y),
    "constant": (np.zeros((4, 2)), Y),
}

WEIGHTS = ([1, 1, 1], [1, 1, 1, -1], [0, 0, 0, 0], [1, 1, 1, np.nan], [[1], [1], [1], [1]], ["a"] * 4, "w")

SENSITIVE = (
    None,
    GROUPS[:3],
    np.zeros(4),
    np.array([GROUPS, GROUPS, GROUPS]),
    {"sex": ["a", None, "b", "a"]},
    {"sex": GROUPS[:2]},
    "sex",
    {},
)

# things that are refused when they are made or called
CALLS = {
    "MaxNodes(0)": lambda: MaxNodes(0),
    "MaxNodes(1.5)": lambda: MaxNodes(1.5),
    "MaxDepth(0)": lambda: MaxDepth(0),
    "MaxNodesPerLayer(0)": lambda: MaxNodesPerLayer(0),
    "MinFlow(0)": lambda: MinFlow(0),
    "MinFlow(-0.1)": lambda: MinFlow(-0.1),
    "MinFlow('few')": lambda: MinFlow("few"),
    "MinFlowPerArc(1.5)": lambda: MinFlowPerArc(1.5),
    "DemographicParity(2)": lambda: DemographicParity(2),
    "DemographicParity(ratio and difference)": lambda: DemographicParity(0.8, difference=0.1),
    "EqualOpportunity(-1)": lambda: EqualOpportunity(-1),
    "EqualOpportunity(penalty=0)": lambda: EqualOpportunity(0.8, penalty=0),
    "LocalSearch(patience=0)": lambda: LocalSearch(patience=0),
    "Construct(feature_share=0)": lambda: Construct(feature_share=0),
    "Construct(restarts=0)": lambda: Construct(restarts=0),
    "BranchAndBound(n_jobs=0)": lambda: BranchAndBound(n_jobs=0),
    "BranchAndBound(max_memory=0)": lambda: BranchAndBound(max_memory=0),
    "Milp(solver='cplex')": lambda: Milp(solver="cplex"),
    "Milp(formulation='loose')": lambda: Milp(formulation="loose"),
    "Skeleton([2, 1])": lambda: Skeleton([2, 1]),
    "Tree(depth 0)": lambda: OptimalDecisionTreeClassifier(0).fit(X, Y),
    "Tree(depth 'deep')": lambda: OptimalDecisionTreeClassifier("deep").fit(X, Y),
    "Tree(depth 30)": lambda: OptimalDecisionTreeClassifier(30).fit(X, Y),
    "Tree(None, multivariate)": lambda: OptimalDecisionTreeClassifier(None, split="multivariate").fit(X, Y),
    "Tree(None, price 0)": lambda: OptimalDecisionTreeClassifier(None, node_price=0.0).fit(X, Y),
    "Tree(None, tiny price)": lambda: OptimalDecisionTreeClassifier(None, node_price=1e-6).fit(X, Y),
    "CV(skeletons=())": lambda: OptimalDecisionDiagramClassifierCV(skeletons=()).fit(X, Y),
    "CV(cv=1)": lambda: OptimalDecisionDiagramClassifierCV(cv=1).fit(X, Y),
    "CV(alphas and node_prices)": lambda: OptimalDecisionDiagramClassifierCV(alphas=[1], node_prices=[1]).fit(
        X, Y
    ),
    "CV(validation_fraction=2)": lambda: OptimalDecisionDiagramClassifierCV(validation_fraction=2).fit(X, Y),
    "from_json('')": lambda: oddlearn.from_json(""),
    "from_json('{}')": lambda: oddlearn.from_json("{}"),
    "from_json('[1]')": lambda: oddlearn.from_json("[1]"),
    "load(nothing)": lambda: oddlearn.load("no such file.json"),
    "fit(nothing)": lambda: OptimalDecisionDiagramClassifier().fit("no such file.csv", "y"),
    "infeasible": lambda: fit(constraints=[MinFlow(3), MaxNodes(1), DemographicParity(1.0)], skeleton="1"),
}


def fit(data=(X, Y), **options):
    options = {"skeleton": "1-2", "time_limit": 1.0, "random_state": 0, **options}
    return OptimalDecisionDiagramClassifier(**options).fit(*data)


def refuse(call):
    """Return the kind of the error or warning that a call raises, and its text if it is ours."""
    try:
        call()
    except (OddlearnError, OddlearnWarning) as problem:
        own = re.sub(r" \(could not .*?\)\.", " (NUMPY'S REASON).", str(problem))
        own = re.sub(r"Input X contains .*?'\)\.", "SCIKIT-LEARN'S REASON.", own)
        return f"{type(problem).__name__}: {re.sub('Expecting value.*', 'REASON', own)}"
    except (OSError, ValueError, TypeError) as problem:
        return type(problem).__name__
    return "accepted"


@pytest.mark.filterwarnings("error::oddlearn.errors.OddlearnWarning")
def test_what_is_wrong_is_said_in_the_same_sentences():
    fitted = fit()
    texts = [f"{given}\n  {refuse(lambda given=given: fit(**given))}" for given in PARAMETERS]
    texts += [f"data: {name}\n  {refuse(lambda data=data: fit(data))}" for name, data in DATA.items()]
    for weight in WEIGHTS:
        texts.append(f"weights {weight}\n  {refuse(lambda weight=weight: fit((X, Y, weight)))}")
    parity = {"constraints": [DemographicParity(0.8)]}
    for groups in SENSITIVE:
        call = refuse(lambda groups=groups: fit((X, Y, None, groups), **parity))
        texts.append(f"groups {groups}\n  {call}")
    texts += [f"{name}\n  {refuse(call)}" for name, call in CALLS.items()]
    for rows in (X[:, :1], X[0], np.array([[np.inf, 0.0]]), [["a", "b"]]):
        told = refuse(lambda rows=rows: fitted.predict(rows))
        texts.append(f"predict {np.asarray(rows).tolist()}\n  {told}")
    compare_text(Path(__file__).parent / "files" / "sentences.txt", "\n".join(texts))
