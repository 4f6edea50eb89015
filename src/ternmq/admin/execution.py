"""A command under way: attempted step by step under the engine's lock, then it has its answers.

As with verbs, a step that cannot finish parks the connection on an effect or says `again`; what
the answers depend on in the log is kept over the steps. What a command refuses is an answer too;
only a queue manager that has broken or is stopping raises.
"""

from __future__ import annotations

from typing import Final

from ternmq.admin.command_table import CommandRow
from ternmq.admin.similar_objects import SimilarObjects, search_for
from ternmq.base import reasons as rc
from ternmq.base.constants import MQCC_FAILED
from ternmq.base.errors import MQError
from ternmq.kernel.connection import Connection as Link
from ternmq.kernel.kernel import Kernel
from ternmq.values.command import Answer, Command

STEP_OBJECTS: Final = 256

# The message that reports a reason; the others have AMQ8101S with the reason's name.
_MESSAGES: Final[dict[int, str]] = {
    rc.MQRC_UNKNOWN_OBJECT_NAME: "AMQ8147E",
    rc.MQRC_OBJECT_ALREADY_EXISTS: "AMQ8150E",
    rc.MQRC_OBJECT_IN_USE: "AMQ8148E",
    rc.MQRC_Q_NOT_EMPTY: "AMQ8143E",
    rc.MQRC_OBJECT_DAMAGED: "AMQ8149S",
    rc.MQRC_NOT_AUTHORIZED: "AMQ8135E",
    rc.MQRC_Q_MGR_QUIESCING: "AMQ8156E",
    rc.MQRC_ATTRIBUTE_LOCKED: "AMQ8148E",
}
_RAISED: Final = (rc.MQRC_CONNECTION_BROKEN, rc.MQRC_Q_MGR_STOPPING)


class Execution:
    """One command of one connection."""

    def __init__(self, command: Command, row: CommandRow) -> None:
        self.command = command
        self.row = row
        self.answers: list[Answer] = []
        self.verb = f"{row.action} {row.noun}"
        self.user = ""  # whose command it is
        self._durable_at = 0
        self._search: SimilarObjects | None = None  # for a name that is not there

    def step(self, kernel: Kernel, link: Link) -> bool:
        """Go on; True when the command is done. Each command has its own."""
        raise NotImplementedError

    def attempt(self, kernel: Kernel, link: Link) -> bool:
        """A step as the shell asks for it."""
        link.begin_verb()
        self.user = link.user
        if self._search is not None:
            done = self._search.step(kernel, link)
            if done:
                link.depends_on(self._durable_at)
            return done
        try:
            done = self.step(kernel, link)
        except MQError as error:
            if error.reason in _RAISED:
                raise
            link.park = None
            link.again = False
            self.answers.append(self.refusal_of(error))
            done = True
        self._durable_at = max(self._durable_at, int(link.durable_at))
        if done:
            self._search = search_for(self.row, self.answers)
            if self._search is not None:
                done = self._search.step(kernel, link)
        if done:
            link.depends_on(self._durable_at)
        return done

    def refusal_of(self, error: MQError) -> Answer:
        """What the answer to an error is."""
        return refusal(error, self.command.name, self.user)

    def succeed(self, *inserts: str | int) -> bool:
        """The message of success, about the named object unless something else is given."""
        self.answers.append(Answer(self.row.message, inserts or (self.command.name,)))
        return True

    def refuse(self, message: str, *inserts: str | int, reason: int = 0) -> bool:
        """An answer that says no."""
        self.answers.append(Answer(message, inserts, comp=MQCC_FAILED, reason=reason))
        return True


def refusal(error: MQError, name: str, user: str) -> Answer:
    """What an error of the kernel says as an answer."""
    object_name = error.object or name
    detail = "" if error.detail in (object_name, "LIKE") else error.detail
    message = _MESSAGES.get(error.reason, "") or _COMMAND_MESSAGES.get(error.reason_name, "")
    inserts: tuple[str, ...] = (object_name, detail)
    if message == "AMQ8135E":
        inserts = (user, object_name)
    if not message and detail and error.reason_name.startswith("MQRCCF_"):
        message = "AMQ8425E"
    if message == "AMQ8161E" and detail:
        inserts = (detail.split(" ")[0],)  # the keyword
    elif message == "AMQ8242E":
        inserts = (detail.split("'")[1] if "'" in detail else detail,)  # the CipherSpec
    elif not message:
        message = "AMQ8101S"
        inserts = (error.reason_name, detail or str(error))
    answer = Answer(message, inserts, comp=MQCC_FAILED, reason=error.reason)
    answer.detail = detail
    return answer


# The same for reasons that only commands have; of the others, AMQ8425E says what is wrong.
_COMMAND_MESSAGES: Final[dict[str, str]] = {
    "MQRCCF_OBJECT_NAME_ERROR": "AMQ8165E",
    "MQRCCF_CHANNEL_NAME_ERROR": "AMQ8165E",
    "MQRCCF_SUB_NAME_ERROR": "AMQ8165E",
    "MQRCCF_OBJECT_ALREADY_EXISTS": "AMQ8150E",
    "MQRCCF_SUB_ALREADY_EXISTS": "AMQ8150E",
    "MQRCCF_SUBSCRIPTION_IN_USE": "AMQ8469E",
    "MQRCCF_OBJECT_WRONG_TYPE": "AMQ8151E",
    "MQRCCF_LIKE_OBJECT_WRONG_TYPE": "AMQ8152E",
    "MQRCCF_OBJECT_OPEN": "AMQ8148E",
    "MQRCCF_OBJECT_IN_USE": "AMQ8148E",
    "MQRCCF_Q_WRONG_TYPE": "AMQ8138E",
    "MQRCCF_IPADDR_ERROR": "AMQ8889E",
    "MQRCCF_ADDRESS_ERROR": "AMQ8889E",
    "MQRCCF_SSL_CIPHER_SPEC_ERROR": "AMQ8242E",
    "MQRCCF_CHANNEL_NOT_FOUND": "AMQ8227E",
    "MQRCCF_CHANNEL_ALREADY_EXISTS": "AMQ8226E",
    "MQRCCF_PARM_MISSING": "AMQ8161E",
    "MQRCCF_MISSING_CONN_NAME": "AMQ8161E",
    "MQRCCF_XMIT_Q_NAME_ERROR": "AMQ8161E",
    "MQRCCF_DEST_NAME_ERROR": "AMQ8161E",
    "MQRCCF_AUTH_VALUE_MISSING": "AMQ8161E",
    "MQRCCF_PROFILE_NAME_ERROR": "AMQ8870E",
    "MQRC_NO_SUBSCRIPTION": "AMQ8147E",
    "MQRC_UNKNOWN_ENTITY": "AMQ8871E",
}
