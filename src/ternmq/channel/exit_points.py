"""The places where exits see what passes through an agent, and a chain that has none.

An agent owns one `ExitChain`. The flags say which calls are worth making, so that a channel without
exits pays nothing. A call that ends the channel raises ExitEnds. In the order of a channel's life:

    initial     once, before initial data is sent or answered (MQXR_INIT)
    security    INIT_SEC at the acceptor, then at the initiator if the acceptor sends nothing;
                SEC_MSG for what the partner's exit has sent; SEC_PARMS for a client's password
    message     each message: at the sender before it is split and compressed, at the receiver once
                it is whole, before it is put. The bytes are MQXQH and what follows
    retry       at the receiver: a message could not be put; whether and when to try again
    send        each segment that is sent once initial data is agreed, after compression. All but
                its first eight bytes may change, and its length
    receive     each such segment that was received, before its header is read
    final       once, when the channel ends (MQXR_TERM)
"""

from __future__ import annotations

from typing import Final, final

from mypy_extensions import mypyc_attr

from ternmq.base.indicator import Indicator
from ternmq.channel.exit_structures import MQCSP
from ternmq.channel.figures import ExitFigures

# What `security` wants to be done with its data.
SECURITY_OK: Final = 0  # nothing is sent
SECURITY_SEND: Final = 1  # send the data
SECURITY_REQUEST: Final = 2  # send the data, and an answer must come

# What `message` wants to be done with the message.
PASS: Final = 0  # it goes on, as it now is
SUPPRESS: Final = 1  # dead-letter queue, or discard if its MQMD says so, with `reason`


class ExitEnds(Exception):
    """An exit ends the channel, or failed: what the error log says, and STATUS_DATA."""

    def __init__(self, message_id: str, inserts: tuple[object, ...], status: int) -> None:
        super().__init__(message_id, inserts, status)
        self.message_id = message_id
        self.inserts = inserts
        self.status = status  # a code of STATUS_DATA, usually CLOSED_BY_EXIT or SECURITY_FAILURE


@final
class SecurityTurn:
    """What a security exit wants."""

    def __init__(self, kind: int = SECURITY_OK, data: bytes = b"") -> None:
        self.kind: Final = kind
        self.data: Final = data


@final
class Verdict:
    """What message exits have made of a message."""

    def __init__(self, message: bytes, kind: int = PASS, reason: int = 0) -> None:
        self.message: Final = message
        self.kind: Final = kind
        self.reason: Final = reason  # a feedback code


@final
class Retry:
    """Whether and when a message that could not be put is tried again."""

    def __init__(self, again: bool, interval_ms: int) -> None:
        self.again: Final = again
        self.interval_ms: Final = interval_ms


@mypyc_attr(allow_interpreted_subclasses=True)
class ExitChain:
    """The exits of one end of one running channel: here none."""

    def __init__(self) -> None:
        self.has_any = False  # calls may take long: whoever drives the agent makes them elsewhere
        self.has_security = False
        self.has_message = False
        self.has_send = False
        self.has_receive = False
        self.has_retry = False
        self.time = Indicator()  # nanoseconds a message
        self.figures = ExitFigures()  # likewise
        self.space = 0  # bytes of each segment that send exits reserve
        # MQCOMPRESS_: set by the agent before `message`, which may choose another that both have
        self.header_compression = 0
        self.message_compression = 0

    def initial(self) -> None:
        """The channel begins."""

    def agreed(self, partner_qmgr: str, fap_level: int, segment_bytes_max: int) -> None:
        """Initial data is agreed on: what MQCXP says from now on."""

    def shared(self, is_shared: bool, unchanged_bytes: int) -> None:
        """Of a client's channel: whether other conversations may use the socket, and how many bytes
        of a segment its exits leave as they are; 0: as usual."""

    def partner(self, address: str, product: str, version: str) -> None:
        """Of a client's channel: where the client is, and what it says it is."""

    def remote_user(self, user: str) -> None:
        """Of a client's channel: who the client says it is, for MQCD."""

    def security(self, received: bytes | None) -> SecurityTurn:
        """None: the exit may begin (MQXR_INIT_SEC); else data of the partner's (MQXR_SEC_MSG)."""
        return SecurityTurn()

    def security_parameters(self, given: MQCSP) -> None:
        """A client has sent user and password, which the exit may change (MQXR_SEC_PARMS)."""

    def changed_user(self) -> str | None:
        """The user that the security exit wants the channel to run as; None: it has set none."""
        return None

    def message(self, message: bytes) -> Verdict:
        """A message, whole."""
        return Verdict(message)

    def retry(self, message: bytes, reason: int, tried: int, left: int, interval_ms: int) -> Retry:
        """A message could not be put: for a chain with `has_retry`; else only a queue that is full
        or inhibited is tried again, `left` times more."""
        return Retry(left > 0, interval_ms)

    def send(self, segment: bytes) -> bytes:
        """A segment that goes out."""
        return segment

    def receive(self, segment: bytes) -> bytes:
        """A segment that came."""
        return segment

    def final(self) -> None:
        """The channel has ended. It is called exactly once; ExitEnds changes nothing any more."""
