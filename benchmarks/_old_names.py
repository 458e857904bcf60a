"""Names of the old layout beside those of the new: to be deleted with the last use of an old tree."""

from __future__ import annotations

from typing import Any

import oddlearn

EXACT = {} if hasattr(oddlearn, "BranchAndBound") else {"branch_and_bound": "branch"}
EVIDENCE = {"branch": "branch_and_bound", "one hyperplane": "single_hyperplane"}


def evidence_of(model: Any, solver: str) -> Any | None:  # noqa: ANN401
    """Return the evidence of a solver in a model's certificate, None if there is none."""
    for proof in model.certificate_.evidence:
        name = proof.solver if hasattr(proof, "solver") else proof.engine
        if EVIDENCE.get(name, name) == solver:
            return proof
    return None
