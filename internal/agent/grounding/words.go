package grounding

import (
	"cmp"
	"math"
	"strings"

	"praxis/internal/lazyregexp"
)

const smallWords = `zero|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|zwölf|zwanzig|dreißig`

var (
	// saidRE is a number in words. A lone "one" is a pronoun as a rule, and no figure.
	saidRE = lazyregexp.New(`(?i)\b(?:(?:one|a|half a|half an|(?:a|one) quarter of an?|three[ -]quarters of an?|` + smallWords + `)[ -](?:hundred|thousand|million|billion|dozen)|` + smallWords + `)(?:(?:[ -]| and )(?:one|` + smallWords + `|hundred|thousand|million|billion|dozen)\b)*\b`)
	// notSaidRE are words behind a number that make another thing of it.
	notSaidRE = lazyregexp.New(`(?i)^(?:[ -](?:decimals?|decimal places?|significant|digits after|or (?:two|three)\b|thirds?\b|quarters?\b|fifths?\b|tenths?\b|fold\b)|fold\b|-(?:way|dimensional|sided|step|part|column|digit|letter)\b)`)
	// notBeforeRE are words before a number in words that make a phrase of both.
	notBeforeRE = lazyregexp.New(`(?i)\b(?:one or|or|step|option|part|section|table|figure|chapter)[ ]$`)
	listedRE    = lazyregexp.New(`(?i)\b(?:the|these|those|all|both|following|top|bottom|first|last|other|largest|smallest|highest|lowest|alle|die|its|their|our)[ ]$`)
	numberWords = map[string]float64{
		"zero": 0, "a": 1, "one": 1, "half a": .5, "half an": .5, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
		"eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19,
		"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
		"zwei": 2, "drei": 3, "vier": 4, "fünf": 5, "sechs": 6, "sieben": 7, "acht": 8, "neun": 9, "zehn": 10, "zwölf": 12, "zwanzig": 20, "dreißig": 30,
	}
	powerWords = map[string]float64{"dozen": 12, "hundred": 100, "thousand": 1e3, "million": 1e6, "billion": 1e9}
)

// ratioWords are the words that compare two numbers. share says that the word is a part
// of something, and not a change.
var ratioWords = []struct {
	re    *lazyregexp.Regexp
	value float64
}{
	{lazyregexp.New(`(?i)\b(?:doubl(?:ed|es|ing)|double (?:the|that|of|its)|twice (?:as|the|that|of))\b`), 2},
	{lazyregexp.New(`(?i)\b(?:tripl(?:ed|es|ing)|trebled|triple (?:the|that|of|its)|threefold)\b`), 3},
	{lazyregexp.New(`(?i)\b(?:quadrupl(?:ed|es|ing)|quadruple (?:the|that|of|its)|fourfold)\b`), 4},
	{lazyregexp.New(`(?i)\b(?:tenfold)\b`), 10},
	{lazyregexp.New(`(?i)\b(?:halv(?:ed|es|ing)|half (?:of|the|as|that|its|their|all|are|were)|one half)\b`), .5},
	{lazyregexp.New(`(?i)\btwo[ -]thirds\b`), 2. / 3},
	{lazyregexp.New(`(?i)\b(?:a|one)[ -]third (?:of|lower|higher|less|more|were|are|is)\b`), 1. / 3},
	{lazyregexp.New(`(?i)\b(?:three[ -]quarters|three[ -]fourths) of\b`), .75},
	{lazyregexp.New(`(?i)\b(?:a|one)[ -](?:quarter|fourth) of\b`), .25},
	{lazyregexp.New(`(?i)\b(?:a|one)[ -]fifth of\b`), .2},
	{lazyregexp.New(`(?i)\b(?:a|one)[ -]tenth of\b`), .1},
}

// timesRE stands behind a number that compares.
var timesRE = lazyregexp.New(`^[ -]?(?:times|×|x) (?:as|more|the|that|what|its|their|larger|higher|smaller|bigger|greater|lower|less|faster|slower|longer|heavier)\b`)

// changeRE are comparisons of what came to what was.
var changeRE = lazyregexp.New(`(?i)(?:ed|es|ing|fold)$`)

// looseRE makes a comparison less exact.
var looseRE = lazyregexp.New(`(?i)\b(?:nearly|almost|about|roughly|around|over|more than|less than|approximately|just under|just over|some|well over)\s$`)

// partOfRE stands behind a share of a number that is written as a word.
var partOfRE = lazyregexp.New(`(?i)^ an? (?:million|billion|thousand|dozen|hundred)\b`)

// inWords finds the numbers and comparisons of a text that are written in words.
func inWords(text string) []figure {
	var out []figure
	b := []byte(text)
	for _, w := range ratioWords {
		for _, loc := range w.re.FindAllIndex(b, -1) {
			if partOfRE.Match(b[loc[1]:]) {
				continue // of a million: a number
			}
			out = append(out, ratioFigure(text, loc[0], loc[1], w.value))
			blank(b, loc[0], loc[1])
		}
	}
	hidden := string(b)
	for _, loc := range saidRE.FindAllStringIndex(hidden, -1) {
		start, end := loc[0], loc[1]
		before, rest := tail(hidden[:start], 48), hidden[end:]
		if notSaidRE.MatchString(rest) || notBeforeRE.MatchString(before) {
			continue
		}
		v, step := valueOf(hidden[start:end])
		f := figure{start: start, end: end, unitEnd: end, text: text[start:end], unit: unitOf(before, rest), listed: listedRE.MatchString(before)}
		if m := percentRE.FindString(rest); m != "" {
			f.end, f.unit = end+len(m), unit{class: percent}
			f.readings = append(f.readings, reading{value: v / 100, from: (v - .5) / 100, to: (v + .5) / 100, fraction: true})
		}
		slack := 1e-9
		if f.compares = f.unit.class == times && timesRE.MatchString(rest); f.compares {
			slack = .06 * v
		}
		if step >= 1000 {
			slack = step / 4
		}
		f.readings = append(f.readings, reading{value: v, from: v - slack, to: v + slack})
		out = append(out, f)
	}
	return out
}

// valueOf works out a number in words. step is the last power that it names.
func valueOf(words string) (value, step float64) {
	words = strings.ToLower(strings.ReplaceAll(words, "-", " "))
	for part, word := range map[string]string{"half a": "half_a", "a quarter of a": "quarter_a", "one quarter of a": "quarter_a", "three quarters of a": "quarters_a"} {
		if rest, ok := strings.CutPrefix(words, part); ok {
			words = word + " " + strings.TrimPrefix(rest, "n")
		}
	}
	total, part := 0., 0.
	step = 1
	for _, w := range strings.Fields(words) {
		by, power := powerWords[w]
		switch {
		case w == "and":
		case w == "half_a":
			part += .5
		case w == "quarter_a":
			part += .25
		case w == "quarters_a":
			part += .75
		case power && by <= 100:
			part = cmp.Or(part, 1) * by
			step = by
		case power:
			total += cmp.Or(part, 1) * by
			part, step = 0, by
		default:
			part += numberWords[w]
			step = 1
		}
	}
	return total + part, step
}

// ratioFigure is a comparison such as "doubled": the ratio itself, as a fraction or in
// percent, or the change that it is.
func ratioFigure(text string, start, end int, value float64) figure {
	f := figure{start: start, end: end, unitEnd: end, text: text[start:end], ratio: true, unit: unit{class: times}}
	f.changes = changeRE.MatchString(f.text)
	less, more := .06, .06
	if before := tail(text[:start], 24); looseRE.MatchString(before) {
		less, more = .15, .15
		if aboutOf(before)&moreThan != 0 {
			less, more = .01, .25
		}
	}
	near := func(v float64, fraction bool) {
		d := math.Abs(v)
		f.readings = append(f.readings, reading{value: v, from: v - d*less, to: v + d*more, signed: v < 0, fraction: fraction})
	}
	near(value, true)
	near(value*100, false)
	if value == .5 { // the change: halved is -50 %, doubled +100 %
		near(-.5, true)
	}
	if value >= 2 || value == .5 {
		near((value-1)*100, false)
	}
	return f
}

var rangeRE = lazyregexp.New(`^(?:\s?[-–—]\s?|\s(?:to|and|bis|und|or|through)\s)[$€£]?$`)

// shareUnits gives the first number of a range what stands beside the second: in "12 to
// 15 %" both are percentages, in "1.2–1.5 million" both are millions.
func shareUnits(text string, all []figure) {
	for i := len(all) - 2; i >= 0; i-- {
		f, next := &all[i], &all[i+1]
		if f.when != nil || next.when != nil || f.ratio || next.ratio || f.end > next.start || !rangeRE.MatchString(text[f.end:next.start]) {
			continue
		}
		switch {
		case f.unit.class == "" && next.unit.class == percent:
			f.unit = next.unit
			f.readings = append(f.readings, fractions(f.readings)...)
		case next.times > 0 && next.unit.class != percent && len(f.readings) == 1:
			r, by := f.readings[0], next.times
			f.readings = []reading{{value: r.value * by, from: r.from * by, to: r.to * by}, r}
		}
		if f.unit.class == "" || f.unit.class == counted && next.unit.class != counted {
			f.unit = next.unit
		} else if next.unit.class == "" && f.unit.class == currency {
			next.unit = f.unit
		}
	}
}

// fractions returns the readings of percentages as fractions.
func fractions(readings []reading) []reading {
	var out []reading
	for _, r := range readings {
		out = append(out, reading{value: r.value / 100, from: r.from / 100, to: r.to / 100, signed: r.signed, fraction: true})
	}
	return out
}
