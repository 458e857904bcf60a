"""Finding good diagrams fast: the primal side."""
