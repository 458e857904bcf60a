"""The optimal tree with a price per depth: branch and bound over the cuts, level by level.

A set of items at a level costs at least what a subset costs there, and at most the largest costs of the rows that are
added more. So, along the cuts of one feature, the sides of two cuts bound all cuts in between, and a cut that is worse
than the best by some amount rules out its neighbours until rows worth that amount have changed sides. The last two levels are
weighed for many cuts at once by vector instructions (stumps.h).

A node may also pass its whole set on to the next level. With room for two nodes on every level below that gains nothing:
a cut with the same tree on both sides does no worse. Where a node may have one child only, it may.
"""

from libc.math cimport INFINITY, ldexp
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memcpy, memset

from oddlearn.kernels.archive cimport bound_by_similar, empty, file, free_archive, new_archive
from oddlearn.kernels.common.clock cimport monotonic
from oddlearn.kernels.recall cimport Entry, forget, free_recall, new_recall, remember, remembered
from oddlearn.kernels.sorted_sets cimport (
    Frame, Items, Print, fill_with_all, fill_with_side, free_frame, keep_best_cuts, leaf_cost, list_cuts, mark_side,
    negative_leaf, new_frame, positive_leaf,
)
from oddlearn.kernels.stump cimport Stump, best_stump

cdef extern from "stumps.h" nogil:
    ctypedef struct Sorted:
        const int* item
        const unsigned char* edge
        const int* active
        const int* big
        long n_active, n, room
    int KIND_SHORT, KIND_INT, KIND_DOUBLE
    void stumps_beside(int kind, int classes, const Sorted* set, const void* sign, const void* gain, const int* label,
                       const int** rank, const int* cut, void* side, const double* total,
                       const double* total_negative, double* gain_negative, double* gain_positive)

cdef enum:
    NO_LEAF = 2                # of `explore`: neither side must be a leaf
    FEW_CUTS = 12              # per feature: with more, bounds along each feature save more than shared rounds
    LAST_EPOCH = 2000          # epochs and levels share the bits of a number


cdef class Forest:
    """Trees over one table of items. A long call may run in a thread of its own, `stop` comes from any other."""

    def __cinit__(self, const int[:, ::1] rank, const int[:, ::1] order,
                  const int[::1] label, const double[::1] gain, const double[::1] base,
                  narrow, prints, int classes, int levels, int log_memory, double slack, double tolerance):
        cdef Items* items = &self.items
        cdef const Print[:, ::1] words = prints
        cdef int level
        if classes > MOST_CLASSES or not 1 <= levels <= MOST_LEVELS:
            raise ValueError(f"{classes} classes and {levels} levels; at most {MOST_CLASSES} and {MOST_LEVELS}")
        self.arrays = (rank, order, label, gain, base, narrow, words)
        items.d, items.n, items.classes = rank.shape[0], rank.shape[1], classes
        items.rank, items.order = &rank[0, 0], &order[0, 0]
        items.label, items.gain, items.base = &label[0], &gain[0], &base[0]
        items.first_print, items.second_print = &words[0, 0], &words[1, 0]
        self.take_narrow(narrow[0], narrow[1])
        self.room, self.slack, self.tolerance = levels, slack, tolerance
        for level in range(levels):
            self.frames[level] = new_frame(items)
            self.archives[level] = new_archive(items)
        self.whole = new_frame(items)
        self.recall = new_recall(log_memory)
        self.intervals[0] = <Interval*>malloc((items.n + 1) * sizeof(Interval))
        self.intervals[1] = <Interval*>malloc((items.n + 1) * sizeof(Interval))
        if self.lacks_memory():
            raise MemoryError
        fill_with_all(items, self.whole)

    cdef take_narrow(self, sign, gain):
        """Point to the gains as narrow numbers, int16, int32 or float64, and make room for masks of their size."""
        cdef size_t address
        self.kind, self.lanes = {2: (KIND_SHORT, 16), 4: (KIND_INT, 8), 8: (KIND_DOUBLE, 4)}[sign.itemsize]
        address = sign.ctypes.data
        self.sign = <const void*>address
        address = gain.ctypes.data
        self.narrow_gain = <const void*>address
        # a vector of 32 bytes for each item, on a multiple of 32
        self.room_for_sides = malloc(32 * (self.items.n + 1))
        self.sides = <void*>((<size_t>self.room_for_sides + 31) & ~<size_t>31)

    cdef bint lacks_memory(self):
        cdef int level
        for level in range(self.room):
            if self.frames[level] == NULL or self.archives[level] == NULL:
                return True
        if self.intervals[0] == NULL or self.intervals[1] == NULL or self.room_for_sides == NULL:
            return True
        return self.whole == NULL or self.recall == NULL

    def __dealloc__(self):
        cdef int level
        for level in range(MOST_LEVELS):
            free_frame(self.frames[level])
            free_archive(self.archives[level])
        free_frame(self.whole)
        free_recall(self.recall)
        free(self.intervals[0])
        free(self.intervals[1])
        free(self.room_for_sides)
        free(self.cuts)

    def stop(self):
        """End the present call soon, or the next one if it has not begun."""
        self.stopped = True

    def rearm(self):
        """Take back a stop, for the next call."""
        self.stopped = False

    @property
    def is_stopped(self):
        """True when the last call ended before it was done: what it returned is a bound all the same."""
        return bool(self.stopped)

    def forget(self):
        """Have no more use for what was proved so far: needed when prices change."""
        cdef int level
        self.epoch += 1
        if self.epoch == LAST_EPOCH:
            self.epoch = 0
            forget(self.recall)
            for level in range(self.room):
                empty(self.archives[level])

    def bound(self, const double[::1] prices, const int[::1] single, double cutoff, double seconds):
        """Bound the tree of all items, the levels priced and thinned as given.

        Parameters
        ----------
        prices : (levels,) float
            Of a split at each level.
        single : (levels,) int
            Where 1, a split of the level above has at most one split below it.
        cutoff : float
            Only trees below are of interest.
        seconds : float

        Returns
        -------
        bound : float
            The cost of the best tree if exact, else a lower bound; the cutoff or more unless stopped.
        exact : bool
        """
        cdef Cut best
        cdef int exact = 0
        cdef double bound
        if prices.shape[0] > self.room:
            raise ValueError(f"{prices.shape[0]} levels, and room for {self.room}")
        self.pose(prices.shape[0], &prices[0], &single[0])
        self.deadline = monotonic() + seconds
        with nogil:
            fill_with_all(&self.items, self.frames[0])
            bound = self.solve(0, cutoff, &best, &exact)
        return bound, bool(exact)

    def tree(self, double value, double seconds):
        """Return the tree that the last call of `bound` found, whose exact value is given.

        Returns
        -------
        list of (feature, rank) or None
            In the order of a heap: the children of entry k are 2 k + 1 and 2 k + 2; None is no split. The
            negative side of a split has ranks up to ``rank``. An empty list when time was short.
        """
        splits = [None] * ((1 << self.levels) - 1)
        self.deadline = monotonic() + seconds
        fill_with_all(&self.items, self.frames[0])
        self.trace(0, 0, value, splits)
        return [] if self.stopped else splits

    cdef trace(self, int level, int place, double value, list splits):
        cdef Cut best
        cdef int exact
        self.solve(level, value + 2 * self.tolerance, &best, &exact)
        if best.feature < 0 or self.stopped:
            return
        splits[place] = (best.feature, best.rank)
        if level + 1 < self.levels:
            fill_with_side(&self.items, self.frames[level], best.feature, best.rank, False, self.frames[level + 1])
            self.trace(level + 1, 2 * place + 1, INFINITY, splits)
            fill_with_side(&self.items, self.frames[level], best.feature, best.rank, True, self.frames[level + 1])
            self.trace(level + 1, 2 * place + 2, INFINITY, splits)

    cdef void pose(self, int levels, const double* prices, const int* single) noexcept nogil:
        """Set the levels of the present problem, and number what lies below each."""
        cdef int level, number = 1
        cdef bint is_wide = False      # some level from the second below on has room for two children
        self.levels = levels
        for level in range(levels - 1, -1, -1):
            self.price[level] = prices[level]
            self.single[level] = single[level]
            self.below[level] = number + self.epoch * (1 << MOST_LEVELS)
            number = 2 * number + single[level]
            # chains of single levels gain as much from a cut at their end
            self.passing[level] = level + 1 < levels and single[level + 1] and is_wide
            is_wide = is_wide or (level + 1 < levels and not single[level + 1])

    cdef bint is_late(self) noexcept nogil:
        if not self.stopped and monotonic() >= self.deadline:
            self.stopped = True
        return self.stopped

    cdef double solve(self, int level, double cutoff, Cut* best, int* exact) noexcept nogil:
        """Bound the best tree for the frame of a level: its value if exact, else at least the cutoff unless stopped.

        The best cut has feature -1 for a leaf, or where the set is passed on.
        """
        cdef const Frame* frame = self.frames[level]
        cdef const Entry* known = remembered(self.recall, frame.first_print, frame.second_print, self.below[level])
        cdef double leaf = leaf_cost(&self.items, frame), price = self.price[level], limit, bound, passed = INFINITY
        cdef int passed_exact = 0
        cdef Stump stump
        cdef Entry news
        best.feature = -1
        best.rank = 0
        exact[0] = 1
        if frame.n_active == 0 or leaf <= price:
            return leaf
        if known != NULL and (known.exact or known.bound >= cutoff):
            exact[0] = known.exact
            best.feature = known.feature
            best.rank = known.rank
            return known.bound
        if price >= cutoff:
            exact[0] = 0
            return price
        if level == self.levels - 1:
            stump = best_stump(&self.items, frame)
            if price + stump.cost >= leaf:
                return leaf
            best.feature, best.rank = stump.feature, stump.rank
            return price + stump.cost
        limit = min(leaf, cutoff)
        if self.passing[level]:
            passed = self.passed_on(level, limit, &passed_exact)
            if passed_exact:
                limit = min(limit, passed)
        bound = min(passed, self.split(level, limit, best))
        if self.stopped:
            exact[0] = 0
            return min(leaf, bound)
        if best.feature >= 0:
            bound = best.value
        elif limit < min(leaf, cutoff):
            bound = limit
        elif leaf <= cutoff:
            bound = leaf
        else:
            exact[0] = 0
            bound = min(leaf, bound)
        news.first_print, news.second_print = frame.first_print, frame.second_print
        news.bound, news.below, news.exact = bound, self.below[level], exact[0]
        news.feature, news.rank = best.feature, best.rank
        remember(self.recall, &news)
        file(self.archives[self.levels - level - 1], frame, self.below[level], bound)
        return bound

    cdef double passed_on(self, int level, double cutoff, int* exact) noexcept nogil:
        """Bound the frame of a level if it goes on to the next level whole."""
        cdef const Frame* frame = self.frames[level]
        cdef Cut unused
        # all ranks are above -1
        fill_with_side(&self.items, frame, frame.active[0], -1, True, self.frames[level + 1])
        return self.price[level] + self.solve(level + 1, cutoff - self.price[level], &unused, exact)

    cdef double split(self, int level, double cutoff, Cut* best) noexcept nogil:
        """Bound all ways to split the frame of a level; the best cut below the cutoff, if any, with its value."""
        cdef Frame* frame = self.frames[level]
        cdef double value = cutoff, out = INFINITY, bound
        cdef Interval range_
        cdef Py_ssize_t a, feature
        cdef int leaf_side
        best.feature = -1
        if level == self.levels - 2 and self.single[level + 1] and self.has_few_cuts(level, cutoff):
            return self.few_cuts(level, &value, best)
        for a in range(frame.n_active):
            if self.is_late():
                return min(out, self.price[level])
            feature = frame.active[a]
            list_cuts(&self.items, frame, feature)
            bound = keep_best_cuts(&self.items, frame, self.single[level + 1], cutoff - self.price[level])
            out = min(out, self.price[level] + bound)
            range_.first, range_.last, range_.negative, range_.positive = 0, <int>frame.n_cuts - 1, 0, 0
            if frame.n_cuts == 0:
                continue
            if level == self.levels - 2:
                out = min(out, self.two_levels(level, feature, &value, best))
            elif self.single[level + 1]:
                for leaf_side in range(2):
                    bound = self.explore(level, feature, leaf_side, range_, &value, best)
                    out = min(out, bound)
            else:
                out = min(out, self.explore(level, feature, NO_LEAF, range_, &value, best))
        return out

    cdef void take(self, int level, const Cut* cut, double* best, Cut* kept) noexcept nogil:
        """Note a cut that is better than the best: as the new best, or in the list of all."""
        cdef Cut* more
        if self.listing != level + 1:
            best[0] = cut.value
            kept[0] = cut[0]
            return
        if self.n_cuts == self.room_for_cuts:
            more = <Cut*>realloc(self.cuts, (2 * self.room_for_cuts + 64) * sizeof(Cut))
            if more == NULL:
                self.stopped = True
                return
            self.cuts = more
            self.room_for_cuts = 2 * self.room_for_cuts + 64
        self.cuts[self.n_cuts] = cut[0]
        self.n_cuts += 1

    cdef double two_levels(self, int level, Py_ssize_t feature, double* best, Cut* kept) noexcept nogil:
        """Bound the cuts of a feature where stumps lie below, round by round until none is open."""
        cdef Frame* frame = self.frames[level]
        cdef Interval* old = self.intervals[0]
        cdef Interval* new = self.intervals[1]
        cdef Interval* swap
        cdef Round round
        cdef double out = INFINITY
        cdef int n_old = 1, n_new, j, k, before
        old[0].first, old[0].last, old[0].negative, old[0].positive = 0, <int>frame.n_cuts - 1, 0, 0
        while n_old:
            self.choose(old, n_old, &round)
            for k in range(round.n):
                self.put(level, feature, round.cut[k], k, &round)
            self.weigh(level, &round)
            out = min(out, self.settle(level, &round, best, kept))
            n_new = k = 0
            for j in range(n_old):
                before = -1
                while k < round.n and round.interval[k] == j:
                    n_new += self.keep_open(level, &round, old + j, before, k, best[0], &out, new + n_new)
                    before = k
                    k += 1
                n_new += self.keep_open(level, &round, old + j, before, -1, best[0], &out, new + n_new)
            n_old = n_new
            swap = old
            old = new
            new = swap
        return out

    cdef void choose(self, const Interval* intervals, int n, Round* round) noexcept nogil:
        """Choose the cuts of a round, spread evenly over all that are open."""
        cdef Py_ssize_t n_open = 0, passed = 0, place
        cdef int j, k
        for j in range(n):
            n_open += intervals[j].last - intervals[j].first + 1
        round.n = <int>min(n_open, self.lanes)
        j = 0
        for k in range(round.n):
            place = (2 * k + 1) * n_open // (2 * round.n)
            while place >= passed + intervals[j].last - intervals[j].first + 1:
                passed += intervals[j].last - intervals[j].first + 1
                j += 1
            round.cut[k] = <int>(intervals[j].first + place - passed)
            round.interval[k] = j

    cdef void put(self, int level, Py_ssize_t feature, Py_ssize_t cut, int lane, Round* round) noexcept nogil:
        """Put a listed cut of a feature into a lane."""
        cdef const Items* items = &self.items
        cdef const Frame* frame = self.frames[level]
        round.feature[lane] = <int>feature
        round.rank[lane] = frame.cut_rank[cut]
        round.base[lane] = frame.cut_base[cut]
        round.negative_leaf[lane] = negative_leaf(items, frame, cut)
        round.positive_leaf[lane] = positive_leaf(items, frame, cut)
        memcpy(round.total + lane * items.classes, frame.cut_total + cut * items.classes,
               items.classes * sizeof(double))

    cdef void weigh(self, int level, Round* round) noexcept nogil:
        """Value the cuts of a round and their sides."""
        cdef const Items* items = &self.items
        cdef const Frame* frame = self.frames[level]
        cdef double lower = self.price[level + 1]
        cdef double gain_negative[MOST_LANES]
        cdef double gain_positive[MOST_LANES]
        cdef const int* ranks[MOST_LANES]
        cdef int k
        cdef Sorted sorted_set
        for k in range(round.n, self.lanes):
            round.feature[k], round.rank[k] = round.feature[0], round.rank[0]
            memcpy(round.total + k * items.classes, round.total, items.classes * sizeof(double))
        for k in range(self.lanes):
            ranks[k] = items.rank + round.feature[k] * items.n
        sorted_set.item, sorted_set.edge, sorted_set.big = frame.item, frame.edge, frame.big
        sorted_set.active, sorted_set.n_active = frame.active, frame.n_active
        sorted_set.n, sorted_set.room = frame.n, items.n
        stumps_beside(self.kind, items.classes, &sorted_set, self.sign, self.narrow_gain, items.label, ranks,
                      round.rank, self.sides, frame.total, round.total, gain_negative, gain_positive)
        self.sweeps += 1
        for k in range(round.n):
            round.negative[k] = min(round.negative_leaf[k], lower + round.base[k] - gain_negative[k])
            round.positive[k] = min(round.positive_leaf[k], lower + frame.base - round.base[k] - gain_positive[k])
            round.value[k] = self.price[level] + self.together(
                level, round, k, round.negative[k], round.positive[k]
            )

    cdef double together(self, int level, const Round* round, int k, double negative, double positive) noexcept nogil:
        """Return the cost of both sides of a cut, one of which must be a leaf where the level below is single."""
        if self.single[level + 1]:
            return min(negative + round.positive_leaf[k], round.negative_leaf[k] + positive)
        return negative + positive

    cdef double settle(self, int level, const Round* round, double* best, Cut* kept) noexcept nogil:
        """Take the cuts of a round that are better than the best; return the least value."""
        cdef double out = INFINITY
        cdef Cut cut
        cdef int k
        for k in range(round.n):
            out = min(out, round.value[k])
            if round.value[k] < best[0] - self.tolerance:
                cut.value, cut.feature, cut.rank = round.value[k], round.feature[k], round.rank[k]
                cut.negative, cut.positive = round.negative[k], round.positive[k]
                self.take(level, &cut, best, kept)
        return out

    cdef bint has_few_cuts(self, int level, double cutoff) noexcept nogil:
        """Return True if so few cuts have a leaf below the cutoff that features had better share their rounds."""
        cdef Frame* frame = self.frames[level]
        cdef Py_ssize_t a, n = 0
        for a in range(frame.n_active):
            list_cuts(&self.items, frame, frame.active[a])
            keep_best_cuts(&self.items, frame, True, cutoff - self.price[level])
            n += frame.n_cuts
            if n > FEW_CUTS * frame.n_active:
                return False
        return True

    cdef double few_cuts(self, int level, double* best, Cut* kept) noexcept nogil:
        """Bound all cuts with a leaf on one side and stumps on the other, several features in a round."""
        cdef Frame* frame = self.frames[level]
        cdef Round round
        cdef double out = INFINITY, cutoff = best[0] - self.price[level]
        cdef Py_ssize_t a, q
        round.n = 0
        for a in range(frame.n_active):
            list_cuts(&self.items, frame, frame.active[a])
            out = min(out, self.price[level] + keep_best_cuts(&self.items, frame, True, cutoff))
            for q in range(frame.n_cuts):
                self.put(level, frame.active[a], q, round.n, &round)
                round.n += 1
                if round.n == self.lanes:
                    self.weigh(level, &round)
                    out = min(out, self.settle(level, &round, best, kept))
                    round.n = 0
                    if self.is_late():
                        return min(out, self.price[level])
        if round.n:
            self.weigh(level, &round)
            out = min(out, self.settle(level, &round, best, kept))
        return out

    cdef int keep_open(self, int level, const Round* round, const Interval* old, int before, int after,
                       double best, double* out, Interval* kept) noexcept nogil:
        """Shrink the cuts between two that were weighed (-1: the end of the interval); return 1 if any are left."""
        cdef const Frame* frame = self.frames[level]
        cdef int first = old.first if before < 0 else round.cut[before] + 1
        cdef int last = old.last if after < 0 else round.cut[after] - 1
        cdef double negative = old.negative, positive = old.positive, bound
        if first > last:
            return 0
        if before >= 0:
            negative = max(negative, round.negative[before])
        if after >= 0:
            positive = max(positive, round.positive[after])
        if self.single[level + 1]:
            bound = min(negative + positive_leaf(&self.items, frame, last),
                        negative_leaf(&self.items, frame, first) + positive)
        else:
            bound = negative + positive
        bound += self.price[level]
        if bound >= best - self.tolerance:
            out[0] = min(out[0], bound)
            return 0
        while before >= 0 and first <= last:
            bound = round.value[before] - (frame.cut_base[first] - frame.cut_base[round.cut[before]])
            if bound < best - self.tolerance:
                break
            out[0] = min(out[0], bound)
            first += 1
        while after >= 0 and first <= last:
            bound = round.value[after] - (frame.cut_base[round.cut[after]] - frame.cut_base[last])
            if bound < best - self.tolerance:
                break
            out[0] = min(out[0], bound)
            last -= 1
        kept.first, kept.last, kept.negative, kept.positive = first, last, negative, positive
        return first <= last

    cdef double side(self, int level, Py_ssize_t feature, Py_ssize_t q, bint positive, double cutoff,
                     int* exact) noexcept nogil:
        """Bound one side of a cut, from memory or by a similar set if that will do."""
        cdef const Frame* frame = self.frames[level]
        cdef Frame* child = self.frames[level + 1]
        cdef Print first = frame.cut_first[q], second = frame.cut_second[q]
        cdef const Entry* known
        cdef double bound
        cdef Cut unused
        if positive:
            first ^= frame.first_print
            second ^= frame.second_print
        known = remembered(self.recall, first, second, self.below[level + 1])
        if known != NULL and (known.exact or known.bound >= cutoff):
            exact[0] = known.exact
            return known.bound
        if level + 2 < self.levels:
            mark_side(&self.items, frame, feature, frame.cut_rank[q], positive, child)
            child.base = frame.base - frame.cut_base[q] if positive else frame.cut_base[q]
            bound = bound_by_similar(
                self.archives[self.levels - level - 2], &self.items, child, self.below[level + 1], cutoff
            )
            if bound > 0:
                exact[0] = 0
                return bound
        fill_with_side(&self.items, frame, feature, frame.cut_rank[q], positive, child)
        return self.solve(level + 1, cutoff + self.extra(level), &unused, exact)

    cdef double extra(self, int level) noexcept nogil:
        """Return how much more than needed is proved of a side below a level, so that similar sets go with it.

        Two levels are cheap and solved to the end; the more levels there are, the dearer it is. Where both sides go on
        it pays in trees, which have prices, but not without: there are too few similar sets.
        """
        cdef int left = self.levels - level - 1
        if left == 2:
            return INFINITY
        if self.single[level + 1] or self.price[level + 1] > 0:
            return ldexp(self.slack, 3 - left)
        return 0

    cdef double explore(self, int level, Py_ssize_t feature, int leaf_side, Interval range_, double* best,
                        Cut* kept) noexcept nogil:
        """Bound the cuts of an interval: weigh the middle one, rule out its neighbours, go on with both ends.

        ``leaf_side``: 0 where the negative side must be a leaf, 1 the positive side, 2 neither.
        """
        cdef const Frame* frame = self.frames[level]
        cdef double price = self.price[level], out, bound
        cdef int negative_exact = 0, positive_exact = 0, first, last, middle, q
        cdef Interval rest
        cdef Cut cut, listed
        if range_.first > range_.last:
            return INFINITY
        if leaf_side == 0:
            range_.negative = negative_leaf(&self.items, frame, range_.first)
        elif leaf_side == 1:
            range_.positive = positive_leaf(&self.items, frame, range_.last)
        out = price + range_.negative + range_.positive
        if out >= best[0] - self.tolerance or self.is_late():
            return out
        # the middle by weight
        first, last = range_.first, range_.last
        while first < last:
            middle = (first + last) // 2
            if 2 * frame.cut_base[middle] < frame.cut_base[range_.first] + frame.cut_base[range_.last]:
                first = middle + 1
            else:
                last = middle
        q = first
        cut.negative, cut.positive = range_.negative, range_.positive
        if leaf_side == 0:
            cut.negative, negative_exact = negative_leaf(&self.items, frame, q), 1
        elif leaf_side == 1:
            cut.positive, positive_exact = positive_leaf(&self.items, frame, q), 1
        # the larger side first: its bound may do
        if leaf_side == 1 or (leaf_side == NO_LEAF and 2 * frame.cut_base[q] > frame.base):
            if price + cut.negative + cut.positive < best[0] - self.tolerance:
                bound = self.side(level, feature, q, False, best[0] - price - cut.positive, &negative_exact)
                cut.negative = max(cut.negative, bound)
        if leaf_side != 1 and price + cut.negative + cut.positive < best[0] - self.tolerance:
            bound = self.side(level, feature, q, True, best[0] - price - cut.negative, &positive_exact)
            cut.positive = max(cut.positive, bound)
        if leaf_side == NO_LEAF and not negative_exact and (
            price + cut.negative + cut.positive < best[0] - self.tolerance
        ):
            bound = self.side(level, feature, q, False, best[0] - price - cut.positive, &negative_exact)
            cut.negative = max(cut.negative, bound)
        if self.stopped:
            return out
        cut.value, cut.feature, cut.rank = price + cut.negative + cut.positive, <int>feature, frame.cut_rank[q]
        out = cut.value
        if negative_exact and positive_exact and cut.value < best[0] - self.tolerance:
            listed = cut
            # so that a list holds each way to share out the sides once
            if leaf_side == 0:
                listed.negative = INFINITY
            elif leaf_side == 1:
                listed.positive = INFINITY
            self.take(level, &listed, best, kept)
        first = q - 1
        while first >= range_.first:
            bound = cut.value - (frame.cut_base[q] - frame.cut_base[first])
            if bound < best[0] - self.tolerance:
                break
            out = min(out, bound)
            first -= 1
        last = q + 1
        while last <= range_.last:
            bound = cut.value - (frame.cut_base[last] - frame.cut_base[q])
            if bound < best[0] - self.tolerance:
                break
            out = min(out, bound)
            last += 1
        rest.first, rest.last, rest.negative, rest.positive = range_.first, first, range_.negative, cut.positive
        out = min(out, self.explore(level, feature, leaf_side, rest, best, kept))
        rest.first, rest.last, rest.negative, rest.positive = last, range_.last, cut.negative, range_.positive
        return min(out, self.explore(level, feature, leaf_side, rest, best, kept))
