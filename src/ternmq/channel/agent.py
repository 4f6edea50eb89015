"""The base of the agents (MCAs) at both ends of a message channel: machines without I/O.

A driver owns one agent and one socket. It hands over what happens by the methods below, and after
each of them looks at the fields:

    out           segments to send, in this order; the driver empties the list
    want          what the engine must do next, or None. The driver runs it, then calls `done`, or
                  `failed` with the MQError. There is one want at a time, and `done` may set the
                  next; an agent that waits for its partner or for time has none
    deadline_ns   call `tick` at that monotonic time; 0: there is nothing to wait for
    watches       the transmission queue is empty: call `message_there` once it may have a message
    status, substate   MQCHS_ and MQCHSSTATE_, for DISPLAY CHSTATUS
    notices       AMQ messages for the error log that end nothing; the driver empties the list
    has_exits     its methods may take long: the driver calls them in a thread of the channel's own,
                  and looks at the fields when they have returned
    takes_bytes   receive exits see segments before anyone reads their headers: the driver calls
                  `received_bytes` instead of `received`. It may change with each segment
    is_full       more segments came than could be handled: the driver reads no more from the socket
                  until it is False
    end           set once, and never while a want is under way: how the channel has ended. The
                  driver sends `out`, closes the socket and runs `want` if there is one (BACK_OUT),
                  without calling the agent again, then drops it

A batch is named by its LUWID: with pipelining the unit of the next batch is open while the one
before is prepared, and COMMIT is for the one that has this LUWID. A COMMIT whose LUWID is the last
committed one (or NO_LUWID, if there is none yet) is for what was buried in a batch of which the
partner has nothing: the state stays as it is.

While a want is under way nothing is called but `done` or `failed`. A want that is set and was not
begun may be taken back by what happens before.

Nothing is sent that depends on a want that is not done: `done` of PREPARE and of COMMIT is called
only when the log is forced so far.
"""

from __future__ import annotations

from typing import Final, final

from mypy_extensions import i64

from ternmq.base import constants as mq
from ternmq.base.errors import MQError
from ternmq.base.indicator import Indicator
from ternmq.channel.channel_state import NO_LUWID, ChannelState
from ternmq.channel.figures import ChannelFigures, ExitFigures
from ternmq.channel.settings import ChannelSettings
from ternmq.wire.fap.compression import Expander, Packer
from ternmq.wire.fap.segment import Segment

# Kinds of wants. The comments say what `done` is called with: fields of the want itself.
READ_STATE: Final = 1  # state: of this channel with this partner; a sender opens its queue too
RESET: Final = 2  # sequence becomes the last number, forced; a sender's reset_sequence is 0 then
GET: Final = 3  # sender: the next message, under syncpoint unless it is fast; message None: empty
PREPARE: Final = 4  # sender: the batch is in doubt under luwid and sequence, forced
COMMIT: Final = 5  # the batch is committed with luwid and sequence: a receiver's is forced
BACK_OUT: Final = 6  # the batch that is not prepared; after a resync the one that is in doubt
BURY: Final = 7  # sender: message goes to the dead-letter queue here with `reason`, in the batch
PLACE: Final = 8  # receiver: message is put where it belongs; see `outcome`
WANT_NAMES: Final[dict[int, str]] = {
    READ_STATE: "READ_STATE",
    RESET: "RESET",
    GET: "GET",
    PREPARE: "PREPARE",
    COMMIT: "COMMIT",
    BACK_OUT: "BACK_OUT",
    BURY: "BURY",
    PLACE: "PLACE",
}

# Outcomes of PLACE.
PLACED: Final = 0
TRY_AGAIN: Final = 1  # the queue is full or inhibited: `reason`; message retry may help
BURIED: Final = 2  # on the dead-letter queue here
RETURNED: Final = 3  # a report with the whole message went back, and the message is discarded
DISCARDED: Final = 4  # a fast one that no queue took, or one with MQRO_DISCARD_MSG

# How a channel ends: what the initiator does then.
NORMAL: Final = 0  # DISCINT, STOP, PING: INACTIVE or STOPPED
RETRY: Final = 1  # the link or the partner failed: try again later
NO_RETRY: Final = 2  # it cannot heal by itself: STOPPED
CALL_BACK: Final = 3  # a sender calls its requester now; a requester waits (REQUESTING) for that


# STOP CHANNEL, as the commands number the modes. Above it the channel ends at once.
QUIESCE: Final = 1


@final
class Want:
    """One thing that the engine must do for an agent, and its result."""

    def __init__(self, kind: int) -> None:
        self.kind: Final = kind
        self.luwid = NO_LUWID
        self.sequence = 0
        self.in_doubt = False  # COMMIT, BACK_OUT: the batch that a resync has decided
        self.messages = 0  # of the batch
        # GET: got; BURY and PLACE: given. MQXQH and what follows, as on a transmission queue; where
        # they come apart, `head` is the MQXQH and `body` what follows.
        self.head: bytes | None = None
        self.body = b""
        self.is_fast = False  # the message is nonpersistent and the channel fast: no syncpoint
        self.waited_ns: i64 = 0  # GET: how long the message was on its queue; 0: not measured
        self.bytes_max: i64 = (
            0  # GET: the longest message that the partner takes, MQXQH and all; 0: any
        )
        # GET: the message can go to no partner, and is buried with this reason. PLACE: the message
        # exit does not want it put: it goes where what cannot be put goes, with this reason
        self.reason = 0
        # GET: CONVERT(YES): what the data behind MQXQH is converted to; 0: it is not
        self.ccsid = 0
        self.encoding = 0
        self.has_lists = True  # READ_STATE, GET: the partner takes messages for distribution lists
        self.traces = True  # READ_STATE: the partner records activities of trace-route messages
        self.more = False  # GET: parts of a list follow; the batch must not end before them
        self.is_final = False  # PLACE: no more retries: dead-letter queue, report or discard
        self.retries_all = False  # PLACE: a retry exit decides: TRY_AGAIN whatever the reason
        self.outcome = PLACED
        self.state: ChannelState | None = None

    @property
    def message(self) -> bytes | None:
        """Both, together."""
        if self.body and self.head is not None:
            self.head += self.body
            self.body = b""
        return self.head

    @message.setter
    def message(self, message: bytes | None) -> None:
        self.head = message
        self.body = b""


@final
class End:
    """How a channel has ended."""

    def __init__(
        self, kind: int, message_id: str, inserts: tuple[object, ...] = (), status: int = 0
    ) -> None:
        self.kind: Final = kind
        self.message_id: Final = message_id  # AMQ message for the error log
        self.inserts: Final = inserts
        self.status: Final = status  # code of STATUS_DATA that was sent or received; 0: none


class Agent:
    """One end of one running channel."""

    def __init__(self, settings: ChannelSettings) -> None:
        self.settings = settings
        self.out: list[bytes | memoryview] = []
        self.sends_parts = False  # `out` may have a segment in two parts, header and data
        self.want: Want | None = None
        self.deadline_ns: i64 = 0
        self.watches = False
        self.status = mq.MQCHS_BINDING
        self.substate = mq.MQCHSSTATE_OTHER
        self.end: End | None = None
        self.notices: list[tuple[str, tuple[object, ...]]] = []
        self.is_full = False
        self.has_exits = False
        self.takes_bytes = False
        self.packer: Packer | None = None  # of a sender
        self.expander: Expander | None = None  # of a receiver
        self.exit_time = Indicator()  # nanoseconds that exits took for a message
        self.exit_figures = ExitFigures()  # likewise
        self.partner_qmgr = ""
        self.partner_id = ""
        self.partner_product = ""
        self.partner_ccsid = 0  # what a sender with CONVERT(YES) converts to
        self.partner_encoding = 0
        self.has_properties = False  # MSG_PROP_CAPABLE
        # what was agreed
        self.batch_messages = 0
        self.heartbeat_s = 0
        self.message_bytes_max: i64 = 0
        self.segment_bytes_max = 0
        self.is_fast = False
        self.has_lists = False  # DIST_LIST_CAPABLE
        self.traces = False  # TRACE_ROUTE_CAPABLE
        self.header_compression = mq.MQCOMPRESS_NONE
        self.message_compression = mq.MQCOMPRESS_NONE
        # for DISPLAY CHSTATUS, since this instance started
        self.messages: i64 = 0
        self.batches: i64 = 0
        self.bytes_sent: i64 = 0
        self.bytes_received: i64 = 0
        self.buffers_sent: i64 = 0
        self.buffers_received: i64 = 0
        self.current_messages = 0  # CURMSGS
        self.current_sequence = 0  # CURSEQNO
        self.current_luwid = NO_LUWID
        self.last_sequence = 0  # LSTSEQNO
        self.last_luwid = NO_LUWID
        self.is_in_doubt = False
        self.figures: Final = ChannelFigures()

    def take_segments(self) -> list[bytes]:
        """What is to be sent, for a driver that does not send parts."""
        out = self.out
        self.out = []
        return [bytes(one) for one in out]

    def start(self, now_ns: i64) -> None:
        """The socket is there: an initiator sends its initial data, an acceptor waits for it."""
        raise NotImplementedError

    def received(self, one: Segment, now_ns: i64) -> None:
        """A segment from the partner."""
        raise NotImplementedError

    def received_bytes(self, data: bytes, now_ns: i64) -> None:
        """A segment from the partner, as it came."""
        raise NotImplementedError

    def tick(self, now_ns: i64) -> None:
        """The deadline has come."""
        raise NotImplementedError

    def done(self, want: Want, now_ns: i64) -> None:
        """What was wanted is done."""
        raise NotImplementedError

    def failed(self, want: Want, error: MQError, now_ns: i64) -> None:
        """The engine could not do it."""
        raise NotImplementedError

    def message_there(self, now_ns: i64) -> None:
        """The transmission queue may have a message."""
        raise NotImplementedError

    def lost(self, why: str, now_ns: i64) -> None:
        """The socket is gone."""
        raise NotImplementedError

    def stop(self, mode: int, now_ns: i64) -> None:
        """STOP CHANNEL or the end of the queue manager: QUIESCE ends the batch first."""
        raise NotImplementedError
