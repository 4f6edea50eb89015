"""The rules that join several attributes of an object, or two objects: what DEFINE and ALTER check
after each value has been found right on its own.

Each rule answers with the reason code that IBM MQ's commands give, and names object and attribute.
The default objects (SYSTEM.DEF...) are exempt from what must be given, since they only lend values.
"""

from __future__ import annotations

from ternmq.admin.commands.stream_rules import StreamCheck
from ternmq.admin.commands.topic_rules import topic_fault
from ternmq.base import object_types as types
from ternmq.base.attributes import BY_NAME, Value
from ternmq.base.command_reasons import (
    MQRCCF_ATTR_VALUE_ERROR,
    MQRCCF_CHANNEL_NAME_ERROR,
    MQRCCF_CLUSTER_NAME_CONFLICT,
    MQRCCF_CUSTOM_ERROR,
    MQRCCF_DEST_NAME_ERROR,
    MQRCCF_MISSING_CONN_NAME,
    MQRCCF_OBJECT_NAME_ERROR,
    MQRCCF_PARM_CONFLICT,
    MQRCCF_PARM_MISSING,
    MQRCCF_SSL_CIPHER_SPEC_ERROR,
    MQRCCF_SSL_PEER_NAME_ERROR,
    MQRCCF_SUB_NAME_ERROR,
    MQRCCF_UNKNOWN_OBJECT_NAME,
    MQRCCF_XMIT_Q_NAME_ERROR,
    MQRCCF_XMIT_Q_NAME_WRONG_TYPE,
)
from ternmq.base.constants import MQDC_PROVIDED, MQOT_TOPIC
from ternmq.base.errors import MQError, mq_error
from ternmq.base.group_address import is_group_address
from ternmq.base.names import control_character, is_name
from ternmq.codec.selector.selector import compile_selector
from ternmq.kernel.objects import custom_cap
from ternmq.security.patterns import peer_fault
from ternmq.store.catalog import Catalog
from ternmq.wire.cipher_specs import cipher_fault, cipher_specs_of

_NEEDS_CONNECTION = types.SENDER | types.REQUESTER | types.CLUSSDR | types.CLNTCONN
_CHOOSES_COMPRESSION = types.SENDER | types.SERVER | types.CLUSSDR | types.CLUSRCVR | types.CLNTCONN
_LENDERS = ("SYSTEM.DEF.", "SYSTEM.DEFAULT.", "SYSTEM.AUTO.")


def check_name(object_type: int, name: str, verb: str) -> None:
    """The name must be one that an object of that type may have."""
    kind = types.BY_BIT[object_type]
    if object_type == types.SUB:
        if control_character(name):
            detail = "it has control characters"
            raise mq_error(MQRCCF_SUB_NAME_ERROR, verb=verb, object=name, detail=detail)
        if not 0 < len(name.encode("utf-8")) <= kind.name_bytes_max:
            raise mq_error(MQRCCF_SUB_NAME_ERROR, verb=verb, object=name)
        return
    if kind.name_keyword and not is_name(name, kind.name_bytes_max):
        is_channel = object_type & types.CHANNELS
        reason = MQRCCF_CHANNEL_NAME_ERROR if is_channel else MQRCCF_OBJECT_NAME_ERROR
        detail = f"a {kind.text} has up to {kind.name_bytes_max} letters, digits and . / _ %"
        raise mq_error(reason, verb=verb, object=name, detail=detail)


class Check:
    """One object as it is about to be."""

    def __init__(
        self, catalog: Catalog, object_type: int, name: str, values: dict[str, Value], verb: str
    ) -> None:
        self.catalog = catalog
        self.object_type = object_type
        self.name = name
        self.values = values
        self.verb = verb

    def run(self) -> None:
        """All rules that the type has; the first that is broken is raised."""
        kind = self.object_type
        if kind & types.QUEUES:
            self._queue()
        if kind & types.CHANNELS:
            self._channel()
        if "cluster_namelist" in self.values and self._text("cluster"):
            if self._text("cluster_namelist"):
                detail = "CLUSTER and CLUSNL exclude each other"
                raise self._error(MQRCCF_CLUSTER_NAME_CONFLICT, detail)
        if kind == types.TOPIC:
            self._topic()
        elif kind == types.SUB:
            self._subscription()
        elif kind == types.NAMELIST:
            self._namelist()
        elif kind == types.COMMINFO:
            self._communication()
        elif kind & types.AUTHINFOS:
            self._authentication()

    def _communication(self) -> None:
        address = self._text("group_address")
        if not is_group_address(address):
            detail = f"GRPADDR({address}) is not one of 224.0.0.0 to 239.255.255.255"
            raise self._error(MQRCCF_ATTR_VALUE_ERROR, detail)

    def _error(self, reason: int, detail: str) -> MQError:
        return mq_error(reason, verb=self.verb, object=self.name, detail=detail)

    def _text(self, name: str) -> str:
        return str(self.values.get(name, ""))

    def _words(self, name: str) -> list[str]:
        return self._text(name).split(",")

    def _number(self, name: str) -> int:
        value = self.values.get(name, 0)
        return value if isinstance(value, int) else 0

    @property
    def _lends(self) -> bool:
        return self.name.startswith(_LENDERS)

    def _need(self, name: str, reason: int = MQRCCF_PARM_MISSING) -> None:
        if not self._text(name) and not self._lends:
            row = BY_NAME[self.object_type][name]
            raise self._error(reason, f"{row.keyword} must be given")

    def _queue(self) -> None:
        if self._number("depth_low") > self._number("depth_high"):
            detail = (
                f"QDEPTHLO({self._number('depth_low')}) is more than "
                f"QDEPTHHI({self._number('depth_high')})"
            )
            raise self._error(MQRCCF_PARM_CONFLICT, detail)
        self._cap()
        if self.object_type & (types.LOCAL | types.MODEL):
            is_model = self.object_type == types.MODEL
            StreamCheck(self.catalog, self.name, self.values, self.verb).run(is_model)
        if self.object_type == types.ALIAS:
            self._alias()

    def _alias(self) -> None:
        is_topic = self._number("target_type") == MQOT_TOPIC  # whose names are others
        if self._text("target") == self.name and not is_topic:
            raise self._error(MQRCCF_ATTR_VALUE_ERROR, "TARGET is the alias itself")
        selector = self._text("selector")
        if selector:
            compile_selector(selector, self.verb, self.name)

    def _cap(self) -> None:
        """CUSTOM may say CAPEXPRY as well, as before it was an attribute; one of them has to be
        enough."""
        cap = custom_cap(self._text("custom"))
        if cap == 0:
            detail = "CUSTOM takes CAPEXPRY of 1 to 999999999"
            raise self._error(MQRCCF_CUSTOM_ERROR, detail)
        if cap > 0 and self._number("cap_expiry") >= 0:
            detail = "CAPEXPRY is in CUSTOM, which has to be without it first"
            raise self._error(MQRCCF_PARM_CONFLICT, detail)

    def _channel(self) -> None:
        cipher = self._text("cipher")
        if cipher and not cipher_specs_of(cipher):
            raise self._error(MQRCCF_SSL_CIPHER_SPEC_ERROR, cipher_fault(cipher))
        fault = peer_fault(self._text("ssl_peer"))
        if fault:
            raise self._error(MQRCCF_SSL_PEER_NAME_ERROR, f"SSLPEER: {fault}")
        if self.object_type & _CHOOSES_COMPRESSION and "ANY" in self._words("message_compression"):
            detail = "COMPMSG(ANY) is for RCVR, RQSTR and SVRCONN: this end says which"
            raise self._error(MQRCCF_ATTR_VALUE_ERROR, detail)
        if self.object_type & _NEEDS_CONNECTION:
            self._need("connection_name", MQRCCF_MISSING_CONN_NAME)
        if self.object_type & (types.SENDER | types.SERVER):
            self._need("transmission_queue", MQRCCF_XMIT_Q_NAME_ERROR)
            queue = self.catalog.definitions.get(self._text("transmission_queue"))
            if queue is not None and queue.object_type != types.LOCAL:
                detail = f"XMITQ({queue.name}) is not a local queue"
                raise self._error(MQRCCF_XMIT_Q_NAME_WRONG_TYPE, detail)

    def _topic(self) -> None:
        if not self.name.startswith("SYSTEM."):
            self._need("topic_string")
        fault = topic_fault(self.catalog, self.name, self.values)
        if fault is not None:
            raise self._error(fault[0], fault[1])

    def _subscription(self) -> None:
        if self._lends:
            return
        topic = self._text("topic_object")
        if topic and self.catalog.find(types.TOPIC, topic) is None:
            raise self._error(
                MQRCCF_UNKNOWN_OBJECT_NAME,
                f"TOPICOBJ({topic}): topic object {topic} does not exist",
            )
        if not topic and not self._text("topic_string"):
            raise self._error(MQRCCF_PARM_MISSING, "TOPICSTR or TOPICOBJ must be given")
        if self._number("destination_class") == MQDC_PROVIDED:
            self._need("destination", MQRCCF_DEST_NAME_ERROR)

    def _namelist(self) -> None:
        names = self._text("names")
        for one in names.split(",") if names else []:
            if not is_name(one):
                raise self._error(MQRCCF_ATTR_VALUE_ERROR, f"NAMES: {one!r} is not a name")

    def _authentication(self) -> None:
        if self.object_type & (types.CRLLDAP | types.IDPWLDAP):
            self._need("connection_name", MQRCCF_MISSING_CONN_NAME)
        if self.object_type == types.OCSP:
            self._need("responder")
            if not self._lends and not self._text("responder").startswith("http://"):
                raise self._error(MQRCCF_ATTR_VALUE_ERROR, "OCSPURL begins with http://")
