"""A put that is several messages: what is under way of it, between its steps."""

from __future__ import annotations

from typing import TYPE_CHECKING, final

from mypy_extensions import i64

from ternmq.kernel.requests import PutRequest
from ternmq.kernel.undertaking import Undertaking
from ternmq.txn.unit import UnitOfWork
from ternmq.values.entry import Entry

if TYPE_CHECKING:
    from ternmq.base.errors import MQError
    from ternmq.kernel.connection import Handle
    from ternmq.kernel.put_position import Place
    from ternmq.kernel.splitting import Pieces
    from ternmq.kernel.streaming import CopyTarget


@final
class SegmentedPut(Undertaking):
    """One message on its way onto its queue, segment by segment."""

    __slots__ = (
        "copies",
        "data",
        "entry",
        "error",
        "handle",
        "next",
        "pieces",
        "place",
        "request",
    )

    def __init__(
        self,
        handle: Handle,
        request: PutRequest,
        data: bytes,
        place: Place,
        pieces: Pieces,
        unit: UnitOfWork,
    ) -> None:
        super().__init__(unit, not request.syncpoint)
        self.handle = handle
        self.request = request
        self.data = data
        self.place = place
        self.pieces = pieces
        self.copies: list[CopyTarget] = []  # who gets copies of all segments, whatever is altered
        self.next: i64 = 0  # number of the next piece
        self.entry: Entry | None = None  # the first segment
        self.error: MQError | None = None  # why it is being undone

    def is_of(self, handle: Handle, request: PutRequest, data: bytes) -> bool:
        """Whether this is the put that is tried again. If the application gave one up and then puts
        the very same message, there is no difference: the one it gave up is not on the queue."""
        own = self.request
        return (
            handle is self.handle
            and request.options == own.options
            and request.base == own.base
            and request.properties == own.properties
            and request.msg_id == own.msg_id
            and request.correl_id == own.correl_id
            and request.group_id == own.group_id
            and data == self.data
        )
