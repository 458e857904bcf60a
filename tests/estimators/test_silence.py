import subprocess
import sys

import pytest

SCRIPT = """
import numpy as np
from oddlearn import OptimalDecisionDiagramClassifier, OptimalDecisionTreeClassifier

random = np.random.default_rng(0)
X = random.random((200, 3))
y = (2 * X[:, 0] * X[:, 1] + 0.3 * random.random(200) > 0.5).astype(int)
for split in ("univariate", "multivariate"):
    options = dict(split=split, search="{search}", max_iter=30, n_jobs=2, random_state=0)
    OptimalDecisionDiagramClassifier("1-2-2", **options).fit(X, y).predict(X)
    OptimalDecisionTreeClassifier(2, **options).fit(X, y).predict(X)
    OptimalDecisionDiagramClassifier("1-2-2", split=split, search="{search}", time_limit=10).fit(X, y)
"""


@pytest.mark.parametrize("search", ["local_search", "construct"])
def test_a_fit_says_nothing_on_its_own(search):
    # warnings are on, and so is what Cython prints of exceptions it cannot raise
    command = [sys.executable, "-W", "always", "-c", SCRIPT.format(search=search)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")
