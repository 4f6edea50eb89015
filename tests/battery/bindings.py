"""Which tests of the battery run by the bindings that are not our own API."""

from __future__ import annotations

from typing import Final

from tests.bindings.bound import BINDINGS, COMPAT, JAVA

MODULES: Final = (
    "test_groups",
    "test_group_puts",
    "test_segments",
    "test_complete_messages",
    "test_report_messages",
    "test_report_segments",
    "test_report_rules",
    "test_conversion",
    "test_extension",
    "test_large_segments",
)
# IBM's Java client has properties in the data: what it makes of them is shown by its own cases.
COMPAT_MODULES: Final = ("test_properties_and_selectors", "test_property_delivery")
# pymqi and ibmmq have no distribution lists.
JAVA_MODULES: Final = (
    "test_distribution_lists",
    "test_list_transmission",
    "test_delayed_delivery",
)
# pymqi has no MQCB.
CALLBACK_MODULES: Final = ("test_callback_rows",)
# Single tests of modules whose other ones are about our own API, or about one user.
TESTS: Final = {
    "test_user_context_when_all_context_is_passed_then_its_properties_go_on": BINDINGS,
    # Two-phase commit is not of the MQI; Java has XA.
    "test_split_put_and_complete_get_when_prepared_then_they_end_as_a_whole": (JAVA,),
}
_PREPARES: Final = "two-phase commit is not of the MQI"
_OURS: Final = "the call is of our own API"
NOT_OFFERED: Final = {
    "test_backout_of_a_prepared_unit_then_the_place_stays": _PREPARES,
    "test_backout_of_a_prepared_unit_then_the_group_that_was_begun_since_goes_on": _PREPARES,
    "test_put_when_its_unit_is_prepared_then_all_segments_share_its_end": _PREPARES,
    "test_groups_of_a_queue_then_how_much_of_each_is_there": _OURS,
    "test_groups_when_there_are_very_many_then_all_are_listed_once": _OURS,
    "test_get_complete_when_the_connection_is_read_ahead_then_whole_messages": _OURS,
}
_OWN_SET: Final = "the client puts its own character set in the place of the queue manager's"
_NOT_COUNTED: Final = "the client does not read counts and responses of a call that failed"
_NOT_ANSWERED: Final = "an MQPUT1 in a unit of work is not answered"
_NOT_SENT: Final = "the client does not send it"
_REFUSED: Final = "our API refuses it before the client is asked"
NOT_OF_JAVA: Final = {
    "test_convert_when_the_queue_managers_set_is_another_then_that_is_the_target": _OWN_SET,
    "test_open_without_destinations_then_object_records_error": _REFUSED,
    "test_open_when_all_fail_alike_then_that_reason": _NOT_COUNTED,
    "test_open_when_all_fail_differently_then_multiple_reasons_as_a_failure": _NOT_COUNTED,
    "test_put_when_all_are_inhibited_then_that_reason": _NOT_COUNTED,
    "test_put_when_maxumsgs_is_reached_then_the_rest_has_its_reason": _NOT_ANSWERED,
    "test_put_inside_syncpoint_when_it_crashes_then_all_or_none": _NOT_ANSWERED,
    "test_put_to_others_when_distl_is_yes_then_one_message_for_all": _NOT_ANSWERED,
    "test_open_when_a_single_queue_comes_with_a_count_of_records_then_refused": _NOT_SENT,
    "test_put_with_records_then_each_destination_has_its_own_fields": _NOT_SENT,
    "test_put_to_a_thousand_then_all_have_it": _NOT_SENT,
}


def bindings_of(module: str, test: str = "") -> tuple[str, ...]:
    """Those that a test runs by; without its name, those of its module."""
    name = module.rpartition(".")[2]
    if test in TESTS:
        return TESTS[test]
    if test in NOT_OFFERED:
        return ()
    if name in CALLBACK_MODULES:
        return ("ibmmq", JAVA)
    if name in JAVA_MODULES:
        return () if test in NOT_OF_JAVA else (JAVA,)
    if name not in (*MODULES, *COMPAT_MODULES):
        return ()
    return COMPAT if name in COMPAT_MODULES or test in NOT_OF_JAVA else BINDINGS
