package grounding

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// figure is one number, date or time of day in a text.
type figure struct {
	start, end int // bytes of the text
	text       string
	readings   []reading
	long       string     // canonical digits, when there are more than a float64 holds
	token      string     // such as 3.14.1, compared as text
	when       *timestamp // a date or a time of day
	split      []figure
}

// reading is one number that a figure may mean. from and to bound what it is equal to at its precision.
type reading struct {
	value, from, to float64
	signed          bool // the figure has a minus
}

var (
	coreRE    = regexp.MustCompile(`[0-9]+(?:[.,'’_\x{00A0}\x{202F}\x{2009}][0-9]+)*(?:[eE][+-]?[0-9]+)?`)
	percentRE = regexp.MustCompile(`^[ \x{00A0}\x{202F}]?(?:%|percent\b|per cent\b|pct\b)`)
	scaleRE   = regexp.MustCompile(`^(?:[ \x{00A0}\x{202F}-]?(thousand|millions?|billions?|trillions?|mln|mrd|bn|mn|tn|[kKMGT]i?B)\b|[ \x{00A0}\x{202F}]?([kKMBT])\b)`)
	powerRE   = regexp.MustCompile(`^\s?[×x·*]\s?10(?:(?:\^|\*\*)\{?([-−+]?[0-9]+)\}?|([⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+))`)
	ordinalRE = regexp.MustCompile(`^(?:st|nd|rd|th)\b`)
	aboutRE   = regexp.MustCompile(`(?i)(?:\b(?:about|around|approximately|approx\.?|roughly|nearly|almost|over|under|more than|less than|some|circa|ca\.?)\s*|[~≈]\s*)[$€£¥]?\s?$`)
	labelRE   = regexp.MustCompile(`(?i)\b(?:figures?|fig\.|tables?|steps?|sections?|options?|parts?|chapter|appendix|example|python|version|v\.)\s?$`)
	listRE    = regexp.MustCompile(`(?m)^[ \t>]*(?:#+[ \t]*)?(?:\*\*)?([0-9]{1,3})[.)](?:\*\*)?[ \t]+\S`)
	nameRE    = regexp.MustCompile(`[A-Z]{2,}-$|\b[A-Z]-$`)
	// placeRE is an address, a path or the name of a file.
	placeRE = regexp.MustCompile(`[A-Za-z][A-Za-z0-9+.-]*://\S+|(?:^|[\s"'(\[` + "`" + `])(?:\.{0,2}|~)/[\w./-]+|[\w-]+(?:\.[\w-]+)*\.(?i:csv|tsv|svg|png|jpe?g|gif|pdf|jsonl?|txt|md|html?|xlsx?|ods|parquet|py|ipynb|zip|gz|db|sqlite|xml|ya?ml|log)\b`)
)

// figures returns the figures of an answer: names, ordinals and the numbers of lists and labels are none.
func figures(text string) []figure {
	return scan(text, hideLists(hide(text, placeRE)), false)
}

// seen returns every number, date and time of a source, liberally.
func seen(text string) []figure { return scan(text, text, true) }

// hide replaces what the pattern matches by blanks of the same length.
func hide(text string, re *regexp.Regexp) string {
	b := []byte(text)
	for _, loc := range re.FindAllStringIndex(text, -1) {
		blank(b, loc[0], loc[1])
	}
	return string(b)
}

// hideLists blanks the numbers of lists out. They count from 1: an answer that
// begins with "42." is no list.
func hideLists(text string) string {
	b := []byte(text)
	next := 1
	for _, loc := range listRE.FindAllStringSubmatchIndex(text, -1) {
		n, err := strconv.Atoi(text[loc[2]:loc[3]])
		if err != nil || n != next && n != 1 {
			continue
		}
		blank(b, loc[2], loc[3])
		next = n + 1
	}
	return string(b)
}

func blank(b []byte, from, to int) {
	for i := from; i < to; i++ {
		if b[i] != '\n' {
			b[i] = ' '
		}
	}
}

// scan finds the figures of hidden, which is text with parts blanked out.
func scan(text, hidden string, source bool) []figure {
	out := timestamps(text, hidden)
	b := []byte(hidden)
	for _, f := range out {
		blank(b, f.start, f.end)
	}
	hidden = string(b)
	for at := 0; at < len(hidden); {
		loc := coreRE.FindStringIndex(hidden[at:])
		if loc == nil {
			break
		}
		start, end := at+loc[0], at+loc[1]
		f, after, ok := number(text, hidden, start, end, source)
		if ok {
			out = append(out, f)
		}
		at = max(after, end)
	}
	slices.SortStableFunc(out, func(a, b figure) int { return a.start - b.start })
	return out
}

// number reads the figure whose digits are at start to end. It returns where
// the search goes on, and false for what is no figure.
func number(text, hidden string, start, end int, source bool) (figure, int, bool) {
	rest := hidden[end:]
	if !source {
		if past, name := isName(hidden, start, end); name {
			return figure{}, past, false
		}
		if ordinalRE.MatchString(rest) || labelRE.MatchString(tail(hidden[:start], 24)) {
			return figure{}, end, false
		}
	}
	core := hidden[start:end]
	exponent := 0
	if i := strings.IndexAny(core, "eE"); i >= 0 {
		n, err := strconv.Atoi(core[i+1:])
		if err != nil || n > 400 || n < -400 {
			return figure{start: start, end: end, text: text[start:end], token: strings.ToLower(core)}, end, true
		}
		core, exponent = core[:i], n
	}
	about := !source && aboutRE.MatchString(tail(hidden[:start], 32))
	from, signed := sign(hidden, start)
	if start > 0 && hidden[start-1] == '.' && from == start { // .5
		if before := strings.TrimRight(hidden[:start-1], "0123456789"); before == hidden[:start-1] {
			core, from = "0."+core, start-1
		}
	}
	f := figure{start: from, end: end}
	if m := powerRE.FindStringSubmatch(rest); m != nil {
		exponent += power(m[1] + m[2])
		f.end += len(m[0])
		rest = rest[len(m[0]):]
	}
	scales := []float64{1}
	if m := percentRE.FindString(rest); m != "" {
		scales = append(scales, 0.01)
		f.end += len(m)
	} else if m := scaleRE.FindStringSubmatch(rest); m != nil {
		scales = append(scales, factors(m[1]+m[2])...)
		f.end += len(m[0])
	}
	f.text = text[f.start:f.end]
	f.fill(core, exponent, scales, signed, about, source)
	if source {
		return f, end, true // what looks like a power or a scale may be a number too
	}
	return f, f.end, true
}

// fill works out what the digits may mean.
func (f *figure) fill(core string, exponent int, scales []float64, signed, about, source bool) {
	forms, loose := interpret(core)
	for _, form := range forms {
		f.addForm(form, exponent, scales, signed, about)
	}
	if strings.Count(core, ".") > 1 {
		f.token = core
	}
	if len(forms) == 1 && exponent == 0 && len(strings.Trim(strings.ReplaceAll(forms[0], ".", ""), "0")) > 15 {
		f.long = canonical(forms[0])
	}
	if !loose && !source {
		return
	}
	pieces := strings.FieldsFunc(core, func(r rune) bool { return r != '.' && !unicode.IsDigit(r) })
	if len(pieces) < 2 {
		return
	}
	for i, p := range pieces {
		part := figure{start: f.start, end: f.end, text: p}
		own, ownScales := 0, []float64{1}
		if i == len(pieces)-1 { // the power and the scale stand after the last number
			own, ownScales = exponent, scales
		}
		part.fill(p, own, ownScales, false, false, false)
		f.split = append(f.split, part)
	}
}

func (f *figure) addForm(form string, exponent int, scales []float64, signed, about bool) {
	v, err := strconv.ParseFloat(form, 64)
	if err != nil {
		return // too many digits for any float: compared as text
	}
	decimals := 0
	if i := strings.IndexByte(form, '.'); i >= 0 {
		decimals = len(form) - i - 1
	}
	unit := math.Pow10(exponent - decimals)
	half := unit / 2
	if zeros := len(form) - len(strings.TrimRight(form, "0")); about && decimals == 0 && zeros < len(form) {
		half = unit * math.Pow10(zeros)
	}
	v *= math.Pow10(exponent)
	if math.IsInf(v, 0) || math.IsNaN(v) {
		f.token = form
		return
	}
	for _, s := range scales {
		slack := half*s*(1+1e-9) + math.Abs(v*s)*1e-14
		r := reading{value: v * s, from: v*s - slack, to: v*s + slack, signed: signed}
		if signed {
			r.value, r.from, r.to = -r.value, -r.to, -r.from
		}
		f.readings = append(f.readings, r)
	}
}

// interpret returns the decimal numbers that digits with separators may mean,
// as Go writes them. loose says that they may as well be several numbers.
func interpret(core string) (forms []string, loose bool) {
	var groups []string
	var seps []rune
	begin := 0
	for i, r := range core {
		if r < '0' || r > '9' {
			groups, seps = append(groups, core[begin:i]), append(seps, r)
			begin = i + utf8.RuneLen(r)
		}
	}
	groups = append(groups, core[begin:])
	n := len(seps)
	if n == 0 {
		return []string{core}, false
	}
	last := seps[n-1]
	same := !slices.ContainsFunc(seps[:n-1], func(r rune) bool { return r != seps[0] })
	whole := strings.Join(groups, "")
	decimal := strings.Join(groups[:n], "") + "." + groups[n]
	switch {
	case same && last == seps[0] && grouped(groups): // 1,234,567 or 1.234
		forms = []string{whole}
		if n == 1 && (last == '.' || last == ',') {
			forms = append(forms, decimal)
		}
		return forms, false
	case n == 1 && last == '.':
		return []string{decimal}, false
	case n == 1 && last == ',': // 3,14 or two numbers
		return []string{decimal}, true
	case same && last != seps[0] && (last == '.' || last == ',') && grouped(groups[:n]): // 1,234.5 or 1.234,5
		return []string{decimal}, false
	}
	return nil, true
}

// grouped says that digits stand in groups of thousands, or as in India in
// groups of two before the last.
func grouped(groups []string) bool {
	n := len(groups)
	if n < 2 {
		return true // one group: there is nothing to be out of place
	}
	if len(groups[0]) > 3 || groups[0][0] == '0' || len(groups[n-1]) != 3 {
		return false
	}
	three := !slices.ContainsFunc(groups[1:n-1], func(g string) bool { return len(g) != 3 })
	two := !slices.ContainsFunc(groups[1:n-1], func(g string) bool { return len(g) != 2 }) && len(groups[0]) <= 2
	return three || two
}

// canonical returns digits without the zeros that say nothing.
func canonical(form string) string {
	form = strings.TrimLeft(form, "0")
	if strings.Contains(form, ".") {
		form = strings.TrimRight(strings.TrimRight(form, "0"), ".")
	}
	return form
}

// isName says that the digits belong to a name, such as Q3, UTF-8 or 3f2a, and where it ends.
func isName(s string, start, end int) (past int, name bool) {
	before, _ := utf8.DecodeLastRuneInString(s[:start])
	letters := end
	for letters < len(s) && (isLetter(s[letters]) || s[letters] == '_') {
		letters++
	}
	hasDigit := letters > end && letters < len(s) && s[letters] >= '0' && s[letters] <= '9'
	underscore := letters > end && s[end] == '_'
	if before == '_' || unicode.IsLetter(before) && start > 0 || hasDigit || underscore || nameRE.MatchString(tail(s[:start], 16)) {
		for end < len(s) && (isWord(s[end]) || s[end] == '.' && end+1 < len(s) && isWord(s[end+1])) {
			end++
		}
		return end, true
	}
	return end, false
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

func isWord(c byte) bool { return isLetter(c) || c == '_' || c >= '0' && c <= '9' }

// sign looks for a minus before the digits, maybe before a currency. A dash
// between figures or words is none.
func sign(s string, start int) (from int, minus bool) {
	before := s[:start]
	for _, c := range []string{"$", "€", "£", "¥"} {
		before = strings.TrimSuffix(before, c)
	}
	for _, m := range []string{"-", "−"} {
		if rest, ok := strings.CutSuffix(before, m); ok {
			r, _ := utf8.DecodeLastRuneInString(rest)
			if rest == "" || unicode.IsSpace(r) || strings.ContainsRune("([{:=,;|\"'*$€£¥<>`", r) {
				return len(rest), true
			}
		}
	}
	return start, false
}

// power reads the exponent of "× 10^5" or "× 10⁵".
func power(s string) int {
	plain := strings.Map(func(r rune) rune {
		if i := strings.IndexRune("⁰¹²³⁴⁵⁶⁷⁸⁹", r); i >= 0 {
			return rune('0' + len([]rune("⁰¹²³⁴⁵⁶⁷⁸⁹"[:i])))
		}
		switch r {
		case '⁻', '−':
			return '-'
		case '⁺':
			return '+'
		}
		return r
	}, s)
	n, err := strconv.Atoi(plain)
	if err != nil {
		return 0 // the pattern lets digits and a sign through only, so there are too many
	}
	return n
}

// factors returns what a word of scale may multiply by.
func factors(word string) []float64 {
	switch strings.TrimSuffix(word, "s") {
	case "k", "K", "thousand":
		return []float64{1e3}
	case "M", "million", "mln", "mn":
		return []float64{1e6}
	case "B", "billion", "bn", "mrd":
		return []float64{1e9}
	case "T", "trillion", "tn":
		return []float64{1e12}
	}
	n := float64(1 + strings.Index("kMGT", strings.Replace(word[:1], "K", "k", 1)))
	if strings.Contains(word, "i") {
		return []float64{math.Pow(1024, n)}
	}
	return []float64{math.Pow(1000, n), math.Pow(1024, n)}
}

// tail returns the last n bytes of s, or all of it.
func tail(s string, n int) string { return s[max(0, len(s)-n):] }
