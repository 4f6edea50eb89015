"""What `await` opens, or `async with` opens and closes: a connection, a queue, a list, and a unit
of work.

Interpreted on the compiled build too, as `aio`.
"""

from __future__ import annotations

from collections.abc import Coroutine, Generator
from types import TracebackType
from typing import TYPE_CHECKING, Any, Generic, NoReturn, Protocol, TypeVar, final

if TYPE_CHECKING:
    from ternmq.api.aio import Connection


class Closable(Protocol):
    """What `async with` closes."""

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...


def cannot_wait(what: str) -> TypeError:
    """A `with` where `async` is missing."""
    return TypeError(f"`with` cannot wait: write `async with` for {what}")


Opened = TypeVar("Opened", bound=Closable)


@final
class Opening(Generic[Opened]):
    """Something that `await` opens, or `async with` opens and closes."""

    def __init__(self, opening: Coroutine[Any, Any, Opened]) -> None:
        self._opening = opening
        self._opened: Opened | None = None

    if not TYPE_CHECKING:  # checkers of types shall go on to find these mistakes

        def __getattr__(self, name: str) -> NoReturn:
            raise AttributeError(
                f"this is not open yet: .{name}, open it by `async with ... as it` or "
                "`it = await ...`"
            )

        def __enter__(self) -> NoReturn:
            self._opening.close()  # it will not be awaited
            raise cannot_wait("what ternmq.aio opens")

        def __exit__(self, *raised: object) -> None:
            """Python looks for it before it enters."""

    def __await__(self) -> Generator[Any, Any, Opened]:
        return self._opening.__await__()

    async def __aenter__(self) -> Opened:
        self._opened = await self._opening
        return self._opened

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._opened is not None:
            await self._opened.__aexit__(kind, error, trace)


@final
class Unit:
    """`async with connection.unit_of_work()`: commits at the end, backs out if the block raises."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._has_begun = False

    if not TYPE_CHECKING:  # checkers of types shall go on to find this mistake

        def __enter__(self) -> NoReturn:
            raise cannot_wait("a unit of work of ternmq.aio")

        def __exit__(self, *raised: object) -> None:
            """Python looks for it before it enters."""

    def __repr__(self) -> str:
        from ternmq.api.unit import shown_unit  # few look

        connection = self._connection
        return shown_unit(connection.name, self._has_begun, connection.in_unit)

    async def __aenter__(self) -> Unit:
        await self._connection.begin()
        self._has_begun = True
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if not self._connection.in_unit:
            return  # ended inside the block
        if kind is None:
            await self._connection.commit()
        else:
            await self._connection.backout()

    async def commit(self) -> None:
        """End the unit here."""
        if not self._has_begun:
            from ternmq.api.unit import not_begun

            raise not_begun("async with")
        await self._connection.commit()

    async def backout(self) -> None:
        """Undo the unit here."""
        await self._connection.backout()
