"""How much of the log is reserved for work under way, so that its end always fits: a commit, a
backout or a message that goes back never fails for log space. `coordinator` and whoever puts
several messages at once count with these."""

from __future__ import annotations

from typing import Final

from ternmq.codec.message_image import FIXED_BYTES

# A unit's end may be forced alone: its record and the padding of a block before and after.
UNIT_RESERVE: Final = 3 * 4096
# Its share of COMMIT (24) or of a COMPENSATE of 256 changes, padding and headers included.
CHANGE_RESERVE: Final = 48
NUMBERS_RECORD_BYTES: Final = 40 + 16  # STREAM_NUMBERS, which may have to come before a put
PUT_RECORD_OVERHEAD: Final = 40 + 40 + FIXED_BYTES + 8 + NUMBERS_RECORD_BYTES
# A record that may have to be forced alone; and a COMPENSATE of one change.
RETURN_RESERVE: Final = 4096
COMPENSATE_ONE: Final = 40 + 8 + 24
