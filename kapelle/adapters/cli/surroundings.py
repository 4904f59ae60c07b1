"""What the client takes from the process around it, handed to everything instead of being looked up."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, TextIO


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """The environment, the current folder and the standard streams of one run."""

    env: Mapping[str, str]
    folder: Path
    stdin: BinaryIO
    stdout: TextIO
    stderr: TextIO
