/* The largest problems that the branch and bound takes: sizes of arrays inside structs; kinds of vector lanes. */

#ifndef ODDLEARN_PROBLEM_LIMITS_H
#define ODDLEARN_PROBLEM_LIMITS_H

enum {
    MAX_LEVELS = 20,   /* of a tree, layers of a diagram */
    MAX_WIDTH = 16,    /* nodes of a layer of a diagram */
    MAX_CLASSES = 64,
    MAX_LANES = 16     /* splits that are scored together: 16-bit numbers in 32 bytes */
};

/* the numbers that gains are added up in */
enum { LANES_INT16, LANES_INT32, LANES_FLOAT64 };

#endif
