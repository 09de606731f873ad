package vm

import (
	"strings"

	"praxis/internal/plan/pytext"
)

// What strings and bytes objects have in common: searching, cutting, joining.

// text is the content of a string or of a bytes object.
type text struct {
	s     string
	bytes bool
	wide  bool // a string with characters beyond ASCII: places are not bytes
}

func textOf(v Value) text {
	if b, ok := v.o.(*Bytes); ok {
		return text{s: b.b, bytes: true}
	}
	s := v.o.(*Str)
	return text{s: s.s, wide: !isASCII(s)}
}

// text is textOf, and accounts for what finding places in a long one costs.
func (t *Thread) text(v Value) text {
	x := textOf(v)
	if x.wide {
		t.steps -= int64(len(x.s)) / 64 // the next step finds out
	}
	return x
}

func (x text) len() int {
	if x.wide {
		return pytext.RuneCount(x.s)
	}
	return len(x.s)
}

// offset returns where the n-th character begins.
func (x text) offset(n int) int {
	if x.wide {
		return pytext.Offset(x.s, n)
	}
	return n
}

// place returns the number of the character that begins at a byte.
func (x text) place(at int) int {
	if x.wide {
		return pytext.RuneCount(x.s[:at])
	}
	return at
}

// textValue makes a value of the kind that x has.
func (t *Thread) textValue(x text, s string) (Value, error) {
	if x.bytes {
		return t.bytes(s), t.alloc(int64(len(s)) + strBytes)
	}
	return t.newStr(s)
}

// textArg returns an argument that has to be of the kind that x has.
func (t *Thread) textArg(x text, v Value, method string, n int) (string, error) {
	t.see(v.l)
	if x.bytes {
		b, ok := t.payload(v, kBytes)
		if !ok {
			return "", t.raise(t.types.TypeError, "a bytes-like object is required, not '%s'", t.className(v))
		}
		return b.o.(*Bytes).b, nil
	}
	s, ok := t.payload(v, kStr)
	if !ok {
		return "", t.raise(t.types.TypeError, "%s() argument %d must be str, not %s", method, n, t.argName(v))
	}
	return s.o.(*Str).s, nil
}

// span reads the optional arguments start and end of a search, in characters.
// ok is false when nothing can lie between them.
func (t *Thread) span(x text, start, end Value) (lo, hi int, ok bool, err error) {
	n := x.len()
	lo, hi = 0, n
	if given(start) {
		i, err := t.sliceEndArg(start)
		if err != nil {
			return 0, 0, false, err
		}
		if lo = i; lo < 0 {
			lo = max(lo+n, 0)
		}
	}
	if given(end) {
		i, err := t.sliceEndArg(end)
		if err != nil {
			return 0, 0, false, err
		}
		if hi = i; hi < 0 {
			hi = max(hi+n, 0)
		}
		hi = min(hi, n)
	}
	return lo, hi, lo <= hi, nil
}

func (t *Thread) sliceEndArg(v Value) (int, error) {
	t.see(v.l)
	return t.sliceEnd(v)
}

// textMethods are the natives that both classes have.
func textMethods(class string, recv Kind) []*Native {
	m := func(name, params string, f nativeFunc) *Native { return meth(recv, class+"."+name, params, f) }
	const search = "self, sub, start=None, end=None, /"
	return []*Native{
		m("find", search, finder("find", false)),
		m("rfind", search, finder("rfind", true)),
		m("index", search, finder("index", false)),
		m("rindex", search, finder("rindex", true)),
		m("count", search, textCount),
		m("startswith", "self, prefix, start=None, end=None, /", affix("startswith", strings.HasPrefix)),
		m("endswith", "self, suffix, start=None, end=None, /", affix("endswith", strings.HasSuffix)),
		m("removeprefix", "self, prefix, /", remover("removeprefix", strings.TrimPrefix)),
		m("removesuffix", "self, suffix, /", remover("removesuffix", strings.TrimSuffix)),
		m("strip", "self, chars=None, /", stripper("strip", true, true)),
		m("lstrip", "self, chars=None, /", stripper("lstrip", true, false)),
		m("rstrip", "self, chars=None, /", stripper("rstrip", false, true)),
		m("split", "self, sep=None, maxsplit=-1", textSplit),
		m("rsplit", "self, sep=None, maxsplit=-1", textRSplit),
		m("splitlines", "self, keepends=False", textSplitLines),
		m("partition", "self, sep, /", partitioner(strings.Index, false)),
		m("rpartition", "self, sep, /", partitioner(strings.LastIndex, true)),
		m("replace", replaceParams(recv), textReplace),
		m("join", "self, iterable, /", textJoin).drain(1),
		m("center", "self, width, fillchar=' ', /", padder("center")),
		m("ljust", "self, width, fillchar=' ', /", padder("ljust")),
		m("rjust", "self, width, fillchar=' ', /", padder("rjust")),
		m("zfill", "self, width, /", textZfill),
		m("expandtabs", "self, tabsize=8", textExpandTabs),
	}
}

// replaceParams: only strings take the count by name.
func replaceParams(recv Kind) string {
	if recv == kBytes {
		return "self, old, new, count=-1, /"
	}
	return "self, old, new, /, count=-1"
}

// subArg returns what is searched for; in a bytes object it may be a byte, too.
func (t *Thread) subArg(x text, v Value, method string) (string, error) {
	if x.bytes {
		t.see(v.l)
		if b, ok := t.payload(v, kBytes); ok {
			return b.o.(*Bytes).b, nil
		}
		if !t.isIndex(v) {
			return "", t.raise(t.types.TypeError, "argument should be integer or bytes-like object, not '%s'", t.className(v))
		}
		n, err := t.index(v)
		if err != nil {
			return "", err
		}
		if n.k == kBig || n.n < 0 || n.n > 255 {
			return "", t.raise(t.types.ValueError, "byte must be in range(0, 256)")
		}
		return string([]byte{byte(n.n)}), nil
	}
	return t.textArg(x, v, method, 1)
}

func finder(method string, last bool) nativeFunc {
	return func(t *Thread, a *Args) (Value, error) {
		x := t.text(a.Pos[0])
		if !x.bytes {
			if _, err := t.subArg(x, a.Pos[1], method); err != nil {
				return Value{}, err
			}
		}
		lo, hi, ok, err := t.span(x, a.Pos[2], a.Pos[3])
		if err != nil {
			return Value{}, err
		}
		sub, err := t.subArg(x, a.Pos[1], method)
		if err != nil {
			return Value{}, err
		}
		at := -1
		if ok {
			from, to := x.offset(lo), x.offset(hi)
			if err := t.stepSearch(to-from, len(sub)); err != nil {
				return Value{}, err
			}
			if last {
				at = strings.LastIndex(x.s[from:to], sub)
			} else {
				at = strings.Index(x.s[from:to], sub)
			}
			if at >= 0 {
				at = x.place(from + at)
			}
		}
		if at < 0 && (method == "index" || method == "rindex") {
			t.see(a.Pos[0].l)
			message := "substring not found"
			if x.bytes {
				message = "subsection not found"
			}
			return Value{}, t.raise(t.types.ValueError, "%s", message)
		}
		return intValue(int64(at)), nil
	}
}

func textCount(t *Thread, a *Args) (Value, error) {
	x := t.text(a.Pos[0])
	if !x.bytes {
		if _, err := t.subArg(x, a.Pos[1], "count"); err != nil {
			return Value{}, err
		}
	}
	lo, hi, ok, err := t.span(x, a.Pos[2], a.Pos[3])
	if err != nil {
		return Value{}, err
	}
	sub, err := t.subArg(x, a.Pos[1], "count")
	if err != nil || !ok {
		return intValue(0), err
	}
	if sub == "" {
		return intValue(int64(hi-lo) + 1), nil
	}
	part := x.s[x.offset(lo):x.offset(hi)]
	if err := t.stepSearch(len(part), len(sub)); err != nil {
		return Value{}, err
	}
	return intValue(int64(strings.Count(part, sub))), nil
}

func affix(method string, test func(s, part string) bool) nativeFunc {
	return func(t *Thread, a *Args) (Value, error) {
		x := t.text(a.Pos[0])
		lo, hi, ok, err := t.span(x, a.Pos[2], a.Pos[3])
		if err != nil {
			return Value{}, err
		}
		part := ""
		if ok {
			part = x.s[x.offset(lo):x.offset(hi)]
		}
		t.see(a.Pos[1].l)
		arg := t.base(a.Pos[1])
		kind, name := kStr, "str"
		if x.bytes {
			kind, name = kBytes, "bytes"
		}
		switch arg.k {
		case kind:
			return boolValue(ok && test(part, textOf(arg).s)), nil
		case kTuple:
			for _, p := range arg.o.(*Tuple).items {
				t.see(p.l)
				q, is := t.payload(p, kind)
				if !is && x.bytes {
					return Value{}, t.raise(t.types.TypeError, "a bytes-like object is required, not '%s'", t.className(p))
				}
				if !is {
					return Value{}, t.raise(t.types.TypeError, "tuple for %s must only contain str, not %s", method, t.className(p))
				}
				if ok && test(part, textOf(q).s) {
					return boolValue(true), nil
				}
			}
			return boolValue(false), nil
		}
		return Value{}, t.raise(t.types.TypeError, "%s first arg must be %s or a tuple of %s, not %s", method, name, name, t.className(a.Pos[1]))
	}
}

func remover(method string, trim func(s, part string) string) nativeFunc {
	return func(t *Thread, a *Args) (Value, error) {
		x := t.text(a.Pos[0])
		var part string
		var err error
		if x.bytes {
			part, err = t.textArg(x, a.Pos[1], method, 1)
		} else if p, ok := t.payload(a.Pos[1], kStr); ok {
			part = p.o.(*Str).s
		} else {
			err = t.failOf(a.Pos[1], t.types.TypeError, "%s() argument must be str, not %s", method, t.argName(a.Pos[1]))
		}
		if err != nil {
			return Value{}, err
		}
		out := trim(x.s, part)
		if len(out) == len(x.s) {
			return a.Pos[0], nil
		}
		return t.textValue(x, strings.Clone(out))
	}
}

func stripper(method string, left, right bool) nativeFunc {
	return func(t *Thread, a *Args) (Value, error) {
		x := t.text(a.Pos[0])
		strips := x.isSpace
		if given(a.Pos[1]) {
			t.see(a.Pos[1].l)
			if !x.bytes {
				if _, ok := t.payload(a.Pos[1], kStr); !ok {
					return Value{}, t.raise(t.types.TypeError, "%s arg must be None or str", method)
				}
			}
			chars, err := t.textArg(x, a.Pos[1], method, 1)
			if err != nil {
				return Value{}, err
			}
			if err := t.step(int64(len(chars)) / 16); err != nil {
				return Value{}, err
			}
			if len(chars) > 64 {
				if err := t.step(int64(len(chars)) / 64 * int64(len(x.s)) / 16); err != nil {
					return Value{}, err
				}
			}
			strips = func(part string) bool { return strings.Contains(chars, part) }
		}
		s := x.s
		for left && s != "" {
			n := x.first(s)
			if !strips(s[:n]) {
				break
			}
			s = s[n:]
		}
		for right && s != "" {
			n := x.last(s)
			if !strips(s[len(s)-n:]) {
				break
			}
			s = s[:len(s)-n]
		}
		if len(s) == len(x.s) {
			return a.Pos[0], nil
		}
		if err := t.step(int64(len(x.s)-len(s)) / 8); err != nil {
			return Value{}, err
		}
		return t.textValue(x, strings.Clone(s))
	}
}

// first returns the bytes of the first character.
func (x text) first(s string) int {
	if !x.wide {
		return 1
	}
	_, n := pytext.DecodeRune(s)
	return n
}

// last returns the bytes of the last character.
func (x text) last(s string) int {
	if !x.wide {
		return 1
	}
	_, n := pytext.DecodeLastRune(s)
	return n
}

// isSpace reports whether one character is white space.
func (x text) isSpace(char string) bool {
	if x.bytes {
		return pytext.IsByteSpace(char[0])
	}
	if len(char) == 1 && char[0] > ' ' {
		return false
	}
	r, _ := pytext.DecodeRune(char)
	return pytext.IsSpace(r)
}

// splitArgs reads the arguments of split and rsplit; most < 0 is no bound.
func (t *Thread) splitArgs(a *Args, method string) (x text, sep string, blank bool, most int64, err error) {
	x = t.text(a.Pos[0])
	t.see(a.Pos[0].l)
	most = -1
	if a.Pos[2].k != kUnset {
		if most, err = t.intArg(a.Pos[2]); err != nil {
			return x, "", false, 0, err
		}
	}
	if err = t.stepSearch(len(x.s)*8, 1); err != nil {
		return x, "", false, 0, err
	}
	if !given(a.Pos[1]) {
		return x, "", true, most, nil
	}
	if !x.bytes {
		if _, ok := t.payload(a.Pos[1], kStr); !ok {
			return x, "", false, 0, t.failOf(a.Pos[1], t.types.TypeError, "must be str or None, not %s", t.className(a.Pos[1]))
		}
	}
	sep, err = t.textArg(x, a.Pos[1], method, 1)
	if err == nil && sep == "" {
		err = t.raise(t.types.ValueError, "empty separator")
	}
	return x, sep, false, most, err
}

// parts collects the pieces of a text.
type parts struct {
	t     *Thread
	x     text
	items []Value
}

func (p *parts) add(s string) error {
	if err := p.t.alloc(valueBytes); err != nil {
		return err
	}
	if err := p.t.step(1); err != nil {
		return err
	}
	v, err := p.t.textValue(p.x, s)
	p.items = append(p.items, v)
	return err
}

func textSplit(t *Thread, a *Args) (Value, error) {
	x, sep, blank, most, err := t.splitArgs(a, "split")
	if err != nil {
		return Value{}, err
	}
	p := parts{t: t, x: x}
	s := x.s
	if blank {
		err = p.splitBlank(s, most)
	} else {
		for ; most != 0; most-- {
			i := strings.Index(s, sep)
			if i < 0 {
				break
			}
			if err := p.add(s[:i]); err != nil {
				return Value{}, err
			}
			s = s[i+len(sep):]
		}
		err = p.add(s)
	}
	return t.newList(p.items, 0), err
}

// splitBlank cuts at white space.
func (p *parts) splitBlank(s string, most int64) error {
	for ; ; most-- {
		for s != "" {
			n := p.x.first(s)
			if !p.x.isSpace(s[:n]) {
				break
			}
			s = s[n:]
		}
		if s == "" {
			return nil
		}
		if most == 0 {
			return p.add(s)
		}
		i := 0
		for i < len(s) {
			n := p.x.first(s[i:])
			if p.x.isSpace(s[i : i+n]) {
				break
			}
			i += n
		}
		if err := p.add(s[:i]); err != nil {
			return err
		}
		s = s[i:]
	}
}

func textRSplit(t *Thread, a *Args) (Value, error) {
	x, sep, blank, most, err := t.splitArgs(a, "rsplit")
	if err != nil {
		return Value{}, err
	}
	p := parts{t: t, x: x}
	s := x.s
	if blank {
		err = p.rsplitBlank(s, most)
	} else {
		for ; most != 0; most-- {
			i := strings.LastIndex(s, sep)
			if i < 0 {
				break
			}
			if err := p.add(s[i+len(sep):]); err != nil {
				return Value{}, err
			}
			s = s[:i]
		}
		err = p.add(s)
	}
	reverseValues(p.items)
	return t.newList(p.items, 0), err
}

// rsplitBlank cuts at white space, from the end.
func (p *parts) rsplitBlank(s string, most int64) error {
	for ; ; most-- {
		for s != "" {
			n := p.x.last(s)
			if !p.x.isSpace(s[len(s)-n:]) {
				break
			}
			s = s[:len(s)-n]
		}
		if s == "" {
			return nil
		}
		if most == 0 {
			return p.add(s)
		}
		i := len(s)
		for i > 0 {
			n := p.x.last(s[:i])
			if p.x.isSpace(s[i-n : i]) {
				break
			}
			i -= n
		}
		if err := p.add(s[i:]); err != nil {
			return err
		}
		s = s[:i]
	}
}

func textSplitLines(t *Thread, a *Args) (Value, error) {
	x := t.text(a.Pos[0])
	keep, err := t.flag(a.Pos[1])
	if err != nil {
		return Value{}, err
	}
	if err := t.stepSearch(len(x.s)*8, 1); err != nil {
		return Value{}, err
	}
	p := parts{t: t, x: x}
	for s := x.s; s != ""; {
		i, end := x.line(s)
		cut := i
		if keep {
			cut = end
		}
		if err := p.add(s[:cut]); err != nil {
			return Value{}, err
		}
		s = s[end:]
	}
	return t.newList(p.items, 0), nil
}

// line returns where the first line ends, without and with its end.
func (x text) line(s string) (text, whole int) {
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case c == '\r' && i+1 < len(s) && s[i+1] == '\n':
			return i, i + 2
		case c == '\n' || c == '\r':
			return i, i + 1
		case x.bytes || c < 0x80 && c > 0x1e:
			i++
			continue
		}
		r, n := pytext.DecodeRune(s[i:])
		if pytext.IsLineBreak(r) {
			return i, i + n
		}
		i += n
	}
	return len(s), len(s)
}

func partitioner(find func(s, sep string) int, right bool) nativeFunc {
	return func(t *Thread, a *Args) (Value, error) {
		x := t.text(a.Pos[0])
		if !x.bytes {
			if _, ok := t.payload(a.Pos[1], kStr); !ok {
				return Value{}, t.failOf(a.Pos[1], t.types.TypeError, "must be str, not %s", t.className(a.Pos[1]))
			}
		}
		sep, err := t.textArg(x, a.Pos[1], "partition", 1)
		if err != nil {
			return Value{}, err
		}
		if sep == "" {
			return Value{}, t.raise(t.types.ValueError, "empty separator")
		}
		if err := t.stepSearch(len(x.s), len(sep)); err != nil {
			return Value{}, err
		}
		pieces := [3]string{x.s, "", ""}
		if i := find(x.s, sep); i >= 0 {
			pieces = [3]string{x.s[:i], sep, x.s[i+len(sep):]}
		} else if right {
			pieces = [3]string{"", "", x.s}
		}
		items := make([]Value, 3)
		for i, s := range pieces {
			if items[i], err = t.textValue(x, s); err != nil {
				return Value{}, err
			}
		}
		return t.tuple(items), nil
	}
}

func textReplace(t *Thread, a *Args) (Value, error) {
	x := t.text(a.Pos[0])
	before, err := t.textArg(x, a.Pos[1], "replace", 1)
	if err != nil {
		return Value{}, err
	}
	after, err := t.textArg(x, a.Pos[2], "replace", 2)
	if err != nil {
		return Value{}, err
	}
	most := int64(-1)
	if a.Pos[3].k != kUnset {
		if most, err = t.intArg(a.Pos[3]); err != nil {
			return Value{}, err
		}
	}
	if err := t.stepSearch(len(x.s), len(before)); err != nil {
		return Value{}, err
	}
	n := int64(x.len()) + 1
	if before != "" {
		n = int64(strings.Count(x.s, before))
	}
	if most >= 0 {
		n = min(n, most)
	}
	if n == 0 || before == after {
		return a.Pos[0], nil
	}
	size := int64(len(x.s))
	if tooLarge(n, int64(len(after)), 1) {
		return Value{}, t.raiseArgs(t.types.OverflowError, t.str("replace string is too long"))
	}
	size += n * int64(len(after))
	if err := t.alloc(size); err != nil {
		return Value{}, err
	}
	if err := t.step(size / 256); err != nil {
		return Value{}, err
	}
	if before == "" {
		return t.textValue(x, x.interleave(after, n))
	}
	return t.textValue(x, strings.Replace(x.s, before, after, int(n)))
}

// interleave puts part before each of the first n characters, and at the end when there are fewer.
func (x text) interleave(part string, n int64) string {
	var b strings.Builder
	s := x.s
	for ; n > 0 && s != ""; n-- {
		k := x.first(s)
		b.WriteString(part)
		b.WriteString(s[:k])
		s = s[k:]
	}
	if n > 0 {
		b.WriteString(part)
	}
	b.WriteString(s)
	return b.String()
}

func textJoin(t *Thread, a *Args) (Value, error) {
	x := t.text(a.Pos[0])
	if _, err := t.iterable(a.Pos[1], "can only join an iterable"); err != nil {
		return Value{}, err
	}
	var items []Value
	switch b := t.plainSeq(a.Pos[1]); b.k {
	case kList:
		t.see(b.l)
		t.see(b.o.(*List).shape)
		items = b.o.(*List).items
	case kTuple:
		t.see(b.l)
		items = b.o.(*Tuple).items
	default:
		var err error
		if items, err = t.collect(a.Pos[1]); err != nil {
			return Value{}, err
		}
	}
	if err := t.step(int64(len(items)) / 4); err != nil {
		return Value{}, err
	}
	kind := kStr
	if x.bytes {
		kind = kBytes
	}
	size := int64(0)
	for i, v := range items {
		if v.l != 0 {
			t.see(v.l)
		}
		if v.k != kind {
			p, ok := t.payload(v, kind)
			if !ok && x.bytes {
				return Value{}, t.raise(t.types.TypeError, "sequence item %d: expected a bytes-like object, %s found", i, t.className(v))
			}
			if !ok {
				return Value{}, t.raise(t.types.TypeError, "sequence item %d: expected str instance, %s found", i, t.className(v))
			}
			v = p
		}
		size += int64(textLen(v))
	}
	if len(items) == 1 && items[0].k == kind {
		return items[0], nil
	}
	if n := int64(len(items)) - 1; n > 0 {
		if tooLarge(n, int64(len(x.s)), 1) {
			return Value{}, t.raise(t.types.OverflowError, "join() result is too long for a Python string")
		}
		size += n * int64(len(x.s))
	}
	if err := t.alloc(size); err != nil {
		return Value{}, err
	}
	if err := t.step(size / 256); err != nil {
		return Value{}, err
	}
	out := make([]byte, 0, size)
	for i, v := range items {
		if i > 0 {
			out = append(out, x.s...)
		}
		out = append(out, textOf(t.base(v)).s...)
	}
	if x.bytes {
		return t.bytes(string(out)), nil
	}
	return t.newStr(string(out))
}
