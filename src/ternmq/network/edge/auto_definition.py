"""Auto-definition of channels: a partner calls a channel that is not defined, and CHAD is ENABLED.

A receiver is made like SYSTEM.AUTO.RECEIVER and takes SEQWRAP from its partner, a server-connection
channel is made like SYSTEM.AUTO.SVRCONN. CHADEXIT may change the definition or suppress it. Where
the model's description is untouched, the name of the queue manager is added in its first 44
characters, and the local date and time in its last 20. A partner that channel authentication
refuses gets no definition.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from ternmq.admin.commands.objects import define
from ternmq.base import constants as mq
from ternmq.base.command_reasons import MQRCCF_SUPPRESSED_BY_EXIT
from ternmq.base.errors import MQError
from ternmq.base.object_types import BY_BIT, RECEIVER, SVRCONN
from ternmq.base.reasons import MQRC_RESOURCE_PROBLEM, MQRC_UNKNOWN_OBJECT_NAME
from ternmq.channel.exit_chain import Exit, call
from ternmq.channel.exit_points import ExitEnds
from ternmq.channel.exit_structures import MQCXP, changed_attributes
from ternmq.host.jobs import LoopVerbs
from ternmq.mqi.steps.units import Disconnect
from ternmq.network.channels.channel_exits import loaded, mqcd_of
from ternmq.ports.os_exit_files import ExitFiles
from ternmq.security.chlauth import Partner, judge
from ternmq.store.catalog import Definition
from ternmq.values.calls import units
from ternmq.wire.fap.initial_data import InitialData
from ternmq.wire.fap.vocabulary import CAP_MQI, CAP_REQUEST_INITIATION

if TYPE_CHECKING:
    from ternmq.network.edge.admission import Peer
    from ternmq.network.edge.channel_users import Users
    from ternmq.network.edge.network_host import NetworkHost

LogMessage = Callable[..., None]
APPLICATION: Final = "amqrmppa"
STAMP: Final = "Auto-defined by"
STAMP_CHARACTERS: Final = 44
TIME_CHARACTERS: Final = 20
_DESCRIPTION_CHARACTERS: Final = STAMP_CHARACTERS + TIME_CHARACTERS
_MODELS: Final = {RECEIVER: "SYSTEM.AUTO.RECEIVER", SVRCONN: "SYSTEM.AUTO.SVRCONN"}
_REASONS: Final = {RECEIVER: mq.MQXR_AUTO_RECEIVER, SVRCONN: mq.MQXR_AUTO_SVRCONN}


class AutoDefinition:
    """Defines channels for partners that call them. Used in the loop's thread."""

    def __init__(
        self, host: NetworkHost, users: Users, files: ExitFiles, log_message: LogMessage
    ) -> None:
        self._host = host
        self._users = users
        self._files = files
        self._log_message = log_message
        self._kernel = host.engine.kernel
        self._lock = host.shell.lock

    def find(self, name: str, asked: InitialData, peer: Peer) -> Definition | None:
        """A channel that is made for this call; None if none may be."""
        kernel = self._kernel
        is_client = asked.capabilities_1 & CAP_MQI != 0
        object_type = SVRCONN if is_client else RECEIVER
        with self._lock:
            if kernel.number("auto_define") != mq.MQCHAD_ENABLED or not self._host.is_running:
                return None
            found = kernel.catalog.find(object_type, name)
        if found is not None or asked.capabilities_1 & CAP_REQUEST_INITIATION:
            return None
        if not name or self._is_refused(name, "" if is_client else asked.qmgr_name, peer):
            return None
        reason = feedback = 0
        try:
            self._define(name, object_type, asked, peer)
        except ExitEnds as ends:
            self._log_message(ends.message_id, *ends.inserts)
            reason = MQRCCF_SUPPRESSED_BY_EXIT
        except _Suppressed as suppressed:
            reason, feedback = MQRCCF_SUPPRESSED_BY_EXIT, suppressed.feedback
        except MQError as error:
            self._log_message("AMQ9509E", name, kernel.name, error.reason)
            reason = error.reason
        with self._lock:
            channel_type = BY_BIT[object_type].subtype
            sink = kernel.event_sink
            sink.channel_defined(name, channel_type, peer.address, reason, feedback)
            self._host.shell.settle()
            return kernel.catalog.find(object_type, name)

    def _is_refused(self, name: str, qmgr_name: str, peer: Peer) -> bool:
        partner = Partner(
            name,
            peer.address,
            host=peer.host,
            qmgr_name=qmgr_name.strip(" \0"),
            ssl_peer=peer.certificate_subject,
            ssl_issuer=peer.certificate_issuer,
        )
        return not judge(self._users.rules(), partner, lambda _user: False).allowed

    def _define(self, name: str, object_type: int, asked: InitialData, peer: Peer) -> None:
        kernel = self._kernel
        model_name = _MODELS[object_type]
        with self._lock:
            model = kernel.catalog.find(object_type, model_name)
            if model is None or model.object_type != object_type:
                raise MQError(mq.MQCC_FAILED, MQRC_UNKNOWN_OBJECT_NAME, object=model_name)
            made = Definition(object_type, name, 0, dict(model.attributes), 0)
            exit_name = str(kernel.catalog.qmgr.get("auto_define_exit") or "")
        if object_type == RECEIVER:
            made.attributes["sequence_wrap"] = asked.sequence_wrap
        given: dict[str, object] = {}
        if exit_name:
            given = self._exit(exit_name, made, peer)
        if object_type == RECEIVER:
            given.setdefault("sequence_wrap", asked.sequence_wrap)
        description = str(given.get("description", made.text("description")))
        given["description"] = stamped(description, kernel.name, time.localtime())
        verbs = LoopVerbs(self._host.turns, self._host.own_user, APPLICATION)
        verbs.link.privileged = True
        try:
            with self._lock:
                is_done = define(kernel, verbs.link, object_type, name, given, False, model_name)
                durable_at = int(verbs.link.durable_at)
                self._host.shell.settle()
            if not is_done:
                raise MQError(mq.MQCC_FAILED, MQRC_RESOURCE_PROBLEM, object=name)
            self._host.loop_shell.order(durable_at)
        finally:
            verbs.attempt(Disconnect(units.Disconnect(vanished=True)))

    def _exit(self, exit_name: str, made: Definition, peer: Peer) -> dict[str, object]:
        """What CHADEXIT has changed."""
        function = loaded(self._files, made.name, exit_name)
        one = Exit(mq.MQXT_CHANNEL_AUTO_DEF_EXIT, exit_name, function)
        parameters = MQCXP()
        parameters.ExitReason = _REASONS[made.object_type]
        parameters.SSLRemCertIssNamePtr = peer.certificate_issuer
        before = mqcd_of(made, self._kernel.name)
        after = mqcd_of(made, self._kernel.name)
        call(one, parameters, after, b"", made.name)
        if parameters.ExitResponse == mq.MQXCC_SUPPRESS_FUNCTION:
            raise _Suppressed(int(parameters.Feedback))
        return changed_attributes(before, after)


class _Suppressed(Exception):
    """The exit does not want the channel."""

    def __init__(self, feedback: int) -> None:
        super().__init__(feedback)
        self.feedback = feedback or mq.MQFB_STOPPED_BY_CHAD_EXIT


def stamped(description: str, qmgr_name: str, now: time.struct_time) -> str:
    """A description with the queue manager and the time, where the model's places are untouched."""
    text = description.ljust(_DESCRIPTION_CHARACTERS)
    head, tail = text[:STAMP_CHARACTERS], text[STAMP_CHARACTERS:]
    if head.rstrip() == STAMP:
        head = f"{STAMP} {qmgr_name}"[:STAMP_CHARACTERS].ljust(STAMP_CHARACTERS)
    if not tail.strip():
        tail = time.strftime("%Y-%m-%d %H:%M:%S", now)
    return (head + tail).rstrip()
