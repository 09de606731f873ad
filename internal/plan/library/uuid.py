"""Universally unique identifiers (RFC 9562). Random ones are drawn by the seed of the run."""

import hashlib as _hashlib
import time as _time
from random import Random as _Random

__all__ = ['UUID', 'uuid1', 'uuid3', 'uuid4', 'uuid5', 'uuid7', 'NAMESPACE_DNS', 'NAMESPACE_URL', 'NAMESPACE_OID',
           'NAMESPACE_X500', 'RFC_4122']

RFC_4122 = 'specified in RFC 4122'


class UUID:
    def __init__(self, hex=None, bytes=None, int=None, version=None):
        if [hex, bytes, int].count(None) != 2:
            raise TypeError('one of the hex, bytes, or int arguments must be given')
        if hex is not None:
            digits = hex.replace('urn:', '').replace('uuid:', '').strip('{}').replace('-', '')
            if len(digits) != 32:
                raise ValueError('badly formed hexadecimal UUID string')
            int = _number(digits, 16)
        if bytes is not None:
            if len(bytes) != 16:
                raise ValueError('bytes is not a 16-char string')
            int = _number.from_bytes(bytes)
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
    def urn(self):
        return 'urn:uuid:' + str(self)

    @property
    def variant(self):
        return RFC_4122 if self.int >> 62 & 3 == 2 else 'reserved'

    @property
    def version(self):
        return self.int >> 76 & 0xF if self.variant == RFC_4122 else None


_number = int
_dice = _Random('uuid' + str(_Random().getrandbits(64)))
NAMESPACE_DNS = UUID('6ba7b810-9dad-11d1-80b4-00c04fd430c8')
NAMESPACE_URL = UUID('6ba7b811-9dad-11d1-80b4-00c04fd430c8')
NAMESPACE_OID = UUID('6ba7b812-9dad-11d1-80b4-00c04fd430c8')
NAMESPACE_X500 = UUID('6ba7b814-9dad-11d1-80b4-00c04fd430c8')


def uuid1():
    """One of the time since 15 October 1582, of a random node."""
    t = _time.time_ns() // 100 + 0x01B21DD213814000
    n = (t & 0xFFFFFFFF) << 96 | (t >> 32 & 0xFFFF) << 80 | (t >> 48 & 0xFFF) << 64 | _dice.getrandbits(62)
    return UUID(int=n | 1 << 40, version=1)


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
