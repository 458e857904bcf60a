"""The exceptions and warnings a user of oddlearn can meet."""


class OddlearnError(ValueError):
    """Base of every error oddlearn raises on purpose."""


class InvalidInputError(OddlearnError):
    """An argument is outside what is allowed; the message says what to give instead."""


class ModelFileError(OddlearnError):
    """A stored model cannot be read: damaged, changed by hand, or of a newer schema."""


class UnsupportedError(OddlearnError):
    """A combination of options that no engine handles."""


class DiagramMisfitError(OddlearnError):
    """A diagram is not a solution of the problem: wrong skeleton, split kind or margin."""


class OddlearnWarning(UserWarning):
    """Base of every warning oddlearn gives."""


class SearchInterruptedWarning(OddlearnWarning):
    """The search was ended from the keyboard; the best diagram so far is kept."""


class NotProvedWarning(OddlearnWarning):
    """A result was asked to be optimal and could not be proved to be."""
