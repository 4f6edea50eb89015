"""The optional arguments that calls of pymqi have in common."""

from __future__ import annotations

from typing import Any

from ternmq.compat.pymqi.structures import MD, OD
from ternmq.compat.unicode import ensure_bytes


def make_q_desc(qDescOrString: Any) -> Any:
    """An MQOD, made from a name if it is one."""
    if isinstance(qDescOrString, (str, bytes)):
        return OD(ObjectName=ensure_bytes(qDescOrString))
    return qDescOrString


def common_q_args(*opts: Any) -> tuple[Any, Any]:
    """MQMD and options of a put or a get; the MQMD is made if it is not given."""
    if len(opts) > 2:
        raise TypeError("Too many args")
    given = (*opts, None, None)
    return (MD() if given[0] is None else given[0]), given[1]


makeQDesc = make_q_desc
commonQArgs = common_q_args
