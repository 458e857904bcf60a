"""``python -m oddlearn``: the command line."""

import sys

from oddlearn.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
