"""Fitted models: predictions of a diagram with its encoding, and the file they are stored in."""
