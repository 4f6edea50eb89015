"""Values of status displays as PCF parameters: DISPLAY QSTATUS and its kind show words, PCF has
numbers. The number of a parameter says which structure it needs."""

from __future__ import annotations

from typing import Final

from ternmq.admin.pcf.attribute_values import number_parameter
from ternmq.base import constants as mq
from ternmq.base.attributes import ATTRIBUTES, Value
from ternmq.base.own_constants import TEXTS_FIRST, TEXTS_LAST, constant_named
from ternmq.codec.pcf import parameter as pcf
from ternmq.codec.pcf.parameter import Parameter

# Words of status displays that no attribute has: the parameter, then word and number.
_STATUS_WORDS: Final = """
IACF_Q_STATUS_TYPE QUEUE=1105 HANDLE=1104
IACF_CONN_INFO_TYPE CONN=1111 HANDLE=1112 ALL=1113
IACF_UNCOMMITTED_MSGS NO=0 YES=1
IACF_OPEN_BROWSE NO=0 YES=1
IACF_OPEN_INPUT_TYPE NO=0 SHARED=1 EXCL=2
IACF_OPEN_INQUIRE NO=0 YES=1
IACF_OPEN_OUTPUT NO=0 YES=1
IACF_OPEN_SET NO=0 YES=1
IACF_HANDLE_STATE INACTIVE=0 ACTIVE=1
IACF_ASYNC_STATE NONE=0 STARTED=1 STARTWAIT=2 STOPPED=3 SUSPENDED=4 SUSPTEMP=5 ACTIVE=6 INACTIVE=7
IACF_UOW_TYPE QMGR=0 CICS=1 RRS=2 IMS=3 XA=4
IACF_UOW_STATE NONE=0 ACTIVE=1 PREPARED=2 UNRESOLVED=3
IACF_Q_MGR_STATUS STARTING=1 RUNNING=2 QUIESCING=3 STANDBY=4
IACF_Q_MGR_STATUS_INFO_TYPE QMGR=1446
IACF_CHINIT_STATUS STOPPED=0 STARTING=1 RUNNING=2 STOPPING=3
IACF_CMD_SERVER_STATUS STOPPED=0 STARTING=1 RUNNING=2 STOPPING=3
IACF_SERVICE_STATUS STOPPED=0 STARTING=1 RUNNING=2 STOPPING=3
IACF_LDAP_CONNECTION_STATUS INACTIVE=0 CONNECTED=1 ERROR=2
IACF_LOG_TYPE CIRCULAR=0 LINEAR=1 REPLICATED=2
IACF_PERMIT_STANDBY NOPERMIT=0 PERMIT=1
IACH_LISTENER_STATUS STOPPED=0 STARTING=1 RUNNING=2 STOPPING=3
IACH_CHANNEL_STATUS INACTIVE=0 BINDING=1 STARTING=2 RUNNING=3 STOPPING=4 RETRYING=5 STOPPED=6 \
REQUESTING=7 PAUSED=8 DISCONNECTED=9 INITIALIZING=13 SWITCHING=14
IACH_CHANNEL_SUBSTATE ENDBATCH=100 SEND=200 RECEIVE=300 SERIALIZE=400 RESYNCH=500 HEARTBEAT=600 \
SCYEXIT=700 RCVEXIT=800 SENDEXIT=900 MSGEXIT=1000 MREXIT=1100 CHADEXIT=1200 NETCONNECT=1250 \
SSLHANDSHK=1300 NAMESERVER=1400 MQPUT=1500 MQGET=1600 MQICALL=1700 COMPRESS=1800
IACH_SECURITY_PROTOCOL NONE=0 TLSV12=4 TLSV13=8
IACH_INDOUBT_STATUS NO=0 YES=1
IACH_MCA_STATUS NOTRUNNING=0 RUNNING=3
IACH_STOP_REQUESTED NO=0 YES=1
IACH_CHANNEL_TYPE SDR=1 SVR=2 RCVR=3 RQSTR=4 CLNTCONN=6 SVRCONN=7 CLUSRCVR=8 CLUSSDR=9 AMQP=11
IACF_TOPIC_STATUS_TYPE TOPIC=1295 SUB=1296 PUB=1297
IACF_PUBSUB_STATUS INACTIVE=0 STARTING=1 STOPPING=2 ACTIVE=3 COMPAT=4 ERROR=5 REFUSED=6
IACF_PS_STATUS_TYPE LOCAL=1 PARENT=2 CHILD=3
IACF_APPL_INFO_TYPE APPL=1429 QMGR=1430 LOCAL=1431
IACF_BALANCED NO=0 YES=1 NOTAPPLIC=2 UNKNOWN=3
IACF_RETAINED_PUBLICATION NO=0 YES=1
IACF_USER_ID_SUPPORT NO=0 YES=1
"""
_WIDTHS: Final[dict[int, int]] = {
    mq.MQCACF_LAST_GET_DATE: 12,
    mq.MQCACF_LAST_GET_TIME: 8,
    mq.MQCACF_LAST_PUT_DATE: 12,
    mq.MQCACF_LAST_PUT_TIME: 8,
    mq.MQCACF_MEDIA_LOG_EXTENT_NAME: mq.MQ_LOG_EXTENT_NAME_LENGTH,
    mq.MQCACF_CURRENT_LOG_EXTENT_NAME: mq.MQ_LOG_EXTENT_NAME_LENGTH,
    mq.MQCACF_RESTART_LOG_EXTENT_NAME: mq.MQ_LOG_EXTENT_NAME_LENGTH,
    mq.MQCACF_APPL_TAG: mq.MQ_APPL_TAG_LENGTH,
    mq.MQCACF_USER_IDENTIFIER: mq.MQ_USER_ID_LENGTH,
    mq.MQCACH_CHANNEL_NAME: mq.MQ_CHANNEL_NAME_LENGTH,
    mq.MQCACH_CONNECTION_NAME: mq.MQ_CONN_NAME_LENGTH,
    mq.MQCACF_LAST_PUB_DATE: 12,
    mq.MQCACF_LAST_PUB_TIME: 8,
    mq.MQCACF_LAST_MSG_DATE: 12,
    mq.MQCACF_LAST_MSG_TIME: 8,
    mq.MQCA_RESUME_DATE: 12,
    mq.MQCA_RESUME_TIME: 8,
    mq.MQCACF_SUB_USER_ID: mq.MQ_USER_ID_LENGTH,
    mq.MQCA_ADMIN_TOPIC_NAME: mq.MQ_TOPIC_NAME_LENGTH,
    mq.MQCA_CLUSTER_NAME: mq.MQ_CLUSTER_NAME_LENGTH,
    mq.MQCA_COMM_INFO_NAME: mq.MQ_COMM_INFO_NAME_LENGTH,
    mq.MQCA_MODEL_DURABLE_Q: mq.MQ_Q_NAME_LENGTH,
    mq.MQCA_MODEL_NON_DURABLE_Q: mq.MQ_Q_NAME_LENGTH,
    mq.MQCA_Q_NAME: mq.MQ_Q_NAME_LENGTH,
    mq.MQCA_Q_MGR_NAME: mq.MQ_Q_MGR_NAME_LENGTH,
    mq.MQCACF_OBJECT_NAME: mq.MQ_OBJECT_NAME_LENGTH,
}


def _words_of_status() -> dict[int, dict[str, int]]:
    found: dict[int, dict[str, int]] = {}
    for row in ATTRIBUTES:
        if row.selector and row.words:
            found.setdefault(row.selector, {}).update(row.words)
    for line in _STATUS_WORDS.strip().splitlines():
        constant, *words = line.split()
        mine: dict[str, int] = {}
        for item in words:
            word, _, number = item.partition("=")
            mine[word] = int(number)
        found[int(vars(mq)["MQ" + constant])] = mine
    return found


_WORDS: Final[dict[int, dict[str, int]]] = _words_of_status()


# Intervals that are a text in MQSC, and in IBM MQ's PCF minutes and seconds.
INTERVALS: Final[dict[int, tuple[int, int]]] = {
    constant_named("MQCACF_STATISTICS_TIME"): (
        mq.MQIACF_SYSP_SMF_STAT_TIME_MINS,
        mq.MQIACF_SYSP_SMF_STAT_TIME_SECS,
    ),
    constant_named("MQCACF_ACCOUNTING_TIME"): (
        mq.MQIACF_SYSP_SMF_ACCT_TIME_MINS,
        mq.MQIACF_SYSP_SMF_ACCT_TIME_SECS,
    ),
}


def interval_parameters(selector: int, text: str) -> list[Parameter]:
    """MMMM.SS as minutes and seconds."""
    minutes, _, seconds = text.partition(".")
    numbers = (int(minutes), int(seconds or 0))
    return [pcf.integer(one, n) for one, n in zip(INTERVALS[selector], numbers, strict=True)]


def status_parameter(selector: int, value: Value) -> Parameter:
    """A value of a status display; the parameter's number says what kind of structure it needs."""
    if mq.MQBACF_FIRST <= selector <= mq.MQBACF_LAST_USED:
        return pcf.byte_string(selector, _bytes_of(selector, str(value)))
    is_own_text = TEXTS_FIRST <= selector <= TEXTS_LAST
    if is_own_text or mq.MQCA_FIRST <= selector <= mq.MQCACH_LAST_USED:
        if selector in _STRING_LISTS:
            return pcf.strings(selector, [part for part in str(value).split(",") if part])
        return pcf.string(selector, str(value), _WIDTHS.get(selector, 0))
    words = _WORDS.get(selector, {})
    if selector in _NUMBER_LISTS:
        parts = str(value).split(",") if value != "" else []
        return pcf.integers(selector, [_number(words, part) for part in parts])
    if selector == mq.MQIACF_OPEN_OPTIONS:
        return pcf.integer(selector, sum([_number({}, one) for one in str(value).split(",")]))
    return number_parameter(selector, _number(words, value))


def status_word(selector: int, number: int) -> str:
    """The other way round: what a display shows for a number, for a filter."""
    for word, known in _WORDS.get(selector, {}).items():
        if known == number:
            return word
    return str(number)


_STRING_LISTS: Final = (mq.MQCACH_CONNECTION_NAME_LIST, mq.MQCACH_MCA_USER_ID_LIST)
_NUMBER_LISTS: Final = (
    mq.MQIACF_AUTHORIZATION_LIST,
    mq.MQIACF_MCAST_REL_INDICATOR,
    mq.MQIACF_Q_TIME_INDICATOR,
    mq.MQIACF_CONNECT_OPTIONS,
    mq.MQIACH_HDR_COMPRESSION,
    mq.MQIACH_MSG_COMPRESSION,
    mq.MQIACH_COMPRESSION_RATE,
    mq.MQIACH_COMPRESSION_TIME,
    mq.MQIACH_EXIT_TIME_INDICATOR,
    mq.MQIACH_NETWORK_TIME_INDICATOR,
    mq.MQIACH_BATCH_SIZE_INDICATOR,
    mq.MQIACH_XMITQ_TIME_INDICATOR,
)


def _four_bytes(digits: str) -> bytes:
    number = int(digits) if digits.isdecimal() else 0
    return (number & 0xFFFFFFFF).to_bytes(4, "big")


def _bytes_of(selector: int, text: str) -> bytes:
    """What MQSC shows of bytes, as bytes: hexadecimal digits, or the words of a unit of work."""
    if selector == mq.MQBACF_EXTERNAL_UOW_ID:
        return b"" if "[]" in text else text.encode("utf-8")
    if selector == mq.MQBACF_Q_MGR_UOW_ID:
        high, _, low = text.partition(".")
        return _four_bytes(high) + _four_bytes(low)
    is_hex = len(text) % 2 == 0 and all(one in "0123456789abcdefABCDEF" for one in text)
    return bytes.fromhex(text) if is_hex else text.encode("utf-8")


def _number(words: dict[str, int], value: Value) -> int:
    """A number, a word, or nothing, which MQ shows as -1 (MQMON_NOT_AVAILABLE)."""
    if isinstance(value, int):
        return value
    text = value.strip().upper()
    if text in words:
        return words[text]
    if text.startswith("MQ"):  # an option by its full name
        return int(vars(mq).get(text, 0))
    return int(text) if text.lstrip("-").isdecimal() else mq.MQMON_NOT_AVAILABLE
