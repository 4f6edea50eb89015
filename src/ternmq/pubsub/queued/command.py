"""A command of queued publish/subscribe, checked: what it asks for and of whom it is.

    command    fields, * those that may be repeated; + of an MQRFH alone, 2 of an MQRFH2 alone
    RegSub     Topic* RegOpt* QMgrName QName SubName SubIdentity SubUserData SubPoint2 Filter2
    DeregSub   as RegSub
    ReqUpdate  Topic RegOpt* QMgrName QName SubName SubPoint2 Filter2
    Publish    Topic* PubOpt* QMgrName QName PubTime SeqNum SubPoint2 RegOpt+* StrData+* IntData+*
               UNIQUE_CONNECTION_ID2
    DeletePub  Topic* DelOpt* SubPoint2
    RegPub+    Topic* RegOpt* QMgrName QName, and DeregPub+: accepted, for publishers need not
               register any more

An MQRFH also has StreamName. Commands of an MQRFH go to the control queue, Publish and DeletePub to
the queue of the stream; those of an MQRFH2 may go to any of them.
"""

from __future__ import annotations

from typing import Final, final

from ternmq.base import constants as mq
from ternmq.base.command_reasons import (
    MQRCCF_CORREL_ID_ERROR,
    MQRCCF_DEL_OPTIONS_ERROR,
    MQRCCF_INCORRECT_Q,
    MQRCCF_INCORRECT_STREAM,
    MQRCCF_PUB_OPTIONS_ERROR,
    MQRCCF_Q_MGR_NAME_ERROR,
    MQRCCF_Q_NAME_ERROR,
    MQRCCF_REG_OPTIONS_ERROR,
    MQRCCF_STREAM_ERROR,
    MQRCCF_TOPIC_ERROR,
    MQRCCF_UNKNOWN_STREAM,
)
from ternmq.base.names import is_name
from ternmq.base.reasons import (
    MQRC_MSG_TYPE_ERROR,
    MQRC_RFH_COMMAND_ERROR,
    MQRC_RFH_DUPLICATE_PARM,
    MQRC_RFH_PARM_ERROR,
    MQRC_RFH_PARM_MISSING,
)
from ternmq.base.user_names import whole_name
from ternmq.codec.headers.pubsub_command import COMMAND, OWN, TOPIC, CommandMessage, Field
from ternmq.codec.headers.pubsub_options import DELETION, PUBLICATION, REGISTRATION, options_of
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.kernel.kernel import Kernel
from ternmq.pubsub.opening import TOPIC_STRING_MAX
from ternmq.pubsub.queued.streams import (
    CONTROL_QUEUE,
    DEFAULT_STREAM,
    point_prefix,
    prefixed,
    stream_prefix,
)
from ternmq.pubsub.queued.subscriber import Subscriber
from ternmq.pubsub.topic_tree import SEPARATOR
from ternmq.values.entry import ZERO_ID

REGISTER: Final = "RegSub"
DEREGISTER: Final = "DeregSub"
REQUEST: Final = "ReqUpdate"
PUBLISH: Final = "Publish"
DELETE: Final = "DeletePub"
PUBLISHERS: Final = ("RegPub", "DeregPub")
_WITHOUT_SUBSCRIBER: Final = ("DeletePub", "RegPub", "DeregPub")
CONNECTION: Final = "UNIQUE_CONNECTION_ID"  # that IBM's classes for JMS send with publications
_OF_STREAMS: Final = (PUBLISH, DELETE)
_NAMES: Final = ("QMgrName", "QName")
_SUBSCRIBER: Final = (*_NAMES, "SubName", "SubIdentity", "SubUserData")
_KNOWN: Final[dict[str, tuple[str, ...]]] = {
    REGISTER: (TOPIC, "RegOpt", *_SUBSCRIBER),
    DEREGISTER: (TOPIC, "RegOpt", *_SUBSCRIBER),
    REQUEST: (TOPIC, "RegOpt", *_NAMES, "SubName"),
    PUBLISH: (TOPIC, "PubOpt", *_NAMES, "PubTime", "SeqNum"),
    DELETE: (TOPIC, "DelOpt"),
    "RegPub": (TOPIC, "RegOpt", *_NAMES),
    "DeregPub": (TOPIC, "RegOpt", *_NAMES),
}
_OF_VERSION_1: Final[dict[str, tuple[str, ...]]] = {PUBLISH: ("RegOpt", "StrData", "IntData")}
_OF_VERSION_2: Final[dict[str, tuple[str, ...]]] = {
    REGISTER: ("SubPoint", "Filter"),
    DEREGISTER: ("SubPoint", "Filter"),
    REQUEST: ("SubPoint", "Filter"),
    PUBLISH: ("SubPoint", CONNECTION),
    DELETE: ("SubPoint",),
}
_REPEATED: Final = (TOPIC, "RegOpt", "PubOpt", "DelOpt", "StrData", "IntData")
# Where an option is of no use, it is wrong.
_REGISTERING: Final = ~(mq.MQREGO_DEREGISTER_ALL | mq.MQREGO_LEAVE_ONLY | mq.MQREGO_DIRECT_REQUESTS)
_DEREGISTERING: Final = (
    mq.MQREGO_CORREL_ID_AS_IDENTITY
    | mq.MQREGO_DEREGISTER_ALL
    | mq.MQREGO_FULL_RESPONSE
    | mq.MQREGO_LEAVE_ONLY
    | mq.MQREGO_VARIABLE_USER_ID
)
_REQUESTING: Final = mq.MQREGO_CORREL_ID_AS_IDENTITY | mq.MQREGO_VARIABLE_USER_ID
_OF_PUBLISHERS: Final = (
    mq.MQREGO_CORREL_ID_AS_IDENTITY
    | mq.MQREGO_ANONYMOUS
    | mq.MQREGO_LOCAL
    | mq.MQREGO_DIRECT_REQUESTS
    | mq.MQREGO_DEREGISTER_ALL
)
# Options of which one is possible.
_PERSISTENCE: Final = (
    mq.MQREGO_NON_PERSISTENT,
    mq.MQREGO_PERSISTENT,
    mq.MQREGO_PERSISTENT_AS_PUBLISH,
    mq.MQREGO_PERSISTENT_AS_Q,
)
_ONE_OF: Final = (
    _PERSISTENCE,
    (mq.MQREGO_NEW_PUBLICATIONS_ONLY, mq.MQREGO_PUBLISH_ON_REQUEST_ONLY),
    (mq.MQREGO_JOIN_SHARED, mq.MQREGO_JOIN_EXCLUSIVE),
)
_BY_LEVEL: Final = ("+", "#")


@final
class CommandFault(Exception):
    """A command is refused: the reason, and fields that say more in the response."""

    def __init__(self, reason: int, fields: list[Field] | None = None) -> None:
        super().__init__(f"reason {reason}")
        self.reason = reason
        self.fields: list[Field] = [] if fields is None else fields


@final
class QueuedCommand:
    """What a message asks for."""

    def __init__(self, message: CommandMessage, md: Descriptor, queue: str) -> None:
        self.message = message
        self.md = md
        self.queue = queue  # that it was put to
        self.name = ""
        self.user = whole_name(md.user_id, md.appl_identity_data)
        self.options = 0  # MQREGO_, MQPUBO_ or MQDELO_, by the command
        self.stream = ""  # "" for the default one
        self.prefix = ""  # what stands before its topics
        self.topics: list[str] = []  # as they were given
        self.selector = ""
        self.subscriber: Subscriber = ("", "", b"")
        self.was_tried = False  # and what it asks for may be done

    @property
    def is_version_1(self) -> bool:
        """An MQRFH, whose wildcards are characters."""
        return self.message.version == 1

    def full(self, topic: str) -> str:
        """A topic string in full."""
        return prefixed(self.prefix, topic)

    def said(self) -> list[Field]:
        """What a publisher says of a publication, its own names behind the others."""
        found = self.message.fields + self.message.own
        return [(OWN + name if name == CONNECTION else name, value) for name, value in found]

    def check(self, kernel: Kernel) -> None:
        """Take the fields apart. CommandFault if the command cannot be carried out."""
        if self.md.msg_type not in (mq.MQMT_REQUEST, mq.MQMT_DATAGRAM):
            raise CommandFault(MQRC_MSG_TYPE_ERROR)
        self._check_fields()
        self._check_options()
        self._check_stream(kernel)
        self._check_topics()
        self.selector = self.message.value("Filter")
        if self.name not in _WITHOUT_SUBSCRIBER:
            self.subscriber = self._subscriber(kernel)

    def _check_fields(self) -> None:
        message = self.message
        self.name = message.value(COMMAND)
        known = _KNOWN.get(self.name)
        if known is None or (self.name in PUBLISHERS and not self.is_version_1):
            raise CommandFault(MQRC_RFH_COMMAND_ERROR, [(COMMAND, self.name)])
        of_version = _OF_VERSION_1 if self.is_version_1 else _OF_VERSION_2
        known = known + of_version.get(self.name, ()) + (COMMAND,)
        if self.is_version_1:
            known += ("StreamName",)
        seen: set[str] = set()
        for name, _ in message.fields:
            if name not in known:
                raise self._fault_of(MQRC_RFH_PARM_ERROR, name)
            if name in seen and (name not in _REPEATED or self._is_single(name)):
                raise self._fault_of(MQRC_RFH_DUPLICATE_PARM, name)
            seen.add(name)

    def _is_single(self, name: str) -> bool:
        return name == TOPIC and self.name == REQUEST

    def _fault_of(self, reason: int, name: str) -> CommandFault:
        return CommandFault(reason, [("ParmId", name)] if self.is_version_1 else [])

    def _check_options(self) -> None:
        message = self.message
        if self.name == PUBLISH:
            self.options = options_of(message.values("PubOpt"), PUBLICATION)
            if self.options < 0 or self.options & mq.MQPUBO_IS_RETAINED_PUBLICATION:
                raise self._wrong_options(MQRCCF_PUB_OPTIONS_ERROR, "PubOpt")
            of_publisher = options_of(message.values("RegOpt"), REGISTRATION)
            if of_publisher < 0 or of_publisher & ~_OF_PUBLISHERS:
                raise self._wrong_options(MQRCCF_REG_OPTIONS_ERROR, "RegOpt")
        elif self.name == DELETE:
            self.options = options_of(message.values("DelOpt"), DELETION)
            if self.options < 0:
                raise self._wrong_options(MQRCCF_DEL_OPTIONS_ERROR, "DelOpt")
        else:
            self._check_registration()

    def _wrong_options(self, reason: int, name: str) -> CommandFault:
        return CommandFault(reason, [(name, value) for value in self.message.values(name)])

    def _check_registration(self) -> None:
        options = options_of(self.message.values("RegOpt"), REGISTRATION)
        allowed = _REGISTERING
        if self.name == DEREGISTER:
            allowed = _DEREGISTERING
        elif self.name == REQUEST:
            allowed = _REQUESTING
        elif self.name in PUBLISHERS:
            allowed = _OF_PUBLISHERS
        is_wrong = options < 0 or options & ~allowed or options & mq.MQREGO_LOCKED
        if is_wrong or not self._is_consistent(options):
            raise self._wrong_options(MQRCCF_REG_OPTIONS_ERROR, "RegOpt")
        self.options = options

    def _is_consistent(self, options: int) -> bool:
        """Whether options go together, and with the names that are given."""
        for group in _ONE_OF:
            if sum([1 for option in group if options & option]) > 1:
                return False
        message = self.message
        identified = mq.MQREGO_JOIN_SHARED | mq.MQREGO_JOIN_EXCLUSIVE | mq.MQREGO_LEAVE_ONLY
        if options & identified and not message.value("SubIdentity"):
            return False
        if options & mq.MQREGO_ADD_NAME and not message.value("SubName"):
            return False
        if options & mq.MQREGO_DEREGISTER_ALL:
            has_one_topic = self.is_version_1 and message.value(TOPIC) != ""
            return not has_one_topic and not options & mq.MQREGO_FULL_RESPONSE
        return not options & mq.MQREGO_FULL_RESPONSE or len(message.values(TOPIC)) <= 1

    def _check_stream(self, kernel: Kernel) -> None:
        """Which stream and subscription point it is about, and whether its queue will do."""
        message = self.message
        on_control = self.queue == CONTROL_QUEUE
        if self.is_version_1 and on_control == (self.name in _OF_STREAMS):
            raise CommandFault(MQRCCF_INCORRECT_Q)
        stream = DEFAULT_STREAM if on_control else self.queue
        named = message.value("StreamName").rstrip()
        if named:
            if not is_name(named):
                raise CommandFault(MQRCCF_STREAM_ERROR, [("StreamName", named)])
            if not on_control and named != stream:
                raise CommandFault(MQRCCF_INCORRECT_STREAM, [("StreamName", named)])
            stream = named
        prefix = stream_prefix(kernel, stream)
        if prefix is None:
            raise CommandFault(MQRCCF_UNKNOWN_STREAM, [("StreamName", stream)])
        point = point_prefix(kernel, message.value("SubPoint"))
        if point is None:
            raise CommandFault(MQRCCF_TOPIC_ERROR, [("SubPoint", message.value("SubPoint"))])
        self.stream = "" if stream == DEFAULT_STREAM else stream
        self.prefix = prefixed(prefix, point) if point else prefix

    def _check_topics(self) -> None:
        self.topics = self.message.values(TOPIC)
        if not self.topics and not self._needs_no_topic():
            raise self._fault_of(MQRC_RFH_PARM_MISSING, TOPIC)
        for topic in self.topics:
            is_wrong = not topic or len(self.full(topic)) > TOPIC_STRING_MAX
            if is_wrong or (self.name == PUBLISH and self._has_wildcards(topic)):
                raise CommandFault(MQRCCF_TOPIC_ERROR, [(TOPIC, topic)])

    def _needs_no_topic(self) -> bool:
        if self.name in (DEREGISTER, REQUEST) and self.message.value("SubName"):
            return True
        return self.options & mq.MQREGO_DEREGISTER_ALL != 0

    def _has_wildcards(self, topic: str) -> bool:
        if self.is_version_1:
            return "*" in topic or "?" in topic
        return any(level in _BY_LEVEL for level in topic.split(SEPARATOR))

    def _subscriber(self, kernel: Kernel) -> Subscriber:
        """Who is meant: the names in the command, else those for replies."""
        md = self.md
        message = self.message
        queue = message.value("QName").rstrip() or md.reply_to_queue
        qmgr = message.value("QMgrName").rstrip() or md.reply_to_qmgr
        needs_queue = self.name != PUBLISH and not self._is_by_name()
        if (needs_queue and not queue) or (queue and not is_name(queue)):
            raise CommandFault(MQRCCF_Q_NAME_ERROR, [("QName", queue)])
        if qmgr and not is_name(qmgr):
            raise CommandFault(MQRCCF_Q_MGR_NAME_ERROR, [("QMgrName", qmgr)])
        correl_id = b""
        if self.options & mq.MQREGO_CORREL_ID_AS_IDENTITY:  # MQPUBO_ has the same number
            correl_id = md.correl_id
            if correl_id == ZERO_ID:
                raise CommandFault(MQRCCF_CORREL_ID_ERROR)
        return (queue, "" if qmgr == kernel.name else qmgr, correl_id)

    def _is_by_name(self) -> bool:
        return self.name != REGISTER and self.message.value("SubName") != ""
