"""`python -m kapelle` is the `kapelle` command."""

import sys

from kapelle.adapters.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
