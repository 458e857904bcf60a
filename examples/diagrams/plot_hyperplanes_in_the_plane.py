"""
Splits by weighted sums, drawn in the plane
===========================================

With ``split="multivariate"`` a node compares a weighted sum of all features with a
threshold. With two features that is a line, so everything can be drawn.
"""

# %%
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import ListedColormap
from sklearn.datasets import make_moons
from sklearn.inspection import DecisionBoundaryDisplay

from oddlearn import OptimalDecisionDiagramClassifier, export_text

X, y = make_moons(n_samples=150, noise=0.2, random_state=1)
options = {"skeleton": "1-2-2", "node_price": 0.01, "time_limit": 5, "random_state": 0}
models = {
    kind: OptimalDecisionDiagramClassifier(split=kind, **options).fit(X, y)
    for kind in ("univariate", "multivariate")
}
for kind, model in models.items():
    print(f"{kind}: {model.n_nodes_} nodes, accuracy {model.score(X, y):.3f}")

# %%
print(export_text(models["multivariate"], X=X))

# %%
# A split of one feature is a vertical or horizontal line. The dashed lines of the right
# picture are the hyperplanes; each counts only for the samples that reach its node.
colours = ListedColormap(["#0072b2", "#d27a00"])  # those of diagrams
figure, panels = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
for ax, (kind, model) in zip(panels, models.items(), strict=True):
    DecisionBoundaryDisplay.from_estimator(
        model, X, ax=ax, response_method="predict", cmap=colours, alpha=0.25,
        grid_resolution=300,
    )
    ax.scatter(*X.T, c=y, cmap=colours, edgecolor="white", s=30)
    ax.set_title(f"{kind} splits, {model.n_nodes_} nodes")
limits = np.array(panels[1].get_xlim())
for split in models["multivariate"].diagram_.splits:
    first, second = split.weights
    if second != 0:
        heights = (split.threshold - first * limits) / second
        panels[1].plot(limits, heights, "--", color="black", linewidth=1)
panels[1].set(xlim=limits, ylim=panels[0].get_ylim())
plt.show()
