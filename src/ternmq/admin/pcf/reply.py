"""From the answers of commands to the response messages of PCF.

Every object that an inquiry finds is a response of its own; they are numbered, and all but the
last say that more come. A command that fails is answered with one response for each fault, with
the parameter that is to blame where one is, and with one that sums up: MQRCCF_COMMAND_FAILED.
INQUIRE_x_NAMES has one response with all names. An escaped command is answered with the lines that
MQSC would print.
"""

from __future__ import annotations

from typing import Final, final

from ternmq.admin.commands.objects import command_reason
from ternmq.admin.mqsc.printer import answer_lines
from ternmq.admin.pcf.attribute_values import parameter_of
from ternmq.admin.pcf.command_names import EXTRA_PARAMETERS, PCFCommand
from ternmq.admin.pcf.request import Request
from ternmq.admin.pcf.status_values import INTERVALS, interval_parameters, status_parameter
from ternmq.admin.status.status_attributes import StatusAttribute, status_attributes
from ternmq.base import command_reasons as rccf
from ternmq.base import constants as mq
from ternmq.base.attributes import BARE, BY_NAME, Attribute
from ternmq.base.errors import MQError
from ternmq.base.object_types import BY_BIT, BY_NOUN, COMMINFO, GROUP_BITS, ObjectType
from ternmq.base.reasons import (
    MQRC_HCONN_ERROR,
    MQRC_SELECTOR_ERROR,
    MQRC_UNKNOWN_OBJECT_NAME,
)
from ternmq.codec.pcf import parameter as pcf
from ternmq.codec.pcf.parameter import Parameter, PCFError
from ternmq.codec.pcf.structures import PCFMessage
from ternmq.values.command import Answer, Command, Item

NAMES_MAX: Final = 100_000
MULTICAST: Final = 1  # MQCIT_MULTICAST

# ---- the set of responses


@final
class Replies:
    """The responses of one request, made one at a time: an inquiry may find very many objects."""

    def __init__(self, command: int, ready: list[PCFMessage]) -> None:
        self._command = command
        self._ready = ready  # come last
        self._request: Request | None = None
        self._shown: list[Answer] = []

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self._shown) + len(self._ready)

    def message(self, at: int) -> PCFMessage:
        """One of them, from 0 on; numbered, and all but the last say that more come."""
        request = self._request
        if request is not None and at < len(self._shown):
            answer = self._shown[at]
            parameters = _parameters(request, request.commands[0], answer)
            made = response(parameters, answer.comp, answer.reason)
        else:
            made = self._ready[at - len(self._shown)]
        return self._numbered(made, at)

    def packed(self, at: int, order: str, ccsid: int) -> bytes:
        """One of them as bytes. What PCF or the character set cannot express is an error."""
        try:
            return self.message(at).pack(order, ccsid)
        except MQError as unsayable:
            made = response(None, mq.MQCC_FAILED, unsayable.reason)
            return self._numbered(made, at).pack(order, ccsid)

    def _numbered(self, made: PCFMessage, at: int) -> PCFMessage:
        made.command = self._command
        made.sequence = at + 1
        made.control = mq.MQCFC_LAST if at + 1 == self.count else mq.MQCFC_NOT_LAST
        return made

    def show(self, request: Request, answers: list[Answer]) -> Replies:
        """Objects that were found; they come first."""
        self._request = request
        self._shown = answers
        return self


def response(
    parameters: list[Parameter] | None = None, comp: int = mq.MQCC_OK, reason: int = 0
) -> PCFMessage:
    """One response."""
    return PCFMessage(mq.MQCFT_RESPONSE, 0, parameters, comp=comp, reason=reason)


def failure(reason: int, blamed: int = 0) -> list[PCFMessage]:
    """A fault, and the response that sums up."""
    parameters: list[Parameter] = []
    if blamed:
        selector = mq.MQIACF_SELECTOR if reason == MQRC_SELECTOR_ERROR else mq.MQIACF_PARAMETER_ID
        parameters.append(pcf.integer(selector, blamed))
    first = response(parameters, mq.MQCC_FAILED, reason)
    return [first, response(None, mq.MQCC_FAILED, rccf.MQRCCF_COMMAND_FAILED)]


def error_replies(command: int, error: PCFError) -> Replies:
    """The answer to a message that is not a valid command."""
    return Replies(command, failure(error.reason, error.parameter))


def replies(request: Request, answers: list[Answer], number: int) -> Replies:
    """The answer to a command, `number` being its MQCMD_."""
    row = request.row
    if row is None:
        return Replies(number, _escaped(answers))
    found: list[PCFMessage] = []
    shown = [one for one in answers if one.items]
    for answer in answers:
        if not answer.ok:
            blamed = _blamed(request.commands[0], row, answer)
            found.extend(failure(_reason(request.commands[0], answer), blamed)[:-1])
    if found:
        found.append(response(None, mq.MQCC_FAILED, rccf.MQRCCF_COMMAND_FAILED))
    elif row.names:
        return Replies(number, [_names(row, answers)])
    elif not shown:
        # A warning without a reason is for people: programs would take it for a failure.
        warned = [one for one in answers if one.comp != mq.MQCC_OK and one.reason]
        comp = warned[0].comp if warned else mq.MQCC_OK
        found.append(response(None, comp, warned[0].reason if warned else 0))
    return Replies(number, found).show(request, shown)


_NOT_FOUND_REASONS: Final = (MQRC_UNKNOWN_OBJECT_NAME, MQRC_HCONN_ERROR)
_NOT_FOUND: Final[dict[str, int]] = {
    "APSTATUS": rccf.MQRCCF_APPL_STATUS_NOT_FOUND,
    "CHLAUTH": rccf.MQRCCF_CHLAUTH_NOT_FOUND,
    "CHSTATUS": rccf.MQRCCF_CHL_STATUS_NOT_FOUND,
    "CONN": rccf.MQRCCF_CONNECTION_ID_ERROR,
    "LSSTATUS": rccf.MQRCCF_LSTR_STATUS_NOT_FOUND,
    "POLICY": rccf.MQRCCF_POLICY_NOT_FOUND,
    "SVSTATUS": rccf.MQRCCF_SERV_STATUS_NOT_FOUND,
    "TPSTATUS": rccf.MQRCCF_TOPIC_STRING_NOT_FOUND,
}


def _reason(command: Command, answer: Answer) -> int:
    """Why a command failed; PCF has reasons of its own for what is not found."""
    if answer.reason in _NOT_FOUND_REASONS and command.noun in _NOT_FOUND:
        return _NOT_FOUND[command.noun]
    lowest = GROUP_BITS.get(command.noun, 0)
    reason = command_reason(answer.reason, lowest & -lowest)
    return reason or rccf.MQRCCF_COMMAND_FAILED


def _blamed(command: Command, row: PCFCommand, answer: Answer) -> int:
    """The parameter that a refused command's answer is about, if it names one."""
    inserts = [str(one) for one in answer.inserts]
    inserts.append(answer.detail.partition(" ")[0])
    for keyword in command.given:
        if keyword in inserts:
            return _selector(command, keyword)
    if command.name and command.name in inserts and answer.reason == rccf.MQRCCF_OBJECT_NAME_ERROR:
        return row.name
    return 0


def _selector(command: Command, keyword: str) -> int:
    kind = _kind(command)
    if kind is not None:
        attribute = BY_NAME[kind.bit].get(keyword)
        if attribute is not None:
            return attribute.selector
    for extra in EXTRA_PARAMETERS.values():
        if keyword in extra.keyword.split("/") or keyword in extra.words.values():
            return extra.parameter
    return 0


def _kind(command: Command) -> ObjectType | None:
    noun = command.given.get("CHLTYPE") or command.given.get("AUTHTYPE") or command.noun
    return BY_NOUN.get(noun)


# ---- one object


def _parameters(request: Request, command: Command, answer: Answer) -> list[Parameter]:
    """What an answer shows of what was wanted, identity first."""
    statuses = status_attributes(command.noun, _shown_type(command, answer))
    if answer.object_type and not statuses:
        found = _of_object(answer)
    else:
        found = _of_status(answer, statuses)
    wanted = request.selectors
    if not wanted:
        return found
    kept = {row.selector for row in statuses if row.always}
    kept.update(wanted)
    if answer.object_type:
        kind = BY_BIT[answer.object_type]
        kept.update((kind.name_selector, kind.type_selector))
    return [one for one in found if one.parameter in kept]


def _shown_type(command: Command, answer: Answer) -> str:
    """Which status it is: a handle's or a queue's, say."""
    given = command.given.get("TYPE", "")
    if given in ("ALL", "*") or not given:
        shown = str(answer.get("TYPE", given))
        return shown if shown in ("CONN", "HANDLE", "QUEUE", "TOPIC", "SUB", "PUB") else given
    return given


def _of_object(answer: Answer) -> list[Parameter]:
    kind = BY_BIT[answer.object_type]
    rows = BY_NAME[kind.bit]
    found: list[Parameter] = []
    for item in answer.items:
        if item.keyword in (kind.name_keyword, kind.noun, kind.group) and item is answer.items[0]:
            width = kind.name_bytes_max if kind.name_bytes_max <= mq.MQ_CONN_NAME_LENGTH else 0
            found.append(pcf.string(kind.name_selector, str(item.value), width))
        elif kind.type_keyword and item.keyword == kind.type_keyword:
            found.append(pcf.integer(kind.type_selector, _subtype(kind)))
        else:
            attribute = rows.get(item.keyword)
            if attribute is not None and attribute.selector:
                found.append(_attribute(attribute, item))
    return found


def _subtype(kind: ObjectType) -> int:
    """What the type parameter says; of communication information there is only multicast."""
    return MULTICAST if kind.bit == COMMINFO else kind.subtype


def _attribute(attribute: Attribute, item: Item) -> Parameter:
    if attribute.kind == BARE and item.bare:
        return pcf.integer(attribute.selector, attribute.words[item.keyword])
    return parameter_of(attribute, item.value)


def _of_status(answer: Answer, statuses: list[StatusAttribute]) -> list[Parameter]:
    selectors = {row.keyword: row.selector for row in statuses if row.selector}
    found: list[Parameter] = []
    seen: set[int] = set()
    connection = str(answer.get("EXTCONN")) + str(answer.get("CONN"))
    for item in answer.items:
        selector = selectors.get(item.keyword, 0)
        if selector == 0 or selector in seen:
            continue
        seen.add(selector)
        if selector == mq.MQBACF_CONNECTION_ID and "EXTCONN" in answer:
            found.append(pcf.byte_string(selector, bytes.fromhex(connection)))
        else:
            found.append(status_parameter(selector, item.value))
            if selector in INTERVALS:
                found.extend(interval_parameters(selector, str(item.value)))
    return found


# ---- the other forms of answers


def _names(row: PCFCommand, answers: list[Answer]) -> PCFMessage:
    shown = [one for one in answers if one.items][:NAMES_MAX]
    names = [str(one.items[0].value) for one in shown]
    width = mq.MQ_CHANNEL_NAME_LENGTH if row.noun == "CHANNEL" else mq.MQ_OBJECT_NAME_LENGTH
    parameters = [pcf.strings(row.names, names, width)]
    if row.types:
        types = [BY_BIT[one.object_type].subtype if one.object_type else 0 for one in shown]
        parameters.append(pcf.integers(row.types, types))
    return response(parameters)


def _escaped(answers: list[Answer]) -> list[PCFMessage]:
    """The lines of MQSC, an answer to a response; the last says whether the command worked."""
    found: list[PCFMessage] = []
    failed = False
    for answer in answers:
        failed = failed or not answer.ok
        text = "\n".join(answer_lines(answer))
        parameters = [
            pcf.integer(mq.MQIACF_ESCAPE_TYPE, mq.MQET_MQSC),
            pcf.string(mq.MQCACF_ESCAPE_TEXT, text),
        ]
        reason = 0 if answer.ok else answer.reason or rccf.MQRCCF_COMMAND_FAILED
        found.append(response(parameters, answer.comp, reason))
    if failed:
        found.append(response(None, mq.MQCC_FAILED, rccf.MQRCCF_COMMAND_FAILED))
    return found or [response()]
