"""By which bindings the rows of publish/subscribe run, and what some of them have no call for."""

from __future__ import annotations

from typing import Final

from tests.bindings.bound import BINDINGS as OTHERS
from tests.bindings.bound import COMPAT, JAVA

OWN: Final = ("embedded", "local", "tcp")
EVERY: Final = (*OWN, *OTHERS)
FIXTURES: Final = {
    "bed": EVERY,
    "lasting": EVERY,
    "client": ("tcp", "ibmmq", JAVA),  # over a channel
    "multicast": ("tcp", "ibmmq"),  # clients of ours over TCP: the wire format is our own
    "java": (JAVA,),
    # On the machine a program of pymqi works as the user of its process alone.
    "secured": tuple(one for one in EVERY if one != "pymqi"),
}
_NO_SUBRQ: Final = "pymqi has no MQSUBRQ"
_NO_COMMANDS: Final = "commands as that user: the binding has no call for them"
_NO_USER: Final = "on the machine a program of pymqi works as the user of its process"
_NO_LISTS: Final = "these libraries have no distribution lists"
_NO_CALLBACKS: Final = "pymqi has no MQCB"
_NO_OPTIONS: Final = "MQCNO options go by our own connections alone"
_NOT_READ: Final = "the client does not read Options, SubExpiry and PubPriority of an MQSD back"
_HEADERS: Final = "the client has properties in the data, behind which the command is"
_MORE_CALLS: Final = "the client makes calls of its own when it connects"
_NO_HANDLE: Final = "the client makes no MQSUB without a handle that is not for a managed queue"
NOT_OFFERED: Final[dict[str, dict[str, str]]] = {
    "test_b18_other_verbs_on_a_handle_of_a_topic": {"pymqi": _NO_SUBRQ},
    "test_c57_when_on_request_then_only_by_mqsubrq": {"pymqi": _NO_SUBRQ},
    "test_d1_when_requested_then_another_copy_each_time": {"pymqi": _NO_SUBRQ},
    "test_d2_when_pattern_is_requested_then_all_that_match": {"pymqi": _NO_SUBRQ},
    "test_d3_when_nothing_is_retained_then_2437": {"pymqi": _NO_SUBRQ},
    "test_d5_when_not_made_for_requests_then_2046": {"pymqi": _NO_SUBRQ},
    "test_d6_when_handle_or_action_is_wrong_then_its_reason": {"pymqi": _NO_SUBRQ},
    "test_d7_when_retained_cannot_be_sent_then_subscription_stays": {"pymqi": _NO_SUBRQ},
    "test_c56_when_more_are_retained_than_one_step_sends_then_all": {"pymqi": _NO_SUBRQ},
    "test_c16_when_user_is_another_then_2434": {"pymqi": _NO_USER},
    "test_c17_when_any_user_then_the_last_one_is_its_user": {"pymqi": _NO_USER},
    "test_c18_when_owner_allows_any_user_then_others_resume": {"pymqi": _NO_USER},
    "test_e20_when_published_then_context_is_the_subscriptions": {"pymqi": _NO_USER},
    "test_a29_an_alias_of_a_topic_in_a_distribution_list": dict.fromkeys(COMPAT, _NO_LISTS),
    "test_d14_when_managed_then_a_function_gets_each_publication": {"pymqi": _NO_CALLBACKS},
    "test_j13_trace_when_the_application_forbids_it_then_actvcono_decides": dict.fromkeys(
        OTHERS, _NO_OPTIONS
    ),
    "test_c20_when_expiry_altered_and_over_then_gone": {JAVA: _NO_HANDLE},
    "test_c46_when_resumed_without_handle_then_its_queue": {JAVA: _NO_HANDLE},
    "test_c59_when_queue_is_full_then_dead_letter_queue_or_2526": {JAVA: _NO_HANDLE},
    "test_f_mqsub_when_administrative_then_altered_and_removed": {JAVA: _NO_HANDLE},
    "test_g9_mqsub_that_opens_the_queue_needs_put_get_and_browse": {JAVA: _NO_HANDLE},
    "test_c28_when_resumed_without_durable_then_still_durable": {JAVA: _NOT_READ},
    "test_c39_when_resumed_then_original_expiry_is_returned": {JAVA: _NOT_READ},
    "test_c68_when_resumed_then_descriptor_tells_all": {JAVA: _NOT_READ},
    "test_filter_when_given_then_only_what_it_selects": {JAVA: _HEADERS},
    "test_j13_application_when_traced_then_its_calls_and_no_others": {JAVA: _MORE_CALLS},
    "test_j13_application_when_its_name_has_a_path_then_the_last_part_counts": {JAVA: _MORE_CALLS},
    "test_sub_commands_need_sub_in_the_tree": dict.fromkeys(OTHERS, _NO_COMMANDS),
}


def bindings_of(fixture: str, test: str) -> tuple[str, ...]:
    """Those that a test runs by which takes that fixture."""
    left_out = NOT_OFFERED.get(test, {})
    return tuple(one for one in FIXTURES[fixture] if one not in left_out)
