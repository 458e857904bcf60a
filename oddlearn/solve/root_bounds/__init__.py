"""Lower bounds that cost next to nothing, valid for every diagram of the skeleton."""
