"""The calls of our own clients by name: their arguments, and the step that each is.

One table for the local socket and the network. What does not fit it is the other side's fault and
ends its connection, as with other calls (`call_arguments`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from ternmq.base.errors import RemoteProtocolError
from ternmq.client import extension_steps as steps
from ternmq.client.extension_steps import ExtensionStep
from ternmq.server.call_arguments import argument_table, checked

_ROWS: Final = """
commit_batch        owner:text batch:number xids:xids
"""
EXTENSION_ARGUMENTS: Final = argument_table(_ROWS)
_STEPS: Final[dict[str, Callable[..., ExtensionStep]]] = {
    "commit_batch": steps.CommitBatch,
}


def extension_step(given: dict[str, Any]) -> ExtensionStep:
    """The step that a request asks for."""
    name, arguments = checked(EXTENSION_ARGUMENTS, given)
    try:
        return _STEPS[name](**arguments)
    except ValueError as error:  # our clients check the same before they ask
        raise RemoteProtocolError(f"extension {name}: {error}") from error
