"""
No node for a handful of samples
================================

``MinFlow(0.1)`` asks that every node sees at least a tenth of the training samples. A
threshold that rests on many samples moves less when the data change.
"""

# %%
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

from oddlearn import MinFlow, OptimalDecisionDiagramClassifier, plot_diagram

tumours = load_breast_cancer(as_frame=True)
X, X_test, y, y_test = train_test_split(
    tumours.data, tumours.target_names[tumours.target], random_state=0
)
options = {"skeleton": "1-2-2", "node_price": 0.003, "time_limit": 5, "random_state": 0}
free = OptimalDecisionDiagramClassifier(**options).fit(X, y)
stable = OptimalDecisionDiagramClassifier(constraints=[MinFlow(0.1)], **options).fit(X, y)
for name, model in {"free": free, "at least 10 % in every node": stable}.items():
    print(
        f"{name}: {model.n_nodes_} nodes, training {model.score(X, y):.3f}, "
        f"test {model.score(X_test, y_test):.3f}"
    )

# %%
# Without the constraint:
plot_diagram(free, X=X)

# %%
# With it, every box shows ten percent or more:
plot_diagram(stable, X=X)
