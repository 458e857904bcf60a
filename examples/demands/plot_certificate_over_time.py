"""
A certificate that grows
========================

During a fit two numbers approach each other: the objective of the best diagram so far
falls, and the proved lower bound rises. When they meet, no better diagram exists.
"""

# %%
from sklearn.datasets import load_wine

from oddlearn import OptimalDecisionDiagramClassifier, plot_history

wine = load_wine(as_frame=True)
X, y = wine.data[["alcohol", "malic_acid", "ash", "hue"]], wine.target_names[wine.target]
model = OptimalDecisionDiagramClassifier(
    "1-2-2", node_price=0.01, time_limit=60, random_state=0
).fit(X, y)
print(model.certificate_.explain())

# %%
# What lies between the curves is not known yet. A fit that ends there returns its best
# diagram and says how much better one could be at most.
plot_history(model)
