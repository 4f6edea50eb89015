"""One running instance of a channel: what the socket that serves it counts, and what status shows.

The server makes one when a partner is admitted and drops it when the partner has gone. The code
that serves the socket writes the counters; `admin` reads them for DISPLAY CHSTATUS. An instance can
be asked to stop from any thread: `ask_to_stop` is what the server put there for it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, final

from mypy_extensions import i64

from ternmq.channel.agent import Agent
from ternmq.store.catalog import Definition
from ternmq.wire.fap.compression import Expander, Packer

# The words of DISPLAY CHSTATUS; `channel_transitions` has which follows which.
INACTIVE: Final = "INACTIVE"
STARTING: Final = "STARTING"  # waits for its turn among the active ones
INITIALIZING: Final = "INITIALIZING"  # a place is taken, nothing is dialled yet
REQUESTING: Final = "REQUESTING"  # a requester has called, and waits for the call back
PAUSED: Final = "PAUSED"  # waits for the message retry interval
RETRYING: Final = "RETRYING"
STOPPED: Final = "STOPPED"
BINDING: Final = "BINDING"  # admitted; its user is not known yet
RUNNING: Final = "RUNNING"
STOPPING: Final = "STOPPING"

# How a channel is asked to end.
QUIESCE: Final = 1  # calls under way end first, and units of work get no more calls
FORCE: Final = 2  # the socket is closed
TERMINATE: Final = 3  # likewise, without a word


@final
class ChannelInstance:
    """A socket of a partner, on one channel."""

    def __init__(self, number: int, channel: Definition, address: str, started_ns: int) -> None:
        self.number = number  # its own, in this queue manager
        self.channel = channel  # as it was when it started: its own copy
        self.name = channel.name
        self.address = address  # of the partner, as text
        self.host = ""  # its name, where one was looked up
        self.local_address = ""
        self.started_ns = started_ns
        self.stopped_ns = 0  # while it runs
        self.status = BINDING
        self.agent: Agent | None = None  # of a message channel, while it runs: has its figures
        self.is_caller = False  # this end has dialled
        self.has_started = False  # was RUNNING: its end is an event too
        self.stop_requested = False
        # who: the user it runs as, and who it said it was
        self.user = ""
        self.client_user = ""
        self.application = ""  # RAPPLTAG
        self.product = ""  # RPRODUCT, four letters
        self.version = ""  # RVERSION, eight digits
        self.process_id = 0  # of the client; of a message channel, of its agent at this end
        # agreed in the opening
        self.fap_level = 0
        self.heartbeat_s = 0
        self.conversations_max = 0  # 0: not shared
        self.message_bytes_max: i64 = 0
        self.packer: Packer | None = None  # of what it sends, where compression is agreed
        self.expander: Expander | None = None
        # TLS; nothing on a plain socket
        self.cipher = ""  # CipherSpec
        self.protocol = "NONE"  # SECPROT
        self.certificate_subject = ""
        self.certificate_issuer = ""
        self.certificate_user = ""
        self.key_resets = 0  # SSLRKEYS: of a message channel, since it was started
        self.key_reset_ns = 0  # the last; 0: none
        # counted where the socket is served
        self.bytes_sent: i64 = 0
        self.bytes_received: i64 = 0
        self.buffers_sent: i64 = 0  # segments
        self.buffers_received: i64 = 0
        self.messages: i64 = 0  # MQI calls; messages on a message channel
        self.last_message_ns: i64 = 0
        self.conversations: i64 = 0  # that are there now
        self.calls_under_way: i64 = 0  # an instance in a call is not idle, however long it lasts
        self.ask_to_stop: Callable[[int], None] | None = None  # with QUIESCE, FORCE or TERMINATE

    @property
    def partner_qmgr(self) -> str:
        """The queue manager at the other end, of a message channel; "" while it is not known."""
        return "" if self.agent is None else self.agent.partner_qmgr

    @property
    def is_shared(self) -> bool:
        """Whether several conversations may use the socket."""
        return self.conversations_max > 0
