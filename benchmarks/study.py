"""The paper's study on a machine that other jobs share: seconds are those of the processor.

    python benchmarks/study.py --seconds 1 --jobs 2 --store study.sqlite

All options are those of ``oddlearn paper run``. Its worker processes read the clock of the processor, so that
a run has the same work whatever else the machine does; a MILP in a process of its own still ends by the clock
on the wall.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

CLOCK = Path(__file__).parent / "processor_clock"


def main() -> None:
    """Run the missing trials with the clock of the processor."""
    paths = [str(CLOCK), os.environ.get("PYTHONPATH", "")]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, paths))}
    command = [sys.executable, "-m", "oddlearn", "paper", "run", *sys.argv[1:]]
    sys.exit(subprocess.run(command, env=environment, check=False).returncode)


if __name__ == "__main__":
    main()
