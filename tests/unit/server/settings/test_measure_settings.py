"""What qm.ini says about SMF destinations and metrics, and what counts where it says nothing."""

from __future__ import annotations

import pytest

from ternmq.base.ini import IniError, IniFile
from ternmq.outlets.measurement import MeasureSettings
from ternmq.outlets.smf_settings import SMFDestination
from ternmq.server.settings.measure_settings import measure_settings
from ternmq.server.settings.queue_manager_ini import check

MEGABYTE = 1_048_576


def settings(text: str, port: int | None = None) -> MeasureSettings:
    ini = IniFile(text, "qm.ini")
    assert check(ini) == []
    return measure_settings(ini, "/data/QM1", port)


def test_an_empty_file_is_the_usual() -> None:
    found = settings("")
    assert found == MeasureSettings(folder="/data/QM1", metrics_at_start=False)
    assert (found.smf, found.metrics_port) == (None, None)


def test_destinations_when_several_then_all_in_their_order() -> None:
    found = settings(
        "SMFDestination:\n   Name=MAN\n   Size=5\n   Keep=3\n   BufferSize=2\n"
        "SMFDestination:\n   Name=LOG\n   Type=logstream\n   Compress=Yes\n   Path=/smf/log\n"
        "   RetentionSize=7\n   RetentionDays=30\n   Types=116\n"
        "SMFDestination:\n   Name=MEM\n   Type=Memory\n   Size=1\n"
    )
    assert found.smf == (
        SMFDestination("MAN", size_max=5 * MEGABYTE, kept=3, buffer_max=2 * MEGABYTE),
        SMFDestination(
            "LOG",
            "LogStream",
            "/smf/log",
            compressed=True,
            retention_max=7 * MEGABYTE,
            retention_days=30,
            types=(116,),
        ),
        SMFDestination("MEM", "Memory", size_max=MEGABYTE),
    )


def test_path_when_relative_then_below_the_folder_of_the_queue_manager() -> None:
    found = settings("SMFDestination:\n   Name=A\n   Path=records\n")
    assert found.smf == (SMFDestination("A", path="/data/QM1/records"),)


def test_metrics_when_enabled_then_on_the_port_that_is_known_for_it() -> None:
    assert settings("Metrics:\n   Enabled=Yes\n").metrics_port == 9157
    assert settings("Metrics:\n   Enabled=No\n   Port=1\n").metrics_port is None
    found = settings(
        "Metrics:\n   Enabled=Yes\n   Port=0\n   Address=*\n   Scheme=exporter\n"
        "   Queues=APP.*, !APP.TEMP*\n"
    )
    assert (found.metrics_port, found.metrics_address) == (0, "*")
    assert (found.metrics_scheme, found.metrics_queues) == ("Exporter", ("APP.*", "!APP.TEMP*"))


def test_metrics_when_a_port_is_given_with_the_start_then_it_counts_more() -> None:
    assert settings("Metrics:\n   Enabled=Yes\n   Port=9999\n", 0).metrics_port == 0
    assert settings("", 5000).metrics_port == 5000


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("SMFDestination:\n   Type=Memory\n", "a name has letters"),
        ("SMFDestination:\n   Name=A/B\n", "a name has letters"),
        ("SMFDestination:\n   Name=A\nSMFDestination:\n   Name=A\n", "two SMF destinations"),
        ("SMFDestination:\n   Name=A\n   Compress=Yes\n", "only a log stream is compressed"),
    ],
)
def test_destinations_when_wrong_then_file_and_line_are_named(text: str, why: str) -> None:
    with pytest.raises(IniError, match=why):
        settings(text)


@pytest.mark.parametrize(
    "text",
    [
        "SMFDestination:\n   Name=A\n   Type=Tape\n",
        "SMFDestination:\n   Name=A\n   Size=0\n",
        "SMFDestination:\n   Name=A\n   Types=110\n",
        "Metrics:\n   Port=70000\n",
        "Metrics:\n   Scheme=Mine\n",
    ],
)
def test_values_when_they_cannot_be_then_refused(text: str) -> None:
    with pytest.raises(IniError):
        check(IniFile(text, "qm.ini"))
