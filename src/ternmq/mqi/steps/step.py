"""The base of all steps: what one verb does under the engine's lock.

A step is attempted until it says that it is done. In between, its connection is parked on an
effect, or (`again`) has done a bounded part and lets others have the lock. The driver of a step
forces the log to the connection's `durable_at` before answering. Most steps carry out a call of
`values.calls`: they read its arguments and write its result; `table` says which step that is.

Some calls wait, for a time, for something to happen: then the driver has itself woken
(`await_more`) and attempts the step again. It does so in pieces of `WAIT_PIECE_S`, so that a caller
that is cancelled, and a queue manager that ends, wait no longer than that.
"""

from __future__ import annotations

from ternmq.base.errors import mq_error
from ternmq.base.reasons import MQRC_HOBJ_ERROR
from ternmq.kernel.connection import Connection as Link
from ternmq.kernel.connection import Handle
from ternmq.kernel.kernel import Kernel
from ternmq.kernel.requests import GetCall
from ternmq.kernel.resolve import check_handle
from ternmq.ports.effect import Wakeable
from ternmq.values.handle import ObjectHandle


class Step:
    """One verb of one connection."""

    def __init__(self, verb: str) -> None:
        self.verb = verb
        self.counts_as = verb  # what is counted if it is refused
        self.subject: Handle | None = None  # the open object that it is about
        self.is_plain = False  # MQPUT and MQGET, which have fast paths beside their steps
        # A get under way: the driver of the step ends it with `answered` or `take_back` (see
        # `kernel.returning`).
        self.got: GetCall | None = None

    def attempt(self, kernel: Kernel, link: Link) -> bool:
        """Go on; True when the verb is done. Called with the lock."""
        raise NotImplementedError

    def about(self, link: Link, given: ObjectHandle) -> Handle:
        """The open object that a call names: in process by the kernel's own handle, from a wire by
        its number."""
        handle: Handle | None
        if isinstance(given, Handle):
            handle = given
        else:
            handle = link.handles.get(given.handle_id)
            if handle is None:
                raise mq_error(MQRC_HOBJ_ERROR, verb=self.verb, detail=f"handle {given.handle_id}")
        self.subject = handle
        check_handle(link, handle, self.verb)
        return handle

    def before_travel(self) -> None:
        """It is done, and its result is about to be sent."""

    # ---- waiting

    def await_more(self, kernel: Kernel, link: Link, waker: Wakeable) -> bool:
        """The call lacks something: have the waker woken when there is more; False if there is
        already."""
        return False

    def time_is_over(self, kernel: Kernel, link: Link) -> bool:
        """No time is left to wait; True if it must be attempted once more, for its answer."""
        return False

    def interrupt(self, kernel: Kernel) -> None:
        """It waits, and another thread wants it not to, if it can be woken for that."""

    def stop_awaiting(self, kernel: Kernel, link: Link, waker: Wakeable) -> None:
        """It need not be woken any more."""
