"""Tables in files: CSV, TSV and Parquet in, typed columns out."""

from oddlearn.tables.read import Reading, read_table
from oddlearn.tables.table import Column, FileTable

__all__ = ["Column", "FileTable", "Reading", "read_table"]
