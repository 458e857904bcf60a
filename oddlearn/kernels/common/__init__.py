"""Clock, bits, compiler macros and memory: what every kernel may use."""
