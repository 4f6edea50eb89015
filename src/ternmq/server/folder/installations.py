"""The installations that share a data folder: mqinst.ini. A queue manager belongs to one of them.

    Installation:
       Name=Installation1
       Description=
       Identifier=1
       FilePath=<the environment that the package is installed in>

An installation writes itself down when it first makes or starts a queue manager. It is named by
TERNMQ_INSTALLATION, else it is Installation and the next free number.
"""

from __future__ import annotations

import os
import re
import sys
from typing import Final, NamedTuple

from ternmq.base.attributes import BY_NAME
from ternmq.base.ini import IniError
from ternmq.base.object_types import QMGR
from ternmq.server.folder.data_folder import read_ini, write_ini

INSTALLATIONS_INI: Final = "mqinst.ini"
_NAME: Final = re.compile(r"[A-Za-z0-9_]{1,16}\Z")


class Installation(NamedTuple):
    """One of them."""

    name: str
    description: str
    identifier: int
    path: str

    @property
    def is_here(self) -> bool:
        """Whether it is the one that runs this."""
        return self.path == here()

    @property
    def state(self) -> str:
        """Available, if its folder is there."""
        return "Available" if os.path.isdir(self.path) else "Invalid"

    @property
    def version(self) -> str:
        """Of the one that runs this; that of others is not known here."""
        return version() if self.is_here else ""


def version() -> str:
    """Version, release, modification and fix of the MQ that programs find here, as tools write it:
    the VERSION of every queue manager as four numbers. The product's own is its Level."""
    level = str(BY_NAME[QMGR]["VERSION"].default)
    return ".".join(str(int(level[at : at + 2])) for at in range(0, len(level), 2))


def here() -> str:
    """Where this installation is."""
    return os.path.realpath(sys.prefix)


def installations(data: str) -> list[Installation]:
    """All that stand in mqinst.ini, by their number."""
    ini = read_ini(os.path.join(data, INSTALLATIONS_INI))
    found: list[Installation] = []
    for stanza in ini.all("Installation"):
        number = stanza.get("Identifier", "0")
        if not number.isdigit() or not _NAME.match(stanza.get("Name")):
            raise IniError(ini.file, stanza.line, "an installation has a Name and an Identifier")
        found.append(
            Installation(
                stanza.get("Name"),
                stanza.get("Description"),
                int(number),
                stanza.get("FilePath"),
            )
        )
    return sorted(found, key=lambda one: one.identifier)


def this_installation(data: str) -> Installation:
    """The one that runs this; written down if it is new. Under the lock of the data folder."""
    known = installations(data)
    for one in known:
        if one.is_here:
            return one
    names = {one.name for one in known}
    number = max((one.identifier for one in known), default=0) + 1
    name = os.environ.get("TERNMQ_INSTALLATION", "")
    if not _NAME.match(name) or name in names:
        name = f"Installation{number}"
    while name in names:
        name += "x"
    ini = read_ini(os.path.join(data, INSTALLATIONS_INI))
    ini.add(
        "Installation",
        {"Name": name, "Description": "", "Identifier": str(number), "FilePath": here()},
    )
    write_ini(ini)
    return Installation(name, "", number, here())
