"""Iterated local search over the diagrams of a skeleton: one thread's worth.

An iteration shakes the present diagram, at random or by a round of moves under other costs, and descends from there.
What comes out replaces the present one if it is not worse by more than a random slack that cools down over a cycle;
how much slack there is in all is learnt from how much worse descents come out, which differs from problem to problem.
Each cycle starts from the best diagram, or now and then from a fresh one. Under constraints broken rows are weighed
into the objective, more or less after every descent, so that the present diagram is now on one side of a limit and now
on the other; the best one keeps all hard rows.
"""

from libc.math cimport INFINITY, exp, log
from libc.stdlib cimport free, malloc

import numpy as np

from oddlearn.kernels.activity cimport learn_weights, price_penalty
from oddlearn.kernels.chance cimport unit
from oddlearn.kernels.common.clock cimport monotonic
from oddlearn.kernels.desk cimport Desk, free_desk, new_desk, out_of_time
from oddlearn.kernels.moves cimport descend, note_best, perturb, recreate, repair
from oddlearn.kernels.nearby cimport free_sites, new_sites
from oddlearn.kernels.noise cimport shake_by_noise
from oddlearn.kernels.oblique cimport free_loom, new_loom
from oddlearn.kernels.rules cimport Rules
from oddlearn.kernels.state cimport (
    HYPERPLANE, MOST_BINS, State, Table, copy_state, free_state, is_ruled, make_constant, new_state, set_sides, settle,
)

cdef enum:
    FRESH_STARTS = 2           # diagrams made from nothing before the first cycle
    CYCLE = 2000               # iterations from hot to cold
    QUIET = 300                # iterations before the first noise: a large problem has no time for it

cdef double FRESH_SHARE = 0.05  # of cycles that start from a new diagram
cdef double NOISE_SHARE = 0.4  # of shakes that change the costs
cdef double SMALL_RISES = 0.25  # of descents that come out worse, those that rise by less than the heat
cdef double PACE = 0.1         # how fast the heat is learnt
cdef double HOT = 0.9          # mean slack at the start of a cycle, in units of heat
cdef double COLD = 0.3         # and at its end

# rounding of sums of costs, as a share of the total weight
cdef double TOLERANCE = 1e-9


cdef class Alternation:
    """One chain of the search. `run` may be called in a thread of its own, `stop` from any other."""

    cdef Table table
    cdef Rules rules
    cdef State* present
    cdef State* trial
    cdef Desk* desk
    cdef double* noise         # scratch for costs; NULL with hyperplanes or constraints
    cdef int stopped
    cdef bint loaded
    cdef readonly double heat  # unit of slack
    cdef readonly long long iterations
    cdef long long last_find, cycle_start
    cdef object arrays         # what the table points into

    def __cinit__(self, const double[:, ::1] columns, const int[:, ::1] order, const double[:, ::1] ordered,
                  const int[:, ::1] rank, const int[:, ::1] joined, const int[::1] n_bins,
                  const unsigned char[:, ::1] bins, const double[:, ::1] bin_values, const int[::1] common,
                  const int[::1] rare, const Py_ssize_t[::1] rare_first, const double[:, ::1] cost, const int[::1] label,
                  const double[:, ::1] weight, const int[::1] layer, const int[::1] first,
                  double price, double margin, bint tree_only, bint oblique, unsigned long long seed, rules=None):
        """`rules` holds the arrays of a constrained problem: see `oddlearn.solve.local_search.constraint_arrays`."""
        cdef Table* table = &self.table
        random = np.random.default_rng(seed)
        cdef const double[::1] chalk = random.random(columns.shape[1])
        cdef const unsigned long long[::1] tags = random.integers(2**63, size=columns.shape[1], dtype=np.uint64)
        self.arrays = (columns, order, ordered, rank, joined, n_bins, bins, bin_values, common, rare, rare_first,
                       cost, label, weight, layer, first, chalk, tags)
        table.d, table.n = columns.shape[0], columns.shape[1]
        table.C, table.N, table.L = cost.shape[0], layer.shape[0], first.shape[0] - 1
        table.columns, table.order, table.ordered = &columns[0, 0], &order[0, 0], &ordered[0, 0]
        table.rank = &rank[0, 0]
        if not oblique and (rules is None or rules.counts_only):
            table.joined = &joined[0, 0] if joined.shape[0] else NULL
            table.label = &label[0] if label.shape[0] else NULL
        if bin_values.shape[1] != MOST_BINS:
            raise ValueError(f"bin_values must have {MOST_BINS} columns")
        table.n_bins, table.bins, table.bin_values = &n_bins[0], &bins[0, 0], &bin_values[0, 0]
        table.common, table.rare_first = &common[0], &rare_first[0]
        if rare.shape[0]:
            table.rare = &rare[0]
        table.cost, table.weight, table.chalk, table.tags = &cost[0, 0], &weight[0, 0], &chalk[0], &tags[0]
        table.layer, table.first = &layer[0], &first[0]
        table.price, table.margin = price, margin
        table.tree_only, table.oblique = tree_only, oblique
        total = np.asarray(weight).sum()
        table.tolerance = TOLERANCE * total
        # to begin with, what an average row may cost more or less
        self.heat = np.mean(np.max(cost, axis=0) - np.min(cost, axis=0))
        self.cycle_start = FRESH_STARTS
        if rules is not None:
            self.constrain(rules)
        self.allocate(seed)
        make_constant(table, self.present)
        copy_state(table, self.desk.best, self.present)
        if self.present.excess > 0.0:
            self.desk.best.objective = INFINITY

    cdef constrain(self, given):
        """Take over the rows; the weights are this chain's own."""
        cdef Rules* rules = &self.rules
        cdef const int[::1] start = given.start, row = given.row, class_rows = given.class_rows
        cdef const double[::1] coefficient = given.coefficient, lower = given.lower, upper = given.upper
        cdef const double[::1] base_weight = given.weight, room = given.room, flow_weight = given.flow_weight
        cdef double[::1] weight = np.array(given.weight)
        cdef const double[::1] least_flow = given.least_flow, least_side = given.least_side
        cdef const double[:, ::1] cap = given.cap
        cdef const unsigned char[::1] hard = given.hard
        self.arrays = (*self.arrays, given, weight)
        rules.R, rules.n_class_rows, rules.n_caps = lower.shape[0], class_rows.shape[0], room.shape[0]
        rules.counts_only, rules.by_path, rules.keeps_idle = given.counts_only, given.by_path, given.keeps_idle
        rules.start, rules.lower, rules.upper = &start[0], &lower[0], &upper[0]
        rules.weight, rules.base_weight, rules.hard = &weight[0], &base_weight[0], &hard[0]
        rules.flow_weight, rules.least_flow, rules.least_side = &flow_weight[0], &least_flow[0], &least_side[0]
        if row.shape[0]:
            rules.row, rules.coefficient = &row[0], &coefficient[0]
        if rules.n_class_rows:
            rules.class_rows = &class_rows[0]
        if rules.n_caps:
            rules.cap, rules.room = &cap[0, 0], &room[0]
        self.table.rules = rules

    cdef allocate(self, unsigned long long seed):
        cdef Table* table = &self.table
        self.present, self.trial = new_state(table), new_state(table)
        self.desk = new_desk(table, 2 * seed + 1)
        if self.present == NULL or self.trial == NULL or self.desk == NULL:
            raise MemoryError("the search needs more memory than there is")
        self.desk.stop = &self.stopped
        self.desk.best, self.desk.spare = new_state(table), new_state(table)
        if table.oblique:
            self.desk.loom = new_loom(table)
        elif not is_ruled(table):
            # the search goes without where memory is short
            self.desk.sites = new_sites(table)
            if table.rules == NULL:
                self.noise = <double*>malloc(table.C * <size_t>table.n * sizeof(double))
        if table.rules != NULL:
            self.desk.undo = new_state(table)
            if self.desk.undo == NULL:
                raise MemoryError("the search needs more memory than there is")
        if self.desk.best == NULL or self.desk.spare == NULL or (table.oblique and self.desk.loom == NULL):
            raise MemoryError("the search needs more memory than there is")

    def __dealloc__(self):
        free_state(self.present)
        free_state(self.trial)
        if self.desk != NULL:
            free_state(self.desk.best)
            free_state(self.desk.spare)
            free_state(self.desk.undo)
            free_loom(self.desk.loom)
            free_sites(&self.table, self.desk.sites)
        free_desk(self.desk)
        free(self.noise)

    def stop(self):
        """End `run` soon, or as soon as it begins, until `rearm`."""
        self.stopped = 1

    def rearm(self):
        """Forget a `stop`."""
        self.stopped = 0

    @property
    def objective(self):
        """Of the best diagram, in units of sample weight; inf while none keeps the constraints."""
        return self.desk.best.objective

    @property
    def n_nodes(self):
        """Active nodes of the best diagram."""
        return self.desk.best.n_active

    def finds(self, int since):
        """(seconds ago, objective, nodes) of every new best diagram from number `since` on."""
        now = monotonic()
        return [(now - self.desk.finds[k].when, self.desk.finds[k].objective, self.desk.finds[k].n_nodes)
                for k in range(since, self.desk.n_finds)]

    def load(self, const Py_ssize_t[:, ::1] child, const Py_ssize_t[::1] feature, const double[::1] threshold,
             const double[:, ::1] weights):
        """Start from a diagram given as slots: see `diagram`."""
        cdef int v, j
        cdef State* state = self.present
        for v in range(self.table.N):
            state.child[2 * v], state.child[2 * v + 1] = <int>child[v, 0], <int>child[v, 1]
            state.feature[v], state.threshold[v] = <int>feature[v], threshold[v]
            if self.table.oblique:
                for j in range(self.table.d):
                    state.weights[v * self.table.d + j] = weights[v, j]
            set_sides(&self.table, state, v, self.desk.key)
        settle(&self.table, state)
        if self.table.rules != NULL:
            repair(&self.table, state, self.desk)
        note_best(&self.table, state, self.desk)
        self.loaded = True

    def activity(self):
        """Of each row, the penalty and the largest excess of a hard row, all of the present diagram."""
        values = np.array([self.present.activity[r] for r in range(self.rules.R)])
        return values, self.present.penalty, self.present.excess

    def diagram(self):
        """Best diagram as slots: children (N, 2), features, thresholds (N,), weights (N, d), active (N,)."""
        cdef int v, j
        cdef int N = self.table.N, d = self.table.d
        cdef const State* best = self.desk.best
        cdef Py_ssize_t[:, ::1] child = np.empty((N, 2), dtype=np.intp)
        cdef Py_ssize_t[::1] feature = np.empty(N, dtype=np.intp)
        cdef double[::1] threshold = np.empty(N)
        cdef double[:, ::1] weights = np.zeros((N, d))
        cdef unsigned char[::1] active = np.empty(N, dtype=np.uint8)
        for v in range(N):
            child[v, 0], child[v, 1] = best.child[2 * v], best.child[2 * v + 1]
            feature[v], threshold[v] = best.feature[v], best.threshold[v]
            active[v] = best.indegree[v] > 0
            if feature[v] == HYPERPLANE:
                for j in range(d):
                    weights[v, j] = best.weights[v * d + j]
        return (np.asarray(child), np.asarray(feature), np.asarray(threshold), np.asarray(weights),
                np.asarray(active).astype(bool))

    def run(self, double seconds, double pause, long long max_iterations, long long patience, double target):
        """Search for so many seconds or iterations, until patience is used up, the target met, or `stop`.

        `pause`, in seconds, ends the run too, but never in the middle of an iteration, whose work would be lost.
        Patience: so many iterations without a better diagram, or as many as it took to find the best if that is more.
        """
        cdef double now = monotonic()
        self.desk.deadline = now + seconds
        self.desk.late = False
        with nogil:
            while (
                self.iterations < max_iterations
                and self.desk.best.objective > target + self.table.tolerance
                and self.iterations - self.last_find < max(patience, self.last_find)
                and not out_of_time(self.desk)
                and monotonic() < now + pause
            ):
                self.iterate()

    cdef void iterate(self) noexcept nogil:
        cdef State* swap
        cdef Table* table = &self.table
        cdef Desk* desk = self.desk
        cdef double best = desk.best.objective, hope = INFINITY, slack = self.draw_slack()
        cdef bint compares = self.iterations > self.cycle_start, learns = compares and self.is_plain()
        if is_ruled(table):
            price_penalty(table, self.present)  # the weights of rows have changed
        self.begin()
        if learns:
            hope = self.present.objective + slack + table.tolerance
        descend(table, self.trial, desk, hope)
        if is_ruled(table):
            learn_weights(table, self.trial)
        if learns:
            self.learn_heat(self.trial.objective - self.present.objective)
        if self.trial.objective <= self.present.objective + slack + table.tolerance or not compares:
            swap = self.present
            self.present = self.trial
            self.trial = swap
        self.iterations += 1
        if desk.best.objective < best - table.tolerance:
            self.last_find = self.iterations
        if self.iterations >= self.cycle_start + CYCLE:
            self.cycle_start = self.iterations

    cdef double draw_slack(self) noexcept nogil:
        """What a diagram may cost more than the present one to replace it, this time."""
        cdef double age = max(0.0, <double>(self.iterations - self.cycle_start) / CYCLE)
        cdef double mean = HOT + age * (COLD - HOT) if self.is_plain() else (1.0 - age) * (1.0 - age)
        return -log(1.0 - unit(&self.desk.chance)) * mean * self.heat

    cdef bint is_plain(self) noexcept nogil:
        """Whether heat is learnt: not with hyperplanes, where a descent is dear, nor with weights of rows that change."""
        return not self.table.oblique and self.table.rules == NULL

    cdef void learn_heat(self, double rise) noexcept nogil:
        """Move the heat towards the value that the given share of rises stays below."""
        if rise > self.table.tolerance:
            self.heat *= exp(PACE * (SMALL_RISES - (rise < self.heat)))

    cdef void begin(self) noexcept nogil:
        """Make the trial: the present diagram, shaken, or the start of a new cycle."""
        cdef Table* table = &self.table
        cdef const State* base = self.desk.best if self.desk.best.objective < INFINITY else self.present
        if self.loaded:
            self.loaded = False
            copy_state(table, self.trial, self.present)
        elif self.iterations > self.cycle_start:
            copy_state(table, self.trial, self.present)
            self.shake()
        elif self.iterations == self.cycle_start and unit(&self.desk.chance) >= FRESH_SHARE:
            copy_state(table, self.trial, base)
            perturb(table, self.trial, self.desk)
        else:
            copy_state(table, self.trial, self.present)
            recreate(table, self.trial, self.desk, 0, unit(&self.desk.chance))
            settle(table, self.trial)

    cdef void shake(self) noexcept nogil:
        """Change the trial, at random or by noise."""
        if self.noise != NULL and self.iterations > QUIET and unit(&self.desk.chance) < NOISE_SHARE:
            shake_by_noise(&self.table, self.trial, self.desk, self.noise)
        else:
            perturb(&self.table, self.trial, self.desk)
