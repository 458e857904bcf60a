"""
A medical score with missing values
===================================

In a hospital a test is often missing because nobody saw a reason to order it. That it is
missing then says something. The diagram learns at each node to which side missing values
go, and may ask for them. Nothing is filled in.
"""

# %%
# The patients are made up. Lactate is measured when somebody is worried, in six patients of
# ten; some ages are not known.
import numpy as np
import pandas as pd

random = np.random.default_rng(0)
n = 500
worried = random.random(n) < 0.6
lactate = np.exp(random.normal(0.5, 0.5, n)).round(1)
pressure = random.normal(118, 18, n).round()
age = random.integers(18, 95, n).astype(float)
severe = worried & ((lactate > 2) | (age > 70)) | (pressure < 95)
y = np.where(severe ^ (random.random(n) < 0.05), "intensive care", "ward")
X = pd.DataFrame(
    {
        "lactate": np.where(worried, lactate, np.nan),
        "pressure": pressure,
        "age": np.where(random.random(n) < 0.05, np.nan, age),
    }
)
print(X.isna().mean().map("{:.0%} missing".format).to_string())

# %%
from oddlearn import OptimalDecisionDiagramClassifier, export_text, plot_diagram

model = OptimalDecisionDiagramClassifier(
    "1-2-1", node_price=0.01, time_limit=60, random_state=0
).fit(X, y)
print(export_text(model, X=X))
print(model.certificate_.explain().splitlines()[0])

# %%
# A new patient without a lactate value takes the side that such patients took in training.
patients = pd.DataFrame(
    {"lactate": [np.nan, 4.1], "pressure": [118.0, 118.0], "age": [50.0, np.nan]}
)
print(model.predict(patients))

# %%
plot_diagram(model, X=X)
