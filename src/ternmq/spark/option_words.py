"""Options of our sources as users write them: words, numbers, yes or no.

Names are looked for in lower case, as Spark hands them over. ValueError names the option, what it
was and what it may be.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Final

_YES: Final = ("true", "yes", "1")
_NO: Final = ("false", "no", "0")


def lowered(given: Mapping[str, str]) -> dict[str, str]:
    """Options by their names in lower case."""
    return {name.lower(): value for name, value in given.items()}


def check_names(
    given: Iterable[str], known: Iterable[str], of_others: Mapping[str, str] | None = None
) -> None:
    """ValueError for an unknown name, with the one that may be meant; `of_others` says what to
    write instead of names that other sources have."""
    names = {name.lower(): name for name in known}
    for name in given:
        if name.lower() in names or name.lower() == "paths":  # Spark's, of load([...])
            continue
        instead = _instead(name.lower(), of_others or {})
        near = get_close_matches(name.lower(), names, 1)
        if not instead and near:
            instead = f"is {names[near[0]]} meant?"
        raise ValueError(f"there is no option {name}" + (f"; {instead}" if instead else ""))


def _instead(name: str, of_others: Mapping[str, str]) -> str:
    """What says the same here."""
    if name in of_others:
        return of_others[name]
    if of_others and name.startswith("kafka."):
        return "options of Kafka's client have no meaning here; docs/spark/spark.md has all options"
    return ""


def one_of(options: Mapping[str, str], name: str, default: str, allowed: tuple[str, ...]) -> str:
    value = options.get(name.lower(), default)
    for each in allowed:
        if value.lower() == each.lower():
            return each
    raise ValueError(f"option {name} is {value!r}; it may be {', '.join(allowed)}")


def number(options: Mapping[str, str], name: str, default: int, lowest: int) -> int:
    value = options.get(name.lower(), "")
    if not value:
        return default
    if not value.isdecimal() or int(value) < lowest:
        raise ValueError(f"option {name} is {value!r}; it is a number from {lowest} on")
    return int(value)


def yes_or_no(options: Mapping[str, str], name: str, default: bool) -> bool:
    value = options.get(name.lower(), "").lower()
    if value and value not in _YES + _NO:
        raise ValueError(f"option {name} is {value!r}; it is true or false")
    return value in _YES if value else default
