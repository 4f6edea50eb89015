"""SPI EXTENSION: what only our own queue manager has, over the network (see `wire.extension`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ternmq.base import constants as mq
from ternmq.remote.fap.fap_request import FapRequest, table_body
from ternmq.remote.fap.replies import checked
from ternmq.remote.remote_verbs import Exchange, Extended, error_from
from ternmq.wire.extension import pack_request, unpack_answer
from ternmq.wire.fap.vocabulary import SPI, SPI_EXTENSION

if TYPE_CHECKING:
    from ternmq.remote.fap.fap_verbs import FapVerbs


def asked(verbs: FapVerbs, call: str, arguments: dict[str, Any]) -> Exchange[Extended]:
    """A call by its name; a queue manager of ours is at the other end."""
    if "bytes_max" in arguments:  # half of what the channel takes, for what is beside the data
        longest = verbs.conversation.framing.message_bytes_max // 2
        arguments = {**arguments, "bytes_max": min(arguments["bytes_max"], max(longest, 1))}
    values = {"verb": SPI_EXTENSION, "extension": pack_request(call, arguments)}
    reply = yield FapRequest(SPI, None, table_body(SPI, values))
    data: bytes = reply.values().get("extension", b"")
    if not data:
        checked(reply, verbs.name)
    answer, at = unpack_answer(data)
    if reply.comp == mq.MQCC_FAILED:
        raise error_from({"comp": reply.comp, "reason": reply.reason, **_EMPTY, **answer})
    return Extended(answer, data, at)


_EMPTY = {"verb": "", "object": "", "detail": ""}
