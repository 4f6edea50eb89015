"""The constants of MQ's C headers as C programs have them: characters are bytes in their full
length.

Our own vocabulary says what they are (`base.constants_all`, the reasons); `exit_names` adds what it
does not have. Both libraries have them as modules: CMQC, CMQCFC, CMQXC, CMQZC.
"""

from __future__ import annotations

from typing import Final

from ternmq.base import command_reasons, constants_all, reasons
from ternmq.compat.exit_names import EXITS, SERVICES

Constant = int | bytes | list[bytes]

# How long a character constant is in C, by the group of its name; others are as they are.
_WIDTHS: Final = {"MQFMT": 8, "MQCFUNC": 4, "MQCSC": 4, "MQAN": 28, "MQIAUT": 8}
# A single character that Python programs have always had as a number.
_NUMBERS: Final = ("MQGS", "MQSS", "MQSEG")
_IBMMQ_NUMBERS: Final = (*_NUMBERS, "MQITS", "MQICM", "MQISS")


def exit_constants(rows: str) -> dict[str, Constant]:
    """What a table of `exit_names` says."""
    found: dict[str, Constant] = {}
    group = ""
    for line in rows.splitlines():
        words = line.split()
        if words and "=" not in words[0]:
            group = words.pop(0)
        for word in words:
            name, _, value = word.partition("=")
            is_number = value.lstrip("-").isdigit()
            found[f"{group}_{name}"] = int(value) if is_number else value.encode().ljust(4)
    return found


def _as_in_c(name: str, value: object, numbers: tuple[str, ...]) -> Constant | None:
    if isinstance(value, str):
        group = name.partition("_")[0]
        if group in numbers:
            return ord(value)
        return value.encode("ascii").ljust(_WIDTHS.get(group, 0))
    return value if isinstance(value, (int, bytes)) else None


def _with_arrays(constants: dict[str, Constant]) -> dict[str, Constant]:
    """Beside each text its characters one by one, as the headers have them."""
    arrays: dict[str, Constant] = {
        f"{name}_ARRAY": [value[at : at + 1] for at in range(len(value))]
        for name, value in constants.items()
        if isinstance(value, bytes)
    }
    return constants | arrays


def _all_constants(numbers: tuple[str, ...]) -> dict[str, Constant]:
    found: dict[str, Constant] = exit_constants(EXITS)
    for module in (constants_all, reasons, command_reasons):
        for name, value in vars(module).items():
            constant = _as_in_c(name, value, numbers) if name.startswith("MQ") else None
            if constant is not None:
                found[name] = constant
    return _with_arrays(found)


# Each header's module has the names of all headers: programs have always found some of them in more
# than one, and which ones differs from library to library.
ALL: Final = _all_constants(_NUMBERS)
IBMMQ_ALL: Final = _all_constants(_IBMMQ_NUMBERS)
SERVICE: Final = _with_arrays(exit_constants(SERVICES))


class NamesByNumber:
    """The names of a group of constants by their numbers, `NamesByNumber("MQRC_")[2033]`."""

    def __init__(self, *prefixes: str) -> None:
        self._names: dict[int, str] = {
            value: name
            for name, value in ALL.items()
            if name.startswith(prefixes) and isinstance(value, int)
        }

    def __getitem__(self, code: int) -> str:
        return self._names[code]

    def __contains__(self, key: object) -> bool:
        return key in self._names

    def get(self, key: int, default: object = None) -> object:
        """The name; `default` if there is none."""
        return self._names.get(key, default)

    def has_key(self, key: object) -> bool:
        """As `in`."""
        return key in self
