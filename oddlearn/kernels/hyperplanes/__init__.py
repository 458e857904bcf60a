"""The kernel that finds rows that no hyperplane separates."""
