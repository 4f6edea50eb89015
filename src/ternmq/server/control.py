"""How commands speak to the process that runs a queue manager: its state, and its end."""

from __future__ import annotations

from typing import Any

from ternmq.remote.local.folder_lookup import Place
from ternmq.remote.local.local_threads import LocalSocket, not_available
from ternmq.remote.local.local_verbs import Request, answer_of
from ternmq.wire import local as wire


def ask(place: Place, call: str, **arguments: Any) -> dict[str, Any]:
    """One question on a control connection; MQRC_Q_MGR_NOT_AVAILABLE if it does not answer."""
    connection = LocalSocket(place)
    try:
        said = {"protocol": [wire.PROTOCOL_OLDEST, wire.PROTOCOL_NEWEST], "control": True}
        connection.say_hello(said, place.name)
        body = wire.json_frame(wire.CALL, 0, {"call": call, **arguments})[wire.HEAD_BYTES :]
        frame = connection.receive(connection.send(Request(wire.CALL, body)))
    except (OSError, EOFError) as error:
        raise not_available(place.name, f"it went away: {error}") from error
    finally:
        connection.close()
    return answer_of(frame).json()
