"""
A model as SQL and as C
=======================

A fitted diagram becomes one SQL expression or one C file that needs no library. Both give
the class that ``predict`` gives.
"""

# %%
import sqlite3

from sklearn.datasets import load_iris

from oddlearn import OptimalDecisionDiagramClassifier, export_c, export_sql, plot_diagram

iris = load_iris(as_frame=True)
X = iris.data.rename(columns=lambda name: name.replace(" (cm)", "").replace(" ", "_"))
y = iris.target_names[iris.target]
model = OptimalDecisionDiagramClassifier(
    "1-2", node_price=0.01, time_limit=30, random_state=0
).fit(X, y)

# %%
print(export_sql(model))

# %%
# The expression in a database, beside ``predict``:
with sqlite3.connect(":memory:") as database:
    X.to_sql("flowers", database, index=False)
    query = f"SELECT {export_sql(model)} FROM flowers"
    classes = [row[0] for row in database.execute(query)]
print("rows that differ:", sum(classes != model.predict(X)))

# %%
# The C file holds tables of constants and three functions.
source = export_c(model, prefix="iris")
print(source[-1300:])

# %%
# The model both were made from:
plot_diagram(model, X=X)
