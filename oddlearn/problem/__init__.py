"""Training problems: data, costs, constraint rows, evaluation and certificates."""

from oddlearn.problem.constraint_block import Constraint
from oddlearn.problem.linear_rows import LinearRows
from oddlearn.problem.observables import ObservableLayout
from oddlearn.problem.training_data import TrainingData

__all__ = ["Constraint", "LinearRows", "ObservableLayout", "TrainingData"]
