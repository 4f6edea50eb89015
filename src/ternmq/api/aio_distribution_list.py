"""A distribution list for tasks: the methods of `distribution_list`, with `await`. Interpreted on
the compiled build too, so that Python warns of a call that is not awaited."""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType
from typing import TYPE_CHECKING

from ternmq.api.arguments import Data, Requests, as_bytes
from ternmq.api.list_arguments import put_call, shared_record
from ternmq.base.errors import MQError
from ternmq.codec.mqi.list_records import PutRecord
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.values.calls.lists import OpenList
from ternmq.values.calls.objects import Close
from ternmq.values.distribution import ListOutcome
from ternmq.values.transport import TaskTransport

if TYPE_CHECKING:
    from ternmq.values.message_properties import Given


class DistributionList:
    """Open queues that one put serves; an asynchronous context manager that closes them."""

    def __init__(self, transport: TaskTransport, opened: OpenList) -> None:
        self._transport = transport
        self._handle = opened.answer()
        self._destinations = opened.destinations
        self._opened = opened.found()
        self._requests = Requests(transport)

    @property
    def opened(self) -> ListOutcome:
        """What became of each destination when the list was opened."""
        return self._opened

    async def put(
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
        records: Sequence[PutRecord] | None = None,
    ) -> ListOutcome:
        """Put a message to every destination; what became of each, with its MsgId.

        Arguments as those of `Queue.put`. `records` have what the message is to have at the first
        destination, the second and so on; what a record leaves empty is as for all. MQError is
        raised if no destination got the message; its `result` says why for each.
        """
        form = self._requests.put(
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
        shared = shared_record(msg_id, correl_id, descriptor)
        to = self._destinations
        call = put_call(self._handle, to, form, as_bytes(data), shared, records, descriptor)
        await self._transport.run(call)
        return call.answer()

    async def close(self) -> None:
        """MQCLOSE; nothing happens if the list is closed."""
        if self._transport.has_handle(self._handle):
            await self._transport.run(Close(self._handle))

    async def __aenter__(self) -> DistributionList:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            await self.close()
        except MQError:
            if kind is None:  # it must not hide what is on its way out
                raise

    def __repr__(self) -> str:
        count = len(self._destinations)
        return f"<DistributionList of {count} queues of {self._transport.qmgr_name}>"
