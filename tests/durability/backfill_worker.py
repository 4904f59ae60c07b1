"""A worker to kill: the product's, on an embedder that writes down every text before it answers, and says so."""

import asyncio
import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from kapelle.services import open_services
from kapelle.settings import Settings
from tests.embedder import ALIAS, FakeEmbedder, spaces_of
from workers import process
from workers.memory_worker import memory_worker


async def _run(record: Path) -> None:
    settings = Settings.from_env(os.environ)  # noqa: TID251 - an entry point

    def note(texts: Sequence[str]) -> None:
        with record.open("a", encoding="utf-8") as file:
            file.write("".join(f"{text.splitlines()[0]}\n" for text in texts))
        sys.stdout.write("embedded\n")
        sys.stdout.flush()

    embedders = {ALIAS: FakeEmbedder(on_embed=note)}
    async with open_services(settings, os.environ, identity=process.identity("worker")) as opened:  # noqa: TID251
        services = replace(opened, spaces=spaces_of(settings, opened.pool, embedders))
        async with memory_worker(services):
            sys.stdout.write("ready\n")
            sys.stdout.flush()
            await process.stopped()


if __name__ == "__main__":
    asyncio.run(_run(Path(sys.argv[1])))
