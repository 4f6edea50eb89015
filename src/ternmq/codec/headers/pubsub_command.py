"""Commands, responses and publications of queued publish/subscribe, in MQRFH2 and MQRFH headers.

MQRFH2 (`mqrfh`): folders like XML, one level of elements; an element may be repeated.

    <psc><Command>Publish</Command><Topic>a/b</Topic><PubOpt>RetainPub</PubOpt></psc>
    <pscr><Completion>warning</Completion><Response><Reason>3073</Reason><Topic>a</Topic></Response>
    </pscr>

MQRFH: names and values in turn, separated by blanks; one with blanks in it is in double quotes, in
which a double quote is written twice; a zero ends the string. Names of publish/subscribe begin with
"MQPS"; others are the publisher's own and go with the publication: `OWN` stands before their names.

    MQPSCommand Publish MQPSTopic a/b MQPSPubOpts RetainPub
    MQPSCompCode 1 MQPSReason 3073 MQPSReasonText MQRCCF_NOT_REGISTERED MQPSTopic a

Both are read into the same fields, in their order, with the names of an MQRFH2.
"""

from __future__ import annotations

from typing import Final, final

from ternmq.base import constants as mq
from ternmq.base.errors import MQError
from ternmq.base.reason_lookup import reason
from ternmq.base.reasons import MQRC_RFH_COMMAND_ERROR, MQRC_RFH_ERROR, MQRC_RFH_STRING_ERROR
from ternmq.codec.charset import UTF8
from ternmq.codec.headers.mqrfh import RulesHeader, RulesHeader2
from ternmq.codec.mqi.layout import LITTLE
from ternmq.codec.property_folders import FolderReader, escaped, is_element

Field = tuple[str, str]  # name and value
OWN: Final = "="

COMMAND: Final = "Command"
TOPIC: Final = "Topic"
_PREFIX: Final = "MQPS"
_FOLDER: Final = "psc"
_ELEMENTS_MAX: Final = 8192
# Where the names of the two headers differ by more than the prefix.
_TO_NAMES_1: Final[dict[str, str]] = {
    "RegOpt": "MQPSRegOpts",
    "PubOpt": "MQPSPubOpts",
    "DelOpt": "MQPSDelOpts",
}
_FROM_NAMES_1: Final[dict[str, str]] = {old: new for new, old in _TO_NAMES_1.items()}
_COMPLETIONS: Final[dict[int, str]] = {
    mq.MQCC_OK: "ok",
    mq.MQCC_WARNING: "warning",
    mq.MQCC_FAILED: "error",
}


@final
class CommandError(Exception):
    """What is wrong with a command before anything is known of it."""

    def __init__(self, reason: int, at: int = -1) -> None:
        super().__init__(f"reason {reason}")
        self.reason = reason
        self.at = at  # in the string of an MQRFH; -1: nowhere


@final
class CommandMessage:
    """What a message says, and what follows its header."""

    def __init__(self, version: int) -> None:
        self.version = version  # of the header: 1 or 2
        self.fields: list[Field] = []
        self.own: list[Field] = []  # what the publisher's own names say
        self.folders: list[str] = []  # of an MQRFH2, but for psc
        self.folder = ""  # psc as it came
        self.data = b""  # behind the header
        self.encoding = 0
        self.ccsid = 0
        self.format = ""

    def values(self, name: str) -> list[str]:
        """All values of a name."""
        return [value for one, value in self.fields if one == name]

    def value(self, name: str) -> str:
        """The first value of a name; "" without one."""
        for one, value in self.fields:
            if one == name:
                return value
        return ""


@final
class Response:
    """One reason, and the fields that say more of it."""

    def __init__(self, reason: int, fields: list[Field] | None = None) -> None:
        self.reason = reason
        self.fields: list[Field] = [] if fields is None else fields


def read_command(data: bytes, format: str, order: str, ccsid: int) -> CommandMessage:
    """A message whose data begins with an MQRFH or MQRFH2, as its format says. CommandError if it
    holds no command that can be read."""
    made: CommandMessage | None = None
    try:
        if format == mq.MQFMT_RF_HEADER_2:
            made = _read_2(data, order, ccsid)
        elif format == mq.MQFMT_RF_HEADER_1:
            made = _read_1(data, order, ccsid)
    except MQError:
        pass
    if made is None:
        raise CommandError(MQRC_RFH_ERROR)
    _refuse_broken(made.fields)
    _refuse_broken(made.own)
    return made


def _refuse_broken(fields: list[Field]) -> None:
    """Bytes that stand for no character, and halves of surrogate pairs, could not be stored."""
    for name, value in fields:
        try:
            (name + value).encode("utf-8")
        except UnicodeEncodeError:
            raise CommandError(MQRC_RFH_STRING_ERROR) from None


def _read_2(data: bytes, order: str, ccsid: int) -> CommandMessage:
    header = RulesHeader2.unpack(data, 0, order, ccsid)
    made = CommandMessage(2)
    for folder in header.folders:
        if not made.folder and folder.startswith(("<psc>", "<psc ")):
            made.folder = folder
        else:
            made.folders.append(folder)
    if not made.folder:
        raise CommandError(MQRC_RFH_COMMAND_ERROR)
    elements = FolderReader(made.folder, _ELEMENTS_MAX).read()
    if elements is None:
        raise CommandError(MQRC_RFH_STRING_ERROR)
    made.fields = [(name[len(_FOLDER) + 1 :], value or "") for name, _, value in elements]
    _take_rest(made, data, header.structure_length, header.encoding, header.ccsid, header.format)
    return made


def _read_1(data: bytes, order: str, ccsid: int) -> CommandMessage:
    header = RulesHeader.unpack(data, 0, order, ccsid)
    made = CommandMessage(1)
    for name, value in read_pairs(header.name_values):
        if name.startswith(_PREFIX):
            made.fields.append((_FROM_NAMES_1.get(name, name[len(_PREFIX) :]), value))
        else:
            made.own.append((OWN + name, value))
    if not made.fields or made.fields[0][0] != COMMAND:
        at = header.name_values.find(_PREFIX)
        last = max(len(header.name_values) - 1, 0)
        raise CommandError(MQRC_RFH_COMMAND_ERROR, last if at < 0 else at)
    _take_rest(made, data, header.structure_length, header.encoding, header.ccsid, header.format)
    return made


def _take_rest(
    made: CommandMessage, data: bytes, at: int, encoding: int, ccsid: int, format: str
) -> None:
    made.data = data[at:]
    made.encoding = encoding
    made.ccsid = ccsid
    made.format = format


def read_pairs(text: str) -> list[Field]:
    """Names and values of an MQRFH. CommandError if a quote or a value is missing."""
    end = text.find("\0")
    if end >= 0:
        text = text[:end]
    words: list[str] = []
    at = 0
    while True:
        while at < len(text) and text[at].isspace():
            at += 1
        if at == len(text):
            break
        begin = at
        if text[at] == '"':
            word, at = _quoted(text, at)
        else:
            while at < len(text) and not text[at].isspace():
                at += 1
            word = text[begin:at]
        words.append(word)
    if len(words) % 2:
        raise CommandError(MQRC_RFH_STRING_ERROR, len(text))
    return [(words[at], words[at + 1]) for at in range(0, len(words), 2)]


def _quoted(text: str, at: int) -> tuple[str, int]:
    """The word in quotes that begins there, and where it ends."""
    begin = at
    parts: list[str] = []
    at += 1
    while True:
        end = text.find('"', at)
        if end < 0:
            raise CommandError(MQRC_RFH_STRING_ERROR, begin)
        parts.append(text[at:end])
        if text[end + 1 : end + 2] != '"':
            return '"'.join(parts), end + 1
        at = end + 2


# ---- writing


def folder_text(fields: list[Field]) -> str:
    """The psc folder with these fields."""
    return f"<{_FOLDER}>{_elements(fields)}</{_FOLDER}>"


def pairs_text(fields: list[Field]) -> str:
    """The string of an MQRFH with these fields."""
    words: list[str] = []
    for name, value in fields:
        if name.startswith(OWN):
            words.append(_word(name[len(OWN) :]))
        else:
            words.append(_TO_NAMES_1.get(name, _PREFIX + name))
        words.append(_word(value))
    return " ".join(words)


def _elements(fields: list[Field]) -> str:
    parts: list[str] = []
    for name, value in fields:
        tag = name.removeprefix(OWN)
        if not name.startswith(OWN) or is_element(tag):
            parts.append(f"<{tag}>{escaped(value)}</{tag}>")
    return "".join(parts)


def _word(value: str) -> str:
    """A value, in quotes if it needs them."""
    if value and '"' not in value and not any(one.isspace() for one in value):
        return value
    return '"' + value.replace('"', '""') + '"'


def fields_header(
    version: int, fields: list[Field], encoding: int, ccsid: int, format: str
) -> bytes:
    """An MQRFH or MQRFH2 with a command, before data with this encoding, CCSID and format; in
    MQENC_NATIVE and UTF-8."""
    if version == 1:
        header_1 = RulesHeader(
            encoding=encoding, ccsid=ccsid, format=format, name_values=pairs_text(fields)
        )
        return header_1.pack(LITTLE, UTF8)
    header = RulesHeader2(
        encoding=encoding, ccsid=ccsid, format=format, folders=[folder_text(fields)]
    )
    return header.pack(LITTLE, UTF8)


def response_header(
    version: int, completion: int, responses: list[Response], command_folder: str
) -> bytes:
    """The whole data of a response: a pscr folder, and the psc folder of the command where it is
    not answered with ok, or one that describes a subscription (a Response without a reason); or an
    MQRFH. IBM's classes for JMS look for the description there."""
    if version == 1:
        return _response_1(completion, responses)
    parts = [f"<Completion>{_COMPLETIONS[completion]}</Completion>"]
    described = ""
    for response in responses:
        if response.reason:
            reason = f"<Reason>{response.reason}</Reason>"
            parts.append(f"<Response>{reason}{_elements(response.fields)}</Response>")
        else:
            described = folder_text(response.fields)
    folders = [f"<pscr>{''.join(parts)}</pscr>"]
    if described:
        folders.append(described)
    elif command_folder and completion != mq.MQCC_OK:
        folders.append(command_folder)
    header = RulesHeader2(ccsid=UTF8, folders=folders)
    return header.pack(LITTLE, UTF8)


def _response_1(completion: int, responses: list[Response]) -> bytes:
    fields: list[Field] = [("CompCode", str(completion))]
    for response in responses or [Response(0)]:
        fields.append(("Reason", str(response.reason)))
        fields.append(("ReasonText", reason(response.reason).name))
        fields.extend(response.fields)
    header = RulesHeader(ccsid=UTF8, name_values=pairs_text(fields))
    return header.pack(LITTLE, UTF8)


def read_response(data: bytes, format: str, order: str, ccsid: int) -> tuple[int, list[Response]]:
    """Completion code and reasons of a response, for those that ask."""
    if format == mq.MQFMT_RF_HEADER_1:
        return _read_response_1(RulesHeader.unpack(data, 0, order, ccsid).name_values)
    folder = RulesHeader2.unpack(data, 0, order, ccsid).folder("pscr")
    elements = FolderReader(folder, _ELEMENTS_MAX).read() if folder else None
    if elements is None:
        raise CommandError(MQRC_RFH_ERROR)
    completion = mq.MQCC_OK
    responses: list[Response] = []
    for name, _, value in elements:
        if name == "pscr.Completion":
            words = [code for code, word in _COMPLETIONS.items() if word == value]
            completion = words[0] if words else mq.MQCC_FAILED
        elif name == "pscr.Response.Reason":
            responses.append(Response(int(value or "0")))
        elif responses:
            responses[-1].fields.append((name[len("pscr.Response.") :], value or ""))
    return completion, responses


def _read_response_1(text: str) -> tuple[int, list[Response]]:
    completion = mq.MQCC_OK
    responses: list[Response] = []
    for name, value in read_pairs(text):
        if name == "MQPSCompCode":
            completion = int(value)
        elif name == "MQPSReason":
            responses.append(Response(int(value)))
        elif responses and name != "MQPSReasonText":
            short = _FROM_NAMES_1.get(name, name[len(_PREFIX) :])
            responses[-1].fields.append((short, value))
    return completion, responses
