"""A message handle: the properties of a message and its descriptor, as an application has them.

Methods are the verbs MQSETMP, MQINQMP, MQDLTMP, MQBUFMH and MQMHBUF; they raise MQError with the
reasons of IBM MQ. The handle is an object of the application's side: no queue manager is asked.
Fields of the descriptor are properties Root.MQMD.<Field> and the JMS names of property_synonyms.

A handle belongs to the connection that made it, or to MQHC_UNASSOCIATED_HCONN and so to all. It is
used by one call at a time: `use` before a call and `release` behind it, where verbs are run.
"""

from __future__ import annotations

from typing import Final, final

from ternmq.base import constants as mq
from ternmq.base.errors import MQError, mq_error
from ternmq.base.reasons import (
    MQRC_HMSG_ERROR,
    MQRC_MSG_HANDLE_IN_USE,
    MQRC_OPTIONS_ERROR,
    MQRC_PD_ERROR,
    MQRC_PROPERTY_NOT_AVAILABLE,
    MQRC_PROPERTY_VALUE_TOO_BIG,
)
from ternmq.codec.charset import UTF8
from ternmq.codec.mqi.mqmd import Descriptor
from ternmq.codec.properties import Apart, mqrfh2_of, take_apart
from ternmq.codec.property import Property, PropertyValue
from ternmq.codec.property_area import original_of, read_properties
from ternmq.codec.property_folders import FOLDER_MQ, folder_of, property_of, unknown_dt
from ternmq.codec.property_names import (
    WILDCARD,
    check_length,
    checked_name,
    name_error,
    name_matches,
    plain_name,
)
from ternmq.codec.property_synonyms import (
    FIELDS,
    PROPERTIES_OF_FIELD,
    PUBLICATION_NAMES,
    ROOT_PREFIX,
    SETTABLE,
    SYNONYMS,
    field_value,
    jms_value,
    set_field,
    set_jms,
)
from ternmq.codec.property_types import checked_value, shown
from ternmq.values.property_inquiry import ANY_LENGTH, Inquired, Inquiry
from ternmq.values.property_list import PropertyList, Slot

_VALIDATIONS: Final = (mq.MQCMHO_DEFAULT_VALIDATION, mq.MQCMHO_NO_VALIDATION, mq.MQCMHO_VALIDATE)
_SET_PLACES: Final = (
    mq.MQSMPO_SET_FIRST,
    mq.MQSMPO_SET_PROP_UNDER_CURSOR,
    mq.MQSMPO_SET_PROP_AFTER_CURSOR,
    mq.MQSMPO_APPEND_PROPERTY,
    mq.MQSMPO_SET_PROP_BEFORE_CURSOR,
)
_COPY_MASK: Final = mq.MQCOPY_ALL | mq.MQCOPY_DEFAULT | mq.MQCOPY_REPLY
_BUFFER_OPTIONS: Final = mq.MQMHBO_PROPERTIES_IN_MQRFH2 | mq.MQMHBO_DELETE_PROPERTIES
_FORMAT: Final = "MQHRF2"


@final
class MessageHandle:
    """MQCRTMH: a handle without properties, and with a descriptor of defaults."""

    def __init__(
        self,
        options: int = mq.MQCMHO_DEFAULT_VALIDATION,
        connection: int = mq.MQHC_UNASSOCIATED_HCONN,
    ) -> None:
        if options not in _VALIDATIONS:
            raise _wrong_options("MQCRTMH", "MQCMHO", options)
        self.validates = options != mq.MQCMHO_NO_VALIDATION
        self.connection = connection
        self.descriptor = Descriptor()
        self.fields_set: set[str] = set()  # names of the fields that the application has set
        self.received_ms = 0  # when the descriptor's Expiry was what it is
        self._list = PropertyList()
        self._is_deleted = False
        self._free = [True]  # taking an element out of it is one operation for all threads

    # ---- life

    def use(self, connection: int, verb: str) -> None:
        """A call begins; MQRC_HMSG_ERROR if the handle is deleted or another connection's,
        MQRC_MSG_HANDLE_IN_USE if another call has not ended."""
        if self._is_deleted:
            raise mq_error(MQRC_HMSG_ERROR, verb=verb, detail="the message handle was deleted")
        if self.connection not in (mq.MQHC_UNASSOCIATED_HCONN, connection):
            detail = f"the message handle is one of connection {self.connection}, not {connection}"
            raise mq_error(MQRC_HMSG_ERROR, verb=verb, detail=detail)
        try:
            self._free.pop()
        except IndexError:
            detail = "another call uses the message handle; give each thread its own"
            raise mq_error(MQRC_MSG_HANDLE_IN_USE, verb=verb, detail=detail) from None

    def release(self) -> None:
        """The call has ended."""
        self._free.append(True)

    def delete(self) -> None:
        """MQDLTMH, and the end of its connection: the handle can no longer be used."""
        self._is_deleted = True
        self.clear()

    def clear(self) -> None:
        """No properties, and a descriptor of defaults."""
        self._list.clear()
        self.descriptor = Descriptor()
        self.fields_set.clear()
        self.received_ms = 0

    def properties(self) -> list[Property]:
        """All properties in their order; the descriptor's are not among them."""
        return self._list.properties()

    def reset_cursor(self) -> None:
        """MQPUT used the handle."""
        self._list.reset_cursor()

    def take_message(self, descriptor: Descriptor, apart: Apart | None, now_ms: int) -> None:
        """MQGET: the handle has the descriptor and the properties of the message, and nothing
        else."""
        self.clear()
        self.descriptor = descriptor.copy()
        self.received_ms = now_ms
        if apart is not None:
            for element, property in zip(apart.properties, apart.typed_properties(), strict=True):
                self._list.take(property, unknown_dt(element))

    def take_area(self, descriptor: Descriptor, area: bytes, now_ms: int) -> None:
        """The same for a message whose properties came beside its data."""
        self.clear()
        self.descriptor = descriptor.copy()
        self.received_ms = now_ms
        type_strings: dict[str, str] = {}
        original = original_of(area)
        if original is not None:
            apart = take_apart(original.header, original.encoding, original.ccsid)
            for element in [] if apart is None else apart.properties:
                type_strings.setdefault(property_of(element).name, unknown_dt(element))
        for one in read_properties(area):
            self._list.take(one, type_strings.get(one.name, ""))

    # ---- MQSETMP

    def set(
        self,
        name: str,
        value: object,
        type: int = mq.MQTYPE_STRING,
        *,
        options: int = mq.MQSMPO_SET_FIRST,
        support: int = mq.MQPD_SUPPORT_OPTIONAL,
        context: int = mq.MQPD_NO_CONTEXT,
        copy_options: int = mq.MQCOPY_DEFAULT,
    ) -> None:
        """MQSETMP: set a property, or a field of the descriptor."""
        if options not in _SET_PLACES:
            raise _wrong_options("MQSETMP", "MQSMPO", options)
        if context not in (mq.MQPD_NO_CONTEXT, mq.MQPD_USER_CONTEXT):
            raise mq_error(MQRC_PD_ERROR, verb="MQSETMP", detail=f"MQPD has Context {context}")
        if copy_options & ~_COPY_MASK:
            detail = f"MQPD has CopyOptions {copy_options}"
            raise mq_error(MQRC_PD_ERROR, verb="MQSETMP", detail=detail)
        if name.startswith(ROOT_PREFIX) or name in SETTABLE:
            self._set_in_descriptor(name, value, type)
            return
        if options == mq.MQSMPO_SET_PROP_UNDER_CURSOR:
            name = self._list.under_cursor("MQSETMP").property.name
        else:
            name = checked_name(name, self.validates)
        if copy_options & mq.MQCOPY_ALL:
            copy_options = mq.MQCOPY_ALL
        kept = self._support(name, support)
        checked = checked_value(name, type, value)
        self._place(Property(name, type, checked, kept, context, copy_options), options)

    def _place(self, property: Property, options: int) -> None:
        if options == mq.MQSMPO_SET_PROP_UNDER_CURSOR:
            slot = self._list.under_cursor("MQSETMP")
            slot.property = property
            slot.type_string = ""
            return
        if options != mq.MQSMPO_SET_FIRST or self._list.find(property.name) is None:
            self._list.check_new(property.name, self.validates)
        if options == mq.MQSMPO_SET_FIRST:
            self._list.set_first(property)
        elif options == mq.MQSMPO_APPEND_PROPERTY:
            self._list.append(property)
        else:
            after = 1 if options == mq.MQSMPO_SET_PROP_AFTER_CURSOR else 0
            self._list.insert_at_cursor(property, after)

    def _support(self, name: str, support: int) -> int:
        """Only properties of MQ itself, on a handle that validates nothing, can need support."""
        if self.validates or folder_of(name) != FOLDER_MQ:
            return mq.MQPD_SUPPORT_OPTIONAL
        if support & mq.MQPD_REJECT_UNSUP_MASK:
            return mq.MQPD_SUPPORT_REQUIRED
        if support & mq.MQPD_ACCEPT_UNSUP_IF_XMIT_MASK:
            return mq.MQPD_SUPPORT_REQUIRED_IF_LOCAL
        return mq.MQPD_SUPPORT_OPTIONAL

    def _set_in_descriptor(self, name: str, value: object, type: int) -> None:
        """A field of the MQMD, or a JMS name: all its forms say the same afterwards."""
        changed = self.descriptor.copy()
        if name.startswith(ROOT_PREFIX):
            field = set_field(changed, name, type, value).name
            self.fields_set.add(field)
            self._list.remove_first(PROPERTIES_OF_FIELD.get(field, ""))
        else:
            fields, properties = set_jms(changed, name, type, value)
            for old in SYNONYMS[name].properties:
                self._list.remove_first(old)
            for one in properties:
                self._list.set_first(one)
            self.fields_set.update(fields)
        self.descriptor = changed

    # ---- MQINQMP

    def inquire(
        self,
        name: str,
        options: int = mq.MQIMPO_INQ_FIRST,
        type: int = mq.MQTYPE_AS_SET,
        *,
        value_length: int = ANY_LENGTH,
        encoding: int = mq.MQENC_NATIVE,
        ccsid: int = mq.MQCCSI_APPL,
    ) -> Inquired:
        """MQINQMP: a property by its name or by a pattern that ends with %. A warning is the
        answer's `reason`."""
        inquiry = Inquiry(options, type, value_length, encoding, ccsid)
        if inquiry.is_under_cursor:
            found = inquiry.answer(self._list.under_cursor("MQINQMP"))
            if inquiry.is_too_long(found):
                raise inquiry.too_long(found)
            return found
        check_length(name, "MQINQMP")
        others = self._descriptor_slots(name)
        at = self._list.place_of_next(name, inquiry.goes_on, others)
        slot = self._list.slot(at, others)
        found = inquiry.answer(slot)
        is_too_long = inquiry.is_too_long(found)
        if not is_too_long or not inquiry.has_grown(slot):
            self._list.move_cursor(at, name, others)
        if is_too_long:
            raise inquiry.too_long(found)
        return found

    def _descriptor_slots(self, name: str) -> list[Slot] | None:
        """Properties of the descriptor that a name or pattern can mean; None: it means others."""
        if name in SYNONYMS:
            value = self._jms_value(name)
            if value is None:
                return []
            return [Slot(Property(name, SYNONYMS[name].type, value))]
        if name in PUBLICATION_NAMES:
            return [
                Slot(Property(name, one.type, one.value))
                for one in self._list.properties()
                if one.name == PUBLICATION_NAMES[name]
            ]
        if not name.startswith(ROOT_PREFIX):
            return None
        return [
            Slot(
                Property(
                    f"{ROOT_PREFIX}{field.name}", field.type, field_value(self.descriptor, field)
                )
            )
            for field in FIELDS.values()
        ]

    def _jms_value(self, name: str) -> PropertyValue:
        folders: dict[str, PropertyValue] = {}
        for one in self._list.properties():
            if one.name.startswith(("jms.", "mcd.")):
                folders.setdefault(one.name, one.value)
        return jms_value(name, self.descriptor, folders, self.received_ms)

    # ---- MQDLTMP

    def delete_property(self, name: str, options: int = mq.MQDMPO_DEL_FIRST) -> None:
        """MQDLTMP: a property is deleted, a field of the descriptor has its default again."""
        if options == mq.MQDMPO_DEL_PROP_UNDER_CURSOR:
            self._list.remove_under_cursor()
            return
        if options != mq.MQDMPO_DEL_FIRST:
            raise _wrong_options("MQDLTMP", "MQDMPO", options)
        check_length(name, "MQDLTMP")
        if name.endswith(WILDCARD):
            raise name_error(name, "has a wildcard; delete one property at a time", "MQDLTMP")
        if name.startswith(ROOT_PREFIX) and name.removeprefix(ROOT_PREFIX) in FIELDS:
            self._reset_field(name.removeprefix(ROOT_PREFIX))
        elif name in SYNONYMS and self._jms_value(name) is not None:
            for field in SYNONYMS[name].fields:
                self._reset_field(field)
            for one in SYNONYMS[name].properties:
                self._list.remove_first(one)
        elif not self._list.remove_first(plain_name(name)):
            raise _not_there("MQDLTMP", name)

    def _reset_field(self, name: str) -> None:
        attribute = FIELDS[name].attribute
        setattr(self.descriptor, attribute, getattr(Descriptor(), attribute))
        self.fields_set.discard(name)

    # ---- buffers

    def take_buffer(
        self, data: bytes, descriptor: Descriptor, options: int = mq.MQBMHO_NONE
    ) -> bytes:
        """MQBUFMH: take descriptor and properties of a message as it was got. Returns the data:
        with MQBMHO_DELETE_PROPERTIES without them, and the descriptor says so."""
        if options & ~mq.MQBMHO_DELETE_PROPERTIES:
            raise _wrong_options("MQBUFMH", "MQBMHO", options)
        apart: Apart | None = None
        if descriptor.format == _FORMAT:
            apart = take_apart(data, descriptor.encoding, descriptor.ccsid)
        if apart is not None and options & mq.MQBMHO_DELETE_PROPERTIES:
            data = apart.data
            describe_rest(descriptor, apart)
        self.take_message(descriptor, apart, 0)
        return data

    def as_buffer(
        self, name: str, descriptor: Descriptor, options: int, buffer_length: int = ANY_LENGTH
    ) -> bytes:
        """MQMHBUF: an MQRFH2 of the properties that a name or pattern matches, ahead of data that
        the descriptor describes. The descriptor then describes the MQRFH2."""
        if options & ~_BUFFER_OPTIONS or not options & mq.MQMHBO_PROPERTIES_IN_MQRFH2:
            raise _wrong_options("MQMHBUF", "MQMHBO", options)
        check_length(name, "MQMHBUF")
        found = [one for one in self._list.properties() if name_matches(one.name, name)]
        if not found:
            raise _not_there("MQMHBUF", name)
        data = mqrfh2_of(found, descriptor.format, descriptor.encoding, descriptor.ccsid)
        if 0 <= buffer_length < len(data):
            detail = f"the properties have {len(data)} bytes, the buffer {buffer_length}"
            raise mq_error(
                MQRC_PROPERTY_VALUE_TOO_BIG, verb="MQMHBUF", detail=detail, result=len(data)
            )
        describe_mqrfh2(descriptor)
        if options & mq.MQMHBO_DELETE_PROPERTIES:
            self._list.remove_matching(name)
        return data


def describe_rest(descriptor: Descriptor, apart: Apart) -> None:
    """The descriptor says what follows the properties."""
    descriptor.format = apart.format.decode("utf-8", "surrogateescape").rstrip()
    descriptor.encoding = apart.encoding
    descriptor.ccsid = apart.ccsid


def describe_mqrfh2(descriptor: Descriptor) -> None:
    """The descriptor says that the data begins with an MQRFH2 of ours."""
    descriptor.format = _FORMAT
    descriptor.encoding = mq.MQENC_NATIVE
    descriptor.ccsid = UTF8


def _wrong_options(verb: str, structure: str, options: int) -> MQError:
    detail = f"{structure} has Options {options}, which are not known or exclude each other"
    return mq_error(MQRC_OPTIONS_ERROR, verb=verb, detail=detail)


def _not_there(verb: str, name: str) -> MQError:
    detail = f"no property is named {shown(name)}"
    return mq_error(MQRC_PROPERTY_NOT_AVAILABLE, verb=verb, detail=detail)
