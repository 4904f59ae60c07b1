"""An embedder that keeps what it has made in a file, so that a set is embedded once and not in every run."""

import hashlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from kapelle.providers.embeddings import Embedder, Vector


class KeptVectors:
    """Answers from the file what it holds, and asks the real embedder for the rest. Without a file it only asks."""

    def __init__(self, embedder: Embedder, file: Path | None) -> None:
        self._embedder = embedder
        self._file = file
        self._kept: dict[str, list[float]] = {}
        self.window = embedder.window
        if file and file.exists():
            with np.load(file) as stored:
                self._kept = dict(zip(stored["keys"].tolist(), stored["vectors"].tolist(), strict=True))

    @property
    def model(self) -> str:
        return self._embedder.model

    async def warm_up(self) -> None:
        """Let the real embedder load: its model's name may only be final then."""
        await self._embedder.warm_up()

    async def embed(self, texts: Sequence[str]) -> tuple[Vector, ...]:
        """Return one vector a text, in order; raises as the embedder does."""
        keys = [hashlib.sha256(f"{self.model}\0{text}".encode()).hexdigest() for text in texts]
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in self._kept}
        made = await self._embedder.embed(tuple(missing.values())) if missing else ()
        self._kept |= {key: list(vector) for key, vector in zip(missing, made, strict=True)}
        return tuple(tuple(self._kept[key]) for key in keys)

    def save(self) -> None:
        """Write the file, if one was named."""
        if self._file and self._kept:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            vectors = np.array(list(self._kept.values()), dtype=np.float16)
            # What the store keeps has half precision too.
            np.savez_compressed(self._file, keys=np.array(list(self._kept)), vectors=vectors)
