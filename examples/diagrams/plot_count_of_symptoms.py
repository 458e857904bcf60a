"""
Counting: at least three of five
================================

"Treat if at least three of five symptoms are there." A diagram needs one node for each
pair of *questions asked so far* and *symptoms found so far*. A tree needs one node for
each order of answers.
"""

# %%
from itertools import product

import pandas as pd

from oddlearn import (
    OptimalDecisionDiagramClassifier,
    OptimalDecisionTreeClassifier,
    plot_diagram,
)

symptoms = ["fever", "cough", "fatigue", "headache", "rash"]
X = pd.DataFrame(list(product([False, True], repeat=5)), columns=symptoms)
y = (X.sum(axis=1) >= 3).map({True: "treat", False: "wait"})

options = {"node_price": 0.001, "time_limit": 60, "random_state": 0}
diagram = OptimalDecisionDiagramClassifier("1-2-3-2-1", **options).fit(X, y)
tree = OptimalDecisionTreeClassifier(max_depth=5, **options).fit(X, y)
for name, model in {"diagram": diagram, "tree": tree}.items():
    print(f"{name}: {model.n_nodes_} nodes, accuracy {model.score(X, y):.0%}")
    print(f"  proved optimal: {model.is_optimal_}")

# %%
# Each layer of the diagram asks one question. Its nodes differ in how many symptoms were
# found before.
plot_diagram(diagram)
