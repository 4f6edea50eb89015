"""Goal: the limits fit together.

Method: compare each default with its range.
"""

import pytest

from ternmq.base import limits

pytestmark = pytest.mark.core


def test_every_default_is_within_its_range() -> None:
    values = {name: value for name, value in vars(limits).items() if name.isupper()}
    defaults = [name.removesuffix("_DEFAULT") for name in values if name.endswith("_DEFAULT")]
    assert defaults
    for stem in defaults:
        low = values.get(f"{stem}_MIN", 0)
        assert low <= values[f"{stem}_DEFAULT"] <= values[f"{stem}_MAX"]


def test_log_of_most_files_has_room_for_a_secondary_one() -> None:
    assert limits.LOG_PRIMARY_FILES_MAX < limits.LOG_FILES_MAX
