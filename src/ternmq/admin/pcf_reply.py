"""From the answers of commands to the response messages of PCF.

Every object that an inquiry finds is a response of its own; they are numbered, and all but the
last say that more come. A command that fails is answered with one response for each fault, with
the parameter that is to blame where one is, and with one that sums up: MQRCCF_COMMAND_FAILED.
INQUIRE_x_NAMES has one response with all names. An escaped command is answered with the lines that
MQSC would print.
"""

from __future__ import annotations

from typing import Final

from ternmq.admin.command import Answer, Command, Item
from ternmq.admin.mqsc_printer import answer_lines
from ternmq.admin.objects import command_reason
from ternmq.admin.pcf_commands import EXTRA_PARAMETERS, PCFCommand
from ternmq.admin.pcf_request import Request
from ternmq.admin.pcf_values import number_parameter, parameter_of
from ternmq.admin.status_attributes import StatusAttribute, status_attributes
from ternmq.base import command_reasons as rccf
from ternmq.base import constants as mq
from ternmq.base.attributes import ATTRIBUTES, BARE, BY_NAME, Attribute, Value
from ternmq.base.object_types import BY_BIT, BY_NOUN, GROUP_BITS, ObjectType
from ternmq.base.reasons import MQRC_SELECTOR_ERROR
from ternmq.codec import pcf_parameter as pcf
from ternmq.codec.pcf import PCFMessage
from ternmq.codec.pcf_parameter import Parameter, PCFError

NAMES_MAX: Final = 100_000

# Words of status displays that no attribute has: the parameter, then word and number.
_STATUS_WORDS: Final = """
IACF_Q_STATUS_TYPE QUEUE=1105 HANDLE=1104
IACF_CONN_INFO_TYPE CONN=1111 HANDLE=1112 ALL=1113
IACF_UNCOMMITTED_MSGS NO=0 YES=1
IACF_OPEN_BROWSE NO=0 YES=1
IACF_OPEN_INPUT_TYPE NO=0 SHARED=1 EXCL=2
IACF_OPEN_INQUIRE NO=0 YES=1
IACF_OPEN_OUTPUT NO=0 YES=1
IACF_OPEN_SET NO=0 YES=1
IACF_HANDLE_STATE INACTIVE=0 ACTIVE=1
IACF_ASYNC_STATE NONE=0 STARTED=1 STARTWAIT=2 STOPPED=3 SUSPENDED=4 SUSPTEMP=5 ACTIVE=6 INACTIVE=7
IACF_UOW_TYPE QMGR=0 CICS=1 RRS=2 IMS=3 XA=4
IACF_UOW_STATE NONE=0 ACTIVE=1 PREPARED=2 UNRESOLVED=3
IACF_Q_MGR_STATUS STARTING=1 RUNNING=2 QUIESCING=3 STANDBY=4
IACF_Q_MGR_STATUS_INFO_TYPE QMGR=1446
IACF_CHINIT_STATUS STOPPED=0 STARTING=1 RUNNING=2 STOPPING=3
IACF_CMD_SERVER_STATUS STOPPED=0 STARTING=1 RUNNING=2 STOPPING=3
IACF_SERVICE_STATUS STOPPED=0 STARTING=1 RUNNING=2 STOPPING=3
IACF_LDAP_CONNECTION_STATUS INACTIVE=0 CONNECTED=1 ERROR=2
IACF_LOG_TYPE CIRCULAR=0 LINEAR=1 REPLICATED=2
IACF_PERMIT_STANDBY NOPERMIT=0 PERMIT=1
IACH_LISTENER_STATUS STOPPED=0 STARTING=1 RUNNING=2 STOPPING=3
IACH_CHANNEL_STATUS INACTIVE=0 BINDING=1 STARTING=2 RUNNING=3 STOPPING=4 RETRYING=5 STOPPED=6 \
REQUESTING=7 PAUSED=8 DISCONNECTED=9 INITIALIZING=13 SWITCHING=14
IACH_INDOUBT_STATUS NO=0 YES=1
IACH_MCA_STATUS NOTRUNNING=0 RUNNING=3
IACH_STOP_REQUESTED NO=0 YES=1
IACH_CHANNEL_TYPE SDR=1 SVR=2 RCVR=3 RQSTR=4 CLNTCONN=6 SVRCONN=7 CLUSRCVR=8 CLUSSDR=9 AMQP=11
IACF_PUBSUB_STATUS INACTIVE=0 STARTING=1 STOPPING=2 ACTIVE=3 COMPAT=4 ERROR=5 REFUSED=6
IACF_PS_STATUS_TYPE LOCAL=1 PARENT=2 CHILD=3
IACF_APPL_INFO_TYPE APPL=1429 QMGR=1430 LOCAL=1431
IACF_BALANCED NO=0 YES=1 NOTAPPLIC=2 UNKNOWN=3
IACF_RETAINED_PUBLICATION NO=0 YES=1
"""
_WIDTHS: Final[dict[int, int]] = {
    mq.MQCACF_LAST_GET_DATE: 12,
    mq.MQCACF_LAST_GET_TIME: 8,
    mq.MQCACF_LAST_PUT_DATE: 12,
    mq.MQCACF_LAST_PUT_TIME: 8,
    mq.MQCACF_MEDIA_LOG_EXTENT_NAME: mq.MQ_LOG_EXTENT_NAME_LENGTH,
    mq.MQCACF_CURRENT_LOG_EXTENT_NAME: mq.MQ_LOG_EXTENT_NAME_LENGTH,
    mq.MQCACF_RESTART_LOG_EXTENT_NAME: mq.MQ_LOG_EXTENT_NAME_LENGTH,
    mq.MQCACF_APPL_TAG: mq.MQ_APPL_TAG_LENGTH,
    mq.MQCACF_USER_IDENTIFIER: mq.MQ_USER_ID_LENGTH,
    mq.MQCACH_CHANNEL_NAME: mq.MQ_CHANNEL_NAME_LENGTH,
    mq.MQCACH_CONNECTION_NAME: mq.MQ_CONN_NAME_LENGTH,
    mq.MQCA_Q_NAME: mq.MQ_Q_NAME_LENGTH,
    mq.MQCA_Q_MGR_NAME: mq.MQ_Q_MGR_NAME_LENGTH,
    mq.MQCACF_OBJECT_NAME: mq.MQ_OBJECT_NAME_LENGTH,
}


def _words_of_status() -> dict[int, dict[str, int]]:
    found: dict[int, dict[str, int]] = {}
    for row in ATTRIBUTES:
        if row.selector and row.words:
            found.setdefault(row.selector, {}).update(row.words)
    for line in _STATUS_WORDS.strip().splitlines():
        constant, *words = line.split()
        mine: dict[str, int] = {}
        for item in words:
            word, _, number = item.partition("=")
            mine[word] = int(number)
        found[int(vars(mq)["MQ" + constant])] = mine
    return found


_WORDS: Final[dict[int, dict[str, int]]] = _words_of_status()


# ---- the set of responses


def responses(command: int, found: list[PCFMessage]) -> list[PCFMessage]:
    """Numbered; all but the last say that more come."""
    for at, message in enumerate(found):
        message.command = command
        message.sequence = at + 1
        message.control = mq.MQCFC_LAST if at + 1 == len(found) else mq.MQCFC_NOT_LAST
    return found


def response(
    parameters: list[Parameter] | None = None, comp: int = mq.MQCC_OK, reason: int = 0
) -> PCFMessage:
    """One response."""
    return PCFMessage(mq.MQCFT_RESPONSE, 0, parameters, comp=comp, reason=reason)


def failure(reason: int, blamed: int = 0) -> list[PCFMessage]:
    """A fault, and the response that sums up."""
    parameters: list[Parameter] = []
    if blamed:
        told = mq.MQIACF_SELECTOR if reason == MQRC_SELECTOR_ERROR else mq.MQIACF_PARAMETER_ID
        parameters.append(pcf.integer(told, blamed))
    first = response(parameters, mq.MQCC_FAILED, reason)
    return [first, response(None, mq.MQCC_FAILED, rccf.MQRCCF_COMMAND_FAILED)]


def error_replies(command: int, error: PCFError) -> list[PCFMessage]:
    """The answer to a message that is no good command."""
    return responses(command, failure(error.reason, error.parameter))


def replies(request: Request, answers: list[Answer], number: int) -> list[PCFMessage]:
    """The answer to a command, `number` being its MQCMD_."""
    row = request.row
    if row is None:
        return responses(number, _escaped(answers))
    failed = [one for one in answers if not one.ok]
    if failed and not any(one.items for one in answers):
        found: list[PCFMessage] = []
        for answer in failed:
            blamed = _blamed(request.commands[0], row, answer)
            found.extend(failure(_reason(request.commands[0], answer), blamed)[:-1])
        found.append(response(None, mq.MQCC_FAILED, rccf.MQRCCF_COMMAND_FAILED))
        return responses(number, found)
    if row.names:
        return responses(number, [_names(row, answers)])
    if not any(one.items for one in answers):
        last = answers[-1] if answers else None
        comp = mq.MQCC_OK if last is None else last.comp
        return responses(number, [response(None, comp, 0 if last is None else last.reason)])
    found = []
    for answer in answers:
        if answer.items:
            parameters = _parameters(request, request.commands[0], answer)
            found.append(response(parameters, answer.comp, answer.reason))
    return responses(number, found)


def _reason(command: Command, answer: Answer) -> int:
    """Why a command failed; PCF has reasons of its own for channels and subscriptions."""
    lowest = GROUP_BITS.get(command.noun, 0)
    reason = command_reason(answer.reason, lowest & -lowest)
    return reason or rccf.MQRCCF_COMMAND_FAILED


def _blamed(command: Command, row: PCFCommand, answer: Answer) -> int:
    """The parameter that a refused command's answer is about, if it tells."""
    told = [str(one) for one in answer.inserts]
    told.append(answer.detail.partition(" ")[0])
    for keyword in command.given:
        if keyword in told:
            return _selector(command, keyword)
    if command.name and command.name in told and answer.reason == rccf.MQRCCF_OBJECT_NAME_ERROR:
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
            found.append(pcf.integer(kind.type_selector, kind.subtype))
        else:
            attribute = rows.get(item.keyword)
            if attribute is not None and attribute.selector:
                found.append(_attribute(attribute, item))
    return found


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
    return found


def status_parameter(selector: int, value: Value) -> Parameter:
    """A value of a status display; the parameter's number tells what kind of structure it needs."""
    if mq.MQBACF_FIRST <= selector <= mq.MQBACF_LAST_USED:
        return pcf.byte_string(selector, _bytes_of(selector, str(value)))
    if mq.MQCA_FIRST <= selector <= mq.MQCACH_LAST_USED:
        if selector in _STRING_LISTS:
            return pcf.strings(selector, [part for part in str(value).split(",") if part])
        return pcf.string(selector, str(value), _WIDTHS.get(selector, 0))
    words = _WORDS.get(selector, {})
    if selector in _NUMBER_LISTS:
        parts = str(value).split(",") if value != "" else []
        return pcf.integers(selector, [_number(words, part) for part in parts])
    if selector == mq.MQIACF_OPEN_OPTIONS:
        return pcf.integer(selector, sum([_number({}, one) for one in str(value).split(",")]))
    return number_parameter(selector, _number(words, value))


_STRING_LISTS: Final = (mq.MQCACH_CONNECTION_NAME_LIST, mq.MQCACH_MCA_USER_ID_LIST)
_NUMBER_LISTS: Final = (
    mq.MQIACF_AUTHORIZATION_LIST,
    mq.MQIACF_Q_TIME_INDICATOR,
    mq.MQIACF_CONNECT_OPTIONS,
)


def _four_bytes(digits: str) -> bytes:
    number = int(digits) if digits.isdecimal() else 0
    return (number & 0xFFFFFFFF).to_bytes(4, "big")


def _bytes_of(selector: int, text: str) -> bytes:
    """What MQSC shows of bytes, as bytes: hexadecimal digits, or the words of a unit of work."""
    if selector == mq.MQBACF_EXTERNAL_UOW_ID:
        return b"" if "[]" in text else text.encode("utf-8")
    if selector == mq.MQBACF_Q_MGR_UOW_ID:
        high, _, low = text.partition(".")
        return _four_bytes(high) + _four_bytes(low)
    is_hex = len(text) % 2 == 0 and all(one in "0123456789abcdefABCDEF" for one in text)
    return bytes.fromhex(text) if is_hex else text.encode("utf-8")


def _number(words: dict[str, int], value: Value) -> int:
    """A number, a word, or nothing, which MQ tells as -1 (MQMON_NOT_AVAILABLE)."""
    if isinstance(value, int):
        return value
    text = value.strip().upper()
    if text in words:
        return words[text]
    if text.startswith("MQ"):  # an option by its full name
        return int(vars(mq).get(text, 0))
    return int(text) if text.lstrip("-").isdecimal() else mq.MQMON_NOT_AVAILABLE


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
    """The lines of MQSC, an answer to a response; the last tells whether the command worked."""
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
