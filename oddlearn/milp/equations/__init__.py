"""The paper's equations, (1) to (18) as they come from the start of its formulation, a group in each file."""
