"""Filters of PCF inquiries: `Filter(MQIA_CURRENT_Q_DEPTH).greater(10)`."""

from __future__ import annotations

from typing import Any, ClassVar

from ternmq.base import constants as mq
from ternmq.compat.errors import Error
from ternmq.compat.pcf_structures import CFBF, CFIF, CFSF
from ternmq.compat.structure import MQOpts
from ternmq.compat.unicode import ensure_bytes, ensure_not_unicode


class _Filter:
    """An attribute, an operator and a value."""

    _structure: ClassVar[type[CFSF | CFIF | CFBF]] = CFSF

    def __init__(self, selector: int, value: Any, operator: int) -> None:
        self.selector = selector
        self.value = ensure_bytes(value)
        self.operator = operator

    def parameter(self) -> MQOpts:
        """As it stands in a message."""
        kind = self._structure
        return kind(Parameter=self.selector, Operator=self.operator, FilterValue=self.value)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.selector}:{self.value!r}:{self.operator}>"


class StringFilter(_Filter):
    """A filter on a text."""


class IntegerFilter(_Filter):
    """A filter on a number."""

    _structure = CFIF


class ByteStringFilter(_Filter):
    """A filter on a string of bytes."""

    _structure = CFBF


class FilterOperator:
    """Takes the value; `Filter(...).like` is one."""

    operator_mapping: ClassVar[dict[str, int]] = {
        "less": mq.MQCFOP_LESS,
        "equal": mq.MQCFOP_EQUAL,
        "greater": mq.MQCFOP_GREATER,
        "not_less": mq.MQCFOP_NOT_LESS,
        "not_equal": mq.MQCFOP_NOT_EQUAL,
        "not_greater": mq.MQCFOP_NOT_GREATER,
        "like": mq.MQCFOP_LIKE,
        "not_like": mq.MQCFOP_NOT_LIKE,
        "contains": mq.MQCFOP_CONTAINS,
        "excludes": mq.MQCFOP_EXCLUDES,
        "contains_gen": mq.MQCFOP_CONTAINS_GEN,
        "excludes_gen": mq.MQCFOP_EXCLUDES_GEN,
    }

    def __init__(self, selector: int, operator_name: str) -> None:
        self.filter_cls: type[_Filter]
        if mq.MQIA_FIRST <= selector <= mq.MQIA_LAST:
            self.filter_cls = IntegerFilter
        elif mq.MQCA_FIRST <= selector <= mq.MQCA_LAST:
            self.filter_cls = StringFilter
        elif mq.MQBA_FIRST <= selector <= mq.MQBA_LAST:
            self.filter_cls = ByteStringFilter
        else:
            raise Error(f"selector [{selector}] is neither of a number nor of a text")
        operator = self.operator_mapping.get(operator_name)
        if operator is None:
            raise Error(f"Operator [{operator_name}] is not supported.")
        self.selector = selector
        self.operator = operator

    def __call__(self, value: Any) -> _Filter:
        ensure_not_unicode(value)
        return self.filter_cls(self.selector, value, self.operator)


class Filter:
    """An attribute to filter by; its attributes are the operators."""

    def __init__(self, selector: int) -> None:
        self.selector = selector

    def __getattr__(self, name: str) -> FilterOperator:
        if name.startswith("__"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return FilterOperator(self.selector, name)
