"""A small conflict-driven solver of Boolean formulas, with assumptions and cores.

Variables are 0 .. n-1; literal 2 v is v, literal 2 v + 1 is not v. Two literals of each clause are watched; a clause
in which all but one are false fixes the last one. A clause with all literals false is resolved back to one with one
literal of the present level (the first unique implication point), which is learnt. Older ones are forgotten. Variables
of recent conflicts are decided first, with the phase they had last.
"""

from libc.stdint cimport int8_t
from libc.stdlib cimport calloc, free

import numpy as np

from oddlearn.kernels.hyperplanes.clause_store cimport attach, drop_learnt
from oddlearn.kernels.hyperplanes.variable_order cimport (
    Vector, VariableOrder, insert, luby, pop_open, push, raise_activity
)

cdef enum:
    NO_REASON = -1
    LARGE = 4_000_000          # numbers in the clauses: 16 MB
    MAX_LEARNT = 3000          # clauses after which half of them are forgotten; a sixth more each time
    RESTART = 100              # conflicts of the first restart; Luby's sequence times this

cdef double DECAY = 0.95       # of the activity of variables, at each conflict

cdef class SatSolver:
    """Clauses that stay, and answers under assumptions."""

    cdef readonly int n_variables
    cdef readonly long n_conflicts, n_steps    # steps: watched clauses that were looked at
    cdef readonly bint is_consistent           # False once the clauses alone have no solution
    cdef Vector clauses, trail, level_starts, learnt, core_literals, learnt_starts
    cdef Vector* watches
    cdef int next_literal, max_learnt
    cdef int8_t[::1] value                     # of literals: 1 true, -1 false, 0 open
    cdef int8_t[::1] phase, seen, solution     # of variables, as is all that follows
    cdef int[::1] reason, level, heap, place
    cdef double[::1] activity
    cdef VariableOrder order

    def __cinit__(self, int n_variables):
        self.n_variables = n_variables
        self.watches = <Vector*>calloc(max(1, 2 * n_variables), sizeof(Vector))
        if not self.watches:
            raise MemoryError

    def __init__(self, int n_variables):
        self.value = np.zeros(2 * n_variables, dtype=np.int8)
        self.phase, self.seen, self.solution = np.zeros((3, n_variables), dtype=np.int8)
        self.reason, self.level, self.place, self.heap = np.zeros((4, n_variables), dtype=np.int32)
        self.activity, self.is_consistent, self.max_learnt = np.zeros(n_variables), True, MAX_LEARNT
        for k in range(n_variables):
            self.heap[k] = self.place[k] = k
        self.order = VariableOrder(&self.heap[0], &self.place[0], &self.activity[0], n_variables, n_variables, 1.0)

    def __dealloc__(self):
        cdef int k
        cdef Vector* owned[6]
        for k in range(2 * self.n_variables):
            free(self.watches[k].data)
        free(self.watches)
        owned = [&self.clauses, &self.trail, &self.level_starts, &self.learnt, &self.core_literals, &self.learnt_starts]
        for k in range(6):
            free(owned[k].data)

    def set_phases(self, const int[::1] literals):
        """Let each literal's variable be decided so that the literal is true."""
        cdef int k
        for k in range(literals.shape[0]):
            self.phase[literals[k] >> 1] = 0 if literals[k] & 1 else 1

    def add_clauses(self, const int[:, ::1] clauses):
        """Add clauses, one in each row."""
        for k in range(clauses.shape[0]):
            self.add_clause(clauses[k])

    cpdef add_clause(self, const int[::1] literals):
        """Add a clause of different literals; those that are fixed for good are left out."""
        cdef int k, literal
        self._undo(0)
        self.learnt.size = 0
        for k in range(literals.shape[0]):
            literal = literals[k]
            if self.value[literal] > 0:
                return
            if self.value[literal] == 0:
                push(&self.learnt, literal)
        if self.learnt.size == 0:
            self.is_consistent = False
        elif self.learnt.size == 1:
            self._assign(self.learnt.data[0], NO_REASON)
            if self._propagate() >= 0:
                self.is_consistent = False
        else:
            attach(&self.clauses, self.watches, &self.learnt)

    def solve(self, const int[::1] assumptions, long max_conflicts):
        """Return True, False (no solution under the assumptions), or None after so many conflicts."""
        cdef int answer
        self.core_literals.size = 0
        with nogil:
            answer = self._solve(assumptions, self.n_conflicts + max_conflicts)
        return None if answer < 0 else bool(answer)

    def model(self):
        """Return the truth of each variable in the last solution, shape (n,)."""
        return np.asarray(self.solution) > 0

    @property
    def is_large(self):
        """True once the clauses take so much memory that no more should be learnt."""
        return self.clauses.size > LARGE

    def core(self):
        """Return the assumptions, (k,), that have no solution together, after ``solve`` said False."""
        return np.array([self.core_literals.data[k] for k in range(self.core_literals.size)], dtype=np.int32)

    cdef int _solve(self, const int[::1] assumptions, long last) except -2 nogil:
        cdef int conflict, literal, variable, restarts = 0, back
        cdef long restart_at = self.n_conflicts + RESTART
        self._undo(0)
        while self.is_consistent:
            conflict = self._propagate()
            if conflict >= 0:
                self.n_conflicts += 1
                if self.level_starts.size == 0:
                    self.is_consistent = False
                    break
                back = self._analyse(conflict)
                self._undo(back)
                self._learn()
                self.order.bump /= DECAY
                continue
            if self.n_conflicts >= last:
                return -1
            if self.n_conflicts >= restart_at:
                restarts += 1
                restart_at = self.n_conflicts + RESTART * luby(restarts)
                self._undo(0)
                if self.learnt_starts.size >= self.max_learnt:
                    self._forget()
                continue
            literal = -1
            while self.level_starts.size < assumptions.shape[0]:
                literal = assumptions[self.level_starts.size]
                if self.value[literal] < 0:
                    self._collect_core(literal)
                    return 0
                if self.value[literal] == 0:
                    break
                push(&self.level_starts, self.trail.size)
                literal = -1
            if literal < 0:
                variable = pop_open(&self.order, &self.value[0])
                if variable < 0:
                    for variable in range(self.n_variables):
                        self.solution[variable] = self.value[2 * variable]
                    return 1
                literal = 2 * variable + 1 - self.phase[variable]
            push(&self.level_starts, self.trail.size)
            self._assign(literal, NO_REASON)
        return 0

    cdef int _assign(self, int literal, int reason) except -1 nogil:
        cdef int variable = literal >> 1
        self.value[literal], self.value[literal ^ 1] = 1, -1
        self.phase[variable] = 1 - (literal & 1)
        self.reason[variable], self.level[variable] = reason, self.level_starts.size
        return push(&self.trail, literal)

    cdef void _undo(self, int level) noexcept nogil:
        """Take back the values of all levels above one; phases keep them."""
        cdef int k, literal, variable
        if self.level_starts.size <= level:
            return
        for k in range(self.trail.size - 1, self.level_starts.data[level] - 1, -1):
            literal = self.trail.data[k]
            variable = literal >> 1
            self.value[literal] = self.value[literal ^ 1] = 0
            insert(&self.order, variable)
        self.trail.size = self.next_literal = self.level_starts.data[level]
        self.level_starts.size = level

    cdef int _learn(self) except -1 nogil:
        """Store the clause in ``learnt``; assign its first literal."""
        cdef int reason = NO_REASON
        if self.learnt.size > 1:
            reason = attach(&self.clauses, self.watches, &self.learnt)
            push(&self.learnt_starts, reason)
        return self._assign(self.learnt.data[0], reason)

    cdef int _forget(self) except -1 nogil:
        """Drop the older half of the learnt clauses; at level 0, whose reasons are not asked for."""
        cdef int k
        drop_learnt(&self.clauses, &self.learnt_starts, self.watches, 2 * self.n_variables)
        for k in range(self.trail.size):
            self.reason[self.trail.data[k] >> 1] = NO_REASON
        self.max_learnt += self.max_learnt // 6
        return 0

    cdef int _propagate(self) except -2 nogil:
        """Fix literals until nothing follows any more; return a clause that is false, or -1."""
        cdef int literal, k, kept, place, other, start, size
        cdef Vector* watching
        cdef int* clause
        while self.next_literal < self.trail.size:
            literal = self.trail.data[self.next_literal] ^ 1
            self.next_literal += 1
            watching = &self.watches[literal]
            self.n_steps += watching.size
            kept = k = 0
            while k < watching.size:
                start = watching.data[k]
                k += 1
                size, clause = self.clauses.data[start], &self.clauses.data[start + 1]
                if clause[0] == literal:
                    clause[0], clause[1] = clause[1], literal
                other = clause[0]
                if self.value[other] <= 0:
                    for place in range(2, size):
                        if self.value[clause[place]] >= 0:
                            clause[1], clause[place] = clause[place], literal
                            push(&self.watches[clause[1]], start)
                            break
                    else:
                        watching.data[kept] = start
                        kept += 1
                        if self.value[other] < 0:
                            for k in range(k, watching.size):
                                watching.data[kept] = watching.data[k]
                                kept += 1
                            watching.size = kept
                            return start
                        self._assign(other, start)
                    continue
                watching.data[kept] = start
                kept += 1
            watching.size = kept
        return -1

    cdef int _analyse(self, int conflict) except -1 nogil:
        """Write the clause to be learnt, its deepest literals first; return the level it leads back to."""
        cdef int k, literal, variable, open_literals = 0, place = self.trail.size - 1, second = 1, back = 0
        cdef int present = self.level_starts.size, skipped = -1
        self.learnt.size = 0
        push(&self.learnt, 0)
        while True:
            for k in range(self.clauses.data[conflict]):
                literal = self.clauses.data[conflict + 1 + k]
                variable = literal >> 1
                if literal == skipped or self.seen[variable] or self.level[variable] == 0:
                    continue
                self.seen[variable] = 1
                raise_activity(&self.order, variable)
                if self.level[variable] == present:
                    open_literals += 1
                else:
                    push(&self.learnt, literal)
            while not self.seen[self.trail.data[place] >> 1]:
                place -= 1
            skipped = self.trail.data[place]
            self.seen[skipped >> 1] = 0
            open_literals -= 1
            if open_literals == 0:
                break
            conflict = self.reason[skipped >> 1]
            place -= 1
        self.learnt.data[0] = skipped ^ 1
        for k in range(1, self.learnt.size):
            variable = self.learnt.data[k] >> 1
            self.seen[variable] = 0
            if self.level[variable] > back:
                back, second = self.level[variable], k
        if self.learnt.size > 1:
            self.learnt.data[1], self.learnt.data[second] = self.learnt.data[second], self.learnt.data[1]
        return back

    cdef int _collect_core(self, int failed) except -1 nogil:
        """Write the assumptions from which the opposite of one of them follows, and that one."""
        cdef int k, j, literal, variable
        push(&self.core_literals, failed)
        if self.level_starts.size == 0:
            return 0
        self.seen[failed >> 1] = 1
        for k in range(self.trail.size - 1, self.level_starts.data[0] - 1, -1):
            literal = self.trail.data[k]
            variable = literal >> 1
            if not self.seen[variable]:
                continue
            self.seen[variable] = 0
            if self.reason[variable] == NO_REASON:
                push(&self.core_literals, literal)
                continue
            for j in range(self.clauses.data[self.reason[variable]]):
                literal = self.clauses.data[self.reason[variable] + 1 + j]
                if literal >> 1 != variable and self.level[literal >> 1] > 0:
                    self.seen[literal >> 1] = 1
        self.seen[failed >> 1] = 0
        return 0
