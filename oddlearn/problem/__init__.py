"""What is to be solved: scaled data, costs, rows, evaluation and certificates."""

from oddlearn.problem.certificate import Certificate, Evidence, relative_gap
from oddlearn.problem.certificate_codec import certificate_from_dict
from oddlearn.problem.constraint import Constraint, Demand, Requirement, requirements
from oddlearn.problem.data import TrainingData
from oddlearn.problem.evaluate import Evaluation, evaluate, objective_value
from oddlearn.problem.events import Bounded, Event, Improved, Standing, history
from oddlearn.problem.lattice import Lattice
from oddlearn.problem.lifting import lift_on
from oddlearn.problem.observables import Layout, observe, slots_of
from oddlearn.problem.problem import DEFAULT_MARGIN, SplitKind, TrainingProblem, pose
from oddlearn.problem.rows import LinearRows, stack
from oddlearn.problem.scaling import UnitScaling
from oddlearn.problem.sensitive import People, SensitiveColumn

__all__ = [
    "DEFAULT_MARGIN",
    "Bounded",
    "Certificate",
    "Constraint",
    "Demand",
    "Evaluation",
    "Event",
    "Evidence",
    "Improved",
    "Lattice",
    "Layout",
    "LinearRows",
    "People",
    "Requirement",
    "SensitiveColumn",
    "SplitKind",
    "Standing",
    "TrainingData",
    "TrainingProblem",
    "UnitScaling",
    "certificate_from_dict",
    "evaluate",
    "history",
    "lift_on",
    "objective_value",
    "observe",
    "pose",
    "relative_gap",
    "requirements",
    "slots_of",
    "stack",
]
