"""Branch and bound over univariate splits: optimal trees, and from their bounds optimal diagrams."""
