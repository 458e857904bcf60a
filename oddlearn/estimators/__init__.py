"""The scikit-learn face of the library."""

from oddlearn.estimators.classifiers import (
    OptimalDecisionDiagramClassifier,
    OptimalDecisionTreeClassifier,
    from_json,
    load,
)

__all__ = ["OptimalDecisionDiagramClassifier", "OptimalDecisionTreeClassifier", "from_json", "load"]
