"""Goal: the rule that counts for a partner is the one that MQ would take, and it does what it says.

Method: the default rules and those of a developer's queue manager, and tables of partners.
"""

import pytest

from ternmq.admin.commands.channel_rules import rule_key
from ternmq.base import constants as mq
from ternmq.base.attributes import defaults_of
from ternmq.base.object_types import CHLAUTH
from ternmq.security.chlauth import (
    TYPES,
    Partner,
    Rule,
    chosen,
    judge,
    mapping,
    rules_of,
)
from ternmq.store.catalog import Definition

pytestmark = pytest.mark.core
_NUMBERS = {word: number for number, word in TYPES.items()}
_SOURCES = {"MAP": mq.MQUSRC_MAP, "NOACCESS": mq.MQUSRC_NOACCESS, "CHANNEL": mq.MQUSRC_CHANNEL}


def rule(profile: str, kind: str, source: str = "CHANNEL", **more: str | int) -> Definition:
    attributes = defaults_of(CHLAUTH)
    attributes.update(
        {"profile": profile, "rule_type": _NUMBERS[kind], "user_source": _SOURCES[source], **more}
    )
    return Definition(CHLAUTH, rule_key(attributes), 1, attributes, 1)


DEVELOPER = [
    rule("SYSTEM.*", "ADDRESSMAP", "NOACCESS", address="*"),
    rule("*", "BLOCKUSER", user_list="*MQADMIN"),
    rule("*", "ADDRESSMAP", "NOACCESS", address="*"),
    rule("DEV.APP.SVRCONN", "ADDRESSMAP", address="*", check_clients=mq.MQCHK_REQUIRED),
    rule("DEV.ADMIN.SVRCONN", "BLOCKUSER", user_list="nobody"),
    rule("DEV.ADMIN.SVRCONN", "USERMAP", "MAP", client_user="admin", mca_user="mqm"),
]


def is_admin(user: str) -> bool:
    return user in ("mqm", "root")


@pytest.mark.parametrize(
    ("channel", "user", "mca_user", "allowed", "runs_as"),
    [
        ("DEV.APP.SVRCONN", "fred", "app", True, "app"),
        ("DEV.APP.SVRCONN", "fred", "", True, "fred"),
        ("DEV.APP.SVRCONN", "root", "", False, "root"),
        ("DEV.ADMIN.SVRCONN", "admin", "", True, "mqm"),
        ("DEV.ADMIN.SVRCONN", "fred", "", False, "fred"),
        ("SYSTEM.DEF.SVRCONN", "fred", "", False, "fred"),
        ("OTHER.SVRCONN", "fred", "app", False, "app"),
    ],
)
def test_the_rules_of_a_developer(
    channel: str, user: str, mca_user: str, allowed: bool, runs_as: str
) -> None:
    partner = Partner(channel, "192.0.2.7", client_user=user, channel_user=mca_user)
    verdict = judge(rules_of(DEVELOPER), partner, is_admin)
    assert (verdict.allowed, verdict.user) == (allowed, runs_as)
    assert (verdict.blocked_by is None) == allowed


def test_the_rule_says_whether_a_password_is_needed() -> None:
    rules = rules_of(DEVELOPER)
    partner = Partner("DEV.APP.SVRCONN", "192.0.2.7", client_user="fred")
    assert judge(rules, partner, is_admin).check_clients == mq.MQCHK_REQUIRED
    partner = Partner("DEV.ADMIN.SVRCONN", "192.0.2.7", client_user="admin")
    assert judge(rules, partner, is_admin).check_clients == mq.MQCHK_AS_Q_MGR


# Each line: rules, best first, that all match one partner.
ORDER = [
    ("C1", "ADDRESSMAP", {"address": "*"}),
    ("C*", "SSLPEERMAP", {"ssl_peer": "CN=app,O=Tern"}),
    ("C*", "SSLPEERMAP", {"ssl_peer": "CN=app", "ssl_issuer": "CN=ca"}),
    ("C*", "SSLPEERMAP", {"ssl_peer": "CN=app"}),
    ("C*", "SSLPEERMAP", {"ssl_peer": "CN=a*"}),
    ("C*", "USERMAP", {"client_user": "fred", "address": "192.0.2.7"}),
    ("C*", "USERMAP", {"client_user": "fred"}),
    ("C*", "ADDRESSMAP", {"address": "192.0.2.7"}),
    ("C*", "ADDRESSMAP", {"address": "192.0.2.1-9"}),
    ("C*", "ADDRESSMAP", {"address": "192.0.2.*"}),
    ("C*", "ADDRESSMAP", {"address": "*.example.com"}),
    ("C*", "ADDRESSMAP", {"address": "*"}),
    ("*", "SSLPEERMAP", {"ssl_peer": "CN=app,O=Tern"}),
    ("*", "ADDRESSMAP", {"address": "*"}),
]


@pytest.mark.parametrize("best", range(len(ORDER)))
def test_the_most_specific_rule_counts(best: int) -> None:
    definitions = [
        rule(profile, kind, "MAP", mca_user=str(number), **given)
        for number, (profile, kind, given) in enumerate(ORDER)
        if number >= best
    ]
    partner = Partner(
        "C1",
        "192.0.2.7",
        host="h.example.com",
        client_user="fred",
        ssl_peer="CN=app,O=Tern",
        ssl_issuer="CN=ca",
    )
    for order in (definitions, definitions[::-1]):
        found = mapping(rules_of(order), partner)
        assert found is not None
        assert found.mca_user == str(best)


def test_a_queue_manager_is_known_by_its_name() -> None:
    rules = rules_of(
        [
            rule("TO.*", "QMGRMAP", "MAP", qmgr_name="QM2*", mca_user="general"),
            rule("TO.*", "QMGRMAP", "MAP", qmgr_name="QM2", mca_user="exact"),
            rule("TO.*", "USERMAP", "MAP", client_user="QM2", mca_user="user"),
        ]
    )
    for name, user in (("QM2", "exact"), ("QM2B", "general")):
        found = mapping(rules, Partner("TO.ME", "192.0.2.7", qmgr_name=name))
        assert found is not None
        assert found.mca_user == user
    assert mapping(rules, Partner("TO.ME", "192.0.2.7", qmgr_name="QM3")) is None
    assert mapping(rules, Partner("TO.ME", "192.0.2.7")) is None


def test_a_blocked_address_goes_no_further() -> None:
    rules = rules_of(
        [
            rule("*", "BLOCKADDR", address_list="192.0.2.*,198.51.100.1"),
            rule("C", "ADDRESSMAP", "MAP", address="192.0.2.7", mca_user="app"),
        ]
    )
    verdict = judge(rules, Partner("C", "192.0.2.7"), is_admin)
    assert not verdict.allowed
    assert verdict.map is None
    assert verdict.blocked_by is not None
    assert TYPES[verdict.blocked_by.rule_type] == "BLOCKADDR"
    assert judge(rules, Partner("C", "192.0.3.7"), is_admin).allowed


def test_a_rule_that_warns_blocks_nobody() -> None:
    rules = rules_of(
        [
            rule("*", "BLOCKADDR", address_list="*", warn=1),
            rule("*", "ADDRESSMAP", "NOACCESS", address="*", warn=1),
            rule("*", "BLOCKUSER", user_list="fred", warn=1),
        ]
    )
    verdict = judge(rules, Partner("C", "192.0.2.7", client_user="fred"), is_admin)
    assert verdict.allowed
    assert [TYPES[one.rule_type] for one in verdict.warnings] == [
        "BLOCKADDR", "ADDRESSMAP", "BLOCKUSER",
    ]  # fmt: skip


def test_only_the_most_specific_list_of_users_counts() -> None:
    rules = rules_of(
        [rule("*", "BLOCKUSER", user_list="*MQADMIN,fred"), rule("C", "BLOCKUSER", user_list="ann")]
    )
    for channel, user, allowed in (
        ("C", "fred", True), ("C", "ann", False), ("C", "mqm", True),
        ("D", "fred", False), ("D", "ann", True), ("D", "mqm", False),
    ):  # fmt: skip
        partner = Partner(channel, "192.0.2.7", client_user=user)
        assert judge(rules, partner, is_admin).allowed == allowed, (channel, user)


def test_what_display_shows() -> None:
    rules: list[Rule] = rules_of(DEVELOPER)
    shown = [(one.profile, TYPES[one.rule_type]) for one in rules]
    assert shown == [
        ("DEV.ADMIN.SVRCONN", "BLOCKUSER"),
        ("DEV.ADMIN.SVRCONN", "USERMAP"),
        ("DEV.APP.SVRCONN", "ADDRESSMAP"),
        ("SYSTEM.*", "ADDRESSMAP"),
        ("*", "ADDRESSMAP"),
        ("*", "BLOCKUSER"),
    ]

    def profiles(name: str, match: int) -> set[str]:
        return {one.profile for one in chosen(rules, name, match)}

    assert profiles("*", mq.MQMATCH_ALL) == {one.profile for one in rules}
    assert profiles("*", mq.MQMATCH_EXACT) == {"*"}
    assert profiles("SYSTEM.DEF.SVRCONN", mq.MQMATCH_GENERIC) == set()
    assert profiles("*.SVRCONN", mq.MQMATCH_GENERIC) == {"DEV.ADMIN.SVRCONN", "DEV.APP.SVRCONN"}
    assert profiles("SYSTEM.DEF.SVRCONN", mq.MQMATCH_ALL) == {"SYSTEM.*", "*"}
    assert profiles("SYSTEM.DEF.SVRCONN", mq.MQMATCH_EXACT) == set()
    assert profiles("DEV.A*.SVRCONN", mq.MQMATCH_ALL) == {
        "DEV.ADMIN.SVRCONN", "DEV.APP.SVRCONN", "*",
    }  # fmt: skip
