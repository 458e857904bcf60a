"""
A certificate that grows
========================

During a fit two numbers approach each other: the objective of the best diagram so far
falls, and the proved lower bound rises. When they meet, no better diagram exists.
"""

# %%
import pandas as pd
from sklearn.datasets import load_wine

from oddlearn import (
    OptimalDecisionDiagramClassifier,
    plot_certificate,
    plot_history,
)

wine = load_wine(as_frame=True)
X = wine.data[["alcohol", "malic_acid", "ash", "hue"]]
y = wine.target_names[wine.target]
model = OptimalDecisionDiagramClassifier(
    "1-2-2", node_price=0.01, time_limit=60, random_state=0
).fit(X, y)
print(model.certificate_.explain())

# %%
# What lies between the curves is not known yet. A fit that ends there returns its best
# diagram and says how much better one could be at most.
plot_history(model)

# %%
# There is one bound for each number of nodes: no diagram with so many nodes has an
# objective below it. Where all of them are at least the objective, it is optimal.
print(pd.DataFrame(model.certificate_.by_node_count).to_string(index=False))

# %%
plot_certificate(model)
