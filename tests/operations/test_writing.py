"""Operations on the real store, and the workflows that they start, observed."""

import asyncio
import uuid

import pytest
from temporalio.client import WorkflowExecutionStatus
from temporalio.service import RPCError

from kapelle.domain.callers import Claim
from kapelle.domain.errors import Conflict, Fault, InvalidRequest, NotAllowed, NotFound, Refused
from kapelle.domain.outcomes import Code
from kapelle.operations import Call, find, perform
from kapelle.operations.results import Listed, Operated, Result, Running, Written
from tests.memory import AGENT, PERSON, Memory

NOTE = ("gotcha", "Flaky webhook test", "It needs the clock fixture.")
CREDENTIAL = "AKIA" + "Q3EGRTQ7ZJ5LWXYB"
BY_AGENT, BY_PERSON = Claim(source=AGENT), Claim(person=PERSON)


async def ask(
    memory: Memory,
    name: str,
    *arguments: str,
    by: Claim = BY_PERSON,
    request_id: str | None = None,
    patience: float = 10,
) -> Result:
    """Perform one memory operation as a door does."""
    call = Call(
        operation=find("memory", name),
        arguments=arguments,
        claim=by,
        team="demo",
        request_id=request_id,
        patience=patience,
    )
    return await perform(call, memory.services)


async def the_operation(memory: Memory) -> tuple[str, str]:
    """Return the id of the only operation, and of the workflow that recorded it."""
    (row,) = await memory.rows("select operation_id::text, workflow_id from ibex_core.operations")
    return row["operation_id"], row["workflow_id"]


async def test_a_write_is_a_workflow_that_has_ended_when_the_answer_comes(memory: Memory) -> None:
    await ask(memory, "propose", *NOTE, by=BY_AGENT)

    operation_id, workflow_id = await the_operation(memory)
    description = await memory.services.temporal.get_workflow_handle(workflow_id).describe()
    assert workflow_id.startswith(f"write/{operation_id}/")
    assert (description.workflow_type, description.status) == ("WriteMemory", WorkflowExecutionStatus.COMPLETED)


async def test_what_the_door_refuses_starts_no_workflow_and_leaves_no_row(memory: Memory) -> None:
    request_id = uuid.uuid4().hex
    with pytest.raises(Refused, match=r"not stored: .* in body, line 1"):
        await ask(memory, "add", "fact", "Access", f"key {CREDENTIAL}", request_id=request_id)

    assert await memory.rows("select * from ibex_core.operations") == []


@pytest.mark.parametrize(
    ("name", "arguments", "fault"),
    [
        ("add", ("fact", "", "body"), InvalidRequest),
        ("add", ("fact", "title"), InvalidRequest),
        ("add", ("fact", "title", "body", "tags", "more"), InvalidRequest),
        ("edit", ("x", "fact", "title", "body"), InvalidRequest),
        ("edit", ("9", "fact", "title", "body"), NotFound),
        ("accept", ("9",), NotFound),
        ("forget", ("9",), NotFound),
        ("get", ("9",), NotFound),
        ("history", ("9",), NotFound),
        ("feedback", ("9", "helpful"), NotFound),
        ("feedback", ("9", "so-so"), InvalidRequest),
        ("operation", ("9",), InvalidRequest),
        ("operation", (str(uuid.UUID(int=9)),), NotFound),
        ("export", ("somewhere",), InvalidRequest),
        ("search", ("query", "story"), InvalidRequest),
    ],
)
async def test_each_operation_refuses_what_it_cannot_do(
    shared: Memory, name: str, arguments: tuple[str, ...], fault: type[Fault]
) -> None:
    with pytest.raises(fault) as caught:
        await ask(shared, name, *arguments)

    assert type(caught.value) is fault
    assert caught.value.message


async def test_a_stranger_and_an_agent_of_another_team_are_let_into_nothing(shared: Memory) -> None:
    for by in (Claim(person="stranger"), Claim(source="agent:payments/coder")):
        with pytest.raises(NotAllowed):
            await ask(shared, "list", by=by)


async def test_the_same_request_id_gets_the_same_answer_and_one_entry(memory: Memory) -> None:
    first = await ask(memory, "propose", *NOTE, by=BY_AGENT, request_id="one")
    again = await ask(memory, "propose", *NOTE, by=BY_AGENT, request_id="one")

    assert isinstance(first, Written)
    assert first.outcome.code is Code.PROPOSED
    assert again == first
    with pytest.raises(Conflict, match="another request"):
        await ask(memory, "propose", "fact", "Other", "text", by=BY_AGENT, request_id="one")


async def test_the_same_request_id_at_once_is_written_once(memory: Memory) -> None:
    answers = await asyncio.gather(*(ask(memory, "add", *NOTE, request_id="one") for _ in range(5)))

    assert all(answer == answers[0] for answer in answers)
    listed = await ask(memory, "list")
    assert isinstance(listed, Listed)
    assert len(listed.entries) == 1


async def test_a_caller_without_patience_is_given_the_operation_and_finds_its_end(memory: Memory) -> None:
    running = await ask(memory, "accept", "9", patience=0)
    assert isinstance(running, Running)
    await memory.services.writer.drain(10)

    operated = await ask(memory, "operation", running.operation_id)
    assert isinstance(operated, Operated)
    assert operated.outcome is not None
    assert operated.outcome.reason == "there is no entry 9 in this team"


async def test_many_writes_at_once_share_workflows_and_each_gets_its_own_answer(memory: Memory) -> None:
    names = "auth billing cache deploy email feature gateway hooks ingest jobs kernel limits metrics".split()
    answers = await asyncio.gather(
        *(ask(memory, "add", "fact", f"About {name}", f"The {name} service has an owner.") for name in names)
    )

    outcomes = [answer.outcome for answer in answers if isinstance(answer, Written)]
    titles = {row["id"]: row["title"] for row in await memory.rows("select id, title from ibex_core.memories")}
    assert [titles[outcome.entry_id or 0] for outcome in outcomes] == [f"About {name}" for name in names]
    workflows = await memory.rows("select distinct workflow_id from ibex_core.operations")
    assert len(workflows) < len(names)


async def test_a_forgotten_entrys_operation_still_answers_without_text(memory: Memory) -> None:
    await ask(memory, "add", *NOTE)
    operation_id, workflow_id = await the_operation(memory)
    await ask(memory, "forget", "1")

    operated = await ask(memory, "operation", operation_id)
    assert isinstance(operated, Operated)
    assert NOTE[2] not in str(await memory.rows("select * from ibex_core.operations"))
    assert f"/{operation_id}/" in workflow_id


async def test_a_workflow_that_was_never_started_is_not_there(shared: Memory) -> None:
    with pytest.raises(RPCError):
        await shared.services.temporal.get_workflow_handle(f"write/{uuid.uuid4()}").describe()
