"""qm.ini: which stanzas and attributes are known, and what their values may be.

One table. An attribute that is known is checked. What has an effect here is marked; all else, known
or not, is kept with a warning, as people bring their files along. Only what would be unsafe to
leave out is refused: exits that are to see every call.
"""

from __future__ import annotations

import os
from typing import Final, NamedTuple

from ternmq.base.ini import IniError, IniFile, Stanza
from ternmq.base.limits import (
    LOG_FILE_PAGES_MAX,
    LOG_PRIMARY_FILES_MAX,
    LOG_PRIMARY_FILES_MIN,
    LOG_SECONDARY_FILES_MAX,
)
from ternmq.remote.local.folder_lookup import read_ini
from ternmq.server.folder.scripts import script_files

QUEUE_MANAGER_INI: Final = "qm.ini"
_NUMBER_MAX: Final = 999_999_999


class Row(NamedTuple):
    """One attribute."""

    stanza: str
    name: str
    lowest: int = 0
    highest: int = -1  # less than the lowest: no number
    words: tuple[str, ...] = ()
    works: bool = False  # it has an effect here; else it is kept, with a warning
    is_list: bool = False  # of words, with commas between them


ROWS: Final[tuple[Row, ...]] = (
    Row("Log", "LogPrimaryFiles", LOG_PRIMARY_FILES_MIN, LOG_PRIMARY_FILES_MAX, works=True),
    Row("Log", "LogSecondaryFiles", 0, LOG_SECONDARY_FILES_MAX, works=True),
    Row("Log", "LogFilePages", 1, LOG_FILE_PAGES_MAX, works=True),
    Row("Log", "LogType", words=("CIRCULAR", "LINEAR"), works=True),
    Row("Log", "LogManagement", words=("Manual", "Automatic", "Archive")),
    Row("Log", "LogBufferPages", 0, 4096),
    Row("Log", "LogPath", works=True),
    Row("Log", "LogWriteIntegrity", words=("SingleWrite", "DoubleWrite", "TripleWrite")),
    Row("Log", "Copies", 1, 2, works=True),
    Row("AutoConfig", "MQSCConfig", works=True),
    Row("AutoConfig", "IniConfig", works=True),
    Row("QMErrorLog", "ErrorLogSize", 32_768, 2_147_483_648, works=True),
    Row("QMErrorLog", "ExcludeMessage", works=True),
    Row("QMErrorLog", "SuppressMessage", works=True),
    Row("QMErrorLog", "SuppressInterval", 1, 86_400, works=True),
    *(
        Row("DiagnosticMessages", name, works=True)
        for name in (
            "Service",
            "Name",
            "Ident",
            "Format",
            "Severities",
            "FilePath",
            "FilePrefix",
            "FileSize",
            "ExcludeMessage",
            "SuppressMessage",
            "SuppressInterval",
        )
    ),
    Row("ExitPath", "ExitsDefaultPath", works=True),
    Row("ExitPath", "ExitsDefaultPath64", works=True),
    Row("Service", "Name"),
    Row("Service", "EntryPoints", 0, _NUMBER_MAX),
    Row("Service", "SecurityPolicy", words=("User", "UserExternal", "Group", "Default")),
    Row("ServiceComponent", "Service"),
    Row("ServiceComponent", "Name"),
    Row("ServiceComponent", "Module"),
    Row("ServiceComponent", "ComponentDataSize", 0, _NUMBER_MAX),
    Row("Channels", "MaxChannels", 1, 65_535, works=True),
    Row("Channels", "MaxActiveChannels", 1, 65_535, works=True),
    Row("Channels", "MaxInitiators", 1, _NUMBER_MAX, works=True),
    Row("Channels", "PipeLineLength", 1, _NUMBER_MAX, works=True),
    Row(
        "Channels",
        "AdoptNewMCA",
        words=("NO", "ALL", "SVR", "SDR", "RCVR", "CLUSRCVR", "FASTPATH"),
        works=True,
        is_list=True,
    ),
    Row(
        "Channels",
        "AdoptNewMCACheck",
        words=("NAME", "ADDRESS", "QM", "ALL", "NONE"),
        works=True,
        is_list=True,
    ),
    Row("Channels", "AdoptNewMCATimeout", 1, 3600, works=True),
    Row("Channels", "ChlauthEarlyAdopt", words=("Y", "N"), works=True),
    Row("TCP", "Port", 0, 65_535, works=True),
    Row("TCP", "KeepAlive", words=("Yes", "No"), works=True),
    Row("TCP", "Connect_Timeout", 0, _NUMBER_MAX, works=True),
    Row("TCP", "IPAddressVersion"),
    Row("TCP", "ListenerBacklog", 1, _NUMBER_MAX, works=True),
    Row("AutoCluster", "Repository1Name"),
    Row("AutoCluster", "Repository1Conname"),
    Row("AutoCluster", "Repository2Name"),
    Row("AutoCluster", "Repository2Conname"),
    Row("AutoCluster", "ClusterName"),
    Row("AutoCluster", "Type", words=("Uniform",)),
    Row("Security", "GroupModel"),
    Row("Security", "ClusterQueueAccessControl", words=("RQMName", "Xmitq")),
    Row("SSL", "AllowTLSV13", words=("TRUE", "FALSE", "YES", "NO", "Y", "N"), works=True),
    Row("SSL", "OCSPAuthentication", words=("REQUIRED", "OPTIONAL", "WARN")),
    Row("AccessMode", "SecurityGroup"),
    Row("SystemParameters", "STATIME", works=True),
    Row("SystemParameters", "ACCTIME", works=True),
    Row("SystemParameters", "SMFSTAT", works=True),
    Row("SystemParameters", "SMFACCT", works=True),
    Row("SMFDestination", "Name", works=True),
    Row("SMFDestination", "Type", words=("DataSet", "LogStream", "Memory"), works=True),
    Row("SMFDestination", "Path", works=True),
    Row("SMFDestination", "Size", 1, 1_048_576, works=True),
    Row("SMFDestination", "Keep", 0, 1_000_000, works=True),
    Row("SMFDestination", "Compress", words=("Yes", "No"), works=True),
    Row("SMFDestination", "RetentionSize", 1, 1_048_576, works=True),
    Row("SMFDestination", "RetentionDays", 0, 36_500, works=True),
    Row("SMFDestination", "BufferSize", 1, 16_384, works=True),
    Row("SMFDestination", "Types", words=("115", "116", "115,116"), works=True),
    Row("Metrics", "Enabled", words=("Yes", "No"), works=True),
    Row("Metrics", "Port", 0, 65_535, works=True),
    Row("Metrics", "Address", works=True),
    Row("Metrics", "Scheme", words=("Both", "Exporter", "Container"), works=True),
    Row("Metrics", "Queues", works=True),
)
REPEATED: Final = (
    "diagnosticmessages",
    "servicecomponent",
    "smfdestination",
    "xaresourcemanager",
)
_NO_API_EXITS: Final = (
    "API exits are not supported: no call would reach this one; remove the stanza"
)
REFUSED: Final = {
    "apiexitlocal": _NO_API_EXITS,
    "apiexitcommon": _NO_API_EXITS,  # of mqs.ini, as the next one
    "apiexittemplate": _NO_API_EXITS,
}
# Stanzas in which every attribute is the user's own, or another product's. None has an effect.
FREE: Final = (
    "TuningParameters",
    "Variables",
    "NativeHALocalInstance",
    "NativeHAInstance",
    "NativeHARecoveryGroup",
    "XAResourceManager",
)


def read_queue_manager_ini(folder: str) -> IniFile:
    """qm.ini of a queue manager, checked, with what the files of IniConfig add or change."""
    ini = read_ini(os.path.join(folder, QUEUE_MANAGER_INI))
    check(ini)
    config = ini.first("AutoConfig")
    path = "" if config is None else config.get("IniConfig")
    for file in script_files(path, ".ini") if path else []:
        more = read_ini(file)
        check(more)
        for stanza in more.stanzas:
            take_in(ini, stanza)
    return ini


def take_in(ini: IniFile, stanza: Stanza) -> None:
    """What another file says counts more; where there may be several stanzas, it is one more."""
    if stanza.name.lower() in REPEATED or ini.first(stanza.name) is None:
        ini.add(stanza.name, stanza.values)
        return
    for name, value in stanza.values.items():
        there = ini.first(stanza.name)
        if there is not None:
            ini.set(there, name, value)


def refuse_stanzas(ini: IniFile) -> None:
    """Raise the first stanza that a queue manager does not start with, of qm.ini or mqs.ini."""
    for stanza in ini.stanzas:
        if stanza.name.lower() in REFUSED:
            raise IniError(ini.file, stanza.line, REFUSED[stanza.name.lower()])


def check(ini: IniFile) -> list[IniError]:
    """Raise the first value that cannot be; return what has no effect, as warnings."""
    idle: list[IniError] = []
    stanzas = {row.stanza.lower() for row in ROWS}
    free = {name.lower() for name in FREE}
    refuse_stanzas(ini)
    for stanza in ini.stanzas:
        if stanza.name.lower() in free:
            why = f"stanza {stanza.name} has no effect here"
            idle.append(IniError(ini.file, stanza.line, why))
            continue
        if stanza.name.lower() not in stanzas:
            idle.append(IniError(ini.file, stanza.line, f"unknown stanza {stanza.name}"))
            continue
        for name, value in stanza.values.items():
            row = find_row(stanza.name, name)
            line = stanza.line_of(name)
            if row is None:
                why = f"unknown attribute {name} of stanza {stanza.name}"
                idle.append(IniError(ini.file, line, why))
                continue
            check_value(row, value, ini.file, line)
            if not row.works:
                why = f"attribute {row.name} of stanza {row.stanza} has no effect here"
                idle.append(IniError(ini.file, line, why))
    return idle


def find_row(stanza: str, name: str) -> Row | None:
    """The row of an attribute."""
    for row in ROWS:
        if row.stanza.lower() == stanza.lower() and row.name.lower() == name.lower():
            return row
    return None


def check_value(row: Row, value: str, file: str, line: int) -> None:
    """A value is one of the words, or a number in the range, where there are such."""
    given = value.split(",") if row.is_list else [value]
    words = {word.lower() for word in row.words}
    if row.words and not words.issuperset([one.strip().lower() for one in given]):
        allowed = ", ".join(row.words)
        raise IniError(file, line, f"{row.name} is one of {allowed}, not {value}")
    if row.highest >= row.lowest:
        if not value.isdigit() or not row.lowest <= int(value) <= row.highest:
            why = f"{row.name} is {row.lowest} to {row.highest}, not {value}"
            raise IniError(file, line, why)
