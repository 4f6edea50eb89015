"""CRC-32C, the checksum of every file: one name for it, so that one file knows what computes it."""

from __future__ import annotations

from google_crc32c import extend


def crc32c(data: bytes, crc: int = 0) -> int:
    """The checksum of data that follows data with the checksum `crc`."""
    result: int = extend(crc, data)
    return result
