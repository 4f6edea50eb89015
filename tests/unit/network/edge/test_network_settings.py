"""What qm.ini says about the network, and what counts where it says nothing."""

from __future__ import annotations

import pytest

from ternmq.base.ini import IniFile
from ternmq.network.edge.network_settings import NetSettings, net_settings
from ternmq.server.settings.queue_manager_ini import check


def settings(text: str) -> NetSettings:
    ini = IniFile(text, "qm.ini")
    assert check(ini) == []
    return net_settings(ini)


def test_an_empty_file_is_the_usual() -> None:
    assert settings("") == NetSettings()
    assert (NetSettings().port, NetSettings().adopts_early) == (1414, True)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("TCP:\n   Port=1500\n", NetSettings(port=1500)),
        ("TCP:\n   Port=0\n", NetSettings(port=0)),
        ("TCP:\n   KeepAlive=Yes\n", NetSettings(keep_alive=True)),
        ("TCP:\n   ListenerBacklog=7\n", NetSettings(backlog=7)),
        ("Channels:\n   MaxChannels=200\n", NetSettings(channels_max=200)),
        (
            "Channels:\n   MaxChannels=200\n   MaxActiveChannels=50\n",
            NetSettings(channels_max=50),
        ),
        ("Channels:\n   ChlauthEarlyAdopt=N\n", NetSettings(adopts_early=False)),
        ("Channels:\n   ChlauthEarlyAdopt=Y\n", NetSettings()),
        ("SSL:\n   AllowTLSV13=FALSE\n", NetSettings(allows_tls_1_3=False)),
        ("SSL:\n   AllowTLSV13=Y\n", NetSettings()),
    ],
)
def test_each_attribute_counts(text: str, expected: NetSettings) -> None:
    assert settings(text) == expected
