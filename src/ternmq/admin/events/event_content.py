"""Instrumentation events: what each contains. The kernel reports, `event_put` puts.

Queue manager events (authority, inhibit, local, remote, start and stop) and logger events are made
here; performance events in `performance_events`, configuration and command events in
`object_events`, channel and SSL events in `channel_events`. Each is an MQCFH of type MQCFT_EVENT
with the reason that names the event, and the parameters that IBM MQ documents for it.
"""

from __future__ import annotations

from typing import Final, final

from ternmq.admin.events.channel_events import (
    blocked_event,
    defined_event,
    place_event,
    started_event,
    stopped_by_user_event,
    stopped_event,
    tls_event,
)
from ternmq.admin.events.event_put import (
    CHANNEL_EVENTS,
    LOGGER_EVENTS,
    PUBSUB_EVENTS,
    QMGR_EVENTS,
    EventQueues,
)
from ternmq.admin.events.object_events import NAME_PARAMETERS, ObjectEvents
from ternmq.admin.events.performance_events import PerformanceEvents
from ternmq.admin.events.topic_events import (
    application_of,
    multicast_parameters,
    refused_topic,
    topic_parameters,
)
from ternmq.base import constants as mq
from ternmq.base import reasons as rc
from ternmq.base.attributes import Value
from ternmq.base.errors import MQError
from ternmq.base.object_types import BY_BIT
from ternmq.channel.agent import End
from ternmq.codec.pcf import parameter as pcf
from ternmq.codec.pcf.parameter import Parameter
from ternmq.codec.pcf.structures import PCFMessage
from ternmq.kernel.channel_instance import ChannelInstance
from ternmq.kernel.connection import Connection
from ternmq.kernel.events import (
    AUTHORITY,
    CHANNEL,
    COMMAND,
    COMMAND_NOT_DISPLAY,
    CONFIGURATION,
    INHIBIT,
    LOCAL_NAMES,
    LOGGER,
    REMOTE_NAMES,
    START_STOP,
    TLS,
    EventSink,
)
from ternmq.kernel.kernel import Kernel
from ternmq.kernel.objects import LocalQueue
from ternmq.kernel.topic_sink import TopicRefusal
from ternmq.log.archive import extent_name
from ternmq.security.chlauth import Partner
from ternmq.store.catalog import Definition
from ternmq.txn.media.extent_needs import extent_needs
from ternmq.values.command import Answer, Command
from ternmq.values.multicast_figures import MulticastFigures

# The reasons of failed verbs that have an event, and the kind that each belongs to.
REFUSALS: Final[dict[int, int]] = {
    rc.MQRC_PUT_INHIBITED: INHIBIT,
    rc.MQRC_GET_INHIBITED: INHIBIT,
    rc.MQRC_ALIAS_BASE_Q_TYPE_ERROR: LOCAL_NAMES,
    rc.MQRC_UNKNOWN_ALIAS_BASE_Q: LOCAL_NAMES,
    rc.MQRC_UNKNOWN_OBJECT_NAME: LOCAL_NAMES,
    rc.MQRC_DEF_XMIT_Q_TYPE_ERROR: REMOTE_NAMES,
    rc.MQRC_DEF_XMIT_Q_USAGE_ERROR: REMOTE_NAMES,
    rc.MQRC_Q_TYPE_ERROR: REMOTE_NAMES,
    rc.MQRC_REMOTE_Q_NAME_ERROR: REMOTE_NAMES,
    rc.MQRC_XMIT_Q_TYPE_ERROR: REMOTE_NAMES,
    rc.MQRC_XMIT_Q_USAGE_ERROR: REMOTE_NAMES,
    rc.MQRC_UNKNOWN_DEF_XMIT_Q: REMOTE_NAMES,
    rc.MQRC_UNKNOWN_REMOTE_Q_MGR: REMOTE_NAMES,
    rc.MQRC_UNKNOWN_XMIT_Q: REMOTE_NAMES,
}


@final
class Events(EventSink):
    """Makes the events of one queue manager."""

    def __init__(self, kernel: Kernel) -> None:
        super().__init__()
        self._kernel = kernel
        self._end_reported = False
        self.queues = EventQueues(kernel, self)
        self._performance = PerformanceEvents(kernel, self.queues)
        self.objects = ObjectEvents(kernel, self.queues)
        self._extent = int(kernel.coordinator.log.end_lsn) // int(kernel.keeper.extent_bytes)

    # ---- queue manager events

    def _queue_manager_event(self, reason: int, parameters: list[Parameter]) -> None:
        name = pcf.string(mq.MQCA_Q_MGR_NAME, self._kernel.name, mq.MQ_Q_MGR_NAME_LENGTH)
        event = event_message(mq.MQCMD_Q_MGR_EVENT, reason, [name, *parameters])
        self.queues.put(QMGR_EVENTS, event)

    def refused(self, connection: Connection, error: MQError, name: str, qmgr_name: str) -> None:
        kernel = self._kernel
        reason = error.reason
        if not REFUSALS.get(reason, 0) & kernel.events:
            return
        parameters = [pcf.string(mq.MQCA_Q_NAME, name, mq.MQ_Q_NAME_LENGTH)]
        if reason in (rc.MQRC_UNKNOWN_ALIAS_BASE_Q, rc.MQRC_ALIAS_BASE_Q_TYPE_ERROR):
            parameters.extend(self._base_of(name))
        parameters.extend(application_of(connection))
        if qmgr_name and qmgr_name != kernel.name:
            width = mq.MQ_Q_MGR_NAME_LENGTH
            parameters.append(pcf.string(mq.MQCACF_OBJECT_Q_MGR_NAME, qmgr_name, width))
        self._queue_manager_event(reason, parameters)

    def _base_of(self, name: str) -> list[Parameter]:
        """What an alias leads to, and its type if it exists."""
        alias = self._kernel.catalog.definitions.get(name)
        if alias is None:
            return []
        target = str(alias.attributes.get("target", ""))
        found = [pcf.string(mq.MQCA_BASE_OBJECT_NAME, target, mq.MQ_Q_NAME_LENGTH)]
        base = self._kernel.catalog.definitions.get(target)
        if base is not None:
            found.append(pcf.integer(mq.MQIA_Q_TYPE, BY_BIT[base.object_type].subtype))
        return found

    def not_authorized(
        self, connection: Connection, qualifier: int, object_type: int, name: str, options: int
    ) -> None:
        if not self._kernel.events & AUTHORITY:
            return
        parameters = [pcf.integer(mq.MQIACF_REASON_QUALIFIER, qualifier)]
        if qualifier == mq.MQRQ_OPEN_NOT_AUTHORIZED:
            parameters.append(pcf.integer(mq.MQIACF_OPEN_OPTIONS, options))
        elif qualifier == mq.MQRQ_CMD_NOT_AUTHORIZED:
            parameters.append(pcf.integer(mq.MQIACF_COMMAND, options))
        user = pcf.string(mq.MQCACF_USER_IDENTIFIER, connection.user, mq.MQ_USER_ID_LENGTH)
        parameters.append(user)
        if qualifier != mq.MQRQ_CMD_NOT_AUTHORIZED:
            parameters.extend(application_of(connection))
            if name and qualifier != mq.MQRQ_CONN_NOT_AUTHORIZED:
                parameters.append(_named(object_type, name))
        self._queue_manager_event(rc.MQRC_NOT_AUTHORIZED, parameters)

    def topic_not_authorized(self, connection: Connection, refusal: TopicRefusal) -> None:
        if self._kernel.events & AUTHORITY:
            parameters = refused_topic(connection, refusal)
            self._queue_manager_event(rc.MQRC_NOT_AUTHORIZED, parameters)

    def unknown_topic(self, connection: Connection, name: str) -> None:
        if self._kernel.events & LOCAL_NAMES:
            named = pcf.string(mq.MQCA_TOPIC_NAME, name, mq.MQ_TOPIC_NAME_LENGTH)
            parameters = [*application_of(connection), named]
            self._queue_manager_event(rc.MQRC_UNKNOWN_OBJECT_NAME, parameters)

    def topic_inhibited(self, connection: Connection, topic_string: str, names: list[str]) -> None:
        if self._kernel.events & INHIBIT:
            parameters = [*application_of(connection), *topic_parameters(topic_string, names)]
            self._queue_manager_event(rc.MQRC_PUT_INHIBITED, parameters)

    def multicast_status(
        self,
        connection: Connection,
        reason: int,
        topic_string: str,
        communication: str,
        figures: MulticastFigures,
        reliability: int,
    ) -> None:
        name = pcf.string(mq.MQCA_Q_MGR_NAME, self._kernel.name, mq.MQ_Q_MGR_NAME_LENGTH)
        parameters = multicast_parameters(
            topic_string, communication, figures, reliability, reason == rc.MQRC_MCAST_PUB_STATUS
        )
        parameters = [name, *application_of(connection), *parameters]
        self.queues.put(PUBSUB_EVENTS, event_message(mq.MQCMD_Q_MGR_EVENT, reason, parameters))

    def started(self, begun_as: int, host_name: str) -> None:
        if self._kernel.events & START_STOP:
            parameters = [
                pcf.integer(mq.MQIACF_REASON_QUALIFIER, begun_as),
                pcf.string(mq.MQCACF_HOST_NAME, host_name),
            ]
            self._queue_manager_event(rc.MQRC_Q_MGR_ACTIVE, parameters)

    def stopping(self, qualifier: int) -> None:
        if self._kernel.events & START_STOP and not self._end_reported:
            self._end_reported = True
            why = pcf.integer(mq.MQIACF_REASON_QUALIFIER, qualifier)
            self._queue_manager_event(rc.MQRC_Q_MGR_NOT_ACTIVE, [why])

    # ---- channel and SSL events

    def channel_blocked(
        self, qualifier: int, partner: Partner, user: str, application: str, warned: bool
    ) -> None:
        kernel = self._kernel
        if kernel.events & CHANNEL:
            event = blocked_event(kernel.name, qualifier, partner, user, application, warned)
            self.queues.put(CHANNEL_EVENTS, event)

    def tls_failed(
        self, qualifier: int, channel: str, address: str, ssl_peer: str, ssl_issuer: str
    ) -> None:
        kernel = self._kernel
        if kernel.events & TLS:
            event = tls_event(kernel.name, qualifier, channel, address, ssl_peer, ssl_issuer)
            self.queues.put(CHANNEL_EVENTS, event)

    def channel_started(self, instance: ChannelInstance) -> None:
        kernel = self._kernel
        if self._reports_all_channels():
            self.queues.put(CHANNEL_EVENTS, started_event(kernel.name, instance))

    def channel_stopped(self, instance: ChannelInstance, qualifier: int, end: End) -> None:
        kernel = self._kernel
        if qualifier == mq.MQRQ_CHANNEL_STOPPED_OK and not self._reports_all_channels():
            return
        if kernel.events & CHANNEL:
            event = stopped_event(kernel.name, instance, qualifier, end)
            self.queues.put(CHANNEL_EVENTS, event)

    def channel_stopped_by_user(self, name: str) -> None:
        kernel = self._kernel
        if kernel.events & CHANNEL:
            self.queues.put(CHANNEL_EVENTS, stopped_by_user_event(kernel.name, name))

    def channel_place(self, definition: Definition, waits: bool) -> None:
        kernel = self._kernel
        if kernel.events & CHANNEL:
            self.queues.put(CHANNEL_EVENTS, place_event(kernel.name, definition, waits))

    def channel_defined(
        self, name: str, channel_type: int, address: str, failed: int, feedback: int
    ) -> None:
        kernel = self._kernel
        if kernel.number("auto_define_event") == mq.MQEVR_ENABLED:
            event = defined_event(kernel.name, name, channel_type, address, failed, feedback)
            self.queues.put(CHANNEL_EVENTS, event)

    def _reports_all_channels(self) -> bool:
        """CHLEV(ENABLED); EXCEPTION leaves out what is as it should be."""
        return self._kernel.number("channel_event") == mq.MQEVR_ENABLED

    # ---- performance events

    def was_put(self, local: LocalQueue) -> None:
        self._performance.was_put(local)

    def was_got(self, local: LocalQueue) -> None:
        self._performance.was_got(local)

    def was_full(self, local: LocalQueue) -> None:
        self._performance.was_full(local)

    # ---- configuration events

    def created(self, connection: Connection, definition: Definition) -> None:
        if self._kernel.events & CONFIGURATION and not definition.temporary:
            self.objects.created(connection, definition)

    def changed(
        self,
        connection: Connection,
        definition: Definition,
        before: dict[str, Value],
        origin: int = 0,
    ) -> None:
        if self._kernel.events & CONFIGURATION and not definition.temporary:
            self.objects.changed(connection, definition, before, origin)

    def deleted(self, connection: Connection, definition: Definition) -> None:
        if self._kernel.events & CONFIGURATION and not definition.temporary:
            self.objects.deleted(connection, definition)

    def queue_manager_changed(self, connection: Connection, before: dict[str, Value]) -> None:
        # CONFIGEV itself may be what was switched off: that is reported, too.
        self.objects.queue_manager_changed(connection, before)

    # ---- logger events

    def after_step(self) -> None:
        if self.due:
            self.due = False
            self.queues.put_waiting()
        kernel = self._kernel
        if not kernel.events & LOGGER or not kernel.catalog.keeps_images:
            return
        extent = int(kernel.coordinator.log.end_lsn) // int(kernel.keeper.extent_bytes)
        if extent != self._extent:
            self._extent = extent
            self._new_extent()

    def _new_extent(self) -> None:
        kernel = self._kernel
        needs = extent_needs(kernel.keeper)
        width = mq.MQ_LOG_EXTENT_NAME_LENGTH
        media = "" if needs.media < 0 else extent_name(needs.media)
        parameters = [
            pcf.string(mq.MQCA_Q_MGR_NAME, kernel.name, mq.MQ_Q_MGR_NAME_LENGTH),
            pcf.string(mq.MQCACF_CURRENT_LOG_EXTENT_NAME, extent_name(needs.current), width),
            pcf.string(mq.MQCACF_RESTART_LOG_EXTENT_NAME, extent_name(needs.restart), width),
            pcf.string(mq.MQCACF_MEDIA_LOG_EXTENT_NAME, media, width),
            pcf.string(mq.MQCACF_LOG_PATH, str(kernel.catalog.facts.get("log_path", ""))),
        ]
        event = event_message(mq.MQCMD_LOGGER_EVENT, rc.MQRC_LOGGER_STATUS, parameters)
        self.queues.put(LOGGER_EVENTS, event)


COMMANDS_REPORTED: Final = COMMAND | COMMAND_NOT_DISPLAY


def report_command_event(
    kernel: Kernel, connection: Connection, command: Command, number: int, answers: list[Answer]
) -> None:
    """A command is done: CMDEV reports it if it did what it said. It is on now, or was before."""
    sink = kernel.event_sink
    if isinstance(sink, Events) and all(answer.ok for answer in answers):
        sink.objects.command_done(connection, command, number)


def event_message(command: int, reason: int, parameters: list[Parameter]) -> PCFMessage:
    """The one message of an event."""
    return PCFMessage(mq.MQCFT_EVENT, command, parameters, comp=mq.MQCC_WARNING, reason=reason)


def _named(object_type: int, name: str) -> Parameter:
    parameter = NAME_PARAMETERS.get(object_type, mq.MQCA_Q_NAME)
    return pcf.string(parameter, name, mq.MQ_OBJECT_NAME_LENGTH)
