"""The handles of one queue as an application sees it: one, which is widened as it is used.

It is open for what it was used for and nothing else: a program that only puts is not in the way of
one that has the queue open exclusively, and needs no authority to get. Browses have handles of
their own, each with its cursor, and at a queue manager of IBM's each use has one (`Widen`). Shared
by `queue` and `aio_queue`, which open and close.
"""

from __future__ import annotations

from typing import Final, final

from ternmq.base import constants as mq
from ternmq.base.errors import mq_error
from ternmq.base.reasons import MQRC_HOBJ_ERROR
from ternmq.codec.mqi.mqod import ObjectDescriptor
from ternmq.values.calls.objects import Open, Widen
from ternmq.values.handle import ObjectHandle

# For puts with context: the open options have the values of the put options.
CONTEXT_OPTIONS: Final = (
    mq.MQPMO_PASS_IDENTITY_CONTEXT
    | mq.MQPMO_PASS_ALL_CONTEXT
    | mq.MQPMO_SET_IDENTITY_CONTEXT
    | mq.MQPMO_SET_ALL_CONTEXT
)
OUTPUT: Final = mq.MQOO_OUTPUT | mq.MQOO_FAIL_IF_QUIESCING
INPUT_OPTIONS: Final = mq.MQOO_INPUT_AS_Q_DEF | mq.MQOO_INPUT_SHARED | mq.MQOO_INPUT_EXCLUSIVE
BROWSE: Final = mq.MQOO_BROWSE | mq.MQOO_FAIL_IF_QUIESCING
READING: Final = INPUT_OPTIONS | mq.MQOO_BROWSE


def for_output(put_options: int) -> int:
    """MQOO options for a put with these MQPMO options."""
    return OUTPUT | (put_options & CONTEXT_OPTIONS)


def for_put1(put_options: int) -> int:
    """The same for one put by a handle of its own, which may name an alternate user."""
    return for_output(put_options) | (put_options & mq.MQOO_ALTERNATE_USER_AUTHORITY)


def checked_name(given: object, what: str = "a queue") -> str:
    """A name as it was given; TypeError with its value if it is not text. Refused before it
    travels, so that every transport refuses it alike."""
    if isinstance(given, str):
        return given
    from ternmq.api.wrong_arguments import name_error  # few make a mistake

    raise name_error(given, what)


def queue_object(
    name: object, qmgr: object = "", alternate_user: object = "", dynamic_name: object = "AMQ.*"
) -> ObjectDescriptor:
    """The MQOD of a queue."""
    return ObjectDescriptor(
        object_name=checked_name(name),
        object_qmgr_name=checked_name(qmgr, "a queue manager"),
        alternate_user_id=checked_name(alternate_user, "a user"),
        dynamic_queue_name=checked_name(dynamic_name, "a dynamic queue"),
    )


def checked_selector(given: object) -> str:
    """A selection string as it was given; TypeError with its value if it is not text."""
    if not isinstance(given, str):
        raise TypeError(f"a selector is text such as \"colour = 'red'\", not {given!r}")
    return given


def for_selection(options: int, selector: str) -> int:
    """MQOO options of a queue's first handle: one with a selection string is open to be read."""
    if not checked_selector(selector) or options & READING:
        return options
    return options | mq.MQOO_INPUT_AS_Q_DEF | BROWSE | mq.MQOO_INQUIRE


@final
class Handles:
    """What one queue has open."""

    def __init__(self, opened: Open) -> None:
        self._dropped: list[ObjectHandle] | None = None  # the transport's
        base = opened.opened()
        self.base = base
        self.name = opened.od.object_name
        self._qmgr = opened.od.object_qmgr_name
        # What MQOPEN found; without names if the first handle only inquires.
        uses = base.options & (READING | mq.MQOO_OUTPUT)
        self.resolved_name = opened.resolved_name if uses else ""
        self.resolved_qmgr = opened.resolved_qmgr if uses else ""
        self._is_dynamic = opened.renamed and base.resolved_name != self.name.rstrip(" ")
        if opened.renamed:
            self.name = base.resolved_name  # a model queue has become a dynamic one
        self._selector = opened.selector
        self.topic = ""  # of a subscription that made the queue and closes it
        self.is_open = True
        self.output: ObjectHandle | None = base if base.options & mq.MQOO_OUTPUT else None
        # A handle that was asked to browse has the cursor, so gets of every kind are its business.
        gets = base.options & (INPUT_OPTIONS | mq.MQOO_BROWSE)
        self.input: ObjectHandle | None = base if gets else None
        self._others: dict[int, ObjectHandle] = {}
        self._loans: list[ObjectHandle] = []  # lent to one user at a time
        self._free: list[ObjectHandle] = []  # those of them that are not in use

    def close_when_dropped(self, dropped: list[ObjectHandle]) -> None:
        """Have the handles there, to be closed, when nobody has the queue any more. A dynamic queue
        stays: its name may be in use, as a ReplyToQ for instance."""
        if not self._is_dynamic:
            self._dropped = dropped

    def __del__(self) -> None:
        # The collector may run anywhere, also where a lock is held: nothing is closed here.
        if self._dropped is not None and self.is_open:
            self._dropped.extend(self.all())

    def check_open(self) -> None:
        """MQRC_HOBJ_ERROR if the queue was closed."""
        if not self.is_open:
            if self.topic:
                detail = f"the subscription is closed: {self.topic}, make it again by "
                detail += "connection.subscribe()"
                raise mq_error(MQRC_HOBJ_ERROR, object=self.topic, detail=detail)
            detail = f"the queue is closed: {self.name}, open it again by connection.queue()"
            raise mq_error(MQRC_HOBJ_ERROR, object=self.name, detail=detail)

    def was_closed(self) -> None:
        """From now on every use is refused, also that of a handle for puts or gets."""
        self.is_open = False
        self.output = None
        self.input = None

    def find(self, options: int) -> ObjectHandle | None:
        """A handle that allows what these options ask for; None if the first one has to be
        widened."""
        self.check_open()
        needed = options & ~mq.MQOO_FAIL_IF_QUIESCING
        if self.base.options & needed == needed:
            return self.base
        return self._others.get(options)

    def widened(self, call: Widen) -> ObjectHandle:
        """The handle that allows what the call has asked for."""
        handle = call.handle
        options = call.options
        if handle is not self.base:
            self._others[options] = handle
        if options & mq.MQOO_OUTPUT and self.output is None:
            self.output = handle
        elif options & INPUT_OPTIONS:
            self.input = handle
        return handle

    def for_input(self) -> int:
        """MQOO options for gets."""
        exclusive = self.base.options & mq.MQOO_INPUT_EXCLUSIVE
        return (mq.MQOO_INPUT_EXCLUSIVE if exclusive else mq.MQOO_INPUT_AS_Q_DEF) | BROWSE

    def descriptor(self) -> ObjectDescriptor:
        """What to open by."""
        self.check_open()
        return ObjectDescriptor(object_name=self.name, object_qmgr_name=self._qmgr)

    def open_browse(self) -> Open:
        """The call that opens a handle for one browse."""
        return Open(self.descriptor(), BROWSE, selector=self._selector)

    def borrow(self) -> ObjectHandle | None:
        """A handle that is not in use; None if one has to be opened."""
        self.check_open()
        return self._free.pop() if self._free else None

    def lend(self, handle: ObjectHandle) -> None:
        """A handle was opened for a caller that borrows it."""
        self._loans.append(handle)

    def give_back(self, handle: ObjectHandle) -> None:
        """The borrower is done with the handle; it stays open for the next one."""
        if self.is_open:
            self._free.append(handle)

    def all(self) -> list[ObjectHandle]:
        """Every handle that the queue has open."""
        return [self.base, *self._others.values(), *self._loans]

    def let_go(self) -> list[ObjectHandle]:
        """All but the first, to be closed; the first one says how a dynamic queue ends."""
        others = [*self._others.values(), *self._loans]
        self._others = {}
        self._loans = []
        self._free = []
        if self.input is not self.base:
            self.input = None
        if self.output is not self.base:
            self.output = None
        return others

    def close_options(self, delete: bool, purge: bool) -> int:
        """MQCO options of the first handle."""
        if purge:
            return mq.MQCO_DELETE_PURGE
        return mq.MQCO_DELETE if delete else mq.MQCO_NONE
