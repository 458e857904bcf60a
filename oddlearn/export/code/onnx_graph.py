"""An ONNX graph while it is put together."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from numpy.typing import NDArray

from oddlearn.errors import UnsupportedError

# the oldest operators that do what is needed, for old runtimes
OPERATORS = 16
FILE_FORMAT = 8


def onnx_package() -> Any:  # noqa: ANN401
    """Return the package onnx, or say how to get it."""
    try:
        import onnx
    except ImportError:
        raise UnsupportedError(
            'Writing ONNX needs the package onnx: run pip install "oddlearn[onnx]".'
        ) from None
    return onnx


@dataclass
class GraphBuilder:
    """Operators and constants so far; values are known by their names."""

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

    def freeze(self, inputs: list[Any], outputs: list[Any], notes: dict[str, str]) -> Any:  # noqa: ANN401
        """Return the checked model."""
        helper = self.onnx.helper
        graph = helper.make_graph(self.operators, "decision_diagram", inputs, outputs, self.constants)
        operators = [helper.make_opsetid("", OPERATORS)]
        model = helper.make_model(
            graph, opset_imports=operators, producer_name="oddlearn", ir_version=FILE_FORMAT
        )
        helper.set_model_props(model, notes)
        self.onnx.checker.check_model(model, full_check=True)
        return model
