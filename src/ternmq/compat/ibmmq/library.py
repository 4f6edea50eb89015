"""What ibmmq says of itself: its version and that of MQ."""

from typing import Final

VERSION: Final = "2.1.2"  # the one whose names and behaviour are here
COMMAND_LEVEL: Final = "943"
BUILD: Final = "server"
otel_enabled: Final = False


def get_versions() -> dict[str, str]:
    """The versions of the library and of MQ."""
    return {"module": VERSION, "MQ": COMMAND_LEVEL}
