import ctypes

import numpy as np
import pytest

from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.features import Feature
from oddlearn.diagram.metadata import ModelMetadata
from oddlearn.diagram.splits import MultivariateSplit
from oddlearn.errors import InvalidInputError, UnsupportedError
from oddlearn.export.code import export_c
from tests.diagram.drawings import crossed
from tests.export.code.cases import (
    AWKWARD_LABELS,
    AWKWARD_NAMES,
    WIDE,
    case,
    case_of,
    constant,
    drawn,
    every_case,
)
from tests.export.code.running import answers, compiled


@every_case
def test_the_compiled_file_agrees_with_predict(name, tmp_path):
    given = case(name)
    library = compiled(export_c(given.diagram, given.metadata), tmp_path)
    codes, shares = answers(library, given.X, given.diagram.n_classes)
    assert np.array_equal(codes, given.codes)
    assert np.array_equal(shares, given.probabilities)


def test_no_compiler_option_fuses_products_and_sums(tmp_path):
    given = drawn(3, "multivariate", **WIDE)
    # generic, since some processors are tuned not to fuse
    flags = ("-O3", "-march=native", "-mtune=generic")
    library = compiled(export_c(given.diagram, given.metadata), tmp_path, flags)
    assert np.array_equal(answers(library, given.X, 10)[0], given.codes)


def test_labels_and_names_survive_quotes_backslashes_and_trigraphs(tmp_path):
    given = case_of("iris", "univariate")
    library = compiled(export_c(given.diagram, given.metadata, prefix="iris_2"), tmp_path)
    library.iris_2_class_label.restype = library.iris_2_feature_name.restype = ctypes.c_char_p
    labels = [library.iris_2_class_label(code).decode() for code in range(3)]
    assert labels == sorted(AWKWARD_LABELS)
    assert [library.iris_2_feature_name(place).decode() for place in range(4)] == list(AWKWARD_NAMES)
    assert library.iris_2_class_label(3) == library.iris_2_feature_name(-1) == b""
    assert np.array_equal(answers(library, given.X, 3, "iris_2")[0], given.codes)


def test_categories_are_named_in_words():
    features = (Feature("colour", "red", "category"), Feature("size"))
    metadata = ModelMetadata(("colour = red", "size"), ("a", "b"), np.zeros((8, 2)), features)
    assert '"colour = red"' in export_c(crossed(), metadata)


def test_a_nan_in_a_sum_gives_no_class(tmp_path):
    diagram = DecisionDiagram((MultivariateSplit([1.0, 1.0], 0.5),), [1], [2], [0], 2, 2)
    library = compiled(export_c(diagram), tmp_path)
    codes, shares = answers(library, [[np.nan, 0.0], [0.6, 0.1]], 2)
    assert codes.tolist() == [-1, 1]
    assert shares[0].tolist() == [-1.0, -1.0]


@pytest.mark.parametrize("prefix", ["", "1st", "two words", "a-b", "a;b", "_a", "é"])
def test_a_prefix_that_is_no_name_is_refused(prefix):
    with pytest.raises(InvalidInputError, match="letters, digits and underscores"):
        export_c(constant().diagram, constant().metadata, prefix=prefix)


@pytest.mark.parametrize("label", ["a\0b", "half \ud800"])
def test_a_text_c_cannot_hold_is_refused(label):
    with pytest.raises(UnsupportedError, match="rename it"):
        export_c(constant().diagram, ModelMetadata(None, ("a", label), np.ones((1, 2))))
