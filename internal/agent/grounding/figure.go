package grounding

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"praxis/event"
	"praxis/internal/lazyregexp"
)

// figure is one number, date or time of day in a text.
type figure struct {
	start, end int // bytes of the text
	text       string
	readings   []reading
	long       string     // canonical digits, when there are more than a float64 holds
	token      string     // such as 3.14.1, compared as text
	when       *timestamp // a date or a time of day
	split      []figure   // the numbers that it may be instead, such as 1,2,3
	unit       unit
	unitEnd    int           // where the unit ends that stands behind it
	label      string        // the word before it, in lower case; of a source: that the number is part of, such as product_12
	listed     bool          // it may be how many things are listed, as in "the three regions"
	computed   *event.Figure // it was filled in, and is not traced
	ratio      bool          // it compares two numbers, as "doubled" does
	compares   bool          // it may do so, as "three times as many" does
	changes    bool          // it is a ratio of what came to what was
	digits     int           // where its digits begin and end, without sign and scale
	digitsEnd  int
	base       float64 // what the digits say, without sign and scale
	times      float64 // what its word of scale multiplies by; 0: it has none
	slack      float64 // what base may be off by at its precision
}

// reading is one number that a figure may mean. from and to bound what it is equal to at its precision.
type reading struct {
	value, from, to float64
	signed          bool  // the figure has a minus
	fraction        bool  // it is a percentage, and value is the fraction: 0.141 of 14.1 %
	unscaled        uint8 // the word of scale, as scaleBit has it, is not in the value: 1.2 of 1.2 million
}

var (
	coreRE = lazyregexp.New(`[0-9]+(?:[.,'’_\x{00A0}\x{202F}\x{2009}][0-9]+)*(?:[eE][+-]?[0-9]+)?`)
	// spacedRE is a number whose groups stand apart, as in "1 234 567,89". In an output these
	// are columns.
	spacedRE  = lazyregexp.New(`^[0-9]{1,3}(?: [0-9]{3})+(?:[.,][0-9]+)?`)
	ordinalRE = lazyregexp.New(`^(?:st|nd|rd|th)\b`)
	labelRE   = lazyregexp.New(`(?i)(?:\b(?:figures?|fig\.|tables?|steps?|sections?|options?|parts?|chapter|appendix|example|python|version|v\.|row|line|index|column|no\.)\s?|#)$`)
	decimalRE = lazyregexp.New(`^[ -](?:decimals?|decimal places?|significant (?:digits?|figures?)|digits after)\b`)
	listRE    = lazyregexp.New(`(?m)^[ \t>]*(?:#+[ \t]*)?(?:\*\*)?([0-9]{1,3})[.)](?:\*\*)?[ \t]+\S`)
	nameRE    = lazyregexp.New(`[A-Z]{2,}-$|\b[A-Z]-$|\b[A-Z][a-z]+-$`)
	wordRE    = lazyregexp.New(`([\pL]+)[\s_]?$`)
	yearRE    = lazyregexp.New(`(?i)\b(?:in|since|by|from|until|till|to|of|and|year|fy|during|before|after|for|through|between|und|bis|von|seit)\s$`)
	// codeRE is a block of code, and a span that is a call or an index: what stands there is
	// code that is shown, and no figure. JSON is data, and answers are given in it.
	codeRE = lazyregexp.New("(?s)```(?:python|py|sql|javascript|js|typescript|ts|bash|sh)\\b.*?(?:```|$)|`[^`\n]*[\\pL_]\\w*[(\\[][^`\n]*`")
	// placeRE is an address, a path or the name of a file.
	placeRE = lazyregexp.New(`[A-Za-z][A-Za-z0-9+.-]*://\S+|(?:^|[\s"'(\[` + "`" + `])(?:\.{0,2}|~)/[\w./-]+|[\w-]+(?:\.[\w-]+)*\.(?i:csv|tsv|svg|png|jpe?g|gif|pdf|jsonl?|txt|md|html?|xlsx?|ods|parquet|py|ipynb|zip|gz|db|sqlite|xml|ya?ml|log|js|ts)\b`)
)

// figures returns the figures of an answer: names, ordinals and the numbers of lists and labels are none.
func figures(text string) []figure { return figuresOf(text, withoutEscapes(text)) }

// figuresOf reads them in read, which is the text with parts blanked out.
func figuresOf(text, read string) []figure {
	n := normalize(read)
	hidden := hideLists(hide(hide(n.text, codeRE), placeRE))
	said := inWords(hidden)
	b := []byte(hidden)
	for _, f := range said {
		blank(b, f.start, f.end)
	}
	out := append(scan(n.text, string(b), false), said...)
	slices.SortStableFunc(out, func(a, b figure) int { return a.start - b.start })
	shareUnits(n.text, out)
	underHeaders(n.text, out)
	for i := range out {
		f := &out[i]
		f.start, f.end = n.original(f.start), n.original(f.end)
		f.digits, f.digitsEnd = n.original(f.digits), n.original(f.digitsEnd)
		f.text = text[f.start:f.end]
	}
	return out
}

// hide replaces what the pattern matches by blanks of the same length.
func hide(text string, re *lazyregexp.Regexp) string {
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
		if m := spacedRE.FindStringIndex(hidden[start:min(len(hidden), start+64)]); m != nil && !source && !startsWithDigit(hidden[start+m[1]:]) {
			end = max(end, start+m[1])
		}
		f, after, ok := number(text, hidden, start, end, source)
		if ok {
			out = append(out, f)
		}
		at = max(after, end)
	}
	slices.SortStableFunc(out, func(a, b figure) int { return a.start - b.start })
	return out
}

func startsWithDigit(s string) bool { return s != "" && s[0] >= '0' && s[0] <= '9' }

// number reads the figure whose digits are at start to end. It returns where
// the search goes on, and false for what is no figure.
func number(text, hidden string, start, end int, source bool) (figure, int, bool) {
	// What stands beside a number is near to it: patterns need not see the rest of a long text.
	rest, before := behind(hidden[end:]), inFront(hidden[:start])
	past, name := isName(hidden, start, end)
	switch {
	case name && (!source || past > end):
		return figure{}, past, false
	case source:
	case ordinalRE.MatchString(rest), labelRE.MatchString(before), decimalRE.MatchString(rest):
		return figure{}, end, false
	}
	core := hidden[start:end]
	exponent := 0
	if i := strings.IndexAny(core, "eE"); i >= 0 {
		n, err := strconv.Atoi(core[i+1:])
		if err != nil || n > 400 || n < -400 {
			return figure{start: start, end: end, unitEnd: end, text: text[start:end], token: strings.ToLower(core)}, end, true
		}
		core, exponent = core[:i], n
	}
	about := exact
	if !source {
		about = aboutOf(before)
	}
	from, signed := sign(hidden, start)
	if start > 0 && hidden[start-1] == '.' && from == start { // .5
		if before := strings.TrimRight(hidden[:start-1], "0123456789."); before == hidden[:start-1] {
			core, from = "0."+core, start-1
		}
	}
	f := figure{start: from, end: end, digits: start, digitsEnd: end}
	if m := powerRE.FindStringSubmatch(rest); m != nil {
		exponent += power(m[1] + m[2])
		f.end += len(m[0])
		rest = rest[len(m[0]):]
	}
	power := raisedTo(core, rest)
	f.end += power.bytes
	rest = rest[power.bytes:]
	scaled := f.scale(rest)
	if m := myriadRE.FindStringSubmatch(hidden[start:]); m != nil {
		core, scaled = m[1]+pad(m[2], 4)+pad(m[3], 4), scaling{}
		f.end = start + len(m[0])
	}
	rest = behind(hidden[f.end:])
	if f.unit.class == "" {
		f.unit = unitOf(before, rest)
	}
	if f.unit.class == counted && yearRE.MatchString(before) && len(core) == 4 {
		f.unit = unit{} // "in 2024 customers bought"
	}
	f.compares = f.unit.class == times && timesRE.MatchString(rest)
	f.unitEnd = f.end
	if m := afterRE.FindString(rest); m != "" && f.unit.class != "" && f.unit.class != percent {
		f.unitEnd += len(m)
	}
	if m := wordRE.FindStringSubmatch(before); m != nil {
		f.label = strings.ToLower(m[1])
	}
	f.listed = listedRE.MatchString(before)
	f.text = text[f.start:f.end]
	if power.bytes > 0 && !power.note {
		f.readings = []reading{power.reading(signed, about)}
		f.base = power.value
		return f, f.end, true
	}
	f.fill(core, exponent, scaled, signed, about, source)
	return f, f.end, true
}

// behind returns the text after a number, as far as it says something about it, and
// inFront that before it. Most numbers of an output stand alone, which is quick to see.
func behind(after string) string {
	switch {
	case after == "" || strings.IndexByte("\n\r\t,;)]}|", after[0]) >= 0:
		return ""
	case len(after) > 1 && after[0] == ' ' && (after[1] >= '0' && after[1] <= '9' || after[1] == ' ' || after[1] == '\n'):
		return ""
	}
	return after[:min(len(after), 64)]
}

func inFront(before string) string {
	if last := strings.TrimRight(tail(before, 8), " "); last == "" || strings.IndexByte("0123456789,;\n\t", last[len(last)-1]) >= 0 {
		return ""
	}
	return tail(before, 48)
}

// scaling is what a percent sign or a word of scale makes of a number.
type scaling struct {
	factors []float64
	percent bool
	word    string // of scale; "": none
}

// scale reads a percent sign or a word of scale behind the figure.
func (f *figure) scale(rest string) scaling {
	if m := percentRE.FindString(rest); m != "" {
		f.end += len(m)
		f.unit = unit{class: percent}
		return scaling{percent: true}
	}
	m := scaleRE.FindStringSubmatch(rest)
	if m == nil {
		return scaling{}
	}
	f.end += len(m[0])
	word := m[1] + m[2] + m[3]
	f.times = factors(word)[0]
	if strings.HasSuffix(word, "B") && len(word) > 1 {
		f.unit = unit{class: data, name: "bytes", factor: 1}
	}
	return scaling{factors: factors(word), word: word}
}

// fill works out what the digits may mean.
func (f *figure) fill(core string, exponent int, scaled scaling, signed bool, about about, source bool) {
	forms, loose := interpret(core)
	if f.unit.class == currency && len(forms) > 1 && !source && scaled.word == "" {
		forms = forms[:1] // nobody writes tenths of cents
	}
	for _, form := range forms {
		f.addForm(form, exponent, scaled, signed, about)
	}
	if strings.Count(core, ".") > 1 {
		f.token = core
	}
	if len(forms) == 1 && exponent == 0 && len(strings.Trim(strings.ReplaceAll(forms[0], ".", ""), "0")) > 15 {
		f.long = canonical(forms[0])
	}
	if !loose && (!source || f.token != "") {
		return
	}
	if strings.Count(core, ".") > 1 && !strings.ContainsAny(core, ",'’_") {
		return // a version or an address
	}
	pieces := strings.FieldsFunc(core, func(r rune) bool { return r != '.' && !unicode.IsDigit(r) })
	if len(pieces) < 2 {
		return
	}
	for i, p := range pieces {
		part := figure{start: f.start, end: f.end, text: p}
		own, ownScale := 0, scaling{}
		if i == len(pieces)-1 { // the power and the scale stand after the last number
			own, ownScale, part.unit = exponent, scaled, f.unit
		}
		part.fill(p, own, ownScale, false, exact, false)
		f.split = append(f.split, part)
	}
}

func (f *figure) addForm(form string, exponent int, scaled scaling, signed bool, about about) {
	v, err := strconv.ParseFloat(form, 64)
	if err != nil {
		return // too many digits for any float: compared as text
	}
	decimals := 0
	if i := strings.IndexByte(form, '.'); i >= 0 {
		decimals = len(form) - i - 1
	}
	step := math.Pow10(exponent - decimals)
	half := step / 2
	above, below := half, half
	if zeros := len(form) - len(strings.TrimRight(form, "0")); decimals == 0 && zeros < len(form) {
		whole := step * math.Pow10(zeros)
		if about&nearTo != 0 {
			above, below = max(half, min(whole, v*.08)), max(half, min(whole, v*.08))
		}
		if about&moreThan != 0 {
			above = max(half, min(whole, v*.2))
		}
		if about&lessThan != 0 {
			below = max(half, min(whole, v*.2))
		}
	}
	v *= math.Pow10(exponent)
	if math.IsInf(v, 0) || math.IsNaN(v) {
		f.token = form
		return
	}
	if len(f.readings) == 0 {
		f.base, f.slack = math.Abs(v), half
	}
	add := func(by float64, r reading) {
		slack := math.Abs(v*by) * 1e-14
		r.value, r.from, r.to, r.signed = v*by, v*by-below*by*(1+1e-9)-slack, v*by+above*by*(1+1e-9)+slack, signed
		if signed {
			r.value, r.from, r.to = -r.value, -r.to, -r.from
		}
		f.readings = append(f.readings, r)
	}
	for _, by := range scaled.factors {
		add(by, reading{})
	}
	if scaled.word != "" {
		add(1, reading{unscaled: scaleBit(scaled.word)})
		for i, by := range []float64{1e3, 1e6, 1e9} { // 1.43 billion where millions are spoken of
			if bit := uint8(1 << i); bit < scaleBit(scaled.word) && scaleBit(scaled.word) <= 8 {
				add(scaled.factors[0]/by, reading{unscaled: bit})
			}
		}
	} else {
		add(1, reading{})
	}
	if scaled.percent {
		add(.01, reading{fraction: true})
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
		return forms, last == ' '
	case n == 1 && last == '.':
		return []string{decimal}, false
	case n == 1 && last == ',': // 3,14 or two numbers
		return []string{decimal}, true
	case same && last != seps[0] && (last == '.' || last == ',') && grouped(groups[:n]): // 1,234.5 or 1.234,5
		return []string{decimal}, seps[0] == ' '
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
// An amount is none though letters touch it: USD4711, 4711m2, 1920x1080, 2h45.
func isName(s string, start, end int) (past int, name bool) {
	before, _ := utf8.DecodeLastRuneInString(s[:start])
	letters := end + lettersIn(s[end:])
	for letters < len(s) && s[letters] == '_' {
		letters++
	}
	hasDigit := letters > end && startsWithDigit(s[letters:]) && !joins(s, end) && !powerUnitRE.MatchString(s[end:])
	// An underscore belongs to a name within a word only; else it is Markdown's emphasis.
	underscore := letters > end && s[end] == '_' && end+1 < len(s) && isWord(s[end+1])
	joined := before == '_' && start > 1 && isWord(s[start-2])
	// Scripts without capitals have no blanks between words, or put words in front of numbers.
	letter := start > 0 && (unicode.IsUpper(before) || unicode.IsLower(before)) && !joinsBefore(s, start)
	code := before == '-' && nameRE.MatchString(tail(s[:start], 16))
	if (letter || code) && moneyRE.MatchString(tail(s[:start], 8)) {
		letter, code = false, false
	}
	if joined || letter || hasDigit || underscore || code {
		for end < len(s) && (isWord(s[end]) || s[end] == '.' && end+1 < len(s) && isWord(s[end+1])) {
			end++
		}
		return end, true
	}
	return end, false
}

var (
	moneyRE = lazyregexp.New(`(?:^|[^\pL\pN_])(?:` + currencyCodes + `)-?$`)
	// powerUnitRE is a unit of an area or a volume.
	powerUnitRE = lazyregexp.New(`^(?:[kcdm]?m|ft|in|yd)[23]\b`)
	// joinRE is what may stand between two numbers of one amount: of a size, or of a duration.
	joinRE = lazyregexp.New(`^(?:[xX][0-9]|h[0-9]{1,2}(?:m|min|m?[0-9]{2}s)?\b|d[0-9]{1,2}h|(?:m|min)[0-9]{1,2}s\b)`)
)

func lettersIn(s string) int {
	n := 0
	for n < len(s) && isLetter(s[n]) {
		n++
	}
	return n
}

// joins says that the letters behind a number, which ends at end, join it with the next one.
// They do not in 0x1F, which is a name.
func joins(s string, end int) bool {
	zero := s[end-1] == '0' && (end < 2 || !isWord(s[end-2])) && strings.IndexByte("xX", s[end]) >= 0
	return !zero && joinRE.MatchString(s[end:])
}

// joinsBefore says that letters join a number, which begins at start, with the one before.
func joinsBefore(s string, start int) bool {
	from := start
	for from > 0 && isLetter(s[from-1]) {
		from--
	}
	return from > 0 && from < start && s[from-1] >= '0' && s[from-1] <= '9' && joins(s, from)
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

// myriadRE is a number in hundreds of millions and tens of thousands, as in 1億2840万.
var myriadRE = lazyregexp.New(`^([0-9]{1,4})[亿億억] ?([0-9]{1,4})[万萬만]([0-9]{0,4})`)

// pad writes digits with zeros in front.
func pad(digits string, n int) string { return strings.Repeat("0", n-len(digits)) + digits }

// powered is a number with an exponent, such as 10⁶ or 2^10.
type powered struct {
	bytes int // of the exponent; 0: there is none
	value float64
	note  bool // the raised digit is a footnote: nobody writes 4711²
}

var raisedRE = lazyregexp.New(`^(?:(?:\^|\*\*)\{?([-−+]?[0-9]{1,3})\}?|([⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3}))`)

// raisedTo reads the exponent that stands behind digits.
func raisedTo(core, rest string) powered {
	m := raisedRE.FindStringSubmatch(rest)
	if m == nil || strings.HasPrefix(m[0], "**") && !startsWithDigit(m[1]) {
		return powered{}
	}
	base, err := strconv.ParseFloat(strings.ReplaceAll(core, ",", ""), 64)
	v := math.Pow(base, float64(power(m[1]+m[2])))
	p := powered{bytes: len(m[0]), value: v, note: m[2] != "" && (base > 20 || base != math.Trunc(base))}
	if err != nil || math.IsInf(v, 0) || math.IsNaN(v) {
		p.note = true
	}
	return p
}

// reading is what the number means: about 10⁶ is anything from a half to the double.
func (p powered) reading(signed bool, about about) reading {
	r := reading{value: p.value, from: p.value * (1 - 1e-9), to: p.value * (1 + 1e-9), signed: signed}
	if about != exact {
		r.from, r.to = p.value/2, p.value*2
	}
	if signed {
		r.value, r.from, r.to = -r.value, -r.to, -r.from
	}
	return r
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

// tail returns the last n bytes of s, or all of it.
func tail(s string, n int) string { return s[max(0, len(s)-n):] }
