"""What a queue manager converts with: its own character set, and its data-conversion exits.

An exit is a function for a format that is not built in; the format's name finds it.

An exit gets an `ExitParameters` (MQDXP) and returns the converted bytes. If it returns None, the
data stays as it is, and the get has the warning that the exit set in `reason`; if it raises,
MQRC_NOT_CONVERTED, and `failed` is called, so that the error log says it. An exit runs where the
conversion runs, outside the engine's lock, and sees the bytes of its own format alone: the
headers in front are converted before.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, final

from ternmq.base.errors import mq_error
from ternmq.base.reasons import (
    MQRC_CONVERTED_MSG_TOO_BIG,
    MQRC_CONVERTED_STRING_TOO_BIG,
    MQRC_DBCS_ERROR,
    MQRC_FORMAT_ERROR,
    MQRC_NOT_CONVERTED,
)
from ternmq.codec.character_conversion import convert as convert_characters
from ternmq.codec.charset import UTF8
from ternmq.codec.text_conversion import ConversionError

FORMAT_BYTES: Final = 8
# Warnings that a get can have of an exit: 2110 to 2120, 2150 and 2190.
_REASONS: Final = (
    *range(MQRC_FORMAT_ERROR, MQRC_CONVERTED_MSG_TOO_BIG + 1),
    MQRC_DBCS_ERROR,
    MQRC_CONVERTED_STRING_TOO_BIG,
)


@final
class ExitParameters:
    """MQDXP with what an exit gets beside it: the data, and what it is in."""

    def __init__(
        self, format: str, data: bytes, source: tuple[int, int], target: tuple[int, int]
    ) -> None:
        self.format: Final = format
        self.data: Final = data
        self.source_encoding: Final = source[0]
        self.source_ccsid: Final = source[1]
        self.encoding: Final = target[0]  # what the application asks for
        self.ccsid: Final = target[1]
        self.reason = MQRC_NOT_CONVERTED  # warning of the get if nothing is returned

    def text(self, data: bytes) -> bytes:
        """Text of the data in the character set that the application asks for, as MQXCNVC."""
        return convert_characters(
            data,
            self.source_ccsid,
            self.ccsid,
            source_encoding=self.source_encoding,
            target_encoding=self.encoding,
        )


ConversionExit = Callable[[ExitParameters], bytes | None]


@final
class ConversionService:
    """The exits of a queue manager, and its character set, which MQCCSI_Q_MGR stands for."""

    def __init__(self) -> None:
        self.ccsid = UTF8
        self._exits: Final[dict[str, ConversionExit]] = {}
        # called with format and error if an exit raises
        self.failed: Callable[[str, BaseException], None] | None = None

    def add(self, format: str, exit: ConversionExit) -> None:
        """Use this exit for the format from now on; MQRC_FORMAT_ERROR if no format has such a
        name."""
        is_name = format.isascii() and format.isprintable() and " " not in format
        if not is_name or not 1 <= len(format) <= FORMAT_BYTES:
            detail = f"{format!r} is not the name of a format: 1 to 8 characters, no blanks"
            raise mq_error(MQRC_FORMAT_ERROR, detail=detail)
        self._exits[format] = exit

    def remove(self, format: str) -> None:
        """Use none for the format."""
        self._exits.pop(format, None)

    def has(self, format: str) -> bool:
        """Whether there is one for the format."""
        return format in self._exits

    def names(self) -> list[str]:
        """The formats that have one."""
        return sorted(self._exits)

    def converted(
        self, format: str, data: bytes, source: tuple[int, int], target: tuple[int, int]
    ) -> bytes:
        """What the exit makes of the data; ConversionError if it makes nothing."""
        parameters = ExitParameters(format, data, source, target)
        try:
            made: object = self._exits[format](parameters)
            if made is not None and not isinstance(made, (bytes, bytearray)):
                raise TypeError(f"the exit returned {type(made).__name__}; return bytes, or None")
        except (
            Exception,
            SystemExit,
        ) as error:  # whatever a user's function does, the message must come
            failed = self.failed
            if failed is not None:
                failed(format, error)
            raise ConversionError(MQRC_NOT_CONVERTED) from None
        if isinstance(made, (bytes, bytearray)):
            return bytes(made)
        reason = parameters.reason
        raise ConversionError(reason if reason in _REASONS else MQRC_NOT_CONVERTED)
