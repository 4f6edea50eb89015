"""The commands of PCF: what each MQCMD_ is in the words of MQSC, and where its parameters go.

FAMILIES: the word in the five commands of a kind of object (INQUIRE_x, CREATE_x ...), its noun in
MQSC, the parameters of its name and of the list of wanted attributes, the word in the parameters
FROM_x_NAME and TO_x_NAME of COPY_x, and, where there is INQUIRE_x_NAMES, the parameter of its list
of names and that of their types.

OTHERS: command, action, noun, the parameter of the name (`-`: it has none) and of the list of
wanted attributes.

Attributes are parameters by the numbers that the schema has for them. EXTRAS are those that are
not attributes: keyword of MQSC (A/B: the one that the command has), and its words with their
numbers; `bare` words stand alone.
"""

from __future__ import annotations

from typing import Final, final

from ternmq.base import constants as mq
from ternmq.base.own_constants import constant_named

FAMILIES: Final = """
Q            QUEUE    CA_Q_NAME          Q_ATTRS         Q         CACF_Q_NAMES IACF_Q_TYPES
CHANNEL      CHANNEL  CACH_CHANNEL_NAME  CHANNEL_ATTRS   CHANNEL   CACH_CHANNEL_NAMES \
IACH_CHANNEL_TYPES
PROCESS      PROCESS  CA_PROCESS_NAME    PROCESS_ATTRS   PROCESS   CACF_PROCESS_NAMES -
NAMELIST     NAMELIST CA_NAMELIST_NAME   NAMELIST_ATTRS  NAMELIST  CACF_NAMELIST_NAMES -
AUTH_INFO    AUTHINFO CA_AUTH_INFO_NAME  AUTH_INFO_ATTRS AUTH_INFO CACF_AUTH_INFO_NAMES -
TOPIC        TOPIC    CA_TOPIC_NAME      TOPIC_ATTRS     TOPIC     CACF_TOPIC_NAMES -
LISTENER     LISTENER CACH_LISTENER_NAME LISTENER_ATTRS  LISTENER  - -
SERVICE      SERVICE  CA_SERVICE_NAME    SERVICE_ATTRS   SERVICE   - -
SUBSCRIPTION SUB      CACF_SUB_NAME      SUB_ATTRS       SUB       - -
COMM_INFO    COMMINFO CA_COMM_INFO_NAME  COMM_INFO_ATTRS COMM_INFO - -
"""

OTHERS: Final = """
CHANGE_Q_MGR           ALTER   QMGR     - -
INQUIRE_Q_MGR          DISPLAY QMGR     - IACF_Q_MGR_ATTRS
PING_Q_MGR             PING    QMGR     - -
RESET_Q_MGR            RESET   QMGR     - -
REFRESH_Q_MGR          REFRESH QMGR     - -
REFRESH_SECURITY       REFRESH SECURITY - -
INQUIRE_Q_MGR_STATUS   DISPLAY QMSTATUS - IACF_Q_MGR_STATUS_ATTRS
INQUIRE_PUBSUB_STATUS  DISPLAY PUBSUB   - IACF_PUBSUB_STATUS_ATTRS
INQUIRE_AUTH_SERVICE   DISPLAY AUTHSERV - IACF_AUTH_SERVICE_ATTRS
INQUIRE_ENTITY_AUTH    DISPLAY ENTAUTH  - -
INQUIRE_AUTH_RECS      DISPLAY AUTHREC  - IACF_AUTH_PROFILE_ATTRS
SET_AUTH_REC           SET     AUTHREC  - -
DELETE_AUTH_REC        DELETE  AUTHREC  - -
SET_LOG                SET     LOG      - -
INQUIRE_CHLAUTH_RECS   DISPLAY CHLAUTH  CACH_CHANNEL_NAME IACF_CHLAUTH_ATTRS
SET_CHLAUTH_REC        SET     CHLAUTH  CACH_CHANNEL_NAME -
CLEAR_Q                CLEAR   QLOCAL   CA_Q_NAME -
MOVE_Q                 MOVE    QLOCAL   CACF_FROM_Q_NAME -
RESET_Q_STATS          RESET   QSTATS   CA_Q_NAME -
INQUIRE_Q_STATUS       DISPLAY QSTATUS  CA_Q_NAME IACF_Q_STATUS_ATTRS
INQUIRE_CHANNEL_STATUS DISPLAY CHSTATUS CACH_CHANNEL_NAME IACH_CHANNEL_INSTANCE_ATTRS
INQUIRE_LISTENER_STATUS DISPLAY LSSTATUS CACH_LISTENER_NAME IACF_LISTENER_STATUS_ATTRS
INQUIRE_SERVICE_STATUS DISPLAY SVSTATUS CA_SERVICE_NAME IACF_SERVICE_STATUS_ATTRS
INQUIRE_TOPIC_STATUS   DISPLAY TPSTATUS CA_TOPIC_STRING IACF_TOPIC_STATUS_ATTRS
INQUIRE_SUB_STATUS     DISPLAY SBSTATUS CACF_SUB_NAME IACF_SUB_STATUS_ATTRS
INQUIRE_CONNECTION     DISPLAY CONN     BACF_CONNECTION_ID IACF_CONNECTION_ATTRS
STOP_CONNECTION        STOP    CONN     BACF_CONNECTION_ID -
INQUIRE_APPL_STATUS    DISPLAY APSTATUS CACF_APPL_NAME IACF_APPL_INFO_ATTRS
START_CHANNEL          START   CHANNEL  CACH_CHANNEL_NAME -
STOP_CHANNEL           STOP    CHANNEL  CACH_CHANNEL_NAME -
PING_CHANNEL           PING    CHANNEL  CACH_CHANNEL_NAME -
RESET_CHANNEL          RESET   CHANNEL  CACH_CHANNEL_NAME -
RESOLVE_CHANNEL        RESOLVE CHANNEL  CACH_CHANNEL_NAME -
PURGE_CHANNEL          PURGE   CHANNEL  CACH_CHANNEL_NAME -
START_CHANNEL_INIT     START   CHINIT   - -
STOP_CHANNEL_INIT      STOP    CHINIT   - -
START_CHANNEL_LISTENER START   LISTENER CACH_LISTENER_NAME -
STOP_CHANNEL_LISTENER  STOP    LISTENER CACH_LISTENER_NAME -
START_SERVICE          START   SERVICE  CA_SERVICE_NAME -
STOP_SERVICE           STOP    SERVICE  CA_SERVICE_NAME -
CLEAR_TOPIC_STRING     CLEAR   TOPICSTR CA_TOPIC_STRING -
INQUIRE_CLUSTER_Q_MGR  DISPLAY CLUSQMGR CA_CLUSTER_Q_MGR_NAME IACF_CLUSTER_Q_MGR_ATTRS
REFRESH_CLUSTER        REFRESH CLUSTER  CA_CLUSTER_NAME -
RESET_CLUSTER          RESET   CLUSTER  CA_CLUSTER_NAME -
CREATE_CURSOR          DEFINE  CURSOR   CACF_CURSOR_NAME -
INQUIRE_CURSOR         DISPLAY CURSOR   CACF_CURSOR_NAME IACF_CURSOR_ATTRS
RESET_CURSOR           RESET   CURSOR   CACF_CURSOR_NAME -
DELETE_CURSOR          DELETE  CURSOR   CACF_CURSOR_NAME -
START_TRACE            START   TRACE    CACF_TRACE_TYPE -
STOP_TRACE             STOP    TRACE    CACF_TRACE_TYPE -
INQUIRE_TRACE          DISPLAY TRACE    CACF_TRACE_TYPE IACF_TRACE_ATTRS
SET_SYSTEM             SET     SYSTEM   - -
INQUIRE_SYSTEM         DISPLAY SYSTEM   - IACF_SYSTEM_ATTRS
INQUIRE_LEDGER         DISPLAY LEDGER   CACF_LEDGER_OWNER IACF_LEDGER_ATTRS
DELETE_LEDGER          DELETE  LEDGER   CACF_LEDGER_OWNER -
SUSPEND_Q_MGR_CLUSTER  SUSPEND QMGR     - -
RESUME_Q_MGR_CLUSTER   RESUME  QMGR     - -
"""

EXTRAS: Final = """
IACF_REPLACE         -        bare NOREPLACE=0 REPLACE=1
IACF_FORCE           -        bare NOFORCE=0 FORCE=1
IACF_PURGE           -        bare NOPURGE=0 PURGE=1
IACF_REMOVE_AUTHREC  AUTHREC  NO=0 YES=1
IACF_IGNORE_STATE    IGNSTATE NO=0 YES=1
IACF_MODE            MODE     FORCE=0 QUIESCE=1 TERMINATE=2
IACF_Q_STATUS_TYPE   TYPE     QUEUE=1105 HANDLE=1104
IACF_OPEN_TYPE       OPENTYPE ALL=1 INPUT=2 OUTPUT=3
IACF_CONN_INFO_TYPE  TYPE     ALL=1113 CONN=1111 HANDLE=1112
IACH_CHANNEL_INSTANCE_TYPE -  bare CURRENT=1011 SAVED=1012 SHORT=1015
IACF_SECURITY_TYPE   TYPE     AUTHSERV=1 SSL=2 CONNAUTH=4
IACF_MOVE_TYPE       TYPE     MOVE=1146 ADD=1147
CACF_TO_Q_NAME       TOQLOCAL text
IACH_CHANNEL_TABLE   CHLTABLE QMGRTBL=1 CLNTTBL=2
IACH_DATA_COUNT      DATALEN  number
IACH_MSG_SEQUENCE_NUMBER SEQNUM number
IACH_IN_DOUBT        ACTION   COMMIT=1 BACKOUT=2
IACH_CHANNEL_STATUS  STATUS   INACTIVE=0 STOPPED=6
CACH_CONNECTION_NAME CONNAME  text
CA_REMOTE_Q_MGR_NAME QMNAME   text
CACH_XMIT_Q_NAME     XMITQ    text
CA_INITIATION_Q_NAME INITQ    text
CACF_AUTH_PROFILE_NAME PROFILE text
IACF_OBJECT_TYPE     OBJTYPE  QUEUE=1 NAMELIST=2 PROCESS=3 QMGR=5 CHANNEL=6 AUTHINFO=7 TOPIC=8 \
COMMINFO=9 LISTENER=11 SERVICE=12 CLNTCONN=1014 RQMNAME=1017 ALL=1001
CACF_OBJECT_NAME     OBJNAME  text
CACF_PRINCIPAL_ENTITY_NAMES PRINCIPAL text
CACF_GROUP_ENTITY_NAMES GROUP text
IACF_AUTH_ADD_AUTHS  AUTHADD  authorities
IACF_AUTH_REMOVE_AUTHS AUTHRMV authorities
CACF_SERVICE_COMPONENT SERVCOMP text
IACF_AUTH_OPTIONS    MATCH    options
IACF_CHLAUTH_TYPE    TYPE     BLOCKUSER=1 BLOCKADDR=2 SSLPEERMAP=3 ADDRESSMAP=4 USERMAP=5 \
QMGRMAP=6 ALL=0
IACH_MATCH           MATCH    GENERIC=0 RUNCHECK=1 EXACT=2 ALL=3
IACF_ACTION          ACTION/TYPE ADD=5 REPLACE=6 REMOVE=7 REMOVEALL=8 FORCEREMOVE=1 \
ADVANCELOG=2 STATISTICS=3 PUBSUB=4 REDUCELOG=10 ARCHIVED=11
IACF_PS_STATUS_TYPE  TYPE     ALL=0 LOCAL=1 PARENT=2 CHILD=3
IACF_APPL_INFO_TYPE  TYPE     APPL=1429 QMGR=1430 LOCAL=1431
IACF_TOPIC_STATUS_TYPE TYPE   TOPIC=1295 SUB=1296 PUB=1297
IACF_CLEAR_TYPE      CLRTYPE  RETAINED=1
IACF_CLEAR_SCOPE     SCOPE    LOCAL=1 GLOBAL=2
BACF_SUB_ID          SUBID    hex
IA_DISPLAY_TYPE      DISTYPE  RESOLVED=0 DEFINED=1
CACF_ENTITY_NAME     -        entity
IACF_ENTITY_TYPE     -        entity
IACF_REFRESH_TYPE    TYPE     CONFIGEV=1 PROXYSUB=4
CACF_ARCHIVE_LOG_EXTENT_NAME ARCHIVED text
IACF_REFRESH_REPOSITORY REPOS NO=0 YES=1
CACF_TRACE_CLASSES   CLASS    text
CACF_TRACE_DESTINATION DEST   text
CACF_TRACE_COMMENT   COMMENT  text
IACF_TRACE_NUMBER    TNO      number
CACF_STATISTICS_TIME STATIME  text
CACF_ACCOUNTING_TIME ACCTIME  text
IACF_SYSP_SMF_STAT_TIME_MINS STATIME minutes
IACF_SYSP_SMF_STAT_TIME_SECS STATIME seconds
IACF_SYSP_SMF_ACCT_TIME_MINS ACCTIME minutes
IACF_SYSP_SMF_ACCT_TIME_SECS ACCTIME seconds
IACF_SYSP_TYPE       -        bare DEFAULT=10 SET=11
IACF_CURSOR_POSITION POSITION/START position
IACF_CURSOR_EXPIRY   EXPIRY   number
CA_Q_NAME            QUEUE    text
"""


@final
class Extra:
    """A parameter that is not an attribute."""

    __slots__ = ("form", "keyword", "parameter", "words")

    def __init__(self, parameter: int, keyword: str, form: str, words: dict[int, str]) -> None:
        self.parameter = parameter
        self.keyword = keyword
        # word, bare, text, number, hex, authorities, options, entity, position, minutes, seconds
        self.form = form
        self.words = words


@final
class PCFCommand:
    """One command."""

    __slots__ = (
        "action",
        "attributes",
        "from_name",
        "name",
        "names",
        "noun",
        "number",
        "types",
        "word",
    )

    def __init__(self, word: str, action: str, noun: str, name: int, attributes: int) -> None:
        self.word = f"MQCMD_{word}"
        self.number = constant_named(self.word)
        self.action = action
        self.noun = noun  # QUEUE stands for the type that the parameters give
        self.name = name  # the parameter of the object's name
        self.attributes = attributes  # the parameter of the list of wanted attributes
        self.from_name = 0  # COPY: the parameter of the object that is copied
        self.names = 0  # INQUIRE_x_NAMES: the parameter of the list in the answer
        self.types = 0  # and of that of the types


def _number(name: str) -> int:
    return 0 if name == "-" else constant_named("MQ" + name)


def _family_commands() -> list[PCFCommand]:
    made: list[PCFCommand] = []
    for line in FAMILIES.strip().splitlines():
        family, noun, name_word, attributes_word, copy_word, names, types = line.split()
        name = _number(name_word)
        attributes = _number("IACF_" + attributes_word)
        made.append(PCFCommand(f"INQUIRE_{family}", "DISPLAY", noun, name, attributes))
        made.append(PCFCommand(f"CREATE_{family}", "DEFINE", noun, name, 0))
        made.append(PCFCommand(f"CHANGE_{family}", "ALTER", noun, name, 0))
        made.append(PCFCommand(f"DELETE_{family}", "DELETE", noun, name, 0))
        to_name = _number(f"CACF_TO_{copy_word}_NAME")
        copied = PCFCommand(f"COPY_{family}", "DEFINE", noun, to_name, 0)
        copied.from_name = _number(f"CACF_FROM_{copy_word}_NAME")
        made.append(copied)
        if names != "-":
            listed = PCFCommand(f"INQUIRE_{family}_NAMES", "DISPLAY", noun, name, 0)
            listed.names = _number(names)
            listed.types = _number(types)
            made.append(listed)
    return made


def _other_commands() -> list[PCFCommand]:
    made: list[PCFCommand] = []
    for line in OTHERS.strip().splitlines():
        word, action, noun, name, attributes = line.split()
        made.append(PCFCommand(word, action, noun, _number(name), _number(attributes)))
    return made


def _extras() -> dict[int, Extra]:
    found: dict[int, Extra] = {}
    for line in EXTRAS.strip().splitlines():
        name, keyword, *rest = line.split()
        form = rest[0]
        words: dict[int, str] = {}
        if form == "bare" or "=" in form:
            for item in rest:
                word, equals, number = item.partition("=")
                if equals:
                    words[int(number)] = word
            form = "bare" if form == "bare" else "word"
        parameter = _number(name)
        found[parameter] = Extra(parameter, "" if keyword == "-" else keyword, form, words)
    return found


COMMANDS: Final[dict[int, PCFCommand]] = {
    row.number: row for row in [*_family_commands(), *_other_commands()]
}
EXTRA_PARAMETERS: Final[dict[int, Extra]] = _extras()

OPERATORS: Final[dict[int, str]] = {
    mq.MQCFOP_LESS: "LT",
    mq.MQCFOP_EQUAL: "EQ",
    mq.MQCFOP_NOT_GREATER: "LE",
    mq.MQCFOP_GREATER: "GT",
    mq.MQCFOP_NOT_EQUAL: "NE",
    mq.MQCFOP_NOT_LESS: "GE",
    mq.MQCFOP_CONTAINS: "CT",
    mq.MQCFOP_EXCLUDES: "EX",
    mq.MQCFOP_LIKE: "LK",
    mq.MQCFOP_NOT_LIKE: "NL",
    mq.MQCFOP_CONTAINS_GEN: "CTG",
    mq.MQCFOP_EXCLUDES_GEN: "EXG",
}
