"""The exact engine for univariate splits on CP-SAT: thresholds as literals, costs as whole numbers."""

from oddlearn.cpsat.prover import CpSat

__all__ = ["CpSat"]
