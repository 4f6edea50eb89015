"""From a PCF command to commands in the words of MQSC.

Parameters may come in any order. One that the command does not have, one that is there twice, one
in a structure of the wrong kind, a value that has no word, a list with an attribute that does not
exist: each is refused with PCF's reason, and the answer names the parameter. A SET or DELETE of
authority records for several entities becomes one command for each.
"""

from __future__ import annotations

from typing import Final, final

from ternmq.admin.command_table import CommandRow, row_of
from ternmq.admin.commands.authority_commands import WILDCARD
from ternmq.admin.pcf.attribute_values import STRUCTURE_REASONS, text_of
from ternmq.admin.pcf.command_names import (
    COMMANDS,
    EXTRA_PARAMETERS,
    OPERATORS,
    Extra,
    PCFCommand,
)
from ternmq.admin.pcf.status_values import status_word
from ternmq.admin.status.status_attributes import StatusAttribute, status_attributes
from ternmq.base import command_reasons as rccf
from ternmq.base import constants as mq
from ternmq.base.attributes import BARE, BY_SELECTOR, Attribute
from ternmq.base.object_types import AUTHREC, BY_BIT, LOCAL, OBJECT_TYPES, ObjectType
from ternmq.base.reasons import MQRC_SELECTOR_ERROR
from ternmq.codec.pcf import parameter as pcf
from ternmq.codec.pcf.parameter import Parameter, PCFError
from ternmq.codec.pcf.structures import PCFMessage
from ternmq.kernel.cursors import EARLIEST, LATEST
from ternmq.store.catalog import Catalog
from ternmq.values.command import Command, Filter

_FILTERS: Final = (pcf.CFIF, pcf.CFSF, pcf.CFBF)
_DUPLICATES: Final[dict[int, int]] = {
    pcf.CFIN: rccf.MQRCCF_CFIN_DUPLICATE_PARM,
    pcf.CFST: rccf.MQRCCF_CFST_DUPLICATE_PARM,
    pcf.CFSL: rccf.MQRCCF_CFSL_DUPLICATE_PARM,
    pcf.CFBS: rccf.MQRCCF_CFBS_DUPLICATE_PARM,
}
# The parameter that says which type of its group an object is, and the value that means any.
_TYPES: Final[dict[str, tuple[int, int, str]]] = {
    "QUEUE": (mq.MQIA_Q_TYPE, mq.MQQT_ALL, ""),
    "CHANNEL": (mq.MQIACH_CHANNEL_TYPE, mq.MQCHT_ALL, "CHLTYPE"),
    "AUTHINFO": (mq.MQIA_AUTH_INFO_TYPE, mq.MQAIT_ALL, "AUTHTYPE"),
}
# What any command may have and what means nothing here: IBM MQ has it on z/OS alone.
_ELSEWHERE: Final = (mq.MQIA_QSG_DISP, mq.MQCACF_COMMAND_SCOPE, mq.MQIACF_Q_MGR_CLUSTER)
# MQAUTHOPT_: which records INQUIRE_AUTH_RECS wants, the first bit that is set counts.
_MATCHES: Final[tuple[tuple[int, str], ...]] = (
    (16, "EXACT"),  # NAME_EXPLICIT
    (64, WILDCARD),  # NAME_AS_WILDCARD
    (2, "MEMBERSHIP"),  # ENTITY_SET
    (32, "PROFILE"),  # NAME_ALL_MATCHING
)
_AUTHORITIES: Final = BY_SELECTOR[AUTHREC][mq.MQIACF_AUTHORIZATION_LIST].words
_AUTHORITY_WORDS: Final[dict[int, str]] = {n: word for word, n in _AUTHORITIES.items()}


@final
class Request:
    """What a message asks for."""

    __slots__ = ("commands", "row", "selectors", "text")

    def __init__(self, row: PCFCommand | None, commands: list[Command], text: str = "") -> None:
        self.row = row  # None: an escape
        self.commands = commands
        self.text = text  # MQSC that was escaped
        self.selectors: set[int] = set()  # the attributes that are wanted; empty: all


def check_header(message: PCFMessage) -> None:
    """The header of a message that is to be a command."""
    if message.kind not in (mq.MQCFT_COMMAND, mq.MQCFT_COMMAND_XR):
        raise PCFError(rccf.MQRCCF_CFH_TYPE_ERROR, f"type {message.kind} is not a command")
    if message.sequence != 1:
        detail = f"MsgSeqNumber {message.sequence}, a command has 1"
        raise PCFError(rccf.MQRCCF_CFH_MSG_SEQ_NUMBER_ERR, detail)
    if message.control != mq.MQCFC_LAST:
        detail = f"Control {message.control}, a command is one message"
        raise PCFError(rccf.MQRCCF_CFH_CONTROL_ERROR, detail)
    if message.command not in COMMANDS and message.command != mq.MQCMD_ESCAPE:
        detail = f"command {message.command} is not known"
        raise PCFError(rccf.MQRCCF_CFH_COMMAND_ERROR, detail)


def request_of(message: PCFMessage, catalog: Catalog, qmgr_name: str) -> Request:
    """The commands that a message asks for; PCFError says what is wrong with it. The catalog has
    the type of a queue that a command only names."""
    check_header(message)
    if message.command == mq.MQCMD_ESCAPE:
        return Request(None, [], _escaped(message))
    row = COMMANDS[message.command]
    builder = _Builder(row, message, catalog, qmgr_name)
    request = Request(row, builder.commands())
    request.selectors = builder.selectors
    return request


def _escaped(message: PCFMessage) -> str:
    kind = message.find(mq.MQIACF_ESCAPE_TYPE)
    if kind is None or kind.kind != pcf.CFIN or kind.number != mq.MQET_MQSC:
        raise PCFError(
            rccf.MQRCCF_ESCAPE_TYPE_ERROR,
            "only MQSC can be escaped (MQIACF_ESCAPE_TYPE)",
            parameter=mq.MQIACF_ESCAPE_TYPE,
        )
    text = message.find(mq.MQCACF_ESCAPE_TEXT)
    if text is None or text.kind != pcf.CFST:
        detail = "the text of the command is missing"
        raise PCFError(rccf.MQRCCF_PARM_COUNT_TOO_SMALL, detail, parameter=mq.MQCACF_ESCAPE_TEXT)
    return text.text


@final
class _Builder:
    """Takes one message apart."""

    def __init__(
        self, row: PCFCommand, message: PCFMessage, catalog: Catalog, qmgr_name: str
    ) -> None:
        self.row = row
        self.message = message
        self.qmgr_name = qmgr_name
        self.entity = ""
        self.entity_is_group = False
        self.entities: list[str] = []
        self.kind_of_object: ObjectType | None = None  # given by the type parameter
        self.selectors: set[int] = set()
        self.filtered_by = 0
        self.intervals: dict[str, list[int]] = {}  # minutes and seconds that came as numbers
        self.command = Command(row.action, row.noun, self._name())
        self._take_type(catalog)
        table = row_of(self.command.action, self.command.noun)
        if table is None:
            detail = f"{self.command.action} {self.command.noun} is not known"
            raise PCFError(rccf.MQRCCF_CFH_COMMAND_ERROR, detail)
        self.table: CommandRow = table

    def commands(self) -> list[Command]:
        """What the message asks for."""
        seen: set[int] = set()
        for one in self.message.parameters:
            if one.parameter in seen and one.kind in _DUPLICATES:
                detail = f"parameter {one.parameter} is there twice"
                raise PCFError(_DUPLICATES[one.kind], detail, parameter=one.parameter)
            seen.add(one.parameter)
            self._take(one)
        command = self.command
        if command.where is not None and command.wanted:
            # What is filtered by is shown, whatever else is wanted.
            if command.where.keyword not in command.wanted:
                command.wanted.append(command.where.keyword)
            if self.selectors:
                self.selectors.add(self.filtered_by)
        if command.action == "DISPLAY" and not self.selectors and not self.row.names:
            command.wanted.append("ALL")
        if self.entity:
            command.given["GROUP" if self.entity_is_group else "PRINCIPAL"] = self.entity
        return self._for_each_entity()

    def _for_each_entity(self) -> list[Command]:
        if not self.entities:
            return [self.command]
        made: list[Command] = []
        for entity in self.entities:
            keyword, _, name = entity.partition(" ")
            one = Command(self.command.action, self.command.noun, self.command.name)
            one.given = dict(self.command.given)
            one.given[keyword] = name
            made.append(one)
        return made

    # ---- name and type

    def _name(self) -> str:
        number = self.row.name
        if number == 0:
            return ""
        found = self.message.find(number)
        if found is None and number == mq.MQBACF_CONNECTION_ID:
            found = self.message.find(mq.MQBACF_GENERIC_CONNECTION_ID)
            if found is None or len(found.data) <= 16:
                return "*"
            return found.data[16:].hex().upper() + "*"
        if found is None and number == mq.MQCACF_SUB_NAME and self.message.find(mq.MQBACF_SUB_ID):
            return ""
        if found is None:
            detail = f"parameter {number}, the name, is missing"
            raise PCFError(rccf.MQRCCF_PARM_COUNT_TOO_SMALL, detail, parameter=number)
        if found.kind == pcf.CFST:
            return found.text
        if found.kind == pcf.CFBS:
            return found.data[-8:].hex().upper()  # MQSC has the rest as EXTCONN
        detail = f"parameter {number}, the name, is not a string"
        raise PCFError(STRUCTURE_REASONS[found.kind], detail, parameter=number)

    def _take_type(self, catalog: Catalog) -> None:
        """QUEUE becomes QLOCAL and the like; a channel gets its CHLTYPE."""
        command = self.command
        row = _TYPES.get(command.noun)
        if row is None:
            return
        parameter, any_type, keyword = row
        found = self.message.find(parameter)
        if found is None or found.number == any_type:
            if command.noun == "QUEUE" and command.action != "DISPLAY":
                existing = catalog.definitions.get(command.name)
                kind = BY_BIT[LOCAL if existing is None else existing.object_type]
                command.noun = kind.noun
                self.kind_of_object = kind
            return
        typed = _typed(command.noun, found)
        self.kind_of_object = typed
        if not keyword:
            command.noun = typed.noun
        elif command.action != "DELETE":
            command.given[keyword] = typed.noun

    # ---- parameters

    def _take(self, one: Parameter) -> None:
        number = one.parameter
        row = self.row
        command = self.command
        types = _TYPES.get(row.noun)
        if number == row.name or (types is not None and number == types[0]):
            return
        if self._is_implied(one):
            return
        if number == mq.MQBACF_GENERIC_CONNECTION_ID and row.name == mq.MQBACF_CONNECTION_ID:
            return
        if number == row.from_name:
            command.given["LIKE"] = self._text(one)
            return
        if number == row.attributes and number:
            self._take_wanted(one)
            return
        if one.kind in _FILTERS:
            self._take_filter(one)
            return
        extra = EXTRA_PARAMETERS.get(number)
        if extra is not None and self._take_extra(extra, one):
            return
        self._take_attribute(one)

    def _is_implied(self, one: Parameter) -> bool:
        """What tools say although the command has only this: the type of queues that have a status,
        the name of the queue manager that is asked."""
        noun = self.row.noun
        if noun == "QSTATUS" and one.parameter == mq.MQIA_Q_TYPE and one.kind == pcf.CFIN:
            if one.number not in (mq.MQQT_ALL, mq.MQQT_LOCAL):
                detail = f"queues of type {one.number} have no status"
                raise PCFError(rccf.MQRCCF_Q_TYPE_ERROR, detail, parameter=one.parameter)
            return True
        if noun in ("QMGR", "QMSTATUS") and one.parameter == mq.MQCA_Q_MGR_NAME:
            if self.command.action != "DISPLAY" or one.kind != pcf.CFST:
                return False
            if one.text not in ("", "*", self.qmgr_name):
                detail = f"this is queue manager {self.qmgr_name}, not {one.text}"
                raise PCFError(rccf.MQRCCF_Q_MGR_NAME_ERROR, detail, parameter=one.parameter)
            return True
        return False

    def _take_attribute(self, one: Parameter) -> None:
        attribute = self._attribute(one.parameter)
        if attribute is None or one.parameter in _ELSEWHERE:
            detail = f"{self.row.word} has no parameter {one.parameter}"
            raise PCFError(STRUCTURE_REASONS[one.kind], detail, parameter=one.parameter)
        text = text_of(attribute, one)
        if attribute.kind == BARE:
            self.command.given[text] = ""
        else:
            self.command.given[attribute.keyword] = text

    def _attribute(self, selector: int) -> Attribute | None:
        """The attribute of that number that objects of this command can have."""
        if self.kind_of_object is not None:
            return BY_SELECTOR[self.kind_of_object.bit].get(selector)
        for bit, rows in BY_SELECTOR.items():
            if bit & self.table.types and selector in rows:
                return rows[selector]
        return None

    def _take_extra(self, extra: Extra, one: Parameter) -> bool:
        """False if this command has no such parameter: then it may be an attribute."""
        if extra.form == "entity":
            return self._take_entity(one)
        if extra.form == "bare":
            return self._take_bare(extra, one)
        known = [word for word in extra.keyword.split("/") if self._has(word)]
        if not known:
            # ENTITY_AUTH has authority options, too; it always counts everything.
            return extra.form == "options" and self._has("PRINCIPAL")
        keyword = known[0]
        if extra.form in ("minutes", "seconds"):
            self._take_interval(extra, keyword, one)
        elif extra.parameter in (mq.MQCACF_PRINCIPAL_ENTITY_NAMES, mq.MQCACF_GROUP_ENTITY_NAMES):
            names = one.texts if one.kind == pcf.CFSL else [self._text(one)]
            self.entities.extend([f"{keyword} {name}" for name in names])
        else:
            self.command.given[keyword] = self._extra_value(extra, one)
        return True

    def _take_interval(self, extra: Extra, keyword: str, one: Parameter) -> None:
        """MMMM.SS of MQSC, which PCF has as two numbers; either may be missing."""
        if one.kind != pcf.CFIN:
            detail = f"parameter {one.parameter} takes a number"
            raise PCFError(STRUCTURE_REASONS[one.kind], detail, parameter=one.parameter)
        lowest = -1 if keyword == "ACCTIME" and extra.form == "minutes" else 0
        highest = 1440 if extra.form == "minutes" else 59
        if not lowest <= one.number <= highest:
            detail = f"{keyword} has {lowest} to {highest} {extra.form}, not {one.number}"
            raise PCFError(rccf.MQRCCF_PARM_VALUE_ERROR, detail, parameter=one.parameter)
        parts = self.intervals.setdefault(keyword, [0, 0])
        parts[0 if extra.form == "minutes" else 1] = one.number
        if parts[0] < 0 and parts[1]:
            detail = f"{keyword} of -1, the interval of the statistics, has no seconds"
            raise PCFError(rccf.MQRCCF_PARM_VALUE_ERROR, detail, parameter=one.parameter)
        text = "-1" if parts[0] < 0 else f"{parts[0]}.{parts[1]:02d}"
        self.command.given[keyword] = text

    def _take_bare(self, extra: Extra, one: Parameter) -> bool:
        """A number that MQSC has as a word without brackets: REPLACE, NOPURGE."""
        if one.kind != pcf.CFIN or not self._has(*extra.words.values()):
            return False
        word = extra.words.get(one.number, "")
        if not word:
            raise _unknown(one, "")
        if self._has(word):
            self.command.given[word] = ""
        return True

    def _has(self, *keywords: str) -> bool:
        return any(keyword in self.table.parameters for keyword in keywords)

    def _take_entity(self, one: Parameter) -> bool:
        if not self._has("PRINCIPAL"):
            return False
        if one.parameter == mq.MQIACF_ENTITY_TYPE:
            self.entity_is_group = one.number == 2
        else:
            self.entity = self._text(one)
        return True

    def _extra_value(self, extra: Extra, one: Parameter) -> str:
        if extra.form == "text":
            return self._text(one)
        if extra.form == "hex" and one.kind == pcf.CFBS:
            return one.data.hex().upper()
        if extra.form == "authorities" and one.kind == pcf.CFIL:
            return ",".join([_authority(one, number) for number in one.numbers])
        is_long = one.kind == pcf.CFIN64 and extra.form == "position"
        if one.kind != pcf.CFIN and not is_long:
            detail = f"parameter {one.parameter} takes a number"
            raise PCFError(STRUCTURE_REASONS[one.kind], detail, parameter=one.parameter)
        return self._extra_word(extra, one)

    def _extra_word(self, extra: Extra, one: Parameter) -> str:
        """What a number means."""
        if extra.form == "number":
            return str(one.number)
        if extra.form == "position":
            return _POSITIONS.get(one.number, str(one.number))
        if extra.form == "options":
            for bit, word in _MATCHES:
                if one.number & bit:
                    return word
            return "PROFILE"
        word = extra.words.get(one.number, "")
        if not word:
            raise _unknown(one, extra.keyword)
        return word

    def _text(self, one: Parameter) -> str:
        if one.kind == pcf.CFSL and len(one.texts) == 1:
            return one.texts[0]
        if one.kind != pcf.CFST:
            detail = f"parameter {one.parameter} takes a string"
            raise PCFError(STRUCTURE_REASONS[one.kind], detail, parameter=one.parameter)
        return one.text

    # ---- what is wanted

    def _take_wanted(self, one: Parameter) -> None:
        if one.kind == pcf.CFIN:
            one.numbers = [one.number]
        elif one.kind != pcf.CFIL:
            detail = f"parameter {one.parameter} takes a list of integers"
            raise PCFError(STRUCTURE_REASONS[one.kind], detail, parameter=one.parameter)
        if len(set(one.numbers)) != len(one.numbers):
            detail = f"parameter {one.parameter} names an attribute twice"
            raise PCFError(rccf.MQRCCF_CFIL_DUPLICATE_VALUE, detail, parameter=one.parameter)
        for selector in one.numbers:
            keyword = "ALL" if selector == mq.MQIACF_ALL else self._keyword(selector)
            if keyword and keyword not in self.command.wanted:
                self.command.wanted.append(keyword)
        if "ALL" not in self.command.wanted:
            self.selectors = set(one.numbers)

    def _keyword(self, selector: int) -> str:
        """The keyword of an attribute; "" if every answer has it."""
        types = _TYPES.get(self.row.noun)
        if selector == self.row.name or (types is not None and selector == types[0]):
            return ""
        attribute = self._attribute(selector)
        if attribute is not None:
            return attribute.keyword
        for status in self._status():
            if status.selector == selector:
                return "" if status.always else status.keyword
        if selector == mq.MQCA_Q_MGR_NAME and self.row.noun == "QMGR":
            return ""
        detail = f"{self.row.word} knows no attribute {selector}"
        raise PCFError(MQRC_SELECTOR_ERROR, detail, parameter=selector)

    def _status(self) -> list[StatusAttribute]:
        return status_attributes(self.command.noun, self.command.given.get("TYPE", ""))

    def _take_filter(self, one: Parameter) -> None:
        operator = OPERATORS.get(one.operator)
        if operator is None:
            detail = f"operator {one.operator} is not known"
            raise PCFError(_OPERATOR_REASONS[one.kind], detail, parameter=one.parameter)
        if self.command.where is not None:
            detail = "a command has one filter at most"
            raise PCFError(rccf.MQRCCF_PARM_CONFLICT, detail, parameter=one.parameter)
        keyword = ""
        attribute = self._attribute(one.parameter)
        if attribute is not None:
            keyword = attribute.keyword
        for status in self._status():
            if status.selector == one.parameter and not keyword:
                keyword = status.keyword
        if not keyword or self.command.action != "DISPLAY":
            detail = f"{self.row.word} cannot be filtered by {one.parameter}"
            raise PCFError(STRUCTURE_REASONS[one.kind], detail, parameter=one.parameter)
        value = one.text if one.kind == pcf.CFSF else one.data.hex().upper()
        if one.kind == pcf.CFIF:
            value = status_word(one.parameter, one.number)
            if attribute is not None:
                value = attribute.shown(one.number)
        self.command.where = Filter(keyword, operator, value)
        self.filtered_by = one.parameter


_POSITIONS: Final = {EARLIEST: "EARLIEST", LATEST: "LATEST"}
_OPERATOR_REASONS: Final[dict[int, int]] = {
    pcf.CFIF: rccf.MQRCCF_CFIF_OPERATOR_ERROR,
    pcf.CFSF: rccf.MQRCCF_CFSF_OPERATOR_ERROR,
    pcf.CFBF: rccf.MQRCCF_CFBF_OPERATOR_ERROR,
}


def _typed(group: str, one: Parameter) -> ObjectType:
    """The type of object that a type parameter gives."""
    for row in OBJECT_TYPES:
        if row.group == group and row.subtype == one.number and one.kind == pcf.CFIN:
            return row
    reasons = {
        "QUEUE": rccf.MQRCCF_Q_TYPE_ERROR,
        "CHANNEL": rccf.MQRCCF_CHANNEL_TYPE_ERROR,
        "AUTHINFO": rccf.MQRCCF_PARM_VALUE_ERROR,
    }
    detail = f"there is no {group} of type {one.number}"
    raise PCFError(reasons[group], detail, parameter=one.parameter)


def _authority(one: Parameter, number: int) -> str:
    word = _AUTHORITY_WORDS.get(number)
    if word is None:
        detail = f"authority {number} is not known"
        raise PCFError(rccf.MQRCCF_AUTH_VALUE_ERROR, detail, parameter=one.parameter)
    return word


def _unknown(one: Parameter, keyword: str) -> PCFError:
    detail = f"parameter {one.parameter} {keyword} does not know {one.number}"
    return PCFError(rccf.MQRCCF_PARM_VALUE_ERROR, detail, parameter=one.parameter)
