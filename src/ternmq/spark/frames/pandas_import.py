"""Arrow without pandas: what makes a small report quick.

Arrow imports pandas when it gets the first value of Python, to recognise the types of pandas. That
takes a second, most of the time of a small report, and no value here has such a type. To an import
that fails Arrow answers by doing without, for as long as the process runs.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Final

PANDAS: Final = "pandas"


class WithoutPandas(MetaPathFinder):
    """Answers as if pandas was not installed."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname == PANDAS:
            raise ModuleNotFoundError("pandas is not loaded for small data", name=fullname)
        return None


def prevent() -> None:
    """Let nothing in this process import pandas."""
    if PANDAS not in sys.modules:
        sys.meta_path.insert(0, WithoutPandas())
