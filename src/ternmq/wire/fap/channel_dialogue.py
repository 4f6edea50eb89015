"""The order of the dialogue of a message channel: tables for the machine of `dialogue`, one for
each side that can send the messages. The initiator does for a sender or server and its receiver,
the acceptor for a server that a requester has called.

    AGREED --RESYNC_DATA--> RESYNCING --answer--> IDLE --message--> IN_BATCH --confirm--> CONFIRMING
                                                    ^----------------- answer ---------------'

What a number, LUWID or length may be is checked by the agents, as is whether both ends pipeline.
"""

from __future__ import annotations

from typing import Final

from ternmq.wire.fap.dialogue import (
    ACCEPTOR,
    AGREED,
    ANSWER_HEARTBEAT,
    ANY,
    BOTH,
    CLOSE,
    CLOSED,
    CONFIRMING,
    IDLE,
    IN_BATCH,
    INITIATOR,
    LAST_WORD,
    NOTHING,
    PINGING,
    PIPELINING,
    REPORT_WHY,
    RESETTING,
    RESYNCING,
    SAME,
    WITH_CLOSE,
    WITH_CONFIRM,
    WITH_ERROR,
    Row,
    Table,
    When,
    opening_rows,
    refusing,
)
from ternmq.wire.fap.dialogue import (
    TO_EXIT as TO_EXIT,
)
from ternmq.wire.fap.vocabulary import (
    CLOSE_CHANNEL,
    CONFIRM_REQUEST,
    FIRST_AND_LAST,
    HEARTBEAT,
    MESSAGE_DATA,
    PING_DATA,
    PROTOCOL_SEGMENT_TYPE,
    REQUEST_ACCEPTED,
    REQUEST_CLOSE,
    RESET_DATA,
    RESYNC_DATA,
    SECURITY_DATA,
    STATUS_DATA,
)

# Actions.
ANSWER_RESYNC: Final = "answer with what was committed last"
COMPARE: Final = "compare: settle a batch in doubt, or refuse"
TAKE_NUMBER: Final = "count from this number, then answer"
GO_ON: Final = "go on"
ECHO: Final = "send it back"
TAKE_ECHO: Final = "compare what came back"
KEEP: Final = "put it, as part of the batch"
KEEP_AND_COMMIT: Final = "put it, commit the batch, then answer"
COMMIT: Final = "commit the batch, then answer"
TAKE_CONFIRM: Final = "commit the batch"
END_SOON: Final = "end the batch, then the channel"
CALLED_BACK: Final = "close the socket and wait for a call"

_WITH_ACCEPTED: Final = When("with REQUEST_ACCEPTED", REQUEST_ACCEPTED, REQUEST_ACCEPTED)
_WITH_REQUEST_CLOSE: Final = When("with REQUEST_CLOSE", REQUEST_CLOSE, REQUEST_CLOSE)
_CALLS_BACK: Final = When(
    "with CLOSE_CHANNEL and REQUEST_ACCEPTED",
    CLOSE_CHANNEL | REQUEST_ACCEPTED,
    CLOSE_CHANNEL | REQUEST_ACCEPTED,
)
_OPEN: Final = (AGREED, RESYNCING, RESETTING, PINGING, IDLE, IN_BATCH, CONFIRMING, PIPELINING)


def _any_time(sender: int) -> tuple[Row, ...]:
    """The ends, and heartbeats."""
    return (
        *[
            Row(
                _OPEN, side, (STATUS_DATA,), REPORT_WHY, CLOSED,
                when=WITH_ERROR, flags=LAST_WORD,
            )
            for side in BOTH
        ],
        Row(
            (AGREED,), sender, (STATUS_DATA,), CALLED_BACK, CLOSED,
            when=_CALLS_BACK, flags=CLOSE_CHANNEL | REQUEST_ACCEPTED,
        ),
        Row(_OPEN, sender, (STATUS_DATA,), CLOSE, CLOSED, when=WITH_CLOSE, flags=CLOSE_CHANNEL),
        *[
            Row(
                _OPEN, side, (HEARTBEAT,), ANSWER_HEARTBEAT, SAME,
                when=WITH_CONFIRM, flags=CONFIRM_REQUEST,
            )
            for side in BOTH
        ],
        *[Row(_OPEN, side, (HEARTBEAT,), NOTHING, SAME, flags=0) for side in BOTH],
    )  # fmt: skip


def _start(sender: int) -> tuple[Row, ...]:
    """Security exits, pings, and what both ends have counted."""
    receiver = 1 - sender
    return (
        *[Row((AGREED,), side, (SECURITY_DATA,), TO_EXIT, SAME, flags=0) for side in BOTH],
        Row((AGREED,), sender, (RESYNC_DATA,), ANSWER_RESYNC, RESYNCING, flags=CONFIRM_REQUEST),
        Row((RESYNCING,), receiver, (RESYNC_DATA,), COMPARE, IDLE, flags=REQUEST_ACCEPTED),
        Row((IDLE,), sender, (RESET_DATA,), TAKE_NUMBER, RESETTING, flags=CONFIRM_REQUEST),
        Row(
            (RESETTING,), receiver, (STATUS_DATA,), GO_ON, IDLE,
            when=_WITH_ACCEPTED, flags=REQUEST_ACCEPTED,
        ),
        Row((AGREED,), sender, (PING_DATA,), ECHO, PINGING, flags=CONFIRM_REQUEST),
        Row((PINGING,), receiver, (PING_DATA,), TAKE_ECHO, AGREED, flags=REQUEST_ACCEPTED),
    )  # fmt: skip


def _batches(sender: int) -> tuple[Row, ...]:
    receiver = 1 - sender
    return (
        Row(
            (IDLE, IN_BATCH), sender, (MESSAGE_DATA,), KEEP_AND_COMMIT, CONFIRMING,
            when=WITH_CONFIRM, flags=FIRST_AND_LAST | CONFIRM_REQUEST,
        ),
        Row((IDLE, IN_BATCH), sender, (MESSAGE_DATA,), KEEP, IN_BATCH),
        Row((CONFIRMING, PIPELINING), sender, (MESSAGE_DATA,), KEEP, PIPELINING),
        Row(
            (IN_BATCH,), sender, (STATUS_DATA,), COMMIT, CONFIRMING,
            when=WITH_CONFIRM, flags=CONFIRM_REQUEST,
        ),
        Row(
            (CONFIRMING,), receiver, (STATUS_DATA,), TAKE_CONFIRM, IDLE,
            when=_WITH_ACCEPTED, flags=REQUEST_ACCEPTED,
        ),
        Row(
            (PIPELINING,), receiver, (STATUS_DATA,), TAKE_CONFIRM, IN_BATCH,
            when=_WITH_ACCEPTED, flags=REQUEST_ACCEPTED,
        ),
        Row(
            _OPEN, receiver, (STATUS_DATA,), END_SOON, SAME,
            when=_WITH_REQUEST_CLOSE, flags=REQUEST_CLOSE,
        ),
    )  # fmt: skip


def channel_table(name: str, sender: int) -> Table:
    """The table of a channel whose messages this side sends."""
    unexpected = "{type} is not expected now"
    rows = (
        *opening_rows(CONFIRM_REQUEST, AGREED),
        *_any_time(sender),
        *_start(sender),
        *_batches(sender),
        *[refusing(_OPEN, side, unexpected, PROTOCOL_SEGMENT_TYPE) for side in BOTH],
        *[Row((CLOSED,), side, (ANY,), NOTHING, SAME) for side in BOTH],
    )
    return Table(name, rows)


INITIATOR_SENDS: Final = channel_table("message channel", INITIATOR)
ACCEPTOR_SENDS: Final = channel_table("message channel that a requester calls", ACCEPTOR)
