"""What DEFINE and ALTER ask about STREAMQ: which queues may stream, to where, and by whose word.

As in IBM MQ: no transmission queue streams, of the SYSTEM queues only those with reports
(events, statistics, accounting) and the default ones do, none but SYSTEM.DEFAULT.LOCAL.QUEUE gets
copies, and a model queue cannot. Setting STREAMQ needs authority to change the target as well,
since puts do not ask for any. Where we go further: dynamic queues may be altered, a namelist may be
named, and a queue with STRMCHN(YES) may pass copies on, if they do not come back to where they
were.
"""

from __future__ import annotations

from typing import Final, final

from ternmq.base import constants as mq
from ternmq.base import object_types as types
from ternmq.base.attributes import Value
from ternmq.base.command_reasons import (
    MQRCCF_STREAMQ_CONFLICT,
    MQRCCF_STREAMQ_DEST_CONFLICT,
    MQRCCF_STREAMQ_DEST_NOT_SUPP,
    MQRCCF_STREAMQ_NOT_SUPPORTED,
)
from ternmq.base.errors import MQError, mq_error
from ternmq.kernel.authority import check
from ternmq.kernel.connection import Connection
from ternmq.kernel.kernel import Kernel
from ternmq.kernel.streaming import CHAIN_MAX, TARGETS_MAX, check_receiver, stream_names
from ternmq.security import authorities as auth
from ternmq.store.catalog import Catalog

DEFAULT_LOCAL: Final = "SYSTEM.DEFAULT.LOCAL.QUEUE"
_RECEIVERS: Final = types.LOCAL | types.ALIAS | types.REMOTE | types.NAMELIST
_WHERE_TO: Final = ("target", "remote_queue", "remote_qmgr", "transmission_queue")
STREAMING_SYSTEM_QUEUES: Final = (
    DEFAULT_LOCAL,
    "SYSTEM.ADMIN.ACCOUNTING.QUEUE",
    "SYSTEM.ADMIN.ACTIVITY.QUEUE",
    "SYSTEM.ADMIN.CHANNEL.EVENT",
    "SYSTEM.ADMIN.COMMAND.EVENT",
    "SYSTEM.ADMIN.CONFIG.EVENT",
    "SYSTEM.ADMIN.LOGGER.EVENT",
    "SYSTEM.ADMIN.PERFM.EVENT",
    "SYSTEM.ADMIN.PUBSUB.EVENT",
    "SYSTEM.ADMIN.QMGR.EVENT",
    "SYSTEM.ADMIN.STATISTICS.QUEUE",
    "SYSTEM.DEFAULT.MODEL.QUEUE",
    "SYSTEM.JMS.TEMPQ.MODEL",
)


@final
class StreamCheck:
    """A local or model queue with a STREAMQ, as it is about to be."""

    def __init__(self, catalog: Catalog, name: str, values: dict[str, Value], verb: str) -> None:
        self._catalog = catalog
        self._name = name
        self._values = values
        self._verb = verb
        self._stream = str(values.get("stream_queue", ""))
        self._seen = 0

    def run(self, is_model: bool) -> None:
        """The first rule that is broken is raised."""
        if not self._stream:
            return
        name = self._name
        if self._values.get("usage") == mq.MQUS_TRANSMISSION:
            raise self._error(MQRCCF_STREAMQ_CONFLICT, "a transmission queue does not stream")
        if name.startswith("SYSTEM.") and name not in STREAMING_SYSTEM_QUEUES:
            raise self._error(MQRCCF_STREAMQ_NOT_SUPPORTED, "this SYSTEM queue does not stream")
        if not is_model and not self._values.get("stream_onward", 0):
            self._refuse_link()
        self._follow(self._stream, [name])

    def _error(self, reason: int, detail: str) -> MQError:
        text = f"STREAMQ({self._stream}): {detail}"
        return mq_error(reason, verb=self._verb, object=self._name, detail=text)

    def _refuse_link(self) -> None:
        """A queue that gets copies does not stream itself unless STRMCHN says so."""
        for other in self._catalog.definitions.values():
            stream = str(other.attributes.get("stream_queue", ""))
            if not stream or other.name == self._name:
                continue
            for target in stream_names(self._catalog, stream):
                if self._behind(target) == self._name:
                    detail = f"{other.name} streams to this queue, which has STRMCHN(NO)"
                    raise self._error(MQRCCF_STREAMQ_CONFLICT, detail)

    def _behind(self, name: str) -> str:
        """The queue behind an alias, else the name itself."""
        definition = self._catalog.definitions.get(name)
        if definition is not None and definition.object_type == types.ALIAS:
            return definition.text("target")
        return name

    def _follow(self, stream: str, path: list[str]) -> None:
        """Where copies go, and from there: never back."""
        for name in stream_names(self._catalog, stream):
            self._check_target(name)
            target = self._behind(name)
            self._check_target(target)
            self._seen += 1
            if target in path:
                detail = f"copies would go round: {' to '.join([*path, target])}"
                raise self._error(MQRCCF_STREAMQ_DEST_CONFLICT, detail)
            if len(path) > CHAIN_MAX or self._seen > TARGETS_MAX:
                detail = f"more than {CHAIN_MAX} queues in a chain or {TARGETS_MAX} in all"
                raise self._error(MQRCCF_STREAMQ_DEST_CONFLICT, detail)
            definition = self._catalog.definitions.get(target)
            onward = "" if definition is None else definition.attributes.get("stream_queue", "")
            if definition is None or not onward:
                continue
            if not definition.attributes.get("stream_onward", 0):
                detail = f"{target} streams itself, and has STRMCHN(NO)"
                raise self._error(MQRCCF_STREAMQ_DEST_CONFLICT, detail)
            self._follow(str(onward), [*path, target])

    def _check_target(self, name: str) -> None:
        if name.startswith("SYSTEM.") and name != DEFAULT_LOCAL:
            raise self._error(MQRCCF_STREAMQ_DEST_NOT_SUPP, f"{name} is the queue manager's own")
        definition = self._catalog.definitions.get(name)
        if definition is not None and definition.object_type == types.MODEL:
            raise self._error(MQRCCF_STREAMQ_DEST_NOT_SUPP, f"{name} is a model queue")


def check_stream_authority(
    kernel: Kernel,
    link: Connection,
    object_type: int,
    name: str,
    values: dict[str, Value],
    before: dict[str, Value],
    verb: str,
) -> None:
    """A user who lets messages be copied to a queue needs authority to change it: puts check none.
    That may be by STREAMQ, or by a namelist that is the STREAMQ of a queue."""
    if link.privileged:
        return
    stream = str(values.get("stream_queue", ""))
    targets: list[str] = []
    if stream and before.get("stream_queue", "") != stream:
        targets = stream_names(kernel.catalog, stream)
    elif "names" in values and _is_streamed_to(kernel.catalog, name):
        known = str(before.get("names", "")).split(",")
        listed = str(values["names"])
        targets = [one for one in listed.split(",") if one not in known] if listed else []
    qualifier = mq.MQRQ_CMD_NOT_AUTHORIZED
    if object_type & _RECEIVERS and (not before or _leads_elsewhere(values, before)):
        check_receiver(kernel, link, link.user, name, verb, qualifier)
    for target in targets:
        check(kernel, link, link.user, mq.MQOT_Q, target, auth.CHG, verb, qualifier, 0)


def _leads_elsewhere(values: dict[str, Value], before: dict[str, Value]) -> bool:
    """An alias, a definition of a remote queue or a namelist gets other queues."""
    for attribute in _WHERE_TO:
        if values.get(attribute, "") != before.get(attribute, ""):
            return True
    known = str(before.get("names", "")).split(",")
    return any(one not in known for one in str(values.get("names", "")).split(","))


def _is_streamed_to(catalog: Catalog, name: str) -> bool:
    for one in catalog.definitions.values():
        if one.attributes.get("stream_queue", "") == name:
            return True
    return False
