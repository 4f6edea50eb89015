"""The table of commands: name, the module that runs it, what it is for.

Each module has `main(argv: list[str]) -> int`, which gets the words after the command's name and
returns the exit status; it is imported only when its command runs. A new row needs its line under
[project.scripts] in pyproject.toml (a test compares the two), its module and its page.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Final, NamedTuple

PACKAGE: Final = "ternmq.cli"


class Row(NamedTuple):
    """One command."""

    name: str
    module: str  # inside this package
    about: str
    own_name: bool = True  # also a program of its own, not only a word after `ternmq`
    bare: bool = False  # takes words as they come, no options: its module's docstring is its help


COMMANDS: Final[tuple[Row, ...]] = (
    Row("crtmqm", "crtmqm", "create a queue manager"),
    Row("dltmqm", "dltmqm", "delete a queue manager"),
    Row("strmqm", "strmqm", "start a queue manager"),
    Row("endmqm", "endmqm", "end a queue manager"),
    Row("run", "run", "run a queue manager in the foreground", own_name=False),
    Row("dspmq", "dspmq", "show queue managers and their status"),
    Row("dspmqver", "dspmqver", "show the version of the product"),
    Row("dspmqinf", "dspmqinf", "show the configuration of a queue manager"),
    Row("addmqinf", "addmqinf", "add the configuration of a queue manager"),
    Row("rmvmqinf", "rmvmqinf", "remove the configuration of a queue manager"),
    Row("dspmqinst", "dspmqinst", "show installations"),
    Row("setmqm", "setmqm", "give a queue manager to an installation"),
    Row("setmqaut", "setmqaut", "give or take away authority for objects", bare=True),
    Row("dspmqaut", "dspmqaut", "show what a user or group may do with an object", bare=True),
    Row("dmpmqaut", "dmpmqaut", "list authority records", bare=True),
    Row("passwd", "passwd", "set passwords of a queue manager's users", own_name=False),
    Row("runmqsc", "runmqsc", "run MQSC commands on a queue manager"),
    Row("dmpmqcfg", "dmpmqcfg", "dump the configuration of a queue manager as MQSC"),
    Row("strmqcsv", "strmqcsv", "start the command server of a queue manager"),
    Row("endmqcsv", "endmqcsv", "end the command server of a queue manager"),
    Row("dspmqcsv", "dspmqcsv", "show whether the command server runs"),
    Row("runmqlsr", "runmqlsr", "listen on a port while this command runs"),
    Row("endmqlsr", "endmqlsr", "end the listeners that runmqlsr started"),
    Row("mqrc", "mqrc", "show what a reason code or a message means"),
    Row("dmpmqmsg", "dmpmqmsg", "copy or move messages between queues and files"),
    Row("qtune", "qtune", "show and set the buffers of queues"),
    Row("dmpmqlog", "dmpmqlog", "show the records of the recovery log"),
    Row("rcdmqimg", "rcdmqimg", "write media images of objects to the log"),
    Row("rcrmqobj", "rcrmqobj", "make objects anew from their media images"),
    Row("dspmqfls", "dspmqfls", "show which files hold an object"),
    Row("dspmqtrn", "dspmqtrn", "show units of work in doubt"),
    Row("rsvmqtrn", "rsvmqtrn", "end units of work in doubt"),
    Row("runmqdlq", "runmqdlq", "work through a dead-letter queue by rules"),
    Row("runmqtrm", "runmqtrm", "start programs when messages arrive"),
    Row("strmqtrc", "strmqtrc", "switch trace on"),
    Row("endmqtrc", "endmqtrc", "switch trace off"),
    Row("dspmqtrc", "dspmqtrc", "format traces for people"),
    Row("smf", "smf", "show SMF records, ours and those of z/OS", own_name=False),
    Row("pipeline", "pipeline", "make tables of SMF dumps and messages", own_name=False),
    Row("lake", "lake", "look for messages in the lake", own_name=False),
    Row("replay", "replay", "put messages of the lake back on a queue", own_name=False),
    Row("report", "report", "a page about queue managers for a browser", own_name=False),
    Row("perf", "perf", "run the regression suite and compare runs", own_name=False),
    Row("amqsput", "amqsput", "put lines as messages", bare=True),
    Row("amqsputc", "amqsputc", "put lines as messages, as a client", bare=True),
    Row("amqsget", "amqsget", "get and show messages", bare=True),
    Row("amqsgetc", "amqsgetc", "get and show messages, as a client", bare=True),
    Row("amqsbcg", "amqsbcg", "show messages whole, without taking them", bare=True),
    Row("amqsbcgc", "amqsbcgc", "show messages whole, as a client", bare=True),
    Row("amqsgbr", "amqsgbr", "show the data of messages, without taking them", bare=True),
    Row("amqsgbrc", "amqsgbrc", "show the data of messages, as a client", bare=True),
    Row("amqsreq", "amqsreq", "send requests and show the replies", bare=True),
    Row("amqsech", "amqsech", "answer requests with what they said", bare=True),
    Row("amqsinq", "amqsinq", "answer requests about queues", bare=True),
    Row("amqsset", "amqsset", "switch puts to queues off on request", bare=True),
    Row("amqsevt", "amqsevt", "show event messages"),
    Row("amqsmon", "amqsmon", "show statistics and accounting messages"),
)
BY_NAME: Final[dict[str, Row]] = {row.name: row for row in COMMANDS}


def help_text(row: Row) -> str:
    """What a command without options of its own says about itself."""
    return (import_module(f"{PACKAGE}.{row.module}").__doc__ or row.about).strip()


def command(row: Row) -> Callable[[list[str]], int]:
    """The function that runs a command."""
    main: Callable[[list[str]], int] = import_module(f"{PACKAGE}.{row.module}").main
    return main
