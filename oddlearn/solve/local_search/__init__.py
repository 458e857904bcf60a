"""Alternating optimisation from many starts."""
