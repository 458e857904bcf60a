"""Bounds for constrained problems: rows priced into the costs."""
