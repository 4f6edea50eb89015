"""What the queue manager holds for one running message channel: its open queues, its batch, and
what a want has done so far.

The driver makes one for each instance. The agent's wants are carried out on it by
`channel_sending` or `channel_receiving`, through one connection; the end of that connection backs
the batch out and closes the queues. A batch in doubt stays.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, final

from ternmq.base import constants as mq
from ternmq.base.errors import IntegrityError
from ternmq.base.object_types import BY_BIT
from ternmq.channel.agent import Want
from ternmq.channel.channel_state import NO_LUWID, ChannelState
from ternmq.channel.settings import ChannelSettings
from ternmq.codec.headers.transmitted import Transmitted
from ternmq.kernel.activity import Hop, Tracing
from ternmq.kernel.alerts import set_alert
from ternmq.kernel.channel_repeats import LastRead
from ternmq.kernel.channel_states import StateReading, StateReplacing, open_sync_queue
from ternmq.kernel.connection import Connection, Handle
from ternmq.kernel.ending import commit
from ternmq.kernel.kernel import Kernel
from ternmq.kernel.requests import GetCall
from ternmq.kernel.waiters import AlertWait
from ternmq.ports.effect import Wakeable
from ternmq.store.catalog import Definition
from ternmq.txn.unit import UnitOfWork
from ternmq.values.entry import Entry

if TYPE_CHECKING:
    from ternmq.kernel.channel_placing import Placing


@final
class ChannelWork:
    """One end of one running channel, as the queue manager has it."""

    def __init__(
        self,
        definition: Definition,
        settings: ChannelSettings,
        transmission_queue: str = "",
        partner_address: str = "",
    ) -> None:
        # as the channel was when it started: ALTER CHANNEL is for the next start
        self.uses_dead_letter_queue = definition.number("use_dead_letter") != mq.MQUSEDLQ_NO
        self.puts_by_context = definition.attributes.get("put_authority") == mq.MQPA_CONTEXT
        self.settings = settings
        self.channel = settings.name
        self.transmission_queue = transmission_queue  # of a sending end
        self.partner_address = partner_address
        self.partner_qmgr = ""  # to be set before the first want
        self.state: ChannelState | None = None  # what was committed last, once it was read
        self.counted = 0  # messages of the batch that have a sequence number
        self.sync: Handle | None = None
        self.reading: StateReading | None = None
        self.replacing: StateReplacing | None = None
        self.is_replaced = False  # the new state is in the unit of work of the batch
        self.undone: UnitOfWork | None = None  # was in doubt, and is being backed out
        # of a sending end
        self.queue: Handle | None = None
        self.call: GetCall | None = None  # a get that has not ended
        self.got: Entry | None = None  # the message that was got last
        self.got_is_fast = False
        self.parts: list[Transmitted] = []  # the rest of a list that is sent as single messages
        self.wait: AlertWait | None = None
        self.tracing: Tracing | None = None  # reports on what was got last are to be put
        self.partner_traces = True  # the partner records activities: TRACE_ROUTE_CAPABLE
        # of a receiving end
        self.last_read = LastRead()
        self.placing: Placing | None = None  # the message that is being placed

    def hop(self) -> Hop:
        """How activities name this channel."""
        kind = BY_BIT[self.settings.kind].subtype
        queue = self.transmission_queue
        return Hop(self.channel, kind, self.partner_qmgr, queue, self.partner_traces)

    def forget_batch(self) -> None:
        """It was committed or backed out."""
        self.counted = 0
        self.replacing = None
        self.is_replaced = False
        self.call = None
        self.got = None
        self.parts = []
        self.tracing = None
        self.placing = None


def read_own_state(
    kernel: Kernel, connection: Connection, work: ChannelWork, is_sender: bool
) -> ChannelState | None:
    """The state with this partner; None: parked."""
    sync = work.sync
    if sync is None:
        sync = open_sync_queue(kernel, connection, "MQOPEN")
        if sync is None:
            return None
        work.sync = sync
    reading = work.reading
    if reading is None:
        reading = StateReading(sync, work.channel, work.partner_qmgr, is_sender)
        work.reading = reading
    if not reading.go_on(kernel):
        return None
    work.reading = None
    state = reading.state
    state.partner_address = work.partner_address or state.partner_address
    state.transmission_queue = work.transmission_queue
    work.state = state
    return state


def replace_own_state(kernel: Kernel, work: ChannelWork, state: ChannelState) -> bool:
    """Put a new state into the connection's unit of work; False: parked."""
    replacing = work.replacing
    if replacing is None:
        if work.sync is None:
            raise IntegrityError(f"{work.channel}: its state was not read")
        replacing = StateReplacing(work.sync, state)
        work.replacing = replacing
    if not replacing.go_on(kernel):
        return False
    work.replacing = None
    return True


def next_state(work: ChannelWork, luwid: bytes, sequence: int) -> ChannelState:
    """The state after a batch."""
    before = work.state
    if before is None:
        raise IntegrityError(f"{work.channel}: its state was not read")
    state = ChannelState(before.channel, before.is_sender)
    state.partner_qmgr = work.partner_qmgr
    state.partner_address = work.partner_address or before.partner_address
    state.transmission_queue = work.transmission_queue
    state.last_sequence = sequence
    state.last_luwid = luwid
    return state


def reset_sequence(kernel: Kernel, connection: Connection, work: ChannelWork, want: Want) -> bool:
    """RESET: both ends go on behind `sequence`; nothing is left to be sent of a RESET CHANNEL."""
    connection.begin_verb()
    before = work.state
    luwid = NO_LUWID if before is None else before.last_luwid
    state = next_state(work, luwid, want.sequence)
    if not work.is_replaced:
        if not replace_own_state(kernel, work, state):
            return False
        work.is_replaced = True
    commit(kernel, connection)
    if connection.again:
        return False
    work.state = state
    work.is_replaced = False
    return True


# ---- waiting for a message


def await_message(
    kernel: Kernel, connection: Connection, work: ChannelWork, waker: Wakeable
) -> bool:
    """Have the waker called once the transmission queue may have a message, or a get would answer
    something else than before; False: look at once."""
    handle = work.queue
    if handle is None or set_alert(kernel, handle):
        return False
    alert = handle.alert
    if alert is None:
        return False
    wait = AlertWait()
    wait.waker = waker
    work.wait = wait
    alert.wait = wait
    return True


def stop_awaiting(kernel: Kernel, work: ChannelWork) -> None:
    """Nobody waits any more."""
    wait = work.wait
    work.wait = None
    if wait is not None:
        wait.waker = None
        handle = work.queue
        if handle is not None and handle.alert is not None and handle.alert.wait is wait:
            handle.alert.wait = None
