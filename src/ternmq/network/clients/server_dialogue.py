"""The acceptor's side of a dialogue: initial data until both agree, who the partner is, MQCONN; and
the flows that belong to the socket: conversations that start and end, heartbeats, the last word.

The tables of `wire.fap.dialogue` say what may come in which state and what is to be done; this is
how each of their actions is done. `edge.admission` decides which clients may connect.
"""

from __future__ import annotations

import asyncio
import os
import struct
from functools import partial
from typing import TYPE_CHECKING, Final

from ternmq.base import constants as mq
from ternmq.base.errors import MQError, mq_error
from ternmq.base.limits import OBJECT_NAME_BYTES_MAX, UNAUTHENTICATED_CONVERSATIONS_MAX
from ternmq.base.reasons import MQRC_CONNECTION_BROKEN, MQRC_Q_MGR_NAME_ERROR
from ternmq.host.jobs import LoopVerbs
from ternmq.kernel.channel_instance import RUNNING, ChannelInstance
from ternmq.kernel.inquire import COMMAND_LEVEL
from ternmq.mqi.descriptor import default_context
from ternmq.network.clients.byte_form import Form
from ternmq.network.clients.conversation import Conversation
from ternmq.network.clients.segment_line import Line
from ternmq.wire.fap.compression import available_headers, available_messages
from ternmq.wire.fap.compression_lists import named
from ternmq.wire.fap.dialogue import (
    ABSENT,
    ACCEPTOR,
    AGREE,
    ANSWER_HEARTBEAT,
    CLOSE,
    CONNECT,
    CONVERSATION,
    FAILED,
    KEEP_PASSWORD,
    KEEP_USER,
    LEAVE,
    NEGOTIATE,
    NEW,
    PASS_ON,
    REFUSE_BROKEN,
    SERVE,
    START,
    TO_EXIT,
    Dialogue,
)
from ternmq.wire.fap.flow import read_body, write_body
from ternmq.wire.fap.initial_data import (
    HEADER_COMPRESSIONS_MAX,
    MESSAGE_COMPRESSIONS_MAX,
    InitialData,
    compression_bytes,
    read_initial_data,
    write_initial_data,
)
from ternmq.wire.fap.negotiation import ROUNDS_MAX, Agreement, Offer, answer
from ternmq.wire.fap.part import Values
from ternmq.wire.fap.segment import TSHM, Header, Segment, SegmentError
from ternmq.wire.fap.segment_compression import SegmentCompression
from ternmq.wire.fap.vocabulary import (
    ACTION_STARTED,
    CAP_MQI,
    CAP_MULTIPLEX_SYNCGET,
    CAP_REQUEST_SECURITY,
    CONV_ID_ERROR,
    ERROR,
    FCNO_MULTICAST,
    FCNO_TAKES_BACK,
    HEARTBEAT,
    INITIAL_DATA,
    MAX_CONNS_LIMIT_REACHED,
    MQCONN,
    NEGOTIATION_FAILED,
    OWN_CLIENT,
    PROTOCOL_SEGMENT_TYPE,
    REPLY,
    SECURITY_DATA,
    SOCKET_ACTION,
    STATUS_DATA,
    type_name,
)
from ternmq.wire.multicast.packet import KEY_BYTES

if TYPE_CHECKING:
    from ternmq.network.edge.partner_socket import PartnerSocket

FAP_LEVEL: Final = 10
_CAPABILITIES_1: Final = 0x27
PRODUCT_ID: Final = f"MQMM{COMMAND_LEVEL // 100:02}{COMMAND_LEVEL // 10 % 10:02}0000"
_PARTNER_BYTES: Final = 4  # of its product id: the letters before its version
_APPL_TYPE_AT: Final = 76  # in a packed context
# What only the queue manager's own messages have.
_OWN_APPL_TYPES: Final = (
    mq.MQAT_NO_CONTEXT,
    mq.MQAT_QMGR,
    mq.MQAT_QMGR_PUBLISH,
    mq.MQAT_CHANNEL_INITIATOR,
    mq.MQAT_SYSTEM_EXTENSION,
    mq.MQAT_MCAST_PUBLISH,
)


class Opening:
    """The beginning of one socket, and what is the socket's own."""

    def __init__(self, socket: PartnerSocket, line: Line) -> None:
        self.socket = socket
        self.line = line
        self.offer: Offer | None = None
        self._rounds = 0
        self._has_talks = False  # security exits of both sides take turns
        self._is_fresh = False  # what came together with initial data has not passed the exits
        self._tasks: set[asyncio.Task[LoopVerbs]] = set()
        # The users that the first conversation gave: others of the socket that give none have them.
        self._user_id = ""
        self._csp_user = ""
        self._csp_password: str | None = None

    # ---- the socket's flows

    def take(self, one: Segment) -> None:
        """A segment of the socket, or of a conversation that does not exist."""
        header = one.header
        self._check_fresh(header)
        action = self.line.dialogue.came(header.type, header.flags_1).action
        if action == NEGOTIATE:
            self._negotiate(one)
        elif action == ANSWER_HEARTBEAT:
            self.line.write(header.answer(HEARTBEAT, 0).pack(0))
        elif action == CLOSE:
            self.socket.close()
        elif action == PASS_ON and header.type == SOCKET_ACTION:
            self._socket_action(header, read_body(one, self.line.fap_level).values)
        elif action == PASS_ON:
            number = header.conversation if header.variant == TSHM else 0
            Dialogue(CONVERSATION, ACCEPTOR, ABSENT).came(header.type, number=number)

    def _negotiate(self, one: Segment) -> None:
        header = one.header
        asked = read_initial_data(one)
        line = self.line
        line.form = Form(header)
        offer = self.offer
        if offer is None and asked.capabilities_1 & CAP_MQI == 0 and self.socket.hand_over(one):
            return
        if offer is None:
            instance = self.socket.admit(asked)
            if instance is None:
                return
            offer = self._make_offer(instance, asked)
            self.offer = offer
            exits = self.socket.exits
            if exits is not None:
                exits.begin(partial(self._answer, header, asked, offer))
                return
        self._answer(header, asked, offer)
        if self._has_receive_exits and line.is_open:
            self._is_fresh = True
            line.turns.loop.call_soon(self._was_answered)

    @property
    def _has_receive_exits(self) -> bool:
        exits = self.socket.exits
        return exits is not None and exits.has_receive

    def _check_fresh(self, header: Header) -> None:
        """Nothing may come before the answer to initial data: it would go by receive exits."""
        if self._is_fresh:
            text = f"{type_name(header.type)} before initial data is answered"
            raise SegmentError(text, PROTOCOL_SEGMENT_TYPE)

    def _was_answered(self) -> None:
        self._is_fresh = False
        if self.line.kept_bytes and not self.line.is_closing:
            self.line.protocol_error(_too_early())

    def _answer(self, header: Header, asked: InitialData, offer: Offer) -> None:
        line = self.line
        self._rounds += 1
        made, again = answer(asked, offer)
        if again and self._rounds >= ROUNDS_MAX:
            raise SegmentError(
                f"channel '{asked.channel_name}': no agreement in {ROUNDS_MAX} rounds",
                NEGOTIATION_FAILED,
            )
        row = line.dialogue.say(INITIAL_DATA, ERROR if again else 0)
        reply = header.answer(INITIAL_DATA, row.flags)
        line.write_call(reply, write_initial_data(reply, made))
        if row.action == AGREE:
            self._agree(header, made)

    def _make_offer(self, instance: ChannelInstance, asked: InitialData) -> Offer:
        channel = instance.channel
        conversations = channel.number("shared_conversations")
        engine = self.socket.host.engine
        number = instance.number
        # What the partner says of itself, for the status of the channel; and its first segment.
        instance.buffers_received += 1
        instance.product = asked.product_id[:_PARTNER_BYTES]
        instance.version = asked.product_id[_PARTNER_BYTES:]
        instance.process_id = asked.process_id
        # As IBM's do it: MQGET segments on a socket with one conversation only; our own client can
        # use them on any.
        is_ours = asked.product_id.startswith(OWN_CLIENT)
        has_get = conversations == 1 or is_ours
        exits = self.socket.exits
        has_security = exits is not None and exits.has_security
        headers: list[int] = []
        messages: list[int] = []
        if is_ours:  # how IBM's clients lay out what is compressed is not known
            headers = named(channel.text("header_compression"), available_headers())
            messages = named(channel.text("message_compression"), available_messages())
        return Offer(
            fap_level=FAP_LEVEL,
            qmgr_name=engine.name,
            qmgr_id=engine.kernel.identity[:OBJECT_NAME_BYTES_MAX],
            product_id=PRODUCT_ID,
            message_bytes_max=channel.number("max_message_length"),
            heartbeat_s=channel.number("heartbeat_s"),
            conversations_max=conversations,
            capabilities_1=_CAPABILITIES_1 | (CAP_REQUEST_SECURITY if has_security else 0),
            capabilities_2=0x51,
            capabilities_3=CAP_MULTIPLEX_SYNCGET if has_get else 0,
            process_id=os.getpid(),
            thread_id=number & 0x7FFFFFFF,
            trace_id=number & 0x7FFFFFFF,
            header_compressions=compression_bytes(headers, HEADER_COMPRESSIONS_MAX),
            message_compressions=compression_bytes(messages, MESSAGE_COMPRESSIONS_MAX),
        )

    def _agree(self, header: Header, made: InitialData) -> None:
        line = self.line
        agreement = Agreement(made)
        line.agree(agreement, agreement.conversations_max)
        if agreement.is_compressed:
            self._compress(agreement)
        instance = line.instance
        if instance is not None:
            instance.fap_level = agreement.fap_level
            instance.heartbeat_s = agreement.heartbeat_s
            instance.conversations_max = agreement.conversations_max
            instance.message_bytes_max = agreement.message_bytes_max
        number = 0
        if line.is_shared:
            number = header.conversation if header.variant == TSHM else 1
        exits = self.socket.exits
        if exits is not None:
            if line.kept_bytes and exits.has_receive:
                raise _too_early()
            line.send()  # the answer itself goes without exits
            if not exits.agreed(number, agreement):
                return
            line.segment_bytes_max -= exits.space
        self._begin(number, Dialogue(CONVERSATION, ACCEPTOR, NEW))
        self._has_talks = made.capabilities_1 & CAP_REQUEST_SECURITY != 0
        if exits is not None and self._has_talks:
            exits.talk(number, header)
        self.socket.watch(agreement.heartbeat_s)

    def _compress(self, agreement: Agreement) -> None:
        line = self.line
        line.send()  # the answer itself is not compressed
        made = SegmentCompression(
            agreement.header_compressions,
            agreement.message_compressions,
            agreement.segment_bytes_max,
            line.turns.clock,
        )
        self.socket.compress(made)
        if line.instance is not None:
            line.instance.packer = made.packer
            line.instance.expander = made.expander

    def _begin(self, number: int, dialogue: Dialogue) -> None:
        line = self.line
        form = line.form
        if form is None:
            raise SegmentError("a conversation before initial data")
        conversation = Conversation(line, number, form, dialogue)
        conversation.is_shared = line.is_shared
        conversation.is_silent = line.is_silent
        line.conversations[number] = conversation
        instance = line.instance
        if instance is not None:
            instance.conversations = len(line.conversations)

    def _socket_action(self, header: Header, values: Values) -> None:
        line = self.line
        number: int = values["conversation"]
        action: int = values["action"]
        known = line.conversations.get(number)
        dialogue = Dialogue(CONVERSATION, ACCEPTOR, ABSENT) if known is None else known.dialogue
        row = dialogue.came(SOCKET_ACTION, header.flags_1, action, number)
        if row.action == LEAVE and known is not None:
            known.leave()
        if row.action != START:
            return
        if not line.is_shared or number <= 0:
            raise SegmentError(f"SOCKET_ACTION: conversation {number}", CONV_ID_ERROR)
        most = line.conversations_max
        if not line.is_known:
            most = min(most, UNAUTHENTICATED_CONVERSATIONS_MAX)
        if len(line.conversations) >= most:
            raise SegmentError(
                f"SOCKET_ACTION: more than {most} conversations",
                MAX_CONNS_LIMIT_REACHED,
            )
        self._begin(number, dialogue)
        reply = header.answer(SOCKET_ACTION, dialogue.say(SOCKET_ACTION).flags)
        reply.variant = TSHM
        reply.conversation = number
        reply.request = values["request"]
        reply_values = {
            "conversation": number,
            "request": values["request"],
            "action": ACTION_STARTED,
            "parameter_1": 0 if self.offer is None else self.offer.thread_id,
            "parameter_2": values["parameter_2"],
        }
        line.write_call(reply, write_body(reply, reply_values, line.fap_level))
        exits = self.socket.exits
        if exits is not None:
            line.send()  # the answer itself goes without exits
            exits.started(number)
            if self._has_talks:
                exits.talk(number, header)

    # ---- a conversation that is not connected

    def take_for(self, conversation: Conversation, one: Segment) -> bool:
        """A segment of a conversation that is not connected, or not any more. True if it is to be
        served like one of a conversation that is."""
        header = one.header
        self._check_fresh(header)
        exits = self.socket.exits
        if exits is not None:
            if exits.hold(conversation.number, partial(conversation.take, one)):
                return False
            if exits.is_talking(conversation.number) and header.type != SECURITY_DATA:
                text = f"{type_name(header.type)} before the security exits are content"
                raise SegmentError(text, PROTOCOL_SEGMENT_TYPE)
        # Read first: a conversation is not to wait for a decision about what cannot be read.
        values = conversation.read(one) if header.type == MQCONN else {}
        action = conversation.dialogue.came(header.type, header.flags_1).action
        if action == TO_EXIT:
            if exits is None:
                raise SegmentError("SECURITY_DATA, and there is no security exit here")
            exits.came(conversation.number, one.body, header)
        elif action == KEEP_USER:
            values = read_body(one, self.line.fap_level).values
            conversation.user_id = values.get("long_user_id") or values["user_id"]
            self._user_id = self._user_id or conversation.user_id
        elif action == KEEP_PASSWORD:
            self._keep_password(conversation, read_body(one, self.line.fap_level).values)
            row = conversation.dialogue.say(STATUS_DATA)
            self.line.write(header.answer(STATUS_DATA, row.flags).pack(0))
        elif action == CONNECT:
            self._connect(conversation, header, values)
        elif action == REFUSE_BROKEN:
            raise mq_error(MQRC_CONNECTION_BROKEN, detail="STOP CONN")
        return action == SERVE

    def _keep_password(self, conversation: Conversation, values: Values) -> None:
        conversation.csp_user = values["user_id"].rstrip(" \0")
        password: bytes = values["password"]
        conversation.csp_password = password.decode("utf-8", "surrogateescape")
        if not self._csp_user:
            self._csp_user = conversation.csp_user
            self._csp_password = conversation.csp_password

    def _connect(self, conversation: Conversation, header: Header, values: Values) -> None:
        """The password may have to be checked beside the loop, so this is a task."""
        task = self.line.turns.loop.create_task(self._admitted(conversation, values))
        self._tasks.add(task)
        task.add_done_callback(partial(self._decided, conversation, header, values))

    def _decided(
        self,
        conversation: Conversation,
        header: Header,
        values: Values,
        task: asyncio.Task[LoopVerbs],
    ) -> None:
        """The partner is let in, or not."""
        self._tasks.discard(task)
        turns = self.line.turns
        turns.begin()
        error = None if task.cancelled() else task.exception()
        if error is None and not task.cancelled():
            verbs = task.result()
            conversation.connect(verbs)
            self._complete(values, verbs)
            fcno: Values = values.get("fcno", {})
            capabilities = int(fcno.get("capabilities", 0))
            conversation.is_own_client = capabilities & FCNO_TAKES_BACK != 0
            if capabilities & FCNO_MULTICAST:
                kernel = verbs.engine.kernel
                kernel.multicast_key = kernel.multicast_key or os.urandom(KEY_BYTES)
                verbs.link.takes_multicast = True
        else:
            conversation.dialogue.say(MQCONN + REPLY, detail=FAILED)
            if isinstance(error, MQError):
                refusal = error
            elif error is not None:
                refusal = conversation.fault(error, "MQCONN")
            else:  # the socket was lost meanwhile
                refusal = mq_error(MQRC_CONNECTION_BROKEN, verb="MQCONN")
            values["comp"] = refusal.comp
            values["reason"] = refusal.reason
        if conversation.leaving is not None:
            conversation.leaving.go_on()
        else:
            conversation.reply(header, values)
            conversation.serve_waiting()
        turns.settle()

    def lost(self) -> None:
        """The socket is gone: cancel the admissions that wait."""
        for task in self._tasks:
            task.cancel()

    async def _admitted(self, conversation: Conversation, values: Values) -> LoopVerbs:
        socket = self.socket
        name = str(values["qmgr_name"])
        engine = socket.host.engine
        if name not in ("", engine.name) and not name.startswith("*"):
            raise mq_error(MQRC_Q_MGR_NAME_ERROR, verb="MQCONN", object=name)
        application = str(values["appl_name"])
        user_id = conversation.user_id or self._user_id
        csp_user = conversation.csp_user
        password = conversation.csp_password
        if not csp_user:
            csp_user = self._csp_user
            password = self._csp_password
        conversation.csp_password = None  # no longer than needed; one for all stays
        exit_user = None
        if socket.exits is not None and socket.exits.has_security:
            number = conversation.number
            found = await socket.exits.secured(number, user_id, csp_user, password)
            csp_user, password, exit_user = found
        user = await socket.user(user_id, csp_user, password, application, exit_user)
        verbs = LoopVerbs(self.line.turns, user, application)
        link = verbs.link
        instance = self.line.instance
        link.connect_options = values["x_options"]
        if instance is not None:
            link.channel_name = instance.name
            link.connection_name = instance.address
            link.process_id = instance.process_id
            instance.status = RUNNING
        number = socket.host.engine.kernel.authority.number(user)
        context = default_context(user, application, number)
        packed = struct.pack("<i", _appl_type(values["appl_type"]))
        link.context = context[:_APPL_TYPE_AT] + packed + context[_APPL_TYPE_AT + 4 :]
        return verbs

    def _complete(self, values: Values, verbs: LoopVerbs) -> None:
        values["qmgr_name"] = verbs.engine.name
        fcno = values.get("fcno")
        if fcno is not None:
            fcno["connection_tag"] = verbs.link.tag.ljust(128, b"\0")


def _too_early() -> SegmentError:
    return SegmentError("bytes before initial data is answered", PROTOCOL_SEGMENT_TYPE)


def _appl_type(given: int) -> int:
    """PutApplType of a client's messages: what it says of itself, unless that is the queue
    manager, whose messages programs act on."""
    return mq.MQAT_DEFAULT if given in _OWN_APPL_TYPES else given
