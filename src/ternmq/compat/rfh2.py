"""RFH2 as both libraries have it: folders are added to it, or it is read from data."""

from __future__ import annotations

import struct
from typing import Any, Final
from xml.etree import ElementTree

from ternmq.base import constants as mq
from ternmq.compat.errors import PYIFError
from ternmq.compat.member_table import members
from ternmq.compat.structure import MQOpts
from ternmq.compat.unicode import MQLONG_TYPE, ensure_not_unicode

_BIG_OTHERWISE: Final = (
    mq.MQENC_DECIMAL_NORMAL,
    mq.MQENC_FLOAT_IEEE_NORMAL,
    mq.MQENC_FLOAT_S390,
    mq.MQENC_DECIMAL_NORMAL + mq.MQENC_FLOAT_IEEE_NORMAL,
)


class RFH2(MQOpts):
    """MQRFH2. Each folder becomes two members: `usr` with its text, `usrLength`."""

    def __init__(self, **kw: Any) -> None:
        self.opts = members("RFH2", self._library)
        super().__init__(self.opts, **kw)

    def add_folder(self, folder_data: bytes) -> None:
        """Add a folder, which must be XML; it is filled up with blanks to a multiple of four."""
        ensure_not_unicode(folder_data)
        name = self._folder_name(folder_data)
        data = folder_data + b" " * (-len(folder_data) % 4)
        self._add(name, data)
        self["StrucLength"] = self.get_length()

    def _add(self, name: str, data: bytes) -> None:
        self.opts.append([f"{name}Length", len(data), MQLONG_TYPE])
        self.opts.append([name, data, f"{len(data)}s"])
        setattr(self, f"{name}Length", len(data))
        setattr(self, name, data)
        self._members = list(self.opts)

    def _folder_name(self, folder: bytes) -> str:
        try:
            name = ElementTree.fromstring(folder.rstrip(b" \0")).tag
        except (ElementTree.ParseError, ValueError, LookupError) as error:
            # The last two: an encoding that it says it is in.
            raise self._refused(f"RFH2 - XML Folder not well formed. Exception: {error}") from error
        if not self._is_free(name):
            raise self._refused(f"RFH2 - a folder cannot be named {name}, which RFH2 itself has")
        return name

    def _is_free(self, name: str) -> bool:
        """Folders become attributes, so none may take the place of another attribute."""
        fixed = {member[0] for member in members("RFH2", self._library)} | set(vars(MQOpts))
        own = set(vars(type(self))) | set(vars(RFH2)) | set(vars(self)) - set(self._folders())
        return not {name, f"{name}Length"} & (fixed | own)

    def _folders(self) -> list[str]:
        return [member[0] for member in self.opts[len(members("RFH2", self._library)) :]]

    def _refused(self, text: str) -> PYIFError:
        return PYIFError(text)

    # ---- bytes

    def _is_big(self, encoding: int) -> bool:
        """By the integers of an encoding; one that says nothing of them is as its other numbers."""
        integers = encoding & mq.MQENC_INTEGER_MASK
        return integers == mq.MQENC_INTEGER_NORMAL or encoding in _BIG_OTHERWISE

    def _order(self, big: bool) -> None:
        first = self.opts[0]
        first[2] = (">" if big else "<") + first[2].lstrip("<>")
        self._members = list(self.opts)

    def pack(self, encoding: int | None = None) -> bytes:
        """The header in the byte order of an encoding; if it is not given, in the one that it was
        read in, or that of the machine."""
        if encoding is not None:
            self._order(self._is_big(encoding))
        return super().pack()

    def unpack(self, buff: bytes, encoding: int | None = None) -> Any:
        """Read the header at the beginning of the data; without an encoding its version gives the
        byte order."""
        ensure_not_unicode(buff)
        if buff[:4] != mq.MQRFH_STRUC_ID:
            name = self.opts[0][0]
            raise self._refused(f"RFH2 - {name} not MQRFH_STRUC_ID. Value: {buff[:4]!r}")
        fixed = mq.MQRFH_STRUC_LENGTH_FIXED_2
        if len(buff) < fixed:
            short = f"Should be {fixed}+ bytes instead of {len(buff)}"
            raise self._refused(f"RFH2 - Buffer too short. {short}")
        self.opts = members("RFH2", self._library)
        big = buff[4:5] == b"\0" if encoding is None else self._is_big(encoding)
        self._order(big)
        values = super().unpack(buff[:fixed])
        length = self["StrucLength"]
        if length < 0:
            raise self._refused('RFH2 - "StrucLength" is negative. Check numeric encoding.')
        if len(buff) == fixed:
            return values  # the head alone
        if length < fixed:
            raise self._refused(f"RFH2 - StrucLength is {length}, and at least {fixed}")
        if length > len(buff):
            short = f"Expected: {length} Buffer Length: {len(buff)}"
            raise self._refused(f"RFH2 - Buffer too short. {short}")
        at = fixed
        while at < length:
            size = struct.unpack_from(">i" if big else "<i", buff, at)[0] if at + 4 <= length else 0
            folder = buff[at + 4 : at + 4 + size]
            if size <= 0 or at + 4 + size > length:
                raise self._refused(f"RFH2 - XML Folder not well formed. {size} bytes at {at}")
            self._add(self._folder_name(folder), folder)
            at += 4 + size
        return values
