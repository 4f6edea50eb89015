"""Exit statuses of the administration tools, and what they say when the queue manager refuses.

The same reason ends each of them with the same status, as scripts know it.
"""

from __future__ import annotations

from typing import Final

from ternmq.base import reasons
from ternmq.base.command_reasons import MQRCCF_LOG_TYPE_ERROR
from ternmq.base.errors import MQError
from ternmq.base.message_table import message_line
from ternmq.cli.output import write_error

OK: Final = 0
CANNOT_RESOLVE: Final = 32
BAD_ARGUMENTS: Final = 36
NOT_AVAILABLE: Final = 40
STOPPING: Final = 49
NO_IMAGE: Final = 66
NO_MEDIA_RECOVERY: Final = 68
NO_STORAGE: Final = 69
UNEXPECTED: Final = 71
NAME_ERROR: Final = 72
NO_TRANSACTIONS: Final = 85
NONE_FOUND: Final = 102
NOT_AUTHORIZED: Final = 119
NO_OBJECTS: Final = 128
RESOURCE_PROBLEM: Final = 131
DAMAGED: Final = 132
TEMPORARY: Final = 135
IN_USE: Final = 136

# reason -> exit status, message, whether the message is about the object (else the queue manager)
_ROWS: Final[dict[int, tuple[int, str, bool]]] = {
    reasons.MQRC_Q_MGR_NAME_ERROR: (NAME_ERROR, "AMQ8118E", False),
    reasons.MQRC_Q_MGR_NOT_AVAILABLE: (NOT_AVAILABLE, "AMQ8146E", False),
    reasons.MQRC_CONNECTION_BROKEN: (NOT_AVAILABLE, "AMQ8145E", False),
    reasons.MQRC_Q_MGR_STOPPING: (STOPPING, "AMQ8108S", False),
    reasons.MQRC_Q_MGR_QUIESCING: (STOPPING, "AMQ8156E", False),
    reasons.MQRC_NOT_AUTHORIZED: (NOT_AUTHORIZED, "AMQ7077E", False),
    reasons.MQRC_STORAGE_NOT_AVAILABLE: (NO_STORAGE, "AMQ8103S", False),
    reasons.MQRC_UNKNOWN_OBJECT_NAME: (NO_OBJECTS, "AMQ7085E", True),
    reasons.MQRC_RESOURCE_PROBLEM: (RESOURCE_PROBLEM, "AMQ7083E", True),
    reasons.MQRC_OBJECT_DAMAGED: (DAMAGED, "AMQ7084E", True),
    reasons.MQRC_OPERATION_NOT_ALLOWED: (TEMPORARY, "AMQ7087E", True),
    reasons.MQRC_OBJECT_IN_USE: (IN_USE, "AMQ7088E", True),
    MQRCCF_LOG_TYPE_ERROR: (NO_MEDIA_RECOVERY, "AMQ7044E", False),
}


def refused(error: MQError, qmgr: str, kind: str = "") -> int:
    """Write the message that says why; the exit status."""
    row = _ROWS.get(error.reason)
    if row is None:
        write_error(message_line("AMQ7047E", (error.reason,)))
        write_error(str(error))
        return UNEXPECTED
    status, message_id, about_object = row
    inserts = (error.object, kind) if about_object else (qmgr or error.object, error.detail)
    write_error(message_line(message_id, inserts))
    if error.detail:
        write_error(error.detail)
    return status
