/* The number of items of one set that another set lacks: 64 of them at a time. */

#ifndef ODDLEARN_SUBSET_COUNT_H
#define ODDLEARN_SUBSET_COUNT_H

#include "common/compiler.h"

#define COUNT_MISSING(NAME, TARGET)                                                                          \
    TARGET static long NAME(const unsigned long long *solved, const unsigned long long *present, long words) \
    {                                                                                                        \
        long w, n = 0;                                                                                       \
        for (w = 0; w < words; w++)                                                                          \
            n += __builtin_popcountll(solved[w] & ~present[w]);                                              \
        return n;                                                                                            \
    }

COUNT_MISSING(missing_plain, )

/* one instruction counts the bits of a word, where the processor has it */
#if defined(ODDLEARN_HAS_TARGETS)
COUNT_MISSING(missing_counted, ODDLEARN_TARGET("popcnt"))
#define count_missing(solved, present, words)                                                                \
    (__builtin_cpu_supports("popcnt") ? missing_counted(solved, present, words)                              \
                                      : missing_plain(solved, present, words))
#else
#define count_missing missing_plain
#endif

#endif
