"""Sums of costs by node, column, bin and target, for the nodes of one layer together.

A row meets one node of a layer, so one pass over the rows serves all of them; see ``block_pass.h``.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t
from libc.stdlib cimport calloc, free
from libc.string cimport memset

cdef extern from "histogram/block_pass.h":
    enum:
        BLOCK_ROWS
        BINS
    ctypedef struct BlockPass:
        int n_slots, n_classes
        const int32_t* child
        const int32_t* column
        const uint8_t* low
        const uint8_t* high
        const uint8_t* active
        const uint8_t** bins
        uint8_t* side
        uint8_t* reached
        uint8_t* ends
    void compute_sides(const BlockPass*, int64_t, int) noexcept nogil
    void route_down(const BlockPass*, int, const int32_t*, const int32_t*, int, uint8_t*) noexcept nogil
    void find_ends(const BlockPass*, int, int) noexcept nogil
    ctypedef struct RowAmounts:
        const double* cost
        const uint8_t* codes
        const double* weight
        const double* flow
    void pass_int(const BlockPass*, int64_t, int64_t, int, int, const int32_t*, const int32_t*, int, const int32_t*,
                  int, int, const RowAmounts*, const int32_t*, int, uint8_t*, uint16_t*, int32_t*,
                  int32_t*) noexcept nogil
    void pass_long(const BlockPass*, int64_t, int64_t, int, int, const int32_t*, const int32_t*, int,
                   const int32_t*, int, int, const RowAmounts*, const int32_t*, int, uint8_t*, uint16_t*, int64_t*,
                   int64_t*) noexcept nogil

ctypedef fused amount:
    int32_t
    int64_t


cdef class RowPass:
    """A diagram over binned columns, ready to route rows; every thread needs one of its own.

    Parameters
    ----------
    bins : sequence of (n_rows,) uint8
        Of each column.
    child, column, low, high, active
        Of each slot: targets, column of the split, bins of its positive side, 1 if it is in use.
    n_classes : int
    """

    cdef BlockPass data
    cdef object _owners
    cdef int64_t n_rows
    cdef uint8_t* _group
    cdef uint16_t* _rows
    cdef void* _values

    def __cinit__(self, bins, const int32_t[:, ::1] child, const int32_t[::1] column,
                  const uint8_t[::1] low, const uint8_t[::1] high, const uint8_t[::1] active, int n_classes):
        cdef int n_slots = child.shape[0], k, n_columns = len(bins)
        cdef const uint8_t[::1] own
        self._owners = (tuple(bins), child, column, low, high, active)
        self.n_rows = len(bins[0]) if n_columns else 0
        self.data.n_slots, self.data.n_classes = n_slots, n_classes
        self.data.child, self.data.column = &child[0, 0], &column[0]
        self.data.low, self.data.high, self.data.active = &low[0], &high[0], &active[0]
        self.data.bins = <const uint8_t**>calloc(n_columns + 1, sizeof(uint8_t*))
        self.data.side = <uint8_t*>calloc(n_slots, BLOCK_ROWS)
        self.data.reached = <uint8_t*>calloc(n_slots, BLOCK_ROWS)
        self.data.ends = <uint8_t*>calloc(n_slots + n_classes, BLOCK_ROWS)
        self._group = <uint8_t*>calloc(1, BLOCK_ROWS)
        self._rows = <uint16_t*>calloc(BLOCK_ROWS + 1, sizeof(uint16_t))
        if (self.data.bins == NULL or self.data.side == NULL or self.data.reached == NULL or self.data.ends == NULL
                or self._group == NULL or self._rows == NULL):
            raise MemoryError
        if self.n_rows > 0:
            for k in range(n_columns):
                own = bins[k]
                if own.shape[0] != self.n_rows:
                    raise ValueError("The columns have different numbers of rows.")
                self.data.bins[k] = &own[0]
        for k in range(n_classes):
            memset(self.data.ends + <int64_t>(n_slots + k) * BLOCK_ROWS, k, BLOCK_ROWS)

    def __dealloc__(self):
        free(self.data.bins)
        free(self.data.side)
        free(self.data.reached)
        free(self.data.ends)
        free(self._group)
        free(self._rows)
        free(self._values)

    def add_sums(self, int64_t first, int64_t last, int end, int begin, const int32_t[::1] slot_group,
                 const int32_t[::1] arc_group, const int32_t[::1] targets, const double[:, ::1] cost,
                 const uint8_t[::1] codes, const double[::1] weight, const double[::1] flow,
                 const int32_t[::1] columns, amount[:, :, :, ::1] sums):
        """Add the costs of the rows first .. last - 1 to ``sums`` (columns, groups, 256, lanes).

        ``cost`` is that of each row and class; with ``codes``, the classes of the rows, that of each true and
        given class, times ``weight`` unless that is empty. Costs and flows are cut off to integers.

        Slots before ``end`` are passed on the way; a row that reaches slot v is of group ``slot_group[v]``, one
        that leaves for good on arc ``2 v + side`` of group ``arc_group``, -1 for none. Lane t is the cost of
        going on from ``targets[t]``, a slot from ``begin`` on or a class; with ``flow`` the next lane is the flow.
        """
        cdef int lanes = sums.shape[3], n_targets = targets.shape[0], n_groups = sums.shape[1]
        cdef int64_t n_costs = self.data.n_classes if codes.shape[0] else self.n_rows
        cdef RowAmounts amounts
        amounts.codes = NULL
        amounts.weight = amounts.flow = NULL
        if codes.shape[0]:
            amounts.codes = &codes[0]
        if weight.shape[0]:
            amounts.weight = &weight[0]
        if flow.shape[0]:
            amounts.flow = &flow[0]
        for count in (codes.shape[0], weight.shape[0], flow.shape[0]):
            if count != 0 and count != self.n_rows:
                raise ValueError("There are not as many classes, weights or flows as rows.")
        if n_targets + (flow.shape[0] > 0) > lanes or last > self.n_rows or sums.shape[0] != columns.shape[0]:
            raise ValueError("The sums have too few lanes or columns, or there are fewer rows.")
        free(self._values)
        self._values = calloc(<size_t>BLOCK_ROWS * lanes, sizeof(amount))
        if self._values == NULL:
            raise MemoryError
        if first >= last or columns.shape[0] == 0:
            return
        if cost.shape[0] < n_costs:
            raise ValueError("There are not as many costs as rows or classes.")
        amounts.cost = &cost[0, 0]
        with nogil:
            if amount is int32_t:
                pass_int(&self.data, first, last, end, begin, &slot_group[0], &arc_group[0], n_groups, &targets[0],
                         n_targets, lanes, &amounts, &columns[0], <int>columns.shape[0], self._group, self._rows,
                         <int32_t*>self._values, &sums[0, 0, 0, 0])
            else:
                pass_long(&self.data, first, last, end, begin, &slot_group[0], &arc_group[0], n_groups, &targets[0],
                          n_targets, lanes, &amounts, &columns[0], <int>columns.shape[0], self._group, self._rows,
                          <int64_t*>self._values, &sums[0, 0, 0, 0])

    def find_classes(self, int64_t first, int64_t last, uint8_t[::1] classes):
        """Write the class in which each of the rows first .. last - 1 ends."""
        cdef int64_t block, start, r
        cdef int count
        with nogil:
            for block in range((last - first + BLOCK_ROWS - 1) // BLOCK_ROWS):
                start = first + block * BLOCK_ROWS
                count = <int>min(<int64_t>BLOCK_ROWS, last - start)
                compute_sides(&self.data, start, count)
                find_ends(&self.data, 0, count)
                for r in range(count):
                    classes[start - first + r] = self.data.ends[r]

    def list_rows(self, int64_t first, int64_t last, int slot, int lowest, int highest,
                  const int32_t[::1] slot_group, const int32_t[::1] arc_group, int64_t[::1] rows,
                  uint8_t[:, ::1] classes):
        """List the rows at a slot whose bin is in lowest .. highest; return how many of first .. last - 1 are.

        ``slot_group`` is 0 for the slot and -1 for others, ``arc_group`` is -1. ``classes`` (n, 2) are those in
        which a row ends on the negative and on the positive side.
        """
        cdef int64_t block, start, n_found = 0
        cdef int count, r, bin
        cdef const uint8_t* column = self.data.bins[self.data.column[slot]]
        cdef const uint8_t* negative = self.data.ends + <int64_t>self.data.child[2 * slot] * BLOCK_ROWS
        cdef const uint8_t* positive = self.data.ends + <int64_t>self.data.child[2 * slot + 1] * BLOCK_ROWS
        with nogil:
            for block in range((last - first + BLOCK_ROWS - 1) // BLOCK_ROWS):
                start = first + block * BLOCK_ROWS
                count = <int>min(<int64_t>BLOCK_ROWS, last - start)
                compute_sides(&self.data, start, count)
                route_down(&self.data, slot + 1, &slot_group[0], &arc_group[0], count, self._group)
                find_ends(&self.data, slot + 1, count)
                for r in range(count):
                    bin = column[start + r]
                    if self._group[r] and lowest <= bin <= highest:
                        rows[n_found] = start + r
                        classes[n_found, 0] = negative[r]
                        classes[n_found, 1] = positive[r]
                        n_found += 1
        return n_found
