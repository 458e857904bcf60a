"""
Branches that meet again
========================

The rule *(x1 and x2) or (x3 and x4)* needs four questions. A tree must ask about x3 and x4 twice: once where x1 is
false, and once where x1 is true and x2 is false. In a diagram both branches lead to the same node.
"""

# %%
# All sixteen combinations of four yes/no answers, each one once.
from itertools import product

import pandas as pd

X = pd.DataFrame(list(product([False, True], repeat=4)), columns=["x1", "x2", "x3", "x4"])
y = ((X.x1 & X.x2) | (X.x3 & X.x4)).map({True: "accept", False: "reject"})

# %%
# A diagram of at most four layers, and a tree of depth four. A node must save one percent of the samples.
from oddlearn import OptimalDecisionDiagramClassifier, OptimalDecisionTreeClassifier, export_text

diagram = OptimalDecisionDiagramClassifier("1-2-2-2", node_price=0.01, time_limit=5, random_state=0).fit(X, y)
tree = OptimalDecisionTreeClassifier(max_depth=4, node_price=0.01, time_limit=5, random_state=0).fit(X, y)
for name, model in {"diagram": diagram, "tree": tree}.items():
    print(f"{name}: {model.n_nodes_} nodes, accuracy {model.score(X, y):.0%}, proved optimal: {model.is_optimal_}")

# %%
print(export_text(diagram))

# %%
# Both are right on all rows, and both are proved to be the smallest such model of their kind. The share in each node
# says how many of the samples pass it: in the diagram the shared node is asked by more samples than either copy in the
# tree.
from oddlearn import plot_fragmentation

plot_fragmentation(diagram, tree)
