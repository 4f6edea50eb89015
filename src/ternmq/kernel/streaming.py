"""Where the copies of a queue's messages go: STREAMQ of the queue, names to queues.

STREAMQ names a queue or, which goes beyond IBM MQ, a namelist of queues. A queue with STRMCHN(YES)
passes on the copies that it gets; then what is found is a tree, in which each queue stands once. A
name that leads to nothing is kept with its reason: the put decides by STRMQOS what that means. The
answer is kept until a definition changes or a queue is loaded or unloaded. The module `copies`
puts the copies.
"""

from __future__ import annotations

from typing import Final, final

from mypy_extensions import i64

from ternmq.base import constants as mq
from ternmq.base.errors import MQError, mq_error
from ternmq.base.object_types import ALIAS, LOCAL, MODEL, NAMELIST, REMOTE, TOPIC
from ternmq.base.reasons import (
    MQRC_Q_TYPE_ERROR,
    MQRC_RESOURCE_PROBLEM,
    MQRC_UNKNOWN_OBJECT_NAME,
)
from ternmq.kernel.authority import check
from ternmq.kernel.connection import Connection
from ternmq.kernel.kernel import Kernel
from ternmq.kernel.objects import LocalQueue, alias_fault, cap_of, is_topic_alias, lowest_cap
from ternmq.kernel.topic_sink import StreamedPublication
from ternmq.kernel.transmission import Route, route_of_definition, transmission_names
from ternmq.security import authorities as auth
from ternmq.security.authorities import SELF_PROFILE
from ternmq.store.catalog import Catalog, Definition

_OF_EVERYBODY: Final = ("dead_letter_queue", "default_transmission_queue")
TARGETS_MAX: Final = 256  # that one message is copied to
CHAIN_MAX: Final = 32  # queues that pass on to one another


@final
class CopyTarget:
    """A queue that gets copies, or why it cannot be found."""

    __slots__ = (
        "cap",
        "detail",
        "is_topic",
        "local",
        "must",
        "name",
        "onward",
        "publication",
        "reason",
        "route",
        "via",
    )

    def __init__(self, name: str) -> None:
        self.name = name
        self.local: LocalQueue | None = None
        self.route: Route | None = None  # to another queue manager, by the local queue
        self.via: list[Definition] = []  # aliases on the way, each with its own inhibits
        self.cap: i64 = -1  # the expiry of copies in tenths of a second; -1: unlimited
        self.reason: i64 = 0  # why it is not there
        self.detail = ""
        self.must = False  # it takes a copy only if those that it passes copies on to do
        self.onward: list[CopyTarget] = []
        self.is_topic = False  # the alias that was named leads to a topic
        self.publication: StreamedPublication | None = None  # within one put: it was asked for

    @property
    def is_plain(self) -> bool:
        """A local queue that was named itself and passes nothing on."""
        return (
            self.local is not None
            and self.reason == 0
            and self.route is None
            and not self.via
            and not self.onward
        )

    def fail(self, reason: i64, detail: str) -> None:
        """It cannot be had."""
        self.reason = reason
        self.detail = detail

    def error(self) -> MQError:
        """The reason as an exception, a new one each time."""
        return mq_error(int(self.reason), verb="MQPUT", object=self.name, detail=self.detail)


@final
class StreamPlan:
    """All targets of a queue's copies, as the definitions are now."""

    __slots__ = ("must", "plain", "targets", "version")

    def __init__(self, must: bool, targets: list[CopyTarget]) -> None:
        self.must = must
        self.plain = len(targets) == 1 and targets[0].is_plain
        self.targets = targets
        self.version: i64 = -1


def stream_names(catalog: Catalog, name: str) -> list[str]:
    """The queues that a STREAMQ means: the one of that name or, if it does not exist, those of
    a namelist."""
    if name not in catalog.definitions:
        names = catalog.find(NAMELIST, name)
        if names is not None:
            listed = names.text("names")
            return listed.split(",") if listed else []
    return [name]


def check_receiver(
    kernel: Kernel, connection: Connection, user: str, name: str, verb: str, qualifier: int
) -> None:
    """A user who makes a queue whose name a STREAMQ has already, or changes where such a name
    leads, is going to read the copies: that takes `browse` on each queue that they are copies
    of, and `chg` on a model queue that has the name for the queues made of it. The maker of the
    dead-letter queue, or of the default transmission queue, reads messages of all users: that
    takes `chg` on the queue manager, whose attribute names it. The maker of an initiation queue may
    pass on the context of the trigger messages that come, and with it give orders to the trigger
    monitor: that takes `chg` on the queues that name it."""
    for attribute in _OF_EVERYBODY:
        if kernel.catalog.qmgr.get(attribute, "") == name:
            of_qmgr = mq.MQOT_Q_MGR
            check(kernel, connection, user, of_qmgr, SELF_PROFILE, auth.CHG, verb, qualifier)
    for source in sources_of(kernel.catalog, name):
        # A user who opens a model queue for browse may see its own dynamic queue, not all of them.
        is_model = kernel.catalog.definitions[source].object_type == MODEL
        wanted = auth.CHG if is_model else auth.BROWSE
        check(kernel, connection, user, mq.MQOT_Q, source, wanted, verb, qualifier)
    for definition in kernel.catalog.definitions.values():
        if definition.attributes.get("initiation_queue", "") == name:
            queue = definition.name
            check(kernel, connection, user, mq.MQOT_Q, queue, auth.CHG, verb, qualifier)


def sources_of(catalog: Catalog, name: str) -> list[str]:
    """The queues whose copies go to what has this name, or through it: by STREAMQ, by a namelist
    that is a STREAMQ, by an alias that either names, by the transmission queue of a definition of
    a remote queue."""
    sources: list[str] = []
    for definition in catalog.definitions.values():
        stream = str(definition.attributes.get("stream_queue", ""))
        if stream and name in _names_on_path(catalog, stream):
            sources.append(definition.name)
    return sources


def _names_on_path(catalog: Catalog, stream: str) -> list[str]:
    names = [stream]
    for name in stream_names(catalog, stream):
        names.append(name)
        target = catalog.definitions.get(name)
        if target is not None and target.object_type == ALIAS:
            names.append(target.text("target"))
            target = catalog.definitions.get(target.text("target"))
        if target is not None and target.object_type == REMOTE:
            names.extend(transmission_names(catalog, target))
    return names


def plan_of(kernel: Kernel, connection: Connection, local: LocalQueue) -> StreamPlan | None:
    """Where a queue's copies go; None: a queue must be loaded first, and the verb is parked."""
    plan = local.stream_plan
    if plan is not None and plan.version == kernel.catalog.version:
        return plan
    resolving = _Resolving(kernel, connection)
    targets = resolving.targets_of(local.definition, [local.name])
    if resolving.parked:
        return None
    plan = StreamPlan(local.stream_must, targets)
    if not resolving.passing:
        plan.version = kernel.catalog.version
    local.stream_plan = plan
    return plan


@final
class _Resolving:
    """One pass over the names."""

    __slots__ = ("connection", "given", "kernel", "parked", "passing")

    def __init__(self, kernel: Kernel, connection: Connection) -> None:
        self.kernel = kernel
        self.connection = connection
        self.given: set[str] = set()  # queues that get a copy
        self.parked = False
        self.passing = False  # a disk failed for once: the next put asks again

    def targets_of(self, definition: Definition, path: list[str]) -> list[CopyTarget]:
        """What a queue's STREAMQ leads to; `path` are the queues on the way here."""
        found: list[CopyTarget] = []
        for name in stream_names(self.kernel.catalog, definition.text("stream_queue")):
            target = CopyTarget(name)
            self._resolve(target, path)
            if self.parked:
                break
            local = target.local
            if local is not None and target.route is None:
                if local.name in self.given:
                    continue  # by another way; once is enough
                self.given.add(local.name)
            found.append(target)
        return found

    def _resolve(self, target: CopyTarget, path: list[str]) -> None:
        definition = self._definition(target)
        if definition is None:
            return
        target.cap = lowest_cap(target.cap, cap_of(definition))
        if definition.name in path:
            target.fail(MQRC_Q_TYPE_ERROR, f"copies would go round: {' to '.join(path)}")
            return
        if len(path) > CHAIN_MAX or len(self.given) >= TARGETS_MAX:
            target.fail(MQRC_Q_TYPE_ERROR, f"more than {CHAIN_MAX} in a chain or {TARGETS_MAX}")
            return
        try:
            local = self.kernel.local_queue(self.connection, definition)
        except MQError as unfit:
            target.fail(unfit.reason, unfit.detail)
            self.passing = self.passing or unfit.reason == MQRC_RESOURCE_PROBLEM
            return
        if local is None:
            self.parked = True
            return
        target.local = local
        if target.route is None and local.streams and local.stream_onward:
            target.must = local.stream_must
            target.onward = self.targets_of(local.definition, [*path, local.name])

    def _definition(self, target: CopyTarget) -> Definition | None:
        """The local queue that a name leads to; None if it leads to none, which is then noted."""
        definitions = self.kernel.catalog.definitions
        definition = definitions.get(target.name)
        if definition is None:
            target.fail(MQRC_UNKNOWN_OBJECT_NAME, "")
            return None
        if definition.object_type == ALIAS:
            target.via.append(definition)
            target.cap = cap_of(definition)
            base = definition.text("target")
            if is_topic_alias(definition) and self.kernel.catalog.find(TOPIC, base) is not None:
                target.is_topic = True
                return None
            fault = alias_fault(self.kernel.catalog, definition)
            if fault:
                target.fail(fault, f"TARGET({base})")
                return None
            definition = definitions[base]
        if definition.object_type == REMOTE:
            return self._remote(target, definition)
        if definition.object_type != LOCAL:
            target.fail(MQRC_Q_TYPE_ERROR, "a model queue")
            return None
        return definition

    def _remote(self, target: CopyTarget, definition: Definition) -> Definition | None:
        """The transmission queue of a definition of a remote queue."""
        target.via.append(definition)
        target.cap = lowest_cap(target.cap, cap_of(definition))
        try:
            route = route_of_definition(self.kernel, definition, "MQPUT")
        except MQError as lost:
            target.fail(lost.reason, lost.detail)
            return None
        target.route = route
        return route.transmission
