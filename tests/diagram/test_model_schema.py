"""The JSON Schema of model files, by a validator of the few words it uses."""

import json
from importlib.resources import files
from pathlib import Path

import pytest

from oddlearn.diagram.diagram_json import ModelDocument, diagram_from_dict, model_to_text
from oddlearn.diagram.metadata import metadata_from_dict
from tests.export.code.cases import CASES, KINDS, case, coloured

SCHEMA = json.loads((files("oddlearn.diagram") / "model.schema.json").read_text(encoding="utf-8"))

TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}

CHECKED = {"$ref", "anyOf", "const", "enum", "type", "minimum", "items"}
CHECKED |= {"properties", "required", "additionalProperties"}

TOLD = {"$schema", "$defs", "title", "description"}


def is_a(value, name):
    if name in ("integer", "number"):
        return isinstance(value, int if name == "integer" else (int, float)) and not isinstance(value, bool)
    return isinstance(value, TYPES[name])


def is_valid(value, schema):
    assert schema.keys() <= CHECKED | TOLD
    if "$ref" in schema:
        return is_valid(value, SCHEMA["$defs"][schema["$ref"].removeprefix("#/$defs/")])
    if "anyOf" in schema:
        return any(is_valid(value, choice) for choice in schema["anyOf"])
    if "const" in schema or "enum" in schema:
        return value in schema.get("enum", [schema.get("const")])
    names = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    if not any(is_a(value, name) for name in names):
        return False
    if is_a(value, "number"):
        return value >= schema.get("minimum", value)
    if isinstance(value, list):
        return all(is_valid(item, schema["items"]) for item in value)
    return not isinstance(value, dict) or has_valid_fields(value, schema)


def has_valid_fields(value, schema):
    known = schema.get("properties", {})
    allowed = value.keys() <= known.keys() or schema.get("additionalProperties", True)
    present = value.keys() >= set(schema.get("required", ()))
    return allowed and present and all(is_valid(value[name], known[name]) for name in known if name in value)


@pytest.mark.parametrize("name", CASES)
def test_written_models_follow_the_schema(name):
    given = case(name)
    assert is_valid(json.loads(model_to_text(ModelDocument(given.diagram, given.metadata))), SCHEMA)


def test_the_example_of_the_documentation_follows_the_schema():
    text = (Path(__file__).parents[2] / "docs" / "guide" / "model_format.md").read_text(encoding="utf-8")
    document = json.loads(text.split("```json")[1].split("```")[0])
    assert is_valid(document, SCHEMA)
    diagram, metadata = diagram_from_dict(document["diagram"]), metadata_from_dict(document["metadata"])
    assert len(metadata.features) == diagram.n_features
    assert metadata.probabilities(diagram).shape == (diagram.n_arcs, diagram.n_classes)


@pytest.mark.parametrize("split", KINDS)
def test_fitted_models_of_tables_follow_the_schema(split):
    assert is_valid(json.loads(coloured(split)[0].to_json()), SCHEMA)


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("format",), "pickle"),
        (("schema",), 1),
        (("diagram", "n_classes"), 0),
        (("diagram", "nodes", 0, "negative"), {"node": 0}),
        (("diagram", "nodes", 0, "positive"), {"node": 1, "class": 1}),
        (("diagram", "nodes", 0, "split", "kind"), "oblique"),
        (("diagram", "nodes", 0, "split", "threshold"), "0.5"),
        (("diagram", "nodes", 0, "more"), 1),
        (("metadata", "class_labels", 0), None),
        (("metadata", "arc_weights", 0, 0), -1.0),
        (("metadata", "features", 0, "kind"), "colour"),
        (("metadata", "features", 0, "has_missing"), None),
        (("diagram", "nodes", 0, "split", "missing"), "left"),
        (("metadata", "features"), None),
    ],
)
def test_a_changed_field_breaks_the_schema(place, value):
    document = json.loads(coloured("univariate")[0].to_json())
    parent = document
    for step in place[:-1]:
        parent = parent[step]
    parent[place[-1]] = value
    assert not is_valid(document, SCHEMA)
