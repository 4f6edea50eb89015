"""The password file: users of a queue manager that the machine need not know.

`passwords` in the folder of the queue manager, text, one line a user, fields parted by colons:

    user        1 to 32 characters: letters, digits and . _ - @
    groups      parted by commas, the primary one first; may be empty
    method      scrypt
    n,r,p       the cost, as decimal numbers parted by commas
    salt        16 bytes, in hexadecimal
    hash        32 bytes, in hexadecimal
    origin      "default" if it is the password that everybody knows, else empty

Empty lines and lines that begin with # say nothing. The file is replaced as a whole, never changed
in place, and only its owner may read it. A password is never kept, only what scrypt makes of it.
"""

from __future__ import annotations

from typing import Final, final

from ternmq.base.limits import USER_NAME_BYTES_MAX
from ternmq.ports.disk import Disk, write_all
from ternmq.ports.users import Users

PATH: Final = "passwords"
NEW_PATH: Final = "passwords.new"
METHOD: Final = "scrypt"
COST: Final = (1 << 14, 8, 1)  # 16 MiB of memory
COST_MAX: Final = (1 << 20, 16, 4)  # what a file may ask for
SALT_BYTES: Final = 16
HASH_BYTES: Final = 32
FILE_BYTES_MAX: Final = 1 << 20
PASSWORD_BYTES_MAX: Final = 256
DEFAULT_ORIGIN: Final = "default"
_NAME: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-@")


class PasswordFileError(ValueError):
    """A line of the file that cannot be understood: it is named by its number."""


@final
class Account:
    """One user of the file."""

    __slots__ = ("cost", "groups", "hash", "is_default", "salt", "user")

    def __init__(
        self,
        user: str,
        groups: tuple[str, ...],
        cost: tuple[int, int, int],
        salt: bytes,
        hash: bytes,
        is_default: bool,
    ) -> None:
        self.user = user
        self.groups = groups
        self.cost = cost
        self.salt = salt
        self.hash = hash
        self.is_default = is_default

    def line(self) -> str:
        """As it stands in the file."""
        cost = ",".join(str(number) for number in self.cost)
        origin = DEFAULT_ORIGIN if self.is_default else ""
        groups = ",".join(self.groups)
        return f"{self.user}:{groups}:{METHOD}:{cost}:{self.salt.hex()}:{self.hash.hex()}:{origin}"


def is_user_name(name: str) -> bool:
    """Whether the file can hold a user or group of this name."""
    return 0 < len(name) <= USER_NAME_BYTES_MAX and _NAME.issuperset(name)


def parse(text: str) -> dict[str, Account]:
    """The users of a file; PasswordFileError names the line that is wrong."""
    accounts: dict[str, Account] = {}
    number = 0
    for line in text.split("\n"):
        number += 1
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        account = _account(line, number)
        if account.user in accounts:
            raise PasswordFileError(f"{PATH}, line {number}: user '{account.user}' stands twice")
        accounts[account.user] = account
    return accounts


def _account(line: str, number: int) -> Account:
    fields = line.split(":")
    if len(fields) != 7:
        raise PasswordFileError(f"{PATH}, line {number}: {len(fields)} fields, not 7")
    user, groups, method, cost, salt, digest, origin = fields
    if not is_user_name(user):
        raise PasswordFileError(f"{PATH}, line {number}: '{user}' is not a user name")
    names = tuple(group for group in groups.split(",") if group)
    for group in names:
        if not is_user_name(group):
            raise PasswordFileError(f"{PATH}, line {number}: '{group}' is not a group name")
    if method != METHOD:
        raise PasswordFileError(f"{PATH}, line {number}: method '{method}' is not known")
    try:
        salted = bytes.fromhex(salt)
        hashed = bytes.fromhex(digest)
        numbers = [int(part) for part in cost.split(",")]
    except ValueError as error:
        raise PasswordFileError(f"{PATH}, line {number}: {error}") from error
    if len(numbers) != 3 or not _is_cost(numbers) or len(salted) < 8 or len(hashed) != HASH_BYTES:
        raise PasswordFileError(f"{PATH}, line {number}: cost, salt or hash is out of range")
    given = (numbers[0], numbers[1], numbers[2])
    return Account(user, names, given, salted, hashed, origin == DEFAULT_ORIGIN)


def _is_cost(numbers: list[int]) -> bool:
    n = numbers[0]
    is_power = n > 1 and n & (n - 1) == 0
    return is_power and all(
        0 < number <= most for number, most in zip(numbers, COST_MAX, strict=True)
    )


def text_of(accounts: dict[str, Account]) -> str:
    """The file of these users."""
    lines = [accounts[user].line() for user in sorted(accounts)]
    return "".join(f"{line}\n" for line in lines)


def has_default_password(accounts: dict[str, Account]) -> bool:
    """Whether a user still has the default password, which is public: then no user from
    another machine may connect."""
    return any(account.is_default for account in accounts.values())


def read_accounts(disk: Disk) -> dict[str, Account]:
    """The users of the file on a queue manager's disk; none if there is no file."""
    if not disk.exists(PATH):
        return {}
    if disk.size(PATH) > FILE_BYTES_MAX:
        raise PasswordFileError(f"{PATH} has more than {FILE_BYTES_MAX} bytes")
    file = disk.open(PATH)
    try:
        content = file.pread(0, FILE_BYTES_MAX)
    finally:
        file.close()
    return parse(content.decode("utf-8", "replace"))


def save_accounts(disk: Disk, accounts: dict[str, Account]) -> None:
    """Replace the file: a reader meanwhile, or after a crash, finds the old one or the new."""
    file = disk.create(NEW_PATH)
    try:
        write_all(file, 0, [text_of(accounts).encode("utf-8")])
        file.datasync()
    finally:
        file.close()
    disk.rename(NEW_PATH, PATH)
    disk.sync_dir("")


@final
class PasswordUsers(Users):
    """The users of the password file, and those of another directory."""

    def __init__(self, disk: Disk, beyond: Users) -> None:
        self._disk = disk
        self._beyond = beyond

    def groups(self, user: str) -> tuple[str, ...]:
        account = read_accounts(self._disk).get(user)
        others = self._beyond.groups(user)
        if account is None:
            return others
        own = account.groups
        return own + tuple(group for group in others if group not in own)

    def has_user(self, user: str) -> bool:
        return user in read_accounts(self._disk) or self._beyond.has_user(user)

    def has_group(self, group: str) -> bool:
        for account in read_accounts(self._disk).values():
            if group in account.groups:
                return True
        return self._beyond.has_group(group)

    def number(self, user: str) -> int:
        return self._beyond.number(user)
