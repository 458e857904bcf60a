"""A diagram as an ONNX graph of standard operators, in double precision throughout."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oddlearn.diagram.metadata import ModelMetadata
from oddlearn.diagram.splits import UnivariateSplit
from oddlearn.errors import UnsupportedError
from oddlearn.export.code.program import StateProgram, build_program, check_text

# array type of labels of each type
LABEL_TYPES = {bool: np.bool_, int: np.int64, float: np.float64, str: np.object_}

# the oldest operators that do what is needed, for old runtimes
OPERATORS = 16
FILE_FORMAT = 8


def export_onnx(model: object, metadata: ModelMetadata | None = None) -> Any:  # noqa: ANN401
    """Return the model as an ``onnx.ModelProto``; a runtime such as onnxruntime then agrees with ``predict``.

    Sums are added feature by feature and every number is a double, so that rows on a threshold take the same
    side. Needs the package onnx (``pip install "oddlearn[onnx]"``).

    Parameters
    ----------
    model : fitted classifier or DecisionDiagram
    metadata : ModelMetadata, optional
        Names and labels of a DecisionDiagram; a classifier has its own.

    Returns
    -------
    onnx.ModelProto
        Input ``X``: double, (n, n_features), the numbers the diagram looks at, named in the metadata entry
        ``features`` (a JSON list), NaN where they are missing; with columns of categories, and for
        weighted sums, ``model.encode(X)``. Outputs: ``label`` (n,),
        and ``probabilities``, double, (n, n_classes).
    """
    program = build_program(model, metadata)
    builder = GraphBuilder(import_onnx())
    labels = _labels(program)
    end = _end(builder, program)
    builder.add("Gather", builder.constant(labels[list(program.end_class)]), end, name="label")
    builder.add("Gather", builder.constant(program.probabilities), end, name="probabilities")
    names = json.dumps([check_text(feature.name, "ONNX") for feature in program.features])
    classes = json.dumps([str(label) for label in program.labels])
    properties = {"features": names, "classes": classes}
    return builder.build(*_inputs_and_outputs(builder, program, labels), properties)


def _labels(program: StateProgram) -> NDArray[Any]:
    """Return the labels as an array of a type that ONNX has."""
    kinds = {type(label) for label in program.labels}
    if len(kinds) != 1:
        raise UnsupportedError("ONNX needs labels of one type, text, numbers or booleans: rename the others.")
    kind = kinds.pop()
    if kind is str:
        return np.array([check_text(str(label), "ONNX") for label in program.labels], dtype=object)
    try:
        return np.array(program.labels, dtype=LABEL_TYPES[kind])
    except OverflowError:
        raise UnsupportedError("ONNX needs whole labels of at most 64 bits: rename the classes.") from None


def _end(builder: GraphBuilder, program: StateProgram) -> str:
    """Return the name of the ends that the rows arrive at, shape (n,)."""
    n_rows = builder.add("Shape", "X", start=0, end=1)
    one = builder.constant(np.array([1]))
    shape = builder.add("Concat", n_rows, one, axis=0)
    state = builder.add("Expand", builder.constant(np.array([[0]])), shape)
    if program.n_nodes:
        state = _route(builder, program, state)
        state = builder.add("Sub", state, builder.constant(np.array(program.n_nodes)))
    return builder.add("Reshape", state, builder.constant(np.array([-1])))


def _route(builder: GraphBuilder, program: StateProgram, state: str) -> str:
    """Return the name of the states of the rows after as many steps as there are layers, shape (n, 1)."""
    sides = _sides(builder, program)
    resting = program.n_nodes + np.repeat(np.arange(len(program.end_class)), 2)
    child = builder.constant(np.concatenate([np.ravel(program.children), resting]))
    two = builder.constant(np.array(2))
    last = builder.constant(np.array(program.n_nodes - 1))
    for _ in range(program.diagram.depth):
        # a row at an end stays there whatever the side, that of the last node will do
        side = builder.add("GatherElements", sides, builder.add("Min", state, last), axis=1)
        place = builder.add("Add", builder.add("Mul", state, two), side)
        state = builder.add("Gather", child, place)
    return state


def _sides(builder: GraphBuilder, program: StateProgram) -> str:
    """Return the name of the side of each row at each node, 1 for positive, shape (n, n_nodes)."""
    splits = program.diagram.splits
    keys = _keys(builder, program)
    thresholds = np.array([[split.threshold for split in splits]])
    # a NaN is not at least anything
    side = builder.add("GreaterOrEqual", keys, builder.constant(thresholds))
    missing = np.array([[isinstance(split, UnivariateSplit) and split.missing_positive for split in splits]])
    if missing.any():
        missing_side = builder.add("And", builder.add("IsNaN", keys), builder.constant(missing))
        side = builder.add("Or", side, missing_side)
    return builder.add("Cast", side, to=builder.onnx.TensorProto.INT64)


def _keys(builder: GraphBuilder, program: StateProgram) -> str:
    """Return the name of what the nodes compare, shape (n, n_nodes)."""
    splits, n_features = program.diagram.splits, program.diagram.n_features
    weights = np.array([split.dense_weights(n_features) for split in splits])
    if program.is_univariate:
        return builder.add("Gather", "X", builder.constant(weights.argmax(axis=1)), axis=1)
    # feature by feature: a matrix product would round each sum in an order of its own
    total = ""
    for feature in program.diagram.used_features or (0,):
        value = builder.add("Gather", "X", builder.constant(np.array([feature])), axis=1)
        term = builder.add("Mul", value, builder.constant(weights[None, :, feature]))
        if not weights[:, feature].all():
            # a NaN times 0 is a NaN, and the node does not look at this feature
            used = builder.constant(weights[None, :, feature] != 0)
            term = builder.add("Where", used, term, builder.constant(np.zeros((1, 1))))
        total = builder.add("Add", total, term) if total else term
    return total


def _inputs_and_outputs(
    builder: GraphBuilder, program: StateProgram, labels: NDArray[Any]
) -> tuple[list[Any], list[Any]]:
    """Return inputs and outputs with their types."""
    declare, types = builder.onnx.helper.make_tensor_value_info, builder.onnx.TensorProto
    label_type = builder.onnx.numpy_helper.from_array(labels).data_type
    rows = declare("X", types.DOUBLE, ["n", program.diagram.n_features])
    shares = declare("probabilities", types.DOUBLE, ["n", program.diagram.n_classes])
    return [rows], [declare("label", label_type, ["n"]), shares]


def import_onnx() -> Any:  # noqa: ANN401
    """Return the package onnx; without it, raise UnsupportedError with how to install it."""
    try:
        import onnx
    except ImportError:
        raise UnsupportedError(
            'Writing ONNX needs the package onnx: run pip install "oddlearn[onnx]".'
        ) from None
    return onnx


@dataclass
class GraphBuilder:
    """Operators and constants of an unfinished graph; values are known by their names."""

    onnx: Any
    operators: list[Any] = field(default_factory=list)
    constants: list[Any] = field(default_factory=list)

    def constant(self, values: NDArray[Any]) -> str:
        """Add a constant and return its name."""
        name = f"constant_{len(self.constants)}"
        self.constants.append(self.onnx.numpy_helper.from_array(values, name))
        return name

    def add(self, operator: str, *inputs: str, name: str | None = None, **attributes: int) -> str:
        """Add an operator and return the name of its result."""
        result = name or f"value_{len(self.operators)}"
        self.operators.append(self.onnx.helper.make_node(operator, list(inputs), [result], **attributes))
        return result

    def build(self, inputs: list[Any], outputs: list[Any], properties: dict[str, str]) -> Any:  # noqa: ANN401
        """Return the checked model with its properties."""
        helper = self.onnx.helper
        graph = helper.make_graph(self.operators, "decision_diagram", inputs, outputs, self.constants)
        operators = [helper.make_opsetid("", OPERATORS)]
        model = helper.make_model(
            graph, opset_imports=operators, producer_name="oddlearn", ir_version=FILE_FORMAT
        )
        helper.set_model_props(model, properties)
        self.onnx.checker.check_model(model, full_check=True)
        return model
