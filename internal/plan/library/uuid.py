"""Universally unique identifiers (RFC 9562). Random ones are drawn by the seed of the run."""

from random import Random as _Random

__all__ = ['UUID', 'uuid4']


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
    def version(self):
        return self.int >> 76 & 0xF if self.int >> 62 & 3 == 2 else None


_number = int
_dice = _Random('uuid' + str(_Random().getrandbits(64)))


def uuid4():
    return UUID(int=_dice.getrandbits(128), version=4)
