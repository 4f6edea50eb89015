"""What qm.ini says about the network, and what counts where it says nothing."""

from __future__ import annotations

import pytest

from ternmq.base.ini import IniFile
from ternmq.network.edge.network_settings import NetworkSettings, read_network_settings
from ternmq.server.settings.queue_manager_ini import check


def settings(text: str) -> NetworkSettings:
    ini = IniFile(text, "qm.ini")
    assert check(ini) == []
    return read_network_settings(ini)


def test_an_empty_file_is_the_usual() -> None:
    assert settings("") == NetworkSettings()
    assert (NetworkSettings().port, NetworkSettings().adopts_early) == (1414, True)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("TCP:\n   Port=1500\n", NetworkSettings(port=1500)),
        ("TCP:\n   Port=0\n", NetworkSettings(port=0)),
        ("TCP:\n   KeepAlive=Yes\n", NetworkSettings(keep_alive=True)),
        ("TCP:\n   ListenerBacklog=7\n", NetworkSettings(backlog=7)),
        ("Channels:\n   MaxChannels=200\n", NetworkSettings(channels_max=200)),
        (
            "Channels:\n   MaxChannels=200\n   MaxActiveChannels=50\n",
            NetworkSettings(channels_max=200, active_max=50),
        ),
        ("Channels:\n   ChlauthEarlyAdopt=N\n", NetworkSettings(adopts_early=False)),
        ("Channels:\n   ChlauthEarlyAdopt=Y\n", NetworkSettings()),
        ("SSL:\n   AllowTLSV13=FALSE\n", NetworkSettings(allows_tls_1_3=False)),
        ("SSL:\n   AllowTLSV13=Y\n", NetworkSettings()),
    ],
)
def test_each_attribute_counts(text: str, expected: NetworkSettings) -> None:
    assert settings(text) == expected
