"""TernMQ: a message queue manager with the MQI, in typed Python."""

import os

if os.environ.get("TERNMQ_PURE", "") not in ("", "0"):
    # Before any other module of the package is imported; see ternmq.pure.
    from ternmq.pure import install

    install()

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ternmq.base.build import BuildInfo

__all__ = ["__version__", "build_info"]

__version__ = "0.1.0.dev0"


def build_info() -> "BuildInfo":
    """Tell whether the compiled core or the plain files run, and why."""
    from ternmq.base import build

    return build.build_info()
