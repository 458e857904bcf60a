"""
In a Pipeline and a GridSearchCV
================================

The classifier is a scikit-learn estimator like any other: clone it, put it at the end of a
``Pipeline``, search over its parameters.
"""

# %%
import matplotlib.pyplot as plt
import pandas as pd
from sklearn.datasets import load_breast_cancer
from sklearn.feature_selection import SelectKBest
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline

from oddlearn import OptimalDecisionDiagramClassifier

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
pipeline = Pipeline(
    [
        ("select", SelectKBest()),
        (
            "diagram",
            OptimalDecisionDiagramClassifier("1-2-2", exact=None, max_iter=60, random_state=0),
        ),
    ]
)
search = GridSearchCV(
    pipeline,
    {"select__k": [2, 5, 10, 20], "diagram__node_price": [0.002, 0.01, 0.05]},
    cv=3,
).fit(X, y)
print(search.best_params_)
print(f"accuracy over the folds: {search.best_score_:.3f}")

# %%
# ``max_iter`` in place of time, with a ``random_state``: the results repeat exactly.
results = pd.DataFrame(search.cv_results_)
for price, rows in results.groupby("param_diagram__node_price"):
    plt.errorbar(
        rows["param_select__k"], rows["mean_test_score"], yerr=rows["std_test_score"],
        marker="o", capsize=3, label=f"price per node {price}",
    )
plt.xlabel("features selected")
plt.ylabel("accuracy, mean of three folds")
plt.legend()
plt.show()
