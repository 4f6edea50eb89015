"""MQOPEN, more options of an open queue, MQCLOSE, MQINQ, MQSET, and the storage of a queue."""

from __future__ import annotations

from typing import Any, final

from ternmq.base.attributes import Value
from ternmq.base.errors import MQError, mq_error
from ternmq.base.names import bare_name
from ternmq.base.reasons import MQRC_SELECTION_STRING_ERROR, MQRC_SELECTOR_NOT_FOR_TYPE
from ternmq.codec.mqi.mqod import ObjectDescriptor
from ternmq.values.calls.call import Call
from ternmq.values.handle import ObjectHandle
from ternmq.values.status import GroupFigures, StorageStatus


def settle_names(od: ObjectDescriptor) -> None:
    """Names as the fields of an MQOD have them: what fills a field up does not belong to them."""
    od.object_name = bare_name(od.object_name)
    od.object_qmgr_name = bare_name(od.object_qmgr_name)
    od.dynamic_queue_name = bare_name(od.dynamic_queue_name)


@final
class Open(Call):
    """MQOPEN. With `as_needed` no option means a handle that inquires, or everything that a dynamic
    queue can be used for; `exclusive` then adds exclusive input. `selector` and `object_string` are
    the texts that the MQOD's SelectionString and ObjectString describe."""

    def __init__(
        self,
        od: ObjectDescriptor,
        options: int,
        as_needed: bool = False,
        exclusive: bool = False,
        verb: str = "MQOPEN",
        selector: str = "",
        object_string: str = "",
    ) -> None:
        super().__init__("open", verb)
        if od.selection_string.length and not selector:
            detail = "SelectionString describes a text that is not there: give it as `selector`"
            raise mq_error(MQRC_SELECTION_STRING_ERROR, verb=verb, detail=detail)
        settle_names(od)
        self.od = od
        self.options = options
        self.as_needed = as_needed
        self.exclusive = exclusive
        self.selector = selector
        self.object_string = object_string  # of a topic
        self.resolved_string = ""  # of a topic: its string in full
        self.handle: ObjectHandle | None = None
        self.object_type = 0  # a bit of base.object_types; 0: the queue manager, or not known
        self.resolved_name = ""  # of the queue as its queue manager knows it
        self.renamed = False  # a dynamic queue: it has another name than it was asked for by
        self.resolved_qmgr = ""  # which queue manager has the queue
        self.local_queue = ""  # that takes its messages here; not known through a channel
        # The same names whether MQOO_RESOLVE_LOCAL_Q was asked for or not: those of puts.
        self.target_name = ""
        self.target_qmgr = ""

    def opened(self) -> ObjectHandle:
        """The handle, once the call is done."""
        handle = self.handle
        if handle is None:
            raise NotImplementedError("MQOPEN is not done")
        return handle

    def result(self) -> dict[str, Any]:
        handle = self.opened()
        return {
            "handle": handle.handle_id,
            "options": int(handle.options),
            "resolved": self.resolved_name,
            "resolved_qmgr": self.resolved_qmgr,
            "local": self.local_queue,
            "target": self.target_name,
            "target_qmgr": self.target_qmgr,
            "renamed": self.renamed,
            "type": self.object_type,
            "resolved_string": self.resolved_string,
        }

    def take(self, result: dict[str, Any], data: bytes, at: int) -> None:
        handle = ObjectHandle(int(result["handle"]), int(result["options"]))
        self.resolved_name = str(result["resolved"])
        self.target_name = str(result["target"])
        self.target_qmgr = str(result["target_qmgr"])
        handle.resolved_name = self.target_name
        self.handle = handle
        self.resolved_qmgr = str(result["resolved_qmgr"])
        self.local_queue = str(result["local"])
        self.renamed = bool(result["renamed"])
        self.object_type = int(result["type"])
        self.resolved_string = str(result["resolved_string"])


@final
class Widen(Call):
    """An open queue is used for more than it was opened for: further MQOO options of its handle,
    which the queue manager checks as MQOPEN does. Where handles cannot be widened, `handle` is
    another one then, which has these options alone."""

    def __init__(self, handle: ObjectHandle, options: int) -> None:
        super().__init__("widen", "MQOPEN")
        self.handle = handle
        self.options = options
        self.allowed = 0  # the MQOO options that the handle has now
        self.resolved_name = ""  # a definition of a remote queue may have led to one since

    def subject(self) -> ObjectHandle | None:
        return self.handle

    def take(self, result: dict[str, Any], data: bytes, at: int) -> None:
        super().take(result, data, at)
        self.handle.options = self.allowed
        self.handle.resolved_name = self.resolved_name


@final
class Close(Call):
    """MQCLOSE."""

    def __init__(self, handle: ObjectHandle, options: int = 0) -> None:
        super().__init__("close", "MQCLOSE")
        self.handle = handle
        self.options = options
        self.warning = 0  # a reason: the handle is closed, in the middle of a group

    def subject(self) -> ObjectHandle | None:
        return self.handle


@final
class Inquire(Call):
    """MQINQ; `values` are in the order of the selectors."""

    def __init__(self, handle: ObjectHandle, selectors: list[int]) -> None:
        super().__init__("inquire", "MQINQ")
        self.handle = handle
        self.selectors = selectors
        self.values: list[Value] = []
        self.inapplicable: list[int] = []  # selectors that are not for this type of object

    def subject(self) -> ObjectHandle | None:
        return self.handle

    def answer(self) -> list[Value]:
        """The values; MQRC_SELECTOR_NOT_FOR_TYPE, with them, if some do not apply."""
        if self.inapplicable:
            raise not_for_type(self.handle, self.inapplicable, self.values)
        return self.values


def not_for_type(handle: ObjectHandle, selectors: list[int], values: list[Value]) -> MQError:
    """The warning, with the values that there are as its `result`."""
    return mq_error(
        MQRC_SELECTOR_NOT_FOR_TYPE,
        verb="MQINQ",
        object=handle.resolved_name,
        detail=f"selectors {', '.join(str(one) for one in selectors)}",
        result=values,
    )


@final
class SetAttributes(Call):
    """MQSET."""

    def __init__(self, handle: ObjectHandle, values: dict[int, Value]) -> None:
        super().__init__("set", "MQSET")
        self.handle = handle
        self.values = values

    def subject(self) -> ObjectHandle | None:
        return self.handle


@final
class InquireGroups(Call):
    """The groups on a queue behind a serial number, or the incomplete ones; a part of them. `next`
    is what to ask behind for more, -1: that was all."""

    def __init__(self, handle: ObjectHandle, after: int, incomplete: bool) -> None:
        super().__init__("groups", "MQINQ")
        self.handle = handle
        self.after = after
        self.incomplete = incomplete
        self.groups: list[GroupFigures] = []
        self.next = -1

    def subject(self) -> ObjectHandle | None:
        return self.handle


@final
class InquireStorage(Call):
    """Where the messages of a queue are."""

    def __init__(self, handle: ObjectHandle) -> None:
        super().__init__("storage_status", "MQINQ")
        self.handle = handle
        self.found: StorageStatus | None = None

    def subject(self) -> ObjectHandle | None:
        return self.handle

    def outcome(self) -> StorageStatus:
        """The result."""
        found = self.found
        if found is None:
            raise NotImplementedError("storage_status is not done")
        return found


@final
class FindSimilarQueues(Call):
    """Which queues a name may have meant that no queue has."""

    def __init__(self, object_name: str) -> None:
        super().__init__("similar_queues", "MQOPEN")
        self.object_name = object_name
        self.names: list[str] = []
