"""Records a history of every path anew: `python -m tests.workflows.record [WorkflowType ...]`."""

import asyncio
import logging
import sys
import uuid
from collections.abc import Iterator

from temporalio.client import WorkflowFailureError

from tests.stack import Temporal, fresh_database, running_servers
from tests.workflows.recording import SCENARIOS
from tests.workflows.scene import HISTORIES, Scenario, a_scene
from workers.stack.servers import Addresses


async def record(servers: Addresses, workflow_type: str, path: str, scenario: Scenario) -> None:
    temporal = Temporal(address=servers.temporal_address, namespace="default", task_queue=f"record-{uuid.uuid4().hex}")
    async with (
        fresh_database(servers) as database,
        a_scene(database, servers.nats_url, temporal) as (scene, history),
    ):
        recorded = await history(await scenario(scene))
    file = HISTORIES / workflow_type / f"{path}.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(recorded.to_json() + "\n", encoding="utf-8")
    sys.stdout.write(f"{file.relative_to(HISTORIES)}: {len(recorded.events)} events\n")


async def record_all(servers: Addresses, wanted: frozenset[str]) -> int:
    """Record the wanted workflow types, and return how many paths ended otherwise than they should."""
    wrong = 0
    for workflow_type, path, scenario in _paths(wanted):
        try:
            await record(servers, workflow_type, path, scenario)
        except (AssertionError, WorkflowFailureError) as error:
            wrong += 1
            sys.stdout.write(f"{workflow_type}/{path}.json: not recorded, it ended otherwise: {error!r}\n")
    return wrong


def _paths(wanted: frozenset[str]) -> Iterator[tuple[str, str, Scenario]]:
    for workflow_type, paths in SCENARIOS.items():
        if workflow_type in wanted:
            yield from ((workflow_type, path, scenario) for path, scenario in paths.items())


def main() -> int:
    # Temporal tells of each failed attempt that a path provokes.
    logging.disable(logging.WARNING)
    wanted = frozenset(sys.argv[1:] or SCENARIOS)
    with running_servers() as servers:
        return min(1, asyncio.run(record_all(servers, wanted)))


if __name__ == "__main__":
    sys.exit(main())
