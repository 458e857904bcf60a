"""Constraints that cannot be kept: proved and named, or said to be not proved; never a broken model."""

from dataclasses import dataclass, replace

import numpy as np
import pytest

from oddlearn.constraints import MaxNodes
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.skeleton import Skeleton
from oddlearn.errors import InfeasibleError, NoFeasibleDiagramError
from oddlearn.problem import LinearRows, TrainingData
from oddlearn.problem.evaluate import best_constant, evaluate
from oddlearn.problem.events import Improved
from oddlearn.problem.training_problem import build_problem
from oddlearn.solve.budget import Budget
from oddlearn.solve.feasibility import select_constraints
from oddlearn.solve.local_search.solver import LocalSearch
from oddlearn.solve.milp.solver import Milp
from oddlearn.solve.root_bounds.lp_relaxation import lp_infeasible
from tests.fakes import FixedSearch, train
from tests.oracles.constrained import feasible_optimum
from tests.oracles.tiny_constrained import constrained_problem
from tests.solve.milp.proving import in_process

# x:  0   0   1/2  1/2  1   1      samples come in pairs that no diagram parts
PAIRS = np.array([[0.0], [0.0], [0.5], [0.5], [1.0], [1.0]])


@dataclass(frozen=True)
class Given:
    """A block that so many samples, or as many as that, are given a class."""

    code: int
    least: float
    most: float = np.inf

    def rows(self, data, layout):
        matrix = np.zeros((1, layout.size))
        matrix[0, layout.assigned[:, self.code]] = data.class_weight.sum(axis=1)
        return LinearRows(matrix, [self.least], [self.most], (self.describe(),))

    def describe(self):
        return f"class {self.code} for {self.least:g} to {self.most:g} samples"


def pairs(*constraints, skeleton="1-2", codes=(0, 1, 0, 1, 1, 0)):
    data = TrainingData.collect(PAIRS, np.array(codes), 2)
    return build_problem(data, Skeleton.parse(skeleton), 0.1, "univariate", constraints=constraints)


def trained(problem, exact=None, engine=None, report=None):
    heard = [] if report is None else report
    return train(problem, engine or LocalSearch(), Budget.of(60.0, 200), heard.append, exact)


def test_demands_that_contradict_each_other_are_named_at_once():
    problem = pairs(MaxNodes(2), Given(0, 4), Given(1, 4))
    with pytest.raises(InfeasibleError) as raised:
        trained(problem)
    told = str(raised.value)
    assert "class 0 for 4 to inf samples; class 1 for 4 to inf samples" in told
    assert "nodes" not in told.split("proved:")[1]
    assert "larger skeleton" not in told


def test_a_demand_that_is_impossible_alone_is_named_alone():
    with pytest.raises(InfeasibleError, match="alone class 0 for 7 to inf samples; weaken or drop it"):
        trained(pairs(Given(0, 7), MaxNodes(2)))


def test_what_only_a_prover_can_tell_is_proved_and_named(monkeypatch):
    in_process(monkeypatch)
    problem = pairs(Given(0, 3, 3), MaxNodes(2))
    with pytest.raises(InfeasibleError, match=r"alone class 0 for 3 to 3 samples.*larger skeleton"):
        trained(problem, Milp())


def test_without_a_proof_it_is_said_that_nothing_was_found():
    with pytest.raises(NoFeasibleDiagramError, match="not proved that there is none") as raised:
        trained(pairs(Given(0, 3, 3)))
    assert "class 0 for 3 to 3 samples" in str(raised.value)
    assert 'exact at "auto"' in str(raised.value)


def test_rows_without_a_constraint_are_named_by_their_labels():
    problem = replace(pairs(Given(0, 7)), constraint_blocks=())
    with pytest.raises(InfeasibleError, match="class 0 for 7 to inf samples"):
        trained(problem)


def test_a_diagram_that_breaks_a_constraint_is_never_kept():
    constant = DecisionDiagram.constant(1, 2, 1)
    with pytest.raises(NoFeasibleDiagramError):
        trained(pairs(Given(0, 2, 4)), engine=FixedSearch(constant))


def test_the_constant_of_another_class_is_kept_when_only_that_is_allowed():
    problem = pairs(Given(0, 6), codes=(1, 1, 1, 1, 1, 0))
    heard = []
    result = trained(problem, engine=FixedSearch(None), report=heard)
    assert result.diagram == DecisionDiagram.constant(0, 2, 1)
    assert [event.objective for event in heard if isinstance(event, Improved)] == pytest.approx([5 / 6])


def test_a_search_that_finds_what_the_constant_does_not_keep_is_enough(monkeypatch):
    in_process(monkeypatch)
    problem = pairs(Given(0, 2, 2))
    result = trained(problem, Milp())
    value = evaluate(problem, result.diagram)
    assert value.violation == 0
    assert value.objective == pytest.approx(result.lower_bound) == pytest.approx(feasible_optimum(problem))


@pytest.mark.parametrize("seed", range(30))
def test_possible_constraints_never_contradict_each_other(seed):
    problem = constrained_problem(seed)
    # the constant alone shows that they are possible; where it does not, all diagrams are tried
    if evaluate(problem, best_constant(problem)).violation > 0 and np.isinf(feasible_optimum(problem)):
        pytest.skip("nothing keeps these constraints")
    assert not lp_infeasible(problem)


def test_soft_rows_contradict_nothing():
    problem = pairs(Given(0, 7))
    assert lp_infeasible(problem)
    assert not lp_infeasible(replace(problem, rows=replace(problem.rows, penalty=np.array([1.0]))))


def test_some_of_the_constraints_keep_their_rows():
    problem = pairs(Given(0, 2), MaxNodes(2), Given(1, 3))
    some = select_constraints(problem, problem.constraint_blocks[1:])
    assert some.rows.labels == problem.rows.labels[1:]
    assert [(block.start, block.stop) for block in some.constraint_blocks] == [(0, 1), (1, 2)]
    assert (some.rows.matrix != problem.rows.matrix[1:]).nnz == 0
