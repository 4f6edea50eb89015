"""Goal: SSLRKEYC: a TLS channel has a new key after so many bytes, and loses or doubles nothing.
Method: two queue managers in one loop with TLS between them; connections and status are counted.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.unit.network.certificates import Certificates
from tests.unit.network.channels.two_managers import Node, two_managers, until

CHANNEL = "QMA.QMB"
CIPHER = "ANY_TLS13_OR_HIGHER"


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Certificates().write_folder(tmp_path_factory.mktemp("keys") / "keys")


def secured(one: Node, other: Node, keys: Path) -> None:
    for node in (one, other):
        node.run(f"ALTER QMGR SSLKEYR('{keys}') CERTLABL('Second')")
    one.pair(other, f"SSLCIPH({CIPHER}) BATCHSZ(5)")
    other.run(f"ALTER CHANNEL({CHANNEL}) CHLTYPE(RCVR) SSLCIPH({CIPHER})")


def shown(node: Node) -> dict[str, object]:
    return dict(node.manager.mqsc(f"DISPLAY CHSTATUS({CHANNEL}) ALL")[0].attributes())


def test_channel_when_it_has_sent_enough_then_a_new_key_and_every_message_once(keys: Path) -> None:
    messages = [b"%4d" % number + bytes(3000) for number in range(100)]

    async def run() -> None:
        async with two_managers() as (one, other):
            secured(one, other, keys)
            one.run("ALTER QMGR SSLRKEYC(50000)")
            one.put("R", *messages)
            one.start(CHANNEL)
            await until(lambda: other.depth("T") == len(messages), "delivery")
            await until(lambda: one.depth("QMB") == 0, "the last confirm")
            await until(lambda: shown(one).get("BATCHES") == 20, "the last batch")
            await until(lambda: one.status(CHANNEL) == "RUNNING", "its last connection")
            assert other.get_all("T") == messages
            status = shown(one)
            # 100 messages of 3.5 KB are seven times 50,000 bytes.
            assert 5 <= int(str(status["SSLRKEYS"])) <= 8
            assert status["SSLKEYDA"] != ""
            assert status["SSLKEYTI"] != ""
            assert int(str(status["MSGS"])) == 100
            assert int(str(status["BYTSSENT"])) > 300_000
            # One start for the channel, whatever its connections.
            assert one.ids.count("AMQ9002I") == 1
            assert "AMQ9999E" not in one.ids
            statuses = [word for name, word in one.seen.statuses if name == CHANNEL]
            assert "BINDING" not in statuses[statuses.index("RUNNING") :]

    asyncio.run(run())


@pytest.mark.parametrize("count", [0, 999_999_999])
def test_channel_when_the_count_is_not_reached_then_one_connection(keys: Path, count: int) -> None:
    async def run() -> None:
        async with two_managers() as (one, other):
            secured(one, other, keys)
            one.run(f"ALTER QMGR SSLRKEYC({count})")
            one.put("R", *[bytes(3000)] * 40)
            one.start(CHANNEL)
            await until(lambda: other.depth("T") == 40, "delivery")
            status = shown(one)
            assert (status["SSLRKEYS"], status["SSLKEYDA"]) == (0, "")

    asyncio.run(run())


def test_channel_when_it_is_not_tls_then_the_count_is_nothing_to_it() -> None:
    async def run() -> None:
        async with two_managers() as (one, other):
            one.pair(other, "BATCHSZ(5)")
            one.run("ALTER QMGR SSLRKEYC(1)")
            one.put("R", *[bytes(3000)] * 40)
            one.start(CHANNEL)
            await until(lambda: other.depth("T") == 40, "delivery")
            assert shown(one)["SSLRKEYS"] == 0

    asyncio.run(run())
