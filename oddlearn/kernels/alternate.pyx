# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""Iterated local search over the diagrams of a skeleton: one thread's worth."""

from libc.math cimport log

import numpy as np

from oddlearn.kernels.chance cimport Chance, below, unit
from oddlearn.kernels.cut cimport Desk, free_desk, new_desk, out_of_time
from oddlearn.kernels.moves cimport admissible, descend, perturb, recreate
from oddlearn.kernels.state cimport State, Table, copy_state, free_state, make_constant, new_state, set_sides, settle

cdef extern from "time.h" nogil:
    ctypedef long time_t
    cdef struct timespec:
        time_t tv_sec
        long tv_nsec
    int clock_gettime(int clock, timespec* now)
    int CLOCK_MONOTONIC


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
    cdef object _columns, _order, _ordered, _cost, _weight, _layer, _first
    cdef double found_at[4096]
    cdef double found[4096]
    cdef int found_nodes[4096]
    cdef int n_found
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
        table.tolerance = 1e-9 * np.asarray(weight).sum()
        self.present, self.trial, self.best = new_state(table), new_state(table), new_state(table)
        self.desk = new_desk(table, seed * 2 + 1)
        if self.present == NULL or self.trial == NULL or self.best == NULL or self.desk == NULL:
            raise MemoryError("the search needs more memory than there is")
        self.desk.stop = &self.stopped
        make_constant(table, self.present)
        copy_state(table, self.best, self.present)

    def __dealloc__(self):
        free_state(self.present)
        free_state(self.trial)
        free_state(self.best)
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
        """(monotonic seconds, objective, nodes) of every new best."""
        return [(self.found_at[k], self.found[k], self.found_nodes[k]) for k in range(min(self.n_found, 4096))]

    def diagram(self):
        """children (N, 2), features (N,), thresholds (N,), active (N,) of the best diagram."""
        N = self.table.N
        child = [(self.best.child[2 * v], self.best.child[2 * v + 1]) for v in range(N)]
        return child, [self.best.feature[v] for v in range(N)], [self.best.threshold[v] for v in range(N)], [self.best.indegree[v] > 0 for v in range(N)]

    cdef bint note_best(self, State* state) noexcept nogil:
        cdef timespec now
        if state.objective >= self.best.objective - self.table.tolerance:
            return False
        if not admissible(&self.table, state, self.desk):
            return False
        copy_state(&self.table, self.best, state)
        self.last_improvement = self.iterations
        if self.n_found < 4096:
            clock_gettime(CLOCK_MONOTONIC, &now)
            self.found_at[self.n_found] = now.tv_sec + 1e-9 * now.tv_nsec
            self.found[self.n_found] = state.objective
            self.found_nodes[self.n_found] = state.n_active
            self.n_found += 1
        return True

    def run(self, double deadline, long long max_iterations, long long patience, double target):
        """Search until the deadline (monotonic seconds), the iteration count, patience, the target or `stop`."""
        cdef State* swap
        self.desk.deadline = deadline
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
            if self.iterations == 0 or unit(&self.desk.chance) < self.desk.tune[3]:
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
