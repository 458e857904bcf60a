"""
Choose the skeleton and the price by cross-validation
=====================================================

``OptimalDecisionDiagramClassifierCV`` trains every skeleton with every price on every
fold, takes the pair with the best score and trains it once more on all rows.
"""

# %%
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

from oddlearn import OptimalDecisionDiagramClassifierCV, Skeleton, plot_tuning

tumours = load_breast_cancer(as_frame=True)
X, X_test, y, y_test = train_test_split(
    tumours.data, tumours.target_names[tumours.target], random_state=0
)

model = OptimalDecisionDiagramClassifierCV(
    skeletons=["1-2", "1-2-2-2", "1-2-4-4", Skeleton.tree(4)],
    node_prices=[0.003, 0.01, 0.03],
    cv=3,
    time_limit=12,
    random_state=0,
).fit(X, y)
print(model.best_params_)
print(f"mean accuracy over the folds: {model.best_score_:.3f}")
print(f"accuracy on rows that took no part: {model.score(X_test, y_test):.3f}")

# %%
# A point is the mean over the folds, a bar their standard deviation. Most bars overlap:
# then take the smallest model.
plot_tuning(model)
