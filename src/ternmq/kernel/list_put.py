"""MQPUT and MQPUT1 to a distribution list: one message for each destination, all with one body.

A destination that does not take the message has its reason, and the others get it all the same.
Persistent messages for local queues share log records (`JoinedPut`), messages for one transmission
queue with DISTL(YES) a message there (`list_transmit`); every other destination has a put of its
own. Inside syncpoint all belong to the unit of work of the connection; outside, each is on its own.
A long list goes in bounded steps.
"""

from __future__ import annotations

from typing import Final, final

from mypy_extensions import i64

from ternmq.base import constants as mq
from ternmq.base.errors import MQError
from ternmq.base.reasons import MQRC_BACKED_OUT, MQRC_OPEN_FAILED
from ternmq.codec.mqi.list_records import PutRecord
from ternmq.kernel.connection import Connection, Handle
from ternmq.kernel.kernel import Kernel
from ternmq.kernel.list_joined import JoinedPut, joins
from ternmq.kernel.list_requests import ListRequests
from ternmq.kernel.list_transmit import ListTransmission
from ternmq.kernel.put import put
from ternmq.kernel.requests import PutRequest
from ternmq.values.distribution import Outcome
from ternmq.values.entry import Entry

STEP_MESSAGES: Final = 256


@final
class ListPut:
    """One put to a list, on its way."""

    __slots__ = (
        "_at",
        "_data",
        "_members",
        "_outcomes",
        "_requests",
        "_sent",
        "durable_at",
        "entry",
    )

    def __init__(
        self,
        members: list[Handle | None],
        request: PutRequest,
        data: bytes,
        fields: int,
        records: list[PutRecord],
        outcomes: list[Outcome],
    ) -> None:
        self._members = members
        self._data = data
        self._outcomes = outcomes
        self._requests = ListRequests(request, fields, records)
        self._sent = ListTransmission(self._requests, members)
        self._at: i64 = 0  # the next destination
        self.durable_at: i64 = 0
        self.entry: Entry | None = None  # the first that was put

    def advance(self, kernel: Kernel, connection: Connection) -> bool:
        """Put some; False: parked, or there is more to do."""
        left: i64 = STEP_MESSAGES
        while self._at < len(self._members) or self._sent.has_more():
            if left <= 0:
                connection.again = True
                return False
            done = self._go_on(kernel, connection, left)
            if done == 0:
                return False
            left -= done
        connection.begin_verb()
        connection.depends_on(self.durable_at)
        return True

    def _go_on(self, kernel: Kernel, connection: Connection, left: i64) -> i64:
        """One destination or more; how many, 0: parked."""
        at = self._at
        if at >= len(self._members):
            return self._send(kernel, connection)
        member = self._members[at]
        if member is None:
            outcome = self._outcomes[at]
            if outcome.ok:  # MQPUT1 has the reason of the open
                outcome.fail(MQRC_OPEN_FAILED)
            self._at = at + 1
            return 1
        if self._sent.collect(kernel, member, at):
            self._at = at + 1
            return 1
        if self._requests.can_join and joins(self._requests.request, member):
            done = self._put_joined(kernel, connection, left)
            if done != 0:
                return max(done, 0)
        if not self._put_one(kernel, connection, member, at):
            return 0
        self._at = at + 1
        return 1

    def _put_one(self, kernel: Kernel, connection: Connection, member: Handle, at: i64) -> bool:
        """By a put of its own; False: parked."""
        outcome = self._outcomes[at]
        try:
            request = self._requests.request_for(kernel, at)
            entry = put(kernel, connection, member, request, self._data)
        except MQError as refusal:
            self._refused(outcome, refusal)
            return True
        if entry is None:
            return False
        self.durable_at = max(self.durable_at, connection.durable_at)
        self._was_put(outcome, entry, connection.warning)
        return True

    def _refused(self, outcome: Outcome, refusal: MQError) -> None:
        if refusal.reason == MQRC_BACKED_OUT:  # and with it what the others have got
            raise refusal
        outcome.fail(refusal.reason)

    def _was_put(self, outcome: Outcome, entry: Entry, warning: i64) -> None:
        if self.entry is None:
            self.entry = entry
        outcome.msg_id = entry.msg_id
        outcome.correl_id = entry.correl_id
        outcome.group_id = entry.group_id
        if warning:
            outcome.comp = mq.MQCC_WARNING
            outcome.reason = int(warning)

    # ---- with one record

    def _put_joined(self, kernel: Kernel, connection: Connection, left: i64) -> i64:
        """As many as can share a log record, from this one on: how many destinations were seen to,
        -1: parked, 0: this one needs a put of its own."""
        joined = JoinedPut(self._requests, self._data, self._members, self._outcomes)
        at = self._at
        if not joined.gather(kernel, connection, at, left):
            return -1
        try:
            is_put = joined.put(kernel, connection)
        except MQError as refusal:
            for index in joined.indexes:
                self._refused(self._outcomes[index], refusal)
            self._at = joined.end
            return joined.end - at
        if not is_put:
            return -1
        self.durable_at = max(self.durable_at, connection.durable_at)
        for number, index in enumerate(joined.indexes):
            warning = joined.warnings[number]
            self._was_put(self._outcomes[index], joined.entries[number], warning)
        self._at = joined.end
        return joined.end - at

    # ---- to other queue managers

    def _send(self, kernel: Kernel, connection: Connection) -> i64:
        """One message on a transmission queue: 1, or 0 if parked."""
        chosen = self._sent.next_chosen(kernel, self._data)
        if len(chosen) == 1:
            at = chosen[0]
            member = self._members[at]
            if member is not None and not self._put_one(kernel, connection, member, at):
                return 0
        else:
            try:
                entry = self._sent.put(kernel, connection, chosen, self._data)
            except MQError as refusal:
                for at in chosen:
                    self._refused(self._outcomes[at], refusal)
            else:
                if entry is None:
                    return 0
                self.durable_at = max(self.durable_at, connection.durable_at)
                for number, at in enumerate(chosen):
                    outcome = self._outcomes[at]
                    self._was_put(outcome, entry, connection.warning)
                    outcome.msg_id = self._sent.msg_id(number)
                    outcome.correl_id = self._sent.correl_id(number, entry)
        self._sent.done(chosen)
        return 1
