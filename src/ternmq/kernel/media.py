"""Recording media images of objects: which, one after the other, by order (rcdmqimg) or by the
clock and the log's growth (IMGSCHED, IMGINTVL, IMGLOGLN). `txn.media.image_recording` writes them.

The definitions of all objects are in the catalog, so an image of anything but a local queue is one
of the catalog.
"""

from __future__ import annotations

from typing import Final, final

from ternmq.base import constants as mq
from ternmq.base.attributes import LOCAL
from ternmq.base.command_reasons import MQRCCF_LOG_TYPE_ERROR
from ternmq.base.errors import MQError, mq_error
from ternmq.base.reasons import (
    MQRC_OBJECT_DAMAGED,
    MQRC_OPERATION_NOT_ALLOWED,
    MQRC_UNKNOWN_OBJECT_NAME,
)
from ternmq.kernel.connection import Connection
from ternmq.kernel.kernel import Kernel
from ternmq.ports.disk import Disk
from ternmq.ports.effect import Effect
from ternmq.store.catalog import Definition
from ternmq.store.register import CATALOG_ROW
from ternmq.txn.media.extent_needs import CATALOG_NAME
from ternmq.txn.media.image_recording import ImageRecording

VERB: Final = "record image"
MEGABYTE: Final = 1 << 20
MINUTE_NS: Final = 60 * 1_000_000_000
LOOK_EVERY_NS: Final = 10 * 1_000_000_000


def refuse_if_circular(kernel: Kernel, verb: str) -> None:
    """Only a linear log keeps what media recovery needs."""
    if not kernel.keeper.control.parameters.is_linear:
        raise mq_error(
            MQRCCF_LOG_TYPE_ERROR,
            verb=verb,
            object=kernel.name,
            detail="media recovery needs a linear log",
        )


def refuse_if_not_recoverable(kernel: Kernel, definition: Definition, verb: str) -> None:
    """IMGRCOVQ(NO), IMGRCOVO(NO), or a temporary queue."""
    if definition.object_type != LOCAL:
        attribute = "IMGRCOVO"
        allowed = kernel.number("image_recover_objects") == mq.MQIMGRCOV_YES
    else:
        attribute = "IMGRCOVQ"
        allowed = kernel.catalog.is_recoverable(definition)
    if not allowed:
        detail = "a temporary queue" if definition.temporary else f"{attribute}(NO)"
        raise mq_error(MQRC_OPERATION_NOT_ALLOWED, verb=verb, object=definition.name, detail=detail)


def image_targets(kernel: Kernel, name: str) -> list[str]:
    """The names that an order means: one object, all whose name begins so (a last `*`), or all."""
    catalog = kernel.catalog
    if name == CATALOG_NAME:
        return [name]
    if not name.endswith("*"):
        definition = catalog.definitions.get(name) or catalog.other_named(name)
        if definition is None:
            raise mq_error(MQRC_UNKNOWN_OBJECT_NAME, verb=VERB, object=name)
        refuse_if_not_recoverable(kernel, definition, VERB)
        return [name if definition.object_type == LOCAL else CATALOG_NAME]
    stem = name[:-1]
    found: list[str] = []
    others = any(one.startswith(stem) for space in catalog.others.values() for one in space)
    for one in sorted(catalog.definitions):
        if one.startswith(stem):
            definition = catalog.definitions[one]
            if catalog.is_recoverable(definition):
                found.append(one)
            others = others or definition.object_type != LOCAL
    if (others or not stem) and kernel.number("image_recover_objects") == mq.MQIMGRCOV_YES:
        found.append(CATALOG_NAME)
    if not found:
        raise mq_error(MQRC_UNKNOWN_OBJECT_NAME, verb=VERB, object=name)
    return found


@final
class ImageOrder:
    """An order to record images; `attempt` it until it is done."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.recorded: list[str] = []
        self._targets: list[str] | None = None
        self._recording: ImageRecording | None = None
        self._at = ""
        self._error: MQError | None = None  # of one among many; the others are recorded first

    def attempt(self, kernel: Kernel, connection: Connection) -> bool:
        """Go on; False: the connection is parked."""
        connection.begin_verb()
        kernel.refuse_if_ending(False, VERB)
        targets = self._targets
        if targets is None:
            refuse_if_circular(kernel, VERB)
            targets = image_targets(kernel, self.name)
            targets.reverse()
            self._targets = targets
        while True:
            recording = self._recording
            if recording is not None:
                if not recording.is_done:
                    connection.park = recording.awaited()
                    return False
                self._recording = None
                self._take(recording)
            if not targets:
                if self._error is not None:
                    raise self._error
                return True
            if not self._begin(kernel, connection, targets):
                return False

    def _begin(self, kernel: Kernel, connection: Connection, targets: list[str]) -> bool:
        """Begin with the next one; False: parked until its queue is loaded."""
        self._at = targets[-1]
        try:
            recording = begin_image(kernel, connection, self._at)
        except MQError as error:
            self._note(error)
            targets.pop()
            return True
        if recording is None:
            return connection.park is None
        targets.pop()
        self._recording = recording
        return True

    def _take(self, recording: ImageRecording) -> None:
        if recording.reason:
            self._note(
                mq_error(recording.reason, verb=VERB, object=self._at, detail=recording.detail)
            )
        else:
            self.recorded.append(self._at)

    def _note(self, error: MQError) -> None:
        if not self.name.endswith("*"):
            raise error
        if error.reason != MQRC_UNKNOWN_OBJECT_NAME:  # one that was deleted meanwhile
            self._error = error


def cancel_images(kernel: Kernel) -> None:
    """The queue manager stops: images that are under way end without counting."""
    for recording in kernel.keeper.recordings.values():
        recording.is_cancelled = True


def begin_image(kernel: Kernel, connection: Connection, name: str) -> ImageRecording | None:
    """Begin to record one object, or join its recording; None: parked until its queue is loaded."""
    keeper = kernel.keeper
    definition: Definition | None = None
    queue = None
    number = CATALOG_ROW
    if name != CATALOG_NAME:
        definition = kernel.catalog.definitions.get(name)
        if definition is None:
            raise mq_error(MQRC_UNKNOWN_OBJECT_NAME, verb=VERB, object=name)
        number = definition.object_id
    running = keeper.recordings.get(number)
    if running is not None:
        return running
    if definition is not None:
        local = kernel.local_queue(connection, definition)
        if local is None:
            return None
        queue = local.queue
        if queue.damaged:
            raise mq_error(MQRC_OBJECT_DAMAGED, verb=VERB, object=name, detail=queue.damaged)
    recording = ImageRecording(keeper, definition, queue, kernel.clock.now_ns())
    keeper.recordings[number] = recording
    recording.begin()
    return recording


@final
class ImageSchedule:
    """Automatic images: one object after the other, as each becomes due."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        self.looked_ns = 0
        self.due: list[str] = []
        self.recorded = 0
        self.last_failure = ""
        self._link = Connection(0, b"", "", "")
        self._recording: ImageRecording | None = None
        self._loaded = ""  # the queue that was loaded last for its image

    def tick(self, monotonic_ns: int) -> None:
        """Time has passed: see what is due, and go on with it."""
        kernel = self.kernel
        if (
            not kernel.catalog.keeps_images
            or kernel.number("image_schedule") != mq.MQMEDIMGSCHED_AUTO
        ):
            self.due = []
        elif not self.due and monotonic_ns - self.looked_ns >= LOOK_EVERY_NS:
            self.looked_ns = monotonic_ns
            self.due = due_images(kernel)
        self.go_on()

    def go_on(self) -> None:
        """Begin with the next object, unless one is under way; small ones are done at once."""
        while self._is_over() and self.due:
            name = self.due[-1]
            if not self._is_loaded(name):
                self._loaded = name
            try:
                recording = begin_image(self.kernel, self._link, name)
            except MQError as error:
                self.due.pop()
                self.last_failure = str(error)
                continue
            effect = self._link.park
            self._link.park = None
            if recording is None:
                if effect is not None:
                    effect.followers.append(ImagesGoOn(self))
                return
            self.due.pop()
            self._recording = recording
            if not recording.is_done:
                recording.followers.append(ImagesGoOn(self))

    def _is_loaded(self, name: str) -> bool:
        catalog = self.kernel.catalog
        definition = catalog.definitions.get(name)
        return definition is not None and definition.object_id in catalog.queues

    def _is_over(self) -> bool:
        recording = self._recording
        if recording is None:
            return True
        if not recording.is_done:
            return False
        self._recording = None
        queue = recording.queue
        if queue is not None and queue.name == self._loaded and queue.users == 0:
            queue.idle_checkpoints = 1  # loaded for this alone: the next checkpoint unloads it
        if recording.reason:
            self.last_failure = recording.detail
        else:
            self.recorded += 1
        return True


@final
class ImagesGoOn(Effect):
    """Nothing for the disk: the next automatic image can begin."""

    def __init__(self, schedule: ImageSchedule) -> None:
        super().__init__()
        self.schedule = schedule

    def run(self, disk: Disk) -> None:
        return

    def complete(self) -> None:
        self.schedule.go_on()


def due_images(kernel: Kernel) -> list[str]:
    """The objects whose last image is too old or too far back in the log, the oldest last."""
    interval_ns = kernel.number("image_interval_minutes") * MINUTE_NS
    length = kernel.number("image_log_megabytes") * MEGABYTE
    now_ns = kernel.clock.now_ns()
    end_lsn = kernel.coordinator.log.end_lsn
    found: list[tuple[int, str]] = []
    catalog = kernel.catalog
    names = [one.name for one in catalog.definitions.values() if catalog.is_recoverable(one)]
    if kernel.number("image_recover_objects") == mq.MQIMGRCOV_YES:
        names.append(CATALOG_NAME)
    for name in names:
        number = CATALOG_ROW if name == CATALOG_NAME else catalog.definitions[name].object_id
        row = catalog.register.get(number)
        if number in catalog.damaged:
            continue
        lsn = 0 if row is None else row.image_lsn
        ns = 0 if row is None else row.image_ns
        is_old = interval_ns > 0 and now_ns - ns >= interval_ns
        is_far = length > 0 and end_lsn - lsn >= length
        if is_old or is_far or lsn == 0:
            found.append((-lsn, name))
    found.sort()
    return [name for _, name in found]
