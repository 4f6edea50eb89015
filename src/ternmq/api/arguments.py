"""From Python arguments to checked requests: what queues and connections put and get.

Requests without particulars are kept and used again, which is what makes a put or get of plain
bytes cheap. The classes that wait are `queue` and `aio_queue`. `FastPutQueue` looks at the
arguments of a put of tasks before its coroutine is made: they are nearly never given.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, Final, final

from mypy_extensions import i64, mypyc_attr

from ternmq.api.fast_put import fast_put
from ternmq.base import constants as mq
from ternmq.base.errors import MQError, mq_error
from ternmq.base.limits import WAIT_MS_MAX
from ternmq.base.reasons import (
    MQRC_EXPIRY_ERROR,
    MQRC_MD_ERROR,
    MQRC_OPTIONS_ERROR,
    MQRC_PERSISTENCE_ERROR,
    MQRC_WAIT_INTERVAL_ERROR,
)
from ternmq.codec.message_image import ID_BYTES
from ternmq.codec.mqi.mqgmo import GetOptions
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.mqi.getting import get_request
from ternmq.values.entry import ZERO_ID
from ternmq.values.get_request import UNLIMITED_LENGTH, GetRequest
from ternmq.values.put_form import PutForm
from ternmq.values.transport import Endpoint, PlainPut

if TYPE_CHECKING:
    from ternmq.values.message_properties import Given

Data = bytes | bytearray | memoryview | str | dict[str, Any] | list[Any]
WAIT_FOREVER_MS: Final = -1
CACHED_REQUESTS_MAX: Final = 64
UTF_8: Final = 1208
LEVELS: Final = 10  # priorities 0 to 9
_JSON: Final = json.JSONEncoder(allow_nan=False)  # NaN and Infinity are not JSON
EXPIRY_TENTHS_MAX: Final = 1 << 31
DELAY_S_MAX: Final = 200 * 366 * 86_400

_SYNCPOINT_SETTLED: Final = (
    mq.MQGMO_SYNCPOINT
    | mq.MQGMO_NO_SYNCPOINT
    | mq.MQGMO_SYNCPOINT_IF_PERSISTENT
    | mq.MQGMO_BROWSE_FIRST
    | mq.MQGMO_BROWSE_NEXT
    | mq.MQGMO_BROWSE_MSG_UNDER_CURSOR
)


def as_bytes(data: Data) -> bytes:
    """Message data: bytes as they are, text in UTF-8, dictionaries and lists as JSON."""
    given: object = data  # compiled code would check a narrowed type, in words of its own
    if isinstance(given, bytes):
        return given
    if isinstance(given, str):
        return given.encode("utf-8")
    if isinstance(given, (bytearray, memoryview)):
        return bytes(given)
    if not isinstance(given, (dict, list)):
        fault = f"a message cannot be of type {type(given).__name__}: {given!r:.60}"
        raise TypeError(f"{fault}, give bytes, text, a dictionary or a list")
    try:
        return _JSON.encode(given).encode("utf-8")
    except (TypeError, ValueError) as error:
        from ternmq.api.wrong_arguments import json_error  # few make a mistake

        raise json_error(given, error) from error


def is_text(data: Data) -> bool:
    """Whether the data is text, or JSON: then its format is MQSTR."""
    return not isinstance(data, (bytes, bytearray, memoryview))


def wait_ms(wait: float | None) -> int:
    """Seconds to milliseconds; None does not wait, -1 or infinity waits without end. Any other
    negative number is a deadline that has passed, and not a wish to wait for ever."""
    if wait is None:
        return 0
    given: object = wait  # compiled code has refused another type already
    if not isinstance(given, (int, float)):
        from ternmq.api.wrong_arguments import seconds_error  # few make a mistake

        raise seconds_error("wait", given, "wait=1 or wait=0.5")
    if wait == -1 or wait == float("inf"):
        return WAIT_FOREVER_MS
    if not wait >= 0:  # or no number
        detail = f"wait of {wait} seconds; it is 0 or more, or -1 to wait without end"
        raise mq_error(MQRC_WAIT_INTERVAL_ERROR, verb="MQGET", detail=detail)
    return min(round(wait * 1000), WAIT_MS_MAX)


def expiry_tenths(expiry: float) -> int:
    """Seconds to tenths, at least one; infinity means no expiry. A message cannot expire before
    now, so 0 or less is an error."""
    if expiry == float("inf"):
        return mq.MQEI_UNLIMITED
    if not 0 < expiry * 10 < EXPIRY_TENTHS_MAX:
        raise mq_error(MQRC_EXPIRY_ERROR, verb="MQPUT", detail=expiry_fault(expiry))
    return max(1, round(expiry * 10))


def expiry_fault(expiry: float) -> str:
    """Which numbers of seconds an expiry can be."""
    most = (EXPIRY_TENTHS_MAX - 1) // 10
    text = f"expiry of {expiry} seconds; it is more than 0 and at most {most:,}"
    return f"{text}, or float('inf') for none"


def lasting_of(persistent: bool, verb: str) -> int:
    """MQMD's persistence of True and False, and of the numbers that equal them. The number 2 is
    MQPER_PERSISTENCE_AS_Q_DEF, which nobody means who gives it here."""
    given = whole_number(persistent)
    if not 0 <= given <= 1:
        detail = f"persistent={given}: give True or False, or leave it out for the queue's default"
        raise mq_error(MQRC_PERSISTENCE_ERROR, verb=verb, detail=detail)
    return given


def whole_number(given: object) -> int:
    """An argument as an int; 4.0 equals one and is refused all the same, as compiled code does."""
    if not isinstance(given, int):
        raise TypeError(f"{given!r:.60} is not a whole number")  # wrong_arguments names it
    return int(given)


def delay_ms(delay: float) -> int:
    """Seconds of a delivery delay to milliseconds, never fewer; 0 means no delay."""
    given: object = delay  # compiled code has refused another type already
    if not isinstance(given, (int, float)):
        from ternmq.api.wrong_arguments import seconds_error  # few make a mistake

        raise seconds_error("delay", given, "delay=30")
    if not 0 <= delay <= DELAY_S_MAX:  # or no number
        detail = f"delay of {delay} seconds; a delay is not negative, nor more than 200 years"
        raise mq_error(MQRC_OPTIONS_ERROR, verb="MQPUT", detail=detail)
    return math.ceil(delay * 1000)


def put1_alternate(alternate_user: str) -> int:
    """The option that goes with an alternate user."""
    return mq.MQPMO_ALTERNATE_USER_AUTHORITY if alternate_user else 0


def whole_id(identifier: bytes | None, verb: str, name: str) -> bytes:
    """An identifier in its full length; none is zeros."""
    if identifier is None:
        return ZERO_ID
    if len(identifier) > ID_BYTES:
        raise mq_error(
            MQRC_MD_ERROR,
            verb=verb,
            detail=f"{name} has {len(identifier)} bytes, {ID_BYTES} are the most",
        )
    return identifier.ljust(ID_BYTES, b"\0")


_TEXT_FORMATS: Final = (mq.MQFMT_NONE, mq.MQFMT_STRING)


def new_descriptor(data: Data, lasting: int, level: int, tenths: int) -> Descriptor:
    """The MQMD of a put: text says so."""
    md = Descriptor(persistence=lasting, priority=level, expiry=tenths)
    if is_text(data):
        md.format = mq.MQFMT_STRING
        md.ccsid = UTF_8
    return md


def particular_descriptor(
    data: Data,
    persistent: bool | None,
    priority: int | None,
    expiry: float | None,
    msg_id: bytes | None,
    correl_id: bytes | None,
    descriptor: Descriptor | None,
) -> Descriptor:
    """The MQMD of a put with particulars, which count more than what a descriptor says."""
    if descriptor is None:
        md = new_descriptor(data, 2, -1, -1)
    else:
        md = descriptor.copy()
        if md.format in _TEXT_FORMATS and is_text(data):  # whatever set its bytes had before
            md.format = mq.MQFMT_STRING
            md.ccsid = UTF_8
    if persistent is not None:
        md.persistence = int(persistent)
    if priority is not None:
        md.priority = priority
    if expiry is not None:
        md.expiry = expiry_tenths(expiry)
    if msg_id is not None:
        md.msg_id = msg_id
    if correl_id is not None:
        md.correl_id = correl_id
    return md


_area_of: Callable[[Given], bytes] | None = None


def _packer() -> Callable[[Given], bytes]:
    """What packs properties; loaded with the first put that has some, and kept."""
    global _area_of
    packer = _area_of
    if packer is None:
        from ternmq.values.message_properties import area_of

        packer = area_of
        _area_of = packer
    return packer


def packed_properties(properties: Given) -> bytes:
    """The area of properties that were given to a put."""
    try:
        return _packer()(properties)
    except (TypeError, AttributeError) as error:
        from ternmq.api.wrong_arguments import properties_fault  # few make a mistake

        fault = properties_fault(properties)
        if fault:
            raise TypeError(fault) from error
        raise


@final
class Requests:
    """The puts and gets of one open queue; or the MQPUT1s of a connection."""

    def __init__(self, endpoint: Endpoint, verb: str = "MQPUT") -> None:
        self._endpoint = endpoint
        self._verb = verb
        self._puts: dict[tuple[int, str | None, str | None], PutForm] = {}
        self._plain_puts: dict[int, PutForm] = {}  # neither format nor reply queue given
        self._gets: dict[tuple[int, bool], GetRequest] = {}
        # What MQGMO_CONVERT converts into.
        self._ccsid: int = mq.MQCCSI_Q_MGR
        self._encoding: int = mq.MQENC_NATIVE

    # ---- put

    def put(
        self,
        data: Data,
        persistent: bool | None,
        priority: int | None,
        expiry: float | None,
        msg_id: bytes | None,
        correl_id: bytes | None,
        reply_to: str | None,
        format: str | None,
        descriptor: Descriptor | None,
        options: int,
        syncpoint: bool | None,
        properties: Given | None = None,
    ) -> PutForm:
        """The request of a put with these arguments."""
        if properties is not None:
            form = self.put(
                data,
                persistent,
                priority,
                expiry,
                msg_id,
                correl_id,
                reply_to,
                format,
                descriptor,
                options,
                syncpoint,
            )
            return form.with_properties(packed_properties(properties))
        if syncpoint is None:
            syncpoint = self._endpoint.in_unit
        try:
            lasting = 2 if persistent is None else lasting_of(persistent, self._verb)
            level = -1 if priority is None else whole_number(priority)
            tenths = -1 if expiry is None else expiry_tenths(expiry)
            if descriptor is None and options == 0 and -1 <= level < LEVELS and 0 <= lasting <= 2:
                request = self._usual_put(data, lasting, level, tenths, reply_to, format, syncpoint)
                if msg_id is None and correl_id is None:
                    return request
                return request.with_ids(
                    whole_id(msg_id, "MQPUT", "msg_id"), whole_id(correl_id, "MQPUT", "correl_id")
                )
            md = particular_descriptor(
                data, persistent, priority, expiry, msg_id, correl_id, descriptor
            )
            return self._checked_put(md, reply_to, format, options, syncpoint)
        except (TypeError, ValueError, AttributeError, MQError) as error:
            from ternmq.api.wrong_arguments import check_put  # few make a mistake

            ids = (msg_id, correl_id)
            given = (persistent, priority, expiry, *ids, reply_to, format, descriptor, options)
            check_put(given, error, self._verb)
            raise

    def put_of(
        self,
        data: Data,
        md: Descriptor,
        *,
        persistent: bool | None = None,
        priority: int | None = None,
        expiry: float | None = None,
        msg_id: bytes | None = None,
        correl_id: bytes | None = None,
        reply_to: str | None = None,
        format: str | None = None,
        syncpoint: bool | None = None,
        properties: Given | None = None,
    ) -> PutForm:
        """The same with that descriptor, for a put that is not repeated."""
        return self.put(
            data,
            persistent,
            priority,
            expiry,
            msg_id,
            correl_id,
            reply_to,
            format,
            md,
            0,
            syncpoint,
            properties,
        )

    def _usual_put(
        self,
        data: Data,
        lasting: int,
        level: int,
        tenths: int,
        reply_to: str | None,
        format: str | None,
        syncpoint: bool,
    ) -> PutForm:
        """A request that was made before, or is made and kept."""
        as_is = isinstance(data, bytes) or not is_text(data)
        # Compiled, an i64 is a machine word; an int below 0 is multiplied as an object.
        packed: i64 = tenths
        packed = (packed * (LEVELS + 1) + level + 1) * 3 + lasting
        plain = int(packed * 4 + (2 if syncpoint else 0) + (1 if as_is else 0))
        if format is None and reply_to is None:
            request = self._plain_puts.get(plain)
            if request is not None:
                return request
        key = (plain, reply_to, format)
        request = self._puts.get(key)
        if request is None:
            md = new_descriptor(data, lasting, level, tenths)
            request = self._checked_put(md, reply_to, format, 0, syncpoint)
            if len(self._puts) >= CACHED_REQUESTS_MAX:
                self._puts.clear()
                self._plain_puts.clear()
            self._puts[key] = request
            if format is None and reply_to is None:
                self._plain_puts[plain] = request
        return request

    def _checked_put(
        self,
        md: Descriptor,
        reply_to: str | None,
        format: str | None,
        options: int,
        syncpoint: bool,
    ) -> PutForm:
        if reply_to is not None:
            md.reply_to_queue = reply_to
            md.msg_type = mq.MQMT_REQUEST
        if format is not None:
            md.format = format
        if not options & (mq.MQPMO_SYNCPOINT | mq.MQPMO_NO_SYNCPOINT):
            options |= mq.MQPMO_SYNCPOINT if syncpoint else mq.MQPMO_NO_SYNCPOINT
        options |= mq.MQPMO_FAIL_IF_QUIESCING
        return self._endpoint.put_form(md, options, self._verb)

    # ---- get

    def get(
        self,
        wait: float | None,
        msg_id: bytes | None,
        correl_id: bytes | None,
        group_id: bytes | None,
        token: bytes | None,
        max_length: int | None,
        options: int,
        syncpoint: bool | None,
    ) -> GetRequest:
        """The request of a get with these arguments."""
        if syncpoint is None:
            syncpoint = self._endpoint.in_unit
        key = (0 if wait is None else wait_ms(wait), syncpoint)
        try:
            if group_id is not None or token is not None or max_length is not None or options != 0:
                return self.converting(
                    particular_get(key, msg_id, correl_id, group_id, token, max_length, options)
                )
            request = self._gets.get(key)
            if request is None:
                request = particular_get(key, None, None, None, None, None, 0)
                if len(self._gets) >= CACHED_REQUESTS_MAX:
                    self._gets.clear()
                self._gets[key] = request
            if msg_id is None and correl_id is None:
                return request
            return request.with_ids(
                whole_id(msg_id, "MQGET", "msg_id"), whole_id(correl_id, "MQGET", "correl_id")
            )
        except (TypeError, ValueError, AttributeError) as error:
            from ternmq.api.wrong_arguments import check_get  # few make a mistake

            check_get(msg_id, correl_id, group_id, token, max_length, error)
            raise

    def convert_to(self, ccsid: int, encoding: int) -> None:
        """What gets with MQGMO_CONVERT want from now on."""
        for number in (ccsid, encoding):
            if not -(1 << 31) <= number < 1 << 31:
                detail = f"{number} is not a number of a CodedCharSetId or Encoding: 4 bytes"
                raise mq_error(MQRC_MD_ERROR, verb="MQGET", detail=detail)
        self._ccsid = ccsid
        self._encoding = encoding

    def converting(self, request: GetRequest) -> GetRequest:
        """A request that nobody else has, with what its conversion shall give."""
        if request.options & mq.MQGMO_CONVERT:
            request.ccsid = self._ccsid
            request.encoding = self._encoding
        return request


def browse_request(
    first: bool, msg_id: bytes | None, correl_id: bytes | None, options: int
) -> GetRequest:
    """The next message that matches, from the cursor on, or from the first."""
    step = mq.MQGMO_BROWSE_FIRST if first else mq.MQGMO_BROWSE_NEXT
    return particular_get((0, False), msg_id, correl_id, None, None, None, step | options)


def particular_get(
    key: tuple[int, bool],
    msg_id: bytes | None,
    correl_id: bytes | None,
    group_id: bytes | None,
    token: bytes | None,
    max_length: int | None,
    options: int,
) -> GetRequest:
    """A new request; `key` is the wait in milliseconds and the syncpoint."""
    md = Descriptor(
        msg_id=msg_id or ZERO_ID, correl_id=correl_id or ZERO_ID, group_id=group_id or ZERO_ID
    )
    gmo = GetOptions(options=options | mq.MQGMO_FAIL_IF_QUIESCING)
    gmo.match_options = mq.MQMO_MATCH_MSG_ID | mq.MQMO_MATCH_CORREL_ID
    if group_id is not None:
        gmo.match_options |= mq.MQMO_MATCH_GROUP_ID
    if token is not None:
        gmo.match_options |= mq.MQMO_MATCH_MSG_TOKEN
        gmo.message_token = token
    if key[0]:
        gmo.options |= mq.MQGMO_WAIT
        gmo.wait_interval = key[0]
    if not gmo.options & _SYNCPOINT_SETTLED:
        gmo.options |= mq.MQGMO_SYNCPOINT if key[1] else mq.MQGMO_NO_SYNCPOINT
    return get_request(md, gmo, UNLIMITED_LENGTH if max_length is None else max_length, True)


@mypyc_attr(allow_interpreted_subclasses=True)
class FastPutQueue:
    """A queue that messages are put to."""

    def __init__(self) -> None:
        self.plain: PlainPut | None = None  # once a put has shown that it can be done at once

    def put(
        self,
        data: Data,
        *,
        persistent: bool | None = None,
        priority: int | None = None,
        expiry: float | None = None,
        msg_id: bytes | None = None,
        correl_id: bytes | None = None,
        reply_to: str | None = None,
        format: str | None = None,
        descriptor: Descriptor | None = None,
        options: int = 0,
        syncpoint: bool | None = None,
        properties: Given | None = None,
        delay: float | None = None,
    ) -> Coroutine[Any, Any, bytes]:
        """Put a message and return its MsgId; arguments as those of the blocking `Queue.put`."""
        plain = self.plain
        if (
            plain is not None
            and isinstance(data, bytes)
            and persistent is None
            and priority is None
            and expiry is None
            and msg_id is None
            and correl_id is None
            and reply_to is None
            and format is None
            and descriptor is None
            and options == 0
            and syncpoint is None
            and properties is None
            and delay is None
        ):
            return fast_put(self, plain, data)
        return self.put_with(
            data,
            persistent,
            priority,
            expiry,
            msg_id,
            correl_id,
            reply_to,
            format,
            descriptor,
            options,
            syncpoint,
            properties,
            delay,
        )

    def put_with(
        self,
        data: Data,
        persistent: bool | None,
        priority: int | None,
        expiry: float | None,
        msg_id: bytes | None,
        correl_id: bytes | None,
        reply_to: str | None,
        format: str | None,
        descriptor: Descriptor | None,
        options: int,
        syncpoint: bool | None,
        properties: Given | None,
        delay: float | None,
    ) -> Coroutine[Any, Any, bytes]:
        """The same with every argument."""
        raise NotImplementedError
