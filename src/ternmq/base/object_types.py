"""The types of objects that a queue manager has: one bit each, so that a set of types is a number.

A type belongs to a space of names: two objects of one space cannot have the same name. A
client-connection channel has a space of its own, as in IBM MQ, since it lives with the clients.
"""

from __future__ import annotations

from typing import Final, final

from ternmq.base import constants as mq

LOCAL: Final = 1
MODEL: Final = 2
ALIAS: Final = 4
QMGR: Final = 8
REMOTE: Final = 1 << 4
SENDER: Final = 1 << 5
SERVER: Final = 1 << 6
RECEIVER: Final = 1 << 7
REQUESTER: Final = 1 << 8
SVRCONN: Final = 1 << 9
CLNTCONN: Final = 1 << 10
CLUSSDR: Final = 1 << 11
CLUSRCVR: Final = 1 << 12
AMQP: Final = 1 << 13
TOPIC: Final = 1 << 14
SUB: Final = 1 << 15
PROCESS: Final = 1 << 16
NAMELIST: Final = 1 << 17
LISTENER: Final = 1 << 18
SERVICE: Final = 1 << 19
CRLLDAP: Final = 1 << 20
OCSP: Final = 1 << 21
IDPWOS: Final = 1 << 22
IDPWLDAP: Final = 1 << 23
COMMINFO: Final = 1 << 24
CHLAUTH: Final = 1 << 25
AUTHREC: Final = 1 << 26

QUEUES: Final = LOCAL | MODEL | ALIAS | REMOTE
MESSAGE_CHANNELS: Final = SENDER | SERVER | RECEIVER | REQUESTER | CLUSSDR | CLUSRCVR
CHANNELS: Final = MESSAGE_CHANNELS | SVRCONN | CLNTCONN | AMQP
AUTHINFOS: Final = CRLLDAP | OCSP | IDPWOS | IDPWLDAP

# by group: keyword and selector of the name, keyword and selector of the type, longest name
_NAMED: Final[dict[str, tuple[str, int, str, int, int]]] = {
    "QMGR": ("QMNAME", mq.MQCA_Q_MGR_NAME, "", 0, 48),
    "QUEUE": ("QUEUE", mq.MQCA_Q_NAME, "TYPE", mq.MQIA_Q_TYPE, 48),
    "CHANNEL": ("CHANNEL", mq.MQCACH_CHANNEL_NAME, "CHLTYPE", mq.MQIACH_CHANNEL_TYPE, 20),
    "TOPIC": ("TOPIC", mq.MQCA_TOPIC_NAME, "TYPE", mq.MQIA_TOPIC_TYPE, 48),
    "SUB": ("SUB", mq.MQCACF_SUB_NAME, "", 0, mq.MQ_SUB_NAME_LENGTH),
    "PROCESS": ("PROCESS", mq.MQCA_PROCESS_NAME, "", 0, 48),
    "NAMELIST": ("NAMELIST", mq.MQCA_NAMELIST_NAME, "", 0, 48),
    "LISTENER": ("LISTENER", mq.MQCACH_LISTENER_NAME, "", 0, 48),
    "SERVICE": ("SERVICE", mq.MQCA_SERVICE_NAME, "", 0, 48),
    "AUTHINFO": ("AUTHINFO", mq.MQCA_AUTH_INFO_NAME, "AUTHTYPE", mq.MQIA_AUTH_INFO_TYPE, 48),
    "COMMINFO": ("COMMINFO", mq.MQCA_COMM_INFO_NAME, "TYPE", mq.MQIA_COMM_INFO_TYPE, 48),
    # Records have no name of their own: their attributes say to whom they apply.
    "CHLAUTH": ("", 0, "", 0, 4096),
    "AUTHREC": ("", 0, "", 0, 4096),
}


@final
class ObjectType:
    """One row: a type of object and what it is called where."""

    __slots__ = (
        "bit",
        "default_object",
        "group",
        "mqot",
        "name_bytes_max",
        "name_keyword",
        "name_selector",
        "noun",
        "space",
        "subtype",
        "text",
        "type_keyword",
        "type_selector",
    )

    def __init__(
        self,
        bit: int,
        noun: str,
        group: str,
        space: str,
        mqot: int,
        subtype: int,
        text: str,
        default_object: str,
    ) -> None:
        self.bit = bit
        self.noun = noun  # in MQSC: DEFINE noun(name), or the value of CHLTYPE or AUTHTYPE
        self.group = group  # the noun that means all of its kind: QUEUE, CHANNEL, AUTHINFO
        self.space = space  # no two objects of one space share a name
        self.mqot = mqot  # the object type in PCF and in authority records
        self.subtype = subtype  # MQQT_, MQCHT_ or MQAIT_; 0 if the object type says it all
        self.text = text  # for people
        self.default_object = default_object  # whose attributes a new one takes
        named = _NAMED[group]
        self.name_keyword = named[0]  # what DISPLAY calls the name
        self.name_selector = named[1]  # and PCF
        self.type_keyword = named[2]  # what DISPLAY calls the type; "" if it does not show it
        self.type_selector = named[3]
        self.name_bytes_max = named[4]


def _queue(bit: int, noun: str, subtype: int, text: str, default_object: str) -> ObjectType:
    return ObjectType(bit, noun, "QUEUE", "queue", mq.MQOT_Q, subtype, text, default_object)


def _channel(bit: int, noun: str, subtype: int, text: str, default: str) -> ObjectType:
    space = "client channel" if bit == CLNTCONN else "channel"
    return ObjectType(bit, noun, "CHANNEL", space, mq.MQOT_CHANNEL, subtype, text, default)


def _authinfo(bit: int, noun: str, subtype: int, default_object: str) -> ObjectType:
    text = "authentication information object"
    mqot = mq.MQOT_AUTH_INFO
    return ObjectType(bit, noun, "AUTHINFO", "authinfo", mqot, subtype, text, default_object)


def _other(bit: int, noun: str, mqot: int, text: str, default_object: str) -> ObjectType:
    return ObjectType(bit, noun, noun, noun.lower(), mqot, 0, text, default_object)


OBJECT_TYPES: Final[tuple[ObjectType, ...]] = (
    _other(QMGR, "QMGR", mq.MQOT_Q_MGR, "queue manager", ""),
    _queue(LOCAL, "QLOCAL", mq.MQQT_LOCAL, "local queue", "SYSTEM.DEFAULT.LOCAL.QUEUE"),
    _queue(MODEL, "QMODEL", mq.MQQT_MODEL, "model queue", "SYSTEM.DEFAULT.MODEL.QUEUE"),
    _queue(ALIAS, "QALIAS", mq.MQQT_ALIAS, "alias queue", "SYSTEM.DEFAULT.ALIAS.QUEUE"),
    _queue(REMOTE, "QREMOTE", mq.MQQT_REMOTE, "remote queue", "SYSTEM.DEFAULT.REMOTE.QUEUE"),
    _channel(SENDER, "SDR", mq.MQCHT_SENDER, "sender channel", "SYSTEM.DEF.SENDER"),
    _channel(SERVER, "SVR", mq.MQCHT_SERVER, "server channel", "SYSTEM.DEF.SERVER"),
    _channel(RECEIVER, "RCVR", mq.MQCHT_RECEIVER, "receiver channel", "SYSTEM.DEF.RECEIVER"),
    _channel(REQUESTER, "RQSTR", mq.MQCHT_REQUESTER, "requester channel", "SYSTEM.DEF.REQUESTER"),
    _channel(
        SVRCONN, "SVRCONN", mq.MQCHT_SVRCONN, "server-connection channel", "SYSTEM.DEF.SVRCONN"
    ),
    _channel(
        CLNTCONN, "CLNTCONN", mq.MQCHT_CLNTCONN, "client-connection channel", "SYSTEM.DEF.CLNTCONN"
    ),
    _channel(CLUSSDR, "CLUSSDR", mq.MQCHT_CLUSSDR, "cluster-sender channel", "SYSTEM.DEF.CLUSSDR"),
    _channel(
        CLUSRCVR, "CLUSRCVR", mq.MQCHT_CLUSRCVR, "cluster-receiver channel", "SYSTEM.DEF.CLUSRCVR"
    ),
    _channel(AMQP, "AMQP", mq.MQCHT_AMQP, "AMQP channel", "SYSTEM.DEF.AMQP"),
    _other(TOPIC, "TOPIC", mq.MQOT_TOPIC, "topic", "SYSTEM.DEFAULT.TOPIC"),
    _other(SUB, "SUB", 0, "subscription", "SYSTEM.DEFAULT.SUB"),
    _other(PROCESS, "PROCESS", mq.MQOT_PROCESS, "process", "SYSTEM.DEFAULT.PROCESS"),
    _other(NAMELIST, "NAMELIST", mq.MQOT_NAMELIST, "namelist", "SYSTEM.DEFAULT.NAMELIST"),
    _other(LISTENER, "LISTENER", mq.MQOT_LISTENER, "listener", "SYSTEM.DEFAULT.LISTENER.TCP"),
    _other(SERVICE, "SERVICE", mq.MQOT_SERVICE, "service", "SYSTEM.DEFAULT.SERVICE"),
    _authinfo(CRLLDAP, "CRLLDAP", mq.MQAIT_CRL_LDAP, "SYSTEM.DEFAULT.AUTHINFO.CRLLDAP"),
    _authinfo(OCSP, "OCSP", mq.MQAIT_OCSP, "SYSTEM.DEFAULT.AUTHINFO.OCSP"),
    _authinfo(IDPWOS, "IDPWOS", mq.MQAIT_IDPW_OS, "SYSTEM.DEFAULT.AUTHINFO.IDPWOS"),
    _authinfo(IDPWLDAP, "IDPWLDAP", mq.MQAIT_IDPW_LDAP, "SYSTEM.DEFAULT.AUTHINFO.IDPWLDAP"),
    _other(
        COMMINFO,
        "COMMINFO",
        mq.MQOT_COMM_INFO,
        "communication information object",
        "SYSTEM.DEFAULT.COMMINFO.MULTICAST",
    ),
    _other(CHLAUTH, "CHLAUTH", mq.MQOT_CHLAUTH, "channel authentication record", ""),
    _other(AUTHREC, "AUTHREC", mq.MQOT_AUTH_REC, "authority record", ""),
)
BY_BIT: Final[dict[int, ObjectType]] = {row.bit: row for row in OBJECT_TYPES}
BY_NOUN: Final[dict[str, ObjectType]] = {row.noun: row for row in OBJECT_TYPES}
SPACE_OF: Final[dict[int, str]] = {row.bit: row.space for row in OBJECT_TYPES}
QUEUE_SPACE: Final = "queue"
# by group (QUEUE, CHANNEL, AUTHINFO, TOPIC ...): the bits of its types
GROUP_BITS: Final[dict[str, int]] = {}
for _row in OBJECT_TYPES:
    GROUP_BITS[_row.group] = GROUP_BITS.get(_row.group, 0) | _row.bit
