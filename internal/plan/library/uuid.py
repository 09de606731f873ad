"""Universally unique identifiers (RFC 9562). Random ones are drawn by the seed of the run."""

import hashlib as _hashlib
import time as _time
from enum import Enum as _Enum
from random import Random as _Random

__all__ = ['UUID', 'SafeUUID', 'uuid1', 'uuid3', 'uuid4', 'uuid5', 'uuid7', 'getnode', 'NAMESPACE_DNS', 'NAMESPACE_URL',
           'NAMESPACE_OID', 'NAMESPACE_X500', 'NIL', 'MAX', 'RFC_4122']

RFC_4122 = 'specified in RFC 4122'
_other = 'reserved for NCS compatibility', RFC_4122, 'reserved for Microsoft compatibility', 'reserved for future definition'


class SafeUUID(_Enum):
    safe = 0
    unsafe = -1
    unknown = None


class UUID:
    is_safe = SafeUUID.unknown

    def __init__(self, hex=None, bytes=None, bytes_le=None, fields=None, int=None, version=None):
        if [hex, bytes, bytes_le, fields, int].count(None) != 4:
            raise TypeError('one of the hex, bytes, bytes_le, fields, or int arguments must be given')
        if hex is not None:
            digits = hex.replace('urn:', '').replace('uuid:', '').strip('{}').replace('-', '')
            if len(digits) != 32:
                raise ValueError('badly formed hexadecimal UUID string')
            int = _number(digits, 16)
        if bytes_le is not None:
            if len(bytes_le) != 16:
                raise ValueError('bytes_le is not a 16-char string')
            bytes = bytes_le[3::-1] + bytes_le[5:3:-1] + bytes_le[7:5:-1] + bytes_le[8:]
        if bytes is not None:
            if len(bytes) != 16:
                raise ValueError('bytes is not a 16-char string')
            int = _number.from_bytes(bytes)
        if fields is not None:
            if len(fields) != 6:
                raise ValueError('fields is not a 6-tuple')
            low, mid, high, seq, seq_low, node = fields
            int = low << 96 | mid << 80 | high << 64 | seq << 56 | seq_low << 48 | node
        if not 0 <= int < 1 << 128:
            raise ValueError('int is out of range (need a 128-bit value)')
        if version is not None:
            if not 1 <= version <= 8:
                raise ValueError('illegal version number')
            int = int & ~(0xC000 << 48 | 0xF000 << 64) | 0x8000 << 48 | version << 76
        self.int = int

    def __eq__(self, other):
        return self.int == other.int if isinstance(other, UUID) else NotImplemented

    def __lt__(self, other):
        return self.int < other.int if isinstance(other, UUID) else NotImplemented

    def __gt__(self, other):
        return self.int > other.int if isinstance(other, UUID) else NotImplemented

    def __le__(self, other):
        return self.int <= other.int if isinstance(other, UUID) else NotImplemented

    def __ge__(self, other):
        return self.int >= other.int if isinstance(other, UUID) else NotImplemented

    def __hash__(self):
        return hash(self.int)

    def __int__(self):
        return self.int

    def __str__(self):
        h = self.hex
        return '-'.join([h[:8], h[8:12], h[12:16], h[16:20], h[20:]])

    def __repr__(self):
        return f'UUID({str(self)!r})'

    @property
    def hex(self):
        return f'{self.int:032x}'

    @property
    def bytes(self):
        return self.int.to_bytes(16)

    @property
    def bytes_le(self):
        b = self.bytes
        return b[3::-1] + b[5:3:-1] + b[7:5:-1] + b[8:]

    @property
    def fields(self):
        n = self.int
        return n >> 96, n >> 80 & 0xFFFF, n >> 64 & 0xFFFF, n >> 56 & 0xFF, n >> 48 & 0xFF, n & 0xFFFFFFFFFFFF

    @property
    def node(self):
        return self.int & 0xFFFFFFFFFFFF

    @property
    def urn(self):
        return 'urn:uuid:' + str(self)

    @property
    def variant(self):
        top = self.int >> 61 & 7
        return _other[0 if top < 4 else 1 if top < 6 else top - 4]

    @property
    def version(self):
        return self.int >> 76 & 0xF if self.variant == RFC_4122 else None


_number = int
_dice = _Random('uuid' + str(_Random().getrandbits(64)))
NAMESPACE_DNS = UUID('6ba7b810-9dad-11d1-80b4-00c04fd430c8')
NAMESPACE_URL = UUID('6ba7b811-9dad-11d1-80b4-00c04fd430c8')
NAMESPACE_OID = UUID('6ba7b812-9dad-11d1-80b4-00c04fd430c8')
NAMESPACE_X500 = UUID('6ba7b814-9dad-11d1-80b4-00c04fd430c8')
NIL = UUID(int=0)
MAX = UUID(int=(1 << 128) - 1)


def getnode():
    """A random node, as RFC 9562 wants it of a host that shows none of its own."""
    return _dice.getrandbits(48) | 1 << 40


def uuid1(node=None, clock_seq=None):
    t = _time.time_ns() // 100 + 0x01B21DD213814000  # since 15 October 1582
    if clock_seq is None:
        clock_seq = _dice.getrandbits(14)
    if node is None:
        node = getnode()
    return UUID(fields=(t & 0xFFFFFFFF, t >> 32 & 0xFFFF, t >> 48 & 0xFFF, clock_seq >> 8 & 0x3F, clock_seq & 0xFF, node), version=1)


def _named(namespace, name, digest, version):
    if isinstance(name, str):
        name = name.encode()
    return UUID(bytes=digest(namespace.bytes + name).digest()[:16], version=version)


def uuid3(namespace, name):
    return _named(namespace, name, _hashlib.md5, 3)


def uuid4():
    return UUID(int=_dice.getrandbits(128), version=4)


def uuid5(namespace, name):
    return _named(namespace, name, _hashlib.sha1, 5)


def uuid7():
    return UUID(int=(_time.time_ns() // 1_000_000 & (1 << 48) - 1) << 80 | _dice.getrandbits(80), version=7)
