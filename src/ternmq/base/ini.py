"""Configuration files of MQ's kind: mqs.ini, qm.ini and their kin.

    # a comment; so is a line that begins with ;
    QueueManager:
       Name=QM1
       Directory=QM1

A stanza begins with its name and a colon at the start of a line; its attributes follow, one a line.
Names of stanzas and attributes are compared without regard to case. A file is kept as its lines, so
that a change of one attribute leaves everything else, comments too, as people wrote it.
"""

from __future__ import annotations

from typing import Final, final

_COMMENT: Final = ("#", ";")
_INDENT: Final = "   "


class IniError(Exception):
    """A configuration file that cannot be read or believed: which file, which line, why."""

    def __init__(self, file: str, line: int, why: str) -> None:
        super().__init__(file, line, why)
        self.file = file
        self.line = line
        self.why = why

    def __str__(self) -> str:
        return f"{self.file}, line {self.line}: {self.why}"


@final
class Stanza:
    """One stanza: where it begins and what it says."""

    def __init__(self, name: str, line: int) -> None:
        self.name = name
        self.line = line  # from 1
        self.values: dict[str, str] = {}  # names of attributes as written
        self.lines: dict[str, int] = {}

    def key(self, name: str) -> str:
        """An attribute's name as it is written here; as asked for if it is not here."""
        for one in self.values:
            if one.lower() == name.lower():
                return one
        return name

    def get(self, name: str, default: str = "") -> str:
        """The value of an attribute."""
        return self.values.get(self.key(name), default)

    def line_of(self, name: str) -> int:
        """Where an attribute stands; where the stanza begins if it is not there."""
        return self.lines.get(self.key(name), self.line)


@final
class IniFile:
    """A parsed file."""

    def __init__(self, text: str = "", file: str = "") -> None:
        self.file = file  # for messages
        self._lines = text.splitlines()
        self.stanzas: list[Stanza] = []
        self._parse()

    def _parse(self) -> None:
        stanzas: list[Stanza] = []
        for number, written in enumerate(self._lines, 1):
            line = written.strip()
            if not line or line.startswith(_COMMENT):
                continue
            name, equals, value = line.partition("=")
            if not equals:
                if not line.endswith(":") or len(line.split()) > 1:
                    raise IniError(self.file, number, f"neither a stanza nor Name=Value: {line}")
                stanzas.append(Stanza(line[:-1], number))
                continue
            self._take(stanzas, name.strip(), value.strip(), number)
        self.stanzas = stanzas

    def _take(self, stanzas: list[Stanza], name: str, value: str, number: int) -> None:
        if not stanzas:
            raise IniError(self.file, number, f"{name} stands before the first stanza")
        if not name:
            raise IniError(self.file, number, "a value without a name")
        stanza = stanzas[-1]
        if stanza.key(name) in stanza.values:
            first = stanza.line_of(name)
            raise IniError(
                self.file, number, f"{name} is given twice in {stanza.name}, first in line {first}"
            )
        stanza.values[name] = value
        stanza.lines[name] = number

    def text(self) -> str:
        """The file as it is to be written."""
        return "".join(f"{line}\n" for line in self._lines)

    # ---- find

    def all(self, name: str) -> list[Stanza]:
        """Every stanza of that name, in the order of the file."""
        return [one for one in self.stanzas if one.name.lower() == name.lower()]

    def first(self, name: str) -> Stanza | None:
        """The first stanza of that name."""
        found = self.all(name)
        return found[0] if found else None

    def where(self, name: str, attribute: str, value: str) -> Stanza | None:
        """The stanza of that name in which an attribute has this value."""
        for stanza in self.all(name):
            if stanza.get(attribute) == value:
                return stanza
        return None

    # ---- change

    def add(self, name: str, values: dict[str, str]) -> None:
        """A new stanza at the end."""
        if self._lines and self._lines[-1].strip():
            self._lines.append("")
        self._lines.append(f"{name}:")
        self._lines += [f"{_INDENT}{key}={value}" for key, value in values.items()]
        self._parse()

    def set(self, stanza: Stanza, name: str, value: str) -> None:
        """Change one attribute, or add it behind the stanza's last one."""
        if stanza.key(name) in stanza.values:
            at = stanza.line_of(name) - 1
            self._lines[at] = f"{_INDENT}{stanza.key(name)}={value}"
        else:
            last = max(stanza.lines.values(), default=stanza.line)
            self._lines.insert(last, f"{_INDENT}{name}={value}")
        self._parse()

    def remove(self, stanza: Stanza) -> None:
        """Take a stanza away. Comments between its lines go with it, those before it stay."""
        last = max(stanza.lines.values(), default=stanza.line)
        del self._lines[stanza.line - 1 : last]
        self._parse()
