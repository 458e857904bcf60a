/* Rows of a binned table through a diagram, a block at a time: bytes, one array per node, without branches.

   A node sends a row to its positive side when low <= bin <= high. Nodes are slots of a skeleton, arcs lead to
   later slots or to n_slots + class. A row belongs to the group of the node, or of the final arc, that it passes. */

#ifndef ODDLEARN_BLOCK_PASS_H
#define ODDLEARN_BLOCK_PASS_H

#include <stdint.h>
#include <string.h>
#include "common/compiler.h"

/* rows of a block: the bytes of 40 nodes and classes are 40 KB, about the first-level cache */
#define BLOCK_ROWS 1024
#define BINS 256

typedef struct {
    int n_slots, n_classes;
    const int32_t *child;          /* (n_slots, 2) */
    const int32_t *column;         /* of the bins, by slot */
    const uint8_t *low, *high;     /* positive side, by slot */
    const uint8_t *active;
    const uint8_t **bins;          /* the bin of every row, by column */
    uint8_t *side, *reached;       /* (n_slots, BLOCK_ROWS): 255 or 0 */
    uint8_t *ends;                 /* (n_slots + n_classes, BLOCK_ROWS): the class a row ends in from there */
} BlockPass;

/* sides of all active nodes for rows first .. first + count - 1 */
ODDLEARN_INLINE void compute_sides(const BlockPass *p, int64_t first, int count)
{
    for (int v = 0; v < p->n_slots; v++) {
        if (!p->active[v])
            continue;
        const uint8_t *ODDLEARN_RESTRICT bin = p->bins[p->column[v]] + first;
        uint8_t *ODDLEARN_RESTRICT side = p->side + (int64_t)v * BLOCK_ROWS;
        const uint8_t low = p->low[v], high = p->high[v];
        for (int r = 0; r < count; r++)
            side[r] = (uint8_t)-((bin[r] >= low) & (bin[r] <= high));
    }
}

/* group[r] = the group of the node or final arc that row r passes, plus 1; 0 if it passes none */
ODDLEARN_INLINE void route_down(const BlockPass *p, int end, const int32_t *slot_group, const int32_t *arc_group,
                                int count, uint8_t *ODDLEARN_RESTRICT group)
{
    memset(group, 0, (size_t)count);
    memset(p->reached, 0, (size_t)end * BLOCK_ROWS);
    memset(p->reached, 255, (size_t)count);
    for (int v = 0; v < end; v++) {
        if (!p->active[v])
            continue;
        const uint8_t *ODDLEARN_RESTRICT side = p->side + (int64_t)v * BLOCK_ROWS;
        const uint8_t *ODDLEARN_RESTRICT here = p->reached + (int64_t)v * BLOCK_ROWS;
        if (slot_group[v] >= 0) {
            const uint8_t id = (uint8_t)(slot_group[v] + 1);
            for (int r = 0; r < count; r++)
                group[r] |= here[r] & id;
        }
        for (int s = 0; s < 2; s++) {
            const uint8_t turned = s ? 0 : 255;
            const int target = p->child[2 * v + s];
            if (target < end) {
                uint8_t *ODDLEARN_RESTRICT there = p->reached + (int64_t)target * BLOCK_ROWS;
                for (int r = 0; r < count; r++)
                    there[r] |= here[r] & (side[r] ^ turned);
            } else if (arc_group[2 * v + s] >= 0) {
                const uint8_t id = (uint8_t)(arc_group[2 * v + s] + 1);
                for (int r = 0; r < count; r++)
                    group[r] |= here[r] & (side[r] ^ turned) & id;
            }
        }
    }
}

/* the class in which each row would end from each active slot of begin .. n_slots - 1 */
ODDLEARN_INLINE void find_ends(const BlockPass *p, int begin, int count)
{
    for (int v = p->n_slots - 1; v >= begin; v--) {
        if (!p->active[v])
            continue;
        const uint8_t *ODDLEARN_RESTRICT side = p->side + (int64_t)v * BLOCK_ROWS;
        const uint8_t *ODDLEARN_RESTRICT negative = p->ends + (int64_t)p->child[2 * v] * BLOCK_ROWS;
        const uint8_t *ODDLEARN_RESTRICT positive = p->ends + (int64_t)p->child[2 * v + 1] * BLOCK_ROWS;
        uint8_t *ODDLEARN_RESTRICT ends = p->ends + (int64_t)v * BLOCK_ROWS;
        for (int r = 0; r < count; r++)
            ends[r] = (uint8_t)((positive[r] & side[r]) | (negative[r] & (uint8_t)~side[r]));
    }
}

/* add the lanes of each row to its bin: sums of one column, (groups, BINS, lanes) */
#define DEFINE_ADD_ROWS(NAME, TYPE)                                                                                \
    ODDLEARN_INLINE void NAME(const uint8_t *ODDLEARN_RESTRICT bin, const uint16_t *ODDLEARN_RESTRICT rows,        \
                              const uint8_t *ODDLEARN_RESTRICT group, const TYPE *ODDLEARN_RESTRICT values,        \
                              int count, const int lanes, TYPE *ODDLEARN_RESTRICT sums)                            \
    {                                                                                                              \
        for (int j = 0; j < count; j++) {                                                                          \
            TYPE *ODDLEARN_RESTRICT sum = sums + ((int64_t)(group[rows[j]] - 1) * BINS + bin[rows[j]]) * lanes;    \
            const TYPE *ODDLEARN_RESTRICT value = values + (int64_t)j * lanes;                                     \
            for (int t = 0; t < lanes; t++)                                                                        \
                sum[t] += value[t];                                                                                \
        }                                                                                                          \
    }

DEFINE_ADD_ROWS(add_rows_int, int32_t)
DEFINE_ADD_ROWS(add_rows_long, int64_t)

/* what rows cost, in integers: sums of them are the same in any order and for any division of the rows */
typedef struct {
    const double *cost;            /* (n_rows, n_classes), or (n_classes, n_classes) with codes; scaled */
    const uint8_t *codes;          /* class of each row, or NULL */
    const double *weight;          /* of each row, or NULL for 1 */
    const double *flow;            /* of each row, scaled, or NULL */
} RowAmounts;

/* one pass over rows first .. last - 1: sums (n_columns, n_groups, BINS, lanes); lane t is the cost of going on
   from targets[t], cut off to an integer, lane n_targets the flow if there is one. A lane count of 8 is a
   constant: vector code */
#define DEFINE_PASS(NAME, TYPE, ADD)                                                                               \
    ODDLEARN_CLONES static void NAME(const BlockPass *p, int64_t first, int64_t last, int end, int begin,          \
                                     const int32_t *slot_group, const int32_t *arc_group, int n_groups,            \
                                     const int32_t *targets, int n_targets, int lanes, const RowAmounts *amounts,  \
                                     const int32_t *columns, int n_columns, uint8_t *group, uint16_t *rows,        \
                                     TYPE *values, TYPE *sums)                                                     \
    {                                                                                                              \
        for (int64_t start = first; start < last; start += BLOCK_ROWS) {                                           \
            const int count = last - start < BLOCK_ROWS ? (int)(last - start) : BLOCK_ROWS;                        \
            compute_sides(p, start, count);                                                                        \
            route_down(p, end, slot_group, arc_group, count, group);                                               \
            find_ends(p, begin, count);                                                                            \
            int n_rows = 0;                                                                                        \
            for (int r = 0; r < count; r++) {                                                                      \
                rows[n_rows] = (uint16_t)r;                                                                        \
                n_rows += group[r] != 0;                                                                           \
            }                                                                                                      \
            for (int j = 0; j < n_rows; j++) {                                                                     \
                const int64_t row = start + rows[j];                                                               \
                const double *own = amounts->cost + (amounts->codes ? amounts->codes[row] : row) * p->n_classes;   \
                const double times = amounts->weight ? amounts->weight[row] : 1.0;                                 \
                TYPE *value = values + (int64_t)j * lanes;                                                         \
                for (int t = 0; t < n_targets; t++)                                                                \
                    value[t] = (TYPE)(times * own[p->ends[(int64_t)targets[t] * BLOCK_ROWS + rows[j]]]);           \
                if (amounts->flow)                                                                                 \
                    value[n_targets] = (TYPE)amounts->flow[row];                                                   \
            }                                                                                                      \
            for (int k = 0; k < n_columns; k++) {                                                                  \
                const uint8_t *bin = p->bins[columns[k]] + start;                                                  \
                TYPE *own = sums + (int64_t)k * n_groups * BINS * lanes;                                           \
                if (lanes == 4)                                                                                    \
                    ADD(bin, rows, group, values, n_rows, 4, own);                                                 \
                else if (lanes == 8)                                                                               \
                    ADD(bin, rows, group, values, n_rows, 8, own);                                                 \
                else                                                                                               \
                    ADD(bin, rows, group, values, n_rows, lanes, own);                                             \
            }                                                                                                      \
        }                                                                                                          \
    }

DEFINE_PASS(pass_int, int32_t, add_rows_int)
DEFINE_PASS(pass_long, int64_t, add_rows_long)

#endif
