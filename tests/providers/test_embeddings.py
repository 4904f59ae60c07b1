"""Embeddings: the bundled alias, what providers do wrong, whole entries by parts, and the cache of query vectors."""

import asyncio
import math
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from kapelle.providers import embed_parts
from kapelle.providers.embed_vectors import Vector
from kapelle.providers.embeddings import Embedder, EmbeddingFailed, QueryVectors, embed_entries, open_embedder
from kapelle.settings import Secret, Settings
from tests.provider import config_for, provider

ROOT = Path(__file__).parent.parent.parent
CONFIG = ROOT / "deploy" / "litellm" / "config.yaml"


def settings(**fields: Any) -> Settings:
    nothing = Secret("")
    return Settings(database_url=nothing, nats_url=nothing, payload_keys=nothing, digest_key=nothing, **fields)


def opened(**fields: Any) -> Embedder:
    embedder = open_embedder(settings(**fields))
    assert embedder is not None
    return embedder


def cosine(one: Vector, other: Vector) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))


def test_no_alias_means_no_embedder() -> None:
    assert open_embedder(settings(litellm_config=str(CONFIG))) is None


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (None, "cannot be read"),
        ("model_list: [", "not valid YAML"),
        ("- 1", "not of LiteLLM's form"),
        ("model_list: []", "no alias 'embed'"),
        ("model_list: [{model_name: embed}]", "not of LiteLLM's form"),
    ],
)
async def test_a_wrong_configuration_fails_when_used_and_not_before(
    tmp_path: Path, content: str | None, reason: str
) -> None:
    path = tmp_path / "config.yaml"
    if content is not None:
        path.write_text(content)
    embedder = opened(embed_alias="embed", litellm_config=str(path))
    with pytest.raises(EmbeddingFailed, match=reason) as failure:
        await embedder.embed(["text"])
    assert failure.value.permanent


async def test_an_alias_without_a_source_says_what_is_missing() -> None:
    with pytest.raises(EmbeddingFailed, match="neither KAPELLE_LITELLM_CONFIG nor KAPELLE_LITELLM_URL"):
        await opened(embed_alias="embed").embed(["text"])


async def test_the_bundled_alias_needs_no_key_and_compares_meanings() -> None:
    embedder = opened(embed_alias="embed", litellm_config=str(CONFIG), embed_seconds=60.0)
    await embedder.warm_up()
    assert embedder.model == "kapelle-local/all-minilm-l6-v2-int8:384"
    texts = ["How do we undo a release?", "Rolling back a deployment", "Lunch is at noon"]
    question, answer, other = await embedder.embed(texts)
    assert [len(vector) for vector in (question, answer, other)] == [384] * 3
    assert math.hypot(*question) == pytest.approx(1, abs=1e-4)
    assert cosine(question, answer) > cosine(question, other) + 0.2
    # Alone or in a batch, a text has one vector.
    assert (await embedder.embed([texts[0]]))[0] == question


async def test_a_fact_in_the_last_line_of_a_long_entry_has_a_vector() -> None:
    embedder = opened(embed_alias="embed", litellm_config=str(CONFIG), embed_seconds=60.0)
    body = (
        "The weekly meeting was moved again, for no particular reason.\n" * 60
        + "The backup key is rotated on Tuesdays."
    )
    (parts,) = await embed_entries(embedder, [("Notes", body)])
    (question,) = await embedder.embed(["When is the backup key rotated?"])
    cosines = [cosine(question, part) for part in parts]
    assert len(parts) > 2
    assert cosines[-1] == max(cosines) > 0.5


# Says which address is asked for, other than the one given, and whether LiteLLM is there at the end.
WATCHED = """
import asyncio, sys
def watch(event, args):
    if event == "socket.getaddrinfo" and args[0] not in ("127.0.0.1", b"127.0.0.1"):
        print("reached for", args[0])
    if event == "socket.connect" and args[1][0] != "127.0.0.1":
        print("reached for", args[1])
sys.addaudithook(watch)
from kapelle.providers.embeddings import open_embedder
from kapelle.settings import Secret, Settings
assert "litellm" not in sys.modules and "onnxruntime" not in sys.modules
nothing = Secret("")
embedder = open_embedder(Settings(database_url=nothing, nats_url=nothing, payload_keys=nothing, digest_key=nothing,
    embed_alias="embed", litellm_config=sys.argv[1], embed_seconds=60.0))
asyncio.run(embedder.warm_up())
print(embedder.model, "litellm" in sys.modules)
"""


async def watched(config: str) -> list[str]:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", WATCHED, config), cwd=ROOT, stdout=asyncio.subprocess.PIPE
    )
    output, _ = await process.communicate()
    assert process.returncode == 0
    return output.decode().splitlines()


async def test_the_bundled_alias_needs_neither_litellm_nor_a_network() -> None:
    assert await watched(str(CONFIG)) == ["kapelle-local/all-minilm-l6-v2-int8:384 False"]


async def test_litellm_reaches_for_the_provider_and_for_nothing_else(tmp_path: Path) -> None:
    async with provider() as made:
        said = await watched(config_for(tmp_path, made.url))
    assert said == ["openai/text-embedding-3-small:4 True"]
    assert made.asked == [["word"]]


async def test_a_provider_answers_in_order_and_its_size_is_learnt(tmp_path: Path) -> None:
    async with provider() as made:
        embedder = opened(embed_alias="embed", litellm_config=config_for(tmp_path, made.url), embed_seconds=60.0)
        assert await embedder.embed(["a", "b"]) == ((1.0, 0.0, 0.0, 0.0), (0.6, 0.8, 0.0, 0.0))
        assert embedder.model == "openai/text-embedding-3-small:4"
        made.vectors = [[1.0, 2.0]]
        with pytest.raises(EmbeddingFailed, match="2 dimensions instead of 4"):
            await embedder.embed(["a"])


async def test_a_proxy_is_asked_for_the_alias_itself() -> None:
    async with provider() as made:
        embedder = opened(embed_alias="embed", litellm_url=made.url, litellm_key=Secret("sk-proxy"), embed_seconds=60.0)
        assert await embedder.embed(["a"]) == ((1.0, 0.0, 0.0, 0.0),)
        assert embedder.model == "litellm_proxy/embed:4"


@pytest.mark.parametrize(
    ("status", "permanent", "retry_after"),
    [
        (400, True, None), (401, True, None), (402, True, None), (403, True, None), (404, True, None),
        (429, False, 7.0), (500, False, 7.0), (503, False, 7.0),
    ],
)  # fmt: skip
async def test_a_refusal_says_whether_waiting_helps_and_nothing_of_the_text(
    tmp_path: Path, *, status: int, permanent: bool, retry_after: float | None
) -> None:
    async with provider() as made:
        made.status, made.headers = status, {"retry-after": "7"}
        embedder = opened(embed_alias="embed", litellm_config=config_for(tmp_path, made.url), embed_seconds=60.0)
        with pytest.raises(EmbeddingFailed) as failure:
            await embedder.embed(["the launch code is 0000"])
        assert (failure.value.permanent, failure.value.retry_after) == (permanent, retry_after)
        assert str(status) in failure.value.message
        assert "launch" not in repr(failure.value) + repr(failure.value.__cause__)
        assert len(made.asked) == 1


@pytest.mark.parametrize(
    ("vectors", "reason"),
    [
        ([[1.0, math.nan, 0.0, 0.0]], "not finite"),
        ([[1.0, math.inf, 0.0, 0.0]], "not finite"),
        ([[0.0] * 4], "zeros"),
        ([[1.0] * 3], "3 dimensions instead of 4"),
        ([[1.0] * 4, [1.0] * 4], "2 vectors for 1 texts"),
    ],
)
async def test_an_answer_that_cannot_be_trusted_is_a_failure(
    tmp_path: Path, vectors: list[list[float]], reason: str
) -> None:
    async with provider() as made:
        made.vectors = vectors
        path = config_for(tmp_path, made.url, dimensions=4)
        embedder = opened(embed_alias="embed", litellm_config=path, embed_seconds=60.0)
        with pytest.raises(EmbeddingFailed, match=reason):
            await embedder.embed(["text"])


async def test_a_provider_that_does_not_answer_is_given_up_on(tmp_path: Path) -> None:
    async with provider() as made:
        warm = opened(embed_alias="embed", litellm_config=config_for(tmp_path, made.url), embed_seconds=60.0)
        await warm.warm_up()
        made.silent = True
        embedder = opened(embed_alias="embed", litellm_config=config_for(tmp_path, made.url), embed_seconds=0.2)
        with pytest.raises(EmbeddingFailed) as failure:
            await embedder.embed(["text"])
        assert not failure.value.permanent


class Scripted:
    """An embedder whose vectors count its calls, and which fails or hangs on demand."""

    window = 16
    model = "scripted:1"

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.failure: EmbeddingFailed | None = None
        self.hanging = False

    async def warm_up(self) -> None:
        return None

    async def embed(self, texts: Sequence[str]) -> tuple[Vector, ...]:
        self.asked.extend(texts)
        if self.failure:
            raise self.failure
        if self.hanging:
            await asyncio.Event().wait()
        return tuple((float(len(text)),) for text in texts)


async def test_a_query_is_embedded_once_and_the_oldest_are_let_go() -> None:
    embedder = Scripted()
    queries = QueryVectors(embedder, size=2)
    for text in ("a", "bb", "a", "ccc", "a", "bb"):
        assert await queries.vector(text) == (len(text),)
    assert embedder.asked == ["a", "bb", "ccc", "bb"]


async def test_of_a_long_query_the_beginning_counts() -> None:
    embedder = Scripted()
    await QueryVectors(embedder).vector("word " * 4_000)
    assert embedder.asked == [" ".join(["word"] * 16)]


@pytest.mark.parametrize("hanging", [False, True])
async def test_a_failing_embedder_is_left_alone_for_a_while(*, hanging: bool) -> None:
    embedder = Scripted()
    embedder.hanging = hanging
    embedder.failure = None if hanging else EmbeddingFailed("no", permanent=True)
    queries = QueryVectors(embedder, seconds=0.01, rest_seconds=3600)
    for _ in range(3):
        with pytest.raises(EmbeddingFailed):
            await queries.vector("a")
    assert embedder.asked == ["a"]


@pytest.mark.parametrize(
    "body", ["word " * 900, "word\n" * 900, "數據庫" * 300, "x" * 5_000, "a.b/c_" * 400, "🚀" * 900]
)
def test_parts_fit_the_window_and_lose_nothing(body: str) -> None:
    parts = embed_parts.split("Title", body, 100)
    assert all(embed_parts.estimate_tokens(part) <= 100 for part in parts)
    assert all(part.startswith("Title\n") for part in parts)
    joined = "".join(part.removeprefix("Title\n") for part in parts)
    assert "".join(joined.split()) == "".join(body.split())


def test_a_short_text_is_one_part_and_a_long_title_does_not_crowd_the_text_out() -> None:
    assert embed_parts.split("Title", "Body", 100) == ("Title\nBody",)
    parts = embed_parts.split("long title " * 100, "body " * 100, 100)
    assert sum(part.count("body") for part in parts) == 100
