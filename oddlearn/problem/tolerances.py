"""The tolerances of objectives, bounds, rows and margins."""

from __future__ import annotations

# objective and bound this close are equal
OPTIMALITY_TOLERANCE = 1e-9

# rows violated by less are kept
VIOLATION_TOLERANCE = 1e-9

# a gap between two sides may fall short of the margin by this much, for rounding
MARGIN_TOLERANCE = 1e-9

# a bound this little above a possible value counts as that value: it is noise of floating point
LATTICE_TOLERANCE = 1e-9
