"""The CP-SAT solver: univariate splits, thresholds as literals, costs as integers."""
