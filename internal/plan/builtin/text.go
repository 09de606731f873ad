package builtin

import (
	"strings"

	"praxis/internal/plan/python/pytext"
	"praxis/internal/plan/value"
)

// What strings and bytes objects have in common: searching, cutting, joining.

// text is the content of a string or of a bytes object.
type text struct {
	s     string
	bytes bool
	wide  bool // a string with characters beyond ASCII: places are not bytes
}

func textOf(v value.Value) text {
	if b, ok := v.Obj.(*value.Bytes); ok {
		return text{s: b.Data, bytes: true}
	}
	s := v.Obj.(*value.Str)
	return text{s: s.Text, wide: !value.IsASCII(s)}
}

// chargedText is textOf, and accounts for what finding places in a long one costs.
func chargedText(t *value.Thread, v value.Value) text {
	x := textOf(v)
	if x.wide {
		t.Steps -= int64(len(x.s)) / 64 // the next step finds out
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
func textValue(t *value.Thread, x text, s string) (value.Value, error) {
	if x.bytes {
		return t.Bytes(s), t.Alloc(int64(len(s)) + value.StrBytes)
	}
	return t.NewStr(s)
}

// textArg returns an argument that has to be of the kind that x has.
func textArg(t *value.Thread, x text, v value.Value, method string, n int) (string, error) {
	t.See(v.Label)
	if x.bytes {
		b, ok := t.Payload(v, value.KBytes)
		if !ok {
			return "", t.Raise(t.Types.TypeError, "a bytes-like object is required, not '%s'", t.ClassName(v))
		}
		return b.Obj.(*value.Bytes).Data, nil
	}
	s, ok := t.Payload(v, value.KStr)
	if !ok {
		return "", t.Raise(t.Types.TypeError, "%s() argument %d must be str, not %s", method, n, argName(t, v))
	}
	return s.Obj.(*value.Str).Text, nil
}

// span reads the optional arguments start and end of a search, in characters.
// ok is false when nothing can lie between them.
func span(t *value.Thread, x text, start, end value.Value) (lo, hi int, ok bool, err error) {
	n := x.len()
	lo, hi = 0, n
	if value.Given(start) {
		i, err := sliceEndArg(t, start)
		if err != nil {
			return 0, 0, false, err
		}
		if lo = i; lo < 0 {
			lo = max(lo+n, 0)
		}
	}
	if value.Given(end) {
		i, err := sliceEndArg(t, end)
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

func sliceEndArg(t *value.Thread, v value.Value) (int, error) {
	t.See(v.Label)
	return t.SliceEnd(v)
}

// textMethods are the natives that both classes have.
func textMethods(class string, recv value.Kind) []*value.Native {
	m := func(name, params string, f value.NativeFunc) *value.Native {
		return newMethod(recv, class+"."+name, params, f)
	}
	const search = "self, sub, start=None, end=None, /"
	return []*value.Native{
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
		m("join", "self, iterable, /", textJoin).Drain(1),
		m("center", "self, width, fillchar=' ', /", padder("center")),
		m("ljust", "self, width, fillchar=' ', /", padder("ljust")),
		m("rjust", "self, width, fillchar=' ', /", padder("rjust")),
		m("zfill", "self, width, /", textZfill),
		m("expandtabs", "self, tabsize=8", textExpandTabs),
	}
}

// replaceParams: only strings take the count by name.
func replaceParams(recv value.Kind) string {
	if recv == value.KBytes {
		return "self, old, new, count=-1, /"
	}
	return "self, old, new, /, count=-1"
}

// subArg returns what is searched for; in a bytes object it may be a byte, too.
func subArg(t *value.Thread, x text, v value.Value, method string) (string, error) {
	if x.bytes {
		t.See(v.Label)
		if b, ok := t.Payload(v, value.KBytes); ok {
			return b.Obj.(*value.Bytes).Data, nil
		}
		if !t.IsIndex(v) {
			return "", t.Raise(t.Types.TypeError, "argument should be integer or bytes-like object, not '%s'", t.ClassName(v))
		}
		n, err := t.Index(v)
		if err != nil {
			return "", err
		}
		if n.Kind == value.KBig || n.N < 0 || n.N > 255 {
			return "", t.Raise(t.Types.ValueError, "byte must be in range(0, 256)")
		}
		return string([]byte{byte(n.N)}), nil
	}
	return textArg(t, x, v, method, 1)
}

func finder(method string, last bool) value.NativeFunc {
	return func(t *value.Thread, a *value.Args) (value.Value, error) {
		x := chargedText(t, a.Pos[0])
		if !x.bytes {
			if _, err := subArg(t, x, a.Pos[1], method); err != nil {
				return value.Value{}, err
			}
		}
		lo, hi, ok, err := span(t, x, a.Pos[2], a.Pos[3])
		if err != nil {
			return value.Value{}, err
		}
		sub, err := subArg(t, x, a.Pos[1], method)
		if err != nil {
			return value.Value{}, err
		}
		at := -1
		if ok {
			from, to := x.offset(lo), x.offset(hi)
			if err := t.StepSearch(to-from, len(sub)); err != nil {
				return value.Value{}, err
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
			t.See(a.Pos[0].Label)
			message := "substring not found"
			if x.bytes {
				message = "subsection not found"
			}
			return value.Value{}, t.Raise(t.Types.ValueError, "%s", message)
		}
		return value.Int(int64(at)), nil
	}
}

func textCount(t *value.Thread, a *value.Args) (value.Value, error) {
	x := chargedText(t, a.Pos[0])
	if !x.bytes {
		if _, err := subArg(t, x, a.Pos[1], "count"); err != nil {
			return value.Value{}, err
		}
	}
	lo, hi, ok, err := span(t, x, a.Pos[2], a.Pos[3])
	if err != nil {
		return value.Value{}, err
	}
	sub, err := subArg(t, x, a.Pos[1], "count")
	if err != nil || !ok {
		return value.Int(0), err
	}
	if sub == "" {
		return value.Int(int64(hi-lo) + 1), nil
	}
	part := x.s[x.offset(lo):x.offset(hi)]
	if err := t.StepSearch(len(part), len(sub)); err != nil {
		return value.Value{}, err
	}
	return value.Int(int64(strings.Count(part, sub))), nil
}

func affix(method string, test func(s, part string) bool) value.NativeFunc {
	return func(t *value.Thread, a *value.Args) (value.Value, error) {
		x := chargedText(t, a.Pos[0])
		lo, hi, ok, err := span(t, x, a.Pos[2], a.Pos[3])
		if err != nil {
			return value.Value{}, err
		}
		part := ""
		if ok {
			part = x.s[x.offset(lo):x.offset(hi)]
		}
		t.See(a.Pos[1].Label)
		arg := t.Base(a.Pos[1])
		kind, name := value.KStr, "str"
		if x.bytes {
			kind, name = value.KBytes, "bytes"
		}
		switch arg.Kind {
		case kind:
			return value.Bool(ok && test(part, textOf(arg).s)), nil
		case value.KTuple:
			for _, p := range arg.Obj.(*value.Tuple).Items {
				t.See(p.Label)
				q, is := t.Payload(p, kind)
				if !is && x.bytes {
					return value.Value{}, t.Raise(t.Types.TypeError, "a bytes-like object is required, not '%s'", t.ClassName(p))
				}
				if !is {
					return value.Value{}, t.Raise(t.Types.TypeError, "tuple for %s must only contain str, not %s", method, t.ClassName(p))
				}
				if ok && test(part, textOf(q).s) {
					return value.Bool(true), nil
				}
			}
			return value.Bool(false), nil
		}
		return value.Value{}, t.Raise(t.Types.TypeError, "%s first arg must be %s or a tuple of %s, not %s", method, name, name, t.ClassName(a.Pos[1]))
	}
}

func remover(method string, trim func(s, part string) string) value.NativeFunc {
	return func(t *value.Thread, a *value.Args) (value.Value, error) {
		x := chargedText(t, a.Pos[0])
		var part string
		var err error
		if x.bytes {
			part, err = textArg(t, x, a.Pos[1], method, 1)
		} else if p, ok := t.Payload(a.Pos[1], value.KStr); ok {
			part = p.Obj.(*value.Str).Text
		} else {
			err = t.FailOf(a.Pos[1], t.Types.TypeError, "%s() argument must be str, not %s", method, argName(t, a.Pos[1]))
		}
		if err != nil {
			return value.Value{}, err
		}
		out := trim(x.s, part)
		if len(out) == len(x.s) {
			return a.Pos[0], nil
		}
		return textValue(t, x, strings.Clone(out))
	}
}

func stripper(method string, left, right bool) value.NativeFunc {
	return func(t *value.Thread, a *value.Args) (value.Value, error) {
		x := chargedText(t, a.Pos[0])
		strips := x.isSpace
		if value.Given(a.Pos[1]) {
			t.See(a.Pos[1].Label)
			if !x.bytes {
				if _, ok := t.Payload(a.Pos[1], value.KStr); !ok {
					return value.Value{}, t.Raise(t.Types.TypeError, "%s arg must be None or str", method)
				}
			}
			chars, err := textArg(t, x, a.Pos[1], method, 1)
			if err != nil {
				return value.Value{}, err
			}
			if err := t.Step(int64(len(chars)) / 16); err != nil {
				return value.Value{}, err
			}
			if len(chars) > 64 {
				if err := t.Step(int64(len(chars)) / 64 * int64(len(x.s)) / 16); err != nil {
					return value.Value{}, err
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
		if err := t.Step(int64(len(x.s)-len(s)) / 8); err != nil {
			return value.Value{}, err
		}
		return textValue(t, x, strings.Clone(s))
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
func splitArgs(t *value.Thread, a *value.Args, method string) (x text, sep string, blank bool, most int64, err error) {
	x = chargedText(t, a.Pos[0])
	t.See(a.Pos[0].Label)
	most = -1
	if a.Pos[2].Kind != value.KUnset {
		if most, err = t.IntArg(a.Pos[2]); err != nil {
			return x, "", false, 0, err
		}
	}
	if err = t.StepSearch(len(x.s)*8, 1); err != nil {
		return x, "", false, 0, err
	}
	if !value.Given(a.Pos[1]) {
		return x, "", true, most, nil
	}
	if !x.bytes {
		if _, ok := t.Payload(a.Pos[1], value.KStr); !ok {
			return x, "", false, 0, t.FailOf(a.Pos[1], t.Types.TypeError, "must be str or None, not %s", t.ClassName(a.Pos[1]))
		}
	}
	sep, err = textArg(t, x, a.Pos[1], method, 1)
	if err == nil && sep == "" {
		err = t.Raise(t.Types.ValueError, "empty separator")
	}
	return x, sep, false, most, err
}

// parts collects the pieces of a text.
type parts struct {
	t     *value.Thread
	x     text
	items []value.Value
}

func (p *parts) add(s string) error {
	if err := p.t.Alloc(value.ValueBytes); err != nil {
		return err
	}
	if err := p.t.Step(1); err != nil {
		return err
	}
	v, err := textValue(p.t, p.x, s)
	p.items = append(p.items, v)
	return err
}

func textSplit(t *value.Thread, a *value.Args) (value.Value, error) {
	x, sep, blank, most, err := splitArgs(t, a, "split")
	if err != nil {
		return value.Value{}, err
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
				return value.Value{}, err
			}
			s = s[i+len(sep):]
		}
		err = p.add(s)
	}
	return t.NewList(p.items, 0), err
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

func textRSplit(t *value.Thread, a *value.Args) (value.Value, error) {
	x, sep, blank, most, err := splitArgs(t, a, "rsplit")
	if err != nil {
		return value.Value{}, err
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
				return value.Value{}, err
			}
			s = s[:i]
		}
		err = p.add(s)
	}
	reverseValues(p.items)
	return t.NewList(p.items, 0), err
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

func textSplitLines(t *value.Thread, a *value.Args) (value.Value, error) {
	x := chargedText(t, a.Pos[0])
	keep, err := boolArg(t, a.Pos[1])
	if err != nil {
		return value.Value{}, err
	}
	if err := t.StepSearch(len(x.s)*8, 1); err != nil {
		return value.Value{}, err
	}
	p := parts{t: t, x: x}
	for s := x.s; s != ""; {
		i, end := x.line(s)
		cut := i
		if keep {
			cut = end
		}
		if err := p.add(s[:cut]); err != nil {
			return value.Value{}, err
		}
		s = s[end:]
	}
	return t.NewList(p.items, 0), nil
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

func partitioner(find func(s, sep string) int, right bool) value.NativeFunc {
	return func(t *value.Thread, a *value.Args) (value.Value, error) {
		x := chargedText(t, a.Pos[0])
		if !x.bytes {
			if _, ok := t.Payload(a.Pos[1], value.KStr); !ok {
				return value.Value{}, t.FailOf(a.Pos[1], t.Types.TypeError, "must be str, not %s", t.ClassName(a.Pos[1]))
			}
		}
		sep, err := textArg(t, x, a.Pos[1], "partition", 1)
		if err != nil {
			return value.Value{}, err
		}
		if sep == "" {
			return value.Value{}, t.Raise(t.Types.ValueError, "empty separator")
		}
		if err := t.StepSearch(len(x.s), len(sep)); err != nil {
			return value.Value{}, err
		}
		pieces := [3]string{x.s, "", ""}
		if i := find(x.s, sep); i >= 0 {
			pieces = [3]string{x.s[:i], sep, x.s[i+len(sep):]}
		} else if right {
			pieces = [3]string{"", "", x.s}
		}
		items := make([]value.Value, 3)
		for i, s := range pieces {
			if items[i], err = textValue(t, x, s); err != nil {
				return value.Value{}, err
			}
		}
		return t.Tuple(items), nil
	}
}

func textReplace(t *value.Thread, a *value.Args) (value.Value, error) {
	x := chargedText(t, a.Pos[0])
	before, err := textArg(t, x, a.Pos[1], "replace", 1)
	if err != nil {
		return value.Value{}, err
	}
	after, err := textArg(t, x, a.Pos[2], "replace", 2)
	if err != nil {
		return value.Value{}, err
	}
	most := int64(-1)
	if a.Pos[3].Kind != value.KUnset {
		if most, err = t.IntArg(a.Pos[3]); err != nil {
			return value.Value{}, err
		}
	}
	if err := t.StepSearch(len(x.s), len(before)); err != nil {
		return value.Value{}, err
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
	if value.TooLarge(n, int64(len(after)), 1) {
		return value.Value{}, t.RaiseArgs(t.Types.OverflowError, t.Str("replace string is too long"))
	}
	size += n * int64(len(after))
	if err := t.Alloc(size); err != nil {
		return value.Value{}, err
	}
	if err := t.Step(size / 256); err != nil {
		return value.Value{}, err
	}
	if before == "" {
		return textValue(t, x, x.interleave(after, n))
	}
	return textValue(t, x, strings.Replace(x.s, before, after, int(n)))
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

func textJoin(t *value.Thread, a *value.Args) (value.Value, error) {
	x := chargedText(t, a.Pos[0])
	if _, err := t.Iterable(a.Pos[1], "can only join an iterable"); err != nil {
		return value.Value{}, err
	}
	var items []value.Value
	switch b := t.PlainSeq(a.Pos[1]); b.Kind {
	case value.KList:
		t.See(b.Label)
		t.See(b.Obj.(*value.List).Shape)
		items = b.Obj.(*value.List).Items
	case value.KTuple:
		t.See(b.Label)
		items = b.Obj.(*value.Tuple).Items
	default:
		var err error
		if items, err = t.Collect(a.Pos[1]); err != nil {
			return value.Value{}, err
		}
	}
	if err := t.Step(int64(len(items)) / 4); err != nil {
		return value.Value{}, err
	}
	kind := value.KStr
	if x.bytes {
		kind = value.KBytes
	}
	size := int64(0)
	for i, v := range items {
		if v.Label != 0 {
			t.See(v.Label)
		}
		if v.Kind != kind {
			p, ok := t.Payload(v, kind)
			if !ok && x.bytes {
				return value.Value{}, t.Raise(t.Types.TypeError, "sequence item %d: expected a bytes-like object, %s found", i, t.ClassName(v))
			}
			if !ok {
				return value.Value{}, t.Raise(t.Types.TypeError, "sequence item %d: expected str instance, %s found", i, t.ClassName(v))
			}
			v = p
		}
		size += int64(value.TextLen(v))
	}
	if len(items) == 1 && items[0].Kind == kind {
		return items[0], nil
	}
	if n := int64(len(items)) - 1; n > 0 {
		if value.TooLarge(n, int64(len(x.s)), 1) {
			return value.Value{}, t.Raise(t.Types.OverflowError, "join() result is too long for a Python string")
		}
		size += n * int64(len(x.s))
	}
	if err := t.Alloc(size); err != nil {
		return value.Value{}, err
	}
	if err := t.Step(size / 256); err != nil {
		return value.Value{}, err
	}
	out := make([]byte, 0, size)
	for i, v := range items {
		if i > 0 {
			out = append(out, x.s...)
		}
		out = append(out, textOf(t.Base(v)).s...)
	}
	if x.bytes {
		return t.Bytes(string(out)), nil
	}
	return t.NewStr(string(out))
}
