"""A home of Spark without the archive of PySpark's sources.

Spark gives its Python processes the archive first, and Python compiles all that it takes from
an archive anew: a second of processor time for each process, and a query begins several. Without
the archive they take the PySpark that is installed, which is compiled already.
"""

from __future__ import annotations

from pathlib import Path

import pyspark

LINKED = ("bin", "jars", "sbin")


def lean_home(folder: Path) -> Path:
    """The home, made of links."""
    folder.mkdir(exist_ok=True)
    installed = Path(pyspark.__file__).parent
    for name in LINKED:
        link = folder / name
        if not link.exists():
            link.symlink_to(installed / name)
    return folder
