"""
A large table
=============

A hundred thousand rows. The search begins on a sample and goes on with all rows; the
model, its objective and its certificate are those of all rows.
"""

# %%
# An exclusive or of two columns, with two exceptions and eight percent of noise. No single
# split of these two columns helps: only two splits together do.
import time

import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import train_test_split
from sklearn.tree import DecisionTreeClassifier

from oddlearn import OptimalDecisionDiagramClassifier, plot_diagram

random = np.random.default_rng(0)
X = random.normal(size=(100_000, 8)).round(3)
positive = (X[:, 0] > 0) ^ (X[:, 1] > 0)
positive = (positive | (X[:, 2] > 0.8)) & (X[:, 3] > -1)
y = np.where(positive ^ (random.random(len(X)) < 0.08), "yes", "no")
X, X_test, y, y_test = train_test_split(X, y, random_state=0)

# %%
start = time.perf_counter()
model = OptimalDecisionDiagramClassifier(
    "1-2-4-4", node_price=0.002, time_limit=60, random_state=0
).fit(X, y)
print(f"{len(X):,} rows, {time.perf_counter() - start:.0f} s")
tree = DecisionTreeClassifier(max_leaf_nodes=8, random_state=0).fit(X, y)
print(f"diagram, {model.n_nodes_} nodes: test accuracy {model.score(X_test, y_test):.3f}")
print(f"CART, 7 nodes:    test accuracy {tree.score(X_test, y_test):.3f}")

# %%
# A table of this size is searched; do not expect a complete proof.
print(model.certificate_.explain().splitlines()[0])

# %%
plot_diagram(model)
plt.show()
