"""The largest batch is far from what Temporal refuses, whatever is in it."""

from kapelle.contracts.write import Batch, Embedded, Prepared, Resemblance, Vectors, Write
from kapelle.domain.entries import Draft, Kind
from kapelle.domain.scan import Finding
from kapelle.domain.validation import BODY_BYTES, TAG_CHARACTERS, TAGS, TITLE_CHARACTERS
from kapelle.durable.codec import EncryptionCodec
from kapelle.durable.converter import JsonConverter
from kapelle.durable.writer import BATCH_BYTES
from kapelle.settings import Secret
from tests.memory import PAYLOAD_KEYS

REFUSED_BY_TEMPORAL = 2 * 1024 * 1024
# Of the bundled model, in base64.
VECTOR = "A" * (384 * 4 * 4 // 3)


async def test_the_largest_batch_of_the_costliest_characters_fits() -> None:
    single = _largest_write()
    writes = (single,) * (BATCH_BYTES // BODY_BYTES)
    prepared = Prepared(
        batch=Batch(org_id="default", writes=writes),
        refusals=("",) * len(writes),
        quarantines=("",) * len(writes),
        embedded=Embedded(model="model", vectors=(Vectors(parts=(VECTOR,) * 8),) * len(writes)),
        resembles=(Resemblance(),) * len(writes),
    )
    payload = JsonConverter().to_payload(prepared)
    assert payload is not None
    (sealed,) = await EncryptionCodec(Secret(PAYLOAD_KEYS)).encode([payload])

    assert BATCH_BYTES < sealed.ByteSize() < REFUSED_BY_TEMPORAL


def _largest_write() -> Write:
    """Quotation marks take two characters each in JSON; what would take more is no text that may be stored."""
    finding = Finding(rule="personal-email", what="an e-mail address", field="body", line=60_000, column=60_000)
    return Write(
        operation_id="0" * 36,
        team_id=2**62,
        source="s" * 200,
        intent="propose",
        draft=Draft(
            kind=Kind.CONVENTION,
            title='"' * TITLE_CHARACTERS,
            body='"' * BODY_BYTES,
            tags=tuple(f"{number:t>{TAG_CHARACTERS}}" for number in range(TAGS)),
        ),
        request_digest="0" * 64,
        findings=(finding,) * 201,
    )
