"""What pymqi says of itself: its version and that of MQ."""

from typing import Final

VERSION: Final = "1.12.13"  # the one whose names and behaviour are here
LEVELS: Final = ("5.0", "5.1", "5.2", "5.3", "6.0", "7.0", "7.1", "7.5", "8.0.0", "8.0.1")
BUILD: Final = "server"
