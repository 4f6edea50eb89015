"""Every structure with its layout, and hypothesis strategies for its fields, for the tests here."""

import string
from typing import Any

from hypothesis import strategies as st

from ternmq.codec.headers.mqdlh import DeadLetterHeader
from ternmq.codec.headers.mqmde import DescriptorExtension
from ternmq.codec.headers.mqrfh import RulesHeader, RulesHeader2
from ternmq.codec.headers.mqtm import TriggerMessage
from ternmq.codec.headers.mqtmc import TriggerMessageText
from ternmq.codec.headers.mqxqh import TransmissionHeader
from ternmq.codec.mqi import layout as kinds
from ternmq.codec.mqi.charv import CharV
from ternmq.codec.mqi.layout import BIG, LITTLE, Field, Layout
from ternmq.codec.mqi.mqcno import ConnectOptions
from ternmq.codec.mqi.mqcsp import SecurityParameters
from ternmq.codec.mqi.mqgmo import GetOptions
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.codec.mqi.mqod import ObjectDescriptor
from ternmq.codec.mqi.mqpmo import PutOptions
from ternmq.codec.mqi.mqsd import SubscriptionDescriptor
from ternmq.codec.mqi.mqsts import Status
from ternmq.codec.mqi.structure import Structure

# Those whose bytes are the fields of the layout and nothing else.
PLAIN: list[type[Structure]] = [
    ConnectOptions,
    DeadLetterHeader,
    Descriptor,
    DescriptorExtension,
    GetOptions,
    ObjectDescriptor,
    PutOptions,
    SecurityParameters,
    Status,
    SubscriptionDescriptor,
    TriggerMessage,
    TriggerMessageText,
]
ALL: list[type[Structure]] = [*PLAIN, RulesHeader, RulesHeader2, TransmissionHeader]
ORDERS = [LITTLE, BIG]
CCSIDS = [1208, 819, 37, 500, 1047]

# Characters that every character set above has; the last ones take two bytes in UTF-8.
ALPHABET = string.ascii_letters + string.digits + " ./_%[]^!|éßÝ"


def texts(bytes_max: int) -> st.SearchStrategy[str]:
    longest = st.text(ALPHABET, max_size=bytes_max // 2)
    return longest.map(lambda text: text.rstrip(" "))


def values_of(field: Field) -> st.SearchStrategy[Any]:
    """Any value that a field may have, in every form and character set."""
    if field.name == "structure_length":
        return st.just(72)
    if field.kind == kinds.I32:
        return st.integers(-(2**31), 2**31 - 1)
    if field.kind == kinds.I64:
        return st.integers(-(2**63), 2**63 - 1)
    if field.kind == kinds.PTR:
        return st.integers(0, 2**32 - 1)
    if field.kind == kinds.BYTES:
        return st.binary(min_size=field.size, max_size=field.size)
    if field.kind == kinds.CHARV:
        number = st.integers(-(2**31), 2**31 - 1)
        return st.builds(
            CharV, ptr=st.integers(0, 2**32 - 1), offset=number, length=number, ccsid=number
        )
    if field.size == 1:
        return st.sampled_from(" GLSA")
    return texts(field.size)


def versions(layout: Layout) -> range:
    return range(layout.version_min, layout.version_max + 1)


@st.composite
def structures(draw: st.DrawFn, kind: type[Structure]) -> Structure:
    """A structure of any version with any values in the fields that the version has."""
    made = kind()
    made.version = draw(st.sampled_from(versions(kind.LAYOUT)))
    for field in kind.LAYOUT.fields:
        if field.since <= made.version:
            setattr(made, field.name, draw(values_of(field)))
    return made
