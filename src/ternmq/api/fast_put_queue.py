"""The way into a put of tasks: plain bytes to a queue whose puts are not answered take the short
one.

Compiled, because a put has many arguments that are nearly never given, and looking at them costs
more than the put. What it returns is the coroutine of the put.
"""

from __future__ import annotations

from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any

from mypy_extensions import mypyc_attr

from ternmq.api.arguments import Data
from ternmq.api.fast_put import fast_put
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.values.transport import PlainPut

if TYPE_CHECKING:
    from ternmq.values.message_properties import Given


@mypyc_attr(allow_interpreted_subclasses=True)
class FastPutQueue:
    """A queue that messages are put to."""

    def __init__(self) -> None:
        self.plain: PlainPut | None = None  # once a put has shown that it can be done at once

    def put(
        self,
        data: Data,
        *,
        persistent: bool | None = None,
        priority: int | None = None,
        expiry: float | None = None,
        msg_id: bytes | None = None,
        correl_id: bytes | None = None,
        reply_to: str | None = None,
        format: str | None = None,
        descriptor: Descriptor | None = None,
        options: int = 0,
        syncpoint: bool | None = None,
        properties: Given | None = None,
    ) -> Coroutine[Any, Any, bytes]:
        """Put a message and return its MsgId; arguments as those of the blocking `Queue.put`."""
        plain = self.plain
        if (
            plain is not None
            and isinstance(data, bytes)
            and persistent is None
            and priority is None
            and expiry is None
            and msg_id is None
            and correl_id is None
            and reply_to is None
            and format is None
            and descriptor is None
            and options == 0
            and syncpoint is None
            and properties is None
        ):
            return fast_put(self, plain, data)
        return self.put_with(
            data,
            persistent,
            priority,
            expiry,
            msg_id,
            correl_id,
            reply_to,
            format,
            descriptor,
            options,
            syncpoint,
            properties,
        )

    def put_with(
        self,
        data: Data,
        persistent: bool | None,
        priority: int | None,
        expiry: float | None,
        msg_id: bytes | None,
        correl_id: bytes | None,
        reply_to: str | None,
        format: str | None,
        descriptor: Descriptor | None,
        options: int,
        syncpoint: bool | None,
        properties: Given | None,
    ) -> Coroutine[Any, Any, bytes]:
        """The same with every argument."""
        raise NotImplementedError
