"""Every check of what a user gives: options and tables in, clean values out."""

from oddlearn.validation.options import Settings, checked_depth, checked_settings
from oddlearn.validation.rows import checked_rows
from oddlearn.validation.sensitive import checked_sensitive, warn_of_unused_groups
from oddlearn.validation.table import Table, checked_table

__all__ = [
    "Settings",
    "Table",
    "checked_depth",
    "checked_rows",
    "checked_sensitive",
    "checked_settings",
    "checked_table",
    "warn_of_unused_groups",
]
