"""Between diagrams and points of the model."""

from oddlearn.milp.decode import decode
from oddlearn.milp.encode import encode

__all__ = ["decode", "encode"]
