"""The structures of pymqi that have no variable part, by name; the old small names too."""

from __future__ import annotations

from ternmq.compat.structure import TableStructure


class MD(TableStructure):
    """MQMD: the descriptor of a message."""

    _structure = "MD"


class OD(TableStructure):
    """MQOD: what is to be opened."""

    _structure = "OD"


class GMO(TableStructure):
    """MQGMO: how to get."""

    _structure = "GMO"


class PMO(TableStructure):
    """MQPMO: how to put."""

    _structure = "PMO"


class CD(TableStructure):
    """MQCD: the channel to connect through."""

    _structure = "CD"


class SCO(TableStructure):
    """MQSCO: TLS of a connection."""

    _structure = "SCO"


class CNO(TableStructure):
    """MQCNO: how to connect."""

    _structure = "CNO"


class CSP(TableStructure):
    """MQCSP: user and password of a connection."""

    _structure = "CSP"


class SD(TableStructure):
    """MQSD: a subscription."""

    _structure = "SD"


class SRO(TableStructure):
    """MQSRO: how to ask for retained publications."""

    _structure = "SRO"


class CMHO(TableStructure):
    """MQCMHO: how to create a message handle."""

    _structure = "CMHO"


class PD(TableStructure):
    """MQPD: about a property."""

    _structure = "PD"


class SMPO(TableStructure):
    """MQSMPO: how to set a property."""

    _structure = "SMPO"


class IMPO(TableStructure):
    """MQIMPO: how to inquire a property."""

    _structure = "IMPO"


class TM(TableStructure):
    """MQTM: a trigger message."""

    _structure = "TM"


class TMC2(TableStructure):
    """MQTMC2: a trigger message in characters."""

    _structure = "TMC2"


class XQH(TableStructure):
    """MQXQH: the header of messages on transmission queues, without its MQMD."""

    _structure = "XQH"


cd = CD
gmo = GMO
md = MD
od = OD
pmo = PMO
sco = SCO
