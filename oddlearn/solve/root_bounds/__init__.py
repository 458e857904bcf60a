"""Lower bounds that take little time and hold for every diagram of the skeleton."""
