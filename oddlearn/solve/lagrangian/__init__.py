"""Bounds for constrained problems by Lagrangian relaxation."""
