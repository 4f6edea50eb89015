"""The calls of our own clients by name: their arguments, and the step that each is.

One table for the local socket and the network. What does not fit it is the other side's fault and
ends its connection, as with other calls (`call_arguments`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from ternmq.base.errors import RemoteProtocolError
from ternmq.client import extension_steps as steps
from ternmq.client import stream_steps
from ternmq.client.extension_steps import ExtensionStep
from ternmq.server.call_arguments import argument_table, checked

_ROWS: Final = """
commit_batch        owner:text batch:number xids:xids
stream_bounds       queue:text
stream_read         queue:text incarnation:number first:number end:number messages_max:number
    bytes_max:number skip_lost:flag wait_ms:number
stream_queues       pattern:text
stream_close        queue:text
cursor_open         name:text queue:text start:position expiry_m:number
cursor_advance      name:text position:number incarnation:number
cursor_reset        name:text position:position
cursor_delete       name:text
"""
EXTENSION_ARGUMENTS: Final = argument_table(_ROWS.replace("\n    ", " "))
_STEPS: Final[dict[str, Callable[..., ExtensionStep]]] = {
    "commit_batch": steps.CommitBatch,
    "stream_bounds": stream_steps.StreamBoundsStep,
    "stream_read": stream_steps.StreamReadStep,
    "stream_queues": stream_steps.StreamQueuesStep,
    "stream_close": stream_steps.StreamCloseStep,
    "cursor_open": stream_steps.OpenCursor,
    "cursor_advance": stream_steps.AdvanceCursor,
    "cursor_reset": stream_steps.ResetCursor,
    "cursor_delete": stream_steps.DeleteCursor,
}


def extension_step(given: dict[str, Any]) -> ExtensionStep:
    """The step that a request asks for."""
    name, arguments = checked(EXTENSION_ARGUMENTS, given)
    try:
        step = _STEPS[name](**arguments)
    except ValueError as error:  # our clients check the same before they ask
        raise RemoteProtocolError(f"extension {name}: {error}") from error
    step.wait_s = min(step.wait_s, steps.WAIT_PIECE_S)  # they wait in pieces
    return step
