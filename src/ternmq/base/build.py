"""Says which build runs: compiled or plain files, and why.

Asked by `ternmq.build_info()`, the benchmarks and the tests; `python -m ternmq.base.build` prints
it. Nothing is looked up, and nothing imported for it, before the first call. Not compiled: it asks
the import system about a module that is.
"""

import sys
from typing import Final, NamedTuple

__all__ = ["BuildInfo", "build_info", "is_compiled"]

_WITNESS: Final = "ternmq.base.errors"  # compiled in every compiled build
_RECORD: Final = "build_record.json"  # written by setup.py beside this file


class BuildInfo(NamedTuple):
    """`compiled` is what runs; `reason` says why it is plain when it is."""

    compiled: bool
    reason: str
    opt_level: str
    folder: str
    python: str

    def __str__(self) -> str:
        what = f"compiled (-O{self.opt_level})" if self.compiled else f"plain ({self.reason})"
        return f"{what}, Python {self.python}, {self.folder}"


def is_compiled() -> bool:
    """Whether the core that this process uses is compiled."""
    from importlib.machinery import ExtensionFileLoader
    from importlib.util import find_spec

    spec = find_spec(_WITNESS)
    return spec is not None and isinstance(spec.loader, ExtensionFileLoader)


def build_info() -> BuildInfo:
    """Everything known about the build that runs."""
    record = _read_record()
    compiled = is_compiled()
    reason = ""
    if not compiled:
        reason = "TERNMQ_PURE is set" if record.get("compiled") else str(record.get("reason", ""))
    return BuildInfo(
        compiled,
        reason or ("" if compiled else "source tree"),
        str(record.get("opt_level", "")) if compiled else "",
        __file__.rpartition("/base/")[0],
        sys.version.partition(" ")[0],
    )


def _read_record() -> dict[str, object]:
    import json
    import pkgutil

    try:
        text = pkgutil.get_data(__package__ or "ternmq.base", _RECORD)
    except OSError:  # a source tree has none
        return {}
    return dict(json.loads(text)) if text else {}


if __name__ == "__main__":
    sys.stdout.write(f"ternmq: {build_info()}\n")
