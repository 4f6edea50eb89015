"""What an agent measures beside its counters: for MONCHL, STATCHL and SMF.

Times are nanoseconds.
"""

from __future__ import annotations

from typing import Final, final

from mypy_extensions import i64

from ternmq.base.indicator import Indicator


@final
class ExitFigures:
    """How long the message exits of one end took for each message, since it began."""

    def __init__(self) -> None:
        self.times: i64 = 0
        self.total_ns: i64 = 0
        self.shortest_ns: i64 = -1  # -1: there was none
        self.longest_ns: i64 = 0
        self.longest_at_ns: i64 = 0  # monotonic

    def add(self, took_ns: i64, now_ns: i64) -> None:
        """One message."""
        self.times += 1
        self.total_ns += took_ns
        if self.shortest_ns < 0 or took_ns < self.shortest_ns:
            self.shortest_ns = took_ns
        if took_ns > self.longest_ns:
            self.longest_ns = took_ns
            self.longest_at_ns = now_ns


@final
class ChannelFigures:
    """The figures of one agent since it began."""

    def __init__(self) -> None:
        self.last_message_ns: i64 = 0  # monotonic
        self.persistent_messages: i64 = 0
        self.message_bytes: i64 = 0
        self.persistent_bytes: i64 = 0
        self.full_batches: i64 = 0
        self.put_retries: i64 = 0
        self.empty_queue: i64 = 0  # gets that found no message
        self.batch_size: Final = Indicator()  # XBATCHSZ
        self.on_queue: Final = Indicator()  # XQTIME
        self.network: Final = Indicator()  # NETTIME
        self.net_ns: i64 = 0  # of all round trips
        self.net_shortest_ns: i64 = -1
        self.net_longest_ns: i64 = 0
        self.net_longest_at_ns: i64 = 0  # monotonic
        self._asked_ns: i64 = 0

    def message(self, data_bytes: i64, is_persistent: bool, waited_ns: i64, now_ns: i64) -> None:
        """A message was sent or received; `waited_ns` is how long it was on its queue."""
        self.last_message_ns = now_ns
        self.message_bytes += data_bytes
        if is_persistent:
            self.persistent_messages += 1
            self.persistent_bytes += data_bytes
        if waited_ns > 0:
            self.on_queue.add(waited_ns)

    def batch(self, messages: i64, messages_max: i64) -> None:
        """A batch is over."""
        self.batch_size.add(messages)
        if messages >= messages_max:
            self.full_batches += 1

    def asked(self, now_ns: i64) -> None:
        """A confirm or a heartbeat was asked for; the first of several that wait counts."""
        if not self._asked_ns:
            self._asked_ns = now_ns

    def answered(self, now_ns: i64) -> None:
        """The answer has come."""
        if not self._asked_ns:
            return
        took_ns = now_ns - self._asked_ns
        self._asked_ns = 0
        self.network.add(took_ns)
        self.net_ns += took_ns
        if self.net_shortest_ns < 0 or took_ns < self.net_shortest_ns:
            self.net_shortest_ns = took_ns
        if took_ns > self.net_longest_ns:
            self.net_longest_ns = took_ns
            self.net_longest_at_ns = now_ns
