"""`with queue.group() as group`: the messages of one group, put in order.

Each put says where in the group its message belongs, so that groups may be put side by side by one
queue. `aio_queue` has the same for tasks.
"""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING, Any, final

from ternmq.base import constants as mq
from ternmq.base.errors import MQError, mq_error
from ternmq.base.reasons import MQRC_INCOMPLETE_GROUP
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.values.calls.messages import Put

if TYPE_CHECKING:
    from ternmq.api import aio_queue, queue
    from ternmq.api.arguments import Data


class GroupProgress:
    """How far a group is."""

    def __init__(self, name: str) -> None:
        self._name = name
        self.group_id = mq.MQGI_NONE  # made by the queue manager with the first message
        self.count = 0  # messages put
        self.is_complete = False  # the last one is put

    def next(self, last: bool, given: Descriptor | None) -> Descriptor:
        """The descriptor of the next message."""
        if self.is_complete:
            detail = f"the group has its last message, number {self.count}: begin another"
            raise self._error(mq.MQCC_FAILED, detail)
        md = Descriptor() if given is None else _copied(given)
        md.version = mq.MQMD_VERSION_2
        md.msg_flags |= mq.MQMF_LAST_MSG_IN_GROUP if last else mq.MQMF_MSG_IN_GROUP
        md.group_id = self.group_id
        md.msg_seq_number = self.count + 1
        return md

    def was_put(self, call: Put, last: bool) -> bytes:
        """One is put; its MsgId."""
        self.group_id = call.place[: mq.MQ_GROUP_ID_LENGTH]
        self.count += 1
        self.is_complete = last
        return call.msg_id

    def check_complete(self, failed: bool) -> None:
        """At the end of the block, unless something failed in it."""
        if self.count and not self.is_complete and not failed:
            detail = f"no last message after {self.count}; put it with last=True"
            raise self._error(mq.MQCC_WARNING, detail)

    def _error(self, comp: int, detail: str) -> MQError:
        name = self._name
        return mq_error(MQRC_INCOMPLETE_GROUP, comp=comp, verb="MQPUT", object=name, detail=detail)


def _copied(given: object) -> Descriptor:
    """A dictionary can be copied too, and is not a descriptor."""
    if isinstance(given, Descriptor):
        return given.copy()
    from ternmq.api.wrong_arguments import descriptor_fault  # few make a mistake

    raise TypeError(descriptor_fault(given))


@final
class MessageGroup(GroupProgress):
    """A group that is put; a context manager that says if its last message is missing."""

    def __init__(self, queue: queue.Queue) -> None:
        super().__init__(queue.name)
        self._queue = queue

    def put(
        self,
        data: Data,
        *,
        last: bool = False,
        descriptor: Descriptor | None = None,
        **particulars: Any,
    ) -> bytes:
        """Put the next message of the group and return its MsgId; particulars as those of
        `Queue.put`."""
        md = self.next(last, descriptor)
        return self.was_put(self._queue.put_call(data, md, particulars), last)

    def __enter__(self) -> MessageGroup:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.check_complete(kind is not None)


@final
class TaskMessageGroup(GroupProgress):
    """The same for tasks."""

    def __init__(self, queue: aio_queue.Queue) -> None:
        super().__init__(queue.name)
        self._queue = queue

    async def put(
        self,
        data: Data,
        *,
        last: bool = False,
        descriptor: Descriptor | None = None,
        **particulars: Any,
    ) -> bytes:
        """Put the next message of the group and return its MsgId; particulars as those of
        `Queue.put`."""
        md = self.next(last, descriptor)
        return self.was_put(await self._queue.put_call(data, md, particulars), last)

    async def __aenter__(self) -> TaskMessageGroup:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.check_complete(kind is not None)
