"""Every limit of the queue manager, with its unit, and the default of those that can be set."""

from typing import Final

# Lengths of names and texts, in bytes (characters, as names are ASCII).
OBJECT_NAME_BYTES_MAX: Final = 48
USER_ID_BYTES_MAX: Final = 12
APPLICATION_NAME_BYTES_MAX: Final = 28

# Messages.
MESSAGE_BYTES_MAX: Final = 104_857_600
MESSAGE_BYTES_DEFAULT: Final = 4_194_304
PRIORITY_MIN: Final = 0
PRIORITY_MAX: Final = 9
WAIT_MS_MAX: Final = 2_147_483_647
SEQUENCE_NUMBER_MIN: Final = 1
SEQUENCE_NUMBER_MAX: Final = 999_999_999
SEGMENT_OFFSET_BYTES_MAX: Final = 999_999_999

# Queues and units of work.
QUEUE_DEPTH_MESSAGES_MAX: Final = 999_999_999
QUEUE_DEPTH_MESSAGES_DEFAULT: Final = 5000
UNCOMMITTED_MESSAGES_MIN: Final = 1
UNCOMMITTED_MESSAGES_MAX: Final = 999_999_999
UNCOMMITTED_MESSAGES_DEFAULT: Final = 10_000
HANDLES_MIN: Final = 1
HANDLES_MAX: Final = 999_999_999
HANDLES_DEFAULT: Final = 256
TRIGGER_DEPTH_MESSAGES_MIN: Final = 1
TRIGGER_DEPTH_MESSAGES_MAX: Final = 999_999_999
BACKOUT_THRESHOLD_MAX: Final = 999_999_999
SELECTORS_MAX: Final = 256

# Log.
LOG_FILE_PAGES_MAX: Final = 65_535
LOG_FILE_PAGES_DEFAULT: Final = 4096
LOG_PRIMARY_FILES_MIN: Final = 2
LOG_PRIMARY_FILES_MAX: Final = 510
LOG_PRIMARY_FILES_DEFAULT: Final = 3
LOG_SECONDARY_FILES_MAX: Final = 509
LOG_SECONDARY_FILES_DEFAULT: Final = 2
LOG_FILES_MAX: Final = 511

# The local binding. A frame has the longest message, its descriptor and what else a verb says.
FRAME_BYTES_BEFORE_HELLO: Final = 65_536
FRAME_BYTES_MAX: Final = MESSAGE_BYTES_MAX + 65_536
REQUESTS_WAITING_MAX: Final = 256  # of one connection, before it is read no further
REQUEST_BYTES_WAITING_MAX: Final = 4_194_304  # the same
SOCKET_PATH_BYTES_MAX: Final = 107  # sun_path of Linux, without its last NUL

# Administration.
COMMAND_CHARACTERS_MAX: Final = 32_768
