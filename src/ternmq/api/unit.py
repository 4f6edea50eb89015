"""`with connection.unit_of_work()`: commits at the end, backs out if the block raises.

Compiled, beside an interpreted `Connection`: a program may have a unit for every message.
"""

from __future__ import annotations

from types import TracebackType
from typing import final

from ternmq.values.transport import Transport


def not_begun(word: str) -> RuntimeError:
    """A unit that nobody entered: its puts and gets were done one by one."""
    return RuntimeError(
        f"the unit of work has not begun: write `{word} connection.unit_of_work():` around its puts"
        " and gets"
    )


def shown_unit(qmgr_name: str, has_begun: bool, is_open: bool) -> str:
    """A unit of work for people, of threads and of tasks."""
    state = "not begun"
    if has_begun:
        state = "open" if is_open else "ended"
    return f"<Unit of {qmgr_name}, {state}>"


@final
class Unit:
    """One unit of work of a connection."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self._has_begun = False

    def __repr__(self) -> str:
        return shown_unit(self._transport.qmgr_name, self._has_begun, self._transport.in_unit)

    def __enter__(self) -> Unit:
        self._transport.begin()
        self._has_begun = True
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if not self._transport.in_unit:
            return  # ended inside the block
        if kind is None:
            self._transport.commit()
        else:
            self.backout()

    def commit(self) -> None:
        """End the unit here."""
        if not self._has_begun:
            raise not_begun("with")
        self._transport.commit()

    def backout(self) -> None:
        """Undo the unit here; nothing is left to undo if the connection is gone."""
        if self._transport.is_alive:
            self._transport.back_out()
