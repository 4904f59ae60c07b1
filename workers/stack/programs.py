"""The programs that wheels put beside the interpreter."""

import sysconfig
from pathlib import Path


def program(name: str) -> str:
    """Return the full path of an installed program.

    Raises:
        FileNotFoundError: when the environment lacks it.
    """
    path = Path(sysconfig.get_path("scripts")) / name
    if not path.exists():
        raise FileNotFoundError(f"{path} is missing; run `make setup`.")
    return str(path)
