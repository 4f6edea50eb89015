"""REQUEST_MSGS and ASYNC_MESSAGE: messages that a client asks for ahead, or is sent as they come.

A client asks on a handle for so many bytes, and says how many of those that were sent it has taken.
While less than that is on its way, messages go out: one for a window of one byte, many for a large
one (`read_ahead`). With STREAM the wait has no end; without, it is that of the get options.
CONFIRM_REQUEST: CHECK_MSG follows when nothing more goes out.

Messages got inside syncpoint belong to the unit of work until it ends. Those sent ahead and not
taken are gone with the handle, as in IBM MQ, unless the client says before how far it has come: a
request for no bytes ends the stream, and what it has not taken goes back to its queue.
"""

from __future__ import annotations

from collections import deque
from typing import Final, final

from mypy_extensions import i64

from ternmq.base import constants as mq
from ternmq.base.errors import MQError
from ternmq.base.limits import RETURNABLE_BYTES_MAX
from ternmq.base.reasons import (
    MQRC_GET_INHIBITED,
    MQRC_NO_MSG_AVAILABLE,
    MQRC_TRUNCATED_MSG_FAILED,
    MQRC_XWAIT_CANCELED,
)
from ternmq.codec.mqi.mqmd import BYTES_1, BYTES_2, MSG_FLAGS_AT
from ternmq.host.answer_room import OUT_BYTES_MAX
from ternmq.host.backpressure import Readers
from ternmq.host.jobs import LoopVerbs
from ternmq.kernel.connection import Handle
from ternmq.kernel.get import BROWSE_OPTIONS as BROWSES
from ternmq.kernel.requests import GetCall
from ternmq.kernel.verb_clock import VerbClock
from ternmq.network.clients.byte_form import aligned, token
from ternmq.network.clients.conversation import Conversation, Guarded
from ternmq.network.clients.delivery_form import deliver, is_as_it_is, options_here
from ternmq.network.clients.message_push import BIG_HEAD, LITTLE_HEAD, Push
from ternmq.network.clients.message_selection import Selection
from ternmq.network.clients.notifications import (
    PUSHED,
    note_header,
    notify,
    notify_refusal,
    push_nothing,
)
from ternmq.network.clients.read_ahead import Ahead
from ternmq.network.clients.repeated_cancel import RepeatedCancel
from ternmq.values.entry import PERSISTENT, Entry, shows_persistent
from ternmq.values.get_request import SPARED, SPARES_ALL, GetRequest
from ternmq.values.group_status import wire_status
from ternmq.wire.fap.segment import TSHM_BYTES
from ternmq.wire.fap.segment_reader import split
from ternmq.wire.fap.vocabulary import (
    ASYNC_MESSAGE,
    CHECK_MSG,
    STREAMING_FAILURE,
    STREAMING_TXN_PAUSED,
)

_IN_UNITS: Final = mq.MQGMO_SYNCPOINT | mq.MQGMO_SYNCPOINT_IF_PERSISTENT
_INHIBITED_RETRY_NS: Final = 1_000_000_000

IDLE: Final = 0
WAITING: Final = 1  # for a message
PARKED: Final = 2
FORCING: Final = 3
STOPPED: Final = 4


@final
class Consumer(Guarded):
    """What one handle sends to its client."""

    def __init__(self, conversation: Conversation, handle: Handle) -> None:
        super().__init__(conversation)
        self.clock = VerbClock()  # of what it gets, if its connection is accounted for
        self.handle = handle
        self.state = IDLE
        self.get: GetCall | None = None
        self.selection = Selection()
        self.options = 0
        self.wait_ms = 0
        self.length_max = 0
        self.is_stream = False
        self.ahead = Ahead(conversation.is_own_client)
        self.window = 0  # bytes that may be sent and not taken
        self.outstanding = 0
        self._until_ns: i64 = 0  # when the wait of the request is over, however often it begins
        self.index = 0  # of the last message
        self.confirm = -1  # the request that waits for CHECK_MSG
        self.sent: deque[tuple[int, Entry]] = deque()  # that may still go back
        self._sent_bytes: i64 = 0
        self._is_counted = False  # among the calls under way
        self.is_first = True  # of what was asked for, where that is browsed
        self._request: GetRequest | None = None
        self._push: Push | None = None
        self._readers: Readers | None = None
        name = conversation.form.chars(handle.resolved_name, len(handle.resolved_name))
        self._own_name = name
        self._name = name + bytes(-(len(name) + 3) % 4)

    def doing(self) -> str:
        return f"messages of {self.handle.resolved_name}"

    # ---- what the client asks

    def taken(self, received: int, global_index: int) -> None:
        """The client has taken so many bytes, up to that message."""
        self.outstanding = max(self.outstanding - received, 0)
        sent = self.sent
        while sent and sent[0][0] <= global_index:
            self._forget_oldest()

    def _forget_oldest(self) -> None:
        """The oldest message that was sent cannot go back any more."""
        entry = self.sent.popleft()[1]
        self._sent_bytes -= entry.length + len(entry.properties)

    def ask(self, options: int, wait_ms: int, length_max: int, is_stream: bool) -> None:
        """From now on messages as these say; a wait that does not fit ends."""
        if (
            options != self.options
            or wait_ms != self.wait_ms
            or length_max != self.length_max
            or is_stream != self.is_stream
            or (self._request is not None and self._request.spares != self.ahead.spares)
        ):
            self.options = options
            self.wait_ms = wait_ms
            self.length_max = length_max
            self.is_stream = is_stream
            self._request = None
        if self.state == WAITING and (self._request is None or not self.is_stream):
            self._end_wait()
        self._until_ns = 0
        local = self.handle.local
        if is_stream and self._readers is None and local is not None and not options & BROWSES:
            self._readers = self.turns.backpressure.add(
                self.turns, local.queue, self.conversation.line
            )

    def select(self, selection: Selection) -> None:
        """Other messages."""
        self.selection = selection
        self._push = None
        self._request = None
        if self.state == WAITING:
            self._end_wait()

    def browse_again(self) -> None:
        """From the first message on."""
        self.is_first = True
        self._request = None

    def _end_wait(self) -> None:
        call = self.get
        if call is not None and self.conversation.connected().end_wait(call, 0):
            self.turns.not_at(self)
            self._no_longer_waits()
            self.get = None
            self.state = IDLE

    def _waits(self) -> bool:
        """A client that waits is in a call, however long; False: a cancel was held for it."""
        if not self.is_stream and (reason := self.conversation.held_cancel.take()):
            self.cancel(reason)
            return False
        if not self._is_counted:
            self._is_counted = True
            self.conversation.line.wait_begins()
        return True

    def _no_longer_waits(self) -> None:
        if self._is_counted:
            self._is_counted = False
            self.conversation.line.call_ends()

    def _wanted(self) -> GetRequest:
        request = self._request
        if request is None:
            endless = self.is_stream or self.ahead.lingers
            options, apart = options_here(self.options, self.conversation.is_own_client)
            request = self._request = self.selection.next_request(
                options, self.is_first, endless, self.wait_ms, self.length_max, apart
            )
            request.spares = self.ahead.spares
            request.extends = self.selection.version == 1
            request.passes = self.conversation.line.parts_bytes_max if apart else 0
        return request

    # ---- messages

    def run(self) -> None:
        if self.state == STOPPED:
            return
        verbs = self.conversation.connected()
        if verbs.link.clock is None:
            self._go_on_with(verbs)
            return
        before = verbs.begin_aside(self.clock)
        try:
            self._go_on_with(verbs)
        finally:
            verbs.end_aside(before)

    def _go_on_with(self, verbs: LoopVerbs) -> None:
        call = self.get
        if call is not None:
            if self.state == FORCING:
                if self.awaits_force() or not self._has_room():
                    return  # another wake: there is room to write, say
                self._deliver(call)
            else:
                if call.waiting:
                    return
                self.turns.not_at(self)
                self._no_longer_waits()
                call.waker = None
                if call.error is not None:
                    self.get = None
                    self.state = IDLE
                    raise call.error
                if call.entry is None and call.reason == 0:
                    verbs.get_again(call, self)
                if not self._advance(call):
                    return
        self._pump(verbs)

    def _pump(self, verbs: LoopVerbs) -> None:
        conversation = self.conversation
        if self.state != IDLE or conversation.are_held or self._has_no_unit():
            return
        while self.outstanding < self.window:
            if self.is_stream and not conversation.is_started:
                return
            if conversation.line.is_closing or not conversation.line.may_get(self):
                return
            verbs.begin_call("MQGET")
            if self.options & mq.MQGMO_UNLOCK:
                self._unlock()
                return
            request = self._wanted()
            if self.window > 1 and self._draw(verbs, request):
                continue
            call = verbs.get(self.handle, request, self, beside=True)
            self.get = call
            if not self._advance(call):
                return
        self._confirm(0)

    def _draw(self, verbs: LoopVerbs, request: GetRequest) -> bool:
        """Send what is at the head and needs no more than that; False: nothing does."""
        if not self._wants_plain_messages() or self.ahead.spares == SPARES_ALL:
            return False
        conversation = self.conversation
        line = conversation.line
        push = self._pushes()
        room = min(self.window - self.outstanding, OUT_BYTES_MAX)
        entries = verbs.draw(self.handle, request, room)
        if not entries:
            return False
        out = line.out
        sent = self.sent
        for entry in entries:
            conversation.global_index += 1
            self.index += 1
            sent.append((conversation.global_index, entry))
            self._sent_bytes += entry.length
            number = conversation.global_index
            size = push.add(out, entry, self.index, number, line.segment_bytes_max)
            if size:
                self.outstanding += BYTES_2 + int(entry.length)
                line.wrote(int(size))
            else:
                self._send(entry, 0)
        while self._sent_bytes > RETURNABLE_BYTES_MAX:
            self._forget_oldest()
        if self.ahead.sent():
            self._request = None
        if self._readers is not None:
            self._readers.relieved()
        return True

    def _wants_plain_messages(self) -> bool:
        return self.selection.version == 2 and not self.options & mq.MQGMO_CONVERT

    def _pushes(self) -> Push:
        """What makes most segments."""
        conversation = self.conversation
        push = self._push
        if push is None or push.form is not conversation.form:
            form, number = conversation.form, conversation.number
            handle_id, index = self.handle.handle_id, self.selection.index
            push = Push(form, number, handle_id, index, self._own_name)
            self._push = push
        return push

    def _advance(self, call: GetCall) -> bool:
        """After an attempt: True if its message is sent."""
        if call.waiting:
            self.state = WAITING
            if not self.ahead.lingers and not self._waits():
                return False
            if call.deadline_ns:
                self._until_ns = self._until_ns or call.deadline_ns
                self.turns.at(self, int(self._until_ns))
            return False
        verbs = self.conversation.connected()
        if call.entry is None:
            if call.reason == 0:
                self.state = PARKED
                verbs.park(self)
                return False
            self.get = None
            self.state = IDLE
            self._end_without(int(call.reason))
            return False
        self.state = FORCING
        if verbs.must_wait(self, int(call.durable_at)) or not self._has_room():
            return False
        self._deliver(call)
        return True

    def _has_room(self) -> bool:
        """Whether a message that was got can go out, or back: many may have waited for one."""
        line = self.conversation.line
        return line.is_closing or line.may_get(self)

    def _deliver(self, call: GetCall) -> None:
        self.get = None
        self.state = IDLE
        entry = call.entry
        if entry is None:
            return
        conversation = self.conversation
        if self._is_undone(call, entry):
            conversation.connected().answered(call)
            return
        if conversation.line.is_closing:
            conversation.connected().take_back(call)
            return
        if call.browse and self.is_first:
            self.is_first = False
            self._request = None
        conversation.global_index += 1
        self.index += 1
        if self.ahead.sent():
            self._request = None
        if self._may_go_back(call, entry):
            self.sent.append((conversation.global_index, entry))
            self._sent_bytes += entry.length + len(entry.properties)
            # A client that takes nothing must not have us keep ever more.
            while self._sent_bytes > RETURNABLE_BYTES_MAX:
                self._forget_oldest()
            self._send(entry, int(call.reason), call)
        else:
            self._send(entry, int(call.reason), call)
            conversation.line.got(conversation.connected(), call)

    def _may_go_back(self, call: GetCall, entry: Entry) -> bool:
        """A message of a stream, outside syncpoint."""
        if self.window <= 1 or call.browse or call.request.syncpoint:
            return False
        if entry.flags & PERSISTENT:
            self.window = 0  # the client asks for the next when it wants it
            return False
        return call.reason == 0

    def _send(self, entry: Entry, warning: int, call: GetCall | None = None) -> None:
        """With the warning that the get had, if it is a call."""
        data = entry.data
        base = entry.base
        reason = 0 if call is None else int(call.warning)
        whole = len(data)
        area_bytes = 0
        if call is not None and (
            warning or not is_as_it_is(self.options, self.selection.version, entry)
        ):
            made = deliver(call, entry, self.options)
            data = made.data
            area_bytes = made.area_bytes
            base = made.base
            reason = made.reason or reason
            whole = made.length
        conversation = self.conversation
        form = conversation.form
        version = self.selection.version
        length = len(data)
        md_bytes = BYTES_2 if version == 2 else BYTES_1
        head = (LITTLE_HEAD if form.is_little else BIG_HEAD).pack(
            1,
            self.handle.handle_id,
            self.index,
            conversation.global_index,
            length,
            0,
            self.selection.index,
            reason,
            length - area_bytes,
            whole,
            token(entry),
            wire_status(entry.base[MSG_FLAGS_AT]),
            len(self._own_name),
        )
        self.outstanding += md_bytes + length
        size = len(head) + len(self._name) + md_bytes + length
        line = conversation.line
        parts = [head, self._name]
        now_ns = int(self.turns.clock.now_ns()) if entry.expiry_at else 0
        form.add_descriptor(parts, entry, base, version, now_ns)
        parts.append(data)
        if TSHM_BYTES + size <= line.segment_bytes_max:
            filling = -size & 3  # see `aligned`
            if filling:
                parts.append(bytes(filling))
                size += filling
            out = line.out
            out.append(form.head(True, conversation.number, PUSHED, ASYNC_MESSAGE, size))
            out += parts
            line.wrote(TSHM_BYTES + size)
        else:
            header = note_header(conversation, ASYNC_MESSAGE, PUSHED)
            for piece in split(header, data, line.segment_bytes_max, b"".join(parts[:-1])):
                line.write(aligned(piece))

    def _end_without(self, reason: int) -> None:
        """There is no message: none at all, or the reason why. IBM's client does not look at what
        CHECK_MSG says, so a reason comes by itself."""
        if reason == SPARED:
            self._pauses()
            return
        if reason == MQRC_NO_MSG_AVAILABLE:
            reason = 0
        elif reason:
            notify(self.conversation, self.handle.handle_id, STREAMING_FAILURE, reason, PUSHED)
        self._ends(reason)

    def _ends(self, reason: int) -> None:
        """A request has ended without a message: what comes now is not for it. A client may miss
        that its get was cancelled, and take the request to be open."""
        if not self.is_stream:
            if reason in (0, MQRC_XWAIT_CANCELED) and self.ahead.ended_empty():
                self._request = None
                self.turns.post(self)  # to look for what to notify the client of
            else:
                self.window = 0
        self._confirm(reason)

    def _pauses(self) -> None:
        """There is something for a get, and no get is known to wait: the client must ask."""
        self.window = 0
        self.ahead.paused()
        notify(self.conversation, self.handle.handle_id, STREAMING_TXN_PAUSED, 0, PUSHED)
        self._confirm(0)

    def _unlock(self) -> None:
        """MQGMO_UNLOCK: what is sent is a message of nothing."""
        conversation = self.conversation
        self.window = 0
        call = conversation.connected().unlocked(self.handle, self._wanted())
        if call.reason:
            self._end_without(int(call.reason))
            return
        conversation.global_index += 1
        self.index += 1
        self.outstanding += push_nothing(conversation, self.handle, self.index, self.selection)
        self._confirm(0)

    def _confirm(self, value: int) -> None:
        """Answer the request that waits for it."""
        number = self.confirm
        if number >= 0:
            self.confirm = -1
            notify(self.conversation, self.handle.handle_id, CHECK_MSG, value, number)

    def time_is_over(self) -> None:
        call = self.get
        if call is None or self.state != WAITING:
            if self.state == IDLE:
                self.go_on()  # after GET(DISABLED), say
            return
        if self.conversation.connected().end_wait(call, MQRC_NO_MSG_AVAILABLE):
            self._no_longer_waits()
            self.get = None
            self.state = IDLE
            self._ends(0)

    def refuse(self, error: MQError) -> None:
        if self.state == STOPPED:
            return
        call = self.get
        self.get = None
        self.state = IDLE
        if call is not None and call.entry is not None:
            self.conversation.connected().take_back(call)
        if self.is_stream or self.ahead.lingers:
            self.conversation.refused_aside(error)
        if self.ahead.lingers:
            self._pauses()  # a get that asks is notified
            return
        notify_refusal(self.conversation, self.handle.handle_id, error.reason)
        if error.reason == MQRC_GET_INHIBITED and self.is_stream:
            now_ns = int(self.turns.clock.monotonic_ns())
            self.turns.at(self, now_ns + _INHIBITED_RETRY_NS)
        self._ends(error.reason)

    # ---- the end

    def pause(self) -> None:
        """Consumption stops: what is not sent goes back."""
        if self.is_stream:
            self._take_back()

    def hold(self) -> None:
        """The unit of work is about to end: nothing of this consumer's is to be in it unsent. A
        wait begins again afterwards, and ends when it would have ended."""
        call = self.get
        if call is not None:
            request = call.request
            if request.syncpoint or request.syncpoint_if_persistent:
                self._take_back()

    def _has_no_unit(self) -> bool:
        """The work of a branch has ended, and it is still the connection's: what is got now would
        be committed with it."""
        if self.conversation.branches.ended is None:
            return False
        return self.options & _IN_UNITS != 0

    @property
    def asks(self) -> bool:
        """Whether the client waits for more."""
        return self.state == IDLE and self.outstanding < self.window

    def _is_undone(self, call: GetCall, entry: Entry) -> bool:
        """Whether the unit of work that it was got in was backed out since."""
        request = call.request
        if call.browse or call.reason == MQRC_TRUNCATED_MSG_FAILED:
            return False
        if not request.syncpoint:
            if not request.syncpoint_if_persistent or not shows_persistent(entry):
                return False
        unit = self.conversation.connected().link.unit
        return unit is None or entry.unit_id != unit.unit_id

    def _take_back(self) -> None:
        call = self.get
        self.turns.not_at(self)
        self._no_longer_waits()
        if call is not None:
            self.conversation.connected().take_back(call)
            self.get = None
            self.state = IDLE

    def return_unread(self) -> None:
        """The client has said how far it has come, and wants no more."""
        self._take_back()
        self.window = 0
        self._reads_no_more()
        verbs = self.conversation.connected()
        while self.sent:
            verbs.give_back(self.handle, self._wanted(), self.sent.pop()[1])
        self._sent_bytes = 0
        self.outstanding = 0
        self._confirm(0)

    def stop(self) -> None:
        """The handle or its connection ends."""
        self._take_back()
        self.state = STOPPED
        self.ahead.is_cancelled = False
        self._reads_no_more()
        self.sent.clear()

    def _reads_no_more(self) -> None:
        readers = self._readers
        if readers is not None:
            self._readers = None
            self.turns.backpressure.remove(readers, self.conversation.line)

    def is_gone(self) -> bool:
        return self.state != FORCING

    @property
    def waits_for_get(self) -> bool:
        """Whether a get waits for a message, as far as we know."""
        return not self.is_stream and self.get is not None and self.state in (WAITING, PARKED)

    def cancel(self, reason: int) -> None:
        """A get that waits for a message ends with this reason."""
        self._take_back()
        self._end_without(reason)
        RepeatedCancel(self, reason)

    def notify(self, reason: int) -> None:
        """The connection was ended by an operator, or the queue manager is quiescing."""
        notify_refusal(self.conversation, self.handle.handle_id, reason)
