"""What strmqcsv, endmqcsv and dspmqcsv share: a question to the process that runs the queue
manager."""

from __future__ import annotations

from typing import Final

from ternmq.base.errors import MQError
from ternmq.base.message_table import message_line
from ternmq.cli.control.strmqm import known
from ternmq.cli.output import write_error
from ternmq.server.control import ask
from ternmq.server.folder.data_folder import data_folder

EXIT_UNEXPECTED: Final = 10  # it was so before
EXIT_FAILED: Final = 20


def ask_for(name: str, action: str) -> dict[str, object] | None:
    """How the command server was and is; None, and an error message, if it cannot be asked."""
    place = known(data_folder(), name)
    if place is None:
        return None
    try:
        return ask(place, "command_server", action=action)
    except MQError as error:
        if error.reason_name == "MQRC_NOT_AUTHORIZED":
            write_error(message_line("AMQ7077E"))
        else:
            write_error(message_line("AMQ8146E", (place.name,)))
        return None
