"""What qm.ini says about measurement: the stanzas SMFDestination, one for each place that SMF
records go to, and Metrics, the port for Prometheus."""

from __future__ import annotations

import os
from typing import Final

from ternmq.base.ini import IniError, IniFile, Stanza
from ternmq.outlets.measurement import LOOPBACK, METRICS_PORT, MeasureSettings
from ternmq.outlets.smf_data_sets import DATA_SETS_KEPT_DEFAULT
from ternmq.outlets.smf_settings import DATA_SET, KINDS, SMFDestination

MEGABYTE: Final = 1_048_576
_BUFFER_MEGABYTES: Final = 16
_RETENTION_MEGABYTES: Final = 1024


def measure_settings(ini: IniFile, folder: str, metrics_port: int | None = None) -> MeasureSettings:
    """Those of a queue manager; a port that was given when it was started counts more."""
    destinations = [
        _destination(ini, one, folder)
        for one in ini.stanzas
        if one.name.lower() == "smfdestination"
    ]
    names = [one.name for one in destinations]
    for stanza in ini.stanzas:
        if stanza.name.lower() == "smfdestination" and names.count(stanza.get("Name")) > 1:
            why = f"there are two SMF destinations named {stanza.get('Name')}"
            raise IniError(ini.file, stanza.line, why)
    metrics = ini.first("Metrics")
    port = metrics_port
    if port is None and metrics is not None and metrics.get("Enabled").lower() == "yes":
        port = int(metrics.get("Port") or METRICS_PORT)
    found = MeasureSettings() if metrics is None else _metrics(metrics)
    return MeasureSettings(
        folder=folder,
        smf=tuple(destinations) or None,
        metrics_port=port,
        metrics_at_start=False,
        metrics_address=found.metrics_address,
        metrics_scheme=found.metrics_scheme,
        metrics_queues=found.metrics_queues,
    )


def _metrics(stanza: Stanza) -> MeasureSettings:
    words = stanza.get("Scheme").lower()
    scheme = {"exporter": "Exporter", "container": "Container"}.get(words, "Both")
    queues = tuple(one.strip() for one in stanza.get("Queues", "*").split(",") if one.strip())
    return MeasureSettings(
        metrics_address=stanza.get("Address") or LOOPBACK,
        metrics_scheme=scheme,
        metrics_queues=queues or ("*",),
    )


def _destination(ini: IniFile, stanza: Stanza, folder: str) -> SMFDestination:
    kinds = {one.lower(): one for one in KINDS}
    types = [one.strip() for one in stanza.get("Types").split(",") if one.strip()]
    try:
        return SMFDestination(
            stanza.get("Name"),
            kinds.get(stanza.get("Type").lower(), DATA_SET),
            os.path.join(folder, stanza.get("Path")) if stanza.get("Path") else "",
            size_max=_number(stanza, "Size", 0) * MEGABYTE,
            kept=_number(stanza, "Keep", DATA_SETS_KEPT_DEFAULT),
            compressed=stanza.get("Compress").lower() == "yes",
            retention_max=_number(stanza, "RetentionSize", _RETENTION_MEGABYTES) * MEGABYTE,
            retention_days=_number(stanza, "RetentionDays", 0),
            buffer_max=_number(stanza, "BufferSize", _BUFFER_MEGABYTES) * MEGABYTE,
            types=tuple(int(one) for one in types),
        )
    except ValueError as wrong:
        raise IniError(ini.file, stanza.line, f"SMFDestination: {wrong}") from wrong


def _number(stanza: Stanza, name: str, default: int) -> int:
    return int(stanza.get(name) or default)
