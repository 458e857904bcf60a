"""Step 2 of the paper: the training problem as a mixed-integer linear program."""
