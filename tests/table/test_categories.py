"""Rare categories are pooled as scikit-learn's OneHotEncoder pools them."""

import json
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.preprocessing import OneHotEncoder

import oddlearn
from oddlearn import OptimalDecisionDiagramClassifier, export_rules, export_text
from oddlearn.errors import InvalidInputError
from oddlearn.table.categories import MAX_LEVELS, Pooling, check_pooling
from oddlearn.table.column_table import ColumnTable, RawColumn
from oddlearn.table.encoding import encoding_from_dict, learn_encoding


def codes(n_rows=400, n_levels=60, seed=0):
    random = np.random.default_rng(seed)
    return np.array([f"c{int(level):02d}" for level in n_levels * random.random(n_rows) ** 3])


def table(texts):
    return ColumnTable((RawColumn("code", np.asarray(texts)),))


@pytest.mark.parametrize("max_categories", [None, 1, 2, 5, 32, 59, 60, 61, 1000])
@pytest.mark.parametrize("min_frequency", [None, 1, 3, 10, 1000, 0.01, 0.5])
def test_pooled_indicators_are_those_of_the_one_hot_encoder(max_categories, min_frequency):
    texts, new = codes(), np.array([*codes(seed=1)[:50], "never seen"])
    encoding = learn_encoding(table(texts), Pooling(max_categories, min_frequency))
    twin = OneHotEncoder(
        max_categories=max_categories,
        min_frequency=min_frequency,
        handle_unknown="infrequent_if_exist",
        sparse_output=False,
    ).fit(texts[:, None])
    assert np.array_equal(encoding.encode(table(texts)), twin.transform(texts[:, None]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found, wanted = encoding.encode(table(new)), twin.transform(new[:, None])
    assert np.array_equal(found, wanted)
    assert encoding_from_dict(json.loads(json.dumps(encoding.to_dict()))) == encoding


def test_unknown_categories_go_to_the_pool_in_silence():
    encoding = learn_encoding(table(codes()))
    assert len(encoding.features) == 32
    assert encoding.features[-1].name == "code is other"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        row = encoding.encode(table(np.array(["never seen", None], dtype=object)))
    assert row.tolist() == [[0] * 31 + [1]] * 2


def test_missing_values_are_a_level_of_their_own_beside_the_pool():
    texts = np.array([*codes(), None, None], dtype=object)
    encoding = learn_encoding(table(texts), Pooling(4))
    names = [feature.name for feature in encoding.features]
    assert len(names) == 5
    assert names[-2:] == ["code is other", "code is missing"]
    rows = encoding.encode(table(texts))
    assert np.array_equal(rows.sum(axis=1), np.ones(402))
    assert rows[-1].tolist() == [0, 0, 0, 0, 1]


def test_small_columns_are_not_pooled():
    texts = [f"c{place % 31:02d}" for place in range(310)]
    assert learn_encoding(table(texts)).columns[0].n_pooled == 0


def test_a_pool_is_shown_as_other():
    texts = codes()
    labels = np.isin(texts, ["c00", "c01", "c02"])
    frame = pd.DataFrame({"code": texts, "size": 1.0})
    model = OptimalDecisionDiagramClassifier("1", max_categories=4, max_iter=5).fit(frame, labels)
    assert model.score(frame, labels) == 1.0
    assert "code is other" in export_text(model)
    assert {rule.condition for rule in export_rules(model)} == {"code is other", "code is not other"}
    assert np.array_equal(oddlearn.from_json(model.to_json()).predict(frame), labels)


def test_a_column_that_names_the_rows_is_refused():
    with pytest.raises(InvalidInputError, match="400 different values in 400 rows, such as 'n0': all"):
        learn_encoding(table([f"n{place}" for place in range(400)]))
    assert learn_encoding(table([f"n{place}" for place in range(10)])).columns[0].categories
    assert learn_encoding(table([f"n{place // 2}" for place in range(400)])).columns[0].n_pooled == 169


def test_too_many_levels_are_refused():
    texts = [f"n{place}" for place in range(MAX_LEVELS + 1)] * 2
    with pytest.raises(InvalidInputError, match=r"65,001 different values in 130,002 rows.*more than 65,000"):
        learn_encoding(table(texts))


@pytest.mark.parametrize(
    "wrong", [(0, None), (2.5, None), (True, None), ("5", None), (5, 0), (5, 1.5), (5, 0.0), (5, "1")]
)
def test_limits_that_make_no_sense_are_refused(wrong):
    with pytest.raises(InvalidInputError, match=r"max_categories is|min_frequency is"):
        check_pooling(*wrong)
    frame = pd.DataFrame({"a": ["x", "y"] * 10})
    with pytest.raises(InvalidInputError):
        OptimalDecisionDiagramClassifier(max_categories=wrong[0], min_frequency=wrong[1]).fit(
            frame, [0, 1] * 10
        )
