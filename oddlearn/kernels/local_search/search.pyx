"""Iterated local search over the diagrams of a skeleton: one thread's worth.

An iteration perturbs the present diagram, at random or by a round of moves under other costs, and descends from there. The
result replaces the present one if it is not worse by more than a random slack that cools down over a cycle; the temperature,
the unit of slack, is learnt from how much worse descents come out, which differs from problem to problem. Each cycle starts
from the best diagram, or now and then from a new one. Under constraints violated rows are penalised in the objective, more or
less after every descent, so that the present diagram is now on one side of a limit and now on the other; the best one
satisfies all hard rows.
"""

from libc.math cimport INFINITY, exp, log

import numpy as np

from oddlearn.kernels.common.arena cimport Arena, allocate, release, take
from oddlearn.kernels.common.clock cimport monotonic
from oddlearn.kernels.common.rng cimport draw_unit
from oddlearn.kernels.local_search.constraint_activity cimport compute_penalty, update_penalties
from oddlearn.kernels.local_search.descent cimport descend
from oddlearn.kernels.local_search.diagram_state cimport DiagramState, copy_state, lay_out_state, set_sides
from oddlearn.kernels.local_search.incumbent cimport update_incumbent
from oddlearn.kernels.local_search.node_removal cimport repair
from oddlearn.kernels.local_search.perturb cimport perturb, rebuild_subtree
from oddlearn.kernels.local_search.perturb_costs cimport perturb_costs
from oddlearn.kernels.local_search.recompute cimport make_constant, recompute
from oddlearn.kernels.local_search.search_table cimport (
    CACHED_NODE_PROBLEMS, COST_NOISE, DESCENT_TARGET, HYPERPLANE, NO_IMPROVEMENT_CACHE, ConstraintArrays, SearchTable, has_constraints,
    read_arrays, read_constraints,
)
from oddlearn.kernels.local_search.workspace cimport (
    Workspace, count_work, lay_out_cached_problems, lay_out_workspace, out_of_time,
)

cdef enum:
    NEW_STARTS = 2             # diagrams made from nothing before the first cycle
    ITERATIONS_PER_CYCLE = 2000
    MIN_ITERATIONS_BEFORE_NOISE = 300  # a large problem has no time for rounds under other costs

cdef double NEW_START_SHARE = 0.05  # of cycles that start from a new diagram
cdef double NOISE_SHARE = 0.4  # of perturbations that change the costs
cdef double SMALL_RISE_SHARE = 0.25  # of descents that come out worse, those that rise by less than the temperature
cdef double LEARNING_RATE = 0.1  # of the temperature
cdef double SLACK_AT_CYCLE_START = 0.9  # mean, in units of the temperature
cdef double SLACK_AT_CYCLE_END = 0.3

# rounding of sums of costs, as a share of the total weight
cdef double TOLERANCE = 1e-9


cdef class SearchThread:
    """One thread of the search. `run` may be called in a thread of its own, `stop` from any other."""

    cdef SearchTable table
    cdef ConstraintArrays constraints
    cdef DiagramState states[2]
    cdef DiagramState* present
    cdef DiagramState* trial
    cdef Workspace ws
    cdef double* perturbed_cost  # (C, n): scratch; NULL with hyperplanes or constraints
    cdef Arena memory
    cdef Arena cache_memory
    cdef int stopped
    cdef bint is_loaded
    cdef double temperature    # unit of slack
    cdef readonly long long iterations
    cdef long long last_improvement, cycle_start
    cdef object arrays         # what the table points into

    def __cinit__(self, arrays, *, double node_price, double margin, bint tree_only, bint oblique,
                  unsigned long long seed, constraints=None, unsigned int disabled=0):
        """Read the arrays of a problem: see `SearchArrays`, and `ConstraintArrays` of a constrained problem.

        `disabled` turns parts of the search off, for an ablation: a sum of the switches of `search_table`.
        """
        cdef SearchTable* table = &self.table
        table.node_price, table.margin = node_price, margin
        table.tree_only, table.oblique, table.disabled = tree_only, oblique, disabled
        kept = ()
        if constraints is not None:
            kept = read_constraints(&self.constraints, constraints)
            table.constraints = &self.constraints
        self.arrays = (*read_arrays(table, arrays, seed), *kept)
        table.tolerance = TOLERANCE * np.asarray(arrays.weight).sum()
        # to begin with, what an average row may cost more or less
        self.temperature = np.mean(np.max(arrays.cost, axis=0) - np.min(arrays.cost, axis=0))
        self.cycle_start = NEW_STARTS
        self.allocate_memory()
        self.ws.rng = 2 * seed + 1
        self.ws.caches.skips_no_improvement = disabled & NO_IMPROVEMENT_CACHE != 0
        self.ws.clock.deadline = INFINITY
        self.ws.clock.stop = &self.stopped
        make_constant(table, self.present)
        copy_state(&self.ws.copies.best, self.present)
        if self.present.totals.violation > 0.0:
            self.ws.copies.best.totals.objective = INFINITY

    cdef allocate_memory(self):
        """Allocate all memory; the search goes without cached node problems where memory is short."""
        self.present, self.trial = &self.states[0], &self.states[1]
        self.lay_out_memory()
        if not allocate(&self.memory):
            raise MemoryError("the search needs more memory than there is")
        self.lay_out_memory()
        if not (self.table.oblique or has_constraints(&self.table) or self.table.disabled & CACHED_NODE_PROBLEMS):
            lay_out_cached_problems(&self.table, &self.cache_memory)
            if self.cache_memory.used > 0 and allocate(&self.cache_memory):
                self.ws.caches.node_problems = lay_out_cached_problems(&self.table, &self.cache_memory)

    cdef void lay_out_memory(self) noexcept nogil:
        """Take the memory of both diagrams, the workspace and the perturbed costs."""
        cdef SearchTable* table = &self.table
        lay_out_state(self.present, table, &self.memory)
        lay_out_state(self.trial, table, &self.memory)
        lay_out_workspace(&self.ws, table, &self.memory)
        if not (table.oblique or table.constraints != NULL or table.disabled & COST_NOISE):
            self.perturbed_cost = <double*>take(&self.memory, table.C * <size_t>table.n * sizeof(double))

    def __dealloc__(self):
        release(&self.memory)
        release(&self.cache_memory)

    def stop(self):
        """End `run` soon, or as soon as it begins, until `clear_stop`."""
        self.stopped = 1

    def clear_stop(self):
        """Forget a `stop`."""
        self.stopped = 0

    @property
    def objective(self):
        """Objective of the best diagram, in units of sample weight; inf while none satisfies the constraints."""
        return self.ws.copies.best.totals.objective

    @property
    def work(self):
        """Work done so far: visits of a sample in a feature, weighted to take about a nanosecond each."""
        return self.ws.clock.work

    @property
    def n_nodes(self):
        """Number of active nodes of the best diagram."""
        return self.ws.copies.best.totals.n_active

    def probe(self):
        """Return the temperature, and activities, penalty and largest violation of the present diagram: a hook for tests."""
        activity = [self.present.rows.activity[r] for r in range(self.constraints.R)]
        return {
            "temperature": self.temperature,
            "activity": np.array(activity),
            "penalty": self.present.totals.penalty,
            "violation": self.present.totals.violation,
        }

    def load(self, const Py_ssize_t[:, ::1] child, const Py_ssize_t[::1] feature, const double[::1] threshold,
             const double[:, ::1] weights):
        """Start from a diagram given by slots: see `diagram`."""
        cdef int v, j
        cdef SearchTable* table = &self.table
        cdef DiagramState* state = self.present
        for v in range(table.N):
            state.graph.child[2 * v], state.graph.child[2 * v + 1] = <int>child[v, 0], <int>child[v, 1]
            state.graph.feature[v], state.graph.threshold[v] = <int>feature[v], threshold[v]
            if table.oblique:
                for j in range(table.d):
                    state.graph.weights[v * table.d + j] = weights[v, j]
            set_sides(table, state, v, self.ws.scratch.projection)
        recompute(table, state)
        if table.constraints != NULL:
            repair(table, state, &self.ws)
        update_incumbent(table, state, &self.ws)
        self.is_loaded = True

    def diagram(self):
        """Return the best diagram by slots: children (N, 2), features, thresholds (N,), weights (N, d), active (N,)."""
        cdef int v, j
        cdef int N = self.table.N, d = self.table.d
        cdef const DiagramState* best = &self.ws.copies.best
        cdef Py_ssize_t[:, ::1] child = np.empty((N, 2), dtype=np.intp)
        cdef Py_ssize_t[::1] feature = np.empty(N, dtype=np.intp)
        cdef double[::1] threshold = np.empty(N)
        cdef double[:, ::1] weights = np.zeros((N, d))
        cdef unsigned char[::1] active = np.empty(N, dtype=np.uint8)
        for v in range(N):
            child[v, 0], child[v, 1] = best.graph.child[2 * v], best.graph.child[2 * v + 1]
            feature[v], threshold[v] = best.graph.feature[v], best.graph.threshold[v]
            active[v] = best.graph.in_degree[v] > 0
            if feature[v] == HYPERPLANE:
                for j in range(d):
                    weights[v, j] = best.graph.weights[v * d + j]
        return (np.asarray(child), np.asarray(feature), np.asarray(threshold), np.asarray(weights),
                np.asarray(active).astype(bool))

    def run(self, double seconds, double max_work, long long max_iterations, long long patience, double target):
        """Search for so many seconds or iterations, until patience is used up, the target met, or `stop`.

        `max_work`, in units of `work`, ends the run too, but never in the middle of an iteration, and always at the same one.
        Patience: so many iterations without a better diagram, or as many as it took to find the best if that is more.
        """
        cdef double last_work = self.ws.clock.work + max_work
        self.ws.clock.deadline = monotonic() + seconds
        self.ws.clock.is_late = False
        with nogil:
            while (
                self.iterations < max_iterations
                and self.ws.copies.best.totals.objective > target + self.table.tolerance
                and self.iterations - self.last_improvement < max(patience, self.last_improvement)
                and self.ws.clock.work < last_work
                and not out_of_time(&self.ws.clock)
            ):
                self.iterate()

    cdef void iterate(self) noexcept nogil:
        """Perturb, descend, and keep the result if it is good enough."""
        cdef SearchTable* table = &self.table
        cdef double best = self.ws.copies.best.totals.objective, objective_target = INFINITY, slack = self.draw_slack()
        cdef bint compares = self.iterations > self.cycle_start, learns = compares and self.learns_temperature()
        if has_constraints(table):
            compute_penalty(table, self.present)  # the penalties of rows have changed
        self.begin_trial()
        if learns and not table.disabled & DESCENT_TARGET:
            objective_target = self.present.totals.objective + slack + table.tolerance
        descend(table, self.trial, &self.ws, objective_target)
        if has_constraints(table):
            update_penalties(table, self.trial)
        if learns:
            self.learn_temperature(self.trial.totals.objective - self.present.totals.objective)
        if self.trial.totals.objective <= self.present.totals.objective + slack + table.tolerance or not compares:
            self.present, self.trial = self.trial, self.present
        self.iterations += 1
        count_work(&self.ws, table.n, table.L)
        if self.ws.copies.best.totals.objective < best - table.tolerance:
            self.last_improvement = self.iterations
        if self.iterations >= self.cycle_start + ITERATIONS_PER_CYCLE:
            self.cycle_start = self.iterations

    cdef double draw_slack(self) noexcept nogil:
        """Draw how much worse than the present diagram another may be to replace it."""
        cdef double age = max(0.0, <double>(self.iterations - self.cycle_start) / ITERATIONS_PER_CYCLE)
        cdef double mean = (1.0 - age) * (1.0 - age)
        if self.learns_temperature():
            mean = SLACK_AT_CYCLE_START + age * (SLACK_AT_CYCLE_END - SLACK_AT_CYCLE_START)
        return -log(1.0 - draw_unit(&self.ws.rng)) * mean * self.temperature

    cdef bint learns_temperature(self) noexcept nogil:
        """Return whether it is learnt: not with hyperplanes, where a descent is costly, nor with penalties that change."""
        return not self.table.oblique and self.table.constraints == NULL

    cdef void learn_temperature(self, double rise) noexcept nogil:
        """Move the temperature towards the value that the given share of rises stays below."""
        if rise > self.table.tolerance:
            self.temperature *= exp(LEARNING_RATE * (SMALL_RISE_SHARE - (rise < self.temperature)))

    cdef void begin_trial(self) noexcept nogil:
        """Make the trial: the present diagram, perturbed, or the start of a new cycle."""
        cdef SearchTable* table = &self.table
        cdef const DiagramState* best = &self.ws.copies.best
        if self.is_loaded:
            self.is_loaded = False
            copy_state(self.trial, self.present)
        elif self.iterations > self.cycle_start:
            copy_state(self.trial, self.present)
            self.perturb_trial()
        elif self.iterations == self.cycle_start and draw_unit(&self.ws.rng) >= NEW_START_SHARE:
            copy_state(self.trial, best if best.totals.objective < INFINITY else self.present)
            perturb(table, self.trial, &self.ws)
        else:
            copy_state(self.trial, self.present)
            rebuild_subtree(table, self.trial, &self.ws, 0, draw_unit(&self.ws.rng))
            recompute(table, self.trial)

    cdef void perturb_trial(self) noexcept nogil:
        """Change the trial, at random or by a round of moves under other costs."""
        if (
            self.perturbed_cost != NULL and self.iterations > MIN_ITERATIONS_BEFORE_NOISE
            and draw_unit(&self.ws.rng) < NOISE_SHARE
        ):
            perturb_costs(&self.table, self.trial, &self.ws, self.perturbed_cost)
        else:
            perturb(&self.table, self.trial, &self.ws)
