"""Numbers and bytes in the layouts of C (standard sizes; native alignment is that of 64-bit Linux)."""

__all__ = ['calcsize', 'pack', 'unpack', 'error']


class error(Exception):
    pass


_sizes = {'x': 1, 'c': 1, 'b': 1, 'B': 1, '?': 1, 'h': 2, 'H': 2, 'i': 4, 'I': 4, 'l': 4, 'L': 4, 'q': 8, 'Q': 8, 'f': 4, 'd': 8, 's': 1}
_native = {'l': 8, 'L': 8}


def _fields(format):
    """Returns the byte order, the size, and the fields: a letter, how many, where, and the size of one."""
    if isinstance(format, bytes):
        format = format.decode('ascii')
    aligned = format[:1] not in tuple('=<>!')
    order = 'big' if format[:1] in ('>', '!') else 'little'
    sizes = {**_sizes, **_native} if aligned else _sizes
    at, count, out = 0, '', []
    for c in format[1:] if format[:1] in tuple('@=<>!') else format:
        if c.isdigit():
            count += c
            continue
        if c.isspace() and not count:
            continue
        if c not in sizes:
            raise error('bad char in struct format')
        size = sizes[c]
        if aligned:
            at += -at % size
        n = int(count) if count else 1
        count = ''
        out.append((c, n, at, size))
        at += n * size
    if count:
        raise error('repeat count given without format specifier')
    return order, at, out


def _packed(letter, size, order, x):
    if letter == 'c':
        if not isinstance(x, bytes) or len(x) != 1:
            raise error('char format requires a bytes object of length 1')
        return x
    if letter == '?':
        return b'\1' if x else b'\0'
    if letter in 'fd':
        if not isinstance(x, (int, float)):
            raise error('required argument is not a float')
        return _float_bytes(float(x), size)[::1 if order == 'big' else -1]
    if not hasattr(x, '__index__'):
        raise error('required argument is not an integer')
    signed = letter.islower()
    low, high = (-(1 << 8 * size - 1), (1 << 8 * size - 1) - 1) if signed else (0, (1 << 8 * size) - 1)
    if not low <= x <= high:
        raise error(f"'{letter}' format requires {low} <= number <= {high}")
    return x.__index__().to_bytes(size, order, signed=signed)


def calcsize(format):
    return _fields(format)[1]


def pack(format, *values):
    order, size, fields = _fields(format)
    need = sum([1 if c == 's' else 0 if c == 'x' else n for c, n, _, _ in fields])
    if len(values) != need:
        raise error(f'pack expected {need} items for packing (got {len(values)})')
    values = iter(values)
    out, end = [], 0
    for c, n, at, size in fields:
        out.append(bytes(at - end + (n if c == 'x' else 0)))
        end = at + n * size
        if c == 's':
            x = next(values)
            if not isinstance(x, bytes):
                raise error(f"argument for '{c}' must be a bytes object")
            out.append(x[:n].ljust(n, b'\0'))
        elif c != 'x':
            for _ in range(n):
                out.append(_packed(c, size, order, next(values)))
    return b''.join(out)


def unpack(format, buffer):
    order, total, fields = _fields(format)
    if len(buffer) != total:
        raise error(f'unpack requires a buffer of {total} bytes')
    out = []
    for c, n, at, size in fields:
        if c == 's':
            out.append(bytes(buffer[at:at + n]))
        elif c != 'x':
            for i in range(at, at + n * size, size):
                part = bytes(buffer[i:i + size])
                if c == 'c':
                    out.append(part)
                elif c == '?':
                    out.append(part != b'\0')
                elif c in 'fd':
                    out.append(_bytes_float(part[::1 if order == 'big' else -1]))
                else:
                    out.append(int.from_bytes(part, order, signed=c.islower()))
    return tuple(out)
