"""`make demo`: a story on a stack of its own, told over NATS as any outsider would, every claim in it checked."""

import asyncio
import contextlib
import json
import os
import re
import secrets
import signal
import string
import sys
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import nats
from nats.aio.client import Client
from nats.errors import Error as NatsError

from workers.demo_stack import Stack, StackError, running_stack

SUBJECT = "kapelle.controller.command"
REPLY_SECONDS = 10.0
RECOVERY_SECONDS = 60.0
WRITES = 24
# So many fast machines in a row cannot answer all writes before the kill.
ROUNDS = 5
PAUSE_SECONDS = 0.2

Reply = dict[str, Any]  # Any: replies are JSON, and the story checks what it needs of them.
Entry = tuple[str, str, str]
FLAKY: Entry = ("gotcha", "The webhook test is flaky", "It fails at midnight.")
MEANT = "unreliable hook checks during the night"
BETTER: Entry = (
    "gotcha",
    "Webhook tests need the clock fixture",
    "Without it, they fail at midnight.",
)


class StoryError(Exception):
    """The story cannot go on."""


@dataclass(slots=True)
class Story:
    """What the steps share: the line to the service, and how the claims turned out."""

    client: Client
    stack: Stack
    team: str
    agent: Mapping[str, str]
    person: Mapping[str, str]
    results: list[bool] = field(default_factory=list)
    entry: str = ""

    async def ask(self, caller: Mapping[str, str], *args: str, request_id: str = "") -> Reply:
        """Send one command and return its reply."""
        request = {"command": "memory", "team": self.team, "args": args, **caller}
        if request_id:
            request["request_id"] = request_id
        answer = await self.client.request(SUBJECT, json.dumps(request).encode(), timeout=REPLY_SECONDS)
        reply: Reply = json.loads(answer.data)
        return reply

    async def tell(self, caller: Mapping[str, str], *args: str) -> Reply:
        """Ask, and print both sides."""
        reply = await self.ask(caller, *args)
        who = caller.get("source") or f"person {caller['user']}"
        say(f"   {who}: {' '.join(shown(arg) for arg in args if arg)}")
        say(f"   -> {reply.get('text') or reply.get('error')}")
        for entry in reply.get("entries", ()):
            say(f"      {str(entry).splitlines()[0]}")
        return reply

    async def entries(self) -> list[str]:
        return [str(entry) for entry in (await self.ask(self.person, "list")).get("entries", ())]

    def claim(self, sentence: str, *, holds: bool) -> None:
        """Record and print whether a claim holds."""
        self.results.append(holds)
        say(f"   [{'ok' if holds else 'FAILED'}] {sentence}")


async def an_agent_proposes(story: Story) -> None:
    reply = await story.tell(story.agent, "propose", *FLAKY, "tests")
    story.entry = next(iter(numbers(reply)), "")
    if not story.entry:
        raise StoryError("the first proposal was not stored, and the rest is about it")
    shown_entry = await story.ask(story.agent, "get", story.entry)
    story.claim(
        "it is stored, marked as proposed: no person has seen it",
        holds=shown_entry.get("text") == rendered("proposed", FLAKY),
    )


async def a_secret_is_refused(story: Story) -> None:
    before = await story.entries()
    secret = f"github_pat_{random_text(22)}_{random_text(59)}"
    reply = await story.ask(story.agent, "propose", "fact", "How to push", f"Use the token {secret} for it.", "")
    say(f"   {story.agent['source']}: propose fact 'How to push' 'Use the token github_pat_... for it.'")
    say(f"   -> {reply.get('error')}")
    story.claim("it is refused", holds=reply.get("ok") is False)
    story.claim(
        "the answer names the rule and the place, and repeats no part of the secret", holds=hides(secret, reply)
    )
    story.claim("nothing was stored", holds=await story.entries() == before)


async def the_same_fact_is_recognised(story: Story) -> None:
    kind, title, body = FLAKY
    reply = await story.tell(story.agent, "propose", kind, title, f"  {body}\n")
    story.claim(
        "the answer is the entry that is there", holds=reply.get("text") == f"Entry {story.entry} already says this."
    )
    story.claim("there is still one entry", holds=await story.entries() == [rendered("proposed", FLAKY)])


async def a_person_searches(story: Story) -> None:
    reply = await story.tell(story.person, "search", "webhook flaky")
    story.claim(
        "the proposal is found, and says that it is one", holds=reply.get("entries") == [rendered("proposed", FLAKY)]
    )


async def meaning_is_found_too(story: Story) -> None:
    await story.ask(story.person, "backfill", "apply")
    reply = await story.tell(story.person, "search", MEANT)
    story.claim(
        "no word of it is in the entry, and it is found", holds=rendered("proposed", FLAKY) in reply.get("entries", ())
    )


async def a_person_accepts(story: Story) -> None:
    reply = await story.tell(story.person, "accept", story.entry)
    story.claim("the entry is curated now", holds=await story.entries() == [rendered("curated", FLAKY)])
    again = await story.ask(story.person, "accept", story.entry)
    story.claim("accepting it twice is the same as once", holds=reply == again and reply.get("ok") is True)


async def a_person_edits(story: Story) -> None:
    reply = await story.tell(story.person, "edit", story.entry, *BETTER, "tests")
    new, old = (*numbers(reply), "", "")[:2]
    story.claim("a new entry takes the place of the old one", holds=old == story.entry and new not in {"", old})
    found = await story.tell(story.person, "search", "webhook")
    story.claim("a search finds the new one alone", holds=found.get("entries") == [rendered("curated", BETTER)])


async def the_history_is_there(story: Story) -> None:
    reply = await story.tell(story.person, "history", story.entry)
    events = [str(line).split()[1] for line in reply.get("entries", ())]
    story.claim("every step is on record, in its order", holds=events == ["proposed", "accepted", "superseded"])
    old = await story.ask(story.person, "get", story.entry)
    story.claim("the superseded entry can still be read", holds=str(old.get("text", "")).endswith(FLAKY[2]))


async def the_workers_are_killed(story: Story) -> None:
    for number in range(1, ROUNDS + 1):
        cut_off, texts = await _crash(story, number)
        if cut_off:
            break
        say("   all writes were answered before the kill; once more")
    story.claim("writes were under way when the processes died", holds=cut_off > 0)
    proposed = [text for text in texts.values() if re.fullmatch(r"Entry \d+ proposed\.", text)]
    story.claim(f"all {WRITES} writes were acknowledged in the end", holds=len(proposed) == WRITES)
    story.claim("each has an entry of its own", holds=len(set(proposed)) == WRITES)
    stored = [entry for entry in await story.entries() if f"crash {number}, lesson " in entry]
    story.claim(
        f"the memory holds {WRITES} of them: none lost, none twice", holds=len(stored) == len(set(stored)) == WRITES
    )
    again = await asyncio.gather(*(_until_answered(story, name, number) for name in texts))
    story.claim("asking once more changes nothing, and the answers are the same", holds=again == list(texts.values()))


async def _crash(story: Story, number: int) -> tuple[int, dict[str, str]]:
    """Kill the processes among writes; return how many writes that cut off, and the final text by request id."""
    names = [f"{uuid.uuid4()}/{lesson}" for lesson in range(1, WRITES + 1)]
    writes = [asyncio.create_task(_propose(story, name, number)) for name in names]
    # The first answer shows that the others are on their way through the service, not still on the wire.
    await asyncio.wait(writes, return_when=asyncio.FIRST_COMPLETED)
    killed = story.stack.kill_workers()
    cut_off = [write for write in writes if not write.done()]
    say(f"   {WRITES} writes sent at once; {WRITES - len(cut_off)} answered when {killed} processes got SIGKILL")
    for write in cut_off:
        write.cancel()
    await asyncio.gather(*writes, return_exceptions=True)
    say("   asking again for each with its request id, until the service is back")
    texts = await asyncio.gather(*(_until_answered(story, name, number) for name in names))
    return len(cut_off), dict(zip(names, texts, strict=True))


async def _propose(story: Story, name: str, number: int) -> Reply:
    lesson = name.rpartition("/")[2]
    title = f"From crash {number}, lesson {lesson}"
    return await story.ask(
        story.agent, "propose", "fact", title, f"Lesson {lesson} of crash {number}.", request_id=name
    )


async def _until_answered(story: Story, name: str, number: int) -> str:
    """Ask with the same request id until the answer names an entry, and return its text."""
    reply: Reply = {}
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(RECOVERY_SECONDS):
            while not numbers(reply):
                # Nobody there, or no answer: exactly what a repeated request is for.
                with contextlib.suppress(NatsError):
                    reply = await _propose(story, name, number)
                if not numbers(reply):
                    await asyncio.sleep(PAUSE_SECONDS)
    return str(reply.get("text") or reply.get("error") or "no answer")


STEPS = (
    ("An agent proposes what it learnt", an_agent_proposes),
    ("A secret is refused", a_secret_is_refused),
    ("The same fact again, in other spacing", the_same_fact_is_recognised),
    ("A person searches", a_person_searches),
    ("Another one asks in other words, without a key or a network", meaning_is_found_too),
    ("The person accepts it", a_person_accepts),
    ("The person edits it", a_person_edits),
    ("What happened to the first entry", the_history_is_there),
    ("All our processes are killed in the middle of writes", the_workers_are_killed),
)


def say(line: str) -> None:
    print(line, flush=True)


def shown(argument: str) -> str:
    return f"'{argument.strip()}'" if " " in argument else argument


def rendered(status: str, entry: Entry) -> str:
    kind, title, body = entry
    return f"[{status}] {kind}: {title}\n{body}"


def numbers(reply: Reply) -> list[str]:
    """Return the entries' numbers that a successful reply names."""
    found = re.findall(r"[Ee]ntry (\d+)", str(reply.get("text", "")))
    return [str(number) for number in found]


def random_text(length: int) -> str:
    return "".join(secrets.choice(string.ascii_letters + string.digits) for _ in range(length))


def hides(secret: str, reply: Reply) -> bool:
    """Tell whether no stretch of the secret's random part is in the reply."""
    answer, stretch = json.dumps(reply), 6
    parts = secret.removeprefix("github_pat_").split("_")
    return not any(part[at : at + stretch] in answer for part in parts for at in range(len(part) - stretch + 1))


async def _tell(stack: Stack) -> list[bool]:
    endpoints = stack.endpoints()
    client = await nats.connect(endpoints["nats_url"], name="kapelle-demo")
    story = Story(
        client=client,
        stack=stack,
        team=endpoints["team"],
        agent={"source": f"agent:{endpoints['team']}/coder"},
        person={"user": endpoints["person"]},
    )
    try:
        for number, (title, step) in enumerate(STEPS, start=1):
            say(f"\n{number}. {title}")
            await step(story)
    finally:
        await client.close()
    return story.results


async def run(environment: Mapping[str, str]) -> int:
    """Tell the story and return the exit code: 0 only if every claim in it was found true."""
    say("Kapelle memory: a short story, on a stack of its own.")
    try:
        async with running_stack(environment) as stack:
            results = await _tell(stack)
            say("\nThe end. The stack is stopped and removed now.")
    except (StoryError, StackError, NatsError, OSError, LookupError, ValueError) as error:
        say(f"\nFAILED: the story broke off ({str(error) or type(error).__name__})")
        return 1
    return verdict(results)


def verdict(results: Sequence[bool]) -> int:
    """Print how many claims hold and return the exit code."""
    failed = results.count(False)
    say(f"\n{len(results)} claims checked: " + (f"{failed} FAILED." if failed else "all of them hold."))
    return 1 if failed else 0


async def main() -> int:
    """Run as a process: SIGTERM ends the story as Ctrl-C does, so that the stack is stopped too."""
    story = asyncio.create_task(run(os.environ))
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, story.cancel)
    return await story


if __name__ == "__main__":
    try:
        sys.exit(asyncio.run(main()))
    except (KeyboardInterrupt, asyncio.CancelledError):
        sys.exit(130)
