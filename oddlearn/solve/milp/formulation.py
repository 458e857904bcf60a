"""The paper's mixed-integer linear program of a training problem."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from oddlearn.problem.training_problem import TrainingProblem
from oddlearn.solve.milp import constraint_equations, flow_equations, graph_equations
from oddlearn.solve.milp.context import FormulationContext, FormulationOptions
from oddlearn.solve.milp.linear_model import LinearModel
from oddlearn.solve.milp.model_builder import ModelBuilder, ModelCounter, ModelSize
from oddlearn.solve.milp.model_columns import ModelColumns, create_columns

Equation = Callable[[ModelBuilder, FormulationContext, ModelColumns], None]

# with a flow on every arc, and with these flows projected out
FLOW_EQUATIONS: tuple[Equation, ...] = (
    flow_equations.balance_inflow,
    flow_equations.balance_outflow,
    flow_equations.limit_flows_to_arcs,
    flow_equations.collect_at_terminals,
)
PROJECTED_EQUATIONS: tuple[Equation, ...] = (
    flow_equations.carry_rows_along_arcs,
    flow_equations.limit_layer_by_layer_above,
    flow_equations.stop_at_terminals,
    flow_equations.require_arcs_for_inflow,
    flow_equations.assign_one_class,
)


@dataclass(frozen=True, eq=False)
class Formulation:
    """A model and the meaning of its columns."""

    model: LinearModel
    columns: ModelColumns
    observation: Any  # CSR (layout.size, n_columns): turns a point of the model into observables
    context: FormulationContext

    @property
    def problem(self) -> TrainingProblem:
        """The training problem."""
        return self.context.problem


def formulate(
    problem: TrainingProblem, n_nodes: int | None, options: FormulationOptions, lower_bound: float = -math.inf
) -> Formulation:
    """Return the problem as a mixed-integer linear program.

    ``problem``: with at least two classes.
    ``n_nodes``: only diagrams with exactly this many active nodes, on the truncated skeleton; the constant
    diagram counts as one. None for any number on the whole skeleton, as in the paper.
    ``lower_bound``: a known lower bound on the objective of these diagrams, for a row of its own; the paper
    has no such row.
    """
    context = FormulationContext.build(problem, n_nodes, options)
    builder = ModelBuilder()
    columns = create_columns(builder, context)
    for equation in select_equations(context):
        equation(builder, context, columns)
    observation = constraint_equations.observation_matrix(builder.n_columns, context, columns)
    constraint_equations.add_constraint_rows(builder, context, columns, observation)
    if math.isfinite(lower_bound) and not options.is_paper:
        builder.objective_row(lower_bound)
    return Formulation(builder.build(), columns, observation, context)


def formulate_columns(
    problem: TrainingProblem, n_nodes: int | None, options: FormulationOptions
) -> Formulation:
    """Return a formulation without rows, which is enough to decode its points."""
    context = FormulationContext.build(problem, n_nodes, options)
    builder = ModelBuilder()
    columns = create_columns(builder, context)
    observation = constraint_equations.observation_matrix(builder.n_columns, context, columns)
    return Formulation(builder.build(), columns, observation, context)


def count_model(
    problem: TrainingProblem, n_nodes: int | None, options: FormulationOptions, max_nonzeros: float = math.inf
) -> ModelSize:
    """Return the size of ``formulate(problem, n_nodes, options, lower_bound)``, without building it.

    Counting stops between two equations once there are more than ``max_nonzeros`` coefficients.
    """
    context = FormulationContext.build(problem, n_nodes, options)
    counter = ModelCounter()
    columns = create_columns(counter, context)
    for equation in select_equations(context):
        if counter.size.nonzeros > max_nonzeros:
            return counter.size
        equation(counter, context, columns)
    if len(problem.rows):
        _count_constraint_rows(counter, context)
    if not options.is_paper:
        counter.objective_row(0.0)
    return counter.size


def _count_constraint_rows(counter: ModelCounter, context: FormulationContext) -> None:
    """Count the constraint rows on columns with ids of their own: those of a counter are all 0."""
    without_flows = replace(context, options=replace(context.options, flows=False))
    builder = ModelBuilder()
    columns = create_columns(builder, without_flows)
    observation = constraint_equations.observation_matrix(builder.n_columns, context, columns)
    constraint_equations.add_constraint_rows(counter, context, columns, observation)


def select_equations(context: FormulationContext) -> list[Equation]:
    """Return the equations of the formulation for this context."""
    options = context.options
    selected: list[Equation] = [
        constraint_equations.set_objective,
        flow_equations.route_rows_through_root,
        flow_equations.take_one_side_per_layer,
    ]
    selected += FLOW_EQUATIONS if options.flows else PROJECTED_EQUATIONS
    selected += [
        graph_equations.give_nodes_two_arcs,
        graph_equations.require_incoming_arc,
        graph_equations.lead_arcs_to_active_nodes,
    ]
    if context.skeleton.tree_only:
        selected.append(graph_equations.allow_one_parent)
    if context.n_nodes is not None:
        selected.append(graph_equations.fix_node_count)
    selected += _symmetry_equations(context)
    selected.append(graph_equations.separate_rows)
    if context.is_univariate:
        selected.append(graph_equations.choose_one_feature)
    if context.problem.term_limit is not None:
        selected.append(graph_equations.limit_terms)
    if context.needs_root_splits:
        selected.append(constraint_equations.define_root_splits)
    if not options.is_paper:
        selected += [graph_equations.limit_weights, graph_equations.limit_thresholds]
    return selected


def _symmetry_equations(context: FormulationContext) -> list[Equation]:
    selected: list[Equation] = []
    if context.options.order_arcs:
        selected.append(graph_equations.order_arc_heads)
    if not context.slots_are_symmetric:
        selected.append(graph_equations.fill_slots_in_order)
    elif context.options.order_nodes:
        selected.append(graph_equations.order_in_degrees)
    return selected
