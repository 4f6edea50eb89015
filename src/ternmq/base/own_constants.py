"""Numbers of our own, for what IBM MQ does not have: commands and parameters of PCF.

They begin with the letters TQ, TI and TC as numbers, far from every number that MQ has; so
programs for MQ never meet them by accident, and never get an answer with one that they did not ask
for. `constant_named` finds a number by its name, here or among MQ's.
"""

from __future__ import annotations

from typing import Final

from ternmq.base import constants as mq

MQCMD_CREATE_CURSOR: Final = 0x54510001
MQCMD_INQUIRE_CURSOR: Final = 0x54510002
MQCMD_RESET_CURSOR: Final = 0x54510003
MQCMD_DELETE_CURSOR: Final = 0x54510004
MQCMD_INQUIRE_LEDGER: Final = 0x54510005
MQCMD_DELETE_LEDGER: Final = 0x54510006
MQCMD_ANOMALY_EVENT: Final = 0x54510007

MQIACF_CURSOR_ATTRS: Final = 0x54490001
MQIACF_CURSOR_POSITION: Final = 0x54490002
MQIACF_STREAM_INCARNATION: Final = 0x54490003
MQIACF_LEDGER_ATTRS: Final = 0x54490004
MQIACF_LEDGER_BATCH: Final = 0x54490005
MQIACF_LEDGER_BATCHES: Final = 0x54490006
MQIACF_LEDGER_FLOOR: Final = 0x54490007
MQIACF_STREAM_EARLIEST: Final = 0x54490008
MQIACF_STREAM_NEXT: Final = 0x54490009
MQIACF_STREAM_SIZE: Final = 0x5449000A
MQIACF_STREAM_CURSORS: Final = 0x5449000B
MQIACF_TRACE_ATTRS: Final = 0x54490020
MQIACF_TRACE_NUMBER: Final = 0x54490021
MQIACF_SYSTEM_ATTRS: Final = 0x54490022
MQIACF_SMF_RECORDS_LOST: Final = 0x54490023
MQIACF_ANOMALY_SCORE: Final = 0x54490030  # this and the next two in thousandths
MQIACF_ANOMALY_VALUE: Final = 0x54490031
MQIACF_ANOMALY_EXPECTED: Final = 0x54490032

TEXTS_FIRST: Final = 0x54430001
MQCACF_CURSOR_NAME: Final = 0x54430001
MQCACF_LEDGER_OWNER: Final = 0x54430002
MQCACF_TRACE_TYPE: Final = 0x54430020
MQCACF_TRACE_CLASSES: Final = 0x54430021
MQCACF_TRACE_DESTINATION: Final = 0x54430022
MQCACF_TRACE_COMMENT: Final = 0x54430023
MQCACF_SYSTEM_STATE: Final = 0x54430024
MQCACF_STATISTICS_TIME: Final = 0x54430025
MQCACF_ACCOUNTING_TIME: Final = 0x54430026
MQCACF_SMF_STATISTICS: Final = 0x54430027
MQCACF_SMF_ACCOUNTING: Final = 0x54430028
MQCACF_SMF_DESTINATIONS: Final = 0x54430029
MQCACF_ANOMALY_RULE: Final = 0x54430030
MQCACF_ANOMALY_SINCE: Final = 0x54430031
MQCACF_ANOMALY_TEXT: Final = 0x54430032
TEXTS_LAST: Final = 0x5443FFFF


def constant_named(name: str) -> int:
    """The number of a constant; KeyError if there is none of that name."""
    own = globals().get(name)
    return int(vars(mq)[name]) if own is None else int(own)
