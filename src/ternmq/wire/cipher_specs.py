"""CipherSpecs by IBM MQ's names, and the server name in which TLS carries a channel's name.

CipherSpecs: one table, with the number that the suite has in TLS and OpenSSL's name for it. What
IBM MQ calls weak or has deprecated (SSL, TLS 1.0, RC4, DES, export, no encryption) is not in it, so
it is refused wherever a name is looked up. The aliases ANY* stand for every row of their versions,
the later version first.

Server name (SNI): IBM MQ says in the first message of the handshake which channel it wants, so that
the queue manager can choose the certificate of that channel (CERTLABL):

    A-Z         the letter in lower case
    0-9         as it is
    all others  (also a-z) two hexadecimal digits and -
    at the end  .chl.mq.ibm.com

A - is always the end of two digits, so the name can be read back. Any other server name (a host
name, as with OutboundSNI=HOSTNAME) says nothing about the channel.
"""

from __future__ import annotations

from typing import Final, final

TLS_1_2: Final = "TLSV12"
TLS_1_3: Final = "TLSV13"
SNI_SUFFIX: Final = ".chl.mq.ibm.com"
_CHANNEL_NAME_BYTES_MAX: Final = 20

# name, number, OpenSSL's name; in the order in which they are preferred
_TLS_1_3_ROWS: Final = """
TLS_AES_256_GCM_SHA384           1302  TLS_AES_256_GCM_SHA384
TLS_CHACHA20_POLY1305_SHA256     1303  TLS_CHACHA20_POLY1305_SHA256
TLS_AES_128_GCM_SHA256           1301  TLS_AES_128_GCM_SHA256
TLS_AES_128_CCM_SHA256           1304  TLS_AES_128_CCM_SHA256
TLS_AES_128_CCM_8_SHA256         1305  TLS_AES_128_CCM_8_SHA256
"""
_TLS_1_2_ROWS: Final = """
ECDHE_ECDSA_AES_256_GCM_SHA384   C02C  ECDHE-ECDSA-AES256-GCM-SHA384
ECDHE_RSA_AES_256_GCM_SHA384     C030  ECDHE-RSA-AES256-GCM-SHA384
ECDHE_ECDSA_AES_128_GCM_SHA256   C02B  ECDHE-ECDSA-AES128-GCM-SHA256
ECDHE_RSA_AES_128_GCM_SHA256     C02F  ECDHE-RSA-AES128-GCM-SHA256
ECDHE_ECDSA_AES_256_CBC_SHA384   C024  ECDHE-ECDSA-AES256-SHA384
ECDHE_RSA_AES_256_CBC_SHA384     C028  ECDHE-RSA-AES256-SHA384
ECDHE_ECDSA_AES_128_CBC_SHA256   C023  ECDHE-ECDSA-AES128-SHA256
ECDHE_RSA_AES_128_CBC_SHA256     C027  ECDHE-RSA-AES128-SHA256
TLS_RSA_WITH_AES_256_GCM_SHA384  009D  AES256-GCM-SHA384
TLS_RSA_WITH_AES_128_GCM_SHA256  009C  AES128-GCM-SHA256
TLS_RSA_WITH_AES_256_CBC_SHA256  003D  AES256-SHA256
TLS_RSA_WITH_AES_128_CBC_SHA256  003C  AES128-SHA256
"""
# The lowest and the highest version that an alias stands for.
ALIASES: Final[dict[str, tuple[str, str]]] = {
    "ANY": (TLS_1_2, TLS_1_3),
    "ANY_TLS12": (TLS_1_2, TLS_1_2),
    "ANY_TLS12_OR_HIGHER": (TLS_1_2, TLS_1_3),
    "ANY_TLS13": (TLS_1_3, TLS_1_3),
    "ANY_TLS13_OR_HIGHER": (TLS_1_3, TLS_1_3),
}


@final
class CipherSpec:
    """One row."""

    __slots__ = ("name", "number", "openssl_name", "version")

    def __init__(self, name: str, number: int, openssl_name: str, version: str) -> None:
        self.name = name
        self.number = number
        self.openssl_name = openssl_name
        self.version = version


def _rows(text: str, version: str) -> list[CipherSpec]:
    rows: list[CipherSpec] = []
    for line in text.strip().splitlines():
        name, number, openssl_name = line.split()
        rows.append(CipherSpec(name, int(number, 16), openssl_name, version))
    return rows


CIPHER_SPECS: Final[list[CipherSpec]] = _rows(_TLS_1_3_ROWS, TLS_1_3) + _rows(
    _TLS_1_2_ROWS, TLS_1_2
)
_BY_NAME: Final[dict[str, CipherSpec]] = {row.name: row for row in CIPHER_SPECS}
_BY_OPENSSL_NAME: Final[dict[str, CipherSpec]] = {row.openssl_name: row for row in CIPHER_SPECS}


def cipher_specs_of(value: str) -> list[CipherSpec]:
    """What a value of SSLCIPH allows, best first; nothing if it is no CipherSpec."""
    alias = ALIASES.get(value)
    if alias is not None:
        return [row for row in CIPHER_SPECS if alias[0] <= row.version <= alias[1]]
    row = _BY_NAME.get(value)
    return [] if row is None else [row]


def cipher_fault(value: str) -> str:
    """Why a value of SSLCIPH is refused, and what to use instead."""
    from ternmq.base.similar import did_you_mean  # few make a mistake

    hint = did_you_mean(value, [*_BY_NAME, *ALIASES]) or "Use ANY_TLS12_OR_HIGHER."
    return f"'{value}' is not a CipherSpec that can be used here. {hint}"


def cipher_spec_of_suite(openssl_name: str) -> CipherSpec | None:
    """The CipherSpec of a suite that OpenSSL has agreed to."""
    return _BY_OPENSSL_NAME.get(openssl_name)


def sni_of_channel(channel_name: str) -> str:
    """The server name that asks for a channel."""
    parts: list[str] = []
    for one in channel_name:
        if "A" <= one <= "Z":
            parts.append(one.lower())
        elif "0" <= one <= "9":
            parts.append(one)
        else:
            parts.append(f"{ord(one):02x}-")
    return "".join(parts) + SNI_SUFFIX


def channel_of_sni(server_name: str) -> str:
    """The channel that a server name asks for; "" if it names none."""
    name = server_name.lower()
    if not name.endswith(SNI_SUFFIX):
        return ""
    label = name[: -len(SNI_SUFFIX)]
    found: list[str] = []
    place = 0
    while place < len(label):
        code = label[place : place + 3]
        if len(code) == 3 and code[2] == "-" and _is_hex(code[:2]):
            found.append(chr(int(code[:2], 16)))
            place += 3
        elif label[place].isascii() and label[place].isalnum():
            found.append(label[place].upper())
            place += 1
        else:
            return ""
    channel = "".join(found)
    return channel if len(channel) <= _CHANNEL_NAME_BYTES_MAX else ""


def _is_hex(text: str) -> bool:
    return all(one in "0123456789abcdef" for one in text)
