"""The command line of the checks on many random problems: they end at the first error."""

import argparse
import sys
from collections import Counter
from collections.abc import Callable


def run_checks(check_problem: Callable[[int], str], description: str | None) -> None:
    """Check the problems of many seeds, and print how many were of each kind."""
    layout = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=description, formatter_class=layout)
    parser.add_argument("--problems", type=int, default=10_000)
    parser.add_argument("--first", type=int, default=0)
    options = parser.parse_args()
    counts: Counter[str] = Counter()
    for seed in range(options.first, options.first + options.problems):
        counts[check_problem(seed)] += 1
        if (seed + 1) % 1000 == 0:
            sys.stdout.write(f"{seed + 1} {dict(counts)}\n")
            sys.stdout.flush()
    sys.stdout.write(f"0 wrong: {dict(counts)}\n")
