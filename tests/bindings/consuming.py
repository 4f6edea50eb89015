"""MQCB and MQCTL by each binding: what a function is called with."""

from __future__ import annotations

import threading
from typing import Any

import ternmq
from ternmq import constants as mq
from ternmq.api.arguments import Requests
from tests.bindings.transport import BindingTransport, asked_of

WAIT_S = 30.0


def consumed(
    connection: ternmq.Connection,
    source: Any,  # Queue or Subscription
    count: int,
    *,
    browse: bool = False,
    correl_id: bytes | None = None,
) -> list[bytes]:
    """Register a function, start the connection until it got so many messages, stop and deregister;
    the data of the messages."""
    transport = connection.transport
    if isinstance(transport, BindingTransport):
        options = mq.MQGMO_BROWSE_NEXT if browse else 0
        none: dict[str, Any] = dict.fromkeys(("msg_id", "group_id", "token", "max_length"))
        request = Requests(transport).get(
            wait=WAIT_S, correl_id=correl_id, options=options, syncpoint=None, **none
        )
        queue = getattr(source, "_queue", source)
        handle = queue._handles.input or queue._opened(queue._handles.for_input())
        asked = asked_of(request)
        return transport.verbs.consume(handle.handle_id, asked, count)
    found: list[bytes] = []
    enough = threading.Event()

    def take(message: ternmq.Message) -> None:
        found.append(message.data)
        if len(found) >= count:
            enough.set()

    consumer = source.on_message(take, browse=browse, correl_id=correl_id)
    connection.start()
    enough.wait(WAIT_S)
    connection.stop()
    consumer.close()
    return found
