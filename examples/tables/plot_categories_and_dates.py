"""
Text, categories and dates
==========================

Columns of a frame are taken as they are: numbers, booleans, text, categories, dates. The
diagram asks about them in your words.
"""

# %%
# Made-up subscribers of a newspaper. Who leaves?
import numpy as np
import pandas as pd

random = np.random.default_rng(0)
n = 600
towns = np.array(["Bern", "Basel", "Genf", "Thun", "Chur", "Olten", "Zug", "Sion"])
X = pd.DataFrame(
    {
        "plan": random.choice(["print", "web", "both"], n, p=[0.3, 0.5, 0.2]),
        "town": random.choice(towns, n),
        "since": pd.Timestamp("2015-01-01")
        + pd.to_timedelta(random.integers(0, 3600, n), unit="D"),
        "complained": random.random(n) < 0.15,
    }
)
recent = X.since >= "2022-01-01"
leaves = ((X.plan == "web") & recent) | (X.complained & (X.plan != "both"))
y = np.where(leaves ^ (random.random(n) < 0.05), "leaves", "stays")
print(X.head())

# %%
from oddlearn import OptimalDecisionDiagramClassifier, export_rules, plot_diagram

model = OptimalDecisionDiagramClassifier(
    "1-2-2", node_price=0.01, time_limit=8, random_state=0
).fit(X, y)
for rule in export_rules(model, X=X):
    print(rule)

# %%
# The threshold on the date is the coarsest date that keeps every training row on its side.
plot_diagram(model, X=X)
