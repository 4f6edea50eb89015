"""What `await` opens, or `async with` opens and closes: a connection, a queue, a list.

Interpreted on the compiled build too, as `aio`.
"""

from __future__ import annotations

from collections.abc import Coroutine, Generator
from types import TracebackType
from typing import TYPE_CHECKING, Any, Generic, NoReturn, Protocol, TypeVar, final


class Closable(Protocol):
    """What `async with` closes."""

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...


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
            raise TypeError("`with` cannot wait: write `async with` for what ternmq.aio opens")

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
