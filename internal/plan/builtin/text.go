package builtin

import (
	"slices"
	"strings"
	"unicode/utf8"

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

// kind is the kind of the values that x is made of, and its name.
func (x text) kind() (value.Kind, string) {
	if x.bytes {
		return value.KBytes, "bytes"
	}
	return value.KStr, "str"
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

// first returns the bytes of the first character.
func (x text) first(s string) int {
	if !x.wide {
		return 1
	}
	_, n := utf8.DecodeRuneInString(s)
	return n
}

// last returns the bytes of the last character.
func (x text) last(s string) int {
	if !x.wide {
		return 1
	}
	_, n := utf8.DecodeLastRuneInString(s)
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
	r, _ := utf8.DecodeRuneInString(char)
	return pytext.IsSpace(r)
}

// textValue makes a value of the kind that x has.
func textValue(t *value.Thread, x text, s string) (value.Value, error) {
	if x.bytes {
		return t.Bytes(s), t.Alloc(int64(len(s)) + value.StrBytes)
	}
	return t.NewStr(s)
}

// textArg returns an argument that has to be of the kind that x has.
func textArg(t *value.Thread, x text, v value.Value, method string) (string, error) {
	t.See(v.Label)
	kind, name := x.kind()
	p, ok := t.Payload(v, kind)
	if !ok {
		return "", t.Raise(t.Types.TypeError, "%s() argument must be %s, not %s", method, name, t.ClassName(v))
	}
	return textOf(p).s, nil
}

// separator is textArg for what must not be empty.
func separator(t *value.Thread, x text, v value.Value, method string) (string, error) {
	sep, err := textArg(t, x, v, method)
	if err == nil && sep == "" {
		err = t.Raise(t.Types.ValueError, "empty separator")
	}
	return sep, err
}

// part reads the optional arguments start and end of a search: it returns what lies
// between them and the number of characters before. ok is false when nothing can.
func part(t *value.Thread, x text, start, end value.Value) (s string, lo int, ok bool, err error) {
	n := x.len()
	ends := [2]int{0, n}
	for i, v := range [2]value.Value{start, end} {
		if !value.Given(v) {
			continue
		}
		t.See(v.Label)
		if ends[i], err = t.SliceEnd(v); err != nil {
			return "", 0, false, err
		}
		if ends[i] < 0 {
			ends[i] = max(ends[i]+n, 0)
		}
	}
	lo, hi := ends[0], min(ends[1], n)
	if lo > hi {
		return "", lo, false, nil
	}
	return x.s[x.offset(lo):x.offset(hi)], lo, true, nil
}

// textMethods are the natives that both classes have.
func textMethods(class string, recv value.Kind) []*value.Native {
	m := func(name, params string, f value.NativeFunc) *value.Native {
		return newMethod(recv, class+"."+name, params, f)
	}
	const search = "self, sub, start=None, end=None, /"
	return []*value.Native{
		m("find", search, finder("find", strings.Index)),
		m("rfind", search, finder("rfind", strings.LastIndex)),
		m("index", search, finder("index", strings.Index)),
		m("rindex", search, finder("rindex", strings.LastIndex)),
		m("count", search, searcher("count", 0, textCount)),
		m("startswith", "self, prefix, start=None, end=None, /", affix("startswith", strings.HasPrefix)),
		m("endswith", "self, suffix, start=None, end=None, /", affix("endswith", strings.HasSuffix)),
		m("removeprefix", "self, prefix, /", remover("removeprefix", strings.TrimPrefix)),
		m("removesuffix", "self, suffix, /", remover("removesuffix", strings.TrimSuffix)),
		m("strip", "self, chars=None, /", stripper("strip", true, true)),
		m("lstrip", "self, chars=None, /", stripper("lstrip", true, false)),
		m("rstrip", "self, chars=None, /", stripper("rstrip", false, true)),
		m("split", "self, sep=None, maxsplit=-1", splitter("split", false)),
		m("rsplit", "self, sep=None, maxsplit=-1", splitter("rsplit", true)),
		m("splitlines", "self, keepends=False", textSplitLines),
		m("partition", "self, sep, /", partitioner("partition", strings.Index)),
		m("rpartition", "self, sep, /", partitioner("rpartition", strings.LastIndex)),
		m("replace", "self, old, new, /, count=-1", textReplace),
		m("join", "self, iterable, /", textJoin).Drain(1),
		m("center", "self, width, fillchar=' ', /", padder("center")),
		m("ljust", "self, width, fillchar=' ', /", padder("ljust")),
		m("rjust", "self, width, fillchar=' ', /", padder("rjust")),
		m("zfill", "self, width, /", textZfill),
		m("expandtabs", "self, tabsize=8", textExpandTabs),
	}
}

// finder is find, index and their like: where find finds a part.
func finder(method string, find func(s, sub string) int) value.NativeFunc {
	return searcher(method, -1, func(x text, sub string) int {
		at := find(x.s, sub)
		if at < 0 {
			return -1
		}
		return x.place(at)
	})
}

// textCount is how often a part occurs.
func textCount(x text, sub string) int {
	if sub == "" {
		return x.len() + 1
	}
	return strings.Count(x.s, sub)
}

// searcher makes a method that looks for a part between two places; none is its
// result where those are the wrong way round.
func searcher(method string, none int, look func(x text, sub string) int) value.NativeFunc {
	return func(t *value.Thread, a *value.Args) (value.Value, error) {
		x := chargedText(t, a.Pos[0])
		sub, err := textArg(t, x, a.Pos[1], method)
		if err != nil {
			return value.Value{}, err
		}
		s, lo, ok, err := part(t, x, a.Pos[2], a.Pos[3])
		if err != nil {
			return value.Value{}, err
		}
		n := none
		if ok {
			if err := t.StepSearch(len(s), len(sub)); err != nil {
				return value.Value{}, err
			}
			x.s = s
			if n = look(x, sub); n >= 0 && none < 0 {
				n += lo
			}
		}
		if n < 0 && strings.HasSuffix(method, "index") {
			t.See(a.Pos[0].Label)
			return value.Value{}, t.Raise(t.Types.ValueError, "substring not found")
		}
		return value.Int(int64(n)), nil
	}
}

func affix(method string, test func(s, part string) bool) value.NativeFunc {
	return func(t *value.Thread, a *value.Args) (value.Value, error) {
		x := chargedText(t, a.Pos[0])
		s, _, ok, err := part(t, x, a.Pos[2], a.Pos[3])
		if err != nil {
			return value.Value{}, err
		}
		affixes := a.Pos[1:2]
		if p, is := t.Payload(a.Pos[1], value.KTuple); is {
			t.See(p.Label)
			affixes = p.Obj.(*value.Tuple).Items
		}
		for _, p := range affixes {
			want, err := textArg(t, x, p, method)
			if err != nil {
				return value.Value{}, err
			}
			if ok && test(s, want) {
				return value.Bool(true), nil
			}
		}
		return value.Bool(false), nil
	}
}

// cut is what is left of a text: the text itself when that is all.
func cut(t *value.Thread, self value.Value, x text, s string) (value.Value, error) {
	if len(s) == len(x.s) {
		return self, nil
	}
	return textValue(t, x, strings.Clone(s))
}

func remover(method string, trim func(s, part string) string) value.NativeFunc {
	return func(t *value.Thread, a *value.Args) (value.Value, error) {
		x := chargedText(t, a.Pos[0])
		part, err := textArg(t, x, a.Pos[1], method)
		if err != nil {
			return value.Value{}, err
		}
		return cut(t, a.Pos[0], x, trim(x.s, part))
	}
}

func stripper(method string, left, right bool) value.NativeFunc {
	return func(t *value.Thread, a *value.Args) (value.Value, error) {
		x := chargedText(t, a.Pos[0])
		strips := x.isSpace
		if value.Given(a.Pos[1]) {
			chars, err := textArg(t, x, a.Pos[1], method)
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
		for left && s != "" && strips(s[:x.first(s)]) {
			s = s[x.first(s):]
		}
		for right && s != "" && strips(s[len(s)-x.last(s):]) {
			s = s[:len(s)-x.last(s)]
		}
		if err := t.Step(int64(len(x.s)-len(s)) / 8); err != nil {
			return value.Value{}, err
		}
		return cut(t, a.Pos[0], x, s)
	}
}

// parts collects the pieces of a text.
type parts struct {
	t     *value.Thread
	x     text
	items []value.Value
}

func (p *parts) add(s string) error {
	if err := p.t.Charge(value.ValueBytes, 1); err != nil {
		return err
	}
	v, err := textValue(p.t, p.x, s)
	p.items = append(p.items, v)
	return err
}

// splitter is split, or rsplit when it begins at the right.
func splitter(method string, right bool) value.NativeFunc {
	return func(t *value.Thread, a *value.Args) (value.Value, error) {
		x := chargedText(t, a.Pos[0])
		t.See(a.Pos[0].Label)
		most, err := countArg(t, a.Pos[2])
		if err != nil {
			return value.Value{}, err
		}
		if err := t.StepSearch(len(x.s)*8, 1); err != nil {
			return value.Value{}, err
		}
		p := parts{t: t, x: x}
		if value.Given(a.Pos[1]) {
			var sep string
			if sep, err = separator(t, x, a.Pos[1], method); err == nil {
				err = p.splitAt(sep, most, right)
			}
		} else if right {
			err = p.rsplitBlank(most)
		} else {
			err = p.splitBlank(most)
		}
		if right {
			slices.Reverse(p.items)
		}
		return t.NewList(p.items, 0), err
	}
}

// countArg reads an optional bound of how often something is done; a negative one is none.
func countArg(t *value.Thread, v value.Value) (int64, error) {
	if v.Kind == value.KUnset {
		return -1, nil
	}
	return t.IntArg(v)
}

// splitAt cuts at a separator.
func (p *parts) splitAt(sep string, most int64, right bool) error {
	s := p.x.s
	for ; most != 0; most-- {
		i, piece := strings.Index(s, sep), ""
		if right {
			i = strings.LastIndex(s, sep)
		}
		if i < 0 {
			break
		}
		if right {
			piece, s = s[i+len(sep):], s[:i]
		} else {
			piece, s = s[:i], s[i+len(sep):]
		}
		if err := p.add(piece); err != nil {
			return err
		}
	}
	return p.add(s)
}

// splitBlank cuts at white space.
func (p *parts) splitBlank(most int64) error {
	s := p.x.s
	for ; ; most-- {
		for s != "" && p.x.isSpace(s[:p.x.first(s)]) {
			s = s[p.x.first(s):]
		}
		if s == "" {
			return nil
		}
		i := len(s)
		if most != 0 {
			for i = 0; i < len(s) && !p.x.isSpace(s[i:i+p.x.first(s[i:])]); {
				i += p.x.first(s[i:])
			}
		}
		if err := p.add(s[:i]); err != nil {
			return err
		}
		s = s[i:]
	}
}

// rsplitBlank cuts at white space, from the end.
func (p *parts) rsplitBlank(most int64) error {
	s := p.x.s
	for ; ; most-- {
		for s != "" && p.x.isSpace(s[len(s)-p.x.last(s):]) {
			s = s[:len(s)-p.x.last(s)]
		}
		if s == "" {
			return nil
		}
		i := 0
		if most != 0 {
			for i = len(s); i > 0 && !p.x.isSpace(s[i-p.x.last(s[:i]):i]); {
				i -= p.x.last(s[:i])
			}
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
		piece := s[:i]
		if keep {
			piece = s[:end]
		}
		if err := p.add(piece); err != nil {
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
		r, n := utf8.DecodeRuneInString(s[i:])
		if pytext.IsLineBreak(r) {
			return i, i + n
		}
		i += n
	}
	return len(s), len(s)
}

func partitioner(method string, find func(s, sep string) int) value.NativeFunc {
	return func(t *value.Thread, a *value.Args) (value.Value, error) {
		x := chargedText(t, a.Pos[0])
		sep, err := separator(t, x, a.Pos[1], method)
		if err != nil {
			return value.Value{}, err
		}
		if err := t.StepSearch(len(x.s), len(sep)); err != nil {
			return value.Value{}, err
		}
		pieces := [3]string{x.s, "", ""}
		if i := find(x.s, sep); i >= 0 {
			pieces = [3]string{x.s[:i], sep, x.s[i+len(sep):]}
		} else if method == "rpartition" {
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
	before, err := textArg(t, x, a.Pos[1], "replace")
	if err != nil {
		return value.Value{}, err
	}
	after, err := textArg(t, x, a.Pos[2], "replace")
	if err != nil {
		return value.Value{}, err
	}
	most, err := countArg(t, a.Pos[3])
	if err != nil {
		return value.Value{}, err
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
	if value.TooLarge(n, int64(len(after)), 1) {
		return value.Value{}, t.RaiseArgs(t.Types.OverflowError, t.Str("replace string is too long"))
	}
	size := int64(len(x.s)) + n*int64(len(after))
	if err := charge(t, size); err != nil {
		return value.Value{}, err
	}
	if before == "" {
		return textValue(t, x, x.interleave(after, n))
	}
	return textValue(t, x, strings.Replace(x.s, before, after, int(n)))
}

// charge accounts for a text of so many bytes that is about to be written.
func charge(t *value.Thread, size int64) error {
	return t.Charge(size, size/256)
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
	kind, name := x.kind()
	size := int64(0)
	for i, v := range items {
		if v.Label != 0 {
			t.See(v.Label)
		}
		if v.Kind != kind {
			p, ok := t.Payload(v, kind)
			if !ok {
				return value.Value{}, t.Raise(t.Types.TypeError, "sequence item %d: expected %s instance, %s found", i, name, t.ClassName(v))
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
	if err := charge(t, size); err != nil {
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

func padder(method string) value.NativeFunc {
	return func(t *value.Thread, a *value.Args) (value.Value, error) {
		x := chargedText(t, a.Pos[0])
		width, err := t.IntArg(a.Pos[1])
		if err != nil {
			return value.Value{}, err
		}
		fill := text{s: " "}
		if a.Pos[2].Kind != value.KUnset {
			s, err := textArg(t, x, a.Pos[2], method)
			if err != nil {
				return value.Value{}, err
			}
			if fill = (text{s: s, wide: !x.bytes}); fill.len() != 1 {
				return value.Value{}, t.Raise(t.Types.TypeError, "The fill character must be exactly one character long")
			}
		}
		n := width - int64(x.len())
		if n <= 0 {
			return a.Pos[0], nil
		}
		var left int64
		switch method {
		case "center":
			left = n/2 + n&width&1
		case "rjust":
			left = n
		}
		if value.TooLarge(n, int64(len(fill.s)), 1) {
			return value.Value{}, t.RaiseArgs(t.Types.MemoryError)
		}
		if err := charge(t, n*int64(len(fill.s))+int64(len(x.s))); err != nil {
			return value.Value{}, err
		}
		return textValue(t, x, strings.Repeat(fill.s, int(left))+x.s+strings.Repeat(fill.s, int(n-left)))
	}
}

func textZfill(t *value.Thread, a *value.Args) (value.Value, error) {
	x := chargedText(t, a.Pos[0])
	width, err := t.IntArg(a.Pos[1])
	if err != nil {
		return value.Value{}, err
	}
	n := width - int64(x.len())
	if n <= 0 {
		return a.Pos[0], nil
	}
	if err := charge(t, n+int64(len(x.s))); err != nil {
		return value.Value{}, err
	}
	s, sign := x.s, ""
	if s != "" && (s[0] == '+' || s[0] == '-') {
		sign, s = s[:1], s[1:]
	}
	return textValue(t, x, sign+strings.Repeat("0", int(n))+s)
}

func textExpandTabs(t *value.Thread, a *value.Args) (value.Value, error) {
	x := chargedText(t, a.Pos[0])
	size := int64(8)
	if a.Pos[1].Kind != value.KUnset {
		var err error
		if size, err = t.IntArg(a.Pos[1]); err != nil {
			return value.Value{}, err
		}
	}
	if err := t.Step(int64(len(x.s)) / 16); err != nil {
		return value.Value{}, err
	}
	var b strings.Builder
	column := int64(0)
	for s := x.s; s != ""; {
		n := x.first(s)
		if c := s[0]; c != '\t' {
			b.WriteString(s[:n])
			if column++; c == '\n' || c == '\r' {
				column = 0
			}
		} else if size > 0 {
			blanks := size - column%size
			if err := charge(t, blanks); err != nil {
				return value.Value{}, err
			}
			b.WriteString(strings.Repeat(" ", int(blanks)))
			column += blanks
		}
		s = s[n:]
	}
	return textValue(t, x, b.String())
}
