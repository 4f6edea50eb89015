"""strmqm: start a queue manager in a process of its own, and wait until it is up."""

from __future__ import annotations

from typing import Final

from ternmq.base.errors import IntegrityError, MQError
from ternmq.base.message_table import message_line, message_text
from ternmq.cli.arguments import QMGR_OR_DEFAULT, CommandLine, port
from ternmq.cli.output import write, write_error, write_now
from ternmq.log.record import LogDamaged
from ternmq.runtime.backup import activate_in_place, is_backup, replay_in_place
from ternmq.server.folder import status_file as status
from ternmq.server.folder.data_folder import (
    Place,
    data_folder,
    find,
    is_being_created,
    locked,
    register,
)
from ternmq.server.folder.installations import this_installation, version
from ternmq.server.launch import LaunchFailed, launch

EXIT_BEING_CREATED: Final = 3
EXIT_RUNNING: Final = 5
EXIT_UNKNOWN: Final = 16
EXIT_STANDS_BY: Final = 30
EXIT_STANDBY_PERMITTED: Final = 31
EXIT_STANDBY_REFUSED: Final = 43
EXIT_ENDING: Final = 49
EXIT_INSTALLATION: Final = 58
EXIT_UNEXPECTED: Final = 71
_ACTIVE: Final = (status.STARTING, status.RUNNING, status.RUNNING_ELSEWHERE)


def command_line() -> CommandLine:
    """Options as those of IBM MQ."""
    line = CommandLine("strmqm", "Start a queue manager.")
    line.add_argument("-a", action="store_true", help="activate a backup; it is not started")
    line.add_argument("-c", action="store_true", help="recreate the default objects, then end")
    line.add_argument("-ns", action="store_true", help="without services")
    line.add_argument("-r", action="store_true", help="let a backup replay its log, then end")
    line.add_suppress()
    line.add_argument("-x", action="store_true", help="permit a standby, or stand by")
    line.add_argument("--metrics-port", type=port, help="serve metrics on this port; ours")
    line.add_argument("name", metavar="QMGR", nargs="?", default="", help=QMGR_OR_DEFAULT)
    return line


def main(argv: list[str]) -> int:
    """Start it; the exit status."""
    options = command_line().parse_args(argv)
    data = data_folder()
    place = known(data, options.name)
    if place is None:
        return unknown(data, options.name)
    now = status.status_of(place.folder)
    stands_by = options.x and now.is_up and now.state in _ACTIVE
    refused = standby_refusal(place, now) if stands_by else refusal(place)
    if refused:
        return refused
    owner = owned(data, place)
    if owner:
        write_error(message_line("AMQ7011E", (place.name, owner)))
        return EXIT_INSTALLATION
    if options.a or options.r:
        return _backup(place, options.a)
    if is_backup(place.folder):
        write_error(
            f"Queue manager '{place.name}' is a backup that was not activated; strmqm -a activates "
            "it, strmqm -r lets it replay its log."
        )
        return EXIT_UNEXPECTED
    if options.c:
        return _default_objects(place)
    words = ["--no-services"] if options.ns else []
    if options.x:
        words.append("--standby" if stands_by else "--permit-standby")
    if options.metrics_port is not None:
        words += ["--metrics-port", str(options.metrics_port)]
    return _launch(data, place, words)


def _launch(data: str, place: Place, words: list[str]) -> int:
    write_now(f"TernMQ queue manager '{place.name}' starting.")
    installation = this_installation(data).name
    write(f"The queue manager is associated with installation '{installation}'.")
    try:
        is_up = launch(data, place, write_now, *words)
    except LaunchFailed as failed:
        write_error(failed.text)
        return failed.exit_status
    if not is_up:
        write(standby_text(place.name))
        return EXIT_STANDS_BY
    write(message_text("AMQ8003I", (place.name, version())))
    return 0


def standby_text(name: str) -> str:
    """What the start of a standby says."""
    return (
        f"A standby instance of queue manager '{name}' has been started. The active instance is "
        "running elsewhere."
    )


def standby_refusal(place: Place, now: status.Status) -> int:
    """Report why it cannot stand by; the exit status for that."""
    if now.permits_standby:
        return 0
    write_error(message_line("AMQ7271E", (place.name,)))
    return EXIT_STANDBY_REFUSED


def _default_objects(place: Place) -> int:
    """strmqm -c: recreate the default objects and end again."""
    from ternmq.server.folder.made_objects import replace_default_objects

    write_now(f"Creating or replacing default objects for queue manager '{place.name}'.")
    made = replace_default_objects(place)
    write(message_text("AMQ8048I", (made.created, made.replaced, len(made.failed))))
    for line in made.failed:
        write_error(line)
    return EXIT_UNEXPECTED if made.failed else 0


def _backup(place: Place, activates: bool) -> int:
    """strmqm -r and -a: nothing is started."""
    try:
        if activates:
            activate_in_place(place.folder, place.name)
            write(f"Backup queue manager '{place.name}' activated.")
            return 0
        report = replay_in_place(place.folder, place.name)
    except (MQError, LogDamaged, IntegrityError, OSError) as error:
        write_error(message_line("AMQ8101S", (error,)))
        return EXIT_UNEXPECTED
    write(
        f"{report.records} log records accessed on queue manager '{place.name}' during the log "
        f"replay phase.\nLog replay for queue manager '{place.name}' complete."
    )
    return 0


def known(data: str, name: str) -> Place | None:
    """The queue manager; if it does not exist, an error is written: `unknown` has the status."""
    try:
        return find(data, name, "strmqm")
    except MQError as error:
        message = "AMQ8106S" if is_being_created(data, name) else "AMQ8118E"
        write_error(message_line(message, (error.object or name,)))
        if message == "AMQ8118E":
            write_error(error.detail)
        return None


def unknown(data: str, name: str) -> int:
    """The exit status for a queue manager that is not there, or not yet."""
    return EXIT_BEING_CREATED if is_being_created(data, name) else EXIT_UNKNOWN


def refusal(place: Place) -> int:
    """Report that it runs already, if it does; the exit status for that."""
    now = status.status_of(place.folder)
    if not now.is_up:
        return 0
    if now.state == status.STARTING:
        write_error(message_line("AMQ8137E", (place.name,)))
    elif now.state in status.ENDING:
        write_error(message_line("AMQ8108S", (place.name,)))
        return EXIT_ENDING
    elif now.state == status.RUNNING_ELSEWHERE:
        permits = now.permits_standby
        write_error(message_line("AMQ7270E" if permits else "AMQ7271E", (place.name,)))
        return EXIT_STANDBY_PERMITTED if permits else EXIT_STANDBY_REFUSED
    else:
        write_error(message_line("AMQ8107S", (place.name,)))
    return EXIT_RUNNING


def owned(data: str, place: Place) -> str:
    """The installation that it belongs to, if that is another; one without gets this one."""
    with locked(data):
        mine = this_installation(data).name
        if place.installation and place.installation != mine:
            return place.installation
        if not place.installation:
            directory = place.folder.rpartition("/")[2]
            register(data, place.name, directory, mine, place.data_path, False)
    return ""
