import json
import subprocess
import sys

import numpy as np
import pytest

from oddlearn.diagram.metadata import ModelMetadata
from oddlearn.errors import UnsupportedError
from oddlearn.export.code import export_onnx
from oddlearn.export.formats import FORMATS
from tests.diagram.drawings import crossed
from tests.export.code.cases import AWKWARD_NAMES, case, constant, every_case
from tests.export.code.running import session

pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")


@every_case
def test_the_runtime_agrees_with_predict(name):
    given = case(name)
    run = session(export_onnx(given.diagram, given.metadata).SerializeToString()).run
    labels, shares = run(None, {"X": given.X})
    assert labels.tolist() == given.expected
    assert type(labels.tolist()[0]) is type(given.expected[0])
    assert np.array_equal(shares, given.probabilities)


@pytest.mark.parametrize("name", ["wide mixed", "constant"])
@pytest.mark.parametrize("n_rows", [0, 1])
def test_few_rows_keep_their_shapes(name, n_rows):
    given = case(name)
    content = FORMATS["onnx"].function(given.diagram, given.metadata)
    labels, shares = session(content).run(None, {"X": given.X[:n_rows]})
    assert labels.tolist() == given.expected[:n_rows]
    assert shares.shape == (n_rows, given.diagram.n_classes)


def test_the_metadata_name_features_and_classes():
    given = case("iris univariate")
    properties = {
        entry.key: entry.value for entry in export_onnx(given.diagram, given.metadata).metadata_props
    }
    assert json.loads(properties["features"]) == list(AWKWARD_NAMES)
    assert json.loads(properties["classes"]) == list(given.metadata.class_labels)


@pytest.mark.parametrize("labels", [("a", 1), (0, 2**70), ("a", "half \ud800")])
def test_labels_onnx_cannot_hold_are_refused(labels):
    with pytest.raises(UnsupportedError, match="rename"):
        export_onnx(crossed(), ModelMetadata(None, labels, np.zeros((8, 2))))


def test_without_the_package_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(UnsupportedError, match=r"pip install .*oddlearn\[onnx\]"):
        export_onnx(constant().diagram, constant().metadata)


def test_the_other_exports_do_not_load_onnx():
    code = (
        "import oddlearn.export.code as e, oddlearn as o, numpy, sys\n"
        "from oddlearn.diagram.metadata import ModelMetadata\n"
        "metadata = ModelMetadata(None, ('a', 'b'), numpy.ones((1, 2)))\n"
        "e.export_c(o.DecisionDiagram.constant(0, 2, 1), metadata)\n"
        "assert not {'onnx', 'sklearn', 'pandas'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
