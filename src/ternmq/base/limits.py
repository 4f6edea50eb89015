"""Every limit of the queue manager that is not an attribute's, with its unit, and the default of
those that can be set. The ranges of attributes stand in the schema (`attributes`)."""

from typing import Final

# Lengths of names and texts, in bytes (characters, as names are ASCII).
OBJECT_NAME_BYTES_MAX: Final = 48
USER_ID_BYTES_MAX: Final = 12  # of a message, of an alternate user
USER_NAME_BYTES_MAX: Final = 32  # of a user who connects
APPLICATION_NAME_BYTES_MAX: Final = 28

# Messages.
MESSAGE_BYTES_MAX: Final = 104_857_600
PRIORITY_MAX: Final = 9
WAIT_MS_MAX: Final = 2_147_483_647
SEQUENCE_NUMBER_MIN: Final = 1
SEQUENCE_NUMBER_MAX: Final = 999_999_999
SEGMENT_OFFSET_BYTES_MAX: Final = 999_999_999

# Calls.
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
FRAME_HEAD_BYTES_MAX: Final = 65_536  # beside the longest message
REQUESTS_WAITING_MAX: Final = 256  # of one connection, before it is read no further
REQUEST_BYTES_WAITING_MAX: Final = 4_194_304  # the same
RETURNABLE_BYTES_MAX: Final = 8_388_608  # sent ahead on one handle and kept, to go back
ANSWER_BYTES_MAX: Final = 268_435_456  # made for all applications and not sent yet
HELLO_S_MAX: Final = 10.0  # until a connection has said who it is
SESSIONS_MAX: Final = 65_536
DESCRIPTORS_OTHER: Final = 64  # open beside sockets, log files and files kept open
SOCKET_PATH_BYTES_MAX: Final = 107  # sun_path of Linux, without its last NUL

# The network, before a partner has shown who it is.
AUTHENTICATE_S_MAX: Final = 30.0  # from the first byte to the user that it runs as
HANDSHAKE_BYTES_MAX: Final = 131_072  # of TLS: a chain of certificates fits
UNAUTHENTICATED_BYTES_MAX: Final = 65_536  # that one of them can have the queue manager keep
UNAUTHENTICATED_CONVERSATIONS_MAX: Final = 16  # that it can begin
UNAUTHENTICATED_MAX: Final = 4096  # sockets that have not got that far
UNAUTHENTICATED_OF_ADDRESS_MAX: Final = 1024  # the same, from one address
CHECKS_AT_ONCE_MAX: Final = 2  # of passwords: each takes a thread, 16 MB and some time
CHECKS_WAITING_MAX: Final = 256  # for their turn
CHECKS_OF_ORIGIN_MAX: Final = 32  # the same, from one address or one user of this machine
BLOCKED_HOLD_S: Final = 30.0  # a blocked address is kept waiting, so that it does not come at once
BLOCKED_HELD_MAX: Final = 256  # so many at most
LOOKUP_S_MAX: Final = 5.0  # for the host name of an address

# Administration.
COMMAND_CHARACTERS_MAX: Final = 32_768
MQSC_CHARACTERS_MAX: Final = 4_194_304  # in one call of an application, over the local socket

# MQINQ: the areas that a client may offer for what it asks.
INQUIRED_INTEGERS_MAX: Final = 4096
INQUIRED_CHARACTERS_MAX: Final = 1_048_576

# Selection strings.
SELECTION_STRING_BYTES_MAX: Final = 4 * 10_240  # MQ_SELECTOR_LENGTH characters
TOPIC_STRING_CHARACTERS_MAX: Final = 10_240  # also of names and user data of subscriptions
