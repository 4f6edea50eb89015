"""SET, DELETE and DISPLAY AUTHREC, DISPLAY ENTAUTH and AUTHSERV, REFRESH SECURITY; and what
setmqaut, dspmqaut and dmpmqaut ask for, which is the same.

Each takes the command apart, checks it and gives its answers; None: the connection is parked until
the log has room, and the command is tried again. DISPLAY AUTHREC goes in bounded steps.
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import Final, final

from ternmq.admin.command_table import CommandRow
from ternmq.admin.commands.filters import fits
from ternmq.admin.execution import STEP_OBJECTS, Execution
from ternmq.admin.status.status_attributes import status_attributes
from ternmq.admin.status.status_display import NOT_FOUND
from ternmq.base import constants as mq
from ternmq.base.command_reasons import (
    MQRCCF_AUTH_VALUE_ERROR,
    MQRCCF_AUTH_VALUE_MISSING,
    MQRCCF_ENTITY_NAME_MISSING,
    MQRCCF_OBJECT_TYPE_MISSING,
    MQRCCF_PARM_CONFLICT,
    MQRCCF_PROFILE_NAME_ERROR,
    MQRCCF_PROFILE_NAME_MISSING,
)
from ternmq.base.errors import mq_error
from ternmq.base.names import control_character
from ternmq.base.object_types import AUTHREC
from ternmq.base.reasons import (
    MQRC_OBJECT_TYPE_ERROR,
    MQRC_UNKNOWN_ENTITY,
    MQRC_UNKNOWN_OBJECT_NAME,
)
from ternmq.kernel.authority_records import put_record, remove_record
from ternmq.kernel.connection import Connection
from ternmq.kernel.events import report_deleted, report_stored
from ternmq.kernel.kernel import Kernel
from ternmq.security.authorities import (
    CLASS_PROFILE,
    CRT,
    KIND_BY_WORD,
    SELF_PROFILE,
    Kind,
    authlist,
    bits_of,
)
from ternmq.security.profiles import fault_of, is_generic, matches
from ternmq.security.records import ENTITY_BYTES_MAX, GROUP, PRINCIPAL, Record, record_key
from ternmq.values.command import Answer, Command

SERVICE_NAME: Final = "TernMQ.auth.service"
SERVICE_VERSION: Final = 3
WILDCARD: Final = "WILDCARD"  # MATCH: the profile is a pattern of names of profiles


# ---- what a command says


def kind_named(command: Command, verb: str) -> Kind:
    """OBJTYPE."""
    word = command.given.get("OBJTYPE", "").lower()
    if not word:
        raise mq_error(MQRCCF_OBJECT_TYPE_MISSING, verb=verb, detail="OBJTYPE is missing")
    kind = KIND_BY_WORD.get(word)
    if kind is None:
        raise mq_error(MQRC_OBJECT_TYPE_ERROR, verb=verb, detail=f"OBJTYPE({word.upper()})")
    return kind


def profile_named(kind: Kind, profile: str, qmgr_name: str, verb: str) -> str:
    """PROFILE; the queue manager has its own, whatever it is called."""
    lower = profile.lower()
    if lower == CLASS_PROFILE:
        return CLASS_PROFILE
    if kind.mqot == mq.MQOT_Q_MGR:
        if lower in ("", SELF_PROFILE) or matches(profile, qmgr_name):
            return SELF_PROFILE
        raise mq_error(
            MQRCCF_PROFILE_NAME_ERROR, verb=verb, object=profile, detail="not this queue manager"
        )
    if not profile:
        raise mq_error(MQRCCF_PROFILE_NAME_MISSING, verb=verb, detail="PROFILE is missing")
    fault = fault_of(profile)
    if fault or lower == SELF_PROFILE:
        raise mq_error(MQRCCF_PROFILE_NAME_ERROR, verb=verb, object=profile, detail=fault)
    return profile


def entity_named(command: Command, verb: str) -> tuple[str, bool]:
    """PRINCIPAL or GROUP, and whether it is a group; ("", False) if neither is given."""
    principal = command.given.get("PRINCIPAL", "")
    group = command.given.get("GROUP", "")
    if principal and group:
        raise mq_error(MQRCCF_PARM_CONFLICT, verb=verb, detail="PRINCIPAL and GROUP")
    entity = principal or group
    if not is_entity(entity):
        raise mq_error(MQRC_UNKNOWN_ENTITY, verb=verb, object=entity, detail="not a valid name")
    return entity, bool(group)


def _check_known(kernel: Kernel, entity: str, is_group: bool, verb: str) -> None:
    if not kernel.authority.is_known(entity, is_group):
        kind, command = ("group", "groupadd") if is_group else ("user", "useradd")
        detail = f"this machine has no {kind} of that name; {command} makes one"
        raise mq_error(MQRC_UNKNOWN_ENTITY, verb=verb, object=entity, detail=detail)


def is_entity(name: str) -> bool:
    """Whether a user or group may be called so; "" stands for no user."""
    if control_character(name) or " " in name or "," in name or "\t" in name:
        return False
    return len(name.encode("utf-8")) <= ENTITY_BYTES_MAX


def _entity_required(command: Command, verb: str) -> tuple[str, bool]:
    entity, is_group = entity_named(command, verb)
    if not entity:
        raise mq_error(MQRCCF_ENTITY_NAME_MISSING, verb=verb, detail="PRINCIPAL or GROUP")
    return entity, is_group


def _bits_named(command: Command, keyword: str, kind: Kind, verb: str) -> int:
    """AUTHADD or AUTHRMV."""
    bits = 0
    for word in command.given.get(keyword, "").replace(" ", ",").split(","):
        if not word:
            continue
        found = bits_of(word, kind)
        if found is None:
            raise mq_error(
                MQRCCF_AUTH_VALUE_ERROR,
                verb=verb,
                object=kind.objtype,
                detail=f"{keyword}({word.upper()})",
            )
        bits |= found
    return bits


# ---- SET and DELETE


def set_authrec(kernel: Kernel, link: Connection, command: Command) -> list[Answer] | None:
    """SET AUTHREC: some authorities more, some less."""
    verb = "SET AUTHREC"
    kind = kind_named(command, verb)
    profile = profile_named(kind, command.given.get("PROFILE", ""), kernel.name, verb)
    entity, is_group = _entity_required(command, verb)
    _check_known(kernel, entity, is_group, verb)
    if "AUTHADD" not in command.given and "AUTHRMV" not in command.given:
        raise mq_error(MQRCCF_AUTH_VALUE_MISSING, verb=verb, object=profile)
    more = _bits_named(command, "AUTHADD", kind, verb)
    less = _bits_named(command, "AUTHRMV", kind, verb)
    link.begin_verb()
    if not kernel.can_log_object(link, verb, profile):
        return None
    if not is_group:
        entity, is_group = kernel.authority.beneficiary(entity)
    if profile != CLASS_PROFILE:
        # No object of that name need be there for crt: it belongs to the class.
        if (more | less) & CRT:
            _set(kernel, link, kind, CLASS_PROFILE, entity, is_group, more & CRT, less & CRT)
        more &= ~CRT
        less &= ~CRT
    _set(kernel, link, kind, profile, entity, is_group, more, less)
    return [Answer("AMQ8862I")]


def _set(
    kernel: Kernel,
    link: Connection,
    kind: Kind,
    profile: str,
    entity: str,
    is_group: bool,
    more: int,
    less: int,
) -> None:
    old = kernel.authority.records.by_key.get(record_key(kind, profile, entity, is_group))
    bits = (0 if old is None else old.bits) & ~less | more
    if old is None or old.bits != bits:
        key = record_key(kind, profile, entity, is_group)
        definition = kernel.catalog.find(AUTHREC, key)
        before = None if definition is None else dict(definition.attributes)
        lsn = put_record(kernel, Record(kind, profile, entity, is_group, bits))
        link.depends_on(lsn)
        definition = kernel.catalog.find(AUTHREC, key)
        if definition is not None:
            report_stored(kernel, link, definition, before)


def delete_authrec(kernel: Kernel, link: Connection, command: Command) -> list[Answer] | None:
    """DELETE AUTHREC."""
    verb = "DELETE AUTHREC"
    kind = kind_named(command, verb)
    profile = profile_named(kind, command.given.get("PROFILE", ""), kernel.name, verb)
    entity, is_group = _entity_required(command, verb)
    if not is_group:
        entity, is_group = kernel.authority.beneficiary(entity)
    key = record_key(kind, profile, entity, is_group)
    link.begin_verb()
    definition = kernel.catalog.find(AUTHREC, key)
    if definition is None:
        if command.given.get("IGNSTATE", "").upper() == "YES":
            return [Answer("AMQ8863I")]
        raise mq_error(
            MQRC_UNKNOWN_OBJECT_NAME,
            verb=verb,
            object=profile,
            detail=f"no authority record of {entity} for {kind.objtype}",
        )
    if not kernel.can_log_object(link, verb, profile):
        return None
    link.depends_on(remove_record(kernel, key))
    report_deleted(kernel, link, definition)
    return [Answer("AMQ8863I")]


# ---- DISPLAY


class RecordChoice:
    """The records that a DISPLAY AUTHREC asks for.

    MATCH(PROFILE): those that would count for an object of the name, generic ones too;
    MATCH(EXACT): those of the profile as it is written; MATCH(MEMBERSHIP): as PROFILE, and of the
    groups of the principal too. PCF can also take the profile for a pattern of profiles' names.
    """

    def __init__(self, kernel: Kernel, command: Command) -> None:
        verb = "DISPLAY AUTHREC"
        given = command.given
        self._qmgr_name = kernel.name
        self._kind = kind_named(command, verb) if given.get("OBJTYPE", "") else None
        self._entity, self._is_group = entity_named(command, verb)
        self._match = given.get("MATCH", "").upper() or "PROFILE"
        self._groups: tuple[str, ...] = ()
        if self._match == "MEMBERSHIP" and self._entity and not self._is_group:
            self._groups = kernel.authority.groups(self._entity)
        self._profile = given.get("PROFILE", "")

    def takes(self, record: Record) -> bool:
        """Whether it is one of them."""
        if self._kind is not None and record.kind is not self._kind:
            return False
        if self._entity and not _is_of(record, self._entity, self._is_group, self._groups):
            return False
        profile = self._profile
        return not profile or _is_for(record, profile, self._match, self._qmgr_name)


@final
class DisplayAuthorityRecords(Execution):
    """DISPLAY AUTHREC, a bounded number of records a step."""

    def __init__(self, command: Command, row: CommandRow) -> None:
        super().__init__(command, row)
        self._choice: RecordChoice | None = None
        self._records: list[Record] = []
        self._next = 0

    def step(self, kernel: Kernel, link: Connection) -> bool:
        choice = self._choice
        records = kernel.authority.records
        if choice is None:
            choice = RecordChoice(kernel, self.command)
            self._choice = choice
            self._records = records.all()
        last = min(self._next + STEP_OBJECTS, len(self._records))
        found: list[Answer] = []
        for seen in self._records[self._next : last]:
            record = records.by_key.get(seen.key)  # as it is now, if it is still there
            if record is not None and choice.takes(record):
                found.append(_shown(record))
        self.answers.extend(_asked(found, self.command))
        self._next = last
        if last < len(self._records):
            link.again = True
            return False
        if not self.answers:
            message, reason = NOT_FOUND["AUTHREC"]
            return self.refuse(message, reason=reason)
        return True


def _is_of(record: Record, entity: str, is_group: bool, groups: tuple[str, ...]) -> bool:
    if record.is_group:
        return record.entity in groups or (is_group and record.entity == entity)
    return not is_group and record.entity == entity


def _is_for(record: Record, profile: str, match: str, qmgr_name: str) -> bool:
    if record.profile == profile or record.profile == profile.lower():
        return True
    if record.profile == SELF_PROFILE:
        return profile == qmgr_name
    if match == WILDCARD:
        return fnmatchcase(record.profile, profile)
    return match != "EXACT" and not is_generic(profile) and matches(record.profile, profile)


def _shown(record: Record) -> Answer:
    answer = Answer("AMQ8864I", object_type=AUTHREC)
    answer.add("PROFILE", record.profile)
    answer.add("ENTITY", record.entity)
    answer.add("ENTTYPE", record.entity_type)
    answer.add("OBJTYPE", record.kind.objtype)
    answer.add("AUTHLIST", authlist(record.bits))
    return answer


def _asked(answers: list[Answer], command: Command) -> list[Answer]:
    """Those that fit WHERE, with what was asked for."""
    where = command.where
    wanted = command.wanted
    rows = {one.keyword: one for one in status_attributes(command.noun, "")}
    found: list[Answer] = []
    for answer in answers:
        if where is not None:
            value = answer.attributes().get(where.keyword)
            if value is None or not fits(where, value):
                continue
        if wanted and "ALL" not in wanted:
            answer.items = [
                item
                for item in answer.items
                if item.keyword in wanted or item.keyword not in rows or rows[item.keyword].always
            ]
        found.append(answer)
    return found


def display_entauth(kernel: Kernel, link: Connection, command: Command) -> list[Answer]:
    """DISPLAY ENTAUTH: what a user or group may do with an object, all taken together."""
    verb = "DISPLAY ENTAUTH"
    link.begin_verb()
    kind = kind_named(command, verb)
    name = profile_named(kind, command.given.get("OBJNAME", ""), kernel.name, verb)
    entity, is_group = _entity_required(command, verb)
    _check_known(kernel, entity, is_group, verb)
    bits = entity_authority(kernel, kind, name, entity, is_group)
    answer = Answer("AMQ8866I")
    answer.add("OBJNAME", kernel.name if name == SELF_PROFILE else name)
    answer.add("ENTITY", entity)
    answer.add("ENTTYPE", GROUP if is_group else PRINCIPAL)
    answer.add("OBJTYPE", kind.objtype)
    answer.add("AUTHLIST", authlist(bits))
    return _asked([answer], command)


def entity_authority(kernel: Kernel, kind: Kind, name: str, entity: str, is_group: bool) -> int:
    """What a user has with all its groups, or a group alone."""
    authority = kernel.authority
    if is_group:
        return authority.granted_to_group(entity, kind, name)
    return authority.recorded(entity, kind, name)


def display_authserv(kernel: Kernel, link: Connection, command: Command) -> list[Answer]:
    """DISPLAY AUTHSERV: there is one service, and it is built in."""
    link.begin_verb()
    answer = Answer("AMQ8867I")
    answer.add("IFVER", SERVICE_VERSION)
    answer.add("SERVCOMP", SERVICE_NAME)
    answer.add("UIDSUPP", "YES")
    return _asked([answer], command)


def refresh_security(kernel: Kernel, link: Connection, command: Command) -> list[Answer]:
    """REFRESH SECURITY: groups, and with them the administrators, are asked for again.

    TYPE(SSL) has certificates and keys read again, and ends the channels that use TLS.
    TYPE(CONNAUTH) finds nothing that is remembered: passwords and rules are read at each connect.
    """
    link.begin_verb()
    if command.given.get("TYPE", "") == "SSL":
        kernel.parts.refresh_tls()
    kernel.authority.refresh()
    for connection in kernel.connections.values():
        connection.privileged = kernel.authority.is_administrator(connection.user)
    return [Answer("AMQ8560I")]
