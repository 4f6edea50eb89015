"""The exits of a client connection channel: what a socket sends and what comes goes through them.

A channel with exits does not share sockets: each connection has a socket and exits of its own. They
are called in the thread or task that uses the connection, one at a time. In their order:

    begin       MQXR_INIT, before initial data is sent
    talking     initial data is agreed: MQXR_INIT_SEC, or the talk with the queue manager's exit
    parameters  before user and password are sent: MQXR_SEC_PARMS
    sent, came  segments of the conversation: MQXR_XMIT
    final       the socket is closed: MQXR_TERM

An exit that fails is MQRC_CLIENT_EXIT_ERROR while the connection is made; later the connection is
broken. One that cannot be loaded is MQRC_CLIENT_EXIT_LOAD_ERROR.
"""

from __future__ import annotations

import struct
import threading
from collections.abc import Callable, Generator
from functools import partial
from typing import Final, TypeVar

from ternmq.base import constants as mq
from ternmq.base.attributes import Value
from ternmq.base.errors import MQError, RemoteProtocolError, mq_error
from ternmq.base.message_table import message_line
from ternmq.base.reasons import MQRC_CLIENT_EXIT_ERROR, MQRC_CLIENT_EXIT_LOAD_ERROR
from ternmq.channel.exit_chain import Exit, Exits
from ternmq.channel.exit_points import ExitEnds
from ternmq.channel.exit_structures import MQCD, MQCSP, definition_of
from ternmq.channel.security_turns import SecurityTurns
from ternmq.ports.os_exit_files import ExitFiles, NotUsable
from ternmq.remote.fap.client_channel import ClientChannel, ExitName
from ternmq.remote.fap.client_conversation import ChannelEnded
from ternmq.remote.fap.client_dialogue import ConnectParameters
from ternmq.remote.fap.frames import FAP_LEVEL
from ternmq.wire.fap.dialogue import INITIATOR
from ternmq.wire.fap.flow import read_body
from ternmq.wire.fap.negotiation import Agreement
from ternmq.wire.fap.segment import TSHM, Header, Segment, SegmentError, segment, segment_variant
from ternmq.wire.fap.segment_reader import SegmentReader, bytes_allowed
from ternmq.wire.fap.vocabulary import SECURITY_DATA, STATUS_DATA

UNCHANGED_BYTES: Final = 16  # of a segment of a conversation: eye-catcher, length, both numbers
_FIRST: Final = 1  # the number of a socket's only conversation
_LENGTH: Final = struct.Struct(">I")
_LENGTH_AT: Final = 4
_FILES: Final[dict[str, ExitFiles]] = {}  # by their folder: a file is run once in a process
_T = TypeVar("_T")


class SocketExits:
    """The exits of one socket."""

    def __init__(self, channel: ClientChannel, qmgr_name: str) -> None:
        names = channel.exits
        kinds = (
            (mq.MQXT_CHANNEL_SEC_EXIT, names.security),
            (mq.MQXT_CHANNEL_SEND_EXIT, names.send),
            (mq.MQXT_CHANNEL_RCV_EXIT, names.receive),
        )
        files = _FILES.setdefault(names.folder, ExitFiles(names.folder))
        found: list[Exit] = []
        for exit_id, listed in kinds:
            for at, one in enumerate(listed):
                function = _loaded(files, channel, one)
                found.append(Exit(exit_id, one.name, function, one.data, at + 1))
        self._channel: Final = channel.name
        self._chain: Final = Exits(channel.name, _definition(channel, qmgr_name), found)
        self._chain.is_interruptible = True
        self._lock: Final = threading.RLock()
        self._is_shared = False
        self._reader: SegmentReader | None = None  # from when initial data is agreed
        self._is_connected = False
        self._is_over = False
        self.has_security: Final = bool(names.security)

    def begin(self) -> None:
        """The channel begins."""
        self._guarded(self._chain.initial)

    def talking(
        self, agreement: Agreement, qmgr_name: str, has_talk: bool
    ) -> Generator[bytes, Segment, bytes]:
        """Initial data is agreed. Yields what to send, gets what came; what is left is to be sent
        with the next segment."""
        self._is_shared = agreement.is_shared
        self._reader = SegmentReader(bytes_allowed(agreement.segment_bytes_max))
        agreement.reserved_bytes = self._chain.space
        chain = self._chain
        level, most = agreement.fap_level, agreement.segment_bytes_max
        self._guarded(lambda: chain.agreed(qmgr_name, level, most))
        chain.shared(False, UNCHANGED_BYTES if self._is_shared else 0)
        turns = SecurityTurns(chain, INITIATOR, has_talk)
        said = self._guarded(turns.begin)
        while not turns.is_over:
            one = yield self._security_segment(said)
            if one.header.type == STATUS_DATA:
                values = read_body(one, FAP_LEVEL).values
                raise ChannelEnded(values.get("code", 0), values.get("value", 0))
            if one.header.type != SECURITY_DATA:
                raise RemoteProtocolError("the queue manager's security exit does not answer")
            said = self._guarded(partial(turns.came, one.body))
        return self._security_segment(said)

    def _security_segment(self, said: bytes | None) -> bytes:
        if said is None:
            return b""
        header = Header(SECURITY_DATA)
        if self._is_shared:
            header.variant = TSHM
            header.conversation = _FIRST
        return segment(header, said)

    def parameters(self, given: ConnectParameters) -> ConnectParameters:
        """User and password, as the security exit leaves them."""
        if self.has_security:
            csp = MQCSP(given.csp_user, given.password)
            self._guarded(lambda: self._chain.security_parameters(csp))
            given = given._replace(csp_user=str(csp.CSPUserIdPtr), password=csp.password)
        self._is_connected = True
        return given

    # ---- segments

    def sent(self, data: bytes) -> bytes:
        """Whole segments that go out."""
        if self._reader is None or not self._chain.has_send:
            return data
        parts: list[bytes] = []
        at = 0
        while at < len(data):
            end = at + _LENGTH.unpack_from(data, at + _LENGTH_AT)[0]
            parts.append(self._one(self._chain.send, data[at:end]))
            at = end
        return b"".join(parts)

    def came(self, data: bytes) -> bytes:
        """Bytes as they come: the segments that are whole."""
        reader = self._reader
        if reader is None or not self._chain.has_receive:
            return data
        reader.feed(data)
        parts: list[bytes] = []
        while (one := reader.next_bytes()) is not None:
            parts.append(self.came_one(one))
        return b"".join(parts)

    def came_one(self, one: bytes) -> bytes:
        """One whole segment."""
        if self._reader is None or not self._chain.has_receive:
            return one
        return self._one(self._chain.receive, one)

    def _one(self, exits: Callable[[bytes], bytes], one: bytes) -> bytes:
        if self._is_shared and segment_variant(one, 0) != TSHM:
            return one  # of the socket itself
        return self._guarded(lambda: exits(one))

    def final(self) -> None:
        """The socket is closed."""
        with self._lock:
            if not self._is_over:
                self._is_over = True
                self._chain.final()

    def _guarded(self, action: Callable[[], _T]) -> _T:
        with self._lock:
            try:
                return action()
            except ExitEnds as ends:
                why = message_line(ends.message_id, ends.inserts)
            except SegmentError as wrong:
                why = str(wrong)
        if self._is_connected:
            raise RemoteProtocolError(why)
        raise _refusal(MQRC_CLIENT_EXIT_ERROR, self._channel, why)


def _refusal(reason: int, channel: str, why: str) -> MQError:
    return mq_error(reason, verb="MQCONN", object=channel, detail=why)


def _loaded(files: ExitFiles, channel: ClientChannel, one: ExitName) -> Callable[..., object]:
    try:
        return files.function(one.name)
    except NotUsable as error:
        why = f"exit {one.name} of channel {channel.name}: {error}"
        raise _refusal(MQRC_CLIENT_EXIT_LOAD_ERROR, channel.name, why) from error


def _definition(channel: ClientChannel, qmgr_name: str) -> MQCD:
    names = channel.exits
    attributes: dict[str, Value] = {
        "connection_name": channel.place,
        "max_message_length": channel.message_bytes_max,
        "heartbeat_s": channel.heartbeat_s,
        "cipher": channel.cipher,
        "ssl_peer": channel.peer_name,
        "certificate_label": channel.certificate_label,
        "shared_conversations": channel.sharing,
        "local_address": channel.local_address,
        "security_exit": names.security[0].name if names.security else "",
        "security_exit_data": names.security[0].data if names.security else "",
        "send_exit": ",".join(one.name for one in names.send),
        "send_exit_data": ",".join(one.data for one in names.send),
        "receive_exit": ",".join(one.name for one in names.receive),
        "receive_exit_data": ",".join(one.data for one in names.receive),
    }
    return definition_of(channel.name, mq.MQCHT_CLNTCONN, qmgr_name, attributes, [], [])
