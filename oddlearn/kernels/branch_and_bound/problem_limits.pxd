"""The largest problems that the branch and bound takes, and the kinds of vector lanes."""

cdef extern from "problem_limits.h" nogil:
    enum:
        MAX_LEVELS
        MAX_WIDTH
        MAX_CLASSES
        MAX_LANES
    enum:
        LANES_INT16
        LANES_INT32
        LANES_FLOAT64
