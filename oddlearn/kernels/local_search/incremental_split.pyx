"""The best cut for what is on the desk, with the help of a problem that was solved at the same place before.

A search asks for the best cut of a node again and again while little changes: a few samples come or leave, a few cost
more or less at a target. No cut costs less than it did by more than the samples do, each at the target where it fell
most. With the least value of any cut along every feature, noted once, most features are thus out of the question.
"""

from libc.math cimport INFINITY
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy

from oddlearn.kernels.local_search.best_split cimport least_along, line_up, open_cut, scan, scan_bins, scan_feature, scan_features
from oddlearn.kernels.local_search.workspace cimport MEMORY_BITS, Memory, fill_rows, out_of_time
from oddlearn.kernels.local_search.diagram_state cimport is_ruled, value_row
from oddlearn.kernels.local_search.int16_bounds cimport lay_steps, least_whole

cdef extern from "local_search/split_scan.h" nogil:
    void sum_pairs(const double* rows, long count, int targets, double* sums)

cdef enum:
    NO_CUT = -3                # feature of a cut that was not found
    MOST_NUMBERS = 8000000     # in all sites together

# a problem with more features in question than this share is noted anew
cdef double RENEWED_SHARE = 0.25

# where costs are not whole numbers, values are noted up to so much above the limit, as a share of what the members can
# cost more or less
cdef double ROOM = 0.15


cdef Site* new_sites(const Table* table) noexcept nogil:
    """Room for one problem per node and arc, or NULL where that is too much."""
    cdef Py_ssize_t n = table.n, widest = table.C, place
    cdef int l
    cdef Site* sites
    cdef Site* site
    for l in range(table.L):
        widest = max(widest, table.first[l + 1] - table.first[l] + table.C)
    if 3 * table.N * n * widest > MOST_NUMBERS:
        return NULL
    sites = <Site*>calloc(3 * table.N, sizeof(Site))
    if sites == NULL:
        return NULL
    for place in range(3 * table.N):
        site = sites + place
        site.members = <int*>malloc(n * sizeof(int))
        site.targets = <int*>malloc(widest * sizeof(int))
        site.charge = <double*>malloc(widest * sizeof(double))
        site.rows = <double*>malloc(n * widest * sizeof(double))
        site.least = <double*>malloc(table.d * sizeof(double))
        if site.members == NULL or site.targets == NULL or site.charge == NULL or site.rows == NULL or site.least == NULL:
            free_sites(table, sites)
            return NULL
    return sites


cdef void free_sites(const Table* table, Site* sites) noexcept nogil:
    cdef int place
    if sites == NULL:
        return
    for place in range(3 * table.N):
        free(sites[place].members)
        free(sites[place].targets)
        free(sites[place].charge)
        free(sites[place].rows)
        free(sites[place].least)
    free(sites)


cdef int position(int target, const int* targets, int T) noexcept nogil:
    cdef int t
    for t in range(T):
        if targets[t] == target:
            return t
    return -1


cdef int alive(const Table* table, const State* state, Desk* desk, double limit, int* kept) noexcept nogil:
    """List the targets that a cut within the limit may have, by the cost of members that choose between two freely."""
    cdef int t, u, T = desk.T, count = 0
    cdef double* sums = desk.pairs
    for t in range(T):
        kept[t] = 0
    if table.label != NULL:
        pair_classes(table, state, desk, sums)
    else:
        sum_pairs(desk.rows, desk.n_members, T, sums)
    for t in range(1, T):
        for u in range(t):
            if sums[t * T + u] + desk.charge[t] + desk.charge[u] <= limit:
                kept[t] = kept[u] = 1
    for t in range(T):
        if kept[t]:
            kept[count] = t
            count += 1
    return count


cdef void pair_classes(const Table* table, const State* state, Desk* desk, double* sums) noexcept nogil:
    """`sum_pairs` where costs are those of labels: at the terminal of its class a member costs nothing."""
    cdef int t, u, k, i, T = desk.T, C = table.C, nodes = T - C
    cdef double total
    cdef const double* one
    cdef const double* other
    for t in range(1, nodes):
        one = value_row(table, state, desk.targets[t])
        for u in range(t):
            other = value_row(table, state, desk.targets[u])
            total = 0.0
            for k in range(desk.n_members):
                i = desk.members[k]
                total += one[i] if one[i] < other[i] else other[i]
            sums[t * T + u] = total
    for t in range(nodes, T):
        for u in range(nodes):
            sums[t * T + u] = desk.total[u] - desk.shares[u * C + t - nodes]
        for u in range(nodes, t):
            sums[t * T + u] = desk.total[u] - desk.shares[nodes * C + t - nodes]


cdef void narrow(const Table* table, const State* state, Desk* desk, double limit) noexcept nogil:
    """Take the targets off the desk that no cut within the limit has."""
    cdef int t, T = desk.T, count = alive(table, state, desk, limit, desk.match)
    cdef const int* kept = desk.match
    cdef Py_ssize_t k
    cdef double cost, least, most
    cdef double* old = desk.rows
    cdef double* new = desk.rows
    desk.T = count
    for t in range(count):
        desk.targets[t], desk.charge[t], desk.total[t] = desk.targets[kept[t]], desk.charge[kept[t]], desk.total[kept[t]]
    if count == T or table.label != NULL:
        return
    for k in range(desk.n_members):
        least, most = INFINITY, -INFINITY
        for t in range(count):
            cost = new[t] = old[kept[t]]
            least = cost if cost < least else least
            most = cost if cost > most else most
        desk.reach[k] = most - least
        old += T
        new += count


cdef int nearest(const Desk* desk, const Site* site, int t) noexcept nogil:
    """The target of the site that members cost least more at than now at target t of the desk."""
    cdef int u, k, place, best = 0
    cdef double total, least = INFINITY
    for u in range(site.T):
        total = 0.0
        for k in range(site.n_members):
            place = desk.place[site.members[k]]
            if place >= 0:
                total += max(0.0, site.rows[k * <Py_ssize_t>site.T + u] - desk.rows[place * <Py_ssize_t>desk.T + t])
        if total < least:
            least = total
            best = u
    return best


cdef double fall(Desk* desk, const Site* site, double most) noexcept nogil:
    """What a cut may cost less on the desk than at the site, at most; any number above `most` says it is more."""
    cdef int t, place, T = desk.T
    cdef Py_ssize_t k
    cdef double drop, total = 0.0
    cdef const double* row
    cdef const double* now
    cdef int* match = desk.match
    for t in range(T):
        match[t] = position(desk.targets[t], site.targets, site.T)
        if match[t] < 0:
            match[t] = nearest(desk, site, t)
        # a cut has two targets
        total = max(total, 2.0 * (site.charge[match[t]] - desk.charge[t]))
    for k in range(site.n_members):
        row = site.rows + k * site.T
        place = desk.place[site.members[k]]
        drop = 0.0
        if place < 0:
            for t in range(site.T):
                drop = row[t] if row[t] > drop else drop
        else:
            now = desk.rows + place * <Py_ssize_t>T
            for t in range(T):
                drop = row[match[t]] - now[t] if row[match[t]] - now[t] > drop else drop
        total += drop
        if total > most:
            break
    return total


cdef void renew(const Table* table, Desk* desk, Site* site, double limit, double open, Cut* cut) noexcept nogil:
    """Try every feature and note the problem with the least values of cuts."""
    site.T = 0
    if lay_steps(table, desk):
        try_by_bounds(table, desk, site, open, cut)
    else:
        try_in_turn(table, desk, site, limit, open, cut)
    if desk.late:
        return
    site.T, site.n_members = desk.T, desk.n_members
    memcpy(site.members, desk.members, desk.n_members * sizeof(int))
    memcpy(site.targets, desk.targets, desk.T * sizeof(int))
    memcpy(site.charge, desk.charge, desk.T * sizeof(double))
    memcpy(site.rows, desk.rows, desk.n_members * <Py_ssize_t>desk.T * sizeof(double))


cdef void try_by_bounds(const Table* table, Desk* desk, Site* site, double open, Cut* cut) noexcept nogil:
    """Note a lower bound for every feature, and try those where a cut may be as good as the best, the lowest first."""
    cdef int feature, lowest = 0
    for feature in range(table.d):
        if desk.n_members > 2000 and out_of_time(desk):
            return
        # a cut of other members may leave all of these on one side
        site.least[feature] = min(least_whole(table, desk, feature), open)
        if site.least[feature] < site.least[lowest]:
            lowest = feature
    if site.least[lowest] <= cut.value + table.tolerance:
        scan_feature(table, desk, cut, lowest)
    for feature in range(table.d):
        if feature != lowest and site.least[feature] <= cut.value + table.tolerance:
            scan_feature(table, desk, cut, feature)


cdef void try_in_turn(const Table* table, Desk* desk, Site* site, double limit, double open, Cut* cut) noexcept nogil:
    """Try every feature, and note the least value of its cuts as far as it is not much above the limit."""
    cdef int feature, k
    cdef double least, cap = limit
    for k in range(desk.n_members):
        cap += ROOM * desk.reach[k]
    cap = min(cap, open)
    for feature in range(table.d):
        if desk.n_members > 2000 and out_of_time(desk):
            return
        if table.n_bins[feature] > 0:
            least = scan_bins(table, desk, cut, feature)
        else:
            line_up(table, desk, feature)
            least = least_along(table, desk, cap)
            if least <= cut.value + table.tolerance:
                scan(table, desk, cut, feature)
        site.least[feature] = min(least, open)


cdef void search_nearby(const Table* table, const State* state, Desk* desk, Site* site, double limit, Cut* cut) noexcept nogil:
    """The best cut if it costs no more than the limit; no cut otherwise."""
    cdef int feature, in_question = table.d
    cdef bint whole
    cdef double highest = -INFINITY, open = cut.value
    if cut.value > limit:
        cut.value, cut.feature, cut.ties = limit, NO_CUT, 0
    limit += 2.0 * table.tolerance
    if table.C > 2:
        # with two classes nothing is gained: their terminals part the members without a loss
        narrow(table, state, desk, limit)
    if desk.T == 0:
        return
    if table.label != NULL:
        fill_rows(table, state, desk)
    if site.T > 0:
        for feature in range(table.d):
            highest = max(highest, site.least[feature])
        limit += fall(desk, site, highest - limit)
        in_question = 0
        for feature in range(table.d):
            in_question += site.least[feature] <= limit
    if in_question > RENEWED_SHARE * table.d:
        renew(table, desk, site, cut.value, open, cut)
        return
    whole = in_question > 2 and lay_steps(table, desk)
    for feature in range(table.d):
        if desk.n_members > 2000 and out_of_time(desk):
            return
        if site.least[feature] > limit or (whole and least_whole(table, desk, feature) > cut.value + table.tolerance):
            continue
        scan_feature(table, desk, cut, feature)


cdef bint recall(const Table* table, Desk* desk, double limit, Cut* cut) noexcept nogil:
    """Whether the answer is known from before; no cut if none costs as little as the limit."""
    cdef const Memory* memory = desk.memory + (desk.print >> (64 - MEMORY_BITS))
    # with constraints, what is best depends on all samples, not only on the members
    if memory.print != desk.print or is_ruled(table):
        return False
    if memory.cut.feature == NO_CUT:
        cut.feature = NO_CUT
        return limit <= memory.limit
    cut[0] = memory.cut
    cut.negative = desk.targets[cut.negative]
    cut.positive = desk.targets[cut.positive]
    return True


cdef void memorise(Desk* desk, double limit, const Cut* cut) noexcept nogil:
    """Keep the answer, with targets by their positions among those that were on offer."""
    cdef Memory* memory = desk.memory + (desk.print >> (64 - MEMORY_BITS))
    memory.print = desk.print
    memory.cut = cut[0]
    memory.limit = limit
    if cut.feature != NO_CUT:
        memory.cut.negative = position(cut.negative, desk.offered, desk.n_offered)
        memory.cut.positive = position(cut.positive, desk.offered, desk.n_offered)


cdef bint best_cut(const Table* table, const State* state, Desk* desk, int place, double limit, Cut* cut) noexcept nogil:
    """Find the best cut along any feature; False if all cost more than the limit, or time is up.

    `place` is the node v, or N + arc for a node to be put on an arc. Whether a cut is found that costs more than the
    limit, nobody should rely on.
    """
    if not recall(table, desk, limit, cut):
        open_cut(table, desk, cut)
        desk.n_offered = desk.T
        memcpy(desk.offered, desk.targets, desk.T * sizeof(int))
        if desk.sites == NULL or limit == INFINITY or desk.n_members == 0:
            if table.label != NULL:
                fill_rows(table, state, desk)
            scan_features(table, desk, cut)
        else:
            search_nearby(table, state, desk, desk.sites + place, limit, cut)
        if desk.late:
            return False
        memorise(desk, limit, cut)
    return cut.feature != NO_CUT and cut.value <= limit + table.tolerance
