"""DEFINE, ALTER, DELETE and DISPLAY SUB: of administrative subscriptions, which are objects of the
catalog, and of those of applications, which are shown and altered as if they were."""

from __future__ import annotations

from typing import Final, final

from ternmq.admin.command_authority import check_subscription_user
from ternmq.admin.command_table import CommandRow
from ternmq.admin.commands import objects
from ternmq.admin.commands.changes import Change, inert_warnings, settings_of
from ternmq.admin.commands.display import DisplayObjects
from ternmq.admin.commands.filters import fits_name
from ternmq.admin.execution import STEP_OBJECTS
from ternmq.base.attributes import BY_NAME, Value, row_of
from ternmq.base.command_reasons import (
    MQRCCF_ATTR_VALUE_FIXED,
    MQRCCF_DEST_NAME_ERROR,
    MQRCCF_PARM_CONFLICT,
    MQRCCF_PARM_MISSING,
    MQRCCF_SUB_ALREADY_EXISTS,
    MQRCCF_SUBSCRIPTION_IN_USE,
)
from ternmq.base.constants import MQDC_MANAGED
from ternmq.base.errors import MQError, mq_error
from ternmq.base.object_types import SUB
from ternmq.base.reasons import (
    MQRC_DEST_CLASS_NOT_ALTERABLE,
    MQRC_NO_SUBSCRIPTION,
    MQRC_TOPIC_NOT_ALTERABLE,
)
from ternmq.kernel.connection import Connection as Link
from ternmq.kernel.kernel import Kernel
from ternmq.kernel.parts import RESOLVED_TOPIC
from ternmq.pubsub import managed_queues
from ternmq.pubsub.publish_subscribe import PublishSubscribe, pubsub_of
from ternmq.pubsub.subscription import ADMIN, Subscription
from ternmq.pubsub.subscription_altering import become, state_of
from ternmq.pubsub.subscription_definition import (
    altered_state,
    definition_of,
    sub_id_of,
    terms_of_definition,
    topic_string_of,
)
from ternmq.pubsub.subscription_keeping import forget, keep_altered
from ternmq.pubsub.subscription_permission import permit
from ternmq.pubsub.subscription_rules import check_pattern
from ternmq.store.catalog import Definition
from ternmq.values.command import Command

_DEFAULT_SUB: Final = "SYSTEM.DEFAULT.SUB"
# What DEFINE REPLACE leaves as it is where nothing else is given.
_STAYING: Final = ("topic_string", "topic_object", "destination", "destination_class")


def _find(pubsub: PublishSubscribe, name: str, sub_id: str, verb: str) -> Subscription:
    found = pubsub.found(name, sub_id)
    if found is None:
        raise mq_error(MQRC_NO_SUBSCRIPTION, verb=verb, object=name or sub_id)
    return found


def _refuse_unnamed(name: str, sub_id: str, verb: str) -> None:
    if not name and not sub_id:
        detail = "SUB with a name in brackets, or SUBID, must be given"
        raise mq_error(MQRCCF_PARM_MISSING, verb=verb, detail=detail)


def _refuse_other_queue(name: str, values: dict[str, Value], reason: int, verb: str) -> None:
    """Of a managed subscription. Its queue is deleted with it, so it is never one that somebody
    names."""
    for attribute in ("destination", "destination_qmgr"):
        if values.get(attribute):
            keyword = BY_NAME[SUB][attribute].keyword
            detail = f"{keyword}({values[attribute]}): the queue manager makes the queue of a "
            detail += "subscription with DESTCLAS(MANAGED); leave it out"
            raise mq_error(reason, verb=verb, object=name, detail=detail)


def _refuse_fixed(name: str, settings: dict[str, object], verb: str) -> None:
    """ALTER of what is fixed when a subscription is defined, also if it is what it was."""
    for keyword in settings:
        row = row_of(SUB, keyword)
        if row is not None and row.fixed:
            detail = f"{row.keyword} is fixed when the subscription is defined"
            raise mq_error(MQRCCF_ATTR_VALUE_FIXED, verb=verb, object=name, detail=detail)


@final
class DefineSubscription(Change):
    """DEFINE SUB."""

    def __init__(self, command: Command, row: CommandRow) -> None:
        super().__init__(command, row)
        self._queue = ""  # the managed queue that was made for it

    def change(self, kernel: Kernel, link: Link) -> bool:
        try:
            done = self._define(kernel, link)
        except MQError:
            if self._queue:
                managed_queues.delete(kernel, link, self._queue, self.verb)
                link.park = None  # the scavenger removes what is left
            raise
        return done

    def _define(self, kernel: Kernel, link: Link) -> bool:
        command = self.command
        name = command.name
        settings = settings_of(command, self.row)
        replace = "REPLACE" in command.given
        existing = kernel.catalog.find(SUB, name)
        pubsub = pubsub_of(kernel)
        if existing is None and name in pubsub.by_name:
            detail = "an application has made it"
            raise mq_error(MQRCCF_SUB_ALREADY_EXISTS, verb=self.verb, object=name, detail=detail)
        values = objects.checked(SUB, name, settings, self.verb)
        given = dict(values)
        if existing is not None and replace:
            self._keep_fixed(existing, values, settings)
        like = command.given.get("LIKE", "")
        wanted = objects.lent_attributes(kernel, SUB, like, self.verb)
        wanted.update(values)
        if wanted["destination_class"] == MQDC_MANAGED:
            _refuse_other_queue(name, given, MQRCCF_PARM_CONFLICT, self.verb)
        if name != _DEFAULT_SUB:
            if not wanted["subscription_user"]:
                settings["SUBUSER"] = wanted["subscription_user"] = link.user
            before = "" if existing is None else existing.text("subscription_user")
            after = str(wanted["subscription_user"])
            check_subscription_user(kernel, link, self.row, before, after)
            if not self._prepare(pubsub, link, wanted, settings, existing):
                return False
        if not objects.define(kernel, link, SUB, name, settings, replace, like):
            return False
        _keep_topic(kernel, link, name)
        self.succeed()
        self.answers.extend(inert_warnings(SUB, name, settings))
        return True

    def _keep_fixed(
        self, existing: Definition, values: dict[str, Value], settings: dict[str, object]
    ) -> None:
        """With REPLACE the topic and the queue stay where they are not given."""
        for attribute in _STAYING:
            row = BY_NAME[SUB][attribute]
            if attribute not in values:
                values[attribute] = existing.attributes[attribute]
                settings[row.keyword] = row.shown(existing.attributes[attribute])
            elif row.fixed and values[attribute] != existing.attributes[attribute]:
                raise mq_error(
                    MQRC_TOPIC_NOT_ALTERABLE if "topic" in attribute else MQRCCF_ATTR_VALUE_FIXED,
                    verb=self.verb,
                    object=existing.name,
                    detail=f"{row.keyword} is {row.shown(existing.attributes[attribute])!r}",
                )

    def _prepare(
        self,
        pubsub: PublishSubscribe,
        link: Link,
        wanted: dict[str, Value],
        settings: dict[str, object],
        existing: Definition | None,
    ) -> bool:
        """What MQSUB would check, and the managed queue; False: parked."""
        kernel = pubsub.kernel
        intended = Definition(SUB, self.command.name, 0, wanted, 0)
        topic_string = topic_string_of(kernel, intended)
        terms = terms_of_definition(intended)
        if not topic_string:
            return True  # `Check` refuses it
        check_pattern(topic_string, terms.by_character, self.verb)
        if terms.selector:
            kernel.selectors.find(terms.selector)
        attributes = permit(pubsub, link, None, topic_string, terms, 0, self.verb)
        if not terms.is_managed:
            return True
        if existing is not None:
            settings["DEST"] = existing.text("destination")
            return True
        if not self._queue:
            model = managed_queues.check_model(kernel, attributes.durable_model, True, self.verb)
            local = managed_queues.create(kernel, link, model, True, self.verb)
            if local is None:
                return False
            self._queue = local.name
        settings["DEST"] = self._queue
        return True


def _keep_topic(kernel: Kernel, link: Link, name: str) -> None:
    """The topic string that a topic object gives is kept with the subscription."""
    definition = kernel.catalog.find(SUB, name)
    if definition is None or not definition.text("topic_object"):
        return
    if RESOLVED_TOPIC not in definition.attributes:
        definition.attributes[RESOLVED_TOPIC] = topic_string_of(kernel, definition)
        definition.touched()
        if kernel.coordinator.has_room(None, 2 * len(definition.packed())):
            link.depends_on(kernel.coordinator.define(kernel.catalog, definition))
        else:
            kernel.catalog.note_altered(definition)  # the next checkpoint writes it


@final
class AlterSubscription(Change):
    """ALTER SUB."""

    def change(self, kernel: Kernel, link: Link) -> bool:
        command = self.command
        settings = settings_of(command, self.row)
        pubsub = pubsub_of(kernel)
        sub_id = command.given.get("SUBID", "")
        name = command.name
        _refuse_unnamed(name, sub_id, self.verb)
        _refuse_fixed(name or sub_id, settings, self.verb)
        if name != _DEFAULT_SUB:
            subscription = _find(pubsub, name, sub_id, self.verb)
            name = subscription.name
            values = objects.checked(SUB, name, settings, self.verb)
            if values.get("subscription_user") == "":
                settings["SUBUSER"] = values["subscription_user"] = link.user
            before = subscription.terms.user
            after = str(values.get("subscription_user", before))
            check_subscription_user(kernel, link, self.row, before, after)
            if values.get("destination") == "":
                detail = "DEST needs the name of a queue"
                raise mq_error(MQRCCF_DEST_NAME_ERROR, verb=self.verb, object=name, detail=detail)
            if subscription.terms.is_managed:
                _refuse_other_queue(name, values, MQRC_DEST_CLASS_NOT_ALTERABLE, self.verb)
            if subscription.terms.sub_type != ADMIN:
                return self._alter(pubsub, link, subscription, settings)
        if not objects.alter(kernel, link, SUB, name, settings):
            return False
        self.succeed(name)
        self.answers.extend(inert_warnings(SUB, name, settings))
        return True

    def _alter(
        self,
        pubsub: PublishSubscribe,
        link: Link,
        subscription: Subscription,
        settings: dict[str, object],
    ) -> bool:
        """One of an application."""
        values = objects.checked(SUB, subscription.name, settings, self.verb)
        intended = definition_of(subscription)
        intended.attributes.update(values)
        before = state_of(subscription)
        now_ns = int(pubsub.kernel.clock.now_ns())
        become(pubsub, subscription, altered_state(subscription, intended, now_ns))
        is_kept = False
        try:
            is_kept = keep_altered(pubsub, link, subscription, self.verb)
        finally:
            if not is_kept:
                become(pubsub, subscription, before)
        if is_kept:
            self.succeed(subscription.name)
        return is_kept


@final
class DeleteSubscription(Change):
    """DELETE SUB. One that an application has open is refused, as in IBM MQ."""

    def __init__(self, command: Command, row: CommandRow) -> None:
        super().__init__(command, row)
        self._subscription: Subscription | None = None

    def change(self, kernel: Kernel, link: Link) -> bool:
        command = self.command
        name = command.name
        pubsub = pubsub_of(kernel)
        sub_id = command.given.get("SUBID", "")
        _refuse_unnamed(name, sub_id, self.verb)
        ignore = command.given.get("IGNSTATE", "NO") == "YES"
        subscription = self._subscription or pubsub.found(name, sub_id)
        if subscription is None:
            if not sub_id and kernel.catalog.find(SUB, name) is not None:
                return objects.delete(kernel, link, SUB, name) and self.succeed()
            if ignore:
                return self.succeed(name or sub_id)
            raise mq_error(MQRC_NO_SUBSCRIPTION, verb=self.verb, object=name or sub_id)
        if subscription.sub_id in pubsub.handles:
            detail = "an application has it open"
            raise mq_error(
                MQRCCF_SUBSCRIPTION_IN_USE, verb=self.verb, object=subscription.name, detail=detail
            )
        self._subscription = subscription
        if not forget(pubsub, link, subscription, self.verb):
            return False
        return self.succeed(subscription.name)


@final
class DisplaySubscriptions(DisplayObjects):
    """DISPLAY SUB."""

    def __init__(self, command: Command, row: CommandRow) -> None:
        super().__init__(command, row)
        self._found: list[Subscription] | None = None
        self._at = 0
        self._default: Definition | None = None  # SYSTEM.DEFAULT.SUB, not a subscription

    def step(self, kernel: Kernel, link: Link) -> bool:
        pubsub = pubsub_of(kernel)
        found = self._found
        name = self.command.name or "*"
        if found is None:
            found = subscriptions_named(pubsub, name, self.command.given.get("SUBID", ""))
            self._found = found
            if fits_name(name, _DEFAULT_SUB):
                self._default = kernel.catalog.find(SUB, _DEFAULT_SUB)
        last = min(self._at + STEP_OBJECTS, len(found))
        while self._at < last:
            subscription = found[self._at]
            self._at += 1
            if subscription.name > _DEFAULT_SUB:
                self._show_default(kernel, link)
            if not subscription.is_removed:
                self.show(kernel, link, self._definition(kernel, subscription), None)
        if self._at < len(found):
            link.again = True
            return False
        self._show_default(kernel, link)
        if self.answers:
            return True
        self.refuse_left_out(kernel, link)
        shown = self.command.name or self.command.given.get("SUBID", "*")
        return self.refuse("AMQ8147E", shown, reason=MQRC_NO_SUBSCRIPTION)

    def _show_default(self, kernel: Kernel, link: Link) -> None:
        default = self._default
        if default is not None:
            self._default = None
            self.show(kernel, link, with_id(kernel, default), None)

    def _definition(self, kernel: Kernel, subscription: Subscription) -> Definition:
        """As it is shown: the whole topic string and what the queue manager has chosen, unless
        DISTYPE(DEFINED) asks for what was given."""
        shown = definition_of(subscription)
        stored = kernel.catalog.find(SUB, subscription.name)
        is_resolved = self.command.given.get("DISTYPE", "RESOLVED") == "RESOLVED"
        if stored is not None and subscription.terms.sub_type == ADMIN:
            if not is_resolved:
                shown = with_id(kernel, stored)
                if subscription.terms.is_managed:
                    shown.attributes["destination"] = ""
                return shown
            shown.created_ns = stored.created_ns
            shown.altered_ns = stored.altered_ns
        if is_resolved:
            shown.attributes["topic_string"] = subscription.topic_string
            shown.attributes["destination_qmgr"] = (
                subscription.terms.destination_qmgr or kernel.name
            )
        return shown


def with_id(kernel: Kernel, stored: Definition) -> Definition:
    """A SUB object with its SUBID, which the catalog does not have."""
    shown = Definition(SUB, stored.name, 0, dict(stored.attributes), stored.created_ns)
    shown.altered_ns = stored.altered_ns
    shown.attributes["subscription_id"] = sub_id_of(kernel, stored).hex().upper()
    return shown


def subscriptions_named(
    pubsub: PublishSubscribe, pattern: str, sub_id: str = ""
) -> list[Subscription]:
    """Those whose names fit, in the order of names; those without a name fit "*"."""
    if sub_id and sub_id not in ("ALL", "USER"):
        one = pubsub.found("" if pattern == "*" else pattern, sub_id)
        return [] if one is None else [one]
    if not pattern.endswith("*"):
        named = pubsub.by_name.get(pattern)
        return [] if named is None else [named]
    found = [one for one in pubsub.by_id.values() if fits_name(pattern, one.name)]
    found.sort(key=_order)
    return found


def _order(subscription: Subscription) -> tuple[str, bytes]:
    return subscription.name, subscription.sub_id
