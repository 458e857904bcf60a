"""User input to clean columns: checks, encoding, reading of files."""
