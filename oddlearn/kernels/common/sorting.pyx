"""Sorting without the GIL."""


cdef void sort_by_key(double* key, int* id, Py_ssize_t m) noexcept nogil:
    """Sort ids by key, in place: quicksort with the median of three, insertion sort for short stretches."""
    cdef Py_ssize_t i, j
    cdef double pivot, k
    cdef int t
    while m > 24:
        pivot = key[m // 2]
        if key[0] > key[m - 1]:
            key[0], key[m - 1] = key[m - 1], key[0]
            id[0], id[m - 1] = id[m - 1], id[0]
        if pivot < key[0]:
            pivot = key[0]
        elif pivot > key[m - 1]:
            pivot = key[m - 1]
        i, j = 0, m - 1
        while i <= j:
            while key[i] < pivot:
                i += 1
            while key[j] > pivot:
                j -= 1
            if i <= j:
                key[i], key[j] = key[j], key[i]
                id[i], id[j] = id[j], id[i]
                i += 1
                j -= 1
        if j + 1 < m - i:
            sort_by_key(key, id, j + 1)
            key, id, m = key + i, id + i, m - i
        else:
            sort_by_key(key + i, id + i, m - i)
            m = j + 1
    for i in range(1, m):
        k, t = key[i], id[i]
        j = i - 1
        while j >= 0 and key[j] > k:
            key[j + 1], id[j + 1] = key[j], id[j]
            j -= 1
        key[j + 1], id[j + 1] = k, t


def sort_arrays(double[::1] keys, int[::1] ids):
    """Sort ids by keys, and the keys, in place: a hook for tests."""
    if keys.shape[0]:
        sort_by_key(&keys[0], &ids[0], keys.shape[0])
