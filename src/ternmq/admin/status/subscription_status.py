"""DISPLAY SBSTATUS: what has reached a subscription, and who has it open."""

from __future__ import annotations

from typing import Final, final

from ternmq.admin.command_authority import guard_of, may_display
from ternmq.admin.commands.display import ANY_OF_THEM, Column, value_of
from ternmq.admin.commands.filters import fits_name
from ternmq.admin.commands.subscription_commands import subscriptions_named, with_id
from ternmq.admin.status.connection_status import full_connection_id
from ternmq.admin.status.status_display import StatusDisplay, Values, date_of, time_of
from ternmq.base.attributes import attributes_of
from ternmq.base.object_types import SUB
from ternmq.kernel.connection import Connection as Link
from ternmq.kernel.connection import Handle
from ternmq.kernel.kernel import Kernel
from ternmq.pubsub.publish_subscribe import pubsub_of
from ternmq.pubsub.subscription import Subscription
from ternmq.pubsub.subscription_definition import definition_of
from ternmq.store.catalog import Definition

_NO_CONNECTION: Final = "0" * 48
_DEFAULT_SUB: Final = "SYSTEM.DEFAULT.SUB"  # an object, but no subscription
_CHOICES: Final = ("DURABLE", "SUBTYPE")
_NEVER: Final = ("LMSGDATE", "LMSGTIME", "RESMDATE", "RESMTIME")


def _found(kernel: Kernel, subject: str) -> Subscription | None:
    return None if subject == _DEFAULT_SUB else pubsub_of(kernel).by_id.get(bytes.fromhex(subject))


@final
class SubscriptionStatus(StatusDisplay):
    """DISPLAY SBSTATUS; a subject is a SUBID."""

    def subjects(self, kernel: Kernel, link: Link) -> list[str]:
        name = self.command.name or "*"
        sub_id = self.command.given.get("SUBID", "")
        found = subscriptions_named(pubsub_of(kernel), name, sub_id)
        subjects = [one.sub_id.hex().upper() for one in found]
        if not sub_id and kernel.catalog.find(SUB, _DEFAULT_SUB) is not None:
            if fits_name(name, _DEFAULT_SUB):
                subjects.append(_DEFAULT_SUB)
        return subjects

    def _definition(self, kernel: Kernel, subject: str) -> Definition | None:
        if subject == _DEFAULT_SUB:
            default = kernel.catalog.find(SUB, subject)
            return None if default is None else with_id(kernel, default)
        found = _found(kernel, subject)
        return None if found is None else definition_of(found)

    def _is_asked_for(self, values: Values) -> bool:
        given = self.command.given
        return all(given.get(key, "ALL") in (*ANY_OF_THEM, values[key]) for key in _CHOICES)

    def allowed(self, kernel: Kernel, link: Link, subject: str) -> bool:
        definition = self._definition(kernel, subject)
        return definition is None or may_display(kernel, link, definition)

    def guard(self, kernel: Kernel, subject: str) -> str:
        definition = self._definition(kernel, subject)
        return subject if definition is None else guard_of(definition)[1]

    def values(self, kernel: Kernel, link: Link, subject: str) -> list[Values] | None:
        definition = self._definition(kernel, subject)
        if definition is None:
            return []
        values: Values = {"SUB": definition.name}
        for row in attributes_of(SUB):
            column = Column(row)
            values[row.keyword] = column.item(value_of(definition, None, column)).value
        values["ACTCONN"] = _NO_CONNECTION
        values["NUMMSGS"] = 0
        for keyword in _NEVER:
            values[keyword] = ""
        if not self._is_asked_for(values):
            return []
        subscription = _found(kernel, subject)
        if subscription is not None:
            handle = pubsub_of(kernel).handles.get(subscription.sub_id)
            _add_activity(subscription, handle, values)
        return [values]


def _add_activity(subscription: Subscription, handle: Handle | None, values: Values) -> None:
    values["TOPICSTR"] = subscription.topic_string
    values["NUMMSGS"] = int(subscription.messages)
    values["LMSGDATE"] = date_of(int(subscription.last_ns))
    values["LMSGTIME"] = time_of(int(subscription.last_ns))
    values["RESMDATE"] = date_of(int(subscription.resumed_ns))
    values["RESMTIME"] = time_of(int(subscription.resumed_ns))
    if handle is not None:
        values["ACTCONN"] = full_connection_id(handle.connection)
