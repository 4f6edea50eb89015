"""How commands speak to the process that runs a queue manager: its state, and its end."""

from __future__ import annotations

from typing import Any

from ternmq.client.local_folder import Place
from ternmq.client.local_socket import LocalSocket, not_available
from ternmq.client.local_verbs import answer_of, call_request
from ternmq.wire import local as wire


def ask(place: Place, call: str, **arguments: Any) -> dict[str, Any]:
    """One question on a control connection; MQRC_Q_MGR_NOT_AVAILABLE if nobody answers."""
    connection = LocalSocket(place)
    try:
        said = {"protocol": [wire.PROTOCOL_OLDEST, wire.PROTOCOL_NEWEST], "control": True}
        connection.say_hello(said, place.name)
        frame = connection.receive(connection.send(call_request(call, arguments)))
    except (OSError, EOFError) as error:
        raise not_available(place.name, f"it went away: {error}") from error
    finally:
        connection.close()
    return answer_of(frame).json()
