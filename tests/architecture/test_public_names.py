"""The public names: loaded on first use, declared for type checkers, and stated once."""

import ast
from pathlib import Path

import pytest

import oddlearn

STUB = Path(oddlearn.__file__).with_name("__init__.pyi")


def declared_names():
    """Return the module of every name that the stub declares."""
    imports = [node for node in ast.parse(STUB.read_text()).body if isinstance(node, ast.ImportFrom)]
    return {alias.asname: node.module for node in imports for alias in node.names}


def test_the_stub_declares_the_names_that_are_loaded_on_first_use():
    assert declared_names() == oddlearn._MODULES


@pytest.mark.parametrize("name", oddlearn.__all__)
def test_every_public_name_can_be_loaded(name):
    assert getattr(oddlearn, name) is not None
    assert name in dir(oddlearn)


def test_an_unknown_name_is_no_attribute():
    with pytest.raises(AttributeError, match="has no attribute 'Nothing'"):
        oddlearn.Nothing  # noqa: B018
