"""The verbs that are not MQPUT or MQGET, but for waiting: what each does under the engine's lock.

A step is attempted until it says that it is done. In between, its connection is parked on an
effect, or (`again`) has done a bounded part and lets others have the lock. Whoever runs a step
forces the log to the connection's `durable_at` before answering. Run by `Verbs` in threads and by
`aio_verbs` in tasks, so that both mean the same.
"""

from __future__ import annotations

from typing import Any, Final, final

from ternmq.admin import objects
from ternmq.admin.command_authority import check_asked
from ternmq.admin.execution import Execution
from ternmq.base import constants as mq
from ternmq.base.attributes import Value
from ternmq.base.errors import mq_error
from ternmq.base.limits import SELECTORS_MAX
from ternmq.base.object_types import AUTHREC, BY_BIT, CHLAUTH, LOCAL, QMGR, QUEUES
from ternmq.base.reasons import (
    MQRC_NOT_OPEN_FOR_INQUIRE,
    MQRC_NOT_OPEN_FOR_SET,
    MQRC_OBJECT_TYPE_ERROR,
    MQRC_RESOURCE_PROBLEM,
    MQRC_SELECTOR_LIMIT_EXCEEDED,
    MQRC_UNKNOWN_OBJECT_Q_MGR,
    MQRC_UOW_IN_PROGRESS,
)
from ternmq.codec.mqod import ObjectDescriptor
from ternmq.kernel import media, recreate, two_phase
from ternmq.kernel.authority import check_administrator
from ternmq.kernel.connection import Connection as Link
from ternmq.kernel.connection import Handle
from ternmq.kernel.ending import back_out, backed_out, commit, disconnect
from ternmq.kernel.inquire import inquire, not_for_type, set_attributes
from ternmq.kernel.kernel import Kernel
from ternmq.kernel.metering_calls import was_inquired, was_set
from ternmq.kernel.resolve import (
    check_handle,
    close,
    open_plain,
    open_queue,
    open_queue_manager,
)
from ternmq.mqi.options import check_close, check_object
from ternmq.txn.extent_needs import ExtentRemoval
from ternmq.txn.unit import XID, UnitOfWork

# There is one queue manager, and records are set by commands of their own.
_NOT_DEFINED: Final = (QMGR, CHLAUTH, AUTHREC)


class Step:
    """One verb of one connection."""

    def __init__(self, verb: str) -> None:
        self.verb = verb
        self.subject: Handle | None = None  # the open object that it is about

    def attempt(self, kernel: Kernel, link: Link) -> bool:
        """Go on; True when the verb is done. Called with the lock."""
        raise NotImplementedError


# ---- objects


@final
class Open(Step):
    """MQOPEN, also as a part of MQPUT1; then `handle` is set."""

    def __init__(self, od: ObjectDescriptor, options: int, verb: str = "MQOPEN") -> None:
        super().__init__(verb)
        self.od = od
        self.options = options
        self.handle: Handle | None = None

    def attempt(self, kernel: Kernel, link: Link) -> bool:
        od = self.od
        options = self.options
        check_object(od, options, self.verb)
        kernel.refuse_if_ending(options & mq.MQOO_FAIL_IF_QUIESCING != 0, self.verb)
        if od.object_type == mq.MQOT_Q_MGR:
            link.begin_verb()
            if od.object_qmgr_name not in ("", kernel.name):
                raise mq_error(
                    MQRC_UNKNOWN_OBJECT_Q_MGR, verb=self.verb, object=od.object_qmgr_name
                )
            self.handle = open_queue_manager(kernel, link, options, od.alternate_user_id)
        elif od.object_type in (mq.MQOT_PROCESS, mq.MQOT_NAMELIST):
            self.handle = open_plain(
                kernel, link, od.object_type, od.object_name, options, od.alternate_user_id
            )
        else:
            self.handle = open_queue(
                kernel,
                link,
                od.object_name,
                od.object_qmgr_name,
                od.dynamic_queue_name,
                options,
                self.verb,
                od.alternate_user_id,
            )
        return self.handle is not None

    def opened(self) -> Handle:
        """The handle, once the step is done."""
        handle = self.handle
        if handle is None:
            raise NotImplementedError("MQOPEN is not done")
        return handle


@final
class Close(Step):
    """MQCLOSE."""

    def __init__(self, handle: Handle, options: int) -> None:
        super().__init__("MQCLOSE")
        check_close(options)
        self.handle = handle
        self.subject = handle
        self.options = options

    def attempt(self, kernel: Kernel, link: Link) -> bool:
        check_handle(link, self.handle, self.verb)
        return close(kernel, self.handle, self.options)


@final
class Inquire(Step):
    """MQINQ; `values` are in the order of the selectors."""

    def __init__(self, handle: Handle, selectors: list[int]) -> None:
        super().__init__("MQINQ")
        self.handle = handle
        self.subject = handle
        self.selectors = selectors
        self.values: list[Value] = []
        self.strange: list[int] = []  # selectors that are not for this type of object

    def answer(self) -> list[Value]:
        """The values; MQRC_SELECTOR_NOT_FOR_TYPE, with them, if some are none."""
        if self.strange:
            raise not_for_type(self.handle, self.strange, self.values)
        return self.values

    def attempt(self, kernel: Kernel, link: Link) -> bool:
        handle = self.handle
        check_handle(link, handle, self.verb)
        if not handle.options & mq.MQOO_INQUIRE:
            raise mq_error(MQRC_NOT_OPEN_FOR_INQUIRE, verb=self.verb, object=handle.resolved_name)
        if len(self.selectors) > SELECTORS_MAX:
            raise mq_error(
                MQRC_SELECTOR_LIMIT_EXCEEDED,
                verb=self.verb,
                detail=f"{len(self.selectors)} selectors",
            )
        link.begin_verb()
        self.values, self.strange = inquire(kernel, handle, self.selectors)
        if kernel.measured:
            was_inquired(kernel, handle)
        return True


@final
class Set(Step):
    """MQSET."""

    def __init__(self, handle: Handle, values: dict[int, Value]) -> None:
        super().__init__("MQSET")
        self.handle = handle
        self.subject = handle
        self.values = values

    def attempt(self, kernel: Kernel, link: Link) -> bool:
        handle = self.handle
        check_handle(link, handle, self.verb)
        if not handle.options & mq.MQOO_SET:
            raise mq_error(MQRC_NOT_OPEN_FOR_SET, verb=self.verb, object=handle.resolved_name)
        link.begin_verb()
        if not set_attributes(kernel, handle, self.values):
            return False
        if kernel.measured:
            was_set(kernel, handle)
        return True


# ---- units of work


@final
class Begin(Step):
    """MQBEGIN: a unit that the queue manager coordinates; here, always with itself alone."""

    def __init__(self) -> None:
        super().__init__("MQBEGIN")

    def attempt(self, kernel: Kernel, link: Link) -> bool:
        kernel.refuse_if_ending(False, self.verb)
        link.begin_verb()
        unit = link.unit
        if unit is not None and unit.changes:
            raise mq_error(MQRC_UOW_IN_PROGRESS, verb=self.verb, object=kernel.name)
        return True


@final
class Commit(Step):
    """MQCMIT."""

    def __init__(self) -> None:
        super().__init__("MQCMIT")

    def attempt(self, kernel: Kernel, link: Link) -> bool:
        commit(kernel, link)
        return not link.again


@final
class BackOut(Step):
    """MQBACK."""

    def __init__(self) -> None:
        super().__init__("MQBACK")

    def attempt(self, kernel: Kernel, link: Link) -> bool:
        back_out(kernel, link)
        return not link.again


@final
class Disconnect(Step):
    """MQDISC; commits unless the application has vanished."""

    def __init__(self, vanished: bool) -> None:
        super().__init__("MQDISC")
        self.vanished = vanished
        self.undone = ""  # why the queue manager had backed the unit of work out

    def tell(self) -> None:
        """Raise if the connection has ended, and its work was backed out instead of committed."""
        if self.undone and not self.vanished:
            raise backed_out("MQDISC", self.undone)

    def attempt(self, kernel: Kernel, link: Link) -> bool:
        unit = link.unit
        if unit is not None and unit.backed_out_by:
            self.undone = unit.backed_out_by
        disconnect(kernel, link, self.vanished)
        return not link.again


@final
class Prepare(Step):
    """The first phase of a two-phase commit; `prepared` is False if the unit changed nothing."""

    def __init__(self, xid: XID) -> None:
        super().__init__("prepare")
        self.xid = xid
        self.prepared = False
        self.done = False

    def attempt(self, kernel: Kernel, link: Link) -> bool:
        self.prepared = two_phase.prepare(kernel, link, self.xid)
        self.done = link.park is None
        return self.done


@final
class EndPrepared(Step):
    """The second phase; `heuristic` if an operator decides."""

    def __init__(self, xid: XID, commit: bool, heuristic: bool) -> None:
        super().__init__("commit" if commit else "backout")
        self.xid = xid
        self.commit = commit
        self.heuristic = heuristic
        self._unit: UnitOfWork | None = None

    def attempt(self, kernel: Kernel, link: Link) -> bool:
        if self._unit is not None:
            two_phase.go_on_backing_out(kernel, link, self._unit)
            return not link.again
        if self.heuristic:
            check_administrator(kernel, link, self.verb)
            two_phase.note_heuristic(kernel, link, self.xid, self.commit)
        if self.commit:
            two_phase.commit_prepared(kernel, link, self.xid)
        else:
            self._unit = two_phase.back_out_prepared(kernel, link, self.xid)
        return not link.again


@final
class Forget(Step):
    """Drop the memory of a heuristic outcome."""

    def __init__(self, xid: XID) -> None:
        super().__init__("forget")
        self.xid = xid

    def attempt(self, kernel: Kernel, link: Link) -> bool:
        two_phase.forget(kernel, link, self.xid)
        return True


# ---- definitions


@final
class Define(Step):
    """DEFINE of a queue."""

    def __init__(
        self, object_type: int, name: str, attributes: dict[str, Any], replace: bool
    ) -> None:
        super().__init__("DEFINE")
        self.object_type = object_type
        self.name = name
        self.attributes = attributes
        self.replace = replace

    def attempt(self, kernel: Kernel, link: Link) -> bool:
        if self.object_type not in BY_BIT or self.object_type in _NOT_DEFINED:
            detail = f"{self.object_type} is no type of object that can be defined"
            raise mq_error(MQRC_OBJECT_TYPE_ERROR, verb="DEFINE", object=self.name, detail=detail)
        check_asked(kernel, link, "DEFINE", self.object_type, self.name, self.replace)
        return objects.define(
            kernel, link, self.object_type, self.name, self.attributes, self.replace
        )


@final
class Alter(Step):
    """ALTER of a queue."""

    def __init__(self, name: str, attributes: dict[str, Any]) -> None:
        super().__init__("ALTER")
        self.name = name
        self.attributes = attributes

    def attempt(self, kernel: Kernel, link: Link) -> bool:
        check_asked(kernel, link, "ALTER", LOCAL, self.name)
        return objects.alter(kernel, link, QUEUES, self.name, self.attributes)


@final
class AlterQueueManager(Step):
    """ALTER QMGR."""

    def __init__(self, attributes: dict[str, Any]) -> None:
        super().__init__("ALTER QMGR")
        self.attributes = attributes

    def attempt(self, kernel: Kernel, link: Link) -> bool:
        check_asked(kernel, link, "ALTER", QMGR, "")
        return objects.alter_queue_manager(kernel, link, self.attributes)


@final
class Delete(Step):
    """DELETE of a queue."""

    def __init__(self, name: str, purge: bool) -> None:
        super().__init__("DELETE")
        self.name = name
        self.purge = purge

    def attempt(self, kernel: Kernel, link: Link) -> bool:
        check_asked(kernel, link, "DELETE", LOCAL, self.name)
        return objects.delete(kernel, link, QUEUES, self.name, self.purge)


@final
class Clear(Step):
    """CLEAR of a queue."""

    def __init__(self, name: str) -> None:
        super().__init__("CLEAR")
        self.name = name

    def attempt(self, kernel: Kernel, link: Link) -> bool:
        check_asked(kernel, link, "CLEAR", LOCAL, self.name)
        return objects.clear(kernel, link, self.name)


# ---- commands


@final
class CarryOut(Step):
    """Commands of the administrator, one after the other, answered together when all are forced;
    the answers are in the executions."""

    def __init__(self, executions: list[Execution]) -> None:
        super().__init__(executions[0].verb)
        self.executions = executions
        self.done = 0
        self.durable_at = 0

    def attempt(self, kernel: Kernel, link: Link) -> bool:
        if not self.executions[self.done].attempt(kernel, link):
            return False
        self.done += 1
        self.durable_at = max(self.durable_at, int(link.durable_at))
        if self.done < len(self.executions):
            link.again = True
            return False
        link.depends_on(self.durable_at)
        return True


# ---- the log and media recovery


@final
class RecordImage(Step):
    """Media images of one object, of several, or of all; `recorded` are their names."""

    def __init__(self, name: str) -> None:
        super().__init__(media.VERB)
        self.order = media.ImageOrder(name)

    def attempt(self, kernel: Kernel, link: Link) -> bool:
        check_administrator(kernel, link, self.verb)
        return self.order.attempt(kernel, link)


@final
class Recreate(Step):
    """An object is made anew from its media image."""

    def __init__(self, name: str) -> None:
        super().__init__(recreate.VERB)
        self.order = recreate.Recreation(name)

    def attempt(self, kernel: Kernel, link: Link) -> bool:
        check_administrator(kernel, link, self.verb)
        return self.order.attempt(kernel, link)


@final
class DeleteLogExtents(Step):
    """Files of the log that nobody needs go; `names` are theirs."""

    def __init__(self) -> None:
        super().__init__("delete log extents")
        self.names: list[str] = []
        self._removal: ExtentRemoval | None = None

    def attempt(self, kernel: Kernel, link: Link) -> bool:
        check_administrator(kernel, link, self.verb)
        link.begin_verb()
        removal = self._removal
        if removal is None:
            media.refuse_if_circular(kernel, self.verb)
            removal = ExtentRemoval(kernel.keeper)
            self._removal = removal
            kernel.outbox.add(removal)
        if not removal.done:
            link.park = removal
            return False
        if removal.error:
            raise mq_error(
                MQRC_RESOURCE_PROBLEM, verb=self.verb, object=kernel.name, detail=removal.error
            )
        self.names = removal.removed
        return True
