"""
How much accuracy does fairness cost?
=====================================

``accuracy_fairness_path`` trains the best diagram for a list of ratios between the
selection rates of two groups. The data are made up.
"""

# %%
import numpy as np
import pandas as pd

from oddlearn import (
    DemographicParity,
    OptimalDecisionDiagramClassifier,
    accuracy_fairness_path,
)

random = np.random.default_rng(1)
n = 300
sex = random.choice(["f", "m"], n)
X = pd.DataFrame(
    {
        "hours": random.normal(34 + 10 * (sex == "m"), 6, n).round(),
        "grade": random.integers(1, 7, n),
        "tests": random.normal(50, 10, n).round(),
    }
)
merit = 0.06 * X.hours + 0.3 * X.grade + 0.03 * X.tests
y = np.where(merit + random.normal(0, 0.3, n) > 5.0, "promoted", "not promoted")

# %%
model = OptimalDecisionDiagramClassifier(
    "1-2", node_price=0.01, time_limit=2, random_state=0
)
path = accuracy_fairness_path(
    model, X, y, sex, ratios=[0, 0.5, 0.6, 0.7, 0.8, 0.9, 1],
    constraint=DemographicParity(favourable="promoted"),
)
print(path)

# %%
# The stricter the ratio, the lower the accuracy. A ratio of 1 can always be had by giving
# everybody the same answer, so look at both curves.
path.plot()
