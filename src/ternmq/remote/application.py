"""The name of the application, as messages carry it."""

from __future__ import annotations

import os
import sys


def application_name(application: str | None) -> str:
    """The name that messages carry: the program's, if nothing was given."""
    return application or os.path.basename(sys.argv[0]) or "python"
