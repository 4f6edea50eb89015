"""Read-ahead: which messages go to a client although no get is known to wait for them.

Non-persistent ones only, as IBM documents it: a message that is at a client is lost with it. So a
persistent message goes out only as the answer to a get that waits, and never behind another message
of the same request. When the next one is not to be sent, the client is sent STREAMING_TXN_PAUSED:
IBM's client then asks again in the get that waits, or in its next one, and our own does the same.

IBM's client asks when a get finds nothing at hand, and also when it has taken about a quarter of
its window or more; what it has taken shows which it was. After a get that ended empty it does not
ask for the next one, but takes the request to be open still: we go on looking for a message, send
none, and say when there is one. And after that notice, a get that ends empty leaves a request
behind that no get waits for: until a message has gone out, only the first request after a pause is
answered with one.
"""

from __future__ import annotations

from typing import Final, final

from ternmq.base import constants as mq
from ternmq.values.get_request import SPARES_ALL, SPARES_PERSISTENT
from ternmq.wire.fap.vocabulary import LOOKS_AGAIN

_BROWSES: Final = mq.MQGMO_BROWSE_FIRST | mq.MQGMO_BROWSE_NEXT | mq.MQGMO_BROWSE_MSG_UNDER_CURSOR
_OF_GETS_ASKED: Final = 4  # a request with less than this part of its window was made by a get


@final
class Ahead:
    """What one handle may send ahead."""

    def __init__(self, is_own_client: bool) -> None:
        self._is_own = is_own_client
        self._is_on = False  # messages go ahead of gets, and are taken outside syncpoint
        self._browses = False  # the same, and they stay on their queue
        self.spares = 0  # which messages are not to be sent, only announced
        self._spares_then = 0  # the same behind the first message of a request
        self.lingers = False  # the request has ended, and its client takes it to be open
        self._is_paused = False  # the client was notified, and has not asked since
        self._is_strict = False  # it was notified, and has had no message since
        self.is_cancelled = False  # a get has ended before its time, and none has asked since

    def asked(
        self,
        options: int,
        window: int,
        flags: int,
        is_stream: bool,
        received_bytes: int,
        has_all: bool,
    ) -> None:
        """A request has come; `has_all`: the client has taken all that was sent."""
        self.lingers = False
        self.is_cancelled = False
        was_paused = self._is_paused
        self._is_paused = False
        self._browses = window > 1 and options & _BROWSES != 0
        self._is_on = window > 1 and not options & (_BROWSES | mq.MQGMO_SYNCPOINT)
        self.spares = 0
        self._spares_then = 0
        if not self._is_on or (is_stream and not self._is_own):  # IBM's client: for MQCB
            return
        self._spares_then = SPARES_PERSISTENT
        if is_stream:
            self.spares = SPARES_PERSISTENT
        elif self._is_own or was_paused or flags & LOOKS_AGAIN:
            pass  # a get waits
        elif self._is_strict:
            self.spares = SPARES_ALL
        elif not has_all or received_bytes * _OF_GETS_ASKED >= window:
            self.spares = SPARES_PERSISTENT

    def sent(self) -> bool:
        """A message has gone out; True if from now on others are wanted."""
        self._is_strict = False
        changes = self.spares != self._spares_then
        self.spares = self._spares_then
        return changes

    def ended_empty(self) -> bool:
        """A request has ended without a message; True if its client takes it to be open."""
        if self._is_own or not (self._is_on or self._browses):
            return False
        self.lingers = True
        self.spares = SPARES_ALL if self._is_on else 0
        return True

    def paused(self) -> None:
        """The client is notified that it must ask."""
        self.lingers = False
        self._is_paused = True
        self._is_strict = True
