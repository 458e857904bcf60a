"""What is to be solved: data, costs, rows, evaluation and certificates."""

from oddlearn.problem.constraint_block import Constraint
from oddlearn.problem.linear_rows import LinearRows
from oddlearn.problem.observables import Layout
from oddlearn.problem.training_data import TrainingData

__all__ = ["Constraint", "Layout", "LinearRows", "TrainingData"]
