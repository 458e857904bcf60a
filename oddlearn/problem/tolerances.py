"""The tolerances of objectives, bounds, rows and margins."""

from __future__ import annotations

OPTIMALITY_TOLERANCE = 1e-9  # objective and bound this close are equal
VIOLATION_TOLERANCE = 1e-9  # rows violated by less are kept

# a gap between two sides may fall short of the margin by this much, for rounding
MARGIN_TOLERANCE = 1e-9

# a bound this little above a possible value counts as that value: it is noise of floating point
GRID_TOLERANCE = 1e-9
