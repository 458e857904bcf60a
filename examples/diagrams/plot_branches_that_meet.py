"""
Branches that meet again
========================

Accept if *(x1 and x2) or (x3 and x4)*. A tree must ask about the second pair twice: once
where the first pair has already failed at its first question, and once where it fails
at its second. In a diagram both branches lead to the same node.
"""

# %%
# All sixteen combinations of four yes/no answers, each one once.
from itertools import product

import pandas as pd

X = pd.DataFrame(
    list(product([False, True], repeat=4)), columns=["x1", "x2", "x3", "x4"]
)
y = ((X.x1 & X.x2) | (X.x3 & X.x4)).map({True: "accept", False: "reject"})

# %%
# A diagram of four layers and a tree of depth four. A node must save one percent of the
# samples.
from oddlearn import (
    OptimalDecisionDiagramClassifier,
    OptimalDecisionTreeClassifier,
    export_text,
    plot_fragmentation,
)

options = {"node_price": 0.01, "time_limit": 60, "random_state": 0}
diagram = OptimalDecisionDiagramClassifier("1-2-2-2", **options).fit(X, y)
tree = OptimalDecisionTreeClassifier(max_depth=4, **options).fit(X, y)
for name, model in {"diagram": diagram, "tree": tree}.items():
    print(f"{name}: {model.n_nodes_} nodes, accuracy {model.score(X, y):.0%}")
    print(f"  proved optimal: {model.is_optimal_}")

# %%
print(export_text(diagram))

# %%
# Both are right on all rows. The share in each node says how many of the samples pass it.
# The shared node of the diagram sees more of them than its two copies in the tree. (An arc
# of a diagram leads to the next layer or ends, so one question is asked in two places here
# too.)
plot_fragmentation(diagram, tree)
