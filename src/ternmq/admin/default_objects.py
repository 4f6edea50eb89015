"""The objects that every queue manager has: SYSTEM.*, with IBM MQ's names and attributes, and its
three rules for channels: no administrators, and no connections on SYSTEM channels but one of them.

A row: type, name, and the attributes that differ from the schema's defaults; ~ is a blank. They are
made at the first start, one log record each and no force between them; a start that finds some
missing after a crash makes the rest. Later an administrator may delete them: they come back only
when a release brings new ones (`VERSION`) or by order (`strmqm -c`).
"""

from __future__ import annotations

from typing import Final

from ternmq.admin.commands.channel_rules import rule_key
from ternmq.base import object_types as types
from ternmq.base.attributes import Value, checked_attributes, defaults_of
from ternmq.kernel.kernel import OBJECT_RECORD_BYTES, Kernel
from ternmq.store.catalog import Definition

VERSION: Final = 1
FACT: Final = "default_objects"  # which version of them the catalog has

_TABLE: Final = """
QLOCAL   SYSTEM.DEFAULT.LOCAL.QUEUE
QMODEL   SYSTEM.DEFAULT.MODEL.QUEUE
QALIAS   SYSTEM.DEFAULT.ALIAS.QUEUE
QREMOTE  SYSTEM.DEFAULT.REMOTE.QUEUE
QLOCAL   SYSTEM.DEFAULT.INITIATION.QUEUE MAXDEPTH=5000 MAXMSGL=1000
QLOCAL   SYSTEM.ADMIN.ACCOUNTING.QUEUE MAXDEPTH=3000
QLOCAL   SYSTEM.ADMIN.ACTIVITY.QUEUE MAXDEPTH=3000
QLOCAL   SYSTEM.ADMIN.CHANNEL.EVENT MAXDEPTH=3000
QLOCAL   SYSTEM.ADMIN.COMMAND.EVENT MAXDEPTH=3000
QLOCAL   SYSTEM.ADMIN.COMMAND.QUEUE MAXDEPTH=3000 MAXMSGL=32762
QLOCAL   SYSTEM.ADMIN.CONFIG.EVENT MAXDEPTH=3000
QLOCAL   SYSTEM.ADMIN.LOGGER.EVENT MAXDEPTH=3000
QLOCAL   SYSTEM.ADMIN.PERFM.EVENT MAXDEPTH=3000
QLOCAL   SYSTEM.ADMIN.PUBSUB.EVENT MAXDEPTH=3000
QLOCAL   SYSTEM.ADMIN.QMGR.EVENT MAXDEPTH=3000
QLOCAL   SYSTEM.ADMIN.STATISTICS.QUEUE MAXDEPTH=3000
QLOCAL   SYSTEM.ADMIN.TRACE.ACTIVITY.QUEUE MAXDEPTH=3000
QLOCAL   SYSTEM.ADMIN.TRACE.ROUTE.QUEUE MAXDEPTH=3000
QLOCAL   SYSTEM.AUTH.DATA.QUEUE MAXDEPTH=999999999 DEFPSIST=YES
QLOCAL   SYSTEM.BROKER.ADMIN.STREAM
QLOCAL   SYSTEM.BROKER.CONTROL.QUEUE
QLOCAL   SYSTEM.BROKER.DEFAULT.STREAM
QLOCAL   SYSTEM.BROKER.INTER.BROKER.COMMUNICATIONS
QLOCAL   SYSTEM.CHANNEL.INITQ MAXMSGL=1000
QLOCAL   SYSTEM.CHANNEL.SYNCQ DEFPSIST=YES MAXDEPTH=999999999
QLOCAL   SYSTEM.CHLAUTH.DATA.QUEUE MAXDEPTH=999999999 DEFPSIST=YES
QLOCAL   SYSTEM.CICS.INITIATION.QUEUE MAXMSGL=1000
QLOCAL   SYSTEM.CLUSTER.COMMAND.QUEUE MAXDEPTH=999999999 DEFPSIST=YES
QLOCAL   SYSTEM.CLUSTER.HISTORY.QUEUE MAXDEPTH=999999999 DEFPSIST=YES
QLOCAL   SYSTEM.CLUSTER.REPOSITORY.QUEUE MAXDEPTH=999999999 DEFPSIST=YES
QMODEL   SYSTEM.CLUSTER.TRANSMIT.MODEL.QUEUE MAXDEPTH=999999999 DEFTYPE=PERMDYN USAGE=XMITQ
QLOCAL   SYSTEM.CLUSTER.TRANSMIT.QUEUE MAXDEPTH=999999999 USAGE=XMITQ
QLOCAL   SYSTEM.DDELAY.LOCAL.QUEUE DEFPSIST=YES
QLOCAL   SYSTEM.DEAD.LETTER.QUEUE MAXDEPTH=999999999
QMODEL   SYSTEM.DURABLE.MODEL.QUEUE MAXDEPTH=999999999 DEFTYPE=PERMDYN SHARE= DEFSOPT=SHARED
QLOCAL   SYSTEM.DURABLE.SUBSCRIBER.QUEUE MAXDEPTH=999999999 DEFPSIST=YES
QLOCAL   SYSTEM.HIERARCHY.STATE MAXDEPTH=999999999 DEFPSIST=YES
QLOCAL   SYSTEM.INTER.QMGR.CONTROL MAXDEPTH=999999999
QLOCAL   SYSTEM.INTER.QMGR.FANREQ MAXDEPTH=999999999
QLOCAL   SYSTEM.INTER.QMGR.PUBS MAXDEPTH=999999999
QLOCAL   SYSTEM.INTERNAL.REPLY.QUEUE
QMODEL   SYSTEM.JMS.TEMPQ.MODEL SHARE= DEFSOPT=SHARED
QMODEL   SYSTEM.MQEXPLORER.REPLY.MODEL SHARE= DEFSOPT=SHARED
QMODEL   SYSTEM.MQSC.REPLY.QUEUE
QMODEL   SYSTEM.NDURABLE.MODEL.QUEUE MAXDEPTH=999999999 SHARE= DEFSOPT=SHARED
QLOCAL   SYSTEM.PENDING.DATA.QUEUE DEFPSIST=YES
QLOCAL   SYSTEM.PROTECTION.ERROR.QUEUE
QLOCAL   SYSTEM.PROTECTION.POLICY.QUEUE DEFPSIST=YES MAXDEPTH=999999999
QLOCAL   SYSTEM.REST.REPLY.QUEUE
QLOCAL   SYSTEM.RETAINED.PUB.QUEUE MAXDEPTH=999999999 DEFPSIST=YES
QLOCAL   SYSTEM.SELECTION.EVALUATION.QUEUE
QLOCAL   SYSTEM.SELECTION.VALIDATION.QUEUE
SDR      SYSTEM.DEF.SENDER
SVR      SYSTEM.DEF.SERVER
RCVR     SYSTEM.DEF.RECEIVER
RQSTR    SYSTEM.DEF.REQUESTER
SVRCONN  SYSTEM.DEF.SVRCONN
CLNTCONN SYSTEM.DEF.CLNTCONN
CLUSSDR  SYSTEM.DEF.CLUSSDR
CLUSRCVR SYSTEM.DEF.CLUSRCVR
AMQP     SYSTEM.DEF.AMQP
RCVR     SYSTEM.AUTO.RECEIVER DESCR=Auto-defined~by
SVRCONN  SYSTEM.AUTO.SVRCONN DESCR=Auto-defined~by
TOPIC    SYSTEM.DEFAULT.TOPIC
TOPIC    SYSTEM.BASE.TOPIC DURSUB=YES PUB=ENABLED SUB=ENABLED DEFPSIST=NO DEFPRTY=0 DEFPRESP=SYNC
+        PMSGDLV=ALLDUR NPMSGDLV=ALLAVAIL PUBSCOPE=ALL SUBSCOPE=ALL MCAST=DISABLED USEDLQ=YES
+        MDURMDL=SYSTEM.DURABLE.MODEL.QUEUE MNDURMDL=SYSTEM.NDURABLE.MODEL.QUEUE CAPEXPRY=NOLIMIT
+        COMMINFO=SYSTEM.DEFAULT.COMMINFO.MULTICAST DESCR=Base~topic~for~resolving~attributes
TOPIC    SYSTEM.ADMIN.TOPIC TOPICSTR=$SYS/MQ WILDCARD=BLOCK
TOPIC    SYSTEM.BROKER.ADMIN.STREAM TOPICSTR=SYSTEM.BROKER.ADMIN.STREAM
TOPIC    SYSTEM.BROKER.DEFAULT.STREAM TOPICSTR=SYSTEM.BROKER.DEFAULT.STREAM
TOPIC    SYSTEM.BROKER.DEFAULT.SUBPOINT TOPICSTR=SYSTEM.BROKER.DEFAULT.SUBPOINT
SUB      SYSTEM.DEFAULT.SUB
PROCESS  SYSTEM.DEFAULT.PROCESS
NAMELIST SYSTEM.DEFAULT.NAMELIST
NAMELIST SYSTEM.QPUBSUB.QUEUE.NAMELIST
+        NAMES=SYSTEM.BROKER.DEFAULT.STREAM,SYSTEM.BROKER.ADMIN.STREAM
NAMELIST SYSTEM.QPUBSUB.SUBPOINT.NAMELIST NAMES=SYSTEM.BROKER.DEFAULT.SUBPOINT
LISTENER SYSTEM.DEFAULT.LISTENER.TCP
SERVICE  SYSTEM.DEFAULT.SERVICE
SERVICE  SYSTEM.AMQP.SERVICE SERVTYPE=SERVER
CRLLDAP  SYSTEM.DEFAULT.AUTHINFO.CRLLDAP
OCSP     SYSTEM.DEFAULT.AUTHINFO.OCSP
IDPWOS   SYSTEM.DEFAULT.AUTHINFO.IDPWOS
IDPWLDAP SYSTEM.DEFAULT.AUTHINFO.IDPWLDAP
COMMINFO SYSTEM.DEFAULT.COMMINFO.MULTICAST
CHLAUTH  * TYPE=BLOCKUSER USERLIST=*MQADMIN
CHLAUTH  SYSTEM.ADMIN.SVRCONN TYPE=ADDRESSMAP ADDRESS=* USERSRC=CHANNEL
CHLAUTH  SYSTEM.* TYPE=ADDRESSMAP ADDRESS=* USERSRC=NOACCESS
"""


def default_objects() -> list[tuple[int, str, dict[str, object]]]:
    """Type, name and given attributes of each."""
    found: list[tuple[int, str, dict[str, object]]] = []
    for line in _TABLE.splitlines():
        columns = line.split()
        if not columns:
            continue
        if columns[0] != "+":
            given: dict[str, object] = {}
            found.append((types.BY_NOUN[columns[0]].bit, columns[1], given))
            settings = columns[2:]
        else:
            settings = columns[1:]
        for setting in settings:
            keyword, _, value = setting.partition("=")
            found[-1][2][keyword] = value.replace("~", " ")
    return [_keyed(*one) for one in found]


def _keyed(
    object_type: int, name: str, given: dict[str, object]
) -> tuple[int, str, dict[str, object]]:
    """A rule's name in the catalog is made of what it looks at."""
    if object_type == types.CHLAUTH:
        given["CHLAUTH"] = name
        attributes = defaults_of(object_type)
        attributes.update(checked_attributes(object_type, given))
        name = rule_key(attributes)
    return object_type, name, given


def complete_default_objects(kernel: Kernel) -> int:
    """Make those that are missing; returns how many. The caller forces the log when it likes."""
    catalog = kernel.catalog
    now_ns = kernel.clock.now_ns()
    made = 0
    for object_type, name, given in default_objects():
        if catalog.find(object_type, name) is not None:
            continue
        if not kernel.coordinator.has_room(None, OBJECT_RECORD_BYTES):
            return made  # the next start goes on
        attributes: dict[str, Value] = defaults_of(object_type)
        if given:
            attributes.update(checked_attributes(object_type, given))
        definition = Definition(object_type, name, catalog.new_id(), attributes, now_ns)
        kernel.coordinator.define(catalog, definition)
        if object_type & (types.TOPIC | types.SUB):
            kernel.topics.changed(definition)
        made += 1
    catalog.facts[FACT] = VERSION
    return made


def has_default_objects(kernel: Kernel) -> bool:
    """Whether this version of them has been made here."""
    return kernel.catalog.facts.get(FACT) == VERSION
