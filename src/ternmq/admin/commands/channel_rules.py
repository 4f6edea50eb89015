"""SET and DISPLAY CHLAUTH: the rules of channel authentication, as data. They bite with channels.

A rule is an object of the catalog whose name is made of what identifies it: the channel profile,
the type, and for a type of mapping who it maps. The two blocking types have one rule a profile,
with a list that ADD makes longer and REMOVE shorter.
"""

from __future__ import annotations

from typing import Final, final

from ternmq.admin.command_table import CommandRow
from ternmq.admin.commands.display import Column
from ternmq.admin.commands.filters import fits
from ternmq.admin.commands.objects import has_room
from ternmq.admin.execution import STEP_OBJECTS, Execution
from ternmq.admin.status.status_attributes import status_attributes
from ternmq.admin.status.status_display import NOT_FOUND, date_of, time_of
from ternmq.base import constants as mq
from ternmq.base.attributes import BY_NAME, Value, checked_attributes, defaults_of
from ternmq.base.command_reasons import (
    MQRCCF_ATTR_VALUE_ERROR,
    MQRCCF_CHLAUTH_ALREADY_EXISTS,
    MQRCCF_CHLAUTH_NOT_FOUND,
    MQRCCF_CHLAUTH_RUNCHECK_ERROR,
    MQRCCF_CHLAUTH_TYPE_ERROR,
    MQRCCF_IPADDR_ERROR,
    MQRCCF_SSL_PEER_NAME_ERROR,
)
from ternmq.base.errors import mq_error
from ternmq.base.object_types import AMQP, CHLAUTH, CLNTCONN, SVRCONN
from ternmq.kernel.connection import Connection as Link
from ternmq.kernel.events import report_deleted, report_stored
from ternmq.kernel.kernel import Kernel
from ternmq.security.chlauth import Partner, Rule, chosen, judge, rules_of
from ternmq.security.patterns import address_fault, peer_fault
from ternmq.store.catalog import Definition
from ternmq.values.command import Answer, Command

IDENTIFY: Final = ("ADDRESS", "CLNTUSER", "QMNAME", "SSLPEER", "SSLCERTI")
_MAPPING: Final = ("USERSRC", "MCAUSER", "CHCKCLNT", "WARN", "DESCR", "CUSTOM")
# By type: what it must have, and what else it may have.
_PARAMETERS: Final[dict[str, tuple[str, tuple[str, ...]]]] = {
    "BLOCKUSER": ("USERLIST", ("WARN", "DESCR", "CUSTOM")),
    "BLOCKADDR": ("ADDRLIST", ("WARN", "DESCR", "CUSTOM")),
    "SSLPEERMAP": ("SSLPEER", ("SSLCERTI", "ADDRESS", *_MAPPING)),
    "ADDRESSMAP": ("ADDRESS", _MAPPING),
    "USERMAP": ("CLNTUSER", ("ADDRESS", *_MAPPING)),
    "QMGRMAP": ("QMNAME", ("ADDRESS", *_MAPPING)),
}
_LISTS: Final = {"BLOCKUSER": "user_list", "BLOCKADDR": "address_list"}
_OF_CLIENTS: Final = SVRCONN | CLNTCONN | AMQP
_ROWS: Final = BY_NAME[CHLAUTH]
_MATCHES: Final = {
    "ALL": mq.MQMATCH_ALL,
    "EXACT": mq.MQMATCH_EXACT,
    "GENERIC": mq.MQMATCH_GENERIC,
}


def rule_key(attributes: dict[str, Value]) -> str:
    """The name of a rule in the catalog."""
    names = ["profile", "rule_type"] + [_ROWS[keyword].name for keyword in IDENTIFY]
    return "\t".join([str(attributes[name]) for name in names])


def rule_type(definition: Definition) -> str:
    """TYPE."""
    return _ROWS["TYPE"].shown(definition.number("rule_type"))


@final
class SetChannelRule(Execution):
    """SET CHLAUTH; ACTION(REMOVEALL) removes a bounded number of rules a step."""

    def __init__(self, command: Command, row: CommandRow) -> None:
        super().__init__(command, row)
        self._doomed: list[Definition] | None = None  # by REMOVEALL, the next one last

    def step(self, kernel: Kernel, link: Link) -> bool:
        command = self.command
        kind = command.given.get("TYPE", "").upper()
        action = command.given.get("ACTION", "ADD").upper()
        if kind not in _PARAMETERS:
            return self.refuse("AMQ8879E", reason=MQRCCF_CHLAUTH_TYPE_ERROR)
        if action == "REMOVEALL":
            return self._remove_all(kernel, link, kind)
        self._refuse_misfits(kind, action)
        values = self._values(kind)
        attributes = defaults_of(CHLAUTH)
        attributes.update(values)
        existing = kernel.catalog.find(CHLAUTH, rule_key(attributes))
        if action == "REMOVE":
            return self._remove(kernel, link, kind, existing, values)
        if existing is not None and action == "ADD" and kind not in _LISTS:
            return self.refuse("AMQ8883E", reason=MQRCCF_CHLAUTH_ALREADY_EXISTS)
        if existing is not None and action == "ADD":
            attributes = {**existing.attributes, **values}
            attributes.update(self._longer_list(existing, _LISTS[kind], values))
        return self._store(kernel, link, existing, attributes)

    def _longer_list(
        self, existing: Definition, name: str, values: dict[str, Value]
    ) -> dict[str, Value]:
        """What the rule has and what is added; all of it together must be a list that may be."""
        listed = [*existing.text(name).split(","), *str(values.get(name, "")).split(",")]
        joined: dict[str, object] = {name: list(dict.fromkeys([one for one in listed if one]))}
        return self._checked(joined)

    def _refuse_misfits(self, kind: str, action: str) -> None:
        given = self.command.given
        needed, allowed = _PARAMETERS[kind]
        for keyword in given:
            if keyword not in ("TYPE", "ACTION", needed, *allowed):
                detail = f"{keyword} does not go with TYPE({kind})"
                raise mq_error(MQRCCF_ATTR_VALUE_ERROR, object=self.command.name, detail=detail)
        if needed not in given:
            detail = f"TYPE({kind}) needs {needed}"
            raise mq_error(MQRCCF_ATTR_VALUE_ERROR, object=self.command.name, detail=detail)
        if kind == "BLOCKADDR" and self.command.name != "*":
            detail = "TYPE(BLOCKADDR) is for all channels: CHLAUTH(*)"
            raise mq_error(MQRCCF_ATTR_VALUE_ERROR, object=self.command.name, detail=detail)
        for pattern in [given.get("ADDRESS", ""), *given.get("ADDRLIST", "").split(",")]:
            fault = address_fault(pattern.strip()) if pattern.strip() else ""
            if fault:
                detail = f"address {pattern.strip()}: {fault}"
                raise mq_error(MQRCCF_IPADDR_ERROR, object=pattern.strip(), detail=detail)
        for keyword in ("SSLPEER", "SSLCERTI"):
            fault = peer_fault(given.get(keyword, ""))
            if fault:
                detail = f"{keyword}: {fault}"
                raise mq_error(MQRCCF_SSL_PEER_NAME_ERROR, object=self.command.name, detail=detail)
        source = given.get("USERSRC", "MAP")
        maps = kind not in _LISTS and source == "MAP" and action != "REMOVE"
        if maps and not given.get("MCAUSER", ""):
            raise mq_error(
                MQRCCF_ATTR_VALUE_ERROR,
                object=self.command.name,
                detail="USERSRC(MAP) needs MCAUSER",
            )

    def _values(self, kind: str) -> dict[str, Value]:
        given: dict[str, object] = {**self.command.given, "TYPE": kind}
        given.pop("ACTION", None)
        given["CHLAUTH"] = self.command.name
        return self._checked(given)

    def _checked(self, given: dict[str, object]) -> dict[str, Value]:
        try:
            return checked_attributes(CHLAUTH, given)
        except ValueError as error:
            raise mq_error(
                MQRCCF_ATTR_VALUE_ERROR, object=self.command.name, detail=str(error)
            ) from error

    def _store(
        self,
        kernel: Kernel,
        link: Link,
        existing: Definition | None,
        attributes: dict[str, Value],
    ) -> bool:
        now_ns = kernel.clock.now_ns()
        key = rule_key(attributes)
        definition = Definition(CHLAUTH, key, 0, attributes, now_ns)
        if not has_room(kernel, link, self.verb, definition):
            return False
        before: dict[str, Value] | None = None
        if existing is None:
            definition.object_id = kernel.catalog.new_id()
        else:
            before = dict(existing.attributes)
            existing.attributes.update(attributes)
            existing.altered_ns = now_ns
            definition = existing
        link.depends_on(kernel.coordinator.define(kernel.catalog, definition))
        report_stored(kernel, link, definition, before)
        return self.succeed()

    def _remove(
        self,
        kernel: Kernel,
        link: Link,
        kind: str,
        existing: Definition | None,
        values: dict[str, Value],
    ) -> bool:
        if existing is None:
            return self.refuse("AMQ8884E", reason=MQRCCF_CHLAUTH_NOT_FOUND)
        if kind in _LISTS:
            name = _LISTS[kind]
            gone = str(values[name]).split(",")
            left = [one for one in existing.text(name).split(",") if one not in gone]
            if left:
                attributes = {**existing.attributes, name: ",".join(left)}
                return self._store(kernel, link, existing, attributes)
        if not kernel.can_log_object(link, self.verb, self.command.name):
            return False
        link.depends_on(kernel.coordinator.undefine(kernel.catalog, existing, None))
        report_deleted(kernel, link, existing)
        return self.succeed()

    def _remove_all(self, kernel: Kernel, link: Link, kind: str) -> bool:
        doomed = self._doomed
        if doomed is None:
            doomed = [
                one
                for one in kernel.catalog.table_of(CHLAUTH).values()
                if one.text("profile") == self.command.name and rule_type(one) == kind
            ]
            if not doomed:
                return self.refuse("AMQ8884E", reason=MQRCCF_CHLAUTH_NOT_FOUND)
            doomed.reverse()
            self._doomed = doomed
        for _ in range(min(STEP_OBJECTS, len(doomed))):
            definition = doomed[-1]
            if kernel.catalog.find(CHLAUTH, definition.name) is definition:
                if not kernel.can_log_object(link, self.verb, self.command.name):
                    return False
                link.depends_on(kernel.coordinator.undefine(kernel.catalog, definition, None))
                report_deleted(kernel, link, definition)
            doomed.pop()
        if doomed:
            link.again = True
            return False
        return self.succeed()


@final
class DisplayChannelRules(Execution):
    """DISPLAY CHLAUTH, a bounded number of rules a step."""

    def __init__(self, command: Command, row: CommandRow) -> None:
        super().__init__(command, row)
        self._rules: list[Definition] | None = None
        self._next = 0

    def step(self, kernel: Kernel, link: Link) -> bool:
        command = self.command
        found = self._rules
        if found is None:
            rules = rules_of(kernel.catalog.table_of(CHLAUTH).values())
            match = command.given.get("MATCH", "GENERIC")
            found = []
            if match == "RUNCHECK":
                self._run_check(kernel, rules)
            else:
                chosen_rules = chosen(rules, command.name, _MATCHES[match])
                found = [rule.definition for rule in chosen_rules]
            self._rules = found
        last = min(self._next + STEP_OBJECTS, len(found))
        for definition in found[self._next : last]:
            is_there = kernel.catalog.find(CHLAUTH, definition.name) is definition
            if is_there and self._fits(definition):
                self._show(definition)
        self._next = last
        if last < len(found):
            link.again = True
            return False
        if self.answers:
            return True
        message, reason = NOT_FOUND["CHLAUTH"]
        return self.refuse(message, reason=reason)

    def _fits(self, definition: Definition) -> bool:
        command = self.command
        if command.given.get("TYPE", "ALL") not in ("ALL", rule_type(definition)):
            return False
        for keyword in IDENTIFY:
            wanted = command.given.get(keyword)
            if wanted is not None and wanted != definition.text(_ROWS[keyword].name):
                return False
        return True

    def _run_check(self, kernel: Kernel, rules: list[Rule]) -> None:
        """The one rule that would decide about a partner: that which blocks it, else its map."""
        command = self.command
        given = command.given
        address = given.get("ADDRESS", "")
        user = given.get("CLNTUSER", "")
        qmgr_name = given.get("QMNAME", "")
        if "*" in command.name or address_fault(address) or "*" in address or (user and qmgr_name):
            raise mq_error(
                MQRCCF_CHLAUTH_RUNCHECK_ERROR,
                object=command.name,
                detail="MATCH(RUNCHECK) takes the name of one channel, one ADDRESS, and CLNTUSER "
                "or QMNAME",
            )
        channel = kernel.catalog.find(SVRCONN, command.name)
        mca_user = "" if channel is None else str(channel.attributes.get("mca_user", ""))
        partner = Partner(
            command.name,
            address,
            client_user=user,
            qmgr_name=qmgr_name,
            ssl_peer=given.get("SSLPEER", ""),
            ssl_issuer=given.get("SSLCERTI", ""),
            channel_user=mca_user,
            is_qmgr=channel is not None and channel.object_type & _OF_CLIENTS == 0,
        )
        verdict = judge(rules, partner, kernel.authority.is_administrator)
        rule = verdict.blocked_by or verdict.map
        if rule is not None:
            self._show(rule.definition)

    def _show(self, definition: Definition) -> None:
        command = self.command
        values = _shown_values(definition)
        where = command.where
        if where is not None:
            if where.keyword not in values or not fits(where, values[where.keyword]):
                return
        # A list of rules shows of each what identifies it; one by its name shows all.
        everything = "ALL" in command.wanted or not (command.wanted or "*" in command.name)
        answer = Answer(self.row.message, object_type=CHLAUTH)
        for one in status_attributes("CHLAUTH", ""):
            if one.keyword not in values:
                continue
            asked = one.keyword in command.wanted
            unasked = one.unasked and not command.wanted
            if everything or one.always or asked or unasked:
                answer.add(one.keyword, values[one.keyword])
        self.answers.append(answer)


def _shown_values(definition: Definition) -> dict[str, Value]:
    """What a rule of its type has."""
    kind = rule_type(definition)
    needed, allowed = _PARAMETERS[kind]
    values: dict[str, Value] = {}
    for keyword in ("CHLAUTH", "TYPE", needed, *allowed):
        column = Column(_ROWS[keyword])
        values[keyword] = column.item(definition.attributes[column.name]).value
    if kind not in _LISTS:
        if values["USERSRC"] != "MAP":
            del values["MCAUSER"]
        if values["USERSRC"] == "NOACCESS":
            del values["CHCKCLNT"]
        else:
            del values["WARN"]
    values["ALTDATE"] = date_of(definition.altered_ns)
    values["ALTTIME"] = time_of(definition.altered_ns)
    return values
