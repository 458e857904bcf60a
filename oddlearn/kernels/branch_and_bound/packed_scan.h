/* Totals of a set of bits below every threshold, and the best stumps from them: several thresholds in a vector. */

#ifndef ODDLEARN_PACKED_SCAN_H
#define ODDLEARN_PACKED_SCAN_H

#include <string.h>

#include "common/compiler.h"
#include "packed_table.h"

#define LARGER_OF(a, b) ((a) > (b) ? (a) : (b))

/* total[c][t]: gains of class c below threshold t among the items of the planes; the weight in row n_classes */
#define SUM_BELOW(NAME, TARGET)                                                                                       \
    TARGET static void NAME(const BitTable *table, const unsigned long long *plane, long long *count, int *total)     \
    {                                                                                                                 \
        const long n = table->n_thresholds, words = table->words;                                                     \
        long p, w, t, c;                                                                                              \
        memset(total, 0, (table->n_classes + 1) * n * sizeof(int));                                                   \
        for (p = 0; p < table->n_planes; p++) {                                                                       \
            int *ODDLEARN_RESTRICT sum = total + table->plane_class[p] * n;                                           \
            const int weight = table->plane_weight[p];                                                                \
            long long *ODDLEARN_RESTRICT shared = count;                                                              \
            memset(shared, 0, n * sizeof(long long));                                                                 \
            for (w = 0; w < words; w++) {                                                                             \
                const unsigned long long word = plane[p * words + w];                                                 \
                const unsigned long long *ODDLEARN_RESTRICT column = table->column + w * n;                           \
                if (word)                                                                                             \
                    for (t = 0; t < n; t++)                                                                           \
                        shared[t] += __builtin_popcountll(word & column[t]);                                          \
            }                                                                                                         \
            for (t = 0; t < n; t++)                                                                                   \
                sum[t] += weight * (int)shared[t];                                                                    \
        }                                                                                                             \
        if (!table->has_base_planes)                                                                                  \
            for (c = 0; c < table->n_classes; c++)                                                                    \
                for (t = 0; t < n; t++)                                                                               \
                    total[table->n_classes * n + t] += total[c * n + t];                                              \
    }

/* Largest gains of the stumps of the set below a split (0) and above it (1): `both` are totals below the split and each
   threshold, `stump` below each threshold, `split` below the split, `all` of the set; `largest` is scratch, (4, n). */
#define BEST_STUMPS(NAME, TARGET)                                                                                     \
    TARGET static void NAME(const BitTable *table, const int *both, const int *stump, const int *split,               \
                            const int *all, int *largest, int *best)                                                  \
    {                                                                                                                 \
        const long n = table->n_thresholds;                                                                           \
        int *ODDLEARN_RESTRICT first = largest, *ODDLEARN_RESTRICT second = largest + n;                              \
        int *ODDLEARN_RESTRICT third = largest + 2 * n, *ODDLEARN_RESTRICT fourth = largest + 3 * n;                  \
        int low = 0, high = 0;                                                                                        \
        long t, c;                                                                                                    \
        memset(largest, 0, 4 * n * sizeof(int));                                                                      \
        for (c = 0; c < table->n_classes; c++) {                                                                      \
            const int *ODDLEARN_RESTRICT one = both + c * n, *ODDLEARN_RESTRICT other = stump + c * n;                \
            const int below = split[c], above = all[c] - split[c];                                                    \
            for (t = 0; t < n; t++) {                                                                                 \
                const int rest = other[t] - one[t], two = below - one[t], four = above - rest;                        \
                first[t] = LARGER_OF(first[t], one[t]);                                                               \
                second[t] = LARGER_OF(second[t], two);                                                                \
                third[t] = LARGER_OF(third[t], rest);                                                                 \
                fourth[t] = LARGER_OF(fourth[t], four);                                                               \
            }                                                                                                         \
        }                                                                                                             \
        for (t = 0; t < n; t++) {                                                                                     \
            low = LARGER_OF(low, first[t] + second[t]);                                                               \
            high = LARGER_OF(high, third[t] + fourth[t]);                                                             \
        }                                                                                                             \
        best[0] = low, best[1] = high;                                                                                \
    }

SUM_BELOW(sum_below_plain, )
BEST_STUMPS(best_stumps_plain, )

/* one instruction counts the bits of a word, or of eight, where the processor has it */
#if defined(ODDLEARN_HAS_TARGETS)
#define WIDE "avx512f,avx512vl,avx512bw,avx512vpopcntdq"
SUM_BELOW(sum_below_counted, ODDLEARN_TARGET("popcnt"))
SUM_BELOW(sum_below_wide, ODDLEARN_TARGET(WIDE))
BEST_STUMPS(best_stumps_avx2, ODDLEARN_TARGET("avx2"))
#define sum_below(...)                                                                                                \
    (__builtin_cpu_supports("avx512vpopcntdq") && __builtin_cpu_supports("avx512bw")                                  \
         && __builtin_cpu_supports("avx512vl") ? sum_below_wide(__VA_ARGS__)                                          \
     : __builtin_cpu_supports("popcnt") ? sum_below_counted(__VA_ARGS__)                                              \
                                        : sum_below_plain(__VA_ARGS__))
#define best_stumps(...)                                                                                              \
    (__builtin_cpu_supports("avx2") ? best_stumps_avx2(__VA_ARGS__) : best_stumps_plain(__VA_ARGS__))
#else
#define sum_below sum_below_plain
#define best_stumps best_stumps_plain
#endif

#endif
