"""The paper's mixed-integer linear program of a training problem."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from oddlearn.diagram.skeleton import Skeleton
from oddlearn.milp.builder import ModelBuilder
from oddlearn.milp.columns import Columns, lay_out
from oddlearn.milp.equations import constraints, flows, objective, projection, separators, symmetry, topology
from oddlearn.milp.model import LinearModel
from oddlearn.milp.setting import Setting
from oddlearn.milp.variant import Variant
from oddlearn.problem.problem import TrainingProblem

Equation = Callable[[ModelBuilder, Setting, Columns], None]


@dataclass(frozen=True, eq=False)
class Formulation:
    """A model and what its columns mean.

    Attributes
    ----------
    model : LinearModel
    columns : Columns
    observation : scipy.sparse CSR (layout.size, n_columns)
        Turns a point of the model into the observables of its diagram.
    setting : Setting
    """

    model: LinearModel
    columns: Columns
    observation: Any
    setting: Setting

    @property
    def problem(self) -> TrainingProblem:
        """The problem it formulates."""
        return self.setting.problem

    @property
    def shape(self) -> Skeleton:
        """Its slots: the problem's skeleton, or that cut to a number of nodes."""
        return self.setting.shape


def formulate(
    problem: TrainingProblem, n_nodes: int | None, variant: Variant, floor: float = -math.inf
) -> Formulation:
    """Return the problem as a mixed-integer linear program.

    Parameters
    ----------
    problem : TrainingProblem
        With at least two classes.
    n_nodes : int or None
        Only diagrams with exactly this many active nodes, on the skeleton cut to them; the constant diagram
        counts as one. None for any number on the whole skeleton, as the faithful variant wants it.
    variant : Variant
    floor : float
        A known lower bound on the objective of these diagrams, for a row of its own; the faithful variant
        does without it.
    """
    setting = Setting.of(problem, n_nodes, variant)
    builder = ModelBuilder()
    columns = lay_out(builder, setting)
    for equation in equations_of(setting):
        equation(builder, setting, columns)
    observation = constraints.observation_matrix(builder.n_columns, setting, columns)
    constraints.constraints_hold(builder, setting, columns, observation)
    if math.isfinite(floor) and not variant.faithful:
        objective.objective_is_at_least(builder, floor)
    return Formulation(builder.build(), columns, observation, setting)


def equations_of(setting: Setting) -> list[Equation]:
    """Return the equations that make up the formulation of this setting."""
    variant = setting.variant
    chosen: list[Equation] = [
        objective.cost_and_node_prices,
        flows.root_takes_every_row,
        flows.one_side_in_each_layer,
    ]
    chosen += _along_arcs() if variant.flows else _projected()
    chosen += [
        topology.active_nodes_have_two_arcs,
        topology.active_nodes_are_reached,
        topology.arcs_lead_to_active_nodes,
    ]
    if setting.shape.tree_only:
        chosen.append(topology.nodes_have_one_parent)
    if setting.n_nodes is not None:
        chosen.append(topology.as_many_nodes_as_asked)
    chosen += _symmetry_breaking(setting)
    chosen.append(separators.rows_lie_on_their_side)
    if setting.is_univariate:
        chosen.append(separators.splits_look_at_one_feature)
    if setting.names_parted:
        chosen.append(constraints.root_parts_rows)
    if not variant.faithful:
        chosen += [separators.weights_sum_to_one_at_most, separators.thresholds_lie_among_the_rows]
    return chosen


def _along_arcs() -> list[Equation]:
    return [
        flows.inflow_is_passage,
        flows.passage_is_outflow,
        flows.flows_follow_arcs,
        flows.terminals_gather,
    ]


def _projected() -> list[Equation]:
    return [
        projection.side_carries_on,
        projection.layers_never_grow,
        projection.terminals_end_the_walk,
        projection.inflow_needs_arcs,
        projection.one_class_each,
    ]


def _symmetry_breaking(setting: Setting) -> list[Equation]:
    chosen: list[Equation] = []
    if setting.variant.order_arcs:
        chosen.append(symmetry.negative_head_comes_first)
    if not setting.alike:
        chosen.append(symmetry.slots_fill_in_order)
    elif setting.variant.order_nodes:
        chosen.append(symmetry.in_degrees_do_not_increase)
    return chosen
