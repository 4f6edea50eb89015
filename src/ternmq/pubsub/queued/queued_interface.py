"""The part of the queue manager that works off commands of queued publish/subscribe.

While PSMODE is ENABLED it has the control queue and the queues of all streams open for input, each
from when it is used first: a queue manager without queued applications is spared them. It is
stepped by the engine, a bounded number of messages a step, and woken when one of its queues gets a
message; a queue is worked off in order, one message after the other. Each message is got in a unit
of work in which it is carried out and answered, so a crash finds it undone or done; by PSSYNCPT a
non-persistent one may be got without. What is to be tried again waits RETRY_NS, and the messages
behind it wait too.
"""

from __future__ import annotations

from typing import Final, final

from mypy_extensions import i64

from ternmq.base import constants as mq
from ternmq.base.errors import MQError
from ternmq.base.object_types import LOCAL
from ternmq.kernel.alerts import drop_alert, set_alert
from ternmq.kernel.connection import Connection, Handle
from ternmq.kernel.ending import back_out_some, commit, give_up
from ternmq.kernel.get import resume
from ternmq.kernel.kernel import RUNNING, Kernel
from ternmq.kernel.requests import GetCall
from ternmq.kernel.resolve import attach, check_sharing, detach
from ternmq.kernel.waiters import AlertWait
from ternmq.ports.effect import Effect
from ternmq.pubsub.publish_subscribe import PublishSubscribe
from ternmq.pubsub.queued.registrations import Registrations
from ternmq.pubsub.queued.replies import TryAgain
from ternmq.pubsub.queued.streams import CONTROL_QUEUE, stream_names
from ternmq.pubsub.queued.task import CommandTask, needs_unit
from ternmq.txn.unit import ENDED
from ternmq.values.entry import PERSISTENT, Entry
from ternmq.values.get_request import GetRequest

STEP_MESSAGES: Final = 16
RETRY_NS: Final = 5_000_000_000
UNCOUNTED: Final = 4  # changes of a unit of work here, which MAXUMSGS is not about
STARTED: Final = "AMQ5806I"
HAS_ENDED: Final = "AMQ5807I"
CANNOT_OPEN: Final = "AMQ5886W"


def is_enabled(kernel: Kernel) -> bool:
    """PSMODE(ENABLED)."""
    return kernel.number("pubsub_mode") == mq.MQPSM_ENABLED


@final
class InputQueue:
    """One queue that is worked off."""

    def __init__(self, handle: Handle) -> None:
        self.handle = handle
        self.call: GetCall | None = None  # a get that is under way
        self.is_idle = False  # it was empty when it was looked at last
        self.retry_at: i64 = 0  # monotonic: not before


@final
class QueuedInterface:
    """Queued publish/subscribe of one queue manager."""

    def __init__(self, pubsub: PublishSubscribe) -> None:
        self._pubsub = pubsub
        self._kernel = pubsub.kernel
        self._connection = Connection(0, bytes(24), "", pubsub.kernel.name)
        self._registrations = Registrations(pubsub)
        self._queues: dict[str, InputQueue] = {}
        self._to_open: list[str] = []
        self._refused: dict[str, int] = {}  # by queue: the reason that was reported last
        self._settings: i64 = -1  # which version of the settings it works by
        self._works = is_enabled(pubsub.kernel)  # a change of that is reported
        self._wait = AlertWait()
        self._parked: Effect | None = None
        self._task: CommandTask | None = None
        self._task_queue: InputQueue | None = None
        self._entry: Entry | None = None
        self._next = 0  # whose turn it is

    # ---- when

    def due_in_s(self, longest: float) -> float:
        """Seconds until there is something to do, at most `longest`."""
        if self._kernel.status != RUNNING:
            return longest
        if self._parked is not None:
            return longest if not self._parked.done else 0.0
        if self._task is not None or self._settings != self._pubsub.settings:
            return 0.0
        return longest

    @property
    def is_parked(self) -> bool:
        """Whether it waits for something to be read, or for room in the log."""
        return self._parked is not None

    def tick(self) -> None:
        """Time has passed: queues that could not be opened are tried again."""
        if self._refused:
            self._settings = -1
        now_ns: i64 = self._kernel.clock.monotonic_ns()
        for queue in self._queues.values():
            if queue.retry_at and queue.retry_at <= now_ns:
                queue.retry_at = 0
                queue.is_idle = False

    def step(self, messages: i64 = STEP_MESSAGES) -> bool:
        """Work off some messages; False when there is nothing to do now."""
        if self._kernel.status != RUNNING:
            return False
        parked = self._parked
        if parked is not None:
            if not parked.done:
                return False
            self._parked = None
        if self._task is None and not self._arrange():
            return False
        while messages > 0:
            messages -= 1
            if self._task is None and not self._take_next():
                return self._parked is None and self._connection.again
            if not self._go_on():
                return self._parked is None
        return True

    def _park(self) -> bool:
        """Wait for what the last verb waits for; False: it wants another step."""
        effect = self._connection.park
        if effect is None:
            return False
        self._connection.park = None
        self._parked = effect
        waker = self._kernel.delays.waker
        if waker is not None:
            effect.waiting.append(waker)
        return True

    # ---- which queues

    def _arrange(self) -> bool:
        """Open what is to be worked off, close the others; False: parked."""
        if self._settings != self._pubsub.settings:
            self._settings = self._pubsub.settings
            names: list[str] = []
            works = is_enabled(self._kernel)
            if works:
                names = [CONTROL_QUEUE, *stream_names(self._kernel)]
            if works != self._works:
                self._works = works
                self._kernel.notices.add(STARTED if works else HAS_ENDED, (self._kernel.name,))
            for name in list(self._queues):
                if name not in names:
                    self._close(name)
            self._pubsub.input_names = names
            self._to_open = [name for name in names if name not in self._queues]
        while self._to_open:
            if not self._open(self._to_open[0]):
                return False
            self._to_open.pop(0)
        return True

    def _open(self, name: str) -> bool:
        """Open a queue if it can be; False: parked."""
        kernel = self._kernel
        connection = self._connection
        catalog = kernel.catalog
        definition = catalog.definitions.get(name)
        if definition is None or definition.object_type != LOCAL:
            return True
        number = definition.object_id
        if number not in catalog.queues and number not in catalog.with_state:
            return True  # nobody has used it yet: `queue_loaded` reports it when somebody does
        try:
            connection.begin_verb()
            local = kernel.local_queue(connection, definition)
            if local is None:
                self._park()
                return False
            check_sharing(local, mq.MQOO_INPUT_SHARED, "MQOPEN")
        except MQError as refused:  # somebody else has it, or it is damaged
            if self._refused.get(name) != refused.reason:
                kernel.notices.add(CANNOT_OPEN, (name, refused.reason))
            self._refused[name] = refused.reason
            return True
        self._refused.pop(name, None)
        handle = Handle(connection, connection.next_handle, mq.MQOO_INPUT_SHARED)
        connection.next_handle += 2
        attach(handle, local, [])
        self._queues[name] = InputQueue(handle)
        return True

    def _close(self, name: str) -> None:
        queue = self._queues.pop(name)
        drop_alert(self._kernel, queue.handle)
        detach(queue.handle)

    # ---- one message

    def _take_next(self) -> bool:
        """Get the next message, of each queue in turn; False: there is none, or not yet."""
        names = list(self._queues)
        for at in range(len(names)):
            place = (self._next + at) % len(names)
            name = names[place]
            queue = self._queues[name]
            if queue.handle.local is None or queue.handle.local.deleted:
                self._close(name)
                self._settings = -1
                continue
            if self._take(queue):
                self._next = place + 1
                return True
            if self._parked is not None or self._connection.again:
                self._next = place
                return False
        return False

    def _take(self, queue: InputQueue) -> bool:
        """Get a message of a queue; False: it has none now, or the connection is parked."""
        kernel = self._kernel
        connection = self._connection
        connection.again = False
        if queue.retry_at or not self._may_have(queue):
            return False
        call = queue.call
        if call is None:
            call = GetCall(connection, queue.handle, self._get_request())
            queue.call = call
        try:
            resume(kernel, call)
        except MQError:  # gets are inhibited, say
            queue.call = None
            queue.retry_at = kernel.clock.monotonic_ns() + RETRY_NS
            queue.is_idle = False
            self._back_out()
            return False
        entry = call.entry
        if entry is None:
            if not self._park() and not connection.again:
                queue.call = None
                queue.is_idle = True
            return False
        queue.call = None
        unit = connection.unit
        if unit is not None:
            unit.copies += UNCOUNTED
        self._begin(queue, entry)
        return True

    def _may_have(self, queue: InputQueue) -> bool:
        """Whether a queue may have a message; its alert is set before it is looked at."""
        self._wait.waker = self._kernel.delays.waker
        was_raised = set_alert(self._kernel, queue.handle)
        alert = queue.handle.alert
        if alert is not None:
            alert.wait = self._wait
        local = queue.handle.local
        if was_raised and local is not None:
            # An empty queue is not got from: a get that finds nothing counts in statistics.
            queue.is_idle = local.queue.available + local.queue.swept_alive == 0
        return not queue.is_idle

    def _get_request(self) -> GetRequest:
        always = needs_unit(self._kernel)
        option = mq.MQGMO_SYNCPOINT if always else mq.MQGMO_SYNCPOINT_IF_PERSISTENT
        request = GetRequest(option)
        request.syncpoint = always
        request.syncpoint_if_persistent = not always
        return request

    def _begin(self, queue: InputQueue, entry: Entry) -> None:
        local = queue.handle.local
        name = "" if local is None else local.name
        self._entry = entry
        self._task_queue = queue
        self._task = CommandTask(self._pubsub, self._connection, self._registrations, name, entry)

    def _go_on(self) -> bool:
        """Carry on with the message; False: parked, or it wants another step."""
        task = self._task
        if task is None:
            return True
        connection = self._connection
        connection.park = None
        connection.again = False
        try:
            if not task.step():
                self._park()
                return False
            if connection.unit is not None:
                commit(self._kernel, connection)
        except (TryAgain, MQError):
            self._back_out()
            self._postpone()
        self._end()
        return True

    def _postpone(self) -> None:
        """The message is on its queue again, in front of the others."""
        queue = self._task_queue
        entry = self._entry
        if queue is None or entry is None:
            return
        queue.is_idle = False
        retries = self._kernel.number("pubsub_retries")
        if not entry.flags & PERSISTENT or entry.backout_count > retries:
            queue.retry_at = self._kernel.clock.monotonic_ns() + RETRY_NS

    def _back_out(self) -> None:
        connection = self._connection
        give_up(self._kernel, connection)
        unit = connection.unit
        if unit is not None and unit.state != ENDED:
            while not back_out_some(self._kernel, unit):
                pass
        connection.unit = None

    def _end(self) -> None:
        self._task = None
        self._task_queue = None
        self._entry = None
        connection = self._connection
        connection.user = ""
        connection.privileged = True
