package grounding

import (
	"slices"
	"strconv"
	"strings"

	"praxis/internal/lazyregexp"
)

// timestamp is a date or a time of day. What a text leaves out is -1.
type timestamp struct {
	year, month, day     int
	hour, minute, second int
	swapped              bool // day and month may stand the other way round: 03/04/2024
}

// ofDate is the label of the parts of a date.
const ofDate = "(date)"

const monthNames = `jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?|` +
	`januari?|jänner|janvier|enero|gennaio|janeiro|februari?|février|febrero|febbraio|fevereiro|märz|mars|marzo|março|maart|avril|abril|aprile|mai|mayo|maggio|maio|mei|` +
	`juni|juin|junio|giugno|junho|juli|juillet|julio|luglio|julho|août|agosto|augustus|septembre|septiembre|settembre|setembro|oktober|octobre|octubre|ottobre|outubro|` +
	`novembre|noviembre|novembro|dezember|décembre|diciembre|dicembre|dezembro`

// monthStarts are how the names of months begin, by their numbers.
var monthStarts = [...][]string{
	{"jan", "jän", "ene", "gen"}, {"feb", "fév", "fev"}, {"mar", "mär", "maa"}, {"apr", "avr", "abr"}, {"may", "mai", "mag", "mei"}, {"june", "juni", "juin", "giu", "junh", "jun"},
	{"jul", "juil", "lug"}, {"aug", "août", "ago"}, {"sep", "set"}, {"oct", "okt", "ott", "out"}, {"nov"}, {"dec", "dez", "déc", "dic"},
}

// The kinds of timestamps by what must stand in a text that has one. Most outputs have none,
// and are long.
const (
	monthly = "name"  // the name of a month
	dashed  = "year"  // digits, a dash or a slash, and digits
	dotted  = "day"   // three numbers with points or slashes between them
	clock   = "clock" // digits on both sides of a colon
	worded  = "word"  // digits and the beginning of a word of time
)

// layouts are the formats, the longest first. The names of the groups say what they are.
var layouts = []struct {
	kind string
	re   *lazyregexp.Regexp
}{
	{dashed, lazyregexp.New(`\b(?P<year>[0-9]{4})[-/](?P<month>[0-9]{1,2})[-/](?P<day>[0-9]{1,2})(?:[T ](?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2})(?::(?P<second>[0-9]{2})(?:\.[0-9]+)?)?)?(?:Z|\b)`)},
	{dotted, lazyregexp.New(`\b(?P<day>[0-9]{1,2})(?P<swapped>[./])(?P<month>[0-9]{1,2})[./](?P<year>[0-9]{4})\b`)},
	{monthly, lazyregexp.New(`(?i)\b(?P<name>` + monthNames + `)\.? (?P<day>[0-9]{1,2})(?:st|nd|rd|th)?,? (?P<year>[0-9]{4})\b`)},
	{monthly, lazyregexp.New(`(?i)\b(?P<day>[0-9]{1,2})(?:st|nd|rd|th|er)?\.?(?: of| de| d['’])? ?(?P<name>` + monthNames + `)\.?,?(?: de| del)? (?P<year>[0-9]{4})\b`)},
	{monthly, lazyregexp.New(`(?i)\b(?P<name>` + monthNames + `)\.?,?[ -](?P<year>[0-9]{4})\b`)},
	{monthly, lazyregexp.New(`(?i)\b(?P<name>` + monthNames + `)\.? (?P<day>[0-9]{1,2})(?:st|nd|rd|th)?\b`)},
	{monthly, lazyregexp.New(`(?i)\b(?P<day>[0-9]{1,2})(?:st|nd|rd|th|er)?\.?(?: of| de| d['’])? ?(?P<name>` + monthNames + `)\b`)},
	{dashed, lazyregexp.New(`\b(?P<year>[12][0-9]{3})-(?P<month>[0-9]{2})\b`)},
	{worded, lazyregexp.New(`(?i)\b(?P<hour>[0-9]{1,3}) ?(?:h|hrs?|hours?|std\.?|stunden?|heures?|horas?|ore|uur|uren)(?:,? (?:and |und |et |y |e |en )?| ?)(?P<minute>[0-5]?[0-9]) ?(?:m|mins?|minutes?|minuten|minutos?|minuti|minuut)?(?:,? (?:and |und |et |y |e |en )?(?P<second>[0-5]?[0-9]) ?(?:s|secs?|seconds?|sekunden|secondes|segundos|seconden))?\b`)},
	{worded, lazyregexp.New(`(?i)\b(?P<minute>[0-9]{1,3}) ?(?:m|mins?|minutes?|minuten|minutos?|minuti|minuut),? ?(?:and |und |et |y |e |en )?(?P<second>[0-5]?[0-9]) ?(?:s|secs?|seconds?|sekunden|secondes|segundos|seconden)\b`)},
	{clock, lazyregexp.New(`(?i)\b(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2})(?::(?P<second>[0-9]{2})(?:\.[0-9]+)?)?(?:\s?(?P<half>[ap]\.?m)\b)?`)},
	{worded, lazyregexp.New(`(?i)\b(?P<hour>[0-9]{1,2})(?: ?uhr| o['’]clock| ?(?P<half>[ap]\.?m)\b)`)},
}

var monthRE = lazyregexp.New(`(?i)\b(?:` + monthNames + `)\b`)

// lookFor says which kinds of timestamps a text may have.
func lookFor(text string) map[string]bool {
	has := map[string]bool{}
	for i := 1; i+1 < len(text); i++ {
		if !startsWithDigit(text[i-1:]) {
			continue
		}
		switch next := text[i]; {
		case next >= '0' && next <= '9':
		case next == ':':
			has[clock] = has[clock] || startsWithDigit(text[i+1:])
		case next == '-' || next == '/' || next == '.':
			if startsWithDigit(text[i+1:]) {
				has[dashed] = has[dashed] || next != '.'
				rest := strings.TrimLeft(text[i+1:min(len(text), i+4)], "0123456789")
				has[dotted] = has[dotted] || next != '-' && rest != "" && strings.IndexByte("./", rest[0]) >= 0
			}
		default:
			if next == ' ' {
				next = text[i+1]
			}
			has[worded] = has[worded] || strings.IndexByte("hHmMsSuUoOaApP", next) >= 0
		}
	}
	has[monthly] = hasMonth(text)
	return has
}

// hasMonth says whether a text may have the name of a month.
func hasMonth(text string) bool {
	small := strings.ToLower(text)
	return slices.ContainsFunc(monthStarts[:], func(starts []string) bool {
		return slices.ContainsFunc(starts, func(start string) bool { return strings.Contains(small, start) })
	})
}

// timestamps finds the dates and times of day in hidden, which is text with parts blanked out.
func timestamps(text, hidden string) []figure {
	var out []figure
	b := []byte(hidden)
	has := lookFor(hidden)
	for _, l := range layouts {
		if !has[l.kind] {
			continue
		}
		re := l.re
		for _, loc := range re.FindAllSubmatchIndex(b, -1) {
			fields := map[string]string{}
			for i, name := range re.SubexpNames() {
				if name != "" && loc[2*i] >= 0 {
					fields[name] = string(b[loc[2*i]:loc[2*i+1]])
				}
			}
			m, ok := newTimestamp(fields)
			if !ok || fields["year"] == "" && ordinaryWord(fields["name"]) {
				continue
			}
			f := figure{start: loc[0], end: loc[1], text: text[loc[0]:loc[1]], when: &m, digits: loc[0], digitsEnd: loc[1], base: float64(m.year)}
			f.split = parts(text[loc[0]:loc[1]], f)
			out = append(out, f)
			blank(b, loc[0], loc[1])
		}
	}
	return out
}

// ordinaryWord says whether what looks like a month is more often a word in small letters:
// "it may 5 times" and "mar 3" have no date in them.
func ordinaryWord(name string) bool { return name == "may" || name == "mar" || name == "mars" }

// parts returns the bare numbers of a timestamp: 3:10 may be a ratio, 2010-12 two
// years, and a source may give a date in columns.
func parts(text string, whole figure) []figure {
	var out []figure
	for _, digits := range strings.FieldsFunc(text, func(r rune) bool { return r < '0' || r > '9' }) {
		p := figure{start: whole.start, end: whole.end, text: digits, label: ofDate}
		p.fill(digits, 0, scaling{}, false, exact, false)
		out = append(out, p)
	}
	return out
}

func newTimestamp(fields map[string]string) (timestamp, bool) {
	num := func(name string) int {
		n, err := strconv.Atoi(fields[name])
		if err != nil {
			return -1 // left out
		}
		return n
	}
	m := timestamp{year: num("year"), month: num("month"), day: num("day"), hour: num("hour"), minute: num("minute"), second: num("second")}
	if name := fields["name"]; name != "" {
		m.month = monthNumber(name)
	}
	m.swapped = fields["swapped"] != "" && m.day <= 12
	if fields["swapped"] != "" && m.month > 12 && m.day <= 12 {
		m.day, m.month = m.month, m.day
	}
	if half := strings.ToLower(fields["half"]); half != "" {
		if m.hour < 1 || m.hour > 12 {
			return timestamp{}, false
		}
		m.hour %= 12
		if half[0] == 'p' {
			m.hour += 12
		}
	}
	in := func(n, from, to int) bool { return n == -1 || n >= from && n <= to }
	ok := in(m.month, 1, 12) && in(m.day, 1, 31) && in(m.hour, 0, 24) && in(m.minute, 0, 59) && in(m.second, 0, 60)
	return m, ok
}

func monthNumber(name string) int {
	name = strings.ToLower(name)
	for i, starts := range monthStarts {
		for _, start := range starts {
			if strings.HasPrefix(name, start) {
				return i + 1
			}
		}
	}
	return 0 // no name that the pattern lets through
}

// covers says that a source's timestamp s has every part that the answer's
// timestamp a has, with the same value.
func (s timestamp) covers(a timestamp) bool {
	eq := func(have, want int) bool { return want == -1 || have == want }
	clock := eq(s.hour, a.hour) && eq(s.minute, a.minute) && eq(s.second, a.second)
	if !clock || !eq(s.year, a.year) {
		return false
	}
	if eq(s.month, a.month) && eq(s.day, a.day) {
		return true
	}
	return (s.swapped || a.swapped) && eq(s.day, a.month) && eq(s.month, a.day)
}
