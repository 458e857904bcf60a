"""Conflict sets by Wolfe's algorithm for the point of least norm in a convex hull.

Rows p_i, with a one appended, have sides s_i: +1, -1, or 0 for rows left out. A hyperplane w through the origin has
all rows on their sides if s_i w.p_i > 0, and there is one unless the hull of the points s_i p_i holds the origin.
The algorithm keeps affinely independent points, the corral, and the weights of the point x of least norm in their
hull. It adds the point with the least x.p as long as that is below x.x, and drops those whose weight falls to 0.
Where it ends at the origin, the corral is an irreducible conflict set: at most one row more than coordinates.

A row may have a scale c_i > 0, which changes no conflict: rows of large scale are preferred.
"""

from libc.math cimport sqrt
from libc.stdint cimport int8_t

import numpy as np

cdef enum:
    MAX_STEPS_PER_ROW = 30     # steps without an end, as a multiple of the coordinates, that only rounding explains

cdef double ORIGIN = 1e-20          # squared norm of a point that is the origin, for points of norm about 1
cdef double GAIN = 1e-10            # a point that lowers the squared norm by a smaller share is not added
cdef double INDEPENDENT = 1e-11     # squared distance from the span of the corral at which a point counts as outside
cdef double ZERO_WEIGHT = 1e-12


cdef class ConflictFinder:
    """Points and the corral of the last search, from which the next one starts."""

    cdef readonly int n_rows, n_columns
    cdef readonly double operations       # multiplications so far
    cdef int size, capacity
    cdef double[:, ::1] columns           # (D, n): one coordinate of all points after the other
    cdef double[::1] key, x, solution
    cdef double[:, ::1] corral, factor    # points, a row each; upper triangular, of E + Q Q^T
    cdef double[::1] weight, affine
    cdef int[::1] member
    cdef int8_t[::1] member_side

    def __init__(self, points):
        """Take points (n, D), float: the last coordinate is the one appended."""
        self.columns = np.ascontiguousarray(np.asarray(points, dtype=np.float64).T)
        self.n_columns, self.n_rows = self.columns.shape[0], self.columns.shape[1]
        # affinely independent points: no more than rows, and than coordinates and one
        self.capacity = min(self.n_columns + 1, self.n_rows)
        size = self.capacity + 1
        self.key, self.x = np.zeros(self.n_rows), np.zeros(self.n_columns)
        self.corral, self.factor = np.zeros((size, self.n_columns)), np.zeros((size, size))
        self.weight, self.affine, self.solution = np.zeros((3, size))
        self.member, self.member_side = np.zeros(size, dtype=np.int32), np.zeros(size, dtype=np.int8)
        self.size = 0
        self.operations = 0.0

    def find(self, const int8_t[::1] sides, const double[::1] scale, double min_gap):
        """Return rows and their multipliers, and the direction (D,) in which the search ended.

        ``sides`` (n,), ``scale`` (n,).
        ``min_gap``: the search ends with a direction w if all rows have a distance s_i w.p_i of at least this
        times the norm of the weights, the appended coordinate left out; else it goes on to the least norm.
        The multipliers are positive and those of each side have half the sum if the rows are a conflict set.
        """
        if not np.asarray(sides).any():
            return np.zeros(0, dtype=np.int32), np.zeros(0), np.zeros(self.n_columns)
        with nogil:
            self._restart(sides, scale)
            self._minimise(sides, scale, min_gap)
        rows = np.asarray(self.member[:self.size]).copy()
        weights = np.asarray(self.weight[:self.size]) * np.asarray(scale)[rows]
        return rows, weights / weights.sum(), np.asarray(self.x).copy()

    cdef void _minimise(self, const int8_t[::1] sides, const double[::1] scale, double min_gap) noexcept nogil:
        cdef int step, row
        cdef double norm
        self._shrink()
        for step in range(MAX_STEPS_PER_ROW * (self.n_columns + 4)):
            norm = self._locate()
            if norm <= ORIGIN:
                return
            row = self._entering_row(sides, scale, min_gap, norm)
            if row < 0 or not self._enter(row, sides[row], scale[row]):
                return
            self._shrink()

    cdef void _restart(self, const int8_t[::1] sides, const double[::1] scale) noexcept nogil:
        """Keep the members of the last corral that have the same side, with equal weights; at least one row."""
        cdef int k, count = self.size, first = 0
        self.size = 0
        for k in range(count):
            if sides[self.member[k]] == self.member_side[k]:
                self._enter(self.member[k], sides[self.member[k]], scale[self.member[k]])
        if self.size == 0:
            while sides[first] == 0:
                first += 1
            self._enter(first, sides[first], scale[first])
        for k in range(self.size):
            self.weight[k] = 1.0 / self.size

    cdef double _locate(self) noexcept nogil:
        """Compute the point x of the hull with the present weights; return its squared norm."""
        cdef int k, f
        cdef double norm = 0.0
        for f in range(self.n_columns):
            self.x[f] = 0.0
        for k in range(self.size):
            for f in range(self.n_columns):
                self.x[f] += self.weight[k] * self.corral[k, f]
        for f in range(self.n_columns):
            norm += self.x[f] * self.x[f]
        self.operations += self.size * self.n_columns
        return norm

    cdef int _entering_row(
        self, const int8_t[::1] sides, const double[::1] scale, double min_gap, double norm
    ) noexcept nogil:
        """Return the row with the least s c x.p; -1 if none improves x, or all keep the gap."""
        cdef int f, i, best = -1
        cdef double factor, value, least = norm * (1.0 - GAIN), least_distance = 1e300, length = 0.0
        cdef double* key = &self.key[0]
        cdef double* column
        for f in range(self.n_columns):
            factor = self.x[f]
            column = &self.columns[f, 0]
            if f == 0:
                for i in range(self.n_rows):
                    key[i] = factor * column[i]
            else:
                for i in range(self.n_rows):
                    key[i] += factor * column[i]
            if f < self.n_columns - 1:
                length += factor * factor
        self.operations += <double>self.n_rows * self.n_columns
        for i in range(self.n_rows):
            if sides[i] == 0:
                continue
            value = sides[i] * key[i]
            if value < least_distance:
                least_distance = value
            value *= scale[i]
            if value < least:
                least = value
                best = i
        return -1 if least_distance >= min_gap * sqrt(length) and least_distance > 0 else best

    cdef bint _enter(self, int row, int8_t side, double scale) noexcept nogil:
        """Add a point to the corral with weight 0; False if it is in its affine hull, rounding apart."""
        cdef int k, f, size = self.size
        cdef double total, square = 1.0
        for f in range(self.n_columns):
            self.corral[size, f] = side * scale * self.columns[f, row]
            square += self.corral[size, f] * self.corral[size, f]
        total = square
        for k in range(size):
            self.solution[k] = 1.0
            for f in range(self.n_columns):
                self.solution[k] += self.corral[k, f] * self.corral[size, f]
        self._solve_transposed(self.solution)
        for k in range(size):
            self.factor[k, size] = self.solution[k]
            square -= self.solution[k] * self.solution[k]
        if size == self.capacity or square <= INDEPENDENT * total:
            return False
        self.factor[size, size] = sqrt(square)
        self.member[size], self.member_side[size], self.weight[size] = row, side, 0.0
        self.size = size + 1
        self.operations += size * (self.n_columns + size)
        return True

    cdef void _shrink(self) noexcept nogil:
        """Move the weights to the point of least norm; members whose weight falls to 0 leave."""
        cdef int k, leaving
        cdef double total, way, length
        while self.size > 1:
            for k in range(self.size):
                self.affine[k] = 1.0
            self._solve_transposed(self.affine)
            self._solve(self.affine)
            total = 0.0
            for k in range(self.size):
                total += self.affine[k]
            leaving, way = -1, 1.0
            for k in range(self.size):
                self.affine[k] /= total
                if self.affine[k] <= ZERO_WEIGHT:
                    length = self.weight[k] - self.affine[k]
                    length = self.weight[k] / length if length > 0 else 0.0
                    if leaving < 0 or length < way:
                        leaving, way = k, length
            for k in range(self.size):
                self.weight[k] += (way if leaving >= 0 else 1.0) * (self.affine[k] - self.weight[k])
            if leaving < 0:
                return
            self._leave(leaving)
        self.weight[0] = 1.0

    cdef void _leave(self, int place) noexcept nogil:
        """Take a member out, and restore the triangle of the factor by rotations."""
        cdef int k, j, f, size = self.size - 1
        cdef double first, second, length, cosine, sine
        for k in range(place, size):
            self.member[k], self.member_side[k] = self.member[k + 1], self.member_side[k + 1]
            self.weight[k] = self.weight[k + 1]
            for f in range(self.n_columns):
                self.corral[k, f] = self.corral[k + 1, f]
            for j in range(size + 1):
                self.factor[j, k] = self.factor[j, k + 1]
        for k in range(place, size):
            first, second = self.factor[k, k], self.factor[k + 1, k]
            length = sqrt(first * first + second * second)
            cosine, sine = first / length, second / length
            for j in range(k, size):
                first, second = self.factor[k, j], self.factor[k + 1, j]
                self.factor[k, j] = cosine * first + sine * second
                self.factor[k + 1, j] = cosine * second - sine * first
        self.size = size
        self.operations += size * (self.n_columns + size)

    cdef void _solve_transposed(self, double[::1] b) noexcept nogil:
        """Solve R^T y = b in place."""
        cdef int k, j
        for k in range(self.size):
            for j in range(k):
                b[k] -= self.factor[j, k] * b[j]
            b[k] /= self.factor[k, k]

    cdef void _solve(self, double[::1] b) noexcept nogil:
        """Solve R y = b in place."""
        cdef int k, j
        for k in range(self.size - 1, -1, -1):
            for j in range(k + 1, self.size):
                b[k] -= self.factor[k, j] * b[j]
            b[k] /= self.factor[k, k]
