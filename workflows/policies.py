"""Timeouts and retries by name, for every workflow."""

from datetime import timedelta

from temporalio.common import RetryPolicy
from temporalio.workflow import ActivityConfig, LocalActivityConfig

# In-process rules: no reason to fail but a defect, which a retry seldom mends.
RULES = LocalActivityConfig(
    schedule_to_close_timeout=timedelta(seconds=10),
    retry_policy=RetryPolicy(maximum_attempts=2),
)

# The activity itself gives up on its provider well before this and answers without vectors.
EMBED = LocalActivityConfig(
    schedule_to_close_timeout=timedelta(seconds=30),
    retry_policy=RetryPolicy(maximum_attempts=1),
)

# Deleting histories asks the server about each; what is not done in time is done by the sweep.
CLEAR = LocalActivityConfig(
    schedule_to_close_timeout=timedelta(hours=20),
    start_to_close_timeout=timedelta(seconds=60),
    retry_policy=RetryPolicy(
        initial_interval=timedelta(milliseconds=200), backoff_coefficient=2, maximum_interval=timedelta(seconds=30)
    ),
    local_retry_threshold=timedelta(seconds=2),
)

# A round over all teams, which nobody waits for.
ROUND = ActivityConfig(
    start_to_close_timeout=timedelta(minutes=30),
    schedule_to_close_timeout=timedelta(hours=2),
    retry_policy=RetryPolicy(initial_interval=timedelta(seconds=1), maximum_interval=timedelta(minutes=5)),
)

# The database may be away for a while, and a write that was acknowledged as running waits for it. An attempt is
# bounded by the timeouts of its statements. A retry that is further off than the threshold becomes a timer in the
# history instead of holding the workflow task.
STORE = LocalActivityConfig(
    schedule_to_close_timeout=timedelta(hours=20),
    retry_policy=RetryPolicy(
        initial_interval=timedelta(milliseconds=100), backoff_coefficient=2, maximum_interval=timedelta(seconds=5)
    ),
    local_retry_threshold=timedelta(seconds=2),
)

# A step of a job that nobody waits for: the database may be away for long.
STORE_STEP = ActivityConfig(
    start_to_close_timeout=timedelta(minutes=2),
    retry_policy=RetryPolicy(
        initial_interval=timedelta(milliseconds=200), backoff_coefficient=2, maximum_interval=timedelta(seconds=30)
    ),
)

# A page of a backfill beats all the time, so that another worker takes over soon from one that died.
PAGE = ActivityConfig(
    start_to_close_timeout=timedelta(minutes=10),
    heartbeat_timeout=timedelta(seconds=5),
    retry_policy=RetryPolicy(
        initial_interval=timedelta(milliseconds=200), backoff_coefficient=2, maximum_interval=timedelta(seconds=30)
    ),
)

# A read that somebody waits for, or that a schedule repeats anyway.
READ = LocalActivityConfig(
    schedule_to_close_timeout=timedelta(seconds=30),
    retry_policy=RetryPolicy(
        initial_interval=timedelta(milliseconds=100), backoff_coefficient=2, maximum_interval=timedelta(seconds=5)
    ),
)

# A git host: five attempts within three minutes, then the entries as text. Whoever waits in a chat will not wait
# longer. The heartbeat tells a worker that died from a host that is slow.
GIT_HOST = ActivityConfig(
    start_to_close_timeout=timedelta(seconds=120),
    schedule_to_close_timeout=timedelta(minutes=3),
    heartbeat_timeout=timedelta(seconds=5),
    retry_policy=RetryPolicy(initial_interval=timedelta(seconds=1), backoff_coefficient=5, maximum_attempts=5),
)
