package native

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"praxis/internal/plan/python/pytext"
	"praxis/internal/plan/value"
)

// timeTextNatives are the days of the calendar by number, and times as text: what
// strftime writes, in the C locale, and what strptime and fromisoformat read. A
// time that is read is a tuple: year, month, day, hour, minute, second, microsecond,
// offset from UTC in microseconds or None, name of the zone or None.
func timeTextNatives() []*value.Native {
	return []*value.Native{
		{Name: "_timetext.check", Params: "year, month, day, hour, minute, second, microsecond, /", Call: checkTime},
		{Name: "_timetext.ordinal", Params: "year, month, day, /", Call: func(t *value.Thread, a *value.Args) (value.Value, error) {
			n, err := smallInts(t, a.Pos)
			if err != nil {
				return value.Value{}, err
			}
			return value.Int(utc(n[0], n[1], n[2]).Unix()/daySeconds + epochDay), nil
		}},
		{Name: "_timetext.from_ordinal", Params: "n, /", Call: func(t *value.Thread, a *value.Args) (value.Value, error) {
			n, err := smallInts(t, a.Pos)
			if err != nil {
				return value.Value{}, err
			}
			y, m, d := time.Unix((n[0]-epochDay)*daySeconds, 0).UTC().Date()
			return t.Tuple([]value.Value{value.Int(int64(y)), value.Int(int64(m)), value.Int(int64(d))}), t.Alloc(4 * value.ValueBytes)
		}},
		{Name: "_timetext.write", Params: "format, fields, /", Call: writeTime},
		{Name: "_timetext.read", Params: "text, format, /", Call: readTime},
		{Name: "_timetext.read_iso", Params: "text, kind, /", Call: readISO},
	}
}

const (
	daySeconds = 24 * 60 * 60
	epochDay   = 719163 // the number of 1970-01-01; 0001-01-01 is 1
)

func utc(year, month, day int64) time.Time {
	return time.Date(int(year), time.Month(month), int(day), 0, 0, 0, 0, time.UTC)
}

// smallInts are arguments that have to be ints, and small enough to count days with.
func smallInts(t *value.Thread, args []value.Value) ([]int64, error) {
	out := make([]int64, len(args))
	for i := range args {
		v, err := t.Index(args[i])
		if err != nil {
			return nil, err
		}
		if v.Kind != value.KInt || v.N > 1<<31 || v.N < -1<<31 {
			t.See(args[i].Label)
			return nil, t.Raise(t.Types.OverflowError, "Python int too large to convert to C int")
		}
		out[i] = v.N
	}
	return out, nil
}

// checkTime refuses fields of a time that are no ints or out of range.
func checkTime(t *value.Thread, a *value.Args) (value.Value, error) {
	n, err := smallInts(t, a.Pos)
	if err != nil {
		return value.Value{}, err
	}
	for i, field := range [...]struct {
		name      string
		low, high int64
	}{{"year", 1, 9999}, {"month", 1, 12}, {"day", 1, 0}, {"hour", 0, 23}, {"minute", 0, 59}, {"second", 0, 59}, {"microsecond", 0, 999999}} {
		if field.name == "day" {
			if last := int64(utc(n[0], n[1]+1, 0).Day()); n[2] < 1 || n[2] > last {
				return value.Value{}, t.Raise(t.Types.ValueError, "day %d must be in range 1..%d for month %d in year %d", n[2], last, n[1], n[0])
			}
		} else if n[i] < field.low || n[i] > field.high {
			return value.Value{}, t.Raise(t.Types.ValueError, "%s must be in %d..%d, not %d", field.name, field.low, field.high, n[i])
		}
	}
	return value.None, nil
}

// timeFields are what a time is written from.
type timeFields struct {
	time.Time
	offset *int64 // from UTC, in microseconds
	zone   string
}

// layouts are the directives that Go has, too.
var layouts = map[byte]string{
	'A': "Monday", 'a': "Mon", 'B': "January", 'b': "Jan", 'c': "Mon Jan _2 15:04:05 2006", 'D': "01/02/06", 'd': "02",
	'e': "_2", 'F': "2006-01-02", 'H': "15", 'h': "Jan", 'I': "03", 'j': "002", 'M': "04", 'm': "01", 'p': "PM", 'R': "15:04",
	'r': "03:04:05 PM", 'S': "05", 'T': "15:04:05", 'X': "15:04:05", 'x': "01/02/06", 'Y': "2006", 'y': "06",
}

// writeTime gets the format and a tuple of the fields.
func writeTime(t *value.Thread, a *value.Args) (value.Value, error) {
	format, ok := t.Base(a.Pos[0]).Obj.(*value.Str)
	if !ok {
		return value.Value{}, t.Raise(t.Types.TypeError, "strftime() argument 1 must be str, not %s", t.ClassName(a.Pos[0]))
	}
	parts, ok := a.Pos[1].Obj.(*value.Tuple)
	if !ok || len(parts.Items) != 9 {
		return value.Value{}, t.Raise(t.Types.TypeError, "the fields of a time are needed")
	}
	for _, x := range parts.Items {
		t.See(x.Label)
	}
	n, err := smallInts(t, parts.Items[:7])
	if err != nil {
		return value.Value{}, err
	}
	f := &timeFields{Time: time.Date(int(n[0]), time.Month(n[1]), int(n[2]), int(n[3]), int(n[4]), int(n[5]), int(n[6])*1000, time.UTC)}
	if o := parts.Items[7]; o.Kind == value.KInt {
		f.offset = &o.N
	}
	if s, ok := t.Base(parts.Items[8]).Obj.(*value.Str); ok {
		f.zone = s.Text
	}
	if err := t.Step(int64(len(format.Text))); err != nil {
		return value.Value{}, err
	}
	var out strings.Builder
	for rest := format.Text; rest != "" && out.Len() < 1<<20; {
		var before string
		var directive bool
		before, rest, directive = strings.Cut(rest, "%")
		out.WriteString(before)
		if directive {
			var text string
			text, rest = f.directive(rest)
			out.WriteString(text)
		}
	}
	if out.Len() >= 1<<20 {
		return value.Value{}, t.OutOfMemory(1 << 40)
	}
	if err := t.Alloc(int64(out.Len())); err != nil {
		return value.Value{}, err
	}
	return t.NewStr(out.String())
}

// directive is what comes after a % as text, and what is behind it. A hyphen
// before the letter leaves out what fills a number up.
func (f *timeFields) directive(s string) (text, rest string) {
	letter, bare := s, false
	if letter, bare = strings.CutPrefix(s, "-"); letter == "" {
		return "%" + s, ""
	}
	if colon, ok := strings.CutPrefix(s, ":z"); ok {
		return f.offsetText(":"), colon
	}
	if layout, ok := layouts[letter[0]]; ok {
		text = f.Format(layout)
	} else if text, ok = f.other(letter[0]); !ok {
		_, size := utf8.DecodeRuneInString(letter)
		size += len(s) - len(letter)
		return "%" + s[:size], s[size:]
	}
	if bare && text != "" {
		text = strings.TrimLeft(text[:len(text)-1], "0 ") + text[len(text)-1:]
	}
	return text, letter[1:]
}

// other are the directives that Go does not have.
func (f *timeFields) other(letter byte) (text string, ok bool) {
	year, week := f.ISOWeek()
	day := int(f.Weekday())
	switch letter {
	case 'f':
		return fmt.Sprintf("%06d", f.Nanosecond()/1000), true
	case 'G':
		return fmt.Sprintf("%04d", year), true
	case 'U':
		return fmt.Sprintf("%02d", (f.YearDay()+6-day)/7), true
	case 'u':
		return strconv.Itoa((day+6)%7 + 1), true
	case 'V':
		return fmt.Sprintf("%02d", week), true
	case 'W':
		return fmt.Sprintf("%02d", (f.YearDay()+6-(day+6)%7)/7), true
	case 'w':
		return strconv.Itoa(day), true
	case 'Z':
		return f.zone, true
	case 'z':
		return f.offsetText(""), true
	}
	return "%", letter == '%'
}

// offsetText is the offset from UTC as +HHMM, longer when it has seconds.
func (f *timeFields) offsetText(colon string) string {
	if f.offset == nil {
		return ""
	}
	sign, n := "+", *f.offset
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

// readable are the directives that can be read, as regular expressions.
var readable = map[rune]string{
	'A': `(monday|tuesday|wednesday|thursday|friday|saturday|sunday)`, 'a': `(mon|tue|wed|thu|fri|sat|sun)`,
	'B': `(january|february|march|april|may|june|july|august|september|october|november|december)`,
	'b': `(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)`, 'd': `(3[01]|[12]\d|0[1-9]|[1-9]| [1-9])`, 'f': `(\d{1,6})`,
	'H': `(2[0-3]|[01]\d|\d)`, 'I': `(1[0-2]|0[1-9]|[1-9]| [1-9])`,
	'j': `(36[0-6]|3[0-5]\d|[12]\d\d|0[1-9]\d|00[1-9]|[1-9]\d|0[1-9]|[1-9])`, 'M': `([0-5]\d|\d)`, 'm': `(1[0-2]|0[1-9]|[1-9])`,
	'p': `(am|pm)`, 'S': `(6[01]|[0-5]\d|\d)`, 'Y': `(\d{4})`, 'y': `(\d\d)`, 'Z': `(utc|gmt)`, 'z': `([+-]\d\d:?[0-5]\d|Z)`,
}

// shorthand are the directives that stand for several.
var shorthand = strings.NewReplacer("%%", "%%", "%c", "%a %b %d %H:%M:%S %Y", "%D", "%m/%d/%y", "%x", "%m/%d/%y",
	"%T", "%H:%M:%S", "%X", "%H:%M:%S", "%R", "%H:%M", "%r", "%I:%M:%S %p")

// maxReadFormat bounds a format for reading, which becomes a regular expression.
const maxReadFormat = 1000

// readTime reads a text by a format.
func readTime(t *value.Thread, a *value.Args) (value.Value, error) {
	for i, x := range a.Pos {
		if _, ok := t.Base(x).Obj.(*value.Str); !ok {
			return value.Value{}, t.Raise(t.Types.TypeError, "strptime() argument %d must be str, not %s", i+1, t.ClassName(x))
		}
	}
	text, format := t.Base(a.Pos[0]).Obj.(*value.Str).Text, t.Base(a.Pos[1]).Obj.(*value.Str).Text
	if len(format) > maxReadFormat {
		return value.Value{}, t.Raise(t.Types.ValueError, "a format of more than %d bytes", maxReadFormat)
	}
	if err := t.Step(int64(len(text) + 100*len(format))); err != nil {
		return value.Value{}, err
	}
	re, letters, err := timePattern(format)
	if err != nil {
		return value.Value{}, t.Raise(t.Types.ValueError, "%s in format '%s'", err, format)
	}
	m := re.FindStringSubmatch(text)
	if m == nil {
		return value.Value{}, t.Raise(t.Types.ValueError, "time data %s does not match format %s", pytext.ReprStr(text), pytext.ReprStr(format))
	}
	if rest := text[len(m[0]):]; rest != "" {
		return value.Value{}, t.Raise(t.Types.ValueError, "unconverted data remains: %s", rest)
	}
	found := map[rune]string{}
	for i, letter := range letters {
		found[letter] = m[i+1]
	}
	return timeOf(t, found)
}

// timePattern is a format as a regular expression, and the letters of its groups.
func timePattern(format string) (*regexp.Regexp, []rune, error) {
	out, letters := strings.Builder{}, []rune(nil)
	rs := []rune(shorthand.Replace(format))
	for i := 0; i < len(rs); i++ {
		switch {
		case pytext.IsSpace(rs[i]):
			out.WriteString(`\s+`)
			for i+1 < len(rs) && pytext.IsSpace(rs[i+1]) {
				i++
			}
		case rs[i] != '%':
			out.WriteString(regexp.QuoteMeta(string(rs[i])))
		case i+1 == len(rs) || pytext.IsSpace(rs[i+1]):
			return nil, nil, fmt.Errorf("stray %%")
		default:
			i++
			part, ok := readable[rs[i]]
			switch {
			case rs[i] == '%':
				part = "%"
			case !ok:
				return nil, nil, fmt.Errorf("'%c' is a bad directive", rs[i])
			case strings.ContainsRune(string(letters), rs[i]):
				return nil, nil, fmt.Errorf("'%%%c' stands twice", rs[i])
			default:
				letters = append(letters, rs[i])
			}
			out.WriteString(part)
		}
	}
	re, err := regexp.Compile(`^(?i:` + out.String() + `)`)
	return re, letters, err
}

// timeOf is the time that directives tell by their letters.
func timeOf(t *value.Thread, found map[rune]string) (value.Value, error) {
	n := func(letter rune, missing int64) int64 {
		if v, err := strconv.ParseInt(strings.TrimSpace(found[letter]), 10, 64); err == nil {
			return v
		}
		return missing
	}
	year, month, day, hour := n('Y', 1900), n('m', 1), n('d', 1), n('H', 0)
	if short, ok := found['y']; ok {
		year = n('y', 0) + 1900
		if short <= "68" {
			year += 100
		}
	}
	for _, letter := range "Bb" {
		if name := found[letter]; name != "" {
			month = int64(strings.Index("janfebmaraprmayjunjulaugsepoctnovdec", strings.ToLower(name[:3]))/3 + 1)
		}
	}
	if found['j'] != "" {
		y, m, d := utc(year, 1, n('j', 1)).Date()
		year, month, day = int64(y), int64(m), int64(d)
	}
	if _, ok := found['H']; !ok && found['I'] != "" {
		if hour = n('I', 0) % 12; strings.EqualFold(found['p'], "pm") {
			hour += 12
		}
	}
	micro, _ := strconv.ParseInt((found['f'] + "000000")[:6], 10, 64)
	var offset *int64
	if z := found['z']; strings.EqualFold(z, "z") {
		offset = new(int64)
	} else if z != "" {
		hours, _ := strconv.ParseInt(z[1:3], 10, 64)
		minutes, _ := strconv.ParseInt(z[len(z)-2:], 10, 64)
		offset = signed(z[0], (hours*60+minutes)*60_000_000)
	}
	return timeTuple(t, [7]int64{year, month, day, hour, n('M', 0), n('S', 0), micro}, offset, found['Z'])
}

func signed(sign byte, micros int64) *int64 {
	if sign == '-' {
		micros = -micros
	}
	return &micros
}

func timeTuple(t *value.Thread, fields [7]int64, offset *int64, zone string) (value.Value, error) {
	out := make([]value.Value, 0, 9)
	for _, n := range fields {
		out = append(out, value.Int(n))
	}
	out = append(out, value.None, value.None)
	if offset != nil {
		out[7] = value.Int(*offset)
	}
	if zone != "" {
		out[8] = t.Str(zone)
	}
	return t.Tuple(out), t.Alloc(10 * value.ValueBytes)
}

var (
	isoDate  = regexp.MustCompile(`^(\d{4})(-?)(\d\d)(-?)(\d\d)()`)
	isoClock = regexp.MustCompile(`^(\d\d)(?:(:?)(\d\d)(?:(:?)(\d\d)(?:[.,](\d+))?)?)?`)
)

// readISO reads what fromisoformat of a kind of time reads: date, time or datetime.
func readISO(t *value.Thread, a *value.Args) (value.Value, error) {
	s, ok := t.Base(a.Pos[0]).Obj.(*value.Str)
	if !ok {
		return value.Value{}, t.Raise(t.Types.TypeError, "fromisoformat: argument must be str")
	}
	if err := t.Step(int64(len(s.Text))); err != nil {
		return value.Value{}, err
	}
	kind, rest := a.Pos[1].Obj.(*value.Str).Text, s.Text
	var date, clock [4]int64
	var offset *int64
	if kind == "time" {
		rest = strings.TrimPrefix(rest, "T")
	} else {
		date, rest, ok = isoNumbers(isoDate, rest)
		if kind == "datetime" && rest != "" {
			_, size := utf8.DecodeRuneInString(rest)
			rest = rest[size:]
			kind = "time"
		}
	}
	if ok && kind == "time" {
		clock, offset, rest, ok = isoTime(rest)
	}
	if !ok || rest != "" {
		return value.Value{}, t.Raise(t.Types.ValueError, "Invalid isoformat string: %s", pytext.ReprStr(s.Text))
	}
	return timeTuple(t, [7]int64{date[0], date[1], date[2], clock[0], clock[1], clock[2], clock[3]}, offset, "")
}

// isoTime reads a time of the day with its offset from UTC, if it has one.
func isoTime(s string) (clock [4]int64, offset *int64, rest string, ok bool) {
	if clock, rest, ok = isoNumbers(isoClock, s); !ok || rest == "" {
		return clock, nil, rest, ok
	}
	if rest == "Z" {
		return clock, new(int64), "", true
	}
	o, after, ok := isoNumbers(isoClock, rest[1:])
	if ok = ok && (rest[0] == '+' || rest[0] == '-') && o[1] < 60 && o[2] < 60; ok {
		offset = signed(rest[0], ((o[0]*60+o[1])*60+o[2])*1_000_000+o[3])
	}
	return clock, offset, after, ok
}

// isoNumbers reads three numbers, which the same separator is between, and a fraction.
func isoNumbers(re *regexp.Regexp, s string) (n [4]int64, rest string, ok bool) {
	m := re.FindStringSubmatch(s)
	if m == nil || m[5] != "" && m[2] != m[4] {
		return n, s, false
	}
	for i, text := range []string{m[1], m[3], m[5], (m[6] + "000000")[:6]} {
		n[i], _ = strconv.ParseInt(text, 10, 64) // a part that is missing is 0
	}
	return n, s[len(m[0]):], true
}
