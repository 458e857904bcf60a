"""The problems of the ablation, each with its data, skeleton, alpha, split and variant."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from _data import problem_of, training_set

from oddlearn.constraints import MinFlow
from oddlearn.diagram.skeleton import Skeleton
from oddlearn.diagram.splits import SplitKind
from oddlearn.problem.training_data import TrainingData
from oddlearn.problem.training_problem import TrainingProblem, build_problem
from oddlearn.problem.tree_skeleton import choose_tree_skeleton

# share of the samples at every node of a problem with minimum flows
MIN_FLOW = 0.05


@dataclass(frozen=True)
class Task:
    """A problem; the variant is "plain", "weighted", with costs that are no integers, or "min_flow"."""

    dataset: str
    skeleton: str
    alpha: float
    iterations: int = 0
    split: SplitKind = "univariate"
    variant: str = "plain"

    @property
    def key(self) -> tuple[str, ...]:
        return (self.dataset, self.skeleton, str(self.alpha), self.split, self.variant)

    def problem(self) -> TrainingProblem:
        """Return the problem on the training half of the data set."""
        if self.skeleton == "tree":
            return self._problem_of_any_depth()
        is_tree = self.skeleton.startswith("tree-")
        depth = int(self.skeleton.removeprefix("tree-")) if is_tree else 0
        skeleton = Skeleton.tree(depth) if is_tree else Skeleton.parse(self.skeleton)
        problem = problem_of(self.dataset, skeleton, self.alpha, self.split)
        if self.variant == "min_flow":
            limits = [MinFlow(MIN_FLOW)]
            return build_problem(problem.data, skeleton, self.alpha, self.split, constraints=limits)
        if self.variant == "plain":
            return problem
        weight = np.random.default_rng(0).uniform(0.5, 2.0, problem.data.n_rows)[:, None]
        data = replace(problem.data, class_weight=weight * problem.data.class_weight)
        return replace(problem, data=data, cost=weight * problem.cost)

    def _problem_of_any_depth(self) -> TrainingProblem:
        """Return the problem of trees without a depth limit: alpha is then the price of a node."""
        data = TrainingData.collect(*training_set(self.dataset))
        skeleton = choose_tree_skeleton(data, self.alpha)
        return build_problem(data, skeleton, None, self.split, node_price=self.alpha)


SEARCHES = (
    Task("breast-cancer-prognostic", "1-2-3-3-3-3", 0.1, 1000),
    Task("planning-relax", "1-2-4-8", 0.01, 1000),
    Task("connectionist-vowel", "1-2-3-3-3-3", 0.1, 300),
    Task("tic-tac-toe", "1-2-2-2-2-2-2-2", 0.01, 1000),
    Task("ozone-eighthr", "1-2-4-4-4", 0.01, 100),
    Task("statlog-german-credit", "tree-4", 0.01, 700),
    Task("car-evaluation", "1-2-4-4-4", 0.01, 700),
    Task("contraceptive-method-choice", "1-2-4-4-4", 0.01, 500),
    Task("heart-disease-cleveland", "1-2-4-8", 0.1, 1000, variant="weighted"),
    Task("optical-recognition", "1-2-4-4-4", 0.01, 40),
    Task("statlog-landsat-satellite", "tree-6", 0.01, 40),
    Task("spambase", "tree-4", 0.01, 60),
    Task("pima-indians-diabetes", "1-2-4-4-4", 0.01, 60, variant="min_flow"),
    Task("heart-disease-cleveland", "1-2-4-4-4", 0.01, 60, "multivariate"),
    Task("contraceptive-method-choice", "1-2-4", 0.01, 20, "multivariate"),
    Task("habermans-survival", "tree-4", 0.01, 200, "multivariate"),
)

PROOFS = (
    Task("tic-tac-toe", "1-2-4-8", 0.1),
    Task("thoracic-surgery", "1-2-4-8", 0.2),
    Task("blood-transfusion-service", "1-2-4-8", 0.1),
    Task("teaching-assistant-evaluation", "1-2-4-8", 0.5),
    Task("car-evaluation", "1-2-4-4-4", 0.2),
    Task("dermatology", "1-2-4-4-4", 0.2),
    Task("seeds", "1-2-4-4-4", 0.1),
    Task("heart-disease-cleveland", "tree-4", 0.2),
    Task("spect-heart", "1-2-2-2", 0.05),
    Task("tic-tac-toe", "1-2-2-2", 0.05),
    Task("image-segmentation", "tree-3", 0.01),
    Task("qsar-biodegradation", "tree-3", 0.01),
    Task("spectf-heart", "tree-3", 0.01),
    Task("breast-cancer-prognostic", "tree-3", 0.01, variant="weighted"),
    # of 5 to 20 s: row subsets are selected only after a relaxation took a second
    Task("car-evaluation", "1-2-4-4-4", 0.1),
    Task("mammographic-mass", "1-2-4-8", 0.02),
    Task("banknote-authentication", "1-2-4-8", 0.2),
)

# trees of any depth, at a price per node
PRICES = (
    Task("pima-indians-diabetes", "tree", 0.05),
    Task("banknote-authentication", "tree", 0.02),
    Task("banknote-authentication", "tree", 0.01),
    Task("habermans-survival", "tree", 0.01),
    Task("blood-transfusion-service", "tree", 0.01),
    Task("ionosphere", "tree", 0.02),
    Task("spect-heart", "tree", 0.005),
    Task("tic-tac-toe", "tree", 0.005),
    Task("car-evaluation", "tree", 0.005),
    Task("teaching-assistant-evaluation", "tree", 0.02),
    Task("seeds", "tree", 0.005),
    Task("parkinsons", "tree", 0.005),
)
