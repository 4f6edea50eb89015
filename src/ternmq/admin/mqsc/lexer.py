"""MQSC text to commands, and a command to its tokens.

Lines
    *  in column 1 begins a comment line; blank lines and comments may stand between the lines of a
       command
    +  last on a line: the command goes on at the first non-blank of the next line
    -  last on a line: the command goes on at column 1 of the next line
    ;  outside quotes ends a command, as the end of a line does; another may follow
Tokens
    blanks and commas part them; ( and ) stand for themselves
    a word is anything else, folded to upper case; a text in single quotes stays as it is, two
    quotes in it are one
"""

from __future__ import annotations

from typing import Final, final

from ternmq.base.limits import COMMAND_CHARACTERS_MAX

WORD: Final = 0
QUOTED: Final = 1
OPEN: Final = 2
CLOSE: Final = 3

_SEPARATORS: Final = " ,\t\r\n"
_ENDS_A_WORD: Final = " ,\t\r\n()'"


class SyntaxFault(Exception):
    """A command that cannot be understood; `at` is where the fault was seen to end."""

    def __init__(self, text: str, at: int, why: str) -> None:
        super().__init__(why)
        self.text = text
        self.at = at
        self.why = why

    @property
    def segment(self) -> str:
        """The command up to the fault."""
        return self.text[: self.at]


@final
class Source:
    """One command as it was written, or a comment or blank line between commands."""

    __slots__ = ("is_command", "lines", "text")

    def __init__(self, lines: list[str], text: str, is_command: bool) -> None:
        self.lines = lines  # as they came, for the echo
        self.text = text  # continuations joined
        self.is_command = is_command


@final
class CommandReader:
    """Takes lines and gives commands; holds the lines of one that goes on."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._text = ""
        self._at_column_1 = False

    @property
    def continues(self) -> bool:
        """Whether a command has begun and its end has not come."""
        return bool(self._lines)

    def feed(self, line: str) -> list[Source]:
        """The commands that this line completes."""
        line = line.rstrip("\r\n")
        if line.startswith("*") or not line.strip():
            if self._lines:
                self._lines.append(line)
                return []
            return [Source([line], "", False)]
        self._lines.append(line)
        piece = line.rstrip(" \t")
        if self._text or len(self._lines) > 1:
            piece = piece if self._at_column_1 else piece.lstrip(" \t")
        sign = piece[-1:]
        if sign in ("+", "-"):
            self._text += piece[:-1]
            self._at_column_1 = sign == "-"
            return self.finish() if len(self._text) > COMMAND_CHARACTERS_MAX else []
        self._text += piece
        return self.finish()

    def finish(self) -> list[Source]:
        """The end of the input: what is held is all there is of its command."""
        if not self._lines:
            return []
        lines = self._lines
        text = self._text
        self._lines = []
        self._text = ""
        self._at_column_1 = False
        result: list[Source] = []
        for part in _split(text):
            result.append(Source(lines, part, True))
            lines = []
        if not result:
            result.append(Source(lines, "", False))
        return result


def _split(text: str) -> list[str]:
    """A text at its semicolons that are not in quotes."""
    if ";" not in text:
        return [text]
    parts: list[str] = []
    begin = 0
    in_quotes = False
    for place, sign in enumerate(text):
        if sign == "'":
            in_quotes = not in_quotes
        elif sign == ";" and not in_quotes:
            parts.append(text[begin:place])
            begin = place + 1
    parts.append(text[begin:])
    return [part for part in parts if part.strip()]


def commands_of(text: str) -> list[Source]:
    """Every command, comment and blank line of a text."""
    reader = CommandReader()
    result: list[Source] = []
    for line in text.split("\n"):
        result.extend(reader.feed(line))
    result.extend(reader.finish())
    return result


@final
class Token:
    """A word, a quoted text or a bracket, and where it stands."""

    __slots__ = ("begin", "end", "kind", "value", "written")

    def __init__(self, kind: int, value: str, written: str, begin: int, end: int) -> None:
        self.kind = kind
        self.value = value  # a word in upper case, a quoted text without its quotes
        self.written = written
        self.begin = begin
        self.end = end


def tokens_of(text: str) -> list[Token]:
    """The tokens of one command; SyntaxFault for a quote that does not end, or in a word."""
    if len(text) > COMMAND_CHARACTERS_MAX:
        raise SyntaxFault(text, 80, f"a command has at most {COMMAND_CHARACTERS_MAX} characters")
    tokens: list[Token] = []
    place = 0
    length = len(text)
    while place < length:
        sign = text[place]
        if sign in _SEPARATORS:
            place += 1
        elif sign == "(" or sign == ")":
            kind = OPEN if sign == "(" else CLOSE
            tokens.append(Token(kind, sign, sign, place, place + 1))
            place += 1
        elif sign == "'":
            tokens.append(_quoted(text, place))
            place = tokens[-1].end
        else:
            tokens.append(_word(text, place))
            place = tokens[-1].end
    return tokens


def _quoted(text: str, begin: int) -> Token:
    place = begin + 1
    value = ""
    while True:
        end = text.find("'", place)
        if end < 0:
            raise SyntaxFault(text, len(text), "a quoted text does not end")
        value += text[place:end]
        if text[end + 1 : end + 2] != "'":
            break
        value += "'"
        place = end + 2
    if text[end + 1 : end + 2] not in ("", *_SEPARATORS, "(", ")"):
        raise SyntaxFault(text, end + 2, "something follows a quoted text without a blank between")
    return Token(QUOTED, value, text[begin : end + 1], begin, end + 1)


def _word(text: str, begin: int) -> Token:
    end = begin
    while end < len(text) and text[end] not in _ENDS_A_WORD:
        end += 1
    if text[end : end + 1] == "'":
        raise SyntaxFault(text, end + 1, "a quote inside a word")
    written = text[begin:end]
    return Token(WORD, written.upper(), written, begin, end)
