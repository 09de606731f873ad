package schema

import (
	"net/netip"
	"net/url"
	"regexp/syntax"
	"strings"
	"time"

	"praxis/internal/tool/jsondoc"
)

// formatExample returns a value of a format that is asserted, or "" for one
// that is only an annotation.
func formatExample(format string) string {
	switch format {
	case "date":
		return "2026-05-31"
	case "date-time":
		return "2026-05-31T14:30:00Z"
	case "time":
		return "14:30:00Z"
	case "duration":
		return "PT1H30M"
	case "email":
		return "name@example.com"
	case "hostname":
		return "www.example.com"
	case "ipv4":
		return "192.0.2.1"
	case "ipv6":
		return "2001:db8::1"
	case "uri":
		return "https://example.com/a"
	case "uri-reference":
		return "/a?b=c"
	case "uuid":
		return "3f333df6-90a4-4fda-8dd3-9485d27cee36"
	case "json-pointer":
		return "/a/0"
	case "regex":
		return "^[a-z]+$"
	}
	return ""
}

// formatOK checks a string against a format; one that is not known allows all.
func formatOK(format, s string) bool {
	switch format {
	case "date":
		return isDate(s)
	case "date-time":
		i := strings.IndexAny(s, "Tt")
		return i == 10 && isDate(s[:10]) && isTime(s[11:])
	case "time":
		return isTime(s)
	case "duration":
		return isDuration(s)
	case "email":
		return isEmail(s)
	case "hostname":
		return isHostname(s)
	case "ipv4":
		a, err := netip.ParseAddr(s)
		return err == nil && a.Is4()
	case "ipv6":
		a, err := netip.ParseAddr(s)
		return err == nil && a.Is6() && a.Zone() == ""
	case "uri":
		u, err := url.Parse(s)
		return err == nil && u.IsAbs() && plainURI(s)
	case "uri-reference":
		_, err := url.Parse(s)
		return err == nil && plainURI(s)
	case "uuid":
		return isUUID(s)
	case "json-pointer":
		_, err := jsondoc.ParsePointer(s)
		return err == nil
	case "regex":
		if len(s) > maxPattern {
			return false
		}
		_, err := syntax.Parse(ecma(s), syntax.Perl)
		return err == nil
	}
	return true
}

func isDate(s string) bool {
	if len(s) != 10 || s[4] != '-' || s[7] != '-' {
		return false
	}
	_, err := time.Parse(time.DateOnly, s)
	return err == nil
}

// isTime checks RFC 3339's full-time. A leap second is only allowed at 23:59:60 in UTC.
func isTime(s string) bool {
	if len(s) < 9 || s[2] != ':' || s[5] != ':' || !jsondoc.AllDigits(s[:2]) || !jsondoc.AllDigits(s[3:5]) || !jsondoc.AllDigits(s[6:8]) {
		return false
	}
	hour, minute, second := two(s), two(s[3:]), two(s[6:])
	rest := s[8:]
	if rest[0] == '.' {
		n := jsondoc.Digits(rest[1:])
		if n == 0 || n > 20 {
			return false
		}
		rest = rest[1+n:]
	}
	offset := 0
	switch {
	case rest == "Z" || rest == "z":
	case len(rest) == 6 && (rest[0] == '+' || rest[0] == '-') && rest[3] == ':' && jsondoc.AllDigits(rest[1:3]) && jsondoc.AllDigits(rest[4:]):
		h, m := two(rest[1:]), two(rest[4:])
		if h > 23 || m > 59 {
			return false
		}
		if offset = h*60 + m; rest[0] == '-' {
			offset = -offset
		}
	default:
		return false
	}
	if second == 60 {
		utc := ((hour*60+minute-offset)%1440 + 1440) % 1440
		return hour <= 23 && minute <= 59 && utc == 23*60+59
	}
	return hour <= 23 && minute <= 59 && second <= 59
}

func two(s string) int { return int(s[0]-'0')*10 + int(s[1]-'0') }

// isDuration checks ISO 8601's form as RFC 3339 gives it: PnW, or years to seconds in order.
func isDuration(s string) bool {
	if len(s) < 3 || len(s) > 100 || s[0] != 'P' {
		return false
	}
	date, clock, hasTime := strings.Cut(s[1:], "T")
	if strings.HasSuffix(date, "W") {
		return !hasTime && jsondoc.AllDigits(strings.TrimSuffix(date, "W"))
	}
	if hasTime && clock == "" {
		return false
	}
	return units(date, "YMD") && units(clock, "HMS")
}

// units checks numbers each followed by one of the letters, in their order and
// without leaving one out in between.
func units(s, letters string) bool {
	last := -1
	for s != "" {
		n := jsondoc.Digits(s)
		if n == 0 || n == len(s) {
			return false
		}
		at := strings.IndexByte(letters, s[n])
		if at < 0 || (last >= 0 && at != last+1) {
			return false
		}
		last, s = at, s[n+1:]
	}
	return true
}

// isEmail checks for a plain address: a dot-atom, "@" and a host name. Quoted
// local parts and address literals are refused: nobody's address has them and
// they can contain any text.
func isEmail(s string) bool {
	at := strings.LastIndexByte(s, '@')
	if at < 1 || at > 64 || len(s) > 254 || !isHostname(s[at+1:]) {
		return false
	}
	for atom := range strings.SplitSeq(s[:at], ".") {
		if atom == "" {
			return false
		}
		for i := range len(atom) {
			c := atom[i]
			if !jsondoc.IsAlnum(c) && strings.IndexByte("!#$%&'*+-/=?^_`{|}~", c) < 0 {
				return false
			}
		}
	}
	return true
}

func isHostname(s string) bool {
	if s == "" || len(s) > 253 {
		return false
	}
	for label := range strings.SplitSeq(s, ".") {
		if label == "" || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' {
			return false
		}
		for i := range len(label) {
			if !jsondoc.IsAlnum(label[i]) && label[i] != '-' {
				return false
			}
		}
	}
	return true
}

// plainURI refuses what a URI may not contain unescaped, which url.Parse lets pass.
func plainURI(s string) bool {
	for i := range len(s) {
		if s[i] <= ' ' || s[i] >= 0x7f || strings.IndexByte("\"<>\\^`{|}", s[i]) >= 0 {
			return false
		}
	}
	return true
}

func isUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i := range len(s) {
		if i == 8 || i == 13 || i == 18 || i == 23 {
			if s[i] != '-' {
				return false
			}
		} else if !jsondoc.IsHex(s[i : i+1]) {
			return false
		}
	}
	return true
}
