import json

import numpy as np
import pytest

from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.diagram_json import (
    ModelDocument,
    diagram_from_dict,
    diagram_to_dict,
    model_from_text,
    model_to_text,
)
from oddlearn.diagram.json_checks import checksum
from oddlearn.diagram.metadata import ModelMetadata
from oddlearn.errors import ModelFileError
from tests.diagram.drawings import crossed, random_diagram


def model(diagram=None):
    diagram = crossed() if diagram is None else diagram
    weights = np.arange(diagram.n_arcs * diagram.n_classes).reshape(-1, diagram.n_classes) / 3
    labels = [f"label {code}" for code in range(diagram.n_classes)]
    names = [f"feature {place}" for place in range(diagram.n_features)]
    return ModelDocument(diagram, ModelMetadata(tuple(names), tuple(labels), weights), {"digest": "abc"})


def changed(*path, to, sign=True):
    document = json.loads(model_to_text(model()))
    inner = document
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = to
    return json.dumps(signed(document) if sign else document)


def signed(document):
    """Return a document with the checksum of what it holds now."""
    content = {name: value for name, value in document.items() if name != "checksum"}
    finite = json.loads(json.dumps(content).replace("NaN", "0"))
    return {**content, "checksum": checksum(finite)}


@pytest.mark.parametrize("kind", ["univariate", "multivariate", "mixed"])
def test_a_diagram_survives_json_exactly(kind):
    for seed in range(10):
        diagram = random_diagram(np.random.default_rng(seed), kind=kind)
        assert diagram_from_dict(json.loads(json.dumps(diagram_to_dict(diagram)))) == diagram


def test_a_model_survives_text():
    assert model_from_text(model_to_text(model())) == model()
    constant = model(DecisionDiagram.constant(1, 3, 2))
    assert model_from_text(model_to_text(constant)) == constant


def test_every_truncated_file_is_refused():
    content = model_to_text(model())
    for length in range(0, len(content) - 1, 37):
        with pytest.raises(ModelFileError, match="truncated"):
            model_from_text(content[:length])


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("[]", "object"),
        ("{}", "no field"),
        ("[" * 100_000, "truncated"),
        (changed("format", to="pickle"), "not an oddlearn model"),
        (changed("schema", to=7), "install a newer"),
        (changed("schema", to=4), "train the model again"),
        (changed("schema", to="1"), "whole number"),
        (changed("diagram", "nodes", 3, "negative", to={"node": 0}), "next layer"),
        (changed("diagram", "nodes", 0, "negative", to={"node": 9}), "between 0 and 3"),
        (changed("diagram", "nodes", 3, "negative", to={"class": 2}), "between 0 and 1"),
        (changed("diagram", "nodes", 3, "negative", to={"class": 1}), "same target"),
        (changed("diagram", "nodes", 0, "negative", to=1), "object"),
        (changed("diagram", "nodes", 0, "layer", to=1.0), "whole number"),
        (changed("diagram", "nodes", 0, "split", "feature", to=7), "does not fit"),
        (changed("diagram", "nodes", 0, "split", "threshold", to=float("nan")), "NaN"),
        (changed("diagram", "nodes", 0, "split", "threshold", to="0.5"), "finite number"),
        (changed("diagram", "nodes", to={}), "list"),
        (changed("diagram", "constant_class", to=0), "constant class"),
        (changed("metadata", "class_labels", to=["a"]), "one per class"),
        (changed("metadata", "class_labels", to=["a", None]), "not a label"),
        (changed("metadata", "feature_names", to=["a"]), "one feature name"),
        (changed("metadata", "features", to="age"), "features must be a list"),
        (changed("metadata", "features", 0, to={"column": "age"}), "no field 'category'"),
        (changed("metadata", "features", 0, "kind", to="colour"), r"features\[\d\]"),
        (changed("metadata", "features", 0, "category", to=[1]), "not a label"),
        (changed("metadata", "arc_weights", to=[[1, 2]]), "differ in size"),
        (changed("metadata", "arc_weights", 0, to=[-1, 2]), "not negative"),
        (changed("certificate", to=[1]), "object"),
        (changed("diagram", "n_classes", to=10**12), "not the number of class labels"),
        (changed("schema", to=1).replace('"schema": 1', '"schema": 1e999'), "1e999"),
        (changed("schema", to=1).replace('"schema": 1', '"schema": 1' + "0" * 5000), "not complete JSON"),
    ],
)
def test_a_damaged_file_is_refused_with_a_sentence(content, sentence):
    with pytest.raises(ModelFileError, match=sentence):
        model_from_text(content)


@pytest.mark.parametrize(
    ("path", "to"),
    [
        (("diagram", "nodes", 0, "split", "threshold"), 0.25),
        (("metadata", "class_labels"), ["label 1", "label 0"]),
        (("metadata", "feature_names"), None),
        (("certificate", "digest"), "abd"),
        (("estimator",), {}),
        (("checksum",), "0" * 64),
        (("extra",), 1),
    ],
)
def test_any_edit_is_noticed(path, to):
    with pytest.raises(ModelFileError, match="The model file was changed after it was written"):
        model_from_text(changed(*path, to=to, sign=False))


def test_a_file_that_describes_too_few_features_is_refused():
    document = json.loads(changed("metadata", "feature_names", to=None))
    document["metadata"]["features"].pop()
    with pytest.raises(ModelFileError, match="one description per feature"):
        model_from_text(json.dumps(signed(document)))


def test_a_file_without_a_checksum_is_refused():
    document = json.loads(model_to_text(model()))
    del document["checksum"]
    with pytest.raises(ModelFileError, match="no field 'checksum'"):
        model_from_text(json.dumps(document))


def test_a_diagram_alone_cannot_ask_for_endless_classes():
    with pytest.raises(ModelFileError, match=r"diagram\.n_classes must be between 1 and 1000000"):
        diagram_from_dict({**diagram_to_dict(crossed()), "n_classes": 10**12})
