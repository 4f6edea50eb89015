"""Who may come in by the network, and as whom: channels, CHLAUTH, CONNAUTH, MCAUSER, limits.

Method: real sockets on loopback and the real listener; each case is one connection that asks in one
line (`edge`). The rules are those that people write, by MQSC.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from ternmq.base import constants as mq
from ternmq.base import reasons as rc
from ternmq.codec.pcf.structures import unpack_pcf
from ternmq.server import host as modes
from ternmq.server.settings.network_settings import NetworkSettings
from ternmq.wire.fap import vocabulary as fap
from tests.unit.network.edge_setup import Edge, on_edge

OPEN = (
    "ALTER QMGR CHLAUTH(DISABLED) CONNAUTH(' ')",
    "REFRESH SECURITY TYPE(CONNAUTH)",
    "DEFINE CHANNEL(APP) CHLTYPE(SVRCONN)",
)
NO_BACKSTOP = (
    "SET CHLAUTH('SYSTEM.*') TYPE(ADDRESSMAP) ADDRESS('*') USERSRC(NOACCESS) ACTION(REMOVE)",
    "SET CHLAUTH('*') TYPE(BLOCKUSER) USERLIST('*MQADMIN') ACTION(REMOVE)",
    "ALTER QMGR CONNAUTH(' ')",
    "REFRESH SECURITY TYPE(CONNAUTH)",
    "DEFINE CHANNEL(APP) CHLTYPE(SVRCONN)",
)


# ---- channels


@pytest.mark.parametrize(
    ("commands", "asked", "answer", "reported"),
    [
        ((), "APP alice", "OK alice", None),
        ((), "NOT.THERE alice", f"REFUSED {fap.NO_CHANNEL}", "AMQ9519E"),
        (
            ("DEFINE CHANNEL(RCV) CHLTYPE(RCVR)",),
            "RCV alice",
            f"REFUSED {fap.CHANNEL_WRONG_TYPE}",
            "AMQ9502E",
        ),
        (
            ("DEFINE CHANNEL(CLI) CHLTYPE(CLNTCONN) CONNAME(x)",),
            "CLI alice",
            f"REFUSED {fap.NO_CHANNEL}",
            "AMQ9519E",
        ),
        (("ALTER CHANNEL(APP) CHLTYPE(SVRCONN) MCAUSER('bob')",), "APP alice", "OK bob", None),
        ((), "APP -", f"REASON {2035}", None),
        (
            ("ALTER CHANNEL(APP) CHLTYPE(SVRCONN) MAXINST(0)",),
            "APP alice",
            f"REFUSED {fap.CHANNEL_UNAVAILABLE}",
            "AMQ9489E",
        ),
        (
            ("ALTER CHANNEL(APP) CHLTYPE(SVRCONN) MAXINSTC(0)",),
            "APP alice",
            f"REFUSED {fap.CHANNEL_UNAVAILABLE}",
            "AMQ9490E",
        ),
    ],
)
def test_a_channel_is_found_or_refused_as_it_is_defined(
    commands: tuple[str, ...], asked: str, answer: str, reported: str | None
) -> None:
    async def play(edge: Edge) -> None:
        edge.run(*OPEN, *commands)
        assert await edge.ask(asked) == answer
        if reported is not None:
            assert edge.ids == [reported, "AMQ9999E"]
        else:
            assert edge.ids == []

    on_edge(play)


def test_an_instance_more_than_maxinst_is_refused_until_one_has_left() -> None:
    async def play(edge: Edge) -> None:
        edge.run(*OPEN, "ALTER CHANNEL(APP) CHLTYPE(SVRCONN) MAXINST(1)")
        reader, writer = await edge.connect()
        writer.write(b"TSH APP alice\n")
        assert await reader.readline() == b"OK alice\n"
        assert await edge.ask("APP bob") == f"REFUSED {fap.CHANNEL_UNAVAILABLE}"
        writer.transport.abort()
        await edge.until(lambda: not edge.network.channels.instances)
        assert await edge.ask("APP bob") == "OK bob"

    on_edge(play)


def test_more_channels_than_max_channels_are_refused_as_too_many() -> None:
    async def play(edge: Edge) -> None:
        edge.run(*OPEN)
        reader, writer = await edge.connect()
        writer.write(b"TSH APP alice\n")
        assert await reader.readline() == b"OK alice\n"
        assert await edge.ask("APP bob") == f"REFUSED {fap.MAX_CONNS_LIMIT_REACHED}"
        assert edge.ids == ["AMQ9513E", "AMQ9999E"]
        writer.transport.abort()

    on_edge(play, settings=NetworkSettings(channels_max=1))


def test_nobody_comes_in_while_the_queue_manager_ends() -> None:
    async def play(edge: Edge) -> None:
        edge.run(*OPEN)
        edge.host.state = modes.QUIESCING
        assert await edge.ask("APP alice") == f"REFUSED {fap.QM_TERMINATING}"

    on_edge(play)


# ---- CHLAUTH


MAP = "USERSRC(MAP) MCAUSER('mapped')"
NOBODY = "USERSRC(NOACCESS)"


@pytest.mark.parametrize(
    ("rules", "asked", "answer", "reported"),
    [
        ((), "APP alice", "OK alice", []),
        (
            (f"SET CHLAUTH(APP) TYPE(ADDRESSMAP) ADDRESS('127.*') {MAP}",),
            "APP alice",
            "OK mapped",
            [],
        ),
        (
            (f"SET CHLAUTH(APP) TYPE(ADDRESSMAP) ADDRESS('127.*') {NOBODY}",),
            "APP alice",
            "REASON 2035",
            ["AMQ9777E"],
        ),
        (
            (f"SET CHLAUTH(APP) TYPE(ADDRESSMAP) ADDRESS('127.*') {NOBODY} WARN(YES)",),
            "APP alice",
            "OK alice",
            ["AMQ9777E"],
        ),
        (
            # the name of the channel counts before the address
            (
                f"SET CHLAUTH('*') TYPE(ADDRESSMAP) ADDRESS('127.0.0.1') {NOBODY}",
                "SET CHLAUTH(APP) TYPE(ADDRESSMAP) ADDRESS('*') USERSRC(CHANNEL)",
            ),
            "APP alice",
            "OK alice",
            [],
        ),
        (
            (
                f"SET CHLAUTH(APP) TYPE(ADDRESSMAP) ADDRESS('*') {NOBODY}",
                f"SET CHLAUTH(APP) TYPE(USERMAP) CLNTUSER('alice') {MAP}",
            ),
            "APP alice",
            "OK mapped",
            [],
        ),
        (
            (
                f"SET CHLAUTH(APP) TYPE(ADDRESSMAP) ADDRESS('*') {NOBODY}",
                f"SET CHLAUTH(APP) TYPE(USERMAP) CLNTUSER('alice') {MAP}",
            ),
            "APP bob",
            "REASON 2035",
            ["AMQ9777E"],
        ),
        (
            (f"SET CHLAUTH(APP) TYPE(QMGRMAP) QMNAME('*') {NOBODY}",),
            "APP alice",
            "OK alice",
            [],
        ),
        (
            (f"SET CHLAUTH(APP) TYPE(SSLPEERMAP) SSLPEER('CN=*') {NOBODY}",),
            "APP alice",
            "OK alice",
            [],
        ),
        (
            ("SET CHLAUTH(APP) TYPE(BLOCKUSER) USERLIST('alice')",),
            "APP alice",
            "REASON 2035",
            ["AMQ9776E"],
        ),
        (
            ("SET CHLAUTH(APP) TYPE(BLOCKUSER) USERLIST('alice') WARN(YES)",),
            "APP alice",
            "OK alice",
            ["AMQ9776E"],
        ),
        (
            ("SET CHLAUTH(APP) TYPE(BLOCKUSER) USERLIST('*MQADMIN')",),
            "APP mqm",
            "REASON 2035",
            ["AMQ9776E"],
        ),
        (
            # whom a rule maps to is who may be blocked
            (
                f"SET CHLAUTH(APP) TYPE(ADDRESSMAP) ADDRESS('*') {MAP}",
                "SET CHLAUTH('*') TYPE(BLOCKUSER) USERLIST('mapped')",
            ),
            "APP alice",
            "REASON 2035",
            ["AMQ9776E"],
        ),
    ],
)
def test_rules_of_channel_authentication_decide_who_comes_in(
    rules: tuple[str, ...], asked: str, answer: str, reported: list[str]
) -> None:
    async def play(edge: Edge) -> None:
        edge.run(*NO_BACKSTOP, *rules)
        assert await edge.ask(asked) == answer
        assert edge.ids == reported
        channel, user = asked.split()
        shown = edge.manager.mqsc(
            f"DISPLAY CHLAUTH({channel}) MATCH(RUNCHECK) CLNTUSER('{user}') ADDRESS('127.0.0.1')"
        )
        if answer.startswith("REASON"):
            # MATCH(RUNCHECK) shows the very rule that refused.
            assert shown[0]["TYPE"] in ("ADDRESSMAP", "BLOCKUSER", "USERMAP")
            blocks = shown[0]["TYPE"] == "BLOCKUSER" or shown[0]["USERSRC"] == "NOACCESS"
            assert blocks
        elif answer == "OK mapped":
            assert shown[0]["MCAUSER"] == "mapped"

    on_edge(play)


def test_rules_that_are_switched_off_refuse_nobody() -> None:
    async def play(edge: Edge) -> None:
        edge.run(*OPEN, f"SET CHLAUTH('*') TYPE(ADDRESSMAP) ADDRESS('*') {NOBODY}")
        edge.run("SET CHLAUTH('*') TYPE(BLOCKADDR) ADDRLIST('127.*')")
        assert await edge.ask("APP alice") == "OK alice"

    on_edge(play)


def test_a_blocked_address_gets_no_answer_at_all() -> None:
    async def play(edge: Edge) -> None:
        edge.run(*NO_BACKSTOP, "SET CHLAUTH('*') TYPE(BLOCKADDR) ADDRLIST('127.*')")
        edge.run("ALTER QMGR CHLEV(EXCEPTION)")
        reader, writer = await edge.connect()
        writer.write(b"TSH APP alice\n")
        await edge.until(lambda: bool(edge.network._held))
        assert edge.ids == ["AMQ9777E"]
        assert not edge.guests
        edge.network._release(next(iter(edge.network._held)))
        assert await has_ended(reader)
        writer.transport.abort()
        (event,) = events_of(edge)
        assert event[0] == rc.MQRC_CHANNEL_BLOCKED
        assert event[1][mq.MQIACF_REASON_QUALIFIER] == mq.MQRQ_CHANNEL_BLOCKED_ADDRESS
        assert mq.MQCACH_CHANNEL_NAME not in event[1]

    on_edge(play)


async def has_ended(reader: asyncio.StreamReader) -> bool:
    try:
        return await reader.read(1) == b""
    except ConnectionError:
        return True


def events_of(edge: Edge) -> list[tuple[int, dict[int, object]]]:
    found = []
    with edge.manager.queue("SYSTEM.ADMIN.CHANNEL.EVENT") as queue:
        while queue.depth:
            message = unpack_pcf(queue.get().data)
            found.append((message.reason, {one.parameter: one.value for one in message.parameters}))
    return found


def test_a_user_that_is_blocked_is_reported_as_an_event() -> None:
    async def play(edge: Edge) -> None:
        edge.run(*NO_BACKSTOP, "SET CHLAUTH(APP) TYPE(BLOCKUSER) USERLIST('alice') WARN(YES)")
        edge.run("ALTER QMGR CHLEV(ENABLED)")
        assert await edge.ask("APP alice") == "OK alice"
        (event,) = events_of(edge)
        assert event[0] == rc.MQRC_CHANNEL_BLOCKED_WARNING
        assert str(event[1][mq.MQCACF_USER_IDENTIFIER]).strip() == "alice"
        assert str(event[1][mq.MQCACH_CONNECTION_NAME]).strip() == "127.0.0.1"

    on_edge(play)


class Names:
    """What stands for the name service."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.asked = 0

    async def look_up(self, place: tuple[str, int], flags: int) -> tuple[str, str]:
        self.asked += 1
        if self.name == "slow":
            await asyncio.Event().wait()
        if not self.name:
            raise OSError("no name")
        return self.name, "0"


@pytest.mark.parametrize(
    ("name", "command", "answer", "reported", "asked"),
    [
        ("app.example.com", "", "OK mapped", [], 1),
        ("APP.EXAMPLE.COM", "", "OK mapped", [], 1),
        ("app.example.org", "", "OK alice", [], 1),
        ("", "", "OK alice", [], 1),
        ("slow", "", "OK alice", ["AMQ9788W"], 1),
        ("app.example.com", "ALTER QMGR REVDNS(DISABLED)", "OK alice", [], 0),
    ],
)
def test_rules_with_host_names_ask_for_the_name_of_the_address(
    name: str,
    command: str,
    answer: str,
    reported: list[str],
    asked: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(
        "ternmq.network.edge.channel_users.LOOKUP_S_MAX", 0.01 if name == "slow" else 60
    )
    names = Names(name)

    async def play(edge: Edge) -> None:
        monkeypatch.setattr(asyncio.get_running_loop(), "getnameinfo", names.look_up)
        edge.run(
            *NO_BACKSTOP,
            f"SET CHLAUTH(APP) TYPE(ADDRESSMAP) ADDRESS('*.example.com') {MAP}",
        )
        if command:
            edge.run(command)
        assert await edge.ask("APP alice") == answer
        assert edge.ids == reported
        assert names.asked == asked

    on_edge(play)


# ---- CONNAUTH


def checked(edge: Edge, check: str, adopt: str = "YES", more: str = "") -> None:
    edge.add_account("alice", "secret")
    edge.run(
        *NO_BACKSTOP,
        f"DEFINE AUTHINFO(CHECK) AUTHTYPE(IDPWOS) CHCKCLNT({check}) ADOPTCTX({adopt}) FAILDLAY(0)",
        "ALTER QMGR CONNAUTH(CHECK)",
        "REFRESH SECURITY TYPE(CONNAUTH)",
    )
    if more:
        edge.run(more)


@pytest.mark.parametrize(
    ("check", "adopt", "more", "asked", "answer", "reported"),
    [
        ("NONE", "YES", "", "APP bob alice wrong", "OK bob", []),
        ("OPTIONAL", "YES", "", "APP bob", "OK bob", []),
        ("OPTIONAL", "YES", "", "APP bob alice secret", "OK alice", []),
        ("OPTIONAL", "NO", "", "APP bob alice secret", "OK bob", []),
        (
            "OPTIONAL",
            "YES",
            "",
            "APP bob alice wrong",
            "REASON 2035",
            ["AMQ5534E", "AMQ5542E", "AMQ9557E"],
        ),
        ("REQUIRED", "YES", "", "APP bob", "REASON 2035", ["AMQ5540E", "AMQ5542E", "AMQ9557E"]),
        ("REQUIRED", "YES", "", "APP bob alice secret", "OK alice", []),
        ("REQDADM", "YES", "", "APP bob", "OK bob", []),
        ("REQDADM", "YES", "", "APP mqm", "REASON 2035", ["AMQ5540E", "AMQ5542E", "AMQ9557E"]),
        (
            # the rule wants more than the queue manager
            "OPTIONAL",
            "YES",
            "SET CHLAUTH(APP) TYPE(ADDRESSMAP) ADDRESS('*') USERSRC(CHANNEL) CHCKCLNT(REQUIRED)",
            "APP bob",
            "REASON 2035",
            ["AMQ5540E", "AMQ5543E", "AMQ9557E"],
        ),
        (
            # the user of the password is whom the rules see
            "OPTIONAL",
            "YES",
            f"SET CHLAUTH(APP) TYPE(USERMAP) CLNTUSER('alice') {MAP}",
            "APP bob alice secret",
            "OK mapped",
            [],
        ),
        (
            "OPTIONAL",
            "YES",
            "ALTER CHANNEL(APP) CHLTYPE(SVRCONN) MCAUSER('carol')",
            "APP bob alice secret",
            "OK alice",
            [],
        ),
        (
            "OPTIONAL",
            "NO",
            "ALTER CHANNEL(APP) CHLTYPE(SVRCONN) MCAUSER('carol')",
            "APP bob alice secret",
            "OK carol",
            [],
        ),
    ],
)
def test_passwords_are_wanted_and_adopted_as_connauth_says(
    check: str, adopt: str, more: str, asked: str, answer: str, reported: list[str]
) -> None:
    async def play(edge: Edge) -> None:
        checked(edge, check, adopt, more)
        assert await edge.ask(asked) == answer
        assert edge.ids == reported

    on_edge(play)


def test_without_early_adoption_the_rules_see_whom_the_client_says_it_is() -> None:
    async def play(edge: Edge) -> None:
        checked(edge, "OPTIONAL", "YES", "SET CHLAUTH(APP) TYPE(BLOCKUSER) USERLIST('alice')")
        assert await edge.ask("APP bob alice secret") == "OK alice"

    on_edge(play, settings=NetworkSettings(adopts_early=False))


def test_while_an_account_has_the_default_password_only_this_machine_may_connect() -> None:
    async def play(edge: Edge) -> None:
        network = edge.network
        assert network._may_come("192.0.2.7")
        edge.add_account("app", "passw0rd", is_default=True)
        assert not network._may_come("192.0.2.7")
        assert network._may_come("127.0.0.1")
        assert network._may_come("::1")

    on_edge(play)


# ---- two addresses


def test_a_listener_without_an_address_takes_ipv4_and_ipv6(tmp_path: Path) -> None:
    async def play(edge: Edge) -> None:
        edge.run(*OPEN)
        listener = edge.network.listen(name="ALL")
        families = [one.family.name for one in listener.sockets]
        if families != ["AF_INET", "AF_INET6"]:
            pytest.skip("no IPv6 here")
        reader, writer = await asyncio.open_connection("::1", listener.port)
        writer.write(b"TSH APP alice\n")
        assert await reader.readline() == b"OK alice\n"
        (instance,) = edge.network.channels.instances.values()
        assert instance.address == "::1"
        writer.transport.abort()

    on_edge(play)
