"""The credential suite: named kinds in every place and disguise, bindings, prose, and what is none."""

import base64
from collections.abc import Iterator
from random import Random
from typing import Final

from benchmarks.scan_data import bound, notes, prose, values
from benchmarks.scan_data.kinds import BLOCKS, DISGUISED, DISGUISES, IDENTIFIERS, KINDS, PLACES
from benchmarks.scan_data.registry import Case, Suite
from kapelle.domain.entries import Draft, Kind
from kapelle.domain.rules.scan import credentials
from kapelle.domain.rules.scan.places import parts

_NOTES: Final = (
    "Retries back off with jitter; after five attempts the message is parked.",
    "When the consumer lags, scale the deployment to four replicas first.",
    "The migration adds a partial index; run it outside peak hours.",
    "Roll back by redeploying the previous image; writes are idempotent.",
    "Timeouts: connect 2 s, read 10 s, total 30 s.",
    "p99 went from 180 ms to 42 ms after batching the look-ups.",
)


def found(case: Case) -> bool:
    """Say whether the credential rules refuse the case."""
    draft = Draft(kind=Kind.FACT, title=case.title, body=case.body, tags=case.tags)
    return any(credentials.findings(part) for part in parts(draft))


def cases(random: Random) -> Iterator[Case]:
    """Yield the labelled texts."""
    yield from _kinds(random)
    yield from _templates(random, "assignment", bound.ASSIGNED)
    yield from _templates(random, "command", bound.COMMANDS)
    yield from _templates(random, "address", bound.ADDRESSES)
    yield from _templates(random, "header", bound.HEADERS)
    for template in prose.GIVEN_AWAY:
        for _ in range(2):
            yield _case(random, "prose", template, template.replace("{}", values.password(random)), harmful=True)
    for template in notes.WITH_SECRET:
        for _ in range(3):
            yield _case(random, "note", template, _noted(random, template), harmful=True)
    for template in notes.WITHOUT:
        yield _case(random, "note without a secret", template, template, harmful=False)
    for template in (*bound.HARMLESS, *IDENTIFIERS):
        yield _case(random, "not a credential", template, _filled(random, template), harmful=False)
    for template in prose.TALK:
        yield _case(random, "password talk", template, template, harmful=False)


def _kinds(random: Random) -> Iterator[Case]:
    for name, make in KINDS.items():
        for place, template in PLACES.items():
            yield _case(random, "token", f"{name} in {place}", template.format(make(random)), harmful=True)
        yield _case(random, "token", f"{name} in title", "see title", harmful=True, title=f"token {make(random)}")
        yield _case(random, "token", f"{name} in tag", "see tags", harmful=True, tags=("infra", make(random)))
    for name, make in BLOCKS.items():
        yield _case(random, "block", name, make(random), harmful=True)
    for name in DISGUISED:
        for disguise, hide in DISGUISES.items():
            yield _case(random, "disguised", f"{name}, {disguise}", hide(KINDS[name](random)), harmful=True)


def _templates(random: Random, group: str, templates: tuple[str, ...]) -> Iterator[Case]:
    for template in templates:
        for _ in range(2):
            yield _case(random, group, template, _filled(random, template), harmful=True)


def _noted(random: Random, template: str) -> str:
    typed = values.password(random)
    return template.format(
        p=typed,
        t=values.machine(random),
        b=base64.b64encode(f"svc:{typed}".encode()).decode(),
        v="hvs." + values.draw(random, values.URL_SAFE, 95),
        s=values.draw(random, values.ALNUM + "+/", 40),
        p64=base64.b64encode(typed.encode()).decode(),
    )


def _filled(random: Random, template: str) -> str:
    typed = values.password(random)
    return template.format(
        p=typed,
        w="".join(c for c in typed if c.isalnum() or c in "-_.!"),
        m=values.machine(random),
        u=values.uuid(random),
        b=values.draw(random, values.BASE32, 32),
        basic=base64.b64encode(f"svc:{typed}".encode()).decode(),
        hex8=values.draw(random, values.HEX, 8),
        hex16=values.draw(random, values.HEX, 16),
        hex32=values.draw(random, values.HEX, 32),
        hex40=values.draw(random, values.HEX, 40),
        hex64=values.draw(random, values.HEX, 64),
        al14=values.draw(random, values.ALNUM, 14),
        al23=values.draw(random, values.ALNUM, 23),
        low32=values.draw(random, "abcdfghijklmnpqrsvwxyz0123456789", 32),
        url32=values.draw(random, values.URL_SAFE, 32),
        b64=values.base64_of(random, 64),
        b64s=values.base64_of(random, 32).rstrip("="),
        npub=values.nkey_public(random),
    )


def _case(
    random: Random,
    group: str,
    name: str,
    piece: str,
    *,
    harmful: bool,
    title: str = "Notes",
    tags: tuple[str, ...] = (),
) -> Case:
    before, after = random.sample(_NOTES, 2)
    return Case(group=group, name=name, body=f"{before}\n\n{piece}\n\n{after}", harmful=harmful, title=title, tags=tags)


SUITE: Final = Suite(name="credentials", cases=cases, found=found)
