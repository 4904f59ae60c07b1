"""A server that speaks OpenAI's embeddings API, answers as a test tells it, and checks what it is asked."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from kapelle.providers import embed_litellm


@dataclass
class Provider:
    """A server that answers as it is told, in the form of OpenAI."""

    url: str = ""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    # Statuses of the next answers, one each; then `status` again.
    next_statuses: list[int] = field(default_factory=list)
    vectors: list[list[float]] | None = None
    # Makes the vector of a text at its place, unless the vectors are given.
    meaning: Callable[[str, int], list[float]] = lambda _, place: [3e5, 4e5 * place, 0.0, 0.0]
    asked: list[list[str]] = field(default_factory=list)
    silent: bool = False
    wrong: list[str] = field(default_factory=list)
    left_open: list[asyncio.StreamWriter] = field(default_factory=list)

    def answer(self, texts: list[str], status: int) -> bytes:
        if status != 200:
            return json.dumps({"error": {"message": f"no, not {texts}", "type": "x", "code": "x"}}).encode()
        vectors = self.vectors or [self.meaning(text, place) for place, text in enumerate(texts)]
        # Out of order, as the form allows.
        data = [{"object": "embedding", "index": i, "embedding": vector} for i, vector in enumerate(vectors)][::-1]
        return json.dumps(
            {"object": "list", "model": "m", "data": data, "usage": {"prompt_tokens": 1, "total_tokens": 1}}
        ).encode()

    def _check(self, head: bytes, request: dict[str, object]) -> None:
        """Hold against a request what the API's reference says; a test looks at `wrong` at its end."""
        if not head.startswith(b"POST /embeddings HTTP/1.1"):
            self.wrong.append(head.split(b"\r\n")[0].decode())
        if b"authorization: bearer " not in head.lower():
            self.wrong.append("no key")
        texts = request["input"]
        if not isinstance(texts, list) or not 1 <= len(texts) <= 2048 or not all(texts):
            self.wrong.append("the input is no list of texts that are not empty")
        if not request.get("model"):
            self.wrong.append("no model")

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        length = next(int(line[15:]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:"))
        request = json.loads(await reader.readexactly(length))
        texts = request["input"]
        self._check(head, request)
        self.asked.append(texts)
        if self.silent:
            self.left_open.append(writer)
            return
        status = self.next_statuses.pop(0) if self.next_statuses else self.status
        body = self.answer(texts, status)
        extra = "".join(f"{name}: {value}\r\n" for name, value in self.headers.items())
        start = f"HTTP/1.1 {status} X\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n"
        writer.write(f"{start}{extra}connection: close\r\n\r\n".encode() + body)
        await writer.drain()
        writer.close()


@asynccontextmanager
async def provider() -> AsyncIterator[Provider]:
    # Its import takes as long as the machine has else to do, which no time limit of a test should depend on.
    await asyncio.to_thread(embed_litellm._litellm, ())
    made = Provider()
    server = await asyncio.start_server(made.serve, "127.0.0.1", 0)
    made.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    try:
        yield made
    finally:
        for writer in made.left_open:
            writer.close()
        server.close()
    assert made.wrong == []


def config_for(folder: Path, url: str, **params: object) -> str:
    entry = {
        "model_name": "embed",
        "litellm_params": {"model": "openai/text-embedding-3-small", "api_base": url, "api_key": "k", **params},
    }
    path = folder / "config.yaml"
    path.write_text(json.dumps({"model_list": [entry]}))
    return str(path)
