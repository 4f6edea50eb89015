"""One MQSC command from text to `Command`: full words, values checked, faults with their place.

    command    = action noun [ "(" name ")" ] { parameter }
    parameter  = keyword [ "(" value { value } ")" ]
    where      = "WHERE" "(" keyword operator value { value } ")"

Actions and nouns may be cut to a documented synonym or to any beginning that fits only one of them.
Parameters come in any order, each once. What a keyword may be and take is known from the command
table, the attribute schema and the status tables.
"""

from __future__ import annotations

from typing import Final, final

from ternmq.admin.command_table import (
    ACTIONS,
    BARE,
    FILTER,
    NAME,
    NOUN_SYNONYMS,
    NUMBER,
    SYNONYMS,
    CommandRow,
    nouns_of,
    row_of,
)
from ternmq.admin.displayable import IDENTITIES, attributes_of_row, displayable, filter_fault
from ternmq.admin.mqsc.lexer import CLOSE, OPEN, QUOTED, WORD, SyntaxFault, Token, tokens_of
from ternmq.admin.status.status_attributes import status_keywords
from ternmq.base import attributes as schema
from ternmq.base import object_types as types
from ternmq.base.attributes import Attribute
from ternmq.base.command_reasons import MQRCCF_PARM_SYNTAX_ERROR
from ternmq.base.constants import MQCC_FAILED
from ternmq.base.similar import did_you_mean
from ternmq.values.command import OPERATORS, Answer, Command, Filter

SYNTAX: Final = "AMQ8405I"
MISSING: Final = "AMQ8421E"
TWICE: Final = "AMQ8411E"
BAD_FILTER: Final = "AMQ8569E"
SYNTAX_MESSAGES: Final = (SYNTAX, MISSING, TWICE, BAD_FILTER)

NAME_OPTIONAL: Final = ("LISTENER", "SUB", "SBSTATUS", "CONN")
_TYPE_CHOICES: Final[dict[str, list[str]]] = {
    "TOPIC": ["LOCAL", "CLUSTER", "ALL"],
    "QMSTATUS": ["QMGR", "NATIVEHA", "ALL"],
    "PUBSUB": ["LOCAL", "PARENT", "CHILD", "ALL"],
    "CHLAUTH": [
        "ADDRESSMAP",
        "BLOCKADDR",
        "BLOCKUSER",
        "QMGRMAP",
        "SSLPEERMAP",
        "USERMAP",
        "ALL",
    ],
}
# Words that exclude each other.
_EXCLUDES: Final = {
    "REPLACE": "NOREPLACE",
    "NOREPLACE": "REPLACE",
    "PURGE": "NOPURGE",
    "NOPURGE": "PURGE",
    "FORCE": "NOFORCE",
    "NOFORCE": "FORCE",
    "PRINCIPAL": "GROUP",
    "GROUP": "PRINCIPAL",
}


@final
class _Parameter:
    """A keyword with its values, as it stands in the text."""

    __slots__ = ("at", "bracketed", "end", "keyword", "values")

    def __init__(self, keyword: str, at: int) -> None:
        self.keyword = keyword
        self.at = at  # where the keyword ends
        self.end = at
        self.bracketed = False
        self.values: list[Token] = []

    @property
    def text(self) -> str:
        """The value as one text, items joined by commas."""
        return ",".join([token.value for token in self.values])


class Fault(SyntaxFault):
    """A fault with the message that reports it."""

    def __init__(self, text: str, at: int, why: str, message: str, what: str) -> None:
        super().__init__(text, at, why)
        self.message = message
        self.what = what


def fault_answer(fault: SyntaxFault) -> Answer:
    """The answer to a command that could not be understood: inserts are what the message is about,
    the command up to the fault, and why."""
    message = fault.message if isinstance(fault, Fault) else SYNTAX
    what = fault.what if isinstance(fault, Fault) else ""
    return Answer(
        message,
        (what, fault.segment, fault.why),
        comp=MQCC_FAILED,
        reason=MQRCCF_PARM_SYNTAX_ERROR,
    )


def parse(text: str) -> Command:
    """The command; SyntaxFault if the text has none."""
    return _Parse(text).command()


def keywords_of(row: CommandRow) -> list[str]:
    """Every keyword that a command knows, for completion and for the documentation."""
    known = set(row.parameters)
    display = row.action == "DISPLAY"
    for attribute in attributes_of_row(row):
        if display or not attribute.shown_only:
            known.add(attribute.keyword)
            if attribute.kind == schema.BARE and not display:
                known.update(attribute.words)
    if display:
        known.update(("ALL", "WHERE"))
        known.update(status_keywords(row.noun, ""))
    return sorted(known)


def choices_of(row: CommandRow, keyword: str) -> list[str]:
    """The words by which a DISPLAY can choose; none if anything may stand there."""
    if row.parameters.get(keyword) != FILTER:
        return []
    if keyword in IDENTITIES and row.types & (types.QUEUES | types.CHANNELS | types.AUTHINFOS):
        nouns = [kind.noun for kind in types.OBJECT_TYPES if kind.bit & _group_bits(row.types)]
        return [*nouns, "QCLUSTER", "ALL"] if row.types & types.QUEUES else [*nouns, "ALL"]
    if keyword == "TYPE":
        return _TYPE_CHOICES.get(row.noun, [])
    for attribute in attributes_of_row(row):
        if attribute.keyword == keyword and attribute.kind == schema.WORD:
            more = ["USER", "ALL"] if keyword == "SUBTYPE" else ["ALL"]
            return [*attribute.words, *more]
    return []


def _group_bits(bits: int) -> int:
    return types.QUEUES if bits & types.QUEUES else bits


def full_word(word: str, synonyms: dict[str, str], known: list[str]) -> str:
    """The word that is meant by a synonym or by a beginning that fits only one; "" if none is."""
    if word in known:
        return word
    if word in synonyms and synonyms[word] in known:
        return synonyms[word]
    fitting = [one for one in known if one.startswith(word)]
    return fitting[0] if len(fitting) == 1 and len(word) > 1 else ""


def hinted(text: str, hint: str) -> str:
    """A fault, with what may have been meant if something is near."""
    return f"{text}. {hint}" if hint else text


@final
class _Parse:
    """The state of one parse."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = tokens_of(text)
        self.place = 0

    def fail(self, at: int, why: str, message: str = SYNTAX, what: str = "") -> Fault:
        """A fault whose end is known."""
        return Fault(self.text, at, why, message, what)

    def peek(self, kind: int) -> bool:
        """Whether the next token is of a kind."""
        return self.place < len(self.tokens) and self.tokens[self.place].kind == kind

    def take(self, kind: int, what: str) -> Token:
        """The next token, which must be of a kind."""
        if self.place >= len(self.tokens):
            raise self.fail(len(self.text), f"{what} is missing")
        token = self.tokens[self.place]
        if token.kind != kind:
            raise self.fail(token.end, f"{what} is expected here")
        self.place += 1
        return token

    # ---- the command

    def command(self) -> Command:
        first = self.take(WORD, "a command")
        action = full_word(first.value, SYNONYMS, list(ACTIONS))
        if not action:
            hint = did_you_mean(first.value, ACTIONS)
            raise self.fail(first.end, hinted(f"there is no command {first.written}", hint))
        second = self.take(WORD, f"what to {action}")
        noun = full_word(second.value, NOUN_SYNONYMS, nouns_of(action))
        row = row_of(action, noun)
        if row is None:
            hint = did_you_mean(second.value, nouns_of(action))
            choice = ", ".join(nouns_of(action))
            text = f"{action} takes one of {choice}, not {second.written}"
            if hint:
                text = hinted(f"{action} does not take {second.written}", hint)
            raise self.fail(second.end, text)
        command = Command(action, noun)
        command.text = self.text
        if row.named:
            self._name(row, command, second)
        elif row.noun == "SECURITY" and self.peek(OPEN):
            self._brackets()  # REFRESH SECURITY(*): as it was once written
        parameters = self._parameters()
        self._refuse_twice(parameters)
        if action == "DISPLAY":
            self._take_display(row, command, parameters)
        else:
            self._take_settings(row, command, parameters)
        self._refuse_missing(row, command)
        return command

    def _name(self, row: CommandRow, command: Command, noun: Token) -> None:
        if not self.peek(OPEN):
            if row.noun in NAME_OPTIONAL:
                command.name = "*" if row.generic else ""
                return
            raise self.fail(noun.end, f"{row.noun} needs a name in brackets")
        values, end = self._brackets()
        if len(values) != 1:
            raise self.fail(end, f"{row.noun} takes one name")
        command.name = values[0].value
        generic = command.name.endswith("*")
        if not command.name or (generic and not row.generic and row.noun != "CHLAUTH"):
            raise self.fail(values[0].end, f"{row.noun} does not take the name {command.name!r}")

    def _brackets(self) -> tuple[list[Token], int]:
        self.take(OPEN, "(")
        values: list[Token] = []
        while self.peek(WORD) or self.peek(QUOTED):
            values.append(self.tokens[self.place])
            self.place += 1
        return values, self.take(CLOSE, ")").end

    def _parameters(self) -> list[_Parameter]:
        result: list[_Parameter] = []
        while self.place < len(self.tokens):
            token = self.take(WORD, "a keyword")
            parameter = _Parameter(token.value, token.end)
            if self.peek(OPEN):
                parameter.bracketed = True
                parameter.values, parameter.end = self._brackets()
            result.append(parameter)
        return result

    def _refuse_twice(self, parameters: list[_Parameter]) -> None:
        seen: set[str] = set()
        for one in parameters:
            other = _EXCLUDES.get(one.keyword, "")
            if one.keyword in seen or other in seen:
                word = one.keyword
                text = f"{word} stands twice, or with {other}" if other else f"{word} stands twice"
                raise self.fail(one.end, text, TWICE, word)
            seen.add(one.keyword)

    def _refuse_missing(self, row: CommandRow, command: Command) -> None:
        for needed in row.required:
            if "LIKE" in command.given and needed.startswith("TOPICSTR"):
                continue
            if not any(word in command.given for word in needed.split("/")):
                text = needed.replace("/", " or ")
                raise self.fail(len(self.text), f"{text} is missing", MISSING, text)

    # ---- settings: everything but DISPLAY

    def _take_settings(
        self, row: CommandRow, command: Command, parameters: list[_Parameter]
    ) -> None:
        bits = self._narrow(row, parameters)
        for one in parameters:
            kind = row.parameters.get(one.keyword)
            if kind is not None:
                command.given[one.keyword] = self._parameter_value(one, kind)
                continue
            if one.keyword in IDENTITIES and row.types & (types.CHANNELS | types.AUTHINFOS):
                command.given[one.keyword] = one.text
                continue
            attribute = self._attribute(row, one, bits)
            value = self._attribute_value(attribute, one)
            keyword = one.keyword if attribute.kind == schema.BARE else attribute.keyword
            command.given[keyword] = value

    def _narrow(self, row: CommandRow, parameters: list[_Parameter]) -> int:
        """The types that are meant: CHLTYPE and AUTHTYPE say more than the noun."""
        bits = row.types
        for one in parameters:
            narrows = one.keyword == "CHLTYPE" and row.types & types.CHANNELS
            narrows = narrows or (one.keyword == "AUTHTYPE" and row.types & types.AUTHINFOS)
            if narrows:
                known = types.BY_NOUN.get(one.text)
                if known is None or not known.bit & row.types:
                    nouns = [kind.noun for kind in types.OBJECT_TYPES if kind.bit & row.types]
                    hint = did_you_mean(one.text, nouns) or f"It is one of {', '.join(nouns)}"
                    text = hinted(f"{one.keyword} does not know {one.text!r}", hint)
                    raise self.fail(one.end - 1, text)
                bits = known.bit
        return bits

    def _attribute(self, row: CommandRow, one: _Parameter, bits: int) -> Attribute:
        for object_type in types.OBJECT_TYPES:
            if object_type.bit & bits:
                found = schema.BY_NAME[object_type.bit].get(one.keyword)
                if found is not None and one.keyword == one.keyword.upper():
                    if found.shown_only:
                        raise self.fail(one.at, f"{one.keyword} is shown only")
                    return found
        hint = did_you_mean(one.keyword, keywords_of(row))
        text = f"{row.action} {row.noun} has no parameter {one.keyword}"
        raise self.fail(one.at, hinted(text, hint))

    def _attribute_value(self, attribute: Attribute, one: _Parameter) -> str:
        listed = attribute.kind in (schema.LIST, schema.WORDS)
        if attribute.kind == schema.BARE and one.keyword in attribute.words and not one.bracketed:
            return ""
        if not one.bracketed:
            raise self.fail(one.at, f"{one.keyword} needs a value in brackets")
        if len(one.values) > 1 and not listed:
            raise self.fail(one.values[1].end, f"{one.keyword} takes one value")
        try:
            attribute.checked(one.text)
        except ValueError as error:
            raise self.fail(one.end - 1, str(error)) from error
        return one.text

    def _parameter_value(self, one: _Parameter, kind: str) -> str:
        if kind == BARE:
            if one.bracketed:
                raise self.fail(one.end, f"{one.keyword} takes no value")
            return ""
        if not one.bracketed:
            raise self.fail(one.at, f"{one.keyword} needs a value in brackets")
        if kind == NUMBER and not one.text.isdecimal():
            raise self.fail(one.end - 1, f"{one.keyword} takes a whole number, not {one.text!r}")
        if kind not in (NAME, NUMBER, FILTER) and one.text not in kind.split("|"):
            choice = kind.replace("|", ", ")
            raise self.fail(one.end - 1, f"{one.keyword} takes one of {choice}, not {one.text!r}")
        return one.text

    # ---- DISPLAY

    def _take_display(
        self, row: CommandRow, command: Command, parameters: list[_Parameter]
    ) -> None:
        kind = ""
        for one in parameters:
            if one.keyword == "TYPE" and one.bracketed:
                kind = one.text
        known = displayable(row, kind)
        for one in parameters:
            if one.keyword == "WHERE":
                command.where = self._where(row, one, known)
            elif one.bracketed:
                allowed = row.parameters.get(one.keyword)
                if allowed is None:
                    raise self.fail(one.end, f"{one.keyword} takes no value in DISPLAY {row.noun}")
                command.given[one.keyword] = self._parameter_value(one, allowed)
                self._refuse_unknown_choice(row, one)
            elif row.parameters.get(one.keyword, "") in (BARE, FILTER):
                if row.parameters[one.keyword] == BARE:
                    command.given[one.keyword] = ""
                else:
                    command.wanted.append(one.keyword)
            elif one.keyword == "ALL" or one.keyword in known:
                command.wanted.append(known.get(one.keyword, one.keyword))
            else:
                hint = did_you_mean(one.keyword, known)
                text = hinted(f"{row.noun} has no attribute {one.keyword}", hint)
                raise self.fail(one.at, text)

    def _refuse_unknown_choice(self, row: CommandRow, one: _Parameter) -> None:
        """TYPE(QLOCAL), CHLTYPE(SDR), SUBTYPE(ADMIN): a word that nothing can have is a fault."""
        choices = choices_of(row, one.keyword)
        if choices and one.text not in choices:
            text = f"{one.keyword} takes one of {', '.join(choices)}, not {one.text!r}"
            raise self.fail(one.end - 1, text)

    def _where(self, row: CommandRow, one: _Parameter, known: dict[str, str]) -> Filter:
        if len(one.values) < 3:
            text = "WHERE takes a keyword, an operator and a value"
            raise self.fail(one.end, text, BAD_FILTER, "WHERE")
        keyword, operator = one.values[0], one.values[1]
        if keyword.value not in known:
            text = hinted(
                f"{row.noun} has no attribute {keyword.written}",
                did_you_mean(keyword.value, known),
            )
            raise self.fail(keyword.end, text, BAD_FILTER, keyword.written)
        if operator.value not in OPERATORS:
            choice = ", ".join(OPERATORS)
            text = f"the operator is one of {choice}, not {operator.written}"
            raise self.fail(operator.end, text, BAD_FILTER, operator.written)
        value = ",".join([token.value for token in one.values[2:]])
        where = Filter(known[keyword.value], operator.value, value)
        fault = filter_fault(row, where)
        if fault:
            raise self.fail(one.end - 1, fault, BAD_FILTER, keyword.written)
        return where
