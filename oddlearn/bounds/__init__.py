"""Lower bounds that cost next to nothing, valid for every diagram of the skeleton."""

from oddlearn.bounds.free import costs_by_nodes, free_bounds
from oddlearn.bounds.separability import Separation, separate

__all__ = ["Separation", "costs_by_nodes", "free_bounds", "separate"]
