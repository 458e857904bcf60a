"""
A tree and a diagram of the same size
=====================================

Both models may have up to fifteen nodes and pay the same price per node. In the tree the
samples are spread over more and more nodes. In the diagram branches may meet again, so
that nodes far down still see many samples.
"""

# %%
from sklearn.datasets import load_wine
from sklearn.model_selection import train_test_split

from oddlearn import (
    OptimalDecisionDiagramClassifier,
    OptimalDecisionTreeClassifier,
    plot_fragmentation,
)

wine = load_wine(as_frame=True)
columns = ["alcohol", "malic_acid", "ash", "magnesium", "hue"]
X, X_test, y, y_test = train_test_split(
    wine.data[columns], wine.target_names[wine.target], random_state=0
)

# %%
# Only five of the thirteen measurements are used: with all of them three nodes are enough.
options = {"node_price": 0.005, "time_limit": 4, "random_state": 0}
diagram = OptimalDecisionDiagramClassifier("1-2-4-4-4", **options).fit(X, y)
tree = OptimalDecisionTreeClassifier(max_depth=4, **options).fit(X, y)
for name, model in {"diagram": diagram, "tree": tree}.items():
    print(
        f"{name}: {model.n_nodes_} nodes, objective {model.objective_:.4f}, "
        f"training {model.score(X, y):.3f}, test {model.score(X_test, y_test):.3f}"
    )

# %%
# The numbers are shares of the training samples. On new rows neither is better in general:
# choose by validation, see :doc:`plot_skeleton_and_penalty`.
plot_fragmentation(diagram, tree)
