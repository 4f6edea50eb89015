"""Commands to a queue manager of IBM's: MQSC, escaped in PCF, to its command server.

Its answers are text, which `mqsc_answers` reads. A queue manager of ours takes commands by name,
and nothing is printed or read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ternmq.admin.mqsc.config_dump import quoted
from ternmq.admin.mqsc.lexer import CommandReader, Source
from ternmq.api.arguments import particular_get
from ternmq.base import constants as mq
from ternmq.base.errors import MQError, mq_error
from ternmq.base.reasons import MQRC_NO_MSG_AVAILABLE
from ternmq.codec.mqi.layout import byte_order
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.codec.mqi.mqod import ObjectDescriptor
from ternmq.codec.pcf import parameter as pcf
from ternmq.codec.pcf.structures import PCFMessage, unpack_pcf
from ternmq.remote.fap.mqsc_answers import answer_of_text
from ternmq.remote.remote_verbs import Exchange, packed_form
from ternmq.values.calls.administration import RunCommands
from ternmq.values.calls.messages import Put1
from ternmq.values.calls.objects import Close, Open
from ternmq.values.command import Answer, Command
from ternmq.values.handle import ObjectHandle

if TYPE_CHECKING:
    from ternmq.remote.fap.fap_verbs import FapVerbs

COMMAND_QUEUE: Final = "SYSTEM.ADMIN.COMMAND.QUEUE"
MODEL_QUEUE: Final = "SYSTEM.DEFAULT.MODEL.QUEUE"
WAIT_MS: Final = 30_000
_UTF_8: Final = 1208


def run(verbs: FapVerbs, call: RunCommands) -> Exchange[None]:
    """All commands of a call, one after the other."""
    for text in [*[command_text(one) for one in call.commands], *_texts(call.text)]:
        call.answers += yield from answers(verbs, text)


def _texts(text: str) -> list[str]:
    reader = CommandReader()
    sources: list[Source] = []
    for line in text.split("\n"):
        sources += reader.feed(line)
    sources += reader.finish()
    return [one.text for one in sources if one.is_command]


def command_text(command: Command) -> str:
    """A command as MQSC; its own text where it has one."""
    if command.text:
        return command.text
    parts = [command.action, command.noun + (f"({quoted(command.name)})" if command.name else "")]
    parts += [f"{key}({quoted(value)})" if value else key for key, value in command.given.items()]
    parts += command.wanted
    where = command.where
    if where is not None:
        parts.append(f"WHERE({where.keyword} {where.operator} {quoted(where.value)})")
    return " ".join(parts)


# ---- the exchange


def answers(verbs: FapVerbs, text: str) -> Exchange[list[Answer]]:
    """One command of MQSC; what it answers."""
    parameters = [
        pcf.integer(mq.MQIACF_ESCAPE_TYPE, mq.MQET_MQSC),
        pcf.string(mq.MQCACF_ESCAPE_TEXT, text),
    ]
    request = PCFMessage(mq.MQCFT_COMMAND, mq.MQCMD_ESCAPE, parameters)
    found: list[Answer] = []
    for reply in (yield from exchanged(verbs, request)):
        parameter = reply.find(mq.MQCACF_ESCAPE_TEXT)
        if parameter is not None:
            found.append(answer_of_text(parameter.text, reply.comp, reply.reason))
        elif reply.comp == mq.MQCC_FAILED and not found:
            raise mq_error(reply.reason, verb="MQSC", object=verbs.name)
    return found


def exchanged(verbs: FapVerbs, request: PCFMessage) -> Exchange[list[PCFMessage]]:
    """Ask the command server, outside of the connection's unit of work."""
    options = mq.MQOO_INPUT_EXCLUSIVE | mq.MQOO_FAIL_IF_QUIESCING
    opened = Open(ObjectDescriptor(object_name=MODEL_QUEUE), options)
    yield from verbs.run(opened)
    replies = opened.opened()
    try:
        found = yield from _asked(verbs, request, replies)
    except MQError:
        if verbs.link.connected:
            yield from verbs.run(Close(replies))
        raise
    yield from verbs.run(Close(replies))
    return found


def _asked(
    verbs: FapVerbs, request: PCFMessage, replies: ObjectHandle
) -> Exchange[list[PCFMessage]]:
    descriptor = Descriptor(
        msg_type=mq.MQMT_REQUEST,
        format=mq.MQFMT_ADMIN,
        persistence=mq.MQPER_NOT_PERSISTENT,
        ccsid=_UTF_8,
        reply_to_queue=replies.resolved_name,
    )
    data = request.pack()
    put_options = mq.MQPMO_NO_SYNCPOINT | mq.MQPMO_FAIL_IF_QUIESCING
    put = Put1(
        ObjectDescriptor(object_name=COMMAND_QUEUE),
        packed_form(descriptor, put_options, "MQPUT1"),
        data,
    )
    yield from verbs.run(put)
    found: list[PCFMessage] = []
    get = particular_get((WAIT_MS, False), None, put.msg_id, None, None, None, 0)
    while not found or found[-1].control != mq.MQCFC_LAST:
        message = yield from verbs.get(replies, get, False)
        if message is None:
            detail = f"no reply within {WAIT_MS / 1000:g} s; does the command server run?"
            raise mq_error(MQRC_NO_MSG_AVAILABLE, object=COMMAND_QUEUE, detail=detail)
        md = message.descriptor
        ccsid = md.ccsid if md.ccsid > 0 else _UTF_8
        found.append(unpack_pcf(message.data, byte_order(md.encoding), ccsid))
    return found
