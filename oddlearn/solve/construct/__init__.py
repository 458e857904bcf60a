"""Step 1 of the paper: construction from the top down, from many starts."""
