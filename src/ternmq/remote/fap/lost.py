"""Shared by the sockets of threads and tasks: how a connection is lost, and a get taken back."""

from __future__ import annotations

import ssl
from typing import Final

from ternmq.base.errors import RemoteProtocolError
from ternmq.remote.fap.client_conversation import ChannelEnded
from ternmq.remote.fap.fap_request import FapRequest, whole_body
from ternmq.wire.fap.vocabulary import NOTIFICATION, TAKE_BACK

LOST: Final = (OSError, EOFError, RemoteProtocolError, ChannelEnded, ssl.SSLError)


def source_of(local_address: str) -> tuple[str, int] | None:
    """LOCLADDR, as sockets have it."""
    if not local_address:
        return None
    host, _, port = local_address.partition("(")
    return host, int(port.rstrip(")") or 0)


def taking_back(request: FapRequest) -> FapRequest:
    """TAKE_BACK for a get."""
    handle = 0 if request.handle is None else request.handle.handle_id
    values = {"handle": handle, "code": TAKE_BACK}
    return FapRequest(NOTIFICATION, None, whole_body(NOTIFICATION, values))
