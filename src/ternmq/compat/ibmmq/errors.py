"""The exceptions of ibmmq: those of pymqi, with ibmmq's words."""

from __future__ import annotations

from typing import Any

from ternmq.compat import errors
from ternmq.compat.errors import Error as Error


class MQMIError(errors.MQMIError):
    """A call of the MQI that ended with a warning or failed."""

    def __str__(self) -> str:
        return f"MQI Error. Comp {self.comp}, Reason {self.reason}: {self.error_as_string()}"

    def error_as_string(self) -> str:
        """The name of the reason, and whether it is a warning or a failure."""
        return super().errorAsString()

    def get(self, k: str) -> Any:
        """What else is known of it."""
        return getattr(self, k)


class PYIFError(errors.PYIFError):
    """What the library itself refuses, before any call."""

    def __str__(self) -> str:
        return f"PYIBMMQ Error: {self.error}"
