package native

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"praxis/internal/plan/python/pytext"
	"praxis/internal/plan/value"
)

// timeTextNatives are the days of the calendar by number, and times as text by a
// format with % directives: what strftime writes and strptime reads, in the C
// locale, as CPython with glibc does. The rest of module _timetext is in the library.
func timeTextNatives() []*value.Native {
	return []*value.Native{
		{Name: "_timetext.ordinal", Params: "year, month, day, /", Call: func(t *value.Thread, a *value.Args) (value.Value, error) {
			if !smallInts(t, a.Pos) {
				return value.Value{}, t.Raise(t.Types.OverflowError, "Python int too large to convert to C int")
			}
			return value.Int(dayNumber(a.Pos[0].N, a.Pos[1].N, a.Pos[2].N)), nil
		}},
		{Name: "_timetext.from_ordinal", Params: "n, /", Call: func(t *value.Thread, a *value.Args) (value.Value, error) {
			if !smallInts(t, a.Pos) {
				return value.Value{}, t.Raise(t.Types.OverflowError, "Python int too large to convert to C int")
			}
			y, m, d := dayOf(a.Pos[0].N)
			return t.Tuple([]value.Value{value.Int(y), value.Int(m), value.Int(d)}), t.Alloc(4 * value.ValueBytes)
		}},
		{Name: "_timetext.write", Params: "fmt, fields, /", Call: writeTime},
		{Name: "_timetext.scan", Params: "text, fmt, /", Call: scanTime},
	}
}

// smallInts makes plain ints of the arguments; false: one is none, or far too large.
func smallInts(t *value.Thread, args []value.Value) bool {
	for i := range args {
		v := t.Base(args[i])
		if v.Kind != value.KInt && v.Kind != value.KBool || v.N > 1<<50 || v.N < -1<<50 {
			return false
		}
		args[i] = v
	}
	return true
}

// dayNumber is the number of a day; 0001-01-01 is 1. Years are counted from March.
func dayNumber(year, month, day int64) int64 {
	if month <= 2 {
		year--
	}
	era := floorBy(year, 400)
	in := year - era*400
	inYear := (153*((month+9)%12)+2)/5 + day - 1
	return era*146097 + in*365 + in/4 - in/100 + inYear - 305
}

// dayOf returns the year, month and day of the day with a number.
func dayOf(n int64) (year, month, day int64) {
	n += 305
	era := floorBy(n, 146097)
	in := n - era*146097
	year = (in - in/1460 + in/36524 - in/146096) / 365
	inYear := in - (365*year + year/4 - year/100)
	part := (5*inYear + 2) / 153
	month = (part+2)%12 + 1
	year += era * 400
	if month <= 2 {
		year++
	}
	return year, month, inYear - (153*part+2)/5 + 1
}

func floorBy(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// isoDay returns the ISO year, week and weekday of the day with a number.
func isoDay(n int64) (year, week, weekday int64) {
	weekday = ((n-1)%7 + 7) % 7
	thursday := n - weekday + 3
	year, _, _ = dayOf(thursday)
	return year, (thursday-dayNumber(year, 1, 1))/7 + 1, weekday + 1
}

var (
	dayNames   = [...]string{"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"}
	monthNames = [...]string{"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"}
)

// timeFields are what a time is written from.
type timeFields struct {
	year, month, day, hour, minute, second, micro, weekday, yearday int64

	offset    int64 // from UTC, in microseconds
	hasOffset bool
	zone      string
}

// writeTime gets the format and a tuple of the fields.
func writeTime(t *value.Thread, a *value.Args) (value.Value, error) {
	format, ok := t.Base(a.Pos[0]).Obj.(*value.Str)
	parts, ok2 := a.Pos[1].Obj.(*value.Tuple)
	if !ok || !ok2 || len(parts.Items) != 11 {
		return value.Value{}, t.Raise(t.Types.TypeError, "a format and the fields of a time are needed")
	}
	for _, x := range parts.Items {
		t.See(x.Label)
	}
	n := func(i int) int64 { return parts.Items[i].N }
	f := &timeFields{year: n(0), month: n(1), day: n(2), hour: n(3), minute: n(4), second: n(5), micro: n(6), weekday: n(7), yearday: n(8)}
	if f.hasOffset = parts.Items[9].Kind == value.KInt; f.hasOffset {
		f.offset = n(9)
	}
	if s, ok := t.Base(parts.Items[10]).Obj.(*value.Str); ok {
		f.zone = s.Text
	}
	if f.month < 1 || f.month > 12 || f.weekday < 0 || f.weekday > 6 {
		return value.Value{}, t.Raise(t.Types.ValueError, "month out of range")
	}
	if err := t.Step(int64(len(format.Text))); err != nil {
		return value.Value{}, err
	}
	w := timeWriter{f: f, limit: 1 << 20}
	w.format(format.Text)
	if w.limit < 0 {
		return value.Value{}, t.OutOfMemory(1 << 40)
	}
	if err := t.Alloc(int64(w.out.Len())); err != nil {
		return value.Value{}, err
	}
	return t.NewStr(w.out.String())
}

type timeWriter struct {
	f     *timeFields
	out   strings.Builder
	limit int // of the bytes that may still be written
}

func (w *timeWriter) text(s string) {
	if w.limit -= len(s); w.limit >= 0 {
		w.out.WriteString(s)
	}
}

func (w *timeWriter) format(s string) {
	for {
		i := strings.IndexByte(s, '%')
		if i < 0 {
			w.text(s)
			return
		}
		w.text(s[:i])
		s = w.directive(s[i+1:])
	}
}

// directive writes what comes after a %, and returns what is behind it. A
// hyphen before the letter leaves out what fills a number up.
func (w *timeWriter) directive(s string) string {
	letter, size := utf8.DecodeRuneInString(s)
	bare := letter == '-'
	if bare {
		letter, size = utf8.DecodeRuneInString(s[1:])
		size++
	}
	switch {
	case letter == ':' && strings.HasPrefix(s, ":z"):
		w.text(w.offset(":"))
		return s[2:]
	case letter < utf8.RuneSelf:
		if value, width, ok := w.f.number(byte(letter)); ok {
			if bare {
				width = 1
			}
			w.text(fmt.Sprintf("%0*d", width, value))
			return s[size:]
		}
		if text, ok := w.word(byte(letter)); ok {
			w.text(text)
			return s[size:]
		}
	}
	w.text("%" + s[:min(size, len(s))])
	return s[min(size, len(s)):]
}

// offset is the offset from UTC as +HHMM, longer when it has seconds.
func (w *timeWriter) offset(colon string) string {
	if !w.f.hasOffset {
		return ""
	}
	sign, n := "+", w.f.offset
	if n < 0 {
		sign, n = "-", -n
	}
	seconds, micro := n/1000000, n%1000000
	text := fmt.Sprintf("%s%02d%s%02d", sign, seconds/3600, colon, seconds/60%60)
	if seconds%60 != 0 || micro != 0 {
		text += fmt.Sprintf("%s%02d", colon, seconds%60)
	}
	if micro != 0 {
		text += fmt.Sprintf(".%06d", micro)
	}
	return text
}

// number is what a directive writes as a number, and with how many digits at least.
func (f *timeFields) number(letter byte) (value int64, width int, ok bool) {
	year, week, _ := isoDay(dayNumber(f.year, 1, 1) + f.yearday - 1)
	switch letter {
	case 'd':
		return f.day, 2, true
	case 'f':
		return f.micro, 6, true
	case 'G':
		return year, 4, true
	case 'H':
		return f.hour, 2, true
	case 'I':
		return (f.hour+11)%12 + 1, 2, true
	case 'j':
		return f.yearday, 3, true
	case 'M':
		return f.minute, 2, true
	case 'm':
		return f.month, 2, true
	case 'S':
		return f.second, 2, true
	case 'U':
		return (f.yearday + 6 - (f.weekday+1)%7) / 7, 2, true
	case 'u':
		return f.weekday + 1, 1, true
	case 'V':
		return week, 2, true
	case 'W':
		return (f.yearday + 6 - f.weekday) / 7, 2, true
	case 'w':
		return (f.weekday + 1) % 7, 1, true
	case 'Y':
		return f.year, 4, true
	case 'y':
		return (f.year%100 + 100) % 100, 2, true
	}
	return 0, 0, false
}

// word is what a directive writes that is no number.
func (w *timeWriter) word(letter byte) (string, bool) {
	f := w.f
	switch letter {
	case 'A':
		return dayNames[f.weekday], true
	case 'a':
		return dayNames[f.weekday][:3], true
	case 'B':
		return monthNames[f.month-1], true
	case 'b', 'h':
		return monthNames[f.month-1][:3], true
	case 'e':
		return fmt.Sprintf("%2d", f.day), true
	case 'p':
		if f.hour >= 12 {
			return "PM", true
		}
		return "AM", true
	case '%':
		return "%", true
	case 'Z':
		return f.zone, true
	case 'z':
		return w.offset(""), true
	case 'c':
		return w.compound("%a %b %e %H:%M:%S %Y"), true
	case 'F':
		return w.compound("%Y-%m-%d"), true
	}
	if format := expandedTime(rune(letter)); format != "" {
		return w.compound(format), true
	}
	return "", false
}

// compound writes what a directive is short for.
func (w *timeWriter) compound(format string) string {
	in := timeWriter{f: w.f, limit: 1 << 10}
	in.format(format)
	return in.out.String()
}

// timeItem is one piece of a format for reading: a directive, white space or a character.
type timeItem struct {
	kind byte // '%', ' ' or '='
	what rune
}

// scanTime matches a text with a format. It gives the texts of the directives by
// letter and where the match ends, or what is wrong.
func scanTime(t *value.Thread, a *value.Args) (value.Value, error) {
	text, ok := t.Base(a.Pos[0]).Obj.(*value.Str)
	format, ok2 := t.Base(a.Pos[1]).Obj.(*value.Str)
	if !ok || !ok2 {
		return value.Value{}, t.Raise(t.Types.TypeError, "strptime() arguments must be str")
	}
	if err := t.Step(int64(len(text.Text) + 4*len(format.Text))); err != nil {
		return value.Value{}, err
	}
	items, problem := timeItems(nil, format.Text)
	if problem != "" {
		return value.Value{}, t.Raise(t.Types.ValueError, "%s in format '%s'", problem, format.Text)
	}
	s := &timeScanner{text: []rune(text.Text), items: items}
	if err := t.Alloc(int64(len(s.text)*4 + len(items)*64)); err != nil {
		return value.Value{}, err
	}
	ends, err := s.match(t)
	if err != nil {
		return value.Value{}, err
	}
	if ends == nil {
		return value.Value{}, t.Raise(t.Types.ValueError, "time data %s does not match format %s", pytext.ReprStr(text.Text), pytext.ReprStr(format.Text))
	}
	if last := ends[len(ends)-1]; last != len(s.text) {
		return value.Value{}, t.Raise(t.Types.ValueError, "unconverted data remains: %s", string(s.text[last:]))
	}
	d := &value.Dict{}
	for i, item := range items {
		if item.kind == '%' {
			d.SetStr(t, string(item.what), t.Str(string(s.text[ends[i]:ends[i+1]])))
		}
	}
	return value.Value{Kind: value.KDict, Obj: d}, t.Alloc(int64(len(items)) * value.EntryBytes)
}

// timeItems takes a format apart; problem says what is wrong with it.
func timeItems(out []timeItem, format string) (_ []timeItem, problem string) {
	rs := []rune(format)
	at := func(i int) rune {
		if i < len(rs) {
			return rs[i]
		}
		return -1
	}
	for i := 0; i < len(rs); {
		c := rs[i]
		i++
		if pytext.IsSpace(c) {
			if len(out) == 0 || out[len(out)-1].kind != ' ' {
				out = append(out, timeItem{kind: ' '})
			}
			continue
		}
		if c != '%' {
			out = append(out, timeItem{'=', c})
			continue
		}
		letter := at(i)
		i++
		switch {
		case letter < 0 || pytext.IsSpace(letter):
			return nil, "stray %"
		case letter == '%':
			out = append(out, timeItem{'=', '%'})
			continue
		}
		if expanded := expandedTime(letter); expanded != "" {
			if out, problem = timeItems(out, expanded); problem != "" {
				return nil, problem
			}
			continue
		}
		if !strings.ContainsRune("dfHIjmMSyYzAaBbpZ", letter) {
			return nil, "'" + string(letter) + "' is a bad directive"
		}
		for _, o := range out {
			if o.kind == '%' && o.what == letter {
				return nil, "redefinition of group name '" + string(letter) + "'"
			}
		}
		out = append(out, timeItem{'%', letter})
	}
	return out, ""
}

func expandedTime(letter rune) string {
	switch letter {
	case 'c':
		return "%a %b %d %H:%M:%S %Y"
	case 'D', 'x':
		return "%m/%d/%y"
	case 'T', 'X':
		return "%H:%M:%S"
	case 'R':
		return "%H:%M"
	case 'r':
		return "%I:%M:%S %p"
	}
	return ""
}

// timeScanner matches items with a text, going back where the first way fails.
type timeScanner struct {
	text  []rune
	items []timeItem
	dead  map[[2]int]bool // an item at a place from which no way leads on
}

// match returns where each item begins, and the end; nil: there is no match.
func (s *timeScanner) match(t *value.Thread) ([]int, error) {
	ways := [][]int{{0}}
	for {
		i := len(ways) - 1
		if len(ways[i]) == 0 {
			if ways = ways[:i]; i == 0 {
				return nil, nil
			}
			ways[i-1] = ways[i-1][1:]
			continue
		}
		if i == len(s.items) {
			break
		}
		key := [2]int{i, ways[i][0]}
		if s.dead[key] {
			ways[i] = ways[i][1:]
			continue
		}
		ends := s.accepts(s.items[i], ways[i][0])
		if err := t.Step(int64(4 + len(ends))); err != nil {
			return nil, err
		}
		if len(ends) != 1 {
			if s.dead == nil {
				s.dead = make(map[[2]int]bool)
			}
			if err := t.Alloc(32 + 8*int64(len(ends))); err != nil {
				return nil, err
			}
			s.dead[key] = true
		}
		ways = append(ways, ends)
	}
	out := make([]int, len(ways))
	for i := range ways {
		out[i] = ways[i][0]
	}
	return out, nil
}

// accepts returns where an item that begins at a place may end, in the order in which it is tried.
func (s *timeScanner) accepts(item timeItem, at int) []int {
	switch item.kind {
	case '=':
		if at < len(s.text) && (s.text[at] == item.what || unicode.ToLower(s.text[at]) == unicode.ToLower(item.what)) {
			return []int{at + 1}
		}
		return nil
	case ' ':
		end := at
		for end < len(s.text) && pytext.IsSpace(s.text[end]) {
			end++
		}
		var out []int
		for ; end > at; end-- {
			out = append(out, end)
		}
		return out
	}
	switch item.what {
	case 'd':
		return s.upTo(at, 1, 31, true)
	case 'H':
		return s.upTo(at, 0, 23, true)
	case 'I':
		return s.upTo(at, 1, 12, true)
	case 'm':
		return s.upTo(at, 1, 12, false)
	case 'M':
		return s.upTo(at, 0, 59, false)
	case 'S':
		return s.upTo(at, 0, 61, false)
	case 'Y':
		return s.fixed(at, 4)
	case 'y':
		return s.fixed(at, 2)
	case 'j':
		return s.yearday(at)
	case 'f':
		return s.fraction(at)
	case 'z':
		return s.zone(at)
	}
	return s.names(at, item.what)
}

// digit is the value of the decimal digit at a place, or -1.
func (s *timeScanner) digit(at int) int {
	if at >= len(s.text) {
		return -1
	}
	if r := s.text[at]; r < 0x80 {
		if r >= '0' && r <= '9' {
			return int(r - '0')
		}
		return -1
	}
	return pytext.DecimalValue(s.text[at])
}

// upTo matches one or two digits that make a number from low to high.
func (s *timeScanner) upTo(at, low, high int, space bool) []int {
	var out []int
	a, b := s.digit(at), s.digit(at+1)
	if n := a*10 + b; a >= 0 && b >= 0 && n >= low && n <= high {
		out = append(out, at+2)
	}
	if a >= low && a >= 0 && a <= high {
		out = append(out, at+1)
	}
	if space && at < len(s.text) && s.text[at] == ' ' && b >= low && b >= 0 && b <= high {
		out = append(out, at+2)
	}
	return out
}

func (s *timeScanner) fixed(at, n int) []int {
	for i := range n {
		if s.digit(at+i) < 0 {
			return nil
		}
	}
	return []int{at + n}
}

func (s *timeScanner) yearday(at int) []int {
	var out []int
	if a, b, c := s.digit(at), s.digit(at+1), s.digit(at+2); a >= 0 && b >= 0 && c >= 0 {
		if n := a*100 + b*10 + c; n >= 1 && n <= 366 {
			out = append(out, at+3)
		}
	}
	return append(out, s.upTo(at, 1, 99, false)...)
}

func (s *timeScanner) fraction(at int) []int {
	end := at
	for end < len(s.text) && end < at+6 && s.text[end] >= '0' && s.text[end] <= '9' {
		end++
	}
	var out []int
	for ; end > at; end-- {
		out = append(out, end)
	}
	return out
}

// zone matches ±HH:MM, with or without the colon, or Z.
func (s *timeScanner) zone(at int) []int {
	if at < len(s.text) && s.text[at] == 'Z' {
		return []int{at + 1}
	}
	if at >= len(s.text) || s.text[at] != '+' && s.text[at] != '-' || s.fixed(at+1, 2) == nil {
		return nil
	}
	minute := at + 3
	if minute < len(s.text) && s.text[minute] == ':' {
		minute++
	}
	if tens := s.digit(minute); tens < 0 || tens > 5 {
		return nil
	}
	return s.fixed(minute, 2)
}

// names matches a name, the longest first.
func (s *timeScanner) names(at int, what rune) []int {
	rest := strings.ToLower(string(s.text[min(at, len(s.text)):min(at+9, len(s.text))]))
	var list []string
	short := false
	switch what {
	case 'A', 'a':
		list, short = dayNames[:], what == 'a'
	case 'B', 'b':
		list, short = monthNames[:], what == 'b'
	case 'p':
		list = []string{"am", "pm"}
	case 'Z':
		list = []string{"utc", "gmt"}
	}
	best := 0
	for _, name := range list {
		if short {
			name = name[:3]
		}
		if len(name) > best && strings.HasPrefix(rest, strings.ToLower(name)) {
			best = len(name)
		}
	}
	if best == 0 {
		return nil
	}
	return []int{at + best}
}
