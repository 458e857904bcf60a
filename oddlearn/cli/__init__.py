"""The command ``oddlearn``: one file per command, each with ``add`` (its options) and ``run``."""
