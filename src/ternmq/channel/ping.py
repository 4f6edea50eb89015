"""PING CHANNEL: a sender that opens the channel, has data sent back, and closes it. It wants
nothing of the engine: no message moves, no number changes.

What does not fit one segment goes in several, each of which is sent back before the next.
"""

from __future__ import annotations

from typing import Final, final

from mypy_extensions import i64

from ternmq.base.errors import MQError
from ternmq.channel.agent import NO_RETRY, NORMAL, End, Want
from ternmq.channel.channel_agent import ChannelAgent
from ternmq.channel.exit_points import ExitChain
from ternmq.channel.settings import ChannelSettings
from ternmq.wire.fap.channel_dialogue import TAKE_ECHO
from ternmq.wire.fap.channel_flows import read_ping
from ternmq.wire.fap.dialogue import INITIATOR, Row
from ternmq.wire.fap.segment import TSH_BYTES, Segment
from ternmq.wire.fap.vocabulary import CLOSE_CHANNEL, CONFIRM_REQUEST, PING_DATA, STATUS_DATA

DATA_BYTES_MIN: Final = 16
DATA_BYTES_MAX: Final = 32_768
_LENGTH_BYTES: Final = 4


def ping_data(size: int) -> bytes:
    """Data for a ping: digits that show where something was lost."""
    return (b"0123456789" * (size // 10 + 1))[:size]


@final
class PingingAgent(ChannelAgent):
    """The end that pings."""

    def __init__(
        self, settings: ChannelSettings, data: bytes, exits: ExitChain | None = None
    ) -> None:
        super().__init__(settings, INITIATOR, True, exits)
        self._data: Final = data
        self._at = 0
        self._sent = b""
        self.is_equal = False  # all of it has come back as it was

    def _opened(self) -> None:
        self._send_next()

    def _send_next(self) -> None:
        room = self.segment_bytes_max - TSH_BYTES - _LENGTH_BYTES
        self._sent = self._data[self._at : self._at + room]
        self._at += len(self._sent)
        data = self.writer.ping(CONFIRM_REQUEST, self._sent)
        self.say(PING_DATA, data, CONFIRM_REQUEST)
        self.waits_since_ns = self.now_ns

    def _handle(self, row: Row, one: Segment) -> None:
        if row.action != TAKE_ECHO:
            raise AssertionError(row.action)
        self.is_equal = read_ping(one) == self._sent
        if self.is_equal and self._at < len(self._data):
            self._send_next()
            return
        self.say_plain(STATUS_DATA, CLOSE_CHANNEL)
        kind = NORMAL if self.is_equal else NO_RETRY
        self.finish(End(kind, "AMQ9001I" if self.is_equal else "AMQ9504E", (self.settings.name,)))

    def _advance(self) -> bool:
        return False

    def _want_done(self, want: Want) -> None:
        raise AssertionError(want.kind)

    def _want_failed(self, want: Want, error: MQError) -> None:
        raise AssertionError(want.kind)

    def _note_done(self, want: Want) -> None:
        raise AssertionError(want.kind)

    def _has_unit(self) -> bool:
        return False

    def _quiesce(self) -> None:
        self.finish(End(NORMAL, "AMQ9528I", (self.settings.name,)))

    def _next_time(self) -> i64:
        return 0

    def _time_has_come(self) -> None:
        pass

    def _awaits_partner(self) -> bool:
        return True
