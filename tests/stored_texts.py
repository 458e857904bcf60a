"""Comparison of texts with stored files, which ``ODDLEARN_UPDATE=1`` writes anew."""

import os


def compare_text(path, text):
    """Compare a text with the stored one, line by line; write it if the tests are run to update them."""
    text = text.rstrip("\n") + "\n"
    if os.environ.get("ODDLEARN_UPDATE"):
        path.write_text(text, encoding="utf-8")
    assert path.exists(), f"{path.name} is not stored: run the tests with ODDLEARN_UPDATE=1."
    assert text.splitlines() == path.read_text(encoding="utf-8").splitlines()
