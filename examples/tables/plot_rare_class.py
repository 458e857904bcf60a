"""
A rare class, and what its errors cost
======================================

Two percent of the payments are frauds. The diagram with the fewest errors may call none a
fraud. Say what an error costs, and it does not.
"""

# %%
import warnings

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.metrics import ConfusionMatrixDisplay
from sklearn.model_selection import train_test_split

from oddlearn import OptimalDecisionDiagramClassifier
from oddlearn.errors import UnpredictedClassWarning

random = np.random.default_rng(0)
n = 4000
fraud = random.random(n) < 0.02
X = pd.DataFrame(
    {
        "amount": np.exp(random.normal(3.5 + 0.8 * fraud, 1.0)).round(2),
        "hour": random.integers(0, np.where(fraud & (random.random(n) < 0.6), 5, 24)),
        "abroad": random.random(n) < np.where(fraud, 0.5, 0.12),
    }
)
y = np.where(fraud, "fraud", "honest")
X, X_test, y, y_test = train_test_split(X, y, stratify=y, random_state=0)

# %%
# Three models: errors counted alike, classes of equal total weight, and a cost matrix in
# the order of ``classes_`` (fraud, honest): a missed fraud costs 30 false alarms.
options = {"skeleton": "1-2-2", "node_price": 0.005, "time_limit": 3, "random_state": 0}
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always", UnpredictedClassWarning)
    models = {
        "errors counted": OptimalDecisionDiagramClassifier(**options).fit(X, y),
        "balanced": OptimalDecisionDiagramClassifier(
            class_weight="balanced", **options
        ).fit(X, y),
        "a missed fraud costs 30": OptimalDecisionDiagramClassifier(
            cost_matrix=[[0, 30], [1, 0]], **options
        ).fit(X, y),
    }
for warning in caught:
    print(warning.message)

# %%
# Rows held out: of each true class (row), the share that got each label (column).
figure, panels = plt.subplots(1, 3, figsize=(11, 3.8), layout="constrained")
for ax, (name, model) in zip(panels, models.items(), strict=True):
    ConfusionMatrixDisplay.from_estimator(
        model, X_test, y_test, ax=ax, colorbar=False, cmap="Blues",
        normalize="true", values_format=".0%",
    )
    ax.set_title(name)
plt.show()
