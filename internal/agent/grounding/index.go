package grounding

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// shown is one number of a source.
type shown struct {
	value    float64
	text     string // as it was printed, with its unit
	origin   Origin
	line     int
	unit     unit
	label    string // what it is the number of, as in product_12: it is no quantity
	role     role
	percent  bool  // its line or the header above speaks of percentages
	scales   uint8 // the words of scale in its text
	other    bool  // a second reading of its text, as 0.125 of "12.5%"
	base     float64
	slack    float64
	mentions []unit // that names and headers of its text say
	stretch  int    // of a text of the code that it stands in, counted from 1; 0: none
	small    bool   // it has one digit that says something
	lone     string // the line of a reply that its line is; "": none
}

// role is what a number of a source is beside a quantity.
type role uint8

const (
	quantity role = iota
	year          // of a date
	position      // it counts rows or items of a list
	datePart      // of a date without a year, or of a time of day
)

// index is what one kind of source has shown.
type index struct {
	numbers    []shown
	sorted     bool
	long       map[string]shown // numbers with more digits than a float64 holds, and tokens; the first of each
	fractions  []string         // the keys of long that are fractions, in order once sorted
	timestamps []dated
	months     [13]bool // by name
	scales     uint8
	prefixes   map[string][]float64 // the factors of units with prefixes, by class
	typed      *typing              // what of outputs was only typed; nil: nothing
	replied    *replied             // what of outputs a model only said; nil: nothing
	tried      int                  // numbers that figures were compared with, for the tests of bounds
}

// dated is a date or a time of day of a source.
type dated struct {
	timestamp
	at shown
}

// add takes in a text. Of a long one it reads the head and the tail.
func (x *index) add(o Origin, text string) {
	if x.long == nil {
		x.long = map[string]shown{}
	}
	line := 1
	if len(text) > maxText {
		head, rest := text[:maxText/2], text[len(text)-maxText/2:]
		head = head[:strings.LastIndexAny(head, " \n\t,;")+1] // a number is not cut
		rest = rest[max(0, strings.IndexAny(rest, " \n\t,;")):]
		x.read(o, strings.ToValidUTF8(head, " "), 1)
		line += strings.Count(text[:len(text)-len(rest)], "\n")
		text = strings.ToValidUTF8(rest, " ")
	}
	x.read(o, text, line)
}

func (x *index) read(o Origin, original string, line int) {
	n := normalize(original)
	text := n.text
	s := structure{hidden: text, scales: scalesIn(text)}
	if o.In != InQuestion {
		s = analyze(text)
	}
	x.scales |= s.scales
	hidden := x.releases(o, s.hidden, line)
	at, first, said := 0, line, mentions(text)
	for _, u := range said {
		x.hasPrefix(u)
	}
	all := scan(text, hidden, true)
	if o.In == InQuestion { // a person writes "the last ten years", and an answer repeats it
		all = append(all, inWords(hidden)...)
		slices.SortStableFunc(all, func(a, b figure) int { return a.start - b.start })
	}
	for _, f := range all {
		line += strings.Count(text[at:f.start], "\n")
		at = f.start
		printed := text[f.start:min(max(f.end, f.unitEnd), f.start+maxPrinted)]
		if f.unit.class == currency {
			if before := tail(text[:f.start], 16); beforeRE.MatchString(before) {
				printed = before[beforeRE.FindStringIndex(before)[0]:] + printed
			}
		}
		v := shown{text: strings.ToValidUTF8(printed, ""), origin: o, line: line, unit: f.unit, scales: s.scales, mentions: said}
		x.hasPrefix(f.unit)
		if s.index[f.start] {
			v.role = position
		}
		if row := line - first; row < len(s.percent) {
			v.percent = s.percent[row]
		}
		if x.typed != nil {
			v.stretch = x.typed.stretch(text, f)
		}
		if x.replied.some() {
			v.small, v.lone = !f.significant(), x.replied.lineAt(text, f)
		}
		if partOfName(hidden, f.start) && !joinsBefore(hidden, f.start) && f.unit.class != currency {
			v.label = f.label
		}
		x.take(f, v)
	}
	if hasMonth(text) {
		for _, name := range monthRE.FindAllString(text, -1) {
			x.months[monthNumber(name)] = true
		}
	}
	if len(x.numbers) > 2*maxNumbers { // seldom, since all are sorted for it
		x.sort()
		x.numbers = x.numbers[:min(len(x.numbers), maxNumbers)]
	}
}

// hasPrefix remembers which prefixes the units of numbers have.
func (x *index) hasPrefix(u unit) {
	if u.base == 0 || slices.Contains(x.prefixes[u.class], u.factor) {
		return
	}
	if x.prefixes == nil {
		x.prefixes = map[string][]float64{}
	}
	x.prefixes[u.class] = append(x.prefixes[u.class], u.factor)
}

// releases takes in the versions of a text, and blanks them out.
func (x *index) releases(o Origin, text string, line int) string {
	b, at := []byte(text), 0
	for _, loc := range releaseRE.FindAllStringSubmatchIndex(text, -1) {
		line += strings.Count(text[at:loc[0]], "\n")
		at = loc[0]
		label := "version"
		for _, g := range []int{2, 4} {
			if loc[g] >= 0 {
				label = strings.ToLower(text[loc[g]:loc[g+1]])
			}
		}
		digits := text[loc[6]:loc[7]]
		f := figure{text: digits}
		f.fill(digits, 0, scaling{}, false, exact, true)
		x.take(f, shown{text: text[loc[0]:loc[1]], origin: o, line: line, label: label})
		blank(b, loc[6], loc[7])
	}
	return string(b)
}

// partOfName says that letters touch the digits from the left, as in product_12.
func partOfName(s string, start int) bool {
	if start == 0 {
		return false
	}
	c := s[start-1]
	return isLetter(c) || c == '_'
}

// order puts the numbers in the order in which they are searched.
func order(a, b shown) int {
	return cmp.Or(cmp.Compare(a.value, b.value), cmp.Compare(a.origin.Step, b.origin.Step), cmp.Compare(a.line, b.line))
}

// earlier puts numbers in the order in which they were shown.
func earlier(a, b shown) int {
	return cmp.Or(cmp.Compare(a.origin.Step, b.origin.Step), cmp.Compare(a.line, b.line))
}

// sort makes numbers ready to be searched.
func (x *index) sort() {
	slices.SortStableFunc(x.numbers, order)
	slices.Sort(x.fractions)
	x.sorted = true
}

func (x *index) take(f figure, v shown) {
	v.base, v.slack = f.base, f.slack
	if f.when != nil {
		v.role = year
		if len(x.timestamps) < maxOthers {
			x.timestamps = append(x.timestamps, dated{*f.when, v})
		}
		if f.when.year >= 0 {
			v.value = float64(f.when.year)
			x.numbers, x.sorted = append(x.numbers, v), false
			return
		}
		v.role = datePart
		for _, p := range f.split {
			x.take(p, v)
		}
		return
	}
	for _, r := range f.readings {
		v.value, v.other = r.value, r.fraction || r.unscaled > 0
		x.numbers, x.sorted = append(x.numbers, v), false
	}
	for _, t := range []string{f.long, f.token} {
		if _, known := x.long[t]; t == "" || known || len(x.long) == maxOthers {
			continue
		}
		x.long[t] = v
		if t == f.long && strings.Contains(t, ".") && len(t) <= maxLong {
			x.fractions, x.sorted = append(x.fractions, t), false
		}
	}
	for _, p := range f.split {
		if p.unit.class == "" {
			v.unit = unit{}
		}
		x.take(p, v)
	}
}

// find returns what the figure was shown as, at the figure's own precision, or nil.
func (x *index) find(f figure) *shown {
	switch {
	case f.when != nil:
		return x.findTimestamp(f)
	case f.long != "":
		return x.findLong(f.long)
	}
	if v, ok := x.long[f.token]; ok && f.token != "" && x.computed(&v) {
		return &v
	}
	for _, r := range f.readings {
		if v := x.findReading(f, r); v != nil {
			return v
		}
	}
	if v := cmp.Or(x.findPrefixed(f), x.findCents(f)); v != nil {
		return v
	}
	return x.findAll(f.split)
}

// findLong compares digits: a float64 would call two long numbers equal that
// are not. A fraction may be a rounded or cut longer one.
func (x *index) findLong(digits string) *shown {
	if v, ok := x.long[digits]; ok && x.computed(&v) {
		return &v
	}
	if !strings.Contains(digits, ".") {
		return nil
	}
	if !x.sorted {
		x.sort()
	}
	best := x.beginsWith(digits, "0")
	if v := x.beginsWith(previous(digits), "5"); best == nil || v != nil && earlier(*v, *best) < 0 {
		best = v
	}
	return best
}

// beginsWith returns the earliest of the long fractions that begin with digits and go on
// with a digit that is at least next.
func (x *index) beginsWith(digits, next string) *shown {
	var best *shown
	i, _ := slices.BinarySearch(x.fractions, digits+next)
	for n := 0; i < len(x.fractions) && strings.HasPrefix(x.fractions[i], digits) && n < maxTried; i, n = i+1, n+1 {
		x.tried++
		if v := x.long[x.fractions[i]]; x.computed(&v) && (best == nil || earlier(v, *best) < 0) {
			best = &v
		}
	}
	return best
}

// previous returns the fraction of as many digits that is the next smaller one.
func previous(digits string) string {
	b := []byte(digits)
	for i := len(b) - 1; i >= 0; i-- {
		switch b[i] {
		case '.':
		case '0':
			b[i] = '9'
		default:
			b[i]--
			return string(b)
		}
	}
	return digits
}

// computed says that a number is more than what was typed in code or what a model said.
func (x *index) computed(v *shown) bool {
	if x.typed != nil {
		if _, typed := x.typed.where(v); typed {
			return false
		}
	}
	return x.replied == nil || x.replied.said(v) == ""
}

// findAll returns the first of the figures if all are found.
func (x *index) findAll(figures []figure) *shown {
	var first *shown
	for _, f := range figures {
		v := x.find(f)
		if v == nil {
			return nil
		}
		first = cmp.Or(first, v)
	}
	return first
}

func (x *index) findTimestamp(f figure) *shown {
	for i, m := range x.timestamps {
		if m.covers(*f.when) && x.computed(&m.at) {
			return &x.timestamps[i].at
		}
	}
	// The parts may stand apart: columns, or a month by its name.
	month := f.when.month
	if month > 0 && monthRE.MatchString(f.text) && !x.months[month] && x.between(float64(month), float64(month), func(*shown) bool { return true }) == nil {
		return nil
	}
	if w := f.when; w.hour >= 0 && w.minute == 0 && w.second <= 0 && w.day < 0 && month < 0 { // the hour of a column
		return x.findAll(f.split[:1])
	}
	if f.when.day == month && month > 0 && !x.twice(float64(month)) {
		return nil // one 4 is not both the day and the month
	}
	return x.findAll(f.split)
}

// twice says that a number was shown more than once.
func (x *index) twice(v float64) bool {
	n := 0
	x.between(v, v, func(*shown) bool { n++; return false })
	return n > 1
}

func (x *index) findReading(f figure, r reading) *shown {
	ok := func(v *shown) bool { return x.supports(v, f, r) && x.computed(v) }
	v := x.between(r.from, r.to, ok)
	if v == nil && !r.signed {
		v = x.between(-r.to, -r.from, ok)
	}
	return v
}

// supports says that a number of a source may be what a figure means, when its value is
// that of the reading.
func (x *index) supports(v *shown, f figure, r reading) bool {
	switch {
	case v.role == position || v.role == datePart && f.label != ofDate:
		return false
	case v.role == year && (f.unit.class != "" || !plainYear(f.text)):
		return false
	case v.label != "" && v.label != f.label && (math.Abs(v.value) < 1000 || f.unit.class != ""):
		return false
	case f.unit.class == counted && v.value != math.Trunc(v.value) && math.Abs(r.value) < 20 && r.value == math.Trunc(r.value):
		return false // three customers are not 2.5 rounded
	case r.unscaled != 0 && (v.scales|x.scales)&r.unscaled == 0:
		return false // 1.2 is not 1.2 million where nothing speaks of millions
	case f.ratio:
		return v.unit.class == "" && (r.fraction || v.percent) || v.unit.class == percent || v.unit.class == times
	case r.fraction:
		return v.unit.class == "" || v.other && v.unit.class == percent
	case f.unit.class == percent && v.unit.class == "":
		// 0.1413 is 14.1 %, and not 0.14 %, unless it is said to be in percent.
		return math.Abs(v.value) >= 1 || v.value == 0 || v.percent
	case v.other:
		return f.unit.class == "" || f.unit.class == counted && v.unit.class != percent
	}
	return f.unit.fits(v.unit)
}

// plainYear says that a text is four digits.
func plainYear(text string) bool {
	return len(text) == 4 && strings.Trim(text, "0123456789") == ""
}

// between returns the best of the numbers in a range that are ok: one with the unit
// written beside it, of the latest step.
func (x *index) between(from, to float64, ok func(*shown) bool) *shown {
	if !x.sorted {
		x.sort()
	}
	i, _ := slices.BinarySearchFunc(x.numbers, from, func(v shown, from float64) int { return cmp.Compare(v.value, from) })
	var best *shown
	for n := 0; i < len(x.numbers) && x.numbers[i].value <= to && n < maxTried; i, n = i+1, n+1 {
		v := &x.numbers[i]
		x.tried++
		if ok(v) && (best == nil || better(v, best, (from+to)/2)) {
			best = v
		}
	}
	return best
}

func better(a, b *shown, middle float64) bool {
	da, db := math.Abs(a.value-middle), math.Abs(b.value-middle)
	switch {
	case (a.unit.class != "") != (b.unit.class != ""):
		return a.unit.class != ""
	case da != db:
		return da < db
	}
	return a.origin.Step > b.origin.Step
}

// nearest returns the number of a source that is nearest to a figure that was not found,
// if one is near at all.
func (x *index) nearest(f figure) *shown {
	if !x.sorted {
		x.sort()
	}
	const most = .2 // of the value, beyond which nothing is near
	const tried = 64
	var best *shown
	least := most
	for _, r := range f.readings {
		i, _ := slices.BinarySearchFunc(x.numbers, r.value, func(v shown, at float64) int { return cmp.Compare(v.value, at) })
		for k := max(0, i-tried); k < min(len(x.numbers), i+tried); k++ {
			v := &x.numbers[k]
			if v.role != quantity || v.label != "" || v.other || v.origin.In == InAnswer || !x.computed(v) {
				continue
			}
			d := math.Abs(v.value-r.value) / max(math.Abs(r.value), 1e-300)
			if strings.Contains(v.text, ".") != strings.Contains(f.text, ".") {
				d *= 3 // 717.8 is a slip of 716.8 rather than of the count 717
			}
			if d < least {
				best, least = v, d
			}
		}
	}
	return best
}
