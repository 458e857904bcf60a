/* Items as bits, as vector code reads them. */

#ifndef ODDLEARN_PACKED_TABLE_H
#define ODDLEARN_PACKED_TABLE_H

/* `column` is (words, n_thresholds): a word of every threshold; `plane_class` and `plane_weight`: what a plane counts */
typedef struct {
    long words, n_planes, n_thresholds, n_classes;
    int has_base_planes;
    const unsigned long long *column;
    const int *plane_class, *plane_weight;
} BitTable;

#endif
