"""MQOPEN, more options of an open queue, MQCLOSE, MQINQ, MQSET, and the storage of a queue, as
steps."""

from __future__ import annotations

from typing import Final, final

from ternmq.admin.inquiries import check_display
from ternmq.base import constants as mq
from ternmq.base.attributes import MODEL
from ternmq.base.errors import mq_error
from ternmq.base.limits import SELECTORS_MAX
from ternmq.base.reasons import (
    MQRC_NOT_OPEN_FOR_INQUIRE,
    MQRC_NOT_OPEN_FOR_SET,
    MQRC_OBJECT_TYPE_ERROR,
    MQRC_OPTION_NOT_VALID_FOR_TYPE,
    MQRC_SELECTOR_LIMIT_EXCEEDED,
    MQRC_UNKNOWN_OBJECT_Q_MGR,
)
from ternmq.codec.mqi.mqod import ObjectDescriptor
from ternmq.kernel.connection import Connection as Link
from ternmq.kernel.connection import Handle
from ternmq.kernel.inquire import inquire, set_attributes
from ternmq.kernel.kernel import Kernel
from ternmq.kernel.list_open import close_list
from ternmq.kernel.metering_calls import was_inquired, was_set
from ternmq.kernel.objects import is_topic_alias
from ternmq.kernel.resolve import close, open_plain, open_queue, open_queue_manager
from ternmq.kernel.transmission import is_this_manager, resolved_names
from ternmq.kernel.widening import widen
from ternmq.mqi.options import check_close, check_object, check_selection, check_widen
from ternmq.mqi.steps.step import Step
from ternmq.pubsub.opening import open_topic
from ternmq.pubsub.publish_subscribe import pubsub_of
from ternmq.store.queue import Queue
from ternmq.values.calls import objects as calls
from ternmq.values.status import StorageStatus

_OF_SUBSCRIPTION: Final = mq.MQCO_KEEP_SUB | mq.MQCO_REMOVE_SUB
# Everything that a dynamic queue can be used for.
_ALL_USES: Final = mq.MQOO_INPUT_AS_Q_DEF | mq.MQOO_OUTPUT | mq.MQOO_INQUIRE | mq.MQOO_BROWSE


def open_object(
    kernel: Kernel,
    link: Link,
    od: ObjectDescriptor,
    options: int,
    verb: str,
    selector: str = "",
    object_string: str = "",
) -> Handle | None:
    """MQOPEN, also as a part of MQPUT1; None: parked."""
    check_object(od, options, verb)
    if selector:
        check_selection(od, options, verb)
    kernel.refuse_if_ending(options & mq.MQOO_FAIL_IF_QUIESCING != 0, verb)
    if od.object_type == mq.MQOT_Q_MGR:
        link.begin_verb()
        if od.object_qmgr_name not in ("", kernel.name):
            raise mq_error(MQRC_UNKNOWN_OBJECT_Q_MGR, verb=verb, object=od.object_qmgr_name)
        return open_queue_manager(kernel, link, options, od.alternate_user_id)
    if od.object_type in (mq.MQOT_PROCESS, mq.MQOT_NAMELIST):
        return open_plain(
            kernel, link, od.object_type, od.object_name, options, od.alternate_user_id
        )
    if od.object_type == mq.MQOT_TOPIC:
        return open_topic(
            pubsub_of(kernel),
            link,
            od.object_name,
            object_string,
            options,
            verb,
            od.alternate_user_id,
            od.object_qmgr_name,
        )
    return open_queue(
        kernel,
        link,
        od.object_name,
        od.object_qmgr_name,
        od.dynamic_queue_name,
        options,
        verb,
        od.alternate_user_id,
        selector,
    )


@final
class Open(Step):
    """MQOPEN; then `handle` is set."""

    def __init__(self, call: calls.Open) -> None:
        super().__init__(call.verb)
        self.call = call
        self.handle: Handle | None = None
        self._options = -1  # those that are asked for, once they are known

    def attempt(self, kernel: Kernel, link: Link) -> bool:
        call = self.call
        if self._options < 0:
            self._options = _needed(kernel, call) if call.as_needed else call.options
        handle = open_object(
            kernel, link, call.od, self._options, self.verb, call.selector, call.object_string
        )
        if handle is None:
            return False
        self.handle = handle
        call.handle = handle
        if handle.topic is not None:
            call.resolved_string = handle.topic.topic_string
        call.resolved_name, call.resolved_qmgr = resolved_names(handle, handle.options, kernel.name)
        call.target_name, call.target_qmgr = resolved_names(handle, 0, kernel.name)
        call.local_queue = call.resolved_name
        if handle.route is not None:
            call.local_queue = resolved_names(handle, mq.MQOO_RESOLVE_LOCAL_Q, kernel.name)[0]
        call.renamed = handle.local is not None and not handle.via
        definition = handle.definition
        call.object_type = 0 if definition is None else int(definition.object_type)
        return True

    def opened(self) -> Handle:
        """The handle, once the step is done."""
        handle = self.handle
        if handle is None:
            raise NotImplementedError("MQOPEN is not done")
        return handle


def _needed(kernel: Kernel, call: calls.Open) -> int:
    """MQOO options of a queue's first handle: it inquires, and others are opened as needed; a
    dynamic queue has one handle for everything."""
    options = call.options
    is_first = options == 0 and not call.exclusive
    if is_first and not is_this_manager(kernel, call.od.object_qmgr_name):
        return mq.MQOO_OUTPUT | mq.MQOO_FAIL_IF_QUIESCING  # all that it can be used for
    definition = kernel.catalog.definitions.get(call.od.object_name)
    if options == 0 and definition is not None:
        if definition.object_type == MODEL:
            options = _ALL_USES
        elif is_topic_alias(definition):
            return mq.MQOO_OUTPUT | mq.MQOO_FAIL_IF_QUIESCING
    if call.exclusive:
        if options & mq.MQOO_INPUT_AS_Q_DEF:
            options -= mq.MQOO_INPUT_AS_Q_DEF
        options |= mq.MQOO_INPUT_EXCLUSIVE | mq.MQOO_INQUIRE | mq.MQOO_BROWSE
    return options or mq.MQOO_INQUIRE


@final
class Widen(Step):
    """More options of an open queue."""

    def __init__(self, call: calls.Widen) -> None:
        super().__init__(call.verb)
        self.call = call

    def attempt(self, kernel: Kernel, link: Link) -> bool:
        call = self.call
        handle = self.about(link, call.handle)
        options = call.options
        check_widen(int(handle.options), options)
        kernel.refuse_if_ending(options & mq.MQOO_FAIL_IF_QUIESCING != 0, self.verb)
        if not widen(kernel, link, handle, options):
            return False
        call.allowed = int(handle.options)
        call.resolved_name = handle.resolved_name
        return True


@final
class Close(Step):
    """MQCLOSE."""

    def __init__(self, call: calls.Close) -> None:
        super().__init__(call.verb)
        self.call = call

    def attempt(self, kernel: Kernel, link: Link) -> bool:
        options = self.call.options
        check_close(options)
        handle = self.about(link, self.call.handle)
        if handle.members is not None:
            return close_list(kernel, handle, options)
        if options & _OF_SUBSCRIPTION and handle.subscription is None:
            detail = "MQCO_KEEP_SUB and MQCO_REMOVE_SUB are for handles of subscriptions"
            name = handle.resolved_name
            raise mq_error(
                MQRC_OPTION_NOT_VALID_FOR_TYPE, verb=self.verb, object=name, detail=detail
            )
        is_closed = close(kernel, handle, options)
        self.call.warning = int(link.warning)
        return is_closed


@final
class Inquire(Step):
    """MQINQ."""

    def __init__(self, call: calls.Inquire) -> None:
        super().__init__(call.verb)
        self.call = call

    def attempt(self, kernel: Kernel, link: Link) -> bool:
        call = self.call
        handle = self.about(link, call.handle)
        if not handle.options & mq.MQOO_INQUIRE:
            raise mq_error(MQRC_NOT_OPEN_FOR_INQUIRE, verb=self.verb, object=handle.resolved_name)
        if len(call.selectors) > SELECTORS_MAX:
            raise mq_error(
                MQRC_SELECTOR_LIMIT_EXCEEDED,
                verb=self.verb,
                detail=f"{len(call.selectors)} selectors",
            )
        link.begin_verb()
        call.values, call.inapplicable = inquire(kernel, handle, call.selectors)
        if kernel.measured:
            was_inquired(kernel, handle)
        return True


@final
class SetAttributes(Step):
    """MQSET."""

    def __init__(self, call: calls.SetAttributes) -> None:
        super().__init__(call.verb)
        self.call = call

    def attempt(self, kernel: Kernel, link: Link) -> bool:
        handle = self.about(link, self.call.handle)
        if not handle.options & mq.MQOO_SET:
            raise mq_error(MQRC_NOT_OPEN_FOR_SET, verb=self.verb, object=handle.resolved_name)
        link.begin_verb()
        if not set_attributes(kernel, handle, self.call.values):
            return False
        if kernel.measured:
            was_set(kernel, handle)
        return True


@final
class InquireStorage(Step):
    """Where the messages of a queue are; as DISPLAY, it needs dsp."""

    def __init__(self, call: calls.InquireStorage) -> None:
        super().__init__(call.verb)
        self.call = call

    def attempt(self, kernel: Kernel, link: Link) -> bool:
        handle = self.about(link, self.call.handle)
        local = handle.local
        if local is None:  # an alias, which has no storage
            raise mq_error(MQRC_OBJECT_TYPE_ERROR, object=handle.resolved_name)
        check_display(kernel, link, mq.MQOT_Q, local.queue.name)
        self.call.found = storage_status(local.queue)
        return True


def storage_status(queue: Queue) -> StorageStatus:
    """A snapshot for people and monitoring."""
    service = queue.service
    return StorageStatus(
        queue=queue.name,
        depth=int(queue.depth),
        in_memory=int(queue.available),
        swept=int(queue.swept_alive),
        memory_bytes=int(queue.plain_bytes + queue.persistent_bytes),
        segments=len(queue.segments),
        file_bytes=int(queue.file_bytes),
        gets=int(service.gets),
        sweeps=int(service.sweeps),
        sweeps_aborted=int(service.aborted),
        messages_swept=int(service.messages_swept),
        unsweeps=int(service.unsweeps),
        last_failure=service.failure,
    )
