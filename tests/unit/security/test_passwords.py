"""Goal: the password file is read, checked and replaced safely, and no password stands in it.

Method: accounts made and found again, every kind of bad line, crashes during a replacement.
"""

import pytest

from ternmq.ports.memory_disk import MemoryDisk
from ternmq.ports.users import GroupTable
from ternmq.security import password_file
from ternmq.security.password_file import (
    COST,
    Account,
    PasswordFileError,
    PasswordUsers,
    has_default_password,
    is_user_name,
    parse,
    read_accounts,
    save_accounts,
    text_of,
)
from ternmq.security.passwords import is_password, make_account
from ternmq.testing.chance import Chance
from ternmq.testing.sim_disk import SimDisk
from ternmq.testing.wreck import Wreck, crashes

pytestmark = pytest.mark.core
SALT = bytes(range(16))


def account(user: str, *groups: str, is_default: bool = False) -> Account:
    """Without a password: scrypt takes its time."""
    return Account(user, groups, COST, SALT, bytes(32), is_default)


def test_a_password_is_recognised_and_nothing_else_is() -> None:
    made = make_account("app", ("staff",), "passw0rd", SALT)
    assert is_password(made, "passw0rd")
    assert not is_password(made, "passw0rD")
    assert not is_password(made, "")
    assert not is_password(None, "passw0rd")
    assert "passw0rd" not in text_of({"app": made})
    other = make_account("app", (), "passw0rd", SALT[::-1])
    assert other.hash != made.hash


@pytest.mark.parametrize("password", ["", "x" * 257])
def test_what_cannot_be_a_password(password: str) -> None:
    with pytest.raises(ValueError, match="1 to 256 bytes"):
        make_account("app", (), password, SALT)


def test_a_check_takes_sixteen_megabytes() -> None:
    n, r, _ = COST
    assert 128 * n * r == 16 << 20


def test_accounts_are_found_again() -> None:
    accounts = {
        "app": account("app", is_default=True),
        "admin": account("admin", "mqm", "staff"),
    }
    text = text_of(accounts)
    again = parse(f"# comment\n\n{text}")
    assert sorted(again) == ["admin", "app"]
    assert again["admin"].groups == ("mqm", "staff")
    assert again["admin"].salt == SALT
    assert again["app"].is_default
    assert text_of(again) == text
    assert has_default_password(again)
    del again["app"]
    assert not has_default_password(again)


GOOD = account("app", "a").line()


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("app:a", "2 fields"),
        (GOOD.replace("app:", "a b:", 1), "is not a user name"),
        (GOOD.replace(":a:", ":a b:", 1), "is not a group name"),
        (GOOD.replace("scrypt", "md5"), "method 'md5'"),
        (GOOD.replace("16384,8,1", "16384,8"), "out of range"),
        (GOOD.replace("16384,8,1", "16383,8,1"), "out of range"),
        (GOOD.replace("16384,8,1", "1073741824,8,1"), "out of range"),
        (GOOD.replace("16384,8,1", "x,8,1"), "invalid literal"),
        (GOOD.replace(SALT.hex(), "zz"), "hex"),
        (GOOD.replace(SALT.hex(), "00"), "out of range"),
        (f"{GOOD}\n{GOOD}", "stands twice"),
    ],
)
def test_a_bad_line_is_named(line: str, fault: str) -> None:
    with pytest.raises(PasswordFileError, match=r"passwords, line \d") as error:
        parse(line)
    assert fault in str(error.value)


def test_names_of_users() -> None:
    assert is_user_name("app.one-2@host")
    assert not is_user_name("")
    assert not is_user_name("a:b")
    assert not is_user_name("x" * 65)


def test_the_file_adds_users_and_groups_to_those_of_the_machine() -> None:
    disk = MemoryDisk()
    users = PasswordUsers(disk, GroupTable({"fred": ("staff",)}))
    assert users.groups("fred") == ("staff",)
    assert not users.has_user("app")
    save_accounts(disk, {"fred": account("fred", "mqm"), "app": account("app")})
    assert users.groups("fred") == ("mqm", "staff")
    assert users.groups("app") == ()
    assert users.has_user("app")
    assert users.has_group("mqm")
    assert users.has_group("staff")
    assert not users.has_group("other")


def test_a_file_that_is_too_large_is_not_read() -> None:
    disk = MemoryDisk()
    save_accounts(disk, {"app": account("app")})
    file = disk.open(password_file.PATH)
    file.truncate(password_file.FILE_BYTES_MAX + 1)
    file.close()
    with pytest.raises(PasswordFileError, match="more than"):
        read_accounts(disk)


def test_a_crash_leaves_the_old_file_or_the_new_one() -> None:
    old = {"app": account("app", "old")}
    new = {"app": account("app", "new"), "admin": account("admin")}
    disk = SimDisk()
    save_accounts(disk, old)
    begun = len(disk.history)
    save_accounts(disk, new)
    ends: set[str] = set()
    looked = 0
    for place in range(begun, len(disk.history) + 1):
        for outcome in crashes(Wreck(disk).advance(place), Chance(place)):
            found = text_of(read_accounts(outcome.disk()))
            ends.add(found)
            looked += 1
    assert ends == {text_of(old), text_of(new)}
    assert looked > 4
