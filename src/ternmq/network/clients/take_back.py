"""TAKE_BACK: a get of our own client shall not have happened, because who waited was cancelled.

IBM's clients know nothing like it: a get that waits goes to its end. Ours says in MQCONN that it
may ask (FCNO_TAKES_BACK). Then a message of MQGET can go back until the next call of its
conversation; a wait that is taken back is answered with MQRC_NO_MSG_AVAILABLE.
"""

from __future__ import annotations

import struct
from typing import Final

from ternmq.network.clients.conversation import Conversation
from ternmq.network.clients.get_call import MessageCall
from ternmq.network.clients.notifications import notify
from ternmq.wire.fap.segment import Segment
from ternmq.wire.fap.vocabulary import TAKE_BACK

_NOTE_BYTES: Final = 16
_LITTLE: Final = struct.Struct("<iiii")
_BIG: Final = struct.Struct(">iiii")


def take_back_if_asked(conversation: Conversation, one: Segment) -> bool:
    """A NOTIFICATION that does not wait for its turn; False if it is another one."""
    if one.body_bytes < _NOTE_BYTES:
        return False
    codec = _LITTLE if conversation.form.is_little else _BIG
    _version, handle, code, _value = codec.unpack_from(one.data, one.body_at)
    if code != TAKE_BACK:
        return False
    undone = 0
    call = conversation.call
    if isinstance(call, MessageCall):
        call.take_back()
        undone = 1
    else:
        kept = conversation.returnable
        if kept is not None:
            conversation.returnable = None
            conversation.connected().take_back(kept)
            undone = 1
    notify(conversation, handle, TAKE_BACK, undone, one.header.request)
    return True
