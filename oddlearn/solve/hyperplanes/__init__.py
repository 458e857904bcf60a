"""Hyperplanes: separability, the best single one, polishing."""
