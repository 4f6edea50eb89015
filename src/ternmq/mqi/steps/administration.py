"""Commands, the log, media recovery and SMF records as steps.

What may touch files is done by an effect, outside the engine's lock.
"""

from __future__ import annotations

from typing import Final, final

from ternmq.admin.execute import execution_of, mqsc_execution
from ternmq.admin.execution import Execution
from ternmq.admin.inquiries import check_display
from ternmq.admin.mqsc.lexer import CommandReader, Source
from ternmq.base import constants as mq
from ternmq.base.errors import MQError, mq_error
from ternmq.base.object_types import LOCAL, OBJECT_TYPES, QMGR
from ternmq.base.reasons import MQRC_RESOURCE_PROBLEM
from ternmq.kernel import media, recreate
from ternmq.kernel.authority import check_administrator
from ternmq.kernel.connection import Connection as Link
from ternmq.kernel.kernel import Kernel
from ternmq.kernel.metering_calls import was_asked
from ternmq.kernel.services import Services
from ternmq.log.archive import extent_name
from ternmq.mqi.steps.step import Step
from ternmq.ports.disk import Disk
from ternmq.ports.effect import Effect, Wakeable
from ternmq.security.authorities import SELF_PROFILE
from ternmq.store.catalog import Catalog
from ternmq.store.catalog_file import CATALOG_PATH
from ternmq.txn.checkpoint import Checkpoint as CheckpointRun
from ternmq.txn.media.extent_needs import ExtentListing, ExtentRemoval, extent_needs
from ternmq.values.calls import administration as calls
from ternmq.values.status import LogExtents, ObjectFile, SMFRead, SMFStatus

_LINES_A_STEP: Final = 100

# ---- commands


@final
class CarryOut(Step):
    """Executions of commands, one after the other, answered together when all are forced; the
    answers are in the executions."""

    def __init__(self, executions: list[Execution]) -> None:
        super().__init__(executions[0].verb if executions else "MQSC")
        self.executions = executions
        self._done = 0
        self._durable_at = 0

    def attempt(self, kernel: Kernel, link: Link) -> bool:
        if self._done < len(self.executions):
            execution = self.executions[self._done]
            self.verb = execution.verb
            if not execution.attempt(kernel, link):
                return False
            self._done += 1
            self._durable_at = max(self._durable_at, int(link.durable_at))
            if self._done < len(self.executions):
                link.again = True
                return False
        link.depends_on(self._durable_at)
        return True


@final
class RunCommands(Step):
    """MQSC text or other commands: read in bounded parts, then carried out."""

    def __init__(self, call: calls.RunCommands) -> None:
        super().__init__(call.verb)
        self.call = call
        self._executions: list[Execution] = []
        self._reader = CommandReader()
        self._lines: list[str] = []  # of the text, those that are not read yet, last first
        self._carrying: CarryOut | None = None  # once all is read

    def attempt(self, kernel: Kernel, link: Link) -> bool:
        carrying = self._carrying
        if carrying is None:
            if not self._read():
                link.begin_verb()
                link.again = True
                return False
            carrying = self._carrying = CarryOut(self._executions)
        done = carrying.attempt(kernel, link)
        self.verb = carrying.verb
        if done:
            self.call.answers = [answer for one in self._executions for answer in one.answers]
        return done

    def _read(self) -> bool:
        """The next lines of the text become executions; whether that is all."""
        lines = self._lines
        if not lines:
            self._executions = [execution_of(one) for one in self.call.commands]
            lines = self.call.text.split("\n")
            lines.reverse()
            self._lines = lines
        for line in reversed(lines[-_LINES_A_STEP:]):
            self._understand(self._reader.feed(line))
        del lines[-_LINES_A_STEP:]
        if lines:
            return False
        self._understand(self._reader.finish())
        return True

    def _understand(self, sources: list[Source]) -> None:
        self._executions.extend([mqsc_execution(one.text) for one in sources if one.is_command])


# ---- the log


@final
class Checkpoint(Step):
    """A checkpoint, taken now and waited for."""

    def __init__(self, call: calls.Checkpoint) -> None:
        super().__init__(call.verb)
        self._run: CheckpointRun | None = None
        self._before = 0

    def attempt(self, kernel: Kernel, link: Link) -> bool:
        keeper = kernel.keeper
        link.begin_verb()
        run = self._run
        if run is None:
            check_administrator(kernel, link, self.verb)
            kernel.refuse_if_ending(False, self.verb)
            self._before = int(keeper.checkpoints)
            run = self._run = keeper.begin(False, False)
        if keeper.running is run:
            link.park = run.awaited()
            link.again = link.park is None
            return False
        if keeper.checkpoints == self._before:
            raise mq_error(MQRC_RESOURCE_PROBLEM, verb=self.verb, detail=keeper.last_failure)
        return True


@final
class InquireLogStatus(Step):
    """What the log has done since the start, and how full it is."""

    def __init__(self, call: calls.InquireLogStatus) -> None:
        super().__init__(call.verb)
        self.call = call

    def attempt(self, kernel: Kernel, link: Link) -> bool:
        check_display(kernel, link, mq.MQOT_Q_MGR, SELF_PROFILE)
        self.call.found = kernel.services.log_status()
        return True


@final
class InquireReport(Step):
    """What the restart did, line by line."""

    def __init__(self, call: calls.InquireReport) -> None:
        super().__init__(call.verb)
        self.call = call

    def attempt(self, kernel: Kernel, link: Link) -> bool:
        check_display(kernel, link, mq.MQOT_Q_MGR, SELF_PROFILE)
        self.call.lines = kernel.services.report()
        return True


@final
class InquireLogExtents(Step):
    """Which files the log has, and what each is needed for."""

    def __init__(self, call: calls.InquireLogExtents) -> None:
        super().__init__(call.verb)
        self.call = call
        self._listing: ExtentListing | None = None

    def attempt(self, kernel: Kernel, link: Link) -> bool:
        link.begin_verb()
        listing = self._listing
        if listing is None:
            check_display(kernel, link, mq.MQOT_Q_MGR, SELF_PROFILE)
            if not kernel.keeper.control.parameters.is_linear:
                self.call.found = LogExtents("", "", "", "", (), (), ())
                return True
            listing = self._listing = ExtentListing(kernel.keeper)
            kernel.outbox.add(listing)
        if not listing.done:
            link.park = listing
            return False
        if listing.error:
            raise mq_error(MQRC_RESOURCE_PROBLEM, verb=self.verb, detail=listing.error)
        needs = extent_needs(kernel.keeper)
        full = [one for one in listing.stored if one < needs.current]
        self.call.found = LogExtents(
            current=extent_name(needs.current),
            restart=extent_name(needs.restart),
            media="" if needs.media < 0 else extent_name(needs.media),
            media_object=needs.media_object,
            stored=tuple(extent_name(one) for one in listing.stored),
            archivable=tuple(extent_name(one) for one in full),
            superfluous=tuple(extent_name(one) for one in full if one < needs.oldest),
        )
        return True


@final
class DeleteLogExtents(Step):
    """Files of the log that are not needed are deleted."""

    def __init__(self, call: calls.DeleteLogExtents) -> None:
        super().__init__(call.verb)
        self.call = call
        self._removal: ExtentRemoval | None = None

    def attempt(self, kernel: Kernel, link: Link) -> bool:
        check_administrator(kernel, link, self.verb)
        link.begin_verb()
        removal = self._removal
        if removal is None:
            media.refuse_if_circular(kernel, self.verb)
            removal = self._removal = ExtentRemoval(kernel.keeper)
            kernel.outbox.add(removal)
        if not removal.done:
            link.park = removal
            return False
        if removal.error:
            raise mq_error(
                MQRC_RESOURCE_PROBLEM, verb=self.verb, object=kernel.name, detail=removal.error
            )
        self.call.names = removal.removed
        return True


# ---- media recovery


@final
class RecordImage(Step):
    """Media images of one object, of several, or of all."""

    def __init__(self, call: calls.RecordImage) -> None:
        super().__init__(call.verb)
        self.call = call
        self._order = media.ImageOrder(call.object_name)

    def attempt(self, kernel: Kernel, link: Link) -> bool:
        check_administrator(kernel, link, self.verb)
        done = self._order.attempt(kernel, link)
        self.call.names = self._order.recorded
        return done


@final
class Recreate(Step):
    """An object is made again from its media image."""

    def __init__(self, call: calls.Recreate) -> None:
        super().__init__(call.verb)
        self._order = recreate.Recreation(call.object_name)

    def attempt(self, kernel: Kernel, link: Link) -> bool:
        check_administrator(kernel, link, self.verb)
        return self._order.attempt(kernel, link)


@final
class InquireObjectFiles(Step):
    """Every object, and where it is under the queue manager's folder."""

    def __init__(self, call: calls.InquireObjectFiles) -> None:
        super().__init__(call.verb)
        self.call = call

    def attempt(self, kernel: Kernel, link: Link) -> bool:
        check_administrator(kernel, link, self.verb)
        self.call.files = object_files(kernel.catalog)
        return True


def object_files(catalog: Catalog) -> list[ObjectFile]:
    """Every object, queues first, by name. A local queue has a folder for its messages; the
    definitions of all objects are in one file, the catalog."""
    nouns = {row.bit: row.noun for row in OBJECT_TYPES}
    found = [ObjectFile(QMGR, "QMGR", str(catalog.facts["name"]), CATALOG_PATH)]
    for definition in catalog.all_definitions():
        kind = definition.object_type
        path = definition.folder if kind == LOCAL else CATALOG_PATH
        found.append(ObjectFile(kind, nouns.get(kind, ""), definition.name, path))
    return found


# ---- SMF records


class SMFWork(Effect):
    """Something that only the services can do, and that may touch files of theirs."""

    def __init__(self, services: Services) -> None:
        super().__init__()
        self.services = services
        self.error: MQError | None = None

    def work(self) -> None:
        """Do it."""
        raise NotImplementedError

    def run(self, disk: Disk) -> None:
        try:
            self.work()
        except MQError as error:
            self.error = error

    def complete(self) -> None:
        return

    def fail(self, error: OSError) -> None:
        self.error = mq_error(MQRC_RESOURCE_PROBLEM, detail=str(error))


def worked(kernel: Kernel, link: Link, effect: SMFWork) -> bool:
    """Whether it is done; its error, if it has one, is raised."""
    link.begin_verb()
    if not effect.done:
        if not effect.claimed and effect not in kernel.outbox.effects:
            kernel.outbox.add(effect)
        link.park = effect
        return False
    if effect.error is not None:
        raise effect.error
    return True


@final
class StatusWork(SMFWork):
    """How the destinations are doing."""

    def __init__(self, services: Services) -> None:
        super().__init__(services)
        self.found: list[SMFStatus] = []

    def work(self) -> None:
        self.found = self.services.smf_status()


@final
class InquireSMF(Step):
    """How the destinations of SMF records are doing."""

    def __init__(self, call: calls.InquireSMF) -> None:
        super().__init__(call.verb)
        self.call = call
        self._work: StatusWork | None = None

    def attempt(self, kernel: Kernel, link: Link) -> bool:
        work = self._work
        if work is None:
            check_display(kernel, link, mq.MQOT_Q_MGR, SELF_PROFILE)
            work = self._work = StatusWork(kernel.services)
        if not worked(kernel, link, work):
            return False
        self.call.destinations = work.found
        return True


@final
class SwitchWork(SMFWork):
    """New data sets or segments begin."""

    def __init__(self, services: Services, stream: str) -> None:
        super().__init__(services)
        self.stream = stream
        self.names: list[str] = []

    def work(self) -> None:
        self.names = self.services.smf_switch(self.stream)


@final
class SwitchSMF(Step):
    """New data sets or segments begin, of one destination or of all."""

    def __init__(self, call: calls.SwitchSMF) -> None:
        super().__init__(call.verb)
        self.call = call
        self._work: SwitchWork | None = None

    def attempt(self, kernel: Kernel, link: Link) -> bool:
        work = self._work
        if work is None:
            check_administrator(kernel, link, self.verb)
            work = self._work = SwitchWork(kernel.services, self.call.stream)
        if not worked(kernel, link, work):
            return False
        self.call.names = work.names
        return True


@final
class ReadWork(SMFWork):
    """Records of an in-memory stream."""

    def __init__(self, services: Services, first: int, stream: str) -> None:
        super().__init__(services)
        self.first = first
        self.stream = stream
        self.found: SMFRead | None = None

    def work(self) -> None:
        self.found = self.services.smf_read(self.first, self.stream)


@final
class ReadSMF(Step):
    """SMF records of an in-memory stream from a number on."""

    def __init__(self, call: calls.ReadSMF) -> None:
        super().__init__(call.verb)
        self.call = call
        self._first = call.first
        self._missed = 0  # by attempts that found nothing
        self._work: ReadWork | None = None

    def attempt(self, kernel: Kernel, link: Link) -> bool:
        work = self._work
        if work is None:
            check_administrator(kernel, link, self.verb)
            work = self._work = ReadWork(kernel.services, self._first, self.call.stream)
        if not worked(kernel, link, work):
            return False
        found = work.found
        self._work = None  # the next attempt reads again
        if found is not None:
            self._missed += found.missed
            found = SMFRead(found.records, found.next, self._missed)
        self.call.found = found
        if found is not None:
            self._first = max(self._first, found.next)  # it may have been asked for a later one
            self.call.ended = kernel.services.smf_ended(self.call.stream)
        return True

    def await_more(self, kernel: Kernel, link: Link, waker: Wakeable) -> bool:
        return kernel.services.smf_await(self._first, self.call.stream, waker)

    def stop_awaiting(self, kernel: Kernel, link: Link, waker: Wakeable) -> None:
        kernel.services.smf_stop_awaiting(self.call.stream, waker)


@final
class InquirePuts(Step):
    """MQSTAT: in process and by the local socket every put is answered, so there is nothing to
    report but that."""

    def __init__(self, call: calls.InquirePuts) -> None:
        super().__init__(call.verb)
        self.call = call

    def attempt(self, kernel: Kernel, link: Link) -> bool:
        link.begin_verb()
        kernel.refuse_if_broken(self.verb)
        if kernel.measured:
            was_asked(kernel, link)
        return True
