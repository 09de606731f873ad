"""How two sequences differ: the matching of Ratcliff and Obershelp (Dr. Dobb's Journal, July 1988)."""

from collections import namedtuple as _named
from heapq import nlargest as _nlargest

from _labels import depend as _depend

__all__ = ['get_close_matches', 'SequenceMatcher', 'unified_diff', 'Match']

Match = _named('Match', 'a b size')


def _ratio(matches, length):
    return 2.0 * matches / length if length else 1.0


class SequenceMatcher:
    def __init__(self, isjunk=None, a='', b='', autojunk=True):
        if isjunk is not None:
            raise TypeError('SequenceMatcher takes None for isjunk here: leave out yourself what does not count')
        self.autojunk = autojunk
        self.set_seqs(a, b)

    def set_seqs(self, a, b):
        self.set_seq1(a)
        self.set_seq2(b)

    def set_seq1(self, a):
        self.a = a
        self._blocks = None

    def set_seq2(self, b):
        self.b = b
        self._blocks = None
        places = {}
        for i, x in enumerate(b):
            places.setdefault(x, []).append(i)
        often = len(b) // 100 + 1 if self.autojunk and len(b) >= 200 else len(b)
        self.b2j = {x: at for x, at in places.items() if len(at) <= often}

    def find_longest_match(self, alo=0, ahi=None, blo=0, bhi=None):
        """The longest block, the first of several; then what is equal on both sides of it."""
        a, b = self.a, self.b
        ahi = len(a) if ahi is None else ahi
        bhi = len(b) if bhi is None else bhi
        i0, j0, size = alo, blo, 0
        before = {}  # by the place in b at which they end, the lengths of blocks that end at the last place in a
        for i in range(alo, ahi):
            now = {}
            for j in self.b2j.get(a[i], ()):
                if blo <= j < bhi:
                    k = now[j] = before.get(j - 1, 0) + 1
                    if k > size:
                        i0, j0, size = i - k + 1, j - k + 1, k
            before = now
        while i0 > alo and j0 > blo and a[i0 - 1] == b[j0 - 1]:
            i0, j0, size = i0 - 1, j0 - 1, size + 1
        while i0 + size < ahi and j0 + size < bhi and a[i0 + size] == b[j0 + size]:
            size += 1
        return Match(i0, j0, size)

    def get_matching_blocks(self):
        if self._blocks is None:
            found, todo = [], [(0, len(self.a), 0, len(self.b))]
            while todo:
                alo, ahi, blo, bhi = todo.pop()
                i, j, n = self.find_longest_match(alo, ahi, blo, bhi)
                if n:
                    found.append((i, j, n))
                    if alo < i and blo < j:
                        todo.append((alo, i, blo, j))
                    if i + n < ahi and j + n < bhi:
                        todo.append((i + n, ahi, j + n, bhi))
            blocks = [(0, 0, 0)]
            for i, j, n in sorted(found):
                a, b, size = blocks[-1]
                if a + size == i and b + size == j:
                    blocks[-1] = (a, b, size + n)
                else:
                    blocks.append((i, j, n))
            blocks = [x for x in blocks if x[2]] + [(len(self.a), len(self.b), 0)]
            self._blocks = [Match(*x) for x in blocks]
        return self._blocks

    def get_opcodes(self):
        i = j = 0
        out = []
        for a, b, n in self.get_matching_blocks():
            tag = 'replace' if i < a and j < b else 'delete' if i < a else 'insert' if j < b else ''
            if tag:
                out.append((tag, i, a, j, b))
            i, j = a + n, b + n
            if n:
                out.append(('equal', a, i, b, j))
        return out

    def get_grouped_opcodes(self, n=3):
        codes = self.get_opcodes() or [('equal', 0, 1, 0, 1)]
        if codes[0][0] == 'equal':
            tag, i1, i2, j1, j2 = codes[0]
            codes[0] = tag, max(i1, i2 - n), i2, max(j1, j2 - n), j2
        if codes[-1][0] == 'equal':
            tag, i1, i2, j1, j2 = codes[-1]
            codes[-1] = tag, i1, min(i2, i1 + n), j1, min(j2, j1 + n)
        group = []
        for tag, i1, i2, j1, j2 in codes:
            if tag == 'equal' and i2 - i1 > 2 * n:
                yield group + [(tag, i1, min(i2, i1 + n), j1, min(j2, j1 + n))]
                group = []
                i1, j1 = max(i1, i2 - n), max(j1, j2 - n)
            group.append((tag, i1, i2, j1, j2))
        if group and not (len(group) == 1 and group[0][0] == 'equal'):
            yield group

    def ratio(self):
        return _ratio(sum([m.size for m in self.get_matching_blocks()]), len(self.a) + len(self.b))


def get_close_matches(word, possibilities, n=3, cutoff=0.6):
    if not n > 0:
        raise ValueError(f'n must be > 0: {n!r}')
    if not 0.0 <= cutoff <= 1.0:
        raise ValueError(f'cutoff must be in [0.0, 1.0]: {cutoff!r}')
    s = SequenceMatcher(None, '', word)
    found = []
    for x in possibilities:
        s.set_seq1(x)
        if s.ratio() >= cutoff:
            found.append((s.ratio(), x))
    return [x for _, x in _nlargest(n, found)]


def _unified(start, stop):
    n = stop - start
    return str(start + 1) if n == 1 else f'{start + 1 if n else start},{n}'


def unified_diff(a, b, fromfile='', tofile='', *, n=3, lineterm='\n'):
    started = False
    for group in SequenceMatcher(None, a, b).get_grouped_opcodes(n):
        if not started:
            started = True
            yield f'--- {fromfile}{lineterm}'
            yield f'+++ {tofile}{lineterm}'
        first, last = group[0], group[-1]
        yield f'@@ -{_unified(first[1], last[2])} +{_unified(first[3], last[4])} @@{lineterm}'
        for tag, i1, i2, j1, j2 in group:
            if tag == 'equal':
                for line in a[i1:i2]:
                    yield ' ' + line
                continue
            for line in a[i1:i2]:
                yield '-' + line
            for line in b[j1:j2]:
                yield '+' + line
    return _depend(None, *a, *b)
