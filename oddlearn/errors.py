"""The exceptions and warnings a user of oddlearn can meet."""


class OddlearnError(ValueError):
    """Base of every error oddlearn raises on purpose."""


class InvalidInputError(OddlearnError):
    """An argument is outside what is allowed; the message says what to give instead."""


class ModelFileError(OddlearnError):
    """A stored model cannot be read: damaged, changed by hand, or of a newer schema."""


class StoreError(OddlearnError):
    """A store of results cannot be used: missing, something else, of another version, or not writable."""


class StudyError(OddlearnError):
    """Trials of a study could not be run; those that ended are in its store."""


class DatasetError(OddlearnError):
    """The file of a data set is missing, damaged, or cannot be downloaded."""


class UnsupportedError(OddlearnError):
    """A combination of options that no solver handles."""


class DiagramMisfitError(OddlearnError):
    """A diagram is not a solution of the problem: wrong skeleton, split kind or margin."""


class InfeasibleError(OddlearnError):
    """It is proved that no diagram satisfies all constraints; the message says which of them."""


class NoFeasibleDiagramError(OddlearnError):
    """No diagram that satisfies all constraints was found in time; it is not proved that there is none."""


class VerificationError(OddlearnError):
    """A model, its certificate and the data do not belong together."""


class BrokenProofError(RuntimeError):
    """A bound above the objective of a diagram: an error of oddlearn, never of its user; please report it."""


class OddlearnWarning(UserWarning):
    """Base of every warning oddlearn gives."""


class SearchInterruptedWarning(OddlearnWarning):
    """A fit was ended from the keyboard; the best diagram so far is kept."""


class WideMarginWarning(OddlearnWarning):
    """The samples lie too close together for the margin: hardly any hyperplane keeps it."""


class ConstantTableWarning(OddlearnWarning):
    """No feature varies, so the constant classifier was trained."""


class UnpredictedClassWarning(OddlearnWarning):
    """The trained diagram never predicts some class of the training data, or finds hardly any of its rows."""


class UnusedGroupsWarning(OddlearnWarning):
    """Sensitive features were given and no constraint looks at them."""


class UnusedTermLimitWarning(OddlearnWarning):
    """``max_terms`` is above the number of columns, so that it limits no weighted sum."""


class IgnoredFeatureWarning(OddlearnWarning):
    """A feature lies too far from 0 for its range to be weighed in a multivariate split."""


class ShortTimeWarning(OddlearnWarning):
    """The time limit left so little for each fit of a grid that the choice may be by chance."""


class MissingColumnWarning(OddlearnWarning):
    """All values of a column are missing in the training data, and no split uses it."""


class UnknownCategoryWarning(OddlearnWarning):
    """A table holds a category that the training data did not have; it counts as none of the known ones."""
