"""The table of commands: name, the module that runs it, what it is for.

Each module has `main(argv: list[str]) -> int`, which gets the words after the command's name and
returns the exit status; it is imported only when its command runs. A new row needs its line under
[project.scripts] in pyproject.toml (a test compares the two), its module and its page.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Final, NamedTuple

from ternmq.cli.examples import examples_text

PACKAGE: Final = "ternmq.cli"


class Row(NamedTuple):
    """One command."""

    name: str
    module: str  # inside this package
    about: str
    own_name: bool = True  # also a program of its own, not only a word after `ternmq`
    bare: bool = False  # takes words as they come, no options: its module's docstring is its help


COMMANDS: Final[tuple[Row, ...]] = (
    Row("crtmqm", "control.crtmqm", "create a queue manager"),
    Row("dltmqm", "control.dltmqm", "delete a queue manager"),
    Row("strmqm", "control.strmqm", "start a queue manager"),
    Row("endmqm", "control.endmqm", "end a queue manager"),
    Row("run", "tools.run", "run a queue manager in the foreground", own_name=False),
    Row("dspmq", "control.dspmq", "show queue managers and their status"),
    Row("dspmqver", "control.dspmqver", "show the version of the product"),
    Row("dspmqinf", "control.dspmqinf", "show the configuration of a queue manager"),
    Row("addmqinf", "control.addmqinf", "add the configuration of a queue manager"),
    Row("rmvmqinf", "control.rmvmqinf", "remove the configuration of a queue manager"),
    Row("dspmqinst", "control.dspmqinst", "show installations"),
    Row("setmqm", "control.setmqm", "give a queue manager to an installation"),
    Row("setmqaut", "control.setmqaut", "give or take away authority for objects", bare=True),
    Row(
        "dspmqaut", "control.dspmqaut", "show what a user or group may do with an object", bare=True
    ),
    Row("dmpmqaut", "control.dmpmqaut", "list authority records", bare=True),
    Row("top", "tools.top_command", "watch queues and connections live", own_name=False),
    Row(
        "groups",
        "tools.groups_command",
        "show message groups of a queue, remove one",
        own_name=False,
    ),
    Row("passwd", "tools.passwd", "set passwords of a queue manager's users", own_name=False),
    Row("runmqsc", "control.runmqsc", "run MQSC commands on a queue manager"),
    Row("dmpmqcfg", "control.dmpmqcfg", "dump the configuration of a queue manager as MQSC"),
    Row("strmqcsv", "control.strmqcsv", "start the command server of a queue manager"),
    Row("endmqcsv", "control.endmqcsv", "end the command server of a queue manager"),
    Row("dspmqcsv", "control.dspmqcsv", "show whether the command server runs"),
    Row("runmqlsr", "control.runmqlsr", "listen on a port while this command runs"),
    Row("endmqlsr", "control.endmqlsr", "end the listeners that runmqlsr started"),
    Row("mqrc", "control.mqrc", "show what a reason code or a message means"),
    Row("dmpmqmsg", "control.dmpmqmsg", "copy or move messages between queues and files"),
    Row("qtune", "control.qtune", "show and set the buffers of queues"),
    Row("dmpmqlog", "control.dmpmqlog", "show the records of the recovery log"),
    Row("rcdmqimg", "control.rcdmqimg", "write media images of objects to the log"),
    Row("rcrmqobj", "control.rcrmqobj", "recreate objects from their media images"),
    Row("dspmqfls", "control.dspmqfls", "show which files hold an object"),
    Row("dspmqtrn", "control.dspmqtrn", "show units of work in doubt"),
    Row("rsvmqtrn", "control.rsvmqtrn", "end units of work in doubt"),
    Row("dspmqrte", "control.dspmqrte", "show the route of a message to a queue"),
    Row("runmqdlq", "control.runmqdlq", "work through a dead-letter queue by rules"),
    Row("runmqchi", "control.runmqchi", "start channels when messages for them arrive"),
    Row("runmqchl", "control.runmqchl", "run a channel until it ends"),
    Row("runmqtrm", "control.runmqtrm", "start programs when messages arrive"),
    Row("strmqtrc", "control.strmqtrc", "switch trace on"),
    Row("endmqtrc", "control.endmqtrc", "switch trace off"),
    Row("dspmqtrc", "control.dspmqtrc", "format traces for people"),
    Row("smf", "tools.smf_command", "show SMF records, ours and those of z/OS", own_name=False),
    Row(
        "pipeline",
        "tools.pipeline_command",
        "make tables of SMF dumps and messages",
        own_name=False,
    ),
    Row("lake", "tools.lake_command", "look for messages in the lake", own_name=False),
    Row(
        "replay", "tools.replay_command", "put messages of the lake back on a queue", own_name=False
    ),
    Row(
        "report",
        "tools.report_command",
        "a page about queue managers for a browser",
        own_name=False,
    ),
    Row("perf", "tools.perf_command", "run the regression suite and compare runs", own_name=False),
    Row("amqsput", "samples.amqsput", "put lines as messages", bare=True),
    Row("amqsputc", "samples.amqsputc", "put lines as messages, as a client", bare=True),
    Row("amqsget", "samples.amqsget", "get and show messages", bare=True),
    Row("amqsgetc", "samples.amqsgetc", "get and show messages, as a client", bare=True),
    Row("amqsbcg", "samples.amqsbcg", "show messages whole, without taking them", bare=True),
    Row("amqsbcgc", "samples.amqsbcgc", "show messages whole, as a client", bare=True),
    Row("amqsgbr", "samples.amqsgbr", "show the data of messages, without taking them", bare=True),
    Row("amqsgbrc", "samples.amqsgbrc", "show the data of messages, as a client", bare=True),
    Row("amqsreq", "samples.amqsreq", "send requests and show the replies", bare=True),
    Row("amqsech", "samples.amqsech", "answer requests with what they said", bare=True),
    Row("amqsinq", "samples.amqsinq", "answer requests about queues", bare=True),
    Row("amqsset", "samples.amqsset", "switch puts to queues off on request", bare=True),
    Row("amqspub", "samples.amqspub", "publish lines to a topic", bare=True),
    Row("amqspubc", "samples.amqspubc", "publish lines to a topic, as a client", bare=True),
    Row("amqssub", "samples.amqssub", "subscribe to a topic and show publications", bare=True),
    Row("amqssubc", "samples.amqssubc", "subscribe to a topic, as a client", bare=True),
    Row("amqsrua", "samples.amqsrua", "show what is published about resources", bare=True),
    Row("amqsevt", "samples.amqsevt", "show event messages"),
    Row("amqsmon", "samples.amqsmon", "show statistics and accounting messages"),
)
BY_NAME: Final[dict[str, Row]] = {row.name: row for row in COMMANDS}


def help_text(row: Row) -> str:
    """What a command without options of its own says about itself."""
    about = (import_module(f"{PACKAGE}.{row.module}").__doc__ or row.about).strip()
    return f"{about}\n\n{examples_text(row.name)}"


def command(row: Row) -> Callable[[list[str]], int]:
    """The function that runs a command."""
    main: Callable[[list[str]], int] = import_module(f"{PACKAGE}.{row.module}").main
    return main
