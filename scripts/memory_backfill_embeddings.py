"""Embed what has no embedding yet: `python scripts/memory_backfill_embeddings.py [--apply] [--team TEAM]`.

A dry run unless `--apply` is given; with it, progress is shown until all is done. Interrupting it only ends the
watching: the work goes on in Temporal. Without `--team`, the entries of all teams count. Everything else is as in
`kapelle embeddings backfill --help`.
"""

import sys
from collections.abc import Sequence

from kapelle.adapters.cli.main import main


def command_line(arguments: Sequence[str]) -> tuple[str, ...]:
    """Return the arguments of `kapelle` that do the same."""
    of_one_team = any(argument == "--team" or argument.startswith("--team=") for argument in arguments)
    return ("memory" if of_one_team else "embeddings", "backfill", *arguments)


if __name__ == "__main__":
    sys.exit(main(command_line(sys.argv[1:])))
