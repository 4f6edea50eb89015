"""What qm.ini and mqs.ini say about error logs: the stanzas QMErrorLog and DiagnosticMessages.

    QMErrorLog:                          DiagnosticMessages:
       ErrorLogSize=33554432                Service=File
       ExcludeMessage=5051,5052             Name=ForShippers
       SuppressMessage=9001,9002            Format=json
       SuppressInterval=30                  Severities=I+ | W,E,S,T
                                            FilePath=/var/log/mq
                                            FilePrefix=AMQERR
                                            FileSize=33554432
                                            ExcludeMessage, SuppressMessage, SuppressInterval

There is always the log as text; each DiagnosticMessages stanza adds one more. Service=Syslog sends
entries to the system's log, under the name of Ident. DiagnosticSystemMessages is the same in
mqs.ini, for what belongs to no queue manager.
"""

from __future__ import annotations

import os
from typing import Final

from ternmq.base.ini import IniError, IniFile, Stanza
from ternmq.base.message_table import SEVERITIES
from ternmq.server.error_log.syslog import ADDRESS, IDENT_DEFAULT

TEXT: Final = "text"
JSON: Final = "json"
SYSLOG: Final = "syslog"
SIZE_DEFAULT: Final = 33_554_432
SIZE_MIN: Final = 32_768
SIZE_MAX: Final = 2_147_483_648
SUPPRESS_S_DEFAULT: Final = 30
SUPPRESS_S_MAX: Final = 86_400
PREFIX_DEFAULT: Final = "AMQERR"
_SUFFIXES: Final = {TEXT: "LOG", JSON: "json"}
_SERVICE_KEYS: Final = (
    "service",
    "name",
    "format",
    "severities",
    "filepath",
    "fileprefix",
    "filesize",
    "excludemessage",
    "suppressmessage",
    "suppressinterval",
)
_SYSLOG_KEYS: Final = (
    "service",
    "name",
    "ident",
    "severities",
    "excludemessage",
    "suppressmessage",
    "suppressinterval",
)
_LOG_KEYS: Final = ("errorlogsize", "excludemessage", "suppressmessage", "suppressinterval")


class LogService:
    """One place where entries go."""

    def __init__(self, name: str, format: str = TEXT) -> None:
        self.name = name
        self.format = format
        self.folder = ""  # the queue manager's own
        self.prefix = PREFIX_DEFAULT
        self.ident = IDENT_DEFAULT  # of Syslog
        self.address = ADDRESS
        self.size_max = SIZE_DEFAULT
        self.severities: frozenset[int] = frozenset(range(len(SEVERITIES)))
        self.excluded: frozenset[str] = frozenset()
        self.suppressed: frozenset[str] = frozenset()
        self.suppress_s = SUPPRESS_S_DEFAULT

    def file_name(self, number: int) -> str:
        """AMQERR01.LOG and so on."""
        return f"{self.prefix}{number:02d}.{_SUFFIXES[self.format]}"


def error_log_services(
    ini: IniFile | None, *, stanza_name: str = "DiagnosticMessages"
) -> list[LogService]:
    """The services of a configuration file; IniError names the line of what cannot be."""
    plain = LogService("text")
    services = [plain]
    if ini is not None:
        for stanza in ini.all("QMErrorLog"):
            _refuse_unknown(ini, stanza, _LOG_KEYS)
            _filters(ini, stanza, plain)
            plain.size_max = _number(ini, stanza, "ErrorLogSize", SIZE_DEFAULT, SIZE_MIN, SIZE_MAX)
        services += [_service(ini, stanza) for stanza in ini.all(stanza_name)]
    size = os.environ.get("MQMAXERRORLOGSIZE", "")
    if size.isdigit() and SIZE_MIN <= int(size) <= SIZE_MAX:
        plain.size_max = int(size)
    return services


def _service(ini: IniFile, stanza: Stanza) -> LogService:
    kind = stanza.get("Service", "File")
    if kind.lower() == SYSLOG:
        return _syslog(ini, stanza)
    _refuse_unknown(ini, stanza, _SERVICE_KEYS)
    if kind.lower() != "file":
        line = stanza.line_of("Service")
        raise IniError(ini.file, line, f"Service={kind}: File or Syslog is possible")
    format = stanza.get("Format", TEXT).lower()
    if format not in _SUFFIXES:
        raise IniError(
            ini.file, stanza.line_of("Format"), f"Format={format}: text or json is possible"
        )
    service = LogService(stanza.get("Name", f"line {stanza.line}"), format)
    service.folder = stanza.get("FilePath")
    service.prefix = stanza.get("FilePrefix", PREFIX_DEFAULT)
    if "/" in service.prefix or not service.prefix:
        raise IniError(
            ini.file, stanza.line_of("FilePrefix"), "FilePrefix is a part of a file name"
        )
    service.size_max = _number(ini, stanza, "FileSize", SIZE_DEFAULT, SIZE_MIN, SIZE_MAX)
    service.severities = _severities(ini, stanza)
    _filters(ini, stanza, service)
    return service


def _syslog(ini: IniFile, stanza: Stanza) -> LogService:
    _refuse_unknown(ini, stanza, _SYSLOG_KEYS)
    service = LogService(stanza.get("Name", f"line {stanza.line}"), SYSLOG)
    service.ident = stanza.get("Ident", IDENT_DEFAULT)
    if any(one in service.ident for one in " []:\t") or not service.ident.isprintable():
        raise IniError(ini.file, stanza.line_of("Ident"), f"Ident={service.ident}: one plain word")
    service.severities = _severities(ini, stanza)
    _filters(ini, stanza, service)
    return service


def _refuse_unknown(ini: IniFile, stanza: Stanza, keys: tuple[str, ...]) -> None:
    for name in stanza.values:
        if name.lower() not in keys:
            raise IniError(ini.file, stanza.line_of(name), f"{stanza.name} has no attribute {name}")


def _filters(ini: IniFile, stanza: Stanza, service: LogService) -> None:
    service.excluded = _numbers(ini, stanza, "ExcludeMessage")
    service.suppressed = _numbers(ini, stanza, "SuppressMessage")
    service.suppress_s = _number(
        ini, stanza, "SuppressInterval", SUPPRESS_S_DEFAULT, 1, SUPPRESS_S_MAX
    )


def _numbers(ini: IniFile, stanza: Stanza, name: str) -> frozenset[str]:
    found = [one.strip().upper() for one in stanza.get(name).split(",") if one.strip()]
    bare = [one.removeprefix("AMQ")[:4] for one in found]
    for written, number in zip(found, bare, strict=True):
        if not number.isdigit() or len(number) != 4:
            raise IniError(ini.file, stanza.line_of(name), f"{written} is not a message number")
    return frozenset(bare)


def _number(ini: IniFile, stanza: Stanza, name: str, default: int, low: int, high: int) -> int:
    written = stanza.get(name)
    if not written:
        return default
    if not written.isdigit() or not low <= int(written) <= high:
        raise IniError(
            ini.file, stanza.line_of(name), f"{name}={written}: a number from {low} to {high}"
        )
    return int(written)


def _severities(ini: IniFile, stanza: Stanza) -> frozenset[int]:
    """`E`, `W+` (and worse), a list of them, or `all`."""
    chosen: set[int] = set()
    for word in stanza.get("Severities", "all").upper().split(","):
        letter = word.strip()
        more = letter.endswith("+")
        letter = letter.removesuffix("+")
        if letter == "ALL":
            chosen.update(range(len(SEVERITIES)))
        elif len(letter) == 1 and letter in SEVERITIES:
            first = SEVERITIES.index(letter)
            chosen.update(range(first, len(SEVERITIES)) if more else (first,))
        else:
            line = stanza.line_of("Severities")
            raise IniError(ini.file, line, f"{word}: a severity is one of {', '.join(SEVERITIES)}")
    return frozenset(chosen)
