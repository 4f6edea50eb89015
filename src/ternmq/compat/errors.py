"""The exceptions of both libraries, and how ours become theirs."""

from __future__ import annotations

from types import TracebackType
from typing import Any, ClassVar

from ternmq.base import constants as mq
from ternmq.base.errors import MQError
from ternmq.compat.constant_names import NamesByNumber


class Error(Exception):
    """What pymqi raises."""


class MQMIError(Error):
    """A call of the MQI that ended with a warning or failed. Whatever else is known (`message` and
    `original_length` of a message that was cut) is an attribute."""

    errStringDicts: ClassVar[Any] = (
        NamesByNumber("MQRC_"),
        NamesByNumber("MQRCCF_"),
    )
    comp: int = mq.MQCC_OK
    reason: int = 0

    def __init__(self, comp: int, reason: int, **kw: Any) -> None:
        super().__init__(comp, reason)
        self.comp = comp
        self.reason = reason
        for name, value in kw.items():
            setattr(self, name, value)

    def __str__(self) -> str:
        return f"MQI Error. Comp: {self.comp}, Reason {self.reason}: {self.errorAsString()}"

    def errorAsString(self) -> str:
        """The name of the reason, and whether it is a warning or a failure."""
        if self.comp == mq.MQCC_OK:
            return "OK"
        kind = "WARNING: " if self.comp == mq.MQCC_WARNING else "FAILED: "
        for names in self.errStringDicts:
            if self.reason in names:
                return f"{kind}{names[self.reason]}"
        return f"{kind}Error code {self.reason} not defined"


class PYIFError(Error):
    """What the library itself refuses, before any call."""

    def __init__(self, e: object) -> None:
        super().__init__(e)
        self.error = e

    def __str__(self) -> str:
        return f"PYMQI Error: {self.error}"


class TranslatedErrors:
    """`with TranslatedErrors(MQMIError)`: an MQError of ours leaves the block as the library's;
    ours, with object and detail, is its cause."""

    def __init__(self, kind: type[MQMIError]) -> None:
        self._kind = kind

    def __enter__(self) -> None:
        return None

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if isinstance(error, MQError):
            raise self._kind(error.comp, error.reason) from error
