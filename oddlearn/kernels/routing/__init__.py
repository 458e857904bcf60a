"""The kernel that routes samples through a diagram."""
