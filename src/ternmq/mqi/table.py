"""The verbs: for each its name, the authority it needs on its object, and the options it knows.

One table, many uses: the option checks, the authority checks and the reference page read it.
Options that are MQ's but have no function here yet are listed apart: asking for one is refused, not
ignored. What IBM MQ itself ignores is listed with its rule.
"""

from __future__ import annotations

from typing import Final, final

from ternmq.base import constants as mq


@final
class Verb:
    """One row."""

    __slots__ = ("authority", "name", "options", "options_later")

    def __init__(self, name: str, authority: str, options: int, options_later: int) -> None:
        self.name = name
        self.authority = authority
        self.options = options
        self.options_later = options_later


# What a verb needs, where it is not one authority.
BY_OPTION: Final = "by option"  # see OPEN_AUTHORITY
BY_OPEN: Final = "as opened"  # what the handle was opened for
NOTHING: Final = "none"

OPEN_OPTIONS: Final = (
    mq.MQOO_INPUT_AS_Q_DEF
    | mq.MQOO_INPUT_SHARED
    | mq.MQOO_INPUT_EXCLUSIVE
    | mq.MQOO_BROWSE
    | mq.MQOO_OUTPUT
    | mq.MQOO_INQUIRE
    | mq.MQOO_SET
    | mq.MQOO_SAVE_ALL_CONTEXT
    | mq.MQOO_PASS_IDENTITY_CONTEXT
    | mq.MQOO_PASS_ALL_CONTEXT
    | mq.MQOO_SET_IDENTITY_CONTEXT
    | mq.MQOO_SET_ALL_CONTEXT
    | mq.MQOO_ALTERNATE_USER_AUTHORITY
    | mq.MQOO_FAIL_IF_QUIESCING
    | mq.MQOO_BIND_ON_OPEN
    | mq.MQOO_BIND_NOT_FIXED
    | mq.MQOO_BIND_ON_GROUP
    | mq.MQOO_CO_OP
    | mq.MQOO_RESOLVE_LOCAL_Q
    | mq.MQOO_NO_READ_AHEAD
    | mq.MQOO_READ_AHEAD
    | mq.MQOO_NO_MULTICAST
)
PUBLICATION_OPTIONS: Final = (  # for topics alone
    mq.MQPMO_RETAIN
    | mq.MQPMO_WARN_IF_NO_SUBS_MATCHED
    | mq.MQPMO_SCOPE_QMGR
    | mq.MQPMO_SUPPRESS_REPLYTO
    | mq.MQPMO_NOT_OWN_SUBS
)
PUT_OPTIONS: Final = (
    mq.MQPMO_SYNCPOINT
    | mq.MQPMO_NO_SYNCPOINT
    | mq.MQPMO_DEFAULT_CONTEXT
    | mq.MQPMO_NEW_MSG_ID
    | mq.MQPMO_NEW_CORREL_ID
    | mq.MQPMO_PASS_IDENTITY_CONTEXT
    | mq.MQPMO_PASS_ALL_CONTEXT
    | mq.MQPMO_SET_IDENTITY_CONTEXT
    | mq.MQPMO_SET_ALL_CONTEXT
    | mq.MQPMO_FAIL_IF_QUIESCING
    | mq.MQPMO_NO_CONTEXT
    | mq.MQPMO_ASYNC_RESPONSE
    | mq.MQPMO_SYNC_RESPONSE
    | mq.MQPMO_RESOLVE_LOCAL_Q
    | PUBLICATION_OPTIONS
)
GET_OPTIONS: Final = (
    mq.MQGMO_WAIT
    | mq.MQGMO_SYNCPOINT
    | mq.MQGMO_NO_SYNCPOINT
    | mq.MQGMO_BROWSE_FIRST
    | mq.MQGMO_BROWSE_NEXT
    | mq.MQGMO_ACCEPT_TRUNCATED_MSG
    | mq.MQGMO_MSG_UNDER_CURSOR
    | mq.MQGMO_LOCK
    | mq.MQGMO_UNLOCK
    | mq.MQGMO_BROWSE_MSG_UNDER_CURSOR
    | mq.MQGMO_SYNCPOINT_IF_PERSISTENT
    | mq.MQGMO_FAIL_IF_QUIESCING
    | mq.MQGMO_CONVERT
    | mq.MQGMO_MARK_BROWSE_HANDLE
    | mq.MQGMO_MARK_BROWSE_CO_OP
    | mq.MQGMO_UNMARK_BROWSE_CO_OP
    | mq.MQGMO_UNMARK_BROWSE_HANDLE
    | mq.MQGMO_UNMARKED_BROWSE_MSG
    | mq.MQGMO_PROPERTIES_FORCE_MQRFH2
    | mq.MQGMO_NO_PROPERTIES
    | mq.MQGMO_PROPERTIES_IN_HANDLE
    | mq.MQGMO_PROPERTIES_COMPATIBILITY
    | mq.MQGMO_LOGICAL_ORDER
    | mq.MQGMO_ALL_MSGS_AVAILABLE
    | mq.MQGMO_ALL_SEGMENTS_AVAILABLE
    | mq.MQGMO_COMPLETE_MSG
)

VERBS: Final[tuple[Verb, ...]] = (
    Verb("MQCONN", "connect", 0, 0),
    Verb(
        "MQCONNX",
        "connect",
        mq.MQCNO_STANDARD_BINDING
        | mq.MQCNO_FASTPATH_BINDING
        | mq.MQCNO_SHARED_BINDING
        | mq.MQCNO_ISOLATED_BINDING
        | mq.MQCNO_LOCAL_BINDING
        | mq.MQCNO_HANDLE_SHARE_NONE
        | mq.MQCNO_HANDLE_SHARE_BLOCK
        | mq.MQCNO_HANDLE_SHARE_NO_BLOCK
        | mq.MQCNO_ACCOUNTING_MQI_ENABLED
        | mq.MQCNO_ACCOUNTING_MQI_DISABLED
        | mq.MQCNO_ACCOUNTING_Q_ENABLED
        | mq.MQCNO_ACCOUNTING_Q_DISABLED
        | mq.MQCNO_NO_CONV_SHARING
        | mq.MQCNO_ALL_CONVS_SHARE
        | mq.MQCNO_RECONNECT_DISABLED
        | mq.MQCNO_ACTIVITY_TRACE_ENABLED
        | mq.MQCNO_ACTIVITY_TRACE_DISABLED,
        mq.MQCNO_CLIENT_BINDING
        | mq.MQCNO_SERIALIZE_CONN_TAG_Q_MGR
        | mq.MQCNO_SERIALIZE_CONN_TAG_QSG
        | mq.MQCNO_RESTRICT_CONN_TAG_Q_MGR
        | mq.MQCNO_RESTRICT_CONN_TAG_QSG
        | mq.MQCNO_GENERATE_CONN_TAG
        | mq.MQCNO_CD_FOR_OUTPUT_ONLY
        | mq.MQCNO_USE_CD_SELECTION
        | mq.MQCNO_RECONNECT
        | mq.MQCNO_RECONNECT_Q_MGR,
    ),
    Verb("MQDISC", NOTHING, 0, 0),
    Verb("MQOPEN", BY_OPTION, OPEN_OPTIONS, 0),
    Verb(
        "MQCLOSE",
        "dlt",
        mq.MQCO_DELETE
        | mq.MQCO_DELETE_PURGE
        | mq.MQCO_QUIESCE
        | mq.MQCO_KEEP_SUB
        | mq.MQCO_REMOVE_SUB,
        0,
    ),
    Verb(
        "MQPUT",
        BY_OPEN,
        PUT_OPTIONS | mq.MQPMO_LOGICAL_ORDER,
        mq.MQPMO_MD_FOR_OUTPUT_ONLY,
    ),
    Verb(
        "MQPUT1",
        BY_OPTION,
        PUT_OPTIONS | mq.MQPMO_ALTERNATE_USER_AUTHORITY,
        mq.MQPMO_MD_FOR_OUTPUT_ONLY,
    ),
    Verb(
        "MQGET",
        BY_OPEN,
        GET_OPTIONS,
        mq.MQGMO_SET_SIGNAL | mq.MQGMO_MARK_SKIP_BACKOUT,
    ),
    Verb("MQINQ", BY_OPEN, 0, 0),
    Verb("MQSET", BY_OPEN, 0, 0),
    Verb("MQBEGIN", NOTHING, 0, 0),
    Verb("MQCMIT", NOTHING, 0, 0),
    Verb("MQBACK", NOTHING, 0, 0),
)

# Options that are taken although nothing is done for them, because IBM MQ says that they are to be
# ignored in such a place; each with that rule and the title of the page of IBM's documentation that
# has it. Any other option of a row above has an effect.
_FASTPATH: Final = (
    'ignored by queue managers that do not support it, and by clients ("Using MQCONNX", '
    '"Restrictions and variations for MQCNO_* values in IBM MQ classes for Java")'
)
_PROCESSES: Final = (
    "says what the processes of application and queue manager share, and nothing about verbs: by "
    'the local socket they share nothing, embedded they are one ("Connecting to a queue manager '
    'using the MQCONNX call", "CONNOPT")'
)
_SHARING: Final = (
    "says how clients share a channel instance, and is obeyed there; conversations are shared in "
    'client mode only ("Using sharing conversations in a client application", '
    '"XMSC_WMQ_SHARE_CONV_ALLOWED")'
)
_TRACE: Final = (
    "with ACTVCONO(DISABLED), the default, there is no error and the queue manager's own setting "
    'holds ("Setting MQCONNX options to control collection of activity trace information")'
)
_CLUSTERS: Final = (
    'affects cluster queues only, and is ignored for others ("MQOPEN and clusters", '
    '"MQOO_BIND_ON_OPEN")'
)
IGNORED: Final[dict[str, dict[str, str]]] = {
    "MQCONNX": {
        "MQCNO_FASTPATH_BINDING": _FASTPATH,
        "MQCNO_SHARED_BINDING": _PROCESSES,
        "MQCNO_ISOLATED_BINDING": _PROCESSES,
        "MQCNO_LOCAL_BINDING": "asks for a local connection, which embedded ones are; `connect` "
        "obeys it",
        "MQCNO_NO_CONV_SHARING": _SHARING,
        "MQCNO_ALL_CONVS_SHARE": _SHARING,
        "MQCNO_ACTIVITY_TRACE_ENABLED": _TRACE,
    },
    "MQOPEN": {
        "MQOO_BIND_ON_OPEN": _CLUSTERS,
        "MQOO_BIND_NOT_FIXED": _CLUSTERS,
        "MQOO_BIND_ON_GROUP": _CLUSTERS,
    },
}

BY_NAME: Final[dict[str, Verb]] = {verb.name: verb for verb in VERBS}
