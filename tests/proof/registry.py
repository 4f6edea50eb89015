"""Every goal that has a walk here, by its id. What they mean: docs/internals/proof.md."""

from __future__ import annotations

from tests.proof import (
    batches,
    broken_lines,
    channel_matrix,
    channel_processes,
    channel_worlds,
    clock_jumps,
    cut_log,
    damage,
    failing_calls,
    full_disk,
    fuzz,
    fuzz_properties,
    inside_restart,
    kills,
    media,
    model_walks,
    power_loss,
    prepared_units,
    strace_runs,
    stream_cursors,
    streamed_copies,
    topic_crashes,
    topic_worlds,
    unauthenticated,
    worlds,
)
from tests.proof.goal import Goal

SIMULATED: list[Goal] = [
    cut_log.GOAL,
    power_loss.GOAL_CRASHES,
    power_loss.GOAL_NAMES,
    inside_restart.GOAL,
    failing_calls.GOAL,
    damage.GOAL,
    prepared_units.GOAL,
    streamed_copies.GOAL,
    topic_crashes.GOAL,
    stream_cursors.GOAL,
    batches.GOAL,
    full_disk.GOAL,
    media.GOAL,
    clock_jumps.GOAL,
    model_walks.GOAL,
    worlds.GOAL,
    topic_worlds.GOAL,
    channel_matrix.GOAL,
    channel_worlds.GOAL,
    fuzz.GOAL,
    fuzz_properties.GOAL,
]
# Real sockets on loopback.
NETWORKED: list[Goal] = [broken_lines.GOAL, unauthenticated.GOAL]
# Real processes under strace: no points where it is missing.
TRACED: list[Goal] = [strace_runs.GOAL_KILLS, strace_runs.GOAL_FORCES]
# Real queue managers in processes of their own.
PROCESSES: list[Goal] = [channel_processes.GOAL]
# Its daily size is a test of its own.
LIVE: list[Goal] = [kills.GOAL]
GOALS: dict[str, Goal] = {
    goal.id: goal for goal in [*SIMULATED, *NETWORKED, *TRACED, *PROCESSES, *LIVE]
}
