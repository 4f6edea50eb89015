"""What the queue manager does for the receiving end of a channel: messages are put in the unit of
work of the batch, which is committed together with the state message and forced, before the partner
hears of it.

Each function returns False while the connection is parked or has another step to go.
"""

from __future__ import annotations

from ternmq.channel.agent import TRY_AGAIN, Want
from ternmq.kernel.channel_placing import Placing
from ternmq.kernel.channel_work import (
    ChannelWork,
    next_state,
    read_own_state,
    replace_own_state,
)
from ternmq.kernel.connection import Connection
from ternmq.kernel.ending import back_out, commit
from ternmq.kernel.kernel import Kernel


def open_channel(kernel: Kernel, connection: Connection, work: ChannelWork, want: Want) -> bool:
    """READ_STATE."""
    work.partner_traces = want.traces
    state = read_own_state(kernel, connection, work, False)
    if state is None:
        return False
    want.state = state
    return True


def place_message(
    kernel: Kernel, connection: Connection, work: ChannelWork, want: Want, placing: Placing
) -> bool:
    """PLACE. A message that is tried again goes on where it was: targets that have it are passed
    over."""
    connection.begin_verb()
    if work.placing is None:
        work.placing = placing
        if want.reason:  # an exit does not let it be put
            for target in placing.targets:
                target.reason = want.reason
    placing = work.placing
    if not placing.go_on(kernel, connection, work, want):
        return False
    if want.outcome != TRY_AGAIN:
        work.placing = None
        if not placing.is_fast:
            work.counted += 1
            connection.durable_at = 0  # forced with the batch
    return True


def commit_batch(kernel: Kernel, connection: Connection, work: ChannelWork, want: Want) -> bool:
    """COMMIT. A batch without numbered messages leaves the state as it is: the sender may be in
    doubt about the batch before, and asks for its LUWID."""
    connection.begin_verb()
    kernel.refuse_if_broken("commit")
    state = work.state
    if work.counted:
        state = next_state(work, want.luwid, want.sequence)
        if not work.is_replaced:
            if not replace_own_state(kernel, work, state):
                return False
            work.is_replaced = True
    if connection.unit is not None:
        commit(kernel, connection)
        if connection.again:
            return False
    work.state = state
    work.forget_batch()
    return True


def back_out_batch(kernel: Kernel, connection: Connection, work: ChannelWork, want: Want) -> bool:
    """BACK_OUT."""
    back_out(kernel, connection)
    if not connection.again:
        work.forget_batch()
    return not connection.again
