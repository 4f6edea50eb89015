"""Folders of an MQRFH2 that hold properties: read, and written.

    folder     = element whose name is one of FOLDERS, or that says content='properties'
    element    = <name attributes>(text | elements)</name>, or <name attributes/>
    attributes = dt='i4'                      type, string without it (property_types)
                 xsi:nil='true'               the value is null
                 sa='optional' sr='required' sx='local'   Support of the MQPD, in folder mq only
                 context='user'               Context of the MQPD, none without it
                 copy='forward,reply'         CopyOptions of the MQPD, MQCOPY_DEFAULT without it

A property of folder usr has its plain name, one of another folder `folder.name`; elements inside
elements are joined by dots. The text is like XML, but a name may also be an identifier of Java,
with `$` say, for IBM MQ allows these. A folder is valid if its tags match, text is in leaves only,
and it has no declarations, no comments and no entities but the five of XML. Reading fails for
nothing: `read` gives None for an invalid folder.
"""

from __future__ import annotations

import re
from typing import Final, final

from ternmq.base import constants as mq
from ternmq.codec.property import Property
from ternmq.codec.property_types import (
    DT_OF_TYPE,
    NOT_XML,
    STRING_DT,
    TYPE_OF_DT,
    text_of_value,
    value_of_text,
)

FOLDER_USER: Final = "usr"
FOLDER_MQ: Final = "mq"
# One list for all readers and writers. IBM's, and mqpse and mqpss of publish/subscribe.
FOLDERS: Final = frozenset(
    (
        *("usr", "jms", "mcd", "mqext", "mqps", "mqpse", "mqpss", "mq", "mqema", "mq_usr"),
        *("sib", "sib_usr", "sib_context", "ibm", "mq_svc", "mqtt"),
    )
)
JMS_FOLDERS: Final = ("mcd", "jms", "usr", "mqext")  # what PROPCTL(COMPAT) asks for
NAME_LENGTH_MAX: Final = 4095  # MQ_MAX_PROPERTY_NAME_LENGTH
PARTS_MAX: Final = 8192  # headers, folders and elements of a message
# Elements of folder jms whose type is not a string if they do not say it.
JMS_DTS: Final[dict[str, str]] = {
    "jms.Dlv": "i4",
    "jms.Exp": "i8",
    "jms.Pri": "i4",
    "jms.Seq": "i4",
    "jms.Tms": "i8",
}
_COPY_WORDS: Final[dict[str, int]] = {
    "all": mq.MQCOPY_ALL,
    "forward": mq.MQCOPY_FORWARD,
    "publish": mq.MQCOPY_PUBLISH,
    "reply": mq.MQCOPY_REPLY,
    "report": mq.MQCOPY_REPORT,
    "default": mq.MQCOPY_DEFAULT,
    "none": mq.MQCOPY_NONE,
}
_COPY_ORDER: Final = ("all", "forward", "publish", "reply", "report")
# Names may take more room than their folder, for each has its groups in front.
_NAMES_FACTOR: Final = 8
_NAMES_LEAST: Final = 64 * 1024
# A name begins as one of XML, or as one of Java: with a currency sign or a connector. Behind that,
# of ASCII only letters, digits and $ - . : _ are part of it.
_CURRENCY: Final = (
    "\u00a2-\u00a5\u058f\u060b\u07fe\u07ff\u09f2\u09f3\u09fb\u0af1\u0bf9\u0e3f\u17db\u20a0-\u20c0\ua838"
    "\ufdfc\ufe69\uff04\uffe0\uffe1\uffe5\uffe6"
)
_CONNECTORS: Final = "\u203f\u2040\u2054\ufe33\ufe34\ufe4d-\ufe4f\uff3f"
_NAME: Final = (
    rf"(?:[^\W\d]|[$:{_CURRENCY}{_CONNECTORS}])[^\s\x00-\x23\x25-\x2c/;-@\[-\^`{{-\x7f]*+"
)
_ELEMENT_NAME: Final = re.compile(_NAME)
_FIRST_TAG: Final = re.compile(rf"\s*<({_NAME})([^>]*)>")
_CONTENT: Final = re.compile(r"content\s*=\s*(['\"])properties\1")
_VALUE: Final = "(?:\"[^\"<]*+\"|'[^'<]*+')"
# Attributes are not a possessive group: before Python 3.11.5 such a group keeps what a
# failed round took (gh-106052).
_TOKEN: Final = re.compile(
    rf"<({_NAME})((?:\s++{_NAME}\s*+=\s*+{_VALUE})*)\s*+(/?)>|</({_NAME})\s*+>|([^<]++)"
)
_ATTRIBUTE: Final = re.compile(rf"({_NAME})\s*=\s*({_VALUE})")
_REFERENCE: Final = re.compile(r"&(?:#([0-9]{1,7})|#x([0-9A-Fa-f]{1,6})|(lt|gt|amp|apos|quot));|&")
_ENTITIES: Final = {"lt": "<", "gt": ">", "amp": "&", "apos": "'", "quot": '"'}
_NIL: Final = ' xsi:nil="true" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'

Element = tuple[str, str, str | None]  # name, dt, text; None: null


def is_property_folder(folder: str) -> bool:
    """Whether a folder holds properties, by its first tag."""
    found = _FIRST_TAG.match(folder)
    if found is None:
        return False
    return found.group(1) in FOLDERS or _CONTENT.search(found.group(2)) is not None


def is_jms_folder(folder: str) -> bool:
    """Whether it is one of those that PROPCTL(COMPAT) asks for."""
    found = _FIRST_TAG.match(folder)
    return found is not None and found.group(1) in JMS_FOLDERS


def read_folder(folder: str) -> list[Element] | None:
    """The properties of one folder; None if it is invalid."""
    return FolderReader(folder, PARTS_MAX).read()


def is_element(name: str) -> bool:
    """Whether a name can be that of an element."""
    return _ELEMENT_NAME.fullmatch(name) is not None and NOT_XML.search(name) is None


@final
class FolderReader:
    """Collects the leaves of a folder."""

    def __init__(self, folder: str, elements_max: int) -> None:
        self.elements_left = elements_max
        self.found: list[Element] = []
        # Support, context and copy options of those that say them, by their place in `found`.
        self.descriptors: dict[int, tuple[int, int, int]] = {}
        self._folder = folder
        self._names_left = len(folder) * _NAMES_FACTOR + _NAMES_LEAST
        self._path: list[str] = []
        self._path_length = 0
        self._text = ""
        self._attributes = ""
        self._is_leaf = False
        self._is_over = False

    def read(self) -> list[Element] | None:
        """The properties of the folder; None if it is invalid."""
        if NOT_XML.search(self._folder) is not None:
            return None
        text = self._folder
        if "\r" in text:
            text = text.replace("\r\n", "\n").replace("\r", "\n")
        at = 0
        end = len(text)
        while at < end:
            token = _TOKEN.match(text, at)
            if token is None or not self._take(token):
                return None
            at = token.end()
        return self.found if self._is_over else None

    def _take(self, token: re.Match[str]) -> bool:
        """One tag or text; False if the folder is invalid."""
        opened: str | None = token.group(1)
        if opened is not None:
            if not self._begin(opened, token.group(2)):
                return False
            return self._end(opened) if token.group(3) else True
        closed: str | None = token.group(4)
        if closed is not None:
            return self._end(closed)
        self._text = token.group(5)
        return self._is_leaf or not self._text.strip()

    def _begin(self, name: str, attributes: str) -> bool:
        self.elements_left -= 1
        if self._text.strip() or self._is_over or self.elements_left < 0:
            return False
        self._path.append(name)
        self._path_length += len(name) + 1
        if self._path_length - len(self._path[0]) - 2 > NAME_LENGTH_MAX:  # without the folder
            return False
        self._text = ""
        self._attributes = attributes
        self._is_leaf = len(self._path) > 1
        return True

    def _end(self, name: str) -> bool:
        if not self._path or self._path[-1] != name:
            return False
        if self._is_leaf and not self._take_leaf():
            return False
        self._is_leaf = False
        self._text = ""
        self._path.pop()
        self._path_length -= len(name) + 1
        self._is_over = not self._path
        return True

    def _take_leaf(self) -> bool:
        text = unescaped(self._text)
        self._names_left -= self._path_length
        if text is None or self._names_left < 0:
            return False
        path = self._path[1:] if self._path[0] == FOLDER_USER else self._path
        name = ".".join(path)
        dt = JMS_DTS.get(name, STRING_DT)
        value: str | None = text
        if self._attributes:
            for attribute in _ATTRIBUTE.finditer(self._attributes):
                word: str = attribute.group(1)
                if word == "dt":
                    dt = attribute.group(2)[1:-1]
                elif word == "xsi:nil" and attribute.group(2)[1:-1] == "true":
                    value = None
                elif word in ("sa", "sr", "sx", "context", "copy"):
                    self._describe(word, attribute.group(2)[1:-1])
        self.found.append((name, dt, value))
        return True

    def _describe(self, word: str, text: str) -> None:
        """An attribute of the MQPD, of the element that is added next."""
        at = len(self.found)
        support, context, copy_options = self.descriptors.get(at, _NOT_DESCRIBED)
        if word == "context":
            context = mq.MQPD_USER_CONTEXT if text == "user" else mq.MQPD_NO_CONTEXT
        elif word == "copy":
            copy_options = _copy_options(text)
        elif self._path[0] != FOLDER_MQ:
            return
        elif word == "sr":
            support = mq.MQPD_SUPPORT_REQUIRED
        elif word == "sx" and support != mq.MQPD_SUPPORT_REQUIRED:
            support = mq.MQPD_SUPPORT_REQUIRED_IF_LOCAL
        self.descriptors[at] = (support, context, copy_options)


_NOT_DESCRIBED: Final = (mq.MQPD_SUPPORT_OPTIONAL, mq.MQPD_NO_CONTEXT, mq.MQCOPY_DEFAULT)


def _copy_options(text: str) -> int:
    """MQCOPY of the words; unknown ones do not count, and `all` is more than any other."""
    found = 0
    known = False
    for word in text.split(","):
        options = _COPY_WORDS.get(word.strip(), -1)
        if options >= 0:
            known = True
            found |= options
    if not known:
        return mq.MQCOPY_DEFAULT
    return mq.MQCOPY_ALL if found & mq.MQCOPY_ALL else found


def unescaped(text: str) -> str | None:
    """Text without its references; None if one is not of XML's five, or not a character."""
    if "&" not in text:
        return text
    parts: list[str] = []
    at = 0
    for found in _REFERENCE.finditer(text):
        character = _character(found)
        if not character:
            return None
        parts += (text[at : found.start()], character)
        at = found.end()
    parts.append(text[at:])
    return "".join(parts)


def _character(found: re.Match[str]) -> str:
    word: str | None = found.group(3)
    if word is not None:
        return _ENTITIES[word]
    number = int(found.group(1) or "0")
    if found.group(2):
        number = int(found.group(2), 16)
    if not 0 < number <= 0x10FFFF or NOT_XML.match(chr(number)) is not None:
        return ""
    return chr(number)


def property_of(element: Element, descriptor: tuple[int, int, int] = _NOT_DESCRIBED) -> Property:
    """An element as a property."""
    type, value = value_of_text(element[1], element[2])
    return Property(element[0], type, value, descriptor[0], descriptor[1], descriptor[2])


def unknown_dt(element: Element) -> str:
    """The `dt` of an element if no type has it, as MQIMPO's TypeString: at most 8 bytes of it."""
    dt = element[1]
    if element[2] is None or dt in TYPE_OF_DT:
        return ""
    return dt.encode("utf-8")[:8].decode("utf-8", "ignore")


# ---- writing


def folder_of(name: str) -> str:
    """The folder of a property."""
    folder, dot, _ = name.partition(".")
    return folder if dot else FOLDER_USER


def folders_of(properties: list[Property]) -> list[str]:
    """The folders of properties, in their order: one for each row of properties of one folder."""
    folders: list[str] = []
    parts: list[str] = []
    current = ""
    for one in properties:
        folder = folder_of(one.name)
        if folder != current and parts:
            folders.append(_folder(current, parts))
            parts = []
        current = folder
        parts.append(_element(one))
    if parts:
        folders.append(_folder(current, parts))
    return folders


def parts_of(properties: list[Property]) -> int:
    """How many headers, folders and elements a reader counts in them."""
    count = 1
    current = ""
    for one in properties:
        folder = folder_of(one.name)
        if folder != current:
            count += 2  # once as a part of the header, once as an element
            current = folder
        count += one.name.count(".") or 1
    return count


def _folder(name: str, parts: list[str]) -> str:
    content = "" if name in FOLDERS else ' content="properties"'
    return f"<{name}{content}>{''.join(parts)}</{name}>"


def _element(one: Property) -> str:
    if one.type == mq.MQTYPE_NULL:
        attributes = _NIL
    elif one.type == mq.MQTYPE_STRING and one.name not in JMS_DTS:
        attributes = ""
    else:
        attributes = f' dt="{DT_OF_TYPE[one.type]}"'
    if one.context == mq.MQPD_USER_CONTEXT:
        attributes += ' context="user"'
    if one.copy_options != mq.MQCOPY_DEFAULT:
        words = [word for word in _COPY_ORDER if one.copy_options & _COPY_WORDS[word]]
        attributes += f' copy="{",".join(words) or "none"}"'
    path = one.name.split(".")
    if len(path) > 1:
        if path[0] == FOLDER_MQ:
            attributes += _SUPPORT_ATTRIBUTES.get(one.support, "")
        del path[0]
    text = escaped(text_of_value(one.value))
    for name in reversed(path):
        text = f"<{name}{attributes}>{text}</{name}>"
        attributes = ""
    return text


_SUPPORT_ATTRIBUTES: Final[dict[int, str]] = {
    mq.MQPD_SUPPORT_REQUIRED: ' sr="required"',
    mq.MQPD_SUPPORT_REQUIRED_IF_LOCAL: ' sx="local"',
}


def escaped(text: str) -> str:
    """Text as an element has it; a return as it is would be read as the end of a line."""
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return text.replace("\r", "&#13;")
