"""A plot of what is proved for each number of nodes."""

from __future__ import annotations

from typing import Any

import numpy as np

from oddlearn.errors import InvalidInputError
from oddlearn.export.matplotlib_canvas import import_pyplot, plot_axes
from oddlearn.problem.certificate import Certificate
from oddlearn.view.inputs import model_view
from oddlearn.view.palette import BOUND_COLOUR, GAP_COLOUR, OBJECTIVE_COLOUR

TITLE_SIZE = 10

HEADROOM = 0.25  # space above the highest line, as a share of it


def plot_certificate(model: Any, *, ax: Any = None) -> Any:  # noqa: ANN401
    """Draw what is proved for each number of nodes.

    Parameters
    ----------
    model : fitted classifier
        Or a search over parameters, or a pipeline that ends in one.
    ax : matplotlib Axes, optional
        Axes to draw on; a new figure by default.

    Returns
    -------
    matplotlib Axes
        The bar of k nodes ends at the least training error (or cost) that a diagram that needs k nodes may
        have. The line is what it must stay below to be better than this diagram: where the bar
        reaches the line, no better one exists; what is left between them is not proved.
    """
    import_pyplot()
    certificate = model_view(model).certificate
    if not isinstance(certificate, Certificate):
        raise InvalidInputError(
            f"This {type(model).__name__} has no certificate: give a fitted classifier of oddlearn."
        )
    ax = plot_axes(ax)
    claim, table = certificate.claim, certificate.by_node_count
    counts, unit = table["n_nodes"], 1.0 if claim.measure == "cost" else 100.0
    needed = unit * np.maximum(0.0, certificate.objective - certificate.node_price * (counts - 1))
    top = (1 + HEADROOM) * max(float(needed.max()), unit * claim.mean_cost, 1e-9)
    heights = np.minimum(unit * table["cost_bound"], top)
    colours = [BOUND_COLOUR if done else GAP_COLOUR for done in table["is_resolved"]]
    ax.bar(counts, heights, width=0.8, color=colours, edgecolor=BOUND_COLOUR)
    ax.plot(counts, needed, color=OBJECTIVE_COLOUR, marker="_", markersize=14, label="a better one is below")
    ax.plot([max(1, certificate.n_nodes)], [unit * claim.mean_cost], "D", color="black", label="this diagram")
    ax.set(xlabel="number of nodes", ylim=(0, top))
    ax.set_title(_title(certificate), fontsize=TITLE_SIZE)
    ax.set_ylabel(claim.cost_name + ("" if claim.measure == "cost" else " in %"))
    ax.set_xticks(counts if len(counts) <= 20 else counts[:: len(counts) // 10])
    _add_legend(ax)
    return ax


def _add_legend(ax: Any) -> None:  # noqa: ANN401
    from matplotlib.patches import Patch

    bars = [
        Patch(facecolor=BOUND_COLOUR, label="excluded; none is better"),
        Patch(facecolor=GAP_COLOUR, edgecolor=BOUND_COLOUR, label="excluded; from bar to line not proved"),
    ]
    ax.legend(handles=[*ax.get_legend_handles_labels()[0], *bars], frameon=False, fontsize="small")


def _title(certificate: Certificate) -> str:
    if not certificate.is_feasible:
        return "A constraint is violated"
    if certificate.is_optimal:
        return f"No other {certificate.claim.shape} is better"
    claim = certificate.claim
    return claim.resolved_clause(f"No {claim.shape}") or "Not proved for any number of nodes"
