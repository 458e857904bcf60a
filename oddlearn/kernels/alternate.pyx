# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""Iterated local search over the diagrams of a skeleton: one thread's worth."""

from libc.math cimport log

import numpy as np

from oddlearn.kernels.chance cimport Chance, below, unit
from oddlearn.kernels.cut cimport Desk, free_desk, monotonic, new_desk, out_of_time
from oddlearn.kernels.moves cimport admissible, descend, perturb, recreate
from oddlearn.kernels.oblique cimport free_loom, new_loom
from oddlearn.kernels.state cimport HYPERPLANE, State, Table, copy_state, free_state, make_constant, new_state, set_sides, settle

cdef class Alternation:
    """One chain of the search. `run` may be called from a thread of its own; `stop` from any other."""

    cdef Table table
    cdef State* present
    cdef State* trial
    cdef State* best
    cdef Desk* desk
    cdef int stopped
    cdef public long long iterations
    cdef public long long last_improvement
    cdef object _columns, _order, _ordered, _cost, _weight, _layer, _first, _chalk
    cdef double found_at[4096]
    cdef double found[4096]
    cdef int found_nodes[4096]
    cdef int n_found
    cdef bint loaded
    cdef long long chain_start, chain_last
    cdef double chain_best

    def __cinit__(self, const double[:, ::1] columns, const int[:, ::1] order, const double[:, ::1] ordered,
                  const double[:, ::1] cost, const double[:, ::1] weight, const int[::1] layer, const int[::1] first,
                  double price, double margin, bint tree_only, bint oblique, unsigned long long seed):
        cdef Table* table = &self.table
        self._columns, self._order, self._ordered = columns, order, ordered
        self._cost, self._weight, self._layer, self._first = cost, weight, layer, first
        table.d, table.n = columns.shape[0], columns.shape[1]
        table.C, table.N, table.L = cost.shape[0], layer.shape[0], first.shape[0] - 1
        table.columns, table.order, table.ordered = &columns[0, 0], &order[0, 0], &ordered[0, 0]
        table.cost, table.weight = &cost[0, 0], &weight[0, 0]
        table.layer, table.first = &layer[0], &first[0]
        table.price, table.margin = price, margin
        table.tree_only, table.oblique = tree_only, oblique
        chalk = np.random.default_rng(7).random(table.n)
        self._chalk = chalk
        cdef const double[::1] chalk_view = chalk
        table.chalk = &chalk_view[0]
        table.tolerance = 1e-9 * np.asarray(weight).sum()
        self.present, self.trial, self.best = new_state(table), new_state(table), new_state(table)
        self.desk = new_desk(table, seed * 2 + 1)
        if self.present == NULL or self.trial == NULL or self.best == NULL or self.desk == NULL:
            raise MemoryError("the search needs more memory than there is")
        if oblique:
            self.desk.loom = new_loom(table)
            if self.desk.loom == NULL:
                raise MemoryError("the search needs more memory than there is")
        self.desk.stop = &self.stopped
        make_constant(table, self.present)
        copy_state(table, self.best, self.present)

    def __dealloc__(self):
        free_state(self.present)
        free_state(self.trial)
        free_state(self.best)
        if self.desk != NULL:
            free_loom(self.desk.loom)
        free_desk(self.desk)

    def set_tune(self, vals):
        for k, v in enumerate(vals):
            self.desk.tune[k] = v

    def stop(self):
        self.stopped = 1

    @property
    def objective(self):
        return self.best.objective

    @property
    def n_nodes(self):
        return self.best.n_active

    def improvements(self):
        """(seconds ago, objective, nodes) of every new best."""
        now = monotonic()
        return [(now - self.found_at[k], self.found[k], self.found_nodes[k]) for k in range(self.n_found)]

    def load(self, const Py_ssize_t[:, ::1] child, const Py_ssize_t[::1] feature, const double[::1] threshold,
             const double[:, ::1] weights):
        """Start from a diagram given as slots: see `diagram`."""
        cdef int v, j
        cdef State* state = self.present
        for v in range(self.table.N):
            state.child[2 * v], state.child[2 * v + 1] = child[v, 0], child[v, 1]
            state.feature[v], state.threshold[v] = feature[v], threshold[v]
            if self.table.oblique:
                for j in range(self.table.d):
                    state.weights[v * self.table.d + j] = weights[v, j]
            set_sides(&self.table, state, v, self.desk.key)
        settle(&self.table, state)
        self.note_best(state)
        self.loaded = True

    def diagram(self):
        """Best diagram: children (N, 2), features, thresholds (N,), weights (N, d), active (N,)."""
        cdef int v, j
        cdef int N = self.table.N, d = self.table.d
        cdef Py_ssize_t[:, ::1] child = np.empty((N, 2), dtype=np.intp)
        cdef Py_ssize_t[::1] feature = np.empty(N, dtype=np.intp)
        cdef double[::1] threshold = np.empty(N)
        cdef double[:, ::1] weights = np.zeros((N, d))
        cdef unsigned char[::1] active = np.empty(N, dtype=np.uint8)
        for v in range(N):
            child[v, 0], child[v, 1] = self.best.child[2 * v], self.best.child[2 * v + 1]
            feature[v], threshold[v] = self.best.feature[v], self.best.threshold[v]
            active[v] = self.best.indegree[v] > 0
            if feature[v] == HYPERPLANE:
                for j in range(d):
                    weights[v, j] = self.best.weights[v * d + j]
        return (np.asarray(child), np.asarray(feature), np.asarray(threshold), np.asarray(weights),
                np.asarray(active).astype(bool))

    cdef bint note_best(self, State* state) noexcept nogil:
        if state.objective >= self.best.objective - self.table.tolerance:
            return False
        if not admissible(&self.table, state, self.desk):
            return False
        copy_state(&self.table, self.best, state)
        self.last_improvement = self.iterations
        if self.n_found < 4096:
            self.found_at[self.n_found] = monotonic()
            self.found[self.n_found] = state.objective
            self.found_nodes[self.n_found] = state.n_active
            self.n_found += 1
        return True

    def run(self, double seconds, long long max_iterations, long long patience, double target):
        """Search for so many seconds, iterations, iterations without improvement, to the target, or until `stop`."""
        self.desk.deadline = monotonic() + seconds
        self.desk.late = False
        with nogil:
            while self.iterations < max_iterations and not out_of_time(self.desk):
                if self.best.objective <= target + self.table.tolerance:
                    break
                if self.iterations - self.last_improvement >= max(patience, self.last_improvement):
                    break
                self.step()

    cdef void step(self) noexcept nogil:
        cdef State* swap
        cdef Table* table = &self.table
        cdef double slack, heat
        copy_state(table, self.trial, self.present)
        settle(table, self.trial)
        if self.iterations == self.chain_start:
            if self.loaded:
                self.loaded = False
            elif self.iterations == 0 or unit(&self.desk.chance) < self.desk.tune[3]:
                recreate(table, self.trial, self.desk, 0, unit(&self.desk.chance))
            else:
                copy_state(table, self.trial, self.best)
                settle(table, self.trial)
                perturb(table, self.trial, self.desk)
        else:
            perturb(table, self.trial, self.desk)
        descend(table, self.trial, self.desk)
        self.note_best(self.trial)
        heat = 1.0 - <double>(self.iterations - self.chain_start) / (self.chain_last - self.chain_start + 1e-9)
        slack = -log(1 - unit(&self.desk.chance)) * self.desk.tune[0] * heat * heat
        if self.trial.objective <= self.present.objective + slack + table.tolerance or self.iterations == self.chain_start:
            swap = self.present
            self.present = self.trial
            self.trial = swap
        self.iterations += 1
        if self.iterations >= self.chain_last:
            self.chain_start = self.iterations
            self.chain_best = self.chain_best * self.desk.tune[4] if self.iterations > 1 else self.desk.tune[1]
            self.chain_last = self.iterations + <int> self.chain_best
