"""Channel authentication: which rule counts for a partner, and what follows from it.

A partner that wants to start a channel goes through three gates:

    1. BLOCKADDR: its address, before anything else is known of it
    2. the one rule that maps it: of the SSLPEERMAP, USERMAP, QMGRMAP and ADDRESSMAP rules that
       match, the most specific by, in this order: channel name, subject of the certificate, its
       issuer, client user or queue manager, address, host name. NOACCESS ends it; MAP says under
       which user it runs; CHANNEL leaves that to the channel. Without a rule the channel decides.
    3. BLOCKUSER: the user it would run as, in the list of the most specific rule for the channel;
       *MQADMIN is every administrator. This is about clients: a queue manager passes it

A rule with WARN(YES) blocks no connection: what it would have done is reported. Rules are objects
of the catalog (space "chlauth"). Nothing here touches a network.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final, final

from ternmq.base import constants as mq
from ternmq.base.object_types import CHLAUTH
from ternmq.security.patterns import (
    NOTHING,
    address_key,
    address_matches,
    name_key,
    name_matches,
    patterns_meet,
    peer_key,
    peer_matches,
)
from ternmq.store.catalog import Definition

SPACE: Final = "chlauth"
ADMINISTRATORS: Final = "*MQADMIN"
TYPES: Final[dict[int, str]] = {
    mq.MQCAUT_BLOCKUSER: "BLOCKUSER",
    mq.MQCAUT_BLOCKADDR: "BLOCKADDR",
    mq.MQCAUT_SSLPEERMAP: "SSLPEERMAP",
    mq.MQCAUT_ADDRESSMAP: "ADDRESSMAP",
    mq.MQCAUT_USERMAP: "USERMAP",
    mq.MQCAUT_QMGRMAP: "QMGRMAP",
}
MAPS: Final = (
    mq.MQCAUT_SSLPEERMAP,
    mq.MQCAUT_ADDRESSMAP,
    mq.MQCAUT_USERMAP,
    mq.MQCAUT_QMGRMAP,
)


@final
class Rule:
    """One record."""

    __slots__ = (
        "address",
        "check_clients",
        "client_user",
        "definition",
        "lists",
        "mca_user",
        "profile",
        "qmgr_name",
        "rule_type",
        "ssl_issuer",
        "ssl_peer",
        "user_source",
        "warn",
    )

    def __init__(self, definition: Definition) -> None:
        text = definition.text
        self.definition = definition
        self.profile = text("profile")
        self.rule_type = definition.number("rule_type")
        self.address = text("address")
        self.client_user = text("client_user")
        self.qmgr_name = text("qmgr_name")
        self.ssl_peer = text("ssl_peer")
        self.ssl_issuer = text("ssl_issuer")
        listed = "address_list" if self.rule_type == mq.MQCAUT_BLOCKADDR else "user_list"
        self.lists = [one for one in text(listed).split(",") if one]
        self.mca_user = text("mca_user")
        self.user_source = definition.number("user_source")
        self.check_clients = definition.number("check_clients")
        self.warn = definition.number("warn") != 0

    @property
    def is_map(self) -> bool:
        """Whether it maps partners to users, or refuses them."""
        return self.rule_type in MAPS


def rules_of(definitions: Iterable[Definition]) -> list[Rule]:
    """The rules of the catalog, in the order in which DISPLAY shows them."""
    rules = [Rule(one) for one in definitions if one.object_type == CHLAUTH]
    return sorted(rules, key=_shown_order)


def _shown_order(
    rule: Rule,
) -> tuple[tuple[int, ...], str, str, tuple[tuple[int, ...], ...], str]:
    return (
        name_key(rule.profile),
        rule.profile,
        TYPES[rule.rule_type],
        specificity(rule),
        rule.definition.name,
    )


@final
class Partner:
    """Who wants to start a channel, as far as it is known."""

    __slots__ = ("address", "channel", "channel_user", "client_user", "host", "is_qmgr",
                 "qmgr_name", "ssl_issuer", "ssl_peer")  # fmt: skip

    def __init__(
        self,
        channel: str,
        address: str,
        *,
        host: str = "",
        client_user: str = "",
        qmgr_name: str = "",
        ssl_peer: str = "",
        ssl_issuer: str = "",
        channel_user: str = "",
        is_qmgr: bool = False,
    ) -> None:
        self.channel = channel
        self.address = address
        self.host = host
        self.client_user = client_user  # what a client says it is
        self.qmgr_name = qmgr_name  # what a queue manager says it is
        self.ssl_peer = ssl_peer
        self.ssl_issuer = ssl_issuer
        self.channel_user = channel_user  # MCAUSER of the channel; "" lets the client's count
        self.is_qmgr = is_qmgr or qmgr_name != ""


def matches(rule: Rule, partner: Partner) -> bool:
    """Whether a map rule is about this partner."""
    if not name_matches(rule.profile, partner.channel):
        return False
    if not address_matches(rule.address, partner.address, partner.host):
        return False
    if rule.rule_type == mq.MQCAUT_USERMAP:
        return bool(partner.client_user) and rule.client_user == partner.client_user
    if rule.rule_type == mq.MQCAUT_QMGRMAP:
        return bool(partner.qmgr_name) and name_matches(rule.qmgr_name, partner.qmgr_name)
    if rule.rule_type == mq.MQCAUT_SSLPEERMAP:
        return (
            bool(partner.ssl_peer)
            and peer_matches(rule.ssl_peer, partner.ssl_peer)
            and peer_matches(rule.ssl_issuer, partner.ssl_issuer)
        )
    return rule.rule_type == mq.MQCAUT_ADDRESSMAP


def specificity(rule: Rule) -> tuple[tuple[int, ...], ...]:
    """Of two map rules that match, the one with the smaller key counts.

    A rule that does not look at something is less specific in it than one that does.
    """
    identity = rule.client_user or rule.qmgr_name
    return (
        name_key(rule.profile),
        peer_key(rule.ssl_peer),
        peer_key(rule.ssl_issuer),
        name_key(identity) if identity else NOTHING,
        address_key(rule.address),
    )


def mapping(rules: list[Rule], partner: Partner) -> Rule | None:
    """The map rule that counts; None if no rule matches."""
    found = [rule for rule in rules if rule.is_map and matches(rule, partner)]
    return min(found, key=specificity) if found else None


def address_block(rules: list[Rule], address: str, host: str = "") -> Rule | None:
    """The rule that blocks an address before anything else is known, or None."""
    for rule in rules:
        if rule.rule_type == mq.MQCAUT_BLOCKADDR:
            for pattern in rule.lists:
                if address_matches(pattern, address, host):
                    return rule
    return None


def user_block(rules: list[Rule], channel: str, user: str, is_administrator: bool) -> Rule | None:
    """The rule that blocks a user on a channel; None if no rule does."""
    found = [
        rule
        for rule in rules
        if rule.rule_type == mq.MQCAUT_BLOCKUSER and name_matches(rule.profile, channel)
    ]
    if not found:
        return None
    rule = min(found, key=_profile_key)
    for blocked in rule.lists:
        if blocked == user or (is_administrator and blocked.upper() == ADMINISTRATORS):
            return rule
    return None


def _profile_key(rule: Rule) -> tuple[int, ...]:
    return name_key(rule.profile)


@final
class Verdict:
    """What becomes of a partner."""

    __slots__ = ("allowed", "blocked_by", "check_clients", "map", "user", "warnings")

    def __init__(self) -> None:
        self.allowed = True
        self.user = ""  # under which it runs
        self.map: Rule | None = None
        self.blocked_by: Rule | None = None
        self.check_clients = mq.MQCHK_AS_Q_MGR
        self.warnings: list[Rule] = []  # rules that would have blocked

    def block(self, rule: Rule) -> bool:
        """A rule says no; whether that is the end."""
        if rule.warn:
            self.warnings.append(rule)
            return False
        self.allowed = False
        self.blocked_by = rule
        return True


def judge(rules: list[Rule], partner: Partner, is_administrator: Callable[[str], bool]) -> Verdict:
    """All three gates; `is_administrator` is asked about the user it would run as."""
    verdict = Verdict()
    by_address = address_block(rules, partner.address, partner.host)
    if by_address is not None and verdict.block(by_address):
        return verdict
    verdict.user = partner.channel_user or partner.client_user
    rule = mapping(rules, partner)
    verdict.map = rule
    if rule is not None:
        if rule.user_source == mq.MQUSRC_NOACCESS:
            if verdict.block(rule):
                return verdict
        else:
            verdict.check_clients = rule.check_clients
            if rule.user_source == mq.MQUSRC_MAP:
                verdict.user = rule.mca_user
    if partner.is_qmgr:
        return verdict
    by_user = user_block(rules, partner.channel, verdict.user, is_administrator(verdict.user))
    if by_user is not None:
        verdict.block(by_user)
    return verdict


def chosen(rules: list[Rule], name: str, match: int) -> list[Rule]:
    """The rules that DISPLAY CHLAUTH shows for a channel name or pattern, but for RUNCHECK."""
    if match == mq.MQMATCH_EXACT:
        return [rule for rule in rules if rule.profile == name]
    if match == mq.MQMATCH_GENERIC:
        return [rule for rule in rules if name_matches(name, rule.profile)]
    return [rule for rule in rules if patterns_meet(rule.profile, name)]
