"""
Get started
===========

Ten minutes from a CSV file to a model that you can read, check and hand on. Everything on
this page was run when the site was built; the boxes under the code are what it printed.

Install
-------

You need Python 3.10 or later. There is no release yet, so install from a clone of the
repository. This compiles a few files, for which you need GCC or clang::

    pip install ".[plot,tables]"

``plot`` brings matplotlib for pictures, ``tables`` brings pandas. The proofs need nothing
else.

A table
-------

Any CSV file with one row per case will do. This page uses the tumours that come with
scikit-learn: ten measurements of the worst cell nuclei in a sample, and whether the tumour
was malignant.
To use your own file, leave out the first block and put in your names.
"""

from pathlib import Path

from sklearn.datasets import load_breast_cancer

tumours = load_breast_cancer(as_frame=True)
table = tumours.data.filter(like="worst").rename(columns=lambda name: name[6:])
table["diagnosis"] = tumours.target_names[tumours.target]
Path("demo").mkdir(exist_ok=True)
table.to_csv("demo/tumours.csv", index=False)

# %%
# Keep some rows back: a model is judged by rows it has not seen.
import pandas as pd
from sklearn.model_selection import train_test_split

table = pd.read_csv("demo/tumours.csv")
X, y = table.drop(columns="diagnosis"), table["diagnosis"]
X, X_test, y, y_test = train_test_split(X, y, stratify=y, random_state=0)
print(f"{len(X)} rows to train on, {len(X_test)} held out")

# %%
# Numbers, text, categories, dates and missing values are taken as they are: see
# :doc:`/guide/tables`.
#
# Train
# -----
#
# Three things say what you want.
#
# - The **skeleton** ``"1-2-1"``: at most one node in the first layer, two in the second and
#   one in the third, where branches may meet again.
# - The **price per node** ``0.005``: a node must save half a percent of the rows, or it is
#   left out. The first one is free.
# - The **time limit** in seconds. Most fits end earlier, by their own rule.
from oddlearn import OptimalDecisionDiagramClassifier

model = OptimalDecisionDiagramClassifier(
    "1-2-1", node_price=0.005, time_limit=60, random_state=0
)
model.fit(X, y)
print(f"{model.n_nodes_} nodes, proved optimal: {model.is_optimal_}")
print(f"accuracy on the rows held out: {model.score(X_test, y_test):.3f}")
print(f"always the most frequent class: {(y_test == y.mode()[0]).mean():.3f}")

# %%
# Read it
# -------
#
# A row starts at the top. At each box it takes the solid arc if the condition holds, else
# the dashed one. It ends in a class. Arcs are as wide as the rows that take them.
# ``plot_diagram(model, X=X).figure.savefig("diagram.png")`` writes a file.
from oddlearn import plot_diagram

plot_diagram(model, X=X)

# %%
# The same as text. A node that two branches lead to is written once.
from oddlearn import export_text

print(export_text(model, X=X))

# %%
# More ways to look at a model: :doc:`/guide/reading`.
#
# What is proved
# --------------
#
# The certificate says in words what the fit has proved about the training rows.
print(model.certificate_.explain())

# %%
# It is a statement about *these rows, this skeleton and this price*, not about new rows:
# see :doc:`/guide/proof`. How the best diagram so far and the proved bound met:
from oddlearn import plot_history

plot_history(model)

# %%
# Another size
# ------------
#
# A lower price gives a larger model, a higher one a smaller model. What is best for new
# rows is found by cross-validation: :doc:`/guide/skeleton_and_penalty`.
for price in (0.001, 0.02, 0.05):
    other = OptimalDecisionDiagramClassifier(
        "1-2-1", node_price=price, time_limit=20, random_state=0
    ).fit(X, y)
    print(
        f"price {price}: {other.n_nodes_} node(s), training {other.score(X, y):.3f}, "
        f"test {other.score(X_test, y_test):.3f}"
    )

# %%
# Keep it, hand it on
# -------------------
#
# ``to_html`` writes one page for any browser: the diagram to click on, a form in which you
# follow a case of your own, accuracy and the certificate. ``save`` writes a JSON file;
# reading it runs no code. ``verify`` checks a saved model against its training rows.
from pathlib import Path

import oddlearn

Path("demo").mkdir(exist_ok=True)
model.to_html("demo/report.html", X, y, X_test=X_test, y_test=y_test)
model.save("demo/model.json")
print(oddlearn.verify("demo/model.json", X, y).text)

# %%
# Or take it into a database, as one expression:
print(oddlearn.export_sql(oddlearn.load("demo/model.json")))

# %%
# Without Python
# --------------
#
# The same from a terminal, one command for the whole way::
#
#     oddlearn fit demo/tumours.csv --target diagnosis --skeleton 1-2-1 --node-price 0.005
#     oddlearn show model.json
#     oddlearn predict model.json new.csv
#
# It holds out a quarter of the rows of its own, so the model may differ from the one above.
# ``--drop`` leaves out columns that name the rows or give the answer away.
# More: :doc:`/guide/command_line`.
#
# Where next
# ----------
#
# - You know scikit-learn's trees: :doc:`/guide/coming_from_decision_trees`.
# - Your table has gaps, text, dates or a rare class: :doc:`/guide/tables`.
# - Your model must be fair, small or stable: :doc:`/guide/constraints`.
# - It must run elsewhere, or be audited: :doc:`/guide/exports`.
# - Ask for help by a page or an example: :doc:`/guide/index`, :doc:`/gallery/index`.
