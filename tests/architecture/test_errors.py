import pytest

from oddlearn import errors

KINDS = ("InvalidInputError", "ModelFileError", "UnsupportedError", "DiagramMisfitError")


@pytest.mark.parametrize("name", KINDS)
def test_every_error_is_a_value_error_of_ours(name):
    assert issubclass(getattr(errors, name), errors.OddlearnError)
    assert issubclass(errors.OddlearnError, ValueError)


def test_warnings_can_be_filtered_together():
    assert issubclass(errors.SearchInterruptedWarning, errors.OddlearnWarning)
