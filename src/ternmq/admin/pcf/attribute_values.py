"""Attributes as PCF parameters and back, by the one schema.

in the schema      in PCF
text, name         MQCFST, filled up to the attribute's greatest length
hex                MQCFBS
list               MQCFSL
words              MQCFIL of their numbers
number, word, bare MQCFIN; MQCFIN64 if the number needs it
"""

from __future__ import annotations

from typing import Final

from ternmq.base import command_reasons as rccf
from ternmq.base.attributes import BARE, HEX, LIST, WORDS, Attribute, Value
from ternmq.codec.pcf import parameter as pcf
from ternmq.codec.pcf.parameter import Parameter, PCFError

# Longer strings are sent as long as they are: a topic string has room for 10,240 bytes.
_WIDTH_MAX: Final = 264
_I32_MAX: Final = 2**31 - 1
_I32_MIN: Final = -(2**31)

# The reason of a parameter that is not known, or not in this kind of structure.
STRUCTURE_REASONS: Final[dict[int, int]] = {
    pcf.CFIN: rccf.MQRCCF_CFIN_PARM_ID_ERROR,
    pcf.CFIN64: rccf.MQRCCF_CFIN_PARM_ID_ERROR,
    pcf.CFST: rccf.MQRCCF_CFST_PARM_ID_ERROR,
    pcf.CFSL: rccf.MQRCCF_CFSL_PARM_ID_ERROR,
    pcf.CFIL: rccf.MQRCCF_CFIL_PARM_ID_ERROR,
    pcf.CFIL64: rccf.MQRCCF_CFIL_PARM_ID_ERROR,
    pcf.CFGR: rccf.MQRCCF_CFGR_PARM_ID_ERROR,
    pcf.CFIF: rccf.MQRCCF_CFIF_PARM_ID_ERROR,
    pcf.CFSF: rccf.MQRCCF_CFSF_PARM_ID_ERROR,
    pcf.CFBS: rccf.MQRCCF_CFBS_PARM_ID_ERROR,
    pcf.CFBF: rccf.MQRCCF_CFBF_PARM_ID_ERROR,
}


def parameter_of(row: Attribute, value: Value) -> Parameter:
    """An attribute as a parameter; the value as it is stored, or as MQSC shows it."""
    selector = row.selector
    if row.kind == HEX:
        return pcf.byte_string(selector, bytes.fromhex(str(value)))
    if row.kind in (LIST, WORDS):
        parts = [part.strip() for part in str(value).split(",") if part.strip()]
        if row.kind == WORDS:
            return pcf.integers(selector, [number_of(row, part) for part in parts])
        return pcf.strings(selector, parts, row.highest if row.highest <= _WIDTH_MAX else 0)
    if row.text:
        return pcf.string(selector, str(value), row.highest if row.highest <= _WIDTH_MAX else 0)
    return number_parameter(selector, number_of(row, value))


def number_parameter(selector: int, number: int) -> Parameter:
    """MQCFIN, or MQCFIN64 for what does not fit."""
    if _I32_MIN <= number <= _I32_MAX:
        return pcf.integer(selector, number)
    return pcf.integer64(selector, number)


def number_of(row: Attribute, value: Value) -> int:
    """A number from a number, a word or digits."""
    if isinstance(value, int):
        return value
    word = value.strip().upper()
    if word in row.words:
        return row.words[word]
    if word.lstrip("-").isdecimal():
        return int(word)
    detail = f"{row.keyword} does not know {value!r}"
    raise PCFError(rccf.MQRCCF_PARM_VALUE_ERROR, detail, parameter=row.selector)


def text_of(row: Attribute, parameter: Parameter) -> str:
    """The value of a parameter as MQSC would write it."""
    kind = parameter.kind
    if row.kind == HEX and kind == pcf.CFBS:
        return parameter.data.hex().upper()
    if row.kind == WORDS and kind == pcf.CFIL:
        return ",".join([_word(row, number) for number in parameter.numbers])
    if row.kind == LIST and kind == pcf.CFSL:
        return ",".join(parameter.texts)
    if row.kind not in (WORDS, HEX) and row.text and kind == pcf.CFST:
        return parameter.text
    if not row.text and kind in (pcf.CFIN, pcf.CFIN64):
        return _word(row, parameter.number)
    detail = f"{row.keyword} (parameter {parameter.parameter}) is in a structure of another kind"
    reason = STRUCTURE_REASONS[kind]
    raise PCFError(reason, detail, parameter=parameter.parameter)


def _word(row: Attribute, number: int) -> str:
    """The word for a number; a number that has none and needs one is the caller's mistake."""
    shown = row.shown(number)
    if row.kind in (BARE, WORDS) and shown == str(number):
        detail = f"{row.keyword} does not know {number}"
        raise PCFError(rccf.MQRCCF_PARM_VALUE_ERROR, detail, parameter=row.selector)
    return shown
