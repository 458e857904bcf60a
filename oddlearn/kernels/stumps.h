/* The best stump on both sides of several thresholds of one feature at once: a threshold per vector lane. */

#ifndef ODDLEARN_STUMPS_H
#define ODDLEARN_STUMPS_H

#include <string.h>

#if defined(__x86_64__) && defined(__linux__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__)
#define STUMPS_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define STUMPS_CLONES
#endif

#define MOST_LANES 16
#define MOST_CLASSES 64

/* A set of items, sorted by each feature in use. */
typedef struct {
    const int *item;            /* (features, room): items of the set in the order of each feature */
    const unsigned char *edge;  /* (features, room): a stump may cut after this place */
    const int *active;          /* (n_active,): features in use */
    const int *big;             /* (features, 2): first place of the largest group of equal values, and its end */
    long n_active, n, room;
} Sorted;

typedef short ShortLanes __attribute__((vector_size(32)));
typedef int IntLanes __attribute__((vector_size(32)));
typedef double DoubleLanes __attribute__((vector_size(32)));
typedef long long LongLanes __attribute__((vector_size(32)));

#define PICK(test, a, b, V, M) ((V)(((M)(test) & (M)(a)) | (~(M)(test) & (M)(b))))

/* Two classes: sign is the gain of class 0 less that of class 1; extremes of its sums over a prefix. */
#define TWO_CLASSES(NAME, T, V, M, N)                                                                        \
    STUMPS_CLONES static void NAME(const Sorted *set, const T *sign, const T *rank, const int *tau_,         \
                                   const double *total, const double *total_left, double *gain_left,         \
                                   double *gain_right)                                                       \
    {                                                                                                        \
        V tau, low_left = {0}, high_left = {0}, low_right = {0}, high_right = {0};                           \
        long a, k;                                                                                           \
        int back;                                                                                            \
        for (k = 0; k < N; k++)                                                                              \
            tau[k] = (T)tau_[k];                                                                             \
        for (a = 0; a < set->n_active; a++) {                                                                \
            const int *item = set->item + set->active[a] * set->room;                                        \
            const unsigned char *edge = set->edge + set->active[a] * set->room;                              \
            /* up to the largest group from the front, then down to it from the end: its items are not looked at */ \
            for (back = 0; back < 2; back++) {                                                               \
            const long step = back ? -1 : 1, end = set->big[2 * set->active[a] + back] - back;               \
            V left = {0};                                                                                    \
            T before = 0;                                                                                    \
            for (k = back ? set->n - 1 : 0; k != end; k += step) {                                           \
                const int i = item[k];                                                                       \
                const T s = sign[i];                                                                         \
                left += (V)((M)((V){0} + s) & (M)(((V){0} + rank[i]) <= tau));                               \
                before += s;                                                                                 \
                {                                                                                            \
                    /* without an edge the candidate is 0, which is always one: no branch to foresee */      \
                    const M here = (M){0} - edge[k - back];                                                         \
                    const V one = (V)((M)left & here), two = (V)((M)(before - left) & here);                 \
                    low_left = PICK(one < low_left, one, low_left, V, M);                                    \
                    high_left = PICK(one > high_left, one, high_left, V, M);                                 \
                    low_right = PICK(two < low_right, two, low_right, V, M);                                 \
                    high_right = PICK(two > high_right, two, high_right, V, M);                              \
                }                                                                                            \
            }                                                                                                \
            }                                                                                                \
        }                                                                                                    \
        for (k = 0; k < N; k++) {                                                                            \
            const double l0 = total_left[2 * k], l1 = total_left[2 * k + 1];                                 \
            const double r0 = total[0] - l0, r1 = total[1] - l1;                                             \
            const double first = l1 + (double)high_left[k], second = l0 - (double)low_left[k];               \
            const double third = r1 + (double)high_right[k], fourth = r0 - (double)low_right[k];             \
            gain_left[k] = first > second ? first : second;                                                  \
            gain_right[k] = third > fourth ? third : fourth;                                                 \
        }                                                                                                    \
    }

/* Any number of classes: gains per class before and after a cut, the largest of each. */
#define MANY_CLASSES(NAME, T, V, M, N)                                                                       \
    STUMPS_CLONES static void NAME(const Sorted *set, const T *gain, const int *label, int classes,          \
                                   const T *rank, const int *tau_, const double *total,                      \
                                   const double *total_left, double *gain_left, double *gain_right)          \
    {                                                                                                        \
        V tau, best_left = {0}, best_right = {0};                                                            \
        V left[MOST_CLASSES], all_left[MOST_CLASSES];                                                        \
        T before[MOST_CLASSES], all[MOST_CLASSES];                                                           \
        long a, k;                                                                                           \
        int back;                                                                                            \
        int c;                                                                                               \
        for (k = 0; k < N; k++)                                                                              \
            tau[k] = (T)tau_[k];                                                                             \
        for (c = 0; c < classes; c++) {                                                                      \
            all[c] = (T)total[c];                                                                            \
            for (k = 0; k < N; k++)                                                                          \
                all_left[c][k] = (T)total_left[k * classes + c];                                             \
        }                                                                                                    \
        for (a = 0; a < set->n_active; a++) {                                                                \
            const int *item = set->item + set->active[a] * set->room;                                        \
            const unsigned char *edge = set->edge + set->active[a] * set->room;                              \
            for (back = 0; back < 2; back++) {                                                               \
            const long step = back ? -1 : 1, end = set->big[2 * set->active[a] + back] - back;               \
            for (c = 0; c < classes; c++) {                                                                  \
                left[c] = (V){0};                                                                            \
                before[c] = 0;                                                                               \
            }                                                                                                \
            for (k = back ? set->n - 1 : 0; k != end; k += step) {                                           \
                const int i = item[k];                                                                       \
                const T g = gain[i];                                                                         \
                left[label[i]] += (V)((M)((V){0} + g) & (M)(((V){0} + rank[i]) <= tau));                     \
                before[label[i]] += g;                                                                       \
                if (edge[k - back]) {                                                                        \
                    V first = left[0], second = all_left[0] - left[0];                                       \
                    V third = before[0] - left[0], fourth = (T)(all[0] - before[0]) - second;                   \
                    for (c = 1; c < classes; c++) {                                                          \
                        const V one = left[c], two = all_left[c] - one;                                      \
                        const V three = before[c] - one, four = (T)(all[c] - before[c]) - two;                  \
                        first = PICK(one > first, one, first, V, M);                                         \
                        second = PICK(two > second, two, second, V, M);                                      \
                        third = PICK(three > third, three, third, V, M);                                     \
                        fourth = PICK(four > fourth, four, fourth, V, M);                                    \
                    }                                                                                        \
                    first += second;                                                                         \
                    third += fourth;                                                                         \
                    best_left = PICK(first > best_left, first, best_left, V, M);                             \
                    best_right = PICK(third > best_right, third, best_right, V, M);                          \
                }                                                                                            \
            }                                                                                                \
            }                                                                                                \
        }                                                                                                    \
        for (k = 0; k < N; k++) {                                                                            \
            gain_left[k] = (double)best_left[k];                                                             \
            gain_right[k] = (double)best_right[k];                                                           \
        }                                                                                                    \
    }

TWO_CLASSES(two_short, short, ShortLanes, ShortLanes, 16)
TWO_CLASSES(two_int, int, IntLanes, IntLanes, 8)
TWO_CLASSES(two_double, double, DoubleLanes, LongLanes, 4)
MANY_CLASSES(many_short, short, ShortLanes, ShortLanes, 16)
MANY_CLASSES(many_int, int, IntLanes, IntLanes, 8)
MANY_CLASSES(many_double, double, DoubleLanes, LongLanes, 4)

enum { KIND_SHORT, KIND_INT, KIND_DOUBLE };

/* The gains of the best stumps left and right of up to 16, 8 or 4 thresholds: left are the items of rank <= tau. */
static void stumps_beside(int kind, int classes, const Sorted *set, const void *sign, const void *gain,
                          const int *label, const void *rank, const int *tau, const double *total,
                          const double *total_left, double *gain_left, double *gain_right)
{
    if (classes == 2) {
        if (kind == KIND_SHORT)
            two_short(set, sign, rank, tau, total, total_left, gain_left, gain_right);
        else if (kind == KIND_INT)
            two_int(set, sign, rank, tau, total, total_left, gain_left, gain_right);
        else
            two_double(set, sign, rank, tau, total, total_left, gain_left, gain_right);
    } else {
        if (kind == KIND_SHORT)
            many_short(set, gain, label, classes, rank, tau, total, total_left, gain_left, gain_right);
        else if (kind == KIND_INT)
            many_int(set, gain, label, classes, rank, tau, total, total_left, gain_left, gain_right);
        else
            many_double(set, gain, label, classes, rank, tau, total, total_left, gain_left, gain_right);
    }
}

#endif
