"""The structures of ibmmq: those of pymqi with other defaults, and more of them. Text is taken and
becomes bytes."""

from __future__ import annotations

from typing import Any, Final

from ternmq.base import constants as mq
from ternmq.codec.headers.mqrfh import folder_name
from ternmq.compat import pcf_structures as pcf
from ternmq.compat import rfh2, structure
from ternmq.compat.ibmmq.errors import PYIFError
from ternmq.compat.member_table import IBMMQ
from ternmq.compat.pymqi import structures as pymqi

# Members that are bytes and never text.
_BINARY: Final = frozenset(
    [
        "AccountingToken",
        "AlternateSecurityId",
        "ConnectionId",
        "ConnTag",
        "CorrelId",
        "Facility",
        "GroupId",
        "MCASecurityId",
        "MsgId",
        "MsgToken",
        "PubAccountingToken",
        "RemoteSecurityId",
        "SubCorrelId",
        "TranInstanceId",
    ]
)


class MQOpts(structure.MQOpts):
    """A structure; see that of pymqi."""

    _library = IBMMQ

    def pack(self) -> bytes:
        """The structure as a C program has it in memory; TypeError if text stands where only bytes
        can."""
        for name in _BINARY & self.get().keys():
            if not isinstance(self[name], bytes):
                raise TypeError(f"{name} must be a byte array")
        return super().pack()

    def to_string(self, encoding: str = "utf8") -> Any:
        """Turn the members that are characters into text, without what fills them up."""
        for name, value in self.get().items():
            if isinstance(value, bytes) and name not in _BINARY:
                setattr(self, name, to_string(value, encoding))
        return self


def to_string(v: Any, encoding: str = "utf8") -> Any:
    """Characters as text, without what fills them up; any other value as it is."""
    if not isinstance(v, bytes):
        return v
    try:
        return v.partition(b"\0")[0].decode(encoding).strip()
    except UnicodeError:
        return v


class TableStructure(MQOpts, structure.TableStructure):
    """A structure whose members stand in the table."""


class MD(MQOpts, pymqi.MD):
    """MQMD: the descriptor of a message."""


class MDE(TableStructure):
    """MQMDE: the part of a descriptor that an MQMD of version 1 has no room for."""

    _structure = "MDE"


class OD(MQOpts, pymqi.OD):
    """MQOD: what is to be opened."""


class GMO(MQOpts, pymqi.GMO):
    """MQGMO: how to get."""


class PMO(MQOpts, pymqi.PMO):
    """MQPMO: how to put."""


class CD(MQOpts, pymqi.CD):
    """MQCD: the channel to connect through."""


class SCO(MQOpts, pymqi.SCO):
    """MQSCO: TLS of a connection."""


class CNO(MQOpts, pymqi.CNO):
    """MQCNO: how to connect."""


class CSP(MQOpts, pymqi.CSP):
    """MQCSP: user and password of a connection."""


class BNO(TableStructure):
    """MQBNO: how connections are balanced."""

    _structure = "BNO"


class SD(MQOpts, pymqi.SD):
    """MQSD: a subscription."""


class SRO(MQOpts, pymqi.SRO):
    """MQSRO: how to ask for retained publications."""


class STS(TableStructure):
    """MQSTS: how asynchronous puts went."""

    _structure = "STS"


class CBD(TableStructure):
    """MQCBD: a callback."""

    _structure = "CBD"


class CBC(TableStructure):
    """MQCBC: the context that a callback gets."""

    _structure = "CBC"


class CTLO(TableStructure):
    """MQCTLO: how to start and stop callbacks."""

    _structure = "CTLO"


class CMHO(MQOpts, pymqi.CMHO):
    """MQCMHO: how to create a message handle."""


class DMHO(TableStructure):
    """MQDMHO: how to delete a message handle."""

    _structure = "DMHO"


class PD(MQOpts, pymqi.PD):
    """MQPD: about a property."""


class SMPO(MQOpts, pymqi.SMPO):
    """MQSMPO: how to set a property."""


class DMPO(TableStructure):
    """MQDMPO: how to delete a property."""

    _structure = "DMPO"


class IMPO(MQOpts, pymqi.IMPO):
    """MQIMPO: how to inquire a property."""


class TM(MQOpts, pymqi.TM):
    """MQTM: a trigger message."""


class TMC2(MQOpts, pymqi.TMC2):
    """MQTMC2: a trigger message in characters."""


class XQH(MQOpts, pymqi.XQH):
    """MQXQH: the header of messages on transmission queues, without its MQMD."""

    def get_header(self, buf: bytes) -> Any:
        """The header at the beginning of a message."""
        return self.unpack(buf[: mq.MQXQH_CURRENT_LENGTH - mq.MQMD_LENGTH_1])

    def get_embedded_md(self, buf: bytes) -> MD:
        """The MQMD inside the header, of version 1."""
        md = MD()
        start = mq.MQXQH_CURRENT_LENGTH - mq.MQMD_LENGTH_1
        md.unpack(buf[start : mq.MQXQH_CURRENT_LENGTH])
        return md


class DLH(TableStructure):
    """MQDLH: the header of dead letters."""

    _structure = "DLH"

    def get_header(self, buf: bytes) -> Any:
        """The header at the beginning of a message."""
        return self.unpack(buf[: mq.MQDLH_LENGTH_1])


class IIH(TableStructure):
    """MQIIH: the header of messages for IMS."""

    _structure = "IIH"


class CIH(TableStructure):
    """MQCIH: the header of messages for CICS."""

    _structure = "CIH"


class RFH2(rfh2.RFH2, MQOpts):
    """MQRFH2: folders ahead of the data."""

    def _refused(self, text: str) -> PYIFError:
        return PYIFError(text)

    def _folder_name(self, folder: bytes) -> str:
        """The name of a folder, also of one whose XML is not whole, as some programs write it."""
        name = folder_name(folder.decode("utf-8", "replace") + " ")
        return name or super()._folder_name(folder)

    def get_folders(self) -> list[str]:
        """The names of its folders."""
        lengths = [name for name in self.get() if name.endswith("Length") and name != "StrucLength"]
        return [name.removesuffix("Length") for name in lengths]

    @staticmethod
    def get_folder_name(folder_data: bytes) -> str:
        """The name of a folder by its first tag."""
        return RFH2()._folder_name(folder_data)

    def is_big_endian(self, encoding: int) -> bool:
        """Whether an encoding, which may be in the wrong order itself, is big endian."""
        if encoding > 0xFFFF:
            encoding = int.from_bytes(encoding.to_bytes(4, "big"), "little")
        return encoding & mq.MQENC_INTEGER_NORMAL != 0

    def _is_big(self, encoding: int) -> bool:
        return self.is_big_endian(encoding)


class CFH(MQOpts, pcf.CFH):
    """MQCFH: the header of a PCF message."""


class CFGR(MQOpts, pcf.CFGR):
    """MQCFGR: a group."""


class CFIN(MQOpts, pcf.CFIN):
    """MQCFIN: a number."""


class CFIN64(MQOpts, pcf.CFIN64):
    """MQCFIN64: a number of 64 bits."""


class CFIF(MQOpts, pcf.CFIF):
    """MQCFIF: a filter on a number."""


class CFST(MQOpts, pcf.CFST):
    """MQCFST: a text."""


class CFBS(MQOpts, pcf.CFBS):
    """MQCFBS: a string of bytes."""


class CFSF(MQOpts, pcf.CFSF):
    """MQCFSF: a filter on a text."""


class CFBF(MQOpts, pcf.CFBF):
    """MQCFBF: a filter on a string of bytes."""


class CFSL(MQOpts, pcf.CFSL):
    """MQCFSL: texts."""


class CFIL(MQOpts, pcf.CFIL):
    """MQCFIL: numbers."""


class CFIL64(MQOpts, pcf.CFIL64):
    """MQCFIL64: numbers of 64 bits."""


cd = CD
gmo = GMO
md = MD
od = OD
pmo = PMO
sco = SCO
