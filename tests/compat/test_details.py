"""Goal: small things that programs for pymqi and ibmmq meet: empty byte strings, texts of errors,
handles that go with their users, a silent end of the process.

Method: each once, in the way in which a program does it.
"""

from __future__ import annotations

import asyncio
import gc
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from ternmq.compat import ibmmq, properties, pymqi
from ternmq.compat.pymqi import CMQC, CMQCFC
from ternmq.server.command_server import start_command_server
from tests.unit.api.networked import CHANNEL, Networked
from tests.unit.api.served import Served

pytestmark = pytest.mark.core

LIBRARIES = [pymqi, ibmmq]
QUEUE = "DEV.QUEUE.1"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Networked]:
    one = Networked(tmp_path_factory.mktemp("data"))
    with one:
        asyncio.run(start_command_server(one.started))
        with Served.connect(one) as connection:
            connection.define_queue(QUEUE)
        yield one


@pytest.fixture
def way(served: Networked, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("TERNMQ_DATA", str(served.data))
    return served.conn


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("value", ["", b""])
def test_byte_string_when_empty_then_all_connections_are_reported(
    way: str, library: Any, value: Any
) -> None:
    qmgr = library.connect("QM1")
    pcf = library.PCFExecute(qmgr)
    asked = {CMQCFC.MQBACF_GENERIC_CONNECTION_ID: library.ByteString(value)}
    assert len(pcf.MQCMD_INQUIRE_CONNECTION(asked)) >= 1
    pcf.disconnect()
    qmgr.disconnect()


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("repository", [b"/not/there/key", None])
def test_key_repository_when_missing_then_that_is_the_reason(
    way: str, library: Any, repository: bytes | None
) -> None:
    cd = library.CD(
        ChannelName=CHANNEL.encode(),
        ConnectionName=way.encode(),
        ChannelType=CMQC.MQCHT_CLNTCONN,
        TransportType=CMQC.MQXPT_TCP,
        SSLCipherSpec=b"TLS_AES_128_GCM_SHA256",
    )
    sco = library.SCO(KeyRepository=repository) if repository else library.SCO()
    with pytest.raises(library.MQMIError) as refused:
        library.QueueManager(None).connect_with_options("QM1", cd=cd, sco=sco)
    assert refused.value.reason == CMQC.MQRC_KEY_REPOSITORY_ERROR


@pytest.mark.parametrize(
    ("one", "name"),
    [
        (pymqi.CMQC, "MQ_NOPE"),
        (pymqi.CMQCFC, "MQ_NOPE"),
        (pymqi.CMQXC, "MQ_NOPE"),
        (pymqi.CMQZC, "MQ_NOPE"),
        (ibmmq.CMQC, "MQ_NOPE"),
        (ibmmq.CMQSTRC, "NOPE_DICT"),
        (pymqi.MD(), "Nope"),
        (pymqi.Filter(CMQC.MQIA_Q_TYPE), "__nope__"),
    ],
)
def test_attribute_when_it_is_not_there_then_the_text_is_as_pythons(one: Any, name: str) -> None:
    with pytest.raises(AttributeError, match=f"has no attribute '{name}'"):
        getattr(one, name)


def test_command_when_there_is_none_of_the_name_then_that_is_reported(way: str) -> None:
    qmgr = pymqi.connect("QM1")
    pcf = pymqi.PCFExecute(qmgr)
    with pytest.raises(KeyError, match="MQCMD_NOPE is not a PCF command"):
        pcf.MQCMD_NOPE()
    pcf.disconnect()
    qmgr.disconnect()


# ---- message handles


def options_with_a_property() -> Any:
    """Only the number of the handle leaves this."""
    handle = pymqi.MessageHandle()
    handle.properties.set(b"a", "1")
    return pymqi.PMO(Version=CMQC.MQPMO_VERSION_3, OriginalMsgHandle=handle.msg_handle)


@pytest.mark.parametrize("library", LIBRARIES)
def test_handles_when_nobody_has_them_then_they_are_freed(library: Any) -> None:
    gc.collect()
    before = len(properties._held)
    for _ in range(100):
        library.MessageHandle().properties.set(b"a", "1")
    gc.collect()
    assert len(properties._held) == before


def test_handle_when_only_its_number_is_kept_then_it_lives(way: str) -> None:
    pmo = options_with_a_property()
    gc.collect()
    qmgr = pymqi.connect("QM1")
    queue = pymqi.Queue(qmgr, QUEUE, CMQC.MQOO_INPUT_SHARED | CMQC.MQOO_OUTPUT)
    queue.put(b"payload", pymqi.MD(), pmo)
    md = pymqi.MD()
    assert queue.get(None, md).endswith(b"payload")
    assert md.Format == CMQC.MQFMT_RF_HEADER_2
    queue.close()
    qmgr.disconnect()


def test_handle_when_duplicated_or_deleted_then_as_its_number_says() -> None:
    first = ibmmq.MessageHandle()
    first.properties.set("a", "1")
    twin = ibmmq.MessageHandle(dup_handle=first.msg_handle)
    assert twin.properties.get("a") == "1"
    first.dlt()
    with pytest.raises(ibmmq.MQMIError) as gone:
        twin.properties.get("a")
    assert gone.value.reason == CMQC.MQRC_HMSG_ERROR


# ---- the end of the process

PROGRAM = """
from ternmq.compat import LIBRARY
qmgr = LIBRARY.connect("QM1")
queue = LIBRARY.Queue(qmgr, "DEV.QUEUE.1", LIBRARY.CMQC.MQOO_OUTPUT)
queue.set_handle(99)  # a close would be refused, as after a connection that broke
print("done")
"""


@pytest.mark.parametrize("library", ["pymqi", "ibmmq"])
def test_end_when_a_close_would_be_refused_then_nothing_is_printed(way: str, library: str) -> None:
    output = subprocess.run(
        [sys.executable, "-c", PROGRAM.replace("LIBRARY", library)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert (output.stdout, output.stderr) == ("done\n", "")
