"""The scikit-learn face of the library."""

from oddlearn.estimator.classifiers import (
    OptimalDecisionDiagramClassifier,
    OptimalDecisionTreeClassifier,
    from_json,
    load,
)

__all__ = ["OptimalDecisionDiagramClassifier", "OptimalDecisionTreeClassifier", "from_json", "load"]
