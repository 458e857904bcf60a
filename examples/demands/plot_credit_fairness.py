"""
Credit, with a fair share for every group
=========================================

Made-up applicants of two age groups. The sensitive column is no feature of the model, but
income and years of employment go with age. A constraint asks that the younger group is
accepted at least 0.8 times as often (the four-fifths rule).
"""

# %%
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from oddlearn import DemographicParity, OptimalDecisionDiagramClassifier, fairness_report

random = np.random.default_rng(0)
n = 600
group = np.where(random.random(n) < 0.3, "25 or less", "older")
young = group == "25 or less"
X = pd.DataFrame(
    {
        "income": (random.gamma(6, 500, n) - 500 * young).round(-2),
        "employed_years": random.poisson(np.where(young, 2, 8)),
        "savings": random.gamma(2, 1500, n).round(-2),
    }
)
merit = X.income / 1000 + 0.15 * X.employed_years + X.savings / 4000
y = np.where(merit + random.normal(0, 0.8, n) > 4.2, "pays back", "defaults")

# %%
options = {"skeleton": "1-2-2", "node_price": 0.01, "time_limit": 8, "random_state": 0}
models = {
    "no constraint": OptimalDecisionDiagramClassifier(**options).fit(X, y),
    "four-fifths rule": OptimalDecisionDiagramClassifier(
        constraints=[DemographicParity(0.8, favourable="pays back")], **options
    ).fit(X, y, sensitive_features=group),
}
for name, model in models.items():
    print(f"{name}: accuracy {model.score(X, y):.3f}, {model.n_nodes_} nodes")

# %%
report = fairness_report(
    y, models["four-fifths rule"].predict(X), group, favourable="pays back"
)
print(report)

# %%
# Share of each group that is accepted. The constraint holds on the training rows; look at
# rows the model has not seen before you rely on it.
shares = pd.DataFrame(
    {
        name: pd.Series(model.predict(X) == "pays back").groupby(group).mean()
        for name, model in models.items()
    }
).T
shares.plot.bar(rot=0, ylabel="accepted", figsize=(6, 3.6), color=["#0072B2", "#D55E00"])
plt.title("Selection rate of each group, training rows")
plt.tight_layout()
plt.show()
