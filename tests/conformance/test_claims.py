"""Goal: what the pages say does not exist yet is what the queue manager refuses today.
Method: each row of "Not there yet" in limits-and-differences, and each sentence elsewhere that says
that something has no function, names a probe that asks for it, or the test that shows it. A new
claim without a probe fails, and so does a probe whose answer has changed.
"""

from __future__ import annotations

import asyncio
import re
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import pytest

import ternmq
from ternmq import MQError, QueueManager
from ternmq import constants as mq
from ternmq.base import object_types
from ternmq.base.attributes import row_of
from ternmq.cli.__main__ import main
from ternmq.codec.headers.mqmde import DescriptorExtension
from ternmq.codec.mqi.mqod import ObjectDescriptor
from ternmq.mqi.table import BY_NAME
from ternmq.network.clients.server_dialogue import FAP_LEVEL as SERVER_LEVEL
from ternmq.outlets.measurement import MeasureSettings
from ternmq.remote.fap.ccdt import channels_of
from ternmq.remote.fap.frames import FAP_LEVEL as CLIENT_LEVEL
from ternmq.server.settings.queue_manager_ini import ROWS as INI_ROWS
from ternmq.spark.mq.mq_options import SourceOptions
from ternmq.spark.mq.sink_options import SinkOptions
from ternmq.telemetry.metrics.metric_rows import ROWS as METRIC_ROWS
from tests.mqi import mqi

ROOT: Final = Path(__file__).resolve().parents[2]
LIMITS: Final = "docs/reference/limits-and-differences.md"
SPARK: Final = "tests/unit/spark"

Probe = Callable[[QueueManager], None]


# ---- probes


def commands(script: str, *expected: str) -> Probe:
    """Every command of the script, and the message ids of its answers."""

    def probe(qmgr: QueueManager) -> None:
        assert tuple(answer.message for answer in qmgr.mqsc(script)) == expected

    return probe


def refused(reason: int, ask: Callable[[QueueManager], object]) -> Probe:
    def probe(qmgr: QueueManager) -> None:
        with pytest.raises(MQError) as caught:
            ask(qmgr)
        assert caught.value.reason == reason

    return probe


def later(verb: str, *options: int) -> Probe:
    """Options that the verb table lists as MQ's and not ours; asking for one is refused."""

    def probe(_: QueueManager) -> None:
        row = BY_NAME[verb]
        for option in options:
            assert row.options_later & option == option
            assert not row.options & option

    return probe


def all_of(*probes: Probe) -> Probe:
    def probe(qmgr: QueueManager) -> None:
        for one in probes:
            one(qmgr)

    return probe


def inert(object_type: int, *keywords: str) -> Probe:
    """Attributes that the schema marks as inert: DEFINE and ALTER warn about them (AMQ8082W)."""

    def probe(_: QueueManager) -> None:
        for keyword in keywords:
            row = row_of(object_type, keyword)
            assert row is not None
            assert row.inert, keyword

    return probe


def shown_by(path: str, name: str) -> Probe:
    """A test elsewhere shows it; the file must have it by that name."""

    def probe(_: QueueManager) -> None:
        assert name in (ROOT / path).read_text(encoding="utf-8")

    return probe


def open_with(**fields: object) -> Callable[[QueueManager], object]:
    return lambda qmgr: mqi(qmgr).open(ObjectDescriptor(**fields), mq.MQOO_OUTPUT)  # type: ignore[arg-type]


def stop_connection(qmgr: QueueManager) -> None:
    with qmgr.connect() as other:
        answers = qmgr.mqsc(f"STOP CONN({other.connection_id[-8:].hex()})")
    assert [answer.message for answer in answers] == ["AMQ8458E"]


def converted_to_nothing(qmgr: QueueManager) -> None:
    with qmgr.queue("Q") as queue:
        queue.put(b"x", descriptor=ternmq.Descriptor(format="MQSTR", ccsid=930))
        assert queue.get(options=mq.MQGMO_CONVERT).warning == mq.MQRC_SOURCE_CCSID_ERROR
        queue.put(b"\xc1\x15", descriptor=ternmq.Descriptor(format="MQSTR", ccsid=37))
        assert queue.get(options=mq.MQGMO_CONVERT).data == b"A\n"
        queue.convert_to(939)
        queue.put("x")
        assert queue.get(options=mq.MQGMO_CONVERT).warning == mq.MQRC_TARGET_CCSID_ERROR


def unknown_flag_of_crtmqm(_: QueueManager) -> None:
    with pytest.raises(SystemExit):
        main(["crtmqm", "-lr", "NODE1", "QM1"])


def blocking_share_of_tasks(_: QueueManager) -> None:
    async def ask() -> None:
        async with ternmq.aio.memory("QM2") as qmgr:
            await qmgr.connect(options=mq.MQCNO_HANDLE_SHARE_BLOCK)

    with pytest.raises(MQError) as caught:
        asyncio.run(ask())
    assert caught.value.reason == mq.MQRC_OPTIONS_ERROR


def judged_by(path: str, name: str) -> Probe:
    """Tests elsewhere whose names begin so."""

    def probe(_: QueueManager) -> None:
        assert f"def {name}" in (ROOT / path).read_text(encoding="utf-8")

    return probe


def wrong_option(options: Callable[[dict[str, str], bool], object], *names: str) -> Probe:
    def probe(_: QueueManager) -> None:
        for name in names:
            with pytest.raises(ValueError, match=name):
                options({"queue": "Q", name: "a"}, True)

    return probe


def no_other_reports(_: QueueManager) -> None:
    for name in ("DCHS", "QSUM"):
        with pytest.raises(SystemExit):
            main(["smf", "report", name, "none.smf"])


def no_metrics_of(*words: str) -> Probe:
    def probe(_: QueueManager) -> None:
        parts = {part for row in METRIC_ROWS for part in row.name.split("_")}
        assert [part for part in parts if part.startswith(words)] == []

    return probe


def metrics_are_local(_: QueueManager) -> None:
    assert MeasureSettings().metrics_address == "127.0.0.1"
    words = [row.name for row in INI_ROWS if row.stanza == "Metrics"]
    assert words == ["Enabled", "Port", "Address", "Scheme", "Queues"]


def ini_without_effect(stanza: str, keyword: str) -> Probe:
    def probe(_: QueueManager) -> None:
        (row,) = [one for one in INI_ROWS if (one.stanza, one.name) == (stanza, keyword)]
        assert not row.works

    return probe


def extension_is_taken_into_the_message(qmgr: QueueManager) -> None:
    before = DescriptorExtension(group_id=b"g" * 24, msg_flags=mq.MQMF_MSG_IN_GROUP, format="MQSTR")
    descriptor = ternmq.Descriptor(version=1, format=mq.MQFMT_MD_EXTENSION)
    qmgr.put("Q", before.pack() + b"payload", descriptor=descriptor)
    with qmgr.queue("Q") as queue:
        message = queue.get()
    assert (message.data, message.descriptor.format) == (b"payload", "MQSTR")
    assert message.descriptor.group_id == b"g" * 24


def binary_table_is_refused(_: QueueManager) -> None:
    with pytest.raises(MQError, match="binary table is not supported"):
        channels_of(b"AMQR" + bytes(60), "AMQCLCHL.TAB")


def fap_level_is_ten(_: QueueManager) -> None:
    assert CLIENT_LEVEL == SERVER_LEVEL == 10


def activity_trace_is_accepted(qmgr: QueueManager) -> None:
    for option in (mq.MQCNO_ACTIVITY_TRACE_ENABLED, mq.MQCNO_ACTIVITY_TRACE_DISABLED):
        with qmgr.connect(options=option) as other:
            other.put("Q", "x")
    with qmgr.queue("SYSTEM.ADMIN.TRACE.ACTIVITY.QUEUE") as traces:
        assert traces.depth == 0


BETWEEN: Final = tuple(
    commands(f"{verb} CHANNEL(SYSTEM.DEF.SENDER)", "AMQ8561E")
    for verb in ("START", "STOP", "PING", "RESET")
)

# By the first cell of the row in "Not there yet".
ROWS: Final[dict[str, Probe]] = {
    "listeners of a queue manager inside an application, without"
    " [`open_network`](../administration/network.md)": commands(
        "DEFINE LISTENER(L) TRPTYPE(TCP)\nSTART LISTENER(L)", "AMQ8626I", "AMQ8561E"
    ),
    "native HA": unknown_flag_of_crtmqm,
    "clusters": inert(object_types.LOCAL, "CLUSTER", "CLUSNL", "CLWLPRTY"),
    "publish/subscribe between queue managers": commands(
        "DEFINE TOPIC(T) TOPICSTR('a') CLUSTER(C)", "AMQ8425E"
    ),
    "protection of messages (AMS)": all_of(
        commands("SET POLICY(A) SIGNALG(MD5)", "AMQ8561E"),
        commands("DELETE POLICY(A)", "AMQ8561E"),
        commands("DISPLAY POLICY(*)", "AMQ9087I"),
    ),
    "channels between queue managers of a queue manager inside an application; PURGE"
    " CHANNEL": all_of(
        commands("START CHANNEL(NOT.DEFINED)", "AMQ8147E"),
        commands("START CHINIT", "AMQ8561E"),
        commands("PURGE CHANNEL(SYSTEM.DEF.SENDER)", "AMQ9502E"),
        commands("RESOLVE CHANNEL(SYSTEM.DEF.SENDER) ACTION(COMMIT)", "AMQ8561E"),
        *BETWEEN,
    ),
    "FIPS mode, OCSP, revocation lists in LDAP, CMS key databases (.kdb)": all_of(
        inert(object_types.QMGR, "SSLFIPS", "SSLCRLNL"),
        inert(object_types.OCSP, "OCSPURL"),
        shown_by("tests/unit/remote/fap/test_key_repository.py", "key.kdb"),
    ),
    "exits of CLNTCONN definitions": inert(object_types.CLNTCONN, "SCYEXIT", "SENDEXIT", "RCVEXIT"),
    "multicast": shown_by(
        "tests/unit/remote/test_multicast_clients.py",
        "test_client_when_it_knows_no_multicast_then_topics_are_ordinary",
    ),
    "CLEAR TOPICSTR SCOPE(GLOBAL), DISPLAY PUBSUB TYPE(PARENT) and TYPE(CHILD)": commands(
        "CLEAR TOPICSTR('a') CLRTYPE(RETAINED) SCOPE(GLOBAL)\n"
        "DISPLAY PUBSUB TYPE(PARENT)\nDISPLAY PUBSUB TYPE(CHILD)",
        "AMQ8561E",
        "AMQ8147E",
        "AMQ8147E",
    ),
    "SUSPEND, RESUME, REFRESH and RESET of clusters, DISPLAY CLUSQMGR": all_of(
        commands("SUSPEND QMGR CLUSTER(C)", "AMQ8561E"),
        commands("RESUME QMGR CLUSTER(C)", "AMQ8561E"),
        commands("REFRESH CLUSTER(C)", "AMQ8561E"),
        commands("RESET CLUSTER(C) ACTION(FORCEREMOVE) QMNAME(A)", "AMQ8561E"),
        commands("DISPLAY CLUSQMGR(*)", "AMQ8423E"),
    ),
    "START SERVICE and STOP CONN of a queue manager inside an application": all_of(
        commands("DEFINE SERVICE(S) STARTCMD(x)\nSTART SERVICE(S)", "AMQ8625I", "AMQ8561E"),
        stop_connection,
    ),
    "SET LOG, REFRESH QMGR TYPE(PROXYSUB), RESET QMGR of other types than STATISTICS": all_of(
        commands("SET LOG ARCHIVED(S0000000)", "AMQ8561E"),
        commands("REFRESH QMGR TYPE(PROXYSUB)", "AMQ8561E"),
        commands("RESET QMGR TYPE(ADVANCELOG)", "AMQ8561E"),
        commands("RESET QMGR TYPE(REDUCELOG)", "AMQ8561E"),
        commands("RESET QMGR TYPE(STATISTICS)", "AMQ8649I"),
    ),
    "SET ARCHIVE": commands("SET ARCHIVE", "AMQ8561E"),
    "message channels with IBM's queue managers": shown_by(
        "docs/internals/format/channel_protocol.md", "These are guesses"
    ),
    "fields of MQPMO and MQGMO: message handles, Action": all_of(
        later("MQPUT", mq.MQPMO_MD_FOR_OUTPUT_ONLY),
        shown_by("tests/conformance/test_nothing_ignored.py", "test_field_when_used_then"),
    ),
    "message properties": shown_by("tests/unit/api/test_properties.py", "then_the_option_wins"),
    "[conversion](../applications/conversion.md) of EBCDIC with double-byte characters, default"
    " conversion, other settings of ConvEBCDICNewline": converted_to_nothing,
    "distribution lists of [pymqi and"
    " ibmmq](../applications/distribution-lists.md#other-queue-managers)": all_of(
        refused(mq.MQRC_OBJECT_RECORDS_ERROR, open_with(object_name="Q", records_present=1)),
        commands("DISPLAY QMGR WHERE(DISTL EQ YES)", "AMQ8408I"),
    ),
    "signals; callbacks: events while a connection is stopped": all_of(
        later("MQGET", mq.MQGMO_SET_SIGNAL),
        shown_by(
            "tests/battery/test_callbacks.py",
            "test_arguments_that_cannot_be_then_their_reasons",
        ),
    ),
    "MQCONNX: connection tags, a CD; client binding and reconnection without"
    " [the network](../applications/clients.md)": later(
        "MQCONNX",
        mq.MQCNO_GENERATE_CONN_TAG,
        mq.MQCNO_CD_FOR_OUTPUT_ONLY,
        mq.MQCNO_CLIENT_BINDING,
        mq.MQCNO_RECONNECT,
    ),
    "MQCNO_HANDLE_SHARE_BLOCK for tasks": blocking_share_of_tasks,
    "passwords of the operating system and of LDAP": inert(
        object_types.IDPWLDAP, "LDAPUSER", "SECCOMM"
    ),
}

# Rows that describe how far a feature goes.
DESCRIBED: Final[dict[str, Probe]] = {
    "[Spark source](../spark/spark.md)": all_of(
        wrong_option(SourceOptions, "topicString", "subscription", "wildcards"),
        judged_by(f"{SPARK}/mq/test_mq_source.py", "test_filters_when_on_properties_then_those"),
        judged_by(f"{SPARK}/mq/test_mq_source.py", "test_batch_when_browsed_drained_or_from"),
        judged_by(f"{SPARK}/mq/test_planner.py", "test_cursor_when_deleted_and_the_stream_filled"),
    ),
    "Spark, SMF dumps": all_of(
        judged_by(f"{SPARK}/smf/test_log_segments.py", "test_log_stream_when_read_then_it_is"),
        judged_by(f"{SPARK}/smf/test_dump_files.py", "test_files_of_arrow_when_listed_then_as"),
    ),
    "[Lake](../spark/lake.md)": all_of(
        shown_by("src/ternmq/spark/lake/anomaly_tables.py", "value double, expected double, score"),
        judged_by(f"{SPARK}/lake/test_anomaly_tables.py", "test_messages_when_they_stop_then_a"),
        judged_by(f"{SPARK}/test_lake.py", "test_pace_when_batches_are_slow_then_it_does_not"),
    ),
    "[Pipeline](../spark/pipeline.md)": all_of(
        judged_by(f"{SPARK}/pipeline/test_anomaly_queries.py", "test_bursts_when_followed_then"),
        judged_by(f"{SPARK}/pipeline/test_view_versions.py", "test_table_when_it_is_not_on_a"),
        judged_by(f"{SPARK}/pipeline/test_following.py", "test_views_when_something_came_then"),
    ),
    "[Spark sink](../spark/spark-sink.md)": all_of(
        wrong_option(SinkOptions, "topicString", "ccsid", "topic"),
        judged_by(f"{SPARK}/mq/test_sink_rows.py", "test_rows_when_text_has_a_ccsid_column_then"),
        judged_by(f"{SPARK}/mq/test_sink_rows.py", "test_rows_when_kafkas_headers_cannot_be"),
    ),
    "[reports of MQSMF](../spark/reports.md)": no_other_reports,
    "statistics and accounting": all_of(
        commands("START TRACE(GLOBAL)", "AMQ8977E"),
        commands("START TRACE(CHINIT)", "AMQ8977E"),
        commands("START TRACE(STAT) DEST(GTF)", "AMQ8977E"),
        commands("START TRACE(STAT) DEST(SMF)", "AMQ8971I"),
        judged_by("tests/unit/api/test_smf_filled.py", "test_"),
    ),
    "metrics of single topics, clusters, native HA, and of the operating system": no_metrics_of(
        "cluster", "nha", "native", "cpu", "ram"
    ),
    "TLS and passwords for"
    " [metrics](../operations/monitoring.md#metrics-for-prometheus)": metrics_are_local,
    "dead-letter queue": all_of(
        BETWEEN[0],
        judged_by("tests/unit/kernel/test_reports.py", "test_report_when_the_user_may_not_put_it"),
        judged_by(
            "tests/unit/kernel/test_trigger.py", "test_without_a_dead_letter_queue_operators"
        ),
        judged_by("tests/unit/cli/control/test_runmqdlq.py", "test_"),
    ),
    "LOGMANAGEMENT(AUTOMATIC) and (ARCHIVE) for linear logs": all_of(
        ini_without_effect("Log", "LogManagement"),
        judged_by("tests/media/test_images.py", "test_extents_before_the_oldest_image_and_restart"),
    ),
    "MQMDE of programs that use version 1 of MQMD": extension_is_taken_into_the_message,
    "clients: binary CCDT, PreConnect exits, FAP levels above 10": all_of(
        binary_table_is_refused,
        shown_by("tests/unit/api/test_fap_definitions.py", '("PreConnect:\\n   Module=x'),
        fap_level_is_ten,
    ),
    "central collection of activity trace": activity_trace_is_accepted,
}

# Words by which a page says that something does not exist. Generated pages take them from tables.
CLAIM: Final = re.compile(
    r"not there yet|not here yet|no function|without (an )?effect yet|nothing is checked"
    r"|not looked at yet|not supported yet|no authorit(y|ies) yet|for later"
    r"|do not exist yet|is refused yet",
    re.IGNORECASE,
)
# By page, a piece of the line that claims it.
SENTENCES: Final[dict[tuple[str, str], Probe]] = {
    ("mqsc.md", "An attribute that has no function yet"): commands(
        "DEFINE QLOCAL(A) CLUSTER(C)", "AMQ8006I", "AMQ8082W"
    ),
    ("mqsc.md", "Commands of functions that are not there yet"): commands(
        "SUSPEND QMGR CLUSTER(C)", "AMQ8561E"
    ),
    ("objects.md", "which of that has no function"): shown_by(
        "docs/reference/inert-attributes.md", "CLUSTER"
    ),
    ("api.md", "an attribute was set that has no function yet"): inert(
        object_types.LOCAL, "CLUSTER"
    ),
    ("streaming-queues.md", "Nothing is checked when the queue is opened"): shown_by(
        "tests/conformance/test_streaming.py", "test_puts_and_caps_answer_as_documented"
    ),
    ("index.md", "what is not there yet"): shown_by(LIMITS, "## Not there yet"),
    ("pcf.md", "is not there yet, PCF refuses"): commands("SUSPEND QMGR CLUSTER(C)", "AMQ8561E"),
    ("conformance-pubsub.md", "retained for later subscribers"): shown_by(
        "tests/conformance/pubsub/test_b_publishing.py", "retain"
    ),
    ("dependencies.md", "Not here yet: the `web` extra"): lambda _: (
        pytest.fail("web exists")
        if "web = [" in (ROOT / "pyproject.toml").read_text(encoding="utf-8")
        else None
    ),
    ("running.md", "Checked and kept, without an effect yet"): shown_by(
        "tests/unit/server/settings/test_queue_manager_ini.py",
        "test_page_when_read_then_it_reports",
    ),
}
GENERATED: Final = re.compile(r"Generated by|[Mm]ade by `?tools/")


# ---- tests


@pytest.fixture
def qmgr() -> Iterator[QueueManager]:
    with warnings.catch_warnings(), ternmq.memory("QM1") as made:
        warnings.simplefilter("ignore", ternmq.InertAttribute)
        made.define_queue("Q")
        yield made


def rows_of_limits() -> list[str]:
    text = (ROOT / LIMITS).read_text(encoding="utf-8")
    section = text.partition("## Not there yet")[2].partition("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("| ")]
    return [line.split(" | ")[0].removeprefix("| ").strip() for line in lines[2:]]


def claiming_lines() -> list[tuple[str, str]]:
    found = []
    for page in sorted((ROOT / "docs").rglob("*.md")):
        text = page.read_text(encoding="utf-8")
        if page == ROOT / LIMITS or "format" in page.parts or GENERATED.search(text):
            continue
        found += [(page.name, line) for line in text.splitlines() if CLAIM.search(line)]
    return found


def test_limits_when_a_row_is_added_then_it_has_a_probe() -> None:
    rows = rows_of_limits()
    assert [row for row in rows if row not in ROWS and row not in DESCRIBED] == []
    assert sorted((ROWS.keys() | DESCRIBED.keys()) - set(rows)) == []


@pytest.mark.parametrize("row", [*ROWS, *DESCRIBED], ids=lambda row: row[:40])
def test_limits_when_asked_for_what_is_missing_then_it_is_refused_as_the_page_says(
    row: str, qmgr: QueueManager
) -> None:
    (ROWS | DESCRIBED)[row](qmgr)


def test_pages_when_they_claim_that_something_is_missing_then_a_probe_knows() -> None:
    unknown = [
        (page, line)
        for page, line in claiming_lines()
        if not any(page == known and piece in line for known, piece in SENTENCES)
    ]
    assert unknown == []
    lines = claiming_lines()
    gone = [
        known
        for known in SENTENCES
        if not any(known[0] == page and known[1] in line for page, line in lines)
    ]
    assert gone == []


@pytest.mark.parametrize("claim", SENTENCES, ids=lambda claim: claim[1][:40])
def test_pages_when_asked_for_what_is_missing_then_the_claim_holds(
    claim: tuple[str, str], qmgr: QueueManager
) -> None:
    SENTENCES[claim](qmgr)
