"""LIKE: whether a text has the form of a pattern.

`%` is any characters or none, `_` one character, and each of them is itself behind the escape
character. The pieces between the `%` are looked for from left to right, each at the first place
where it fits: no other place can be better, so nothing is tried twice. A piece with `_` that has
failed at many places is looked for at all others at once, with one bit for each: senders choose the
text, and comparing place by place took a minute for 100 KB.
"""

from __future__ import annotations

from typing import Final, final

_ANY: Final = "_"
_FAILURES_MAX: Final = 64  # places that are tried one by one


@final
class Piece:
    """What stands between two `%`: texts at their distances from its begin, `_` between them."""

    __slots__ = ("at", "by_character", "length", "rest", "rest_at", "text")

    def __init__(self, characters: list[str]) -> None:
        """Of characters; one that matches anything is empty."""
        self.length = len(characters)
        runs: list[tuple[int, str]] = []
        run: list[str] = []
        for place, character in enumerate((*characters, "")):
            if character:
                run.append(character)
            elif run:
                runs.append((place - len(run), "".join(run)))
                run = []
        # The longest text is looked for, the others are compared where it is found.
        first = max(runs, key=_length_of_run, default=(0, ""))
        self.at = first[0]
        self.text = first[1]
        others = [one for one in runs if one is not first]
        self.rest_at = [place for place, _ in others]
        self.rest = [text for _, text in others]
        self.by_character: dict[str, list[int]] = {}  # where in the piece each one stands
        if others:
            for place, character in enumerate(characters):
                if character:
                    self.by_character.setdefault(character, []).append(place)

    def fits(self, text: str, begin: int) -> bool:
        """Whether the piece stands there; the text is long enough."""
        return text.startswith(self.text, begin + self.at) and self._rest_fits(text, begin)

    def find(self, text: str, begin: int, end: int) -> int:
        """The first place from `begin` on where the piece stands before `end`; -1 if none."""
        last = end - self.length
        failures = 0
        while begin <= last:
            if failures > _FAILURES_MAX:
                return self._find_in(text[begin:end], begin)
            # No match can begin behind the last place.
            found = text.find(self.text, begin + self.at, last + self.at + len(self.text))
            if found < 0:
                return -1
            begin = found - self.at
            if self._rest_fits(text, begin):
                return begin
            begin += 1
            failures += 1
        return -1

    def _find_in(self, text: str, begin: int) -> int:
        """The same in a part of the text, which begins at `begin`."""
        places = (1 << (len(text) - self.length + 1)) - 1
        for character, offsets in self.by_character.items():
            stands = _places_of(character, text)
            for offset in offsets:
                places &= stands >> offset
                if places == 0:
                    return -1
        return begin + (places & -places).bit_length() - 1

    def _rest_fits(self, text: str, begin: int) -> bool:
        for index in range(len(self.rest)):
            if not text.startswith(self.rest[index], begin + self.rest_at[index]):
                return False
        return True


def _places_of(character: str, text: str) -> int:
    """A bit for each place of a text where a character stands, the lowest for the first."""
    digits = bytearray(b"0") * len(text)
    place = text.find(character)
    while place >= 0:
        digits[-1 - place] = 49  # "1"
        place = text.find(character, place + 1)
    return int(digits, 2)


def _length_of_run(run: tuple[int, str]) -> int:
    return len(run[1])


@final
class Pattern:
    """A pattern of LIKE."""

    __slots__ = ("_first", "_last", "_length_min", "_middle")

    def __init__(self, pieces: list[list[str]]) -> None:
        """Of the characters between the `%`; with no `%` there is one piece."""
        made = [Piece(characters) for characters in pieces]
        self._first = made[0]
        self._last = made[-1] if len(made) > 1 else None  # None: no `%`
        self._middle = [piece for piece in made[1:-1] if piece.length]
        self._length_min = sum([piece.length for piece in made])

    def matches(self, text: str) -> bool:
        """Whether all of the text has this form."""
        length = len(text)
        first = self._first
        last = self._last
        if last is None:
            return length == first.length and first.fits(text, 0)
        if length < self._length_min or not first.fits(text, 0):
            return False
        end = length - last.length
        if not last.fits(text, end):
            return False
        begin = first.length
        for piece in self._middle:
            begin = piece.find(text, begin, end)
            if begin < 0:
                return False
            begin += piece.length
        return True


def compile_pattern(pattern: str, escape: str) -> Pattern | None:
    """The pattern; None if nothing follows its last escape character. `escape` may be empty."""
    pieces: list[list[str]] = [[]]
    is_escaped = False
    for character in pattern:
        if is_escaped:
            pieces[-1].append(character)
            is_escaped = False
        elif character == escape:
            is_escaped = True
        elif character == "%":
            pieces.append([])
        else:
            pieces[-1].append("" if character == _ANY else character)
    return None if is_escaped else Pattern(pieces)
