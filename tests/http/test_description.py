"""The API keeps to its description, whatever is sent: no failure of its own, no answer that is not in it."""

import asyncio
import sys
from pathlib import Path

from tests.web import ADMIN, AGENT, Web

# A bounded part of what `schemathesis run` can try; docs/http.md has the command for more.
EXAMPLES = 6
SEED = 7
SECONDS = 300


async def _probed(web: Web, token: str, *options: str) -> tuple[int, str]:
    """Let schemathesis try the running service, and return its exit code and what it says."""
    process = await asyncio.create_subprocess_exec(
        str(Path(sys.executable).with_name("schemathesis")),
        *("run", f"{web.client.base_url}/v1/openapi.json", "--header", f"Authorization: Bearer {token}"),
        *("--checks", "all", "--exclude-checks", "ignored_auth,positive_data_acceptance,negative_data_rejection"),
        *(
            "--seed",
            str(SEED),
            "--max-examples",
            str(EXAMPLES),
            "--suppress-health-check",
            "all",
            "--no-color",
            *options,
        ),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    output, _ = await asyncio.wait_for(process.communicate(), SECONDS)
    assert process.returncode is not None
    return process.returncode, output.decode()


async def test_an_admin_meets_no_failure_and_no_undocumented_answer(web: Web) -> None:
    code, output = await _probed(web, ADMIN, "--phases", "examples,coverage")

    assert code == 0, output


async def test_an_agent_meets_none_either(web: Web) -> None:
    code, output = await _probed(web, AGENT, "--phases", "examples,fuzzing")

    assert code == 0, output
