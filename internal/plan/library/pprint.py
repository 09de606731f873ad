"""Prints containers in lines of a width."""

import re as _re

__all__ = ['pprint', 'pformat', 'isreadable', 'isrecursive', 'saferepr', 'PrettyPrinter', 'pp']


def pprint(object, stream=None, indent=1, width=80, depth=None, *, compact=False, sort_dicts=True, underscore_numbers=False):
    PrettyPrinter(indent, width, depth, stream, compact=compact, sort_dicts=sort_dicts,
                  underscore_numbers=underscore_numbers).pprint(object)


def pp(object, *args, sort_dicts=False, **kwargs):
    pprint(object, *args, sort_dicts=sort_dicts, **kwargs)


def pformat(object, indent=1, width=80, depth=None, *, compact=False, sort_dicts=True, underscore_numbers=False):
    return PrettyPrinter(indent, width, depth, compact=compact, sort_dicts=sort_dicts,
                         underscore_numbers=underscore_numbers).pformat(object)


def saferepr(object):
    return PrettyPrinter()._short(object, [], 1)


def isreadable(object):
    return PrettyPrinter().isreadable(object)


def isrecursive(object):
    return PrettyPrinter().isrecursive(object)


class _Key:
    # Orders what has no order: by the names of the classes.
    def __init__(self, obj):
        self.obj = obj

    def __lt__(self, other):
        try:
            return self.obj < other.obj
        except TypeError:
            return str(type(self.obj)) < str(type(other.obj))


def _pair_key(pair):
    return _Key(pair[0]), _Key(pair[1])


def _inside(obj, stack):
    return any([obj is o for o in stack])


class PrettyPrinter:
    def __init__(self, indent=1, width=80, depth=None, stream=None, *, compact=False, sort_dicts=True, underscore_numbers=False):
        indent, width = int(indent), int(width)
        if indent < 0:
            raise ValueError('indent must be >= 0')
        if depth is not None and depth <= 0:
            raise ValueError('depth must be > 0')
        if not width:
            raise ValueError('width must be != 0')
        self._indent = indent
        self._width = width
        self._depth = depth
        self._stream = stream
        self._compact = bool(compact)
        self._sort = sort_dicts
        self._underscores = underscore_numbers

    def pprint(self, object):
        text = self.pformat(object)
        if self._stream is None:
            print(text)
        else:
            self._stream.write(text + '\n')

    def pformat(self, object):
        out = []
        self._format(object, out, 0, 0, [], 0)
        return ''.join(out)

    def isreadable(self, object):
        return not self.isrecursive(object) and ' at 0x' not in self._short(object, [], 1)

    def isrecursive(self, object):
        return '<Recursion on ' in self._short(object, [], 1)

    def format(self, object, context, maxlevels, level):
        text = self._short(object, [], 1)
        return text, ' at 0x' not in text, '<Recursion on ' in text

    def _recursion(self, obj):
        return f'<Recursion on {type(obj).__name__} with id=0>'

    def _short(self, obj, stack, level):
        """The text of an object in one line."""
        kind = type(obj)
        if self._underscores and kind is int:
            return f'{obj:_d}'
        if isinstance(obj, (dict, list, tuple)):
            r = _builtin_of(obj)
        else:
            return repr(obj)
        if r is None:
            return repr(obj)
        if not obj:
            return '{}' if r == 'd' else '[]' if r == 'l' else '()'
        if self._depth and level > self._depth:
            return '{...}' if r == 'd' else '[...]' if r == 'l' else '(...)'
        if _inside(obj, stack):
            return self._recursion(obj)
        stack.append(obj)
        if r == 'd':
            items = sorted(obj.items(), key=_pair_key) if self._sort else list(obj.items())
            parts = [self._short(k, stack, level + 1) + ': ' + self._short(v, stack, level + 1) for k, v in items]
            text = '{' + ', '.join(parts) + '}'
        else:
            parts = [self._short(v, stack, level + 1) for v in obj]
            if r == 'l':
                text = '[' + ', '.join(parts) + ']'
            else:
                text = '(' + ', '.join(parts) + (',)' if len(parts) == 1 else ')')
        stack.pop()
        return text

    def _format(self, obj, out, indent, allowance, stack, level):
        if _inside(obj, stack):
            out.append(self._recursion(obj))
            return
        text = self._short(obj, stack[:], level + 1)
        if len(text) > self._width - indent - allowance:
            how = self._way(obj)
            if how is not None:
                stack.append(obj)
                how(obj, out, indent, allowance, stack, level + 1)
                stack.pop()
                return
        out.append(text)

    def _way(self, obj):
        """How an object is written in several lines, or None."""
        name = type(obj).__name__
        own = type(obj).__repr__
        if own is dict.__repr__:
            return self._dict
        if own is list.__repr__:
            return self._list
        if own is tuple.__repr__:
            return self._tuple
        if own is set.__repr__ or own is frozenset.__repr__:
            return self._set
        if own is str.__repr__:
            return self._str
        if own is bytes.__repr__:
            return self._bytes
        if type(obj).__module__ == 'collections':
            if name == 'OrderedDict':
                return self._ordered
            if name == 'defaultdict':
                return self._default
            if name == 'Counter':
                return self._counter
            if name == 'deque':
                return self._deque
            if name == 'ChainMap':
                return self._chain
        if name == 'SimpleNamespace' and type(obj).__module__ == 'types':
            return self._namespace
        if type(obj).__module__ == 'types' and name == 'MappingProxyType':
            return self._proxy
        if hasattr(obj, '__dataclass_fields__') and not isinstance(obj, type) and hasattr(own, '_of_fields'):
            return self._dataclass
        return None

    def _dict(self, obj, out, indent, allowance, stack, level):
        out.append('{')
        if self._indent > 1:
            out.append((self._indent - 1) * ' ')
        if obj:
            items = sorted(obj.items(), key=_pair_key) if self._sort else list(obj.items())
            self._pairs(items, out, indent + self._indent, allowance + 1, stack, level)
        out.append('}')

    def _pairs(self, items, out, indent, allowance, stack, level):
        for i, (k, v) in enumerate(items):
            last = i == len(items) - 1
            text = self._short(k, stack[:], level + 1)
            out.append(text + ': ')
            self._format(v, out, indent + len(text) + 2, allowance if last else 1, stack, level)
            if not last:
                out.append(',\n' + ' ' * indent)

    def _list(self, obj, out, indent, allowance, stack, level):
        out.append('[')
        self._items(obj, out, indent, allowance + 1, stack, level)
        out.append(']')

    def _tuple(self, obj, out, indent, allowance, stack, level):
        end = ',)' if len(obj) == 1 else ')'
        out.append('(')
        self._items(obj, out, indent, allowance + len(end), stack, level)
        out.append(end)

    def _set(self, obj, out, indent, allowance, stack, level):
        if not obj:
            out.append(repr(obj))
            return
        if type(obj) is set:
            start, end = '{', '}'
        else:
            start, end = type(obj).__name__ + '({', '})'
            indent += len(type(obj).__name__) + 1
        out.append(start)
        self._items(sorted(obj, key=_Key), out, indent, allowance + len(end), stack, level)
        out.append(end)

    def _items(self, items, out, indent, allowance, stack, level):
        items = list(items)
        indent += self._indent
        if self._indent > 1:
            out.append((self._indent - 1) * ' ')
        between = ',\n' + ' ' * indent
        most = free = self._width - indent + 1
        before = ''
        for i, item in enumerate(items):
            last = i == len(items) - 1
            if last:
                most -= allowance
                free -= allowance
            if self._compact:
                text = self._short(item, stack[:], level + 1)
                n = len(text) + 2
                if free < n:
                    free = most
                    if before:
                        before = between
                if free >= n:
                    free -= n
                    out.append(before)
                    before = ', '
                    out.append(text)
                    continue
            out.append(before)
            before = between
            self._format(item, out, indent, allowance if last else 1, stack, level)

    def _str(self, obj, out, indent, allowance, stack, level):
        lines = obj.splitlines(True)
        if not obj:
            out.append(repr(obj))
            return
        if level == 1:
            indent += 1
            allowance += 1
        chunks = []
        free = most = self._width - indent
        text = ''
        for i, line in enumerate(lines):
            text = repr(line)
            if i == len(lines) - 1:
                most -= allowance
            if len(text) <= most:
                chunks.append(text)
                continue
            parts = [p for p in _re.findall(r'\S*\s*', line) if p]
            current = ''
            for j, part in enumerate(parts):
                longer = current + part
                width = free
                if j == len(parts) - 1 and i == len(lines) - 1:
                    width -= allowance
                if len(repr(longer)) > width:
                    if current:
                        chunks.append(repr(current))
                    current = part
                else:
                    current = longer
            if current:
                chunks.append(repr(current))
        if len(chunks) == 1:
            out.append(text)
            return
        if level == 1:
            out.append('(')
        out.append(('\n' + ' ' * indent).join(chunks))
        if level == 1:
            out.append(')')

    def _bytes(self, obj, out, indent, allowance, stack, level):
        if len(obj) <= 4:
            out.append(repr(obj))
            return
        wrap = level == 1
        if wrap:
            indent += 1
            allowance += 1
            out.append('(')
        between = ''
        width = self._width - indent
        last = len(obj) // 4 * 4
        current = b''
        for i in range(0, len(obj), 4):
            part = obj[i:i + 4]
            longer = current + part
            if i == last:
                width -= allowance
            if len(repr(longer)) > width:
                if current:
                    out.append(between + repr(current))
                    between = '\n' + ' ' * indent
                current = part
            else:
                current = longer
        if current:
            out.append(between + repr(current))
        if wrap:
            out.append(')')

    def _ordered(self, obj, out, indent, allowance, stack, level):
        if not obj:
            out.append(repr(obj))
            return
        name = type(obj).__name__
        out.append(name + '(')
        self._format(list(obj.items()), out, indent + len(name) + 1, allowance + 1, stack, level)
        out.append(')')

    def _default(self, obj, out, indent, allowance, stack, level):
        if not obj:
            out.append(repr(obj))
            return
        made = self._short(obj.default_factory, stack[:], level + 1)
        name = type(obj).__name__
        indent += len(name) + 1
        out.append(f"{name}({made},\n{' ' * indent}")
        self._dict(obj, out, indent, allowance + 1, stack, level)
        out.append(')')

    def _counter(self, obj, out, indent, allowance, stack, level):
        if not obj:
            out.append(repr(obj))
            return
        name = type(obj).__name__
        out.append(name + '({')
        if self._indent > 1:
            out.append((self._indent - 1) * ' ')
        self._pairs(obj.most_common(), out, indent + len(name) + 1 + self._indent, allowance + 2, stack, level)
        out.append('})')

    def _deque(self, obj, out, indent, allowance, stack, level):
        if not obj:
            out.append(repr(obj))
            return
        name = type(obj).__name__
        out.append(name + '(')
        indent += len(name) + 1
        out.append('[')
        if obj.maxlen is None:
            self._items(obj, out, indent, allowance + 2, stack, level)
            out.append('])')
        else:
            self._items(obj, out, indent, 2, stack, level)
            most = self._short(obj.maxlen, stack[:], level + 1)
            out.append(f"],\n{' ' * indent}maxlen={most})")

    def _chain(self, obj, out, indent, allowance, stack, level):
        name = type(obj).__name__
        out.append(name + '(')
        indent += len(name) + 1
        for i, part in enumerate(obj.maps):
            last = i == len(obj.maps) - 1
            self._format(part, out, indent, allowance + 1 if last else 1, stack, level)
            out.append(')' if last else ',\n' + ' ' * indent)

    def _namespace(self, obj, out, indent, allowance, stack, level):
        self._named('namespace', list(vars(obj).items()), out, indent, allowance, stack, level)

    def _dataclass(self, obj, out, indent, allowance, stack, level):
        items = [(f.name, getattr(obj, f.name)) for f in obj.__dataclass_fields__.values() if f.repr]
        self._named(type(obj).__name__, items, out, indent, allowance, stack, level)

    def _named(self, name, items, out, indent, allowance, stack, level):
        indent += len(name) + 1
        out.append(name + '(')
        for i, (k, v) in enumerate(items):
            last = i == len(items) - 1
            out.append(k + '=')
            if _inside(v, stack):
                out.append('...')
            else:
                self._format(v, out, indent + len(k) + 1, allowance if last else 1, stack, level)
            if not last:
                out.append(',\n' + ' ' * indent)
        out.append(')')

    def _proxy(self, obj, out, indent, allowance, stack, level):
        out.append('mappingproxy(')
        self._format(obj.copy(), out, indent + 13, allowance + 1, stack, level)
        out.append(')')


def _builtin_of(obj):
    own = type(obj).__repr__
    return 'd' if own is dict.__repr__ else 'l' if own is list.__repr__ else 't' if own is tuple.__repr__ else None
