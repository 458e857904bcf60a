"""Work in a child process that can be ended at any moment without harm to the caller."""

from oddlearn.isolation.memory import allowed_memory, available_memory
from oddlearn.isolation.run import Ended, run_isolated

__all__ = ["Ended", "allowed_memory", "available_memory", "run_isolated"]
