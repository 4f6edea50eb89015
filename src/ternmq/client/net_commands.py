"""Commands over the network: MQSC, escaped in PCF, to the queue manager's command server.

Their names and arguments are those of the local binding (`server.calls`), so that a connection has
the same methods whichever way it goes. What needs the queue manager's files (log status, media
recovery) is for its own machine and refused here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ternmq.admin.command import Answer, Command
from ternmq.admin.config_dump import quoted
from ternmq.admin.mqsc_lexer import CommandReader, Source
from ternmq.base import attributes as schema
from ternmq.base import command_reasons as rccf
from ternmq.base import constants as mq
from ternmq.base.attributes import Attribute, Value, checked_attributes, row_of
from ternmq.base.errors import MQError, mq_error
from ternmq.base.object_types import ALIAS, BY_BIT, LOCAL, MODEL, QMGR, REMOTE
from ternmq.base.reasons import (
    MQRC_FUNCTION_NOT_SUPPORTED,
    MQRC_NO_MSG_AVAILABLE,
    MQRC_OBJECT_ALREADY_EXISTS,
    MQRC_OBJECT_IN_USE,
    MQRC_SELECTOR_ERROR,
)
from ternmq.client.inert import warn_inert
from ternmq.client.local_answers import answer_value, command_from
from ternmq.client.local_requests import put1_packed
from ternmq.client.net_answers import answer_of_text
from ternmq.client.remote_verbs import Exchange, described, put1_described
from ternmq.client.requests import particular_get
from ternmq.codec import pcf_parameter as pcf
from ternmq.codec.layout import byte_order
from ternmq.codec.mqmd import Descriptor
from ternmq.codec.pcf import PCFMessage, unpack_pcf
from ternmq.kernel.connection import Handle

if TYPE_CHECKING:
    from ternmq.client.net_verbs import FapVerbs

COMMAND_QUEUE: Final = "SYSTEM.ADMIN.COMMAND.QUEUE"
MODEL_QUEUE: Final = "SYSTEM.DEFAULT.MODEL.QUEUE"
WAIT_MS: Final = 30_000
_QUOTED: Final = (schema.TEXT, schema.NAME, schema.HEX, schema.LIST)
_NOUNS: Final = {"QLOCAL": LOCAL, "QALIAS": ALIAS, "QMODEL": MODEL, "QREMOTE": REMOTE}
# Commands have codes of their own for what verbs call by these.
_REASONS: Final = {
    rccf.MQRCCF_OBJECT_OPEN: MQRC_OBJECT_IN_USE,
    rccf.MQRCCF_OBJECT_ALREADY_EXISTS: MQRC_OBJECT_ALREADY_EXISTS,
}
_UTF_8: Final = 1208


def called(verbs: FapVerbs, call: str, given: dict[str, Any]) -> Exchange[dict[str, Any]]:
    """A call of the local binding, by commands."""
    if call == "mqsc":
        return (yield from _mqsc(verbs, str(given["text"])))
    if call == "command":
        text = command_text(command_from(given["command"]))
        return (yield from _mqsc(verbs, text))
    if call in ("delete", "clear"):
        return (yield from _remove(verbs, call, given))
    if call == "attributes":
        answer = yield from _displayed(verbs, str(given["name"]))
        return {"attributes": _by_name(answer, _NOUNS[str(answer["TYPE"])])}
    if call == "qmgr_attributes":
        answer = (yield from answers(verbs, "DISPLAY QMGR ALL"))[0]
        _raise_if_failed(answer, "DISPLAY", verbs.name)
        return {"attributes": _by_name(answer, QMGR)}
    if call == "queue_names":
        found = yield from answers(verbs, "DISPLAY QUEUE(*)")
        names = {str(one["QUEUE"]) for one in found if "QUEUE" in one}
        return {"names": sorted(names - {verbs.reply_queue})}  # without our own for the answer
    raise mq_error(
        MQRC_FUNCTION_NOT_SUPPORTED,
        verb=call,
        object=verbs.name,
        detail="only on the queue manager's own machine",
    )


def _mqsc(verbs: FapVerbs, text: str) -> Exchange[dict[str, Any]]:
    found: list[Answer] = []
    reader = CommandReader()
    sources: list[Source] = []
    for line in text.split("\n"):
        sources += reader.feed(line)
    sources += reader.finish()
    for one in sources:
        if one.is_command:
            found += yield from answers(verbs, one.text)
    return {"answers": [answer_value(answer) for answer in found]}


# ---- definitions


def define(
    verbs: FapVerbs, object_type: int, name: str, given: dict[str, Any], replace: bool
) -> Exchange[None]:
    """DEFINE."""
    _check(object_type, name, given, "DEFINE")
    warn_inert(object_type, name, given)
    text = f"DEFINE {BY_BIT[object_type].noun}({quoted(name)}) {_settings(object_type, given)}"
    yield from _done(verbs, "DEFINE", name, text + (" REPLACE" if replace else " NOREPLACE"))


def _check(object_type: int, name: str, given: dict[str, Any], verb: str) -> None:
    """Refuse what the queue manager would, with the reasons that it has for its applications."""
    try:
        checked_attributes(object_type, given)
    except ValueError as error:
        is_known = all(row_of(object_type, key) is not None for key in given)
        reason = rccf.MQRCCF_ATTR_VALUE_ERROR if is_known else MQRC_SELECTOR_ERROR
        raise mq_error(reason, verb=verb, object=name, detail=str(error)) from error


def alter(verbs: FapVerbs, name: str, given: dict[str, Any]) -> Exchange[None]:
    """ALTER of a queue, of whatever type it is."""
    answer = yield from _displayed(verbs, name, "TYPE")
    noun = str(answer["TYPE"])
    object_type = _NOUNS[noun]
    _check(object_type, name, given, "ALTER")
    warn_inert(object_type, name, given)
    text = f"ALTER {noun}({quoted(name)}) {_settings(object_type, given)}"
    yield from _done(verbs, "ALTER", name, text)


def alter_qmgr(verbs: FapVerbs, given: dict[str, Any]) -> Exchange[None]:
    """ALTER QMGR."""
    _check(QMGR, verbs.name, given, "ALTER QMGR")
    warn_inert(QMGR, verbs.name, given)
    yield from _done(verbs, "ALTER QMGR", verbs.name, f"ALTER QMGR {_settings(QMGR, given)}")


def _remove(verbs: FapVerbs, call: str, given: dict[str, Any]) -> Exchange[dict[str, Any]]:
    name = str(given["name"])
    if call == "clear":
        yield from _done(verbs, "CLEAR", name, f"CLEAR QLOCAL({quoted(name)})")
        return {}
    answer = yield from _displayed(verbs, name, "TYPE")
    noun = str(answer["TYPE"])
    purge = " PURGE" if given["purge"] and noun == "QLOCAL" else ""
    yield from _done(verbs, "DELETE", name, f"DELETE {noun}({quoted(name)}){purge}")
    return {}


def _done(verbs: FapVerbs, verb: str, name: str, text: str) -> Exchange[None]:
    for answer in (yield from answers(verbs, text)):
        _raise_if_failed(answer, verb, name)


def _displayed(verbs: FapVerbs, name: str, wanted: str = "ALL") -> Exchange[Answer]:
    found = yield from answers(verbs, f"DISPLAY QUEUE({quoted(name)}) {wanted}")
    for answer in found:
        _raise_if_failed(answer, "DISPLAY", name)
    shown: Answer = found[0]
    return shown


def _raise_if_failed(answer: Answer, verb: str, name: str) -> None:
    if not answer.ok:
        reason = _REASONS.get(answer.reason, answer.reason)
        raise mq_error(reason, verb=verb, object=name, detail=answer.detail)


def _settings(object_type: int, given: dict[str, Any]) -> str:
    parts: list[str] = []
    for key, value in given.items():
        row = row_of(object_type, key)
        if row is not None:
            parts.append(_setting(row, row.checked(schema.setting_of(row, key, value))))
    return " ".join(parts)


def _setting(row: Attribute, value: Value) -> str:
    shown = row.shown(value)
    if row.kind == schema.BARE:
        return shown
    if row.kind == schema.LIST and "," in shown:
        shown = ",".join(quoted(one) for one in shown.split(","))
    elif row.kind in _QUOTED:
        shown = quoted(shown)
    return f"{row.keyword}({shown})"


def _by_name(answer: Answer, object_type: int) -> dict[str, Value]:
    """What DISPLAY shows, by Python name and with the values that are stored."""
    found: dict[str, Value] = {}
    for item in answer.items:
        row = row_of(object_type, item.keyword)
        if row is None or row.shown_only:
            continue
        try:
            value = item.keyword if item.bare else str(item.value)
            found[row.name] = row.checked(value)
        except ValueError:
            found[row.name] = item.value  # of a queue manager that knows more words
    return found


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
        told = reply.find(mq.MQCACF_ESCAPE_TEXT)
        if told is not None:
            found.append(answer_of_text(told.text, reply.comp, reply.reason))
        elif reply.comp == mq.MQCC_FAILED and not found:
            raise mq_error(reply.reason, verb="MQSC", object=verbs.name)
    return found


def exchanged(verbs: FapVerbs, request: PCFMessage) -> Exchange[list[PCFMessage]]:
    """Ask the command server, outside of the connection's unit of work."""
    options = mq.MQOO_INPUT_EXCLUSIVE | mq.MQOO_FAIL_IF_QUIESCING
    opened = yield from verbs.open(described(MODEL_QUEUE), options)
    replies = opened.handle
    verbs.reply_queue = replies.resolved_name
    try:
        found = yield from _asked(verbs, request, replies)
    except MQError:
        if verbs.link.connected:
            yield from verbs.close(replies)
        raise
    yield from verbs.close(replies)
    return found


def _asked(verbs: FapVerbs, request: PCFMessage, replies: Handle) -> Exchange[list[PCFMessage]]:
    descriptor = Descriptor(
        msg_type=mq.MQMT_REQUEST,
        format=mq.MQFMT_ADMIN,
        persistence=mq.MQPER_NOT_PERSISTENT,
        ccsid=_UTF_8,
        reply_to_queue=replies.resolved_name,
    )
    data = request.pack()
    put_options, packed = put1_packed(data, descriptor, False, 0)
    od = put1_described(COMMAND_QUEUE, "", "")
    msg_id = yield from verbs.put1(od, put_options, packed, data)
    found: list[PCFMessage] = []
    get = particular_get((WAIT_MS, False), None, msg_id, None, None, None, 0)
    while not found or found[-1].control != mq.MQCFC_LAST:
        message = yield from verbs.get(replies, get, False)
        if message is None:
            detail = f"no reply within {WAIT_MS / 1000:g} s; does the command server run?"
            raise mq_error(MQRC_NO_MSG_AVAILABLE, object=COMMAND_QUEUE, detail=detail)
        md = message.descriptor
        ccsid = md.ccsid if md.ccsid > 0 else _UTF_8
        found.append(unpack_pcf(message.data, byte_order(md.encoding), ccsid))
    return found
