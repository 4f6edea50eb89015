"""The members of MQ's structures as both libraries name them: one table, in three files of rows.

    a row     name, format of `struct`, default
    default   a number; text in quotes; `zeros`; numbers joined by commas (a list); where pymqi and
              ibmmq differ, `of pymqi | of ibmmq`
    _Name     ibmmq has it with the underscore, pymqi without
    +Name     ibmmq alone has it
    charv     an MQCHARV: five members, NameVSPtr to NameVSCCSID

The members stand in their order in C, in native alignment. So `pack` gives what a C program has in
memory.
"""

from __future__ import annotations

from typing import Any, Final

from ternmq.compat import call_rows, connect_rows, header_rows

PYMQI: Final = "pymqi"
IBMMQ: Final = "ibmmq"

Member = list[Any]  # name, default, format
_CHARV: Final = (("Ptr", "P"), ("Offset", "i"), ("BufSize", "i"), ("Length", "i"), ("CCSID", "i"))


def _rows() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    current: list[str] = []
    for table in (call_rows.ROWS, connect_rows.ROWS, header_rows.ROWS):
        for line in table.strip("\n").splitlines():
            if line.startswith(" "):
                current.append(line)
            else:
                current = found.setdefault(line, [])
    return found


_ROWS: Final = _rows()


def _default(text: str, library: str, width: str) -> Any:
    of_pymqi, bar, of_ibmmq = text.partition(" | ")
    chosen = of_ibmmq if bar and library == IBMMQ else of_pymqi
    if chosen == "zeros":
        return bytes(int(width[:-1]))
    if chosen.startswith("'"):
        return chosen[1:-1].encode("ascii")
    if "," in chosen:
        return [int(number) for number in chosen.split(",")]
    return int(chosen)


def members(structure: str, library: str) -> list[Member]:
    """The members of a structure, as new lists: programs may change them."""
    found: list[Member] = []
    for line in _ROWS[structure]:
        name, width, *rest = line.split(maxsplit=2)
        if name.startswith("+"):
            if library == PYMQI:
                continue
            name = name[1:]
        if library == PYMQI:
            name = name.lstrip("_")
        if width == "charv":
            found += [[f"{name}VS{part}", 0, kind] for part, kind in _CHARV]
        else:
            found.append([name, _default(rest[0], library, width), width])
    return found
