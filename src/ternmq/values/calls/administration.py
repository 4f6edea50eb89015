"""Commands, the log, media recovery, SMF destinations: what administrators and monitoring ask."""

from __future__ import annotations

from typing import final

from ternmq.codec.mqi.mqsts import Status
from ternmq.values.calls.call import Call
from ternmq.values.command import Answer, Command
from ternmq.values.status import LogExtents, LogStatus, ObjectFile, SMFRead, SMFStatus


@final
class RunCommands(Call):
    """MQSC text, or commands that are not written as text; all answers in order. A refusal is an
    answer, too."""

    def __init__(self, commands: list[Command], text: str = "", verb: str = "MQSC") -> None:
        super().__init__("command", verb)
        self.commands = commands
        self.text = text
        self.answers: list[Answer] = []


@final
class Checkpoint(Call):
    """A checkpoint, taken now and waited for."""

    def __init__(self) -> None:
        super().__init__("checkpoint", "checkpoint")


@final
class RecordImage(Call):
    """Media images of one object, of several, or of all; `names` are those that were written."""

    def __init__(self, object_name: str) -> None:
        super().__init__("record_image", "record image")
        self.object_name = object_name
        self.names: list[str] = []


@final
class Recreate(Call):
    """An object is made again from its media image."""

    def __init__(self, object_name: str) -> None:
        super().__init__("recreate", "recreate")
        self.object_name = object_name


@final
class DeleteLogExtents(Call):
    """Files of the log that are not needed are deleted; `names` are theirs."""

    def __init__(self) -> None:
        super().__init__("delete_log_extents", "delete log extents")
        self.names: list[str] = []


@final
class InquireLogExtents(Call):
    """Which files the log has, and what each is needed for."""

    def __init__(self) -> None:
        super().__init__("log_extents", "DISPLAY")
        self.found: LogExtents | None = None

    def outcome(self) -> LogExtents:
        """The result."""
        found = self.found
        if found is None:
            raise NotImplementedError("log_extents is not done")
        return found


@final
class InquireLogStatus(Call):
    """What the log has done since the start, and how full it is."""

    def __init__(self) -> None:
        super().__init__("log_status", "DISPLAY")
        self.found: LogStatus | None = None

    def outcome(self) -> LogStatus:
        """The result."""
        found = self.found
        if found is None:
            raise NotImplementedError("log_status is not done")
        return found


@final
class InquireObjectFiles(Call):
    """Every object, and where it is under the queue manager's folder."""

    def __init__(self) -> None:
        super().__init__("object_files", "DISPLAY")
        self.files: list[ObjectFile] = []


@final
class InquireReport(Call):
    """What the restart did, line by line."""

    def __init__(self) -> None:
        super().__init__("report", "DISPLAY")
        self.lines: list[str] = []


@final
class InquireSMF(Call):
    """How the destinations of SMF records are doing."""

    def __init__(self) -> None:
        super().__init__("smf_status", "DISPLAY")
        self.destinations: list[SMFStatus] = []


@final
class SwitchSMF(Call):
    """New data sets or segments begin, of one destination or of all; `names` are those begun."""

    def __init__(self, stream: str) -> None:
        super().__init__("smf_switch", "smf switch")
        self.stream = stream
        self.names: list[str] = []


@final
class ReadSMF(Call):
    """SMF records of an in-memory stream from a number on; -1: from now on."""

    def __init__(self, stream: str, first: int, wait_ms: int) -> None:
        super().__init__("smf_read", "smf read")
        if first < -1:
            raise ValueError(
                f"position {first} is not the number of a record, nor -1 for from now on"
            )
        self.stream = stream
        self.first = first
        self.wait_ms = wait_ms
        self.wait_s = wait_ms / 1000
        self.found: SMFRead | None = None
        self.ended = False  # no more records will come

    def lacks(self) -> bool:
        found = self.found
        return found is not None and not found.records and not self.ended

    def outcome(self) -> SMFRead:
        """The result."""
        found = self.found
        if found is None:
            raise NotImplementedError("smf_read is not done")
        return found


@final
class InquirePuts(Call):
    """MQSTAT: how puts with MQPMO_ASYNC_RESPONSE went since it was last asked."""

    def __init__(self) -> None:
        super().__init__("status", "MQSTAT")
        self.found = Status()  # where every put is answered there is nothing to report
