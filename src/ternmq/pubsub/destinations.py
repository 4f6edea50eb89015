"""Where the copies for a subscription go: the name of its destination to a queue, or the reason why
it leads to none.

Answers are kept by name until a definition changes or a queue is loaded or unloaded.
"""

from __future__ import annotations

from typing import final

from mypy_extensions import i64

from ternmq.base import constants as mq
from ternmq.base.errors import MQError, mq_error
from ternmq.base.object_types import ALIAS, LOCAL, REMOTE
from ternmq.base.reasons import (
    MQRC_ALIAS_TARGTYPE_CHANGED,
    MQRC_Q_TYPE_ERROR,
    MQRC_RESOURCE_PROBLEM,
    MQRC_UNKNOWN_OBJECT_NAME,
)
from ternmq.kernel.connection import Connection
from ternmq.kernel.kernel import Kernel
from ternmq.kernel.objects import LocalQueue, alias_fault, cap_of, lowest_cap
from ternmq.kernel.transmission import Route, route_of_definition, route_of_manager
from ternmq.store.catalog import Definition


@final
class Destination:
    """A queue that takes copies, or why it cannot be found."""

    __slots__ = ("cap", "detail", "is_plain", "local", "name", "qmgr", "reason", "route", "via")

    def __init__(self, name: str, qmgr: str) -> None:
        self.name = name
        self.qmgr = qmgr  # "" for this one
        self.local: LocalQueue | None = None
        self.route: Route | None = None  # to another queue manager, by the local queue
        self.via: list[Definition] = []  # what was named on the way, each with its own inhibits
        self.cap: i64 = -1  # CAPEXPRY of all on the way, in tenths of a second; -1: none
        self.reason: i64 = 0  # why it is not there
        self.detail = ""
        self.is_plain = False  # a local queue that was named itself, without CAPEXPRY

    def fail(self, reason: i64, detail: str) -> None:
        """It cannot be had."""
        self.reason = reason
        self.detail = detail

    def error(self) -> MQError:
        """The reason as an exception, a new one each time."""
        return mq_error(int(self.reason), verb="MQPUT", object=self.name, detail=self.detail)

    def default_priority(self) -> i64:
        """DEFPRTY of what was named."""
        if self.via:
            return self.via[0].number("default_priority")
        return 0 if self.local is None else self.local.default_priority

    def default_persistence(self) -> i64:
        """DEFPSIST of what was named."""
        if self.via:
            return self.via[0].number("default_persistence")
        return 0 if self.local is None else self.local.default_persistence


@final
class Destinations:
    """The destinations of a queue manager's subscriptions, as the definitions are now."""

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self._version: i64 = -1
        self._found: dict[str, Destination] = {}

    def find(self, connection: Connection, name: str, qmgr: str) -> Destination | None:
        """What a name leads to; None: a queue must be loaded first, and the verb is parked."""
        kernel = self._kernel
        version = kernel.catalog.version
        if version != self._version:
            self._found.clear()
            self._version = version
        is_here = qmgr == "" or qmgr == kernel.name
        if is_here:
            found = self._found.get(name)
            if found is not None:
                return found
        made = Destination(name, "" if is_here else qmgr)
        try:
            definition = _definition(kernel, made)
            if definition is not None:
                local = kernel.local_queue(connection, definition)
                if local is None:
                    return None
                _settle(made, local)
        except MQError as unfit:
            made.fail(unfit.reason, unfit.detail)
            if unfit.reason == MQRC_RESOURCE_PROBLEM:
                return made  # a disk failed for once: the next publication asks again
        if is_here and kernel.catalog.version == version:
            self._found[name] = made
        return made


def _settle(made: Destination, local: LocalQueue) -> None:
    made.local = local
    made.cap = cap_of(local.definition)
    for definition in made.via:
        made.cap = lowest_cap(made.cap, cap_of(definition))
    made.is_plain = made.route is None and not made.via and made.cap < 0


def _definition(kernel: Kernel, made: Destination) -> Definition | None:
    """The local queue that a name leads to; None if it leads to none, which is then noted."""
    if made.qmgr:
        by_manager = route_of_manager(kernel, made.name, made.qmgr, "MQPUT")
        if by_manager is not None:
            made.route = by_manager
            return by_manager.transmission
    definitions = kernel.catalog.definitions
    definition = definitions.get(made.name)
    if definition is None:
        made.fail(MQRC_UNKNOWN_OBJECT_NAME, "the destination of the subscription does not exist")
        return None
    if definition.object_type == ALIAS:
        made.via.append(definition)
        if definition.number("target_type") == mq.MQOT_TOPIC:
            made.fail(MQRC_ALIAS_TARGTYPE_CHANGED, "the destination leads to a topic now")
            return None
        fault = alias_fault(kernel.catalog, definition)
        if fault:
            made.fail(fault, f"TARGET({definition.text('target')})")
            return None
        definition = definitions[definition.text("target")]
    if definition.object_type == REMOTE:
        made.via.append(definition)
        made.route = route_of_definition(kernel, definition, "MQPUT")
        return made.route.transmission
    if definition.object_type != LOCAL:
        made.fail(MQRC_Q_TYPE_ERROR, "the destination is a model queue")
        return None
    return definition
