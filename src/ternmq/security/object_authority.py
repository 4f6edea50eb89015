"""The object authority manager: what a user may do to an object.

A user has what the most specific of its own records gives, and what the most specific record of
each of its groups gives, all together. Everybody is in the group `nobody`. Administrators (the
group mqm, the user of that name, and the owner of the process) may do everything and need no
records. A user without a record that matches may do nothing.

While it is not enabled everybody is an administrator: in the process of an application, whose
files are its own, a user is a mere name unless that application asks for checks.
"""

from __future__ import annotations

from typing import Final, final

from ternmq.base.user_names import user_name_fault
from ternmq.ports.users import GroupTable, Users
from ternmq.security.authorities import (
    CLASS_PROFILE,
    CRT,
    KIND_BY_MQOT,
    KIND_BY_WORD,
    Kind,
    applicable,
)
from ternmq.security.records import Records

ADMINISTRATORS: Final = "mqm"
EVERYBODY: Final = "nobody"
ANSWERS_MAX: Final = 10_000  # remembered; more are forgotten all at once
_QUEUE_MANAGER: Final = KIND_BY_WORD["qmgr"]

# SecurityPolicy (crtmqm -oa): who gets the authority for what a user makes.
BY_USER: Final = "user"
BY_GROUP: Final = "group"
EXTERNAL: Final = "userexternal"  # by user, and users need not be known to the machine


@final
class ObjectAuthority:
    """Who may do what, from records, groups and the list of administrators."""

    def __init__(self) -> None:
        self.enabled = False
        self.owner = ""  # of the process
        self.policy = BY_USER
        self.external = True  # authority may be given to unknown names
        self.records = Records()
        self.users: Users = GroupTable({})
        self._groups: dict[str, tuple[str, ...]] = {}
        self._answers: dict[tuple[str, int, str], int] = {}
        self._answered_at = 0
        self._refreshed = 0
        self._numbers: dict[str, int] = {}  # of users that the system knows
        self._creators: dict[str, str] = {}  # of temporary queues, which leave no record

    def enable(self, users: Users, owner: str, policy: str = BY_USER) -> None:
        """Check from now on."""
        self.users = users
        self.owner = owner
        self.policy = policy
        self.enabled = True
        self.refresh()

    def set_policy(self, word: str) -> None:
        """SecurityPolicy, as qm.ini has it; Default and nothing mean by user."""
        self.policy = BY_GROUP if word.lower() == BY_GROUP else BY_USER
        self.external = word.lower() == EXTERNAL
        self.refresh()

    @property
    def version(self) -> int:
        """Another number after every change of records and every refresh."""
        return self._refreshed + self.records.changes

    def refresh(self) -> None:
        """REFRESH SECURITY: users and groups are looked up again."""
        self._refreshed += 1
        self._groups = {}
        self._numbers = {}
        self._answers = {}

    # ---- who

    def groups(self, user: str) -> tuple[str, ...]:
        """The groups of a user, as they were at the first question since the last refresh."""
        groups = self._groups.get(user)
        if groups is None:
            if len(self._groups) >= ANSWERS_MAX:
                self._groups = {}
            # A user cannot have an invalid name, so the system need not be asked about one.
            groups = () if user_name_fault(user) else self.users.groups(user)
            self._groups[user] = groups
        return groups

    def learn(self, user: str) -> None:
        """Ask for a user's groups now, so that the next question is answered from memory."""
        if self.enabled and not user_name_fault(user):
            self.groups(user)
            if user not in self._numbers:
                self.know_number(user, self.users.number(user))

    def know_number(self, user: str, number: int) -> None:
        """The system's number of a user."""
        if len(self._numbers) >= ANSWERS_MAX:
            self._numbers = {}
        self._numbers[user] = number

    def number(self, user: str) -> int:
        """The system's number of a user, as far as it was learnt; -1 if it was not."""
        return self._numbers.get(user, -1)

    def is_known(self, entity: str, is_group: bool) -> bool:
        """Whether authority may be given to this user or group."""
        if not self.enabled or self.external:
            return True
        if is_group:
            return entity in (EVERYBODY, ADMINISTRATORS) or self.users.has_group(entity)
        return entity in (self.owner, ADMINISTRATORS) or self.users.has_user(entity)

    def is_administrator(self, user: str) -> bool:
        """Whether the user may do everything."""
        return not self.enabled or self.is_named_administrator(user)

    def is_named_administrator(self, user: str) -> bool:
        """The same whether checks are on or not."""
        return user in (self.owner, ADMINISTRATORS) or ADMINISTRATORS in self.groups(user)

    def beneficiary(self, user: str) -> tuple[str, bool]:
        """To whom authority goes that is meant for a user, and whether that is a group."""
        if self.policy == BY_GROUP:
            groups = self.groups(user)
            if groups:
                return groups[0], True
        return user, False

    # ---- what

    def granted(self, user: str, mqot: int, name: str) -> int:
        """Every authority that the user has for an object; for a class, its name is @class."""
        kind = KIND_BY_MQOT[mqot]
        if self.is_administrator(user):
            return applicable(kind)
        if self._answered_at != self.records.changes or len(self._answers) >= ANSWERS_MAX:
            self._answers = {}
            self._answered_at = self.records.changes
        key = (user, mqot, name)
        bits = self._answers.get(key)
        if bits is None:
            bits = self._from_records(user, kind, name)
            self._answers[key] = bits
        if self._creators and self._creators.get(name) == user and kind.word == "queue":
            bits |= applicable(kind)
        return bits

    def _from_records(self, user: str, kind: Kind, name: str) -> int:
        bits = self.granted_to(user, False, kind, name)
        for group in self.groups(user):
            bits |= self.granted_to(group, True, kind, name)
        return bits | self.granted_to(EVERYBODY, True, kind, name)

    def granted_to(self, entity: str, is_group: bool, kind: Kind, name: str) -> int:
        """What the records of a user or group alone give for an object, with its class."""
        records = self.records
        record = records.effective(kind, name, entity, is_group)
        bits = 0 if record is None else record.bits & ~CRT
        for owner in (kind, _QUEUE_MANAGER):  # crt on the queue manager is for every kind
            of_class = records.effective(owner, CLASS_PROFILE, entity, is_group)
            if of_class is not None:
                bits |= of_class.bits & CRT
        return bits & applicable(kind)

    def recorded(self, user: str, kind: Kind, name: str) -> int:
        """What the user would have if it were asked, whether checks are on or not."""
        if self.is_named_administrator(user):
            return applicable(kind)
        return self._from_records(user, kind, name)

    def granted_to_group(self, group: str, kind: Kind, name: str) -> int:
        """What each member of the group has by that alone."""
        if group == ADMINISTRATORS:
            return applicable(kind)
        return self.granted_to(group, True, kind, name)

    # ---- temporary queues

    def created_temporary(self, user: str, name: str) -> None:
        """Who opened a model queue may do everything with what came of it."""
        if not self.is_administrator(user):
            self._creators[name] = user

    def deleted_temporary(self, name: str) -> None:
        """It is gone, and the authority with it."""
        self._creators.pop(name, None)
