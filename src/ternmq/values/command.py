"""A command and its answers, apart from the form they came in.

MQSC text, PCF messages and methods of the API become a `Command`; what carries it out gives
`Answer`s, which are printed in two columns, packed as PCF replies or sent as JSON. Attribute names
are MQSC keywords everywhere; `base.attributes` has their PCF numbers.
"""

from __future__ import annotations

from typing import Final, final

from ternmq.base.attributes import Value
from ternmq.base.constants import MQCC_FAILED, MQCC_OK
from ternmq.codec.pcf.parameter import Parameter

OPERATORS: Final = ("LT", "GT", "EQ", "NE", "LE", "GE", "LK", "NL", "CT", "EX", "CL", "CTG", "EXG")


@final
class Filter:
    """WHERE(keyword operator value)."""

    __slots__ = ("keyword", "operator", "value")

    def __init__(self, keyword: str, operator: str, value: str) -> None:
        self.keyword = keyword
        self.operator = operator
        self.value = value


@final
class Command:
    """One command, with full words: DIS QS(A*) is DISPLAY, QSTATUS, A*."""

    __slots__ = ("action", "given", "name", "noun", "parameters", "text", "wanted", "where")

    def __init__(self, action: str, noun: str, name: str = "") -> None:
        self.action = action  # DEFINE, DISPLAY ...
        self.noun = noun  # QLOCAL, QSTATUS, CHANNEL ...
        self.name = name  # as it is stored; generic for DISPLAY; "" if the noun has none
        self.given: dict[str, str] = {}  # keyword -> value as written, without quotes; "" if bare
        self.wanted: list[str] = []  # DISPLAY: keywords asked for; ALL is one of them
        self.where: Filter | None = None
        self.text = ""  # as it was written, for command events
        self.parameters: list[Parameter] = []  # as they came in PCF, for the same


@final
class Item:
    """One attribute of an answer."""

    __slots__ = ("bare", "keyword", "value")

    def __init__(self, keyword: str, value: Value, bare: bool = False) -> None:
        self.keyword = keyword
        self.value = value  # words, not numbers, where MQSC has words: MQSC prints str(value)
        self.bare = bare  # printed without brackets: SHARE, NOTRIGGER; the value is then ""


@final
class Answer:
    """What a command says: a message, or one object with the attributes that were asked for."""

    __slots__ = ("comp", "detail", "inserts", "items", "message", "object_type", "reason")

    def __init__(
        self,
        message: str,
        inserts: tuple[Value, ...] = (),
        *,
        comp: int = MQCC_OK,
        reason: int = 0,
        object_type: int = 0,
    ) -> None:
        self.message = message  # AMQ8409I; its text is in the message table
        self.inserts = inserts  # what the text's %1, %2 ... stand for
        self.comp = comp
        self.reason = reason  # MQRC_ or MQRCCF_, for PCF and for programs
        self.object_type = object_type  # the bit of base.object_types, if it shows one object
        self.detail = ""  # what a failure is about, in words
        self.items: list[Item] = []

    def add(self, keyword: str, value: Value) -> None:
        """One more attribute."""
        self.items.append(Item(keyword, value))

    # ---- as a mapping of its attributes, for programs

    def __getitem__(self, keyword: str) -> Value:
        for item in self.items:
            if item.keyword == keyword:
                return item.value
        raise KeyError(keyword)

    def __contains__(self, keyword: object) -> bool:
        return any(item.keyword == keyword for item in self.items)

    def get(self, keyword: str, otherwise: Value = "") -> Value:
        """The value of an attribute, or another if it is not in the answer."""
        for item in self.items:
            if item.keyword == keyword:
                return item.value
        return otherwise

    def keys(self) -> list[str]:
        """The keywords in the answer, as they are printed."""
        return [item.keyword for item in self.items]

    def attributes(self) -> dict[str, Value]:
        """Everything that the answer shows; bare words such as SHARE have the value ""."""
        return {item.keyword: item.value for item in self.items}

    @property
    def ok(self) -> bool:
        """Whether the command did what was asked, with or without a warning."""
        return self.comp != MQCC_FAILED

    @property
    def text(self) -> str:
        """The message as runmqsc prints it, with what is wrong, in one line."""
        from ternmq.base.message_table import message_line, message_row  # clients need no table

        line = message_line(self.message, self.inserts)
        if self.ok:
            return line
        if len(self.inserts) > 2 and "%3" not in message_row(self.message).text:
            return f"{line} {self.inserts[1]}: {self.inserts[2]}"  # the segment, what is wrong
        return f"{line} {self.detail}".rstrip()

    def __str__(self) -> str:
        return f"{self.text} {self._shown()}".rstrip()

    def _shown(self) -> str:
        return " ".join(
            item.keyword if item.bare else f"{item.keyword}({item.value})" for item in self.items
        )

    def __repr__(self) -> str:
        shown = self._shown()
        if shown or not self.message:
            return f"<Answer {self.message} {shown or self.inserts}>"
        return f"<Answer {self.text}>"
