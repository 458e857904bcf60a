from typing import Any

from numpy.typing import NDArray

def project_rows(X: NDArray[Any], weights: NDArray[Any], sums: NDArray[Any]) -> None: ...
