package grounding

import (
	"cmp"
	"math"
	"strings"
	"unicode/utf8"

	"praxis/internal/lazyregexp"
)

// unit is what a number counts, as far as the text beside it says so. The zero value
// says nothing, as in a column of a table.
type unit struct {
	class  string  // percent, currency, counted, times, or a quantity such as "length"
	name   string  // such as "EUR" or "km"
	factor float64 // to the quantity's base
	base   float64 // of one that may have a prefix: the factor without it; 0: it may not
}

const (
	percent  = "percent"
	currency = "currency"
	counted  = "counted"
	times    = "times"
	duration = "time"
	data     = "data"
	cents    = "cents"
)

// currencyCodes are those that may stand before an amount, without a blank too.
const currencyCodes = `USD|EUR|GBP|JPY|CHF|CNY|INR|CAD|AUD|NZD|SEK|NOK|DKK|PLN|CZK|HUF|RON|BRL|MXN|KRW|RUB|TRY|ZAR|SGD|HKD|THB`

var (
	percentRE  = lazyregexp.New(`^[ \x{00A0}\x{202F}]?(?:%|(?i:percentage points?|percent|per cent|pct|pp|prozent(?:punkte)?|pour cent|por ciento)\b)|^-percent\b`)
	scaleRE    = lazyregexp.New(`^(?:[ \x{00A0}\x{202F}-]?((?i:thousand|tausend|millions?|millionen|mio\.?|mln|millones|billions?|trillions?|milliarden?|mrd\.?|crores?|lakhs?|lacs?)|bn|mn|tn|[kKMGT]i?B)(?:\b|$)|[ \x{00A0}\x{202F}]?([kKMGBT])\b|[ \x{00A0}]?([万萬만亿億억]))`)
	powerRE    = lazyregexp.New(`^\s?(?:[×x·*]|\\times|\\cdot)\s?10(?:(?:\^|\*\*)\{?([-−+]?[0-9]+)\}?|([⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+))`)
	afterRE    = lazyregexp.New(`^[ \x{00A0}\x{202F}-]?(€|\$|£|¥|₹|₩|₽|₺|°C|°F|°|µ?[\pL]+(?:/[a-zA-Z]+)?(?:[²³]|[23]\b)?|×)`)
	beforeRE   = lazyregexp.New(`(?i)(US\$|€|\$|£|¥|₹|₩|₽|₺|\b(?:` + currencyCodes + `))[ \x{00A0}]?[-−]?$`)
	codeOnlyRE = lazyregexp.New(`^(?:` + currencyCodes + `)$`)
	labelledRE = lazyregexp.New(`([\pL]+)["']?\s?[:=]\s*$`)
	nounRE     = lazyregexp.New(`^[ \x{00A0}](?:(?:new|different|other|distinct|unique|missing|total|more|of the|active|small|large|big|whole|single|separate|individual|additional)[ ])?([a-z]{3,}s|people|children|men|women)\b`)
	noNounRE   = lazyregexp.New(`^(?:is|was|as|this|has|his|its|plus|minus|times|points|does|less|percents|across|versus|thus|always|perhaps|towards|hers|ours|yes|gives|shows|makes|equals|means|needs|remains|belongs|comes|goes|follows)$`)
	currencies = map[string]string{
		"$": "USD", "us$": "USD", "usd": "USD", "dollar": "USD", "dollars": "USD", "€": "EUR", "eur": "EUR", "euro": "EUR", "euros": "EUR",
		"£": "GBP", "gbp": "GBP", "¥": "JPY", "jpy": "JPY", "yen": "JPY", "₹": "INR", "inr": "INR", "rupees": "INR", "chf": "CHF", "francs": "CHF", "cny": "CNY",
		"cad": "CAD", "aud": "AUD", "₩": "KRW", "₽": "RUB", "₺": "TRY",
	}
	// quantities are the units that a number may have, each with its factor to the base.
	quantities = map[string]map[string]float64{
		"length":      {"mm": .001, "cm": .01, "m": 1, "km": 1000, "meters": 1, "metres": 1, "kilometers": 1000, "kilometres": 1000, "miles": 1609.344, "mi": 1609.344, "ft": .3048, "feet": .3048, "inches": .0254},
		"mass":        {"mg": 1e-6, "g": .001, "kg": 1, "t": 1000, "grams": .001, "kilograms": 1, "tonnes": 1000, "tons": 1000, "lb": .45359237, "lbs": .45359237, "oz": .028349523},
		duration:      {"ns": 1e-9, "µs": 1e-6, "ms": .001, "s": 1, "sec": 1, "secs": 1, "second": 1, "seconds": 1, "milliseconds": .001, "min": 60, "mins": 60, "minute": 60, "minutes": 60, "h": 3600, "hr": 3600, "hrs": 3600, "hour": 3600, "hours": 3600, "day": 86400, "days": 86400, "week": 604800, "weeks": 604800, "month": 2629800, "months": 2629800, "year": 31557600, "years": 31557600},
		"temperature": {"°C": 1, "°F": 5. / 9, "°": 0, "celsius": 1, "fahrenheit": 5. / 9},
		"speed":       {"km/h": 1, "kmh": 1, "kph": 1, "mph": 1.609344, "m/s": 3.6},
		"energy":      {"Wh": 1, "kWh": 1e3, "MWh": 1e6, "GWh": 1e9, "TWh": 1e12},
		"power":       {"W": 1, "kW": 1e3, "MW": 1e6, "GW": 1e9},
		"frequency":   {"Hz": 1, "kHz": 1e3, "MHz": 1e6, "GHz": 1e9},
		"volume":      {"ml": .001, "l": 1, "litres": 1, "liters": 1, "m³": 1000, "m3": 1000},
		"area":        {"m²": 1, "m2": 1, "km²": 1e6, "km2": 1e6, "ha": 1e4, "hectares": 1e4},
		"share":       {"ppm": 1, "ppb": .001},
		"pressure":    {"Pa": 1, "hPa": 100, "kPa": 1000},
		data:          {"bytes": 1, "byte": 1},
	}
	// countWords are labels of counts, as in "units: 15".
	countWords = lazyregexp.New(`(?i)^(?:units?|rows|records|count|counts|customers|orders|items|users|people|entries|lines|files|words|n|len|observations|samples|visits|clicks|students|products|pages|hosts|events|visitors|books|bugs|genes|households|defects|channels)$`)
)

// unitOf looks at what stands before and after a number that ends where after begins.
func unitOf(before, after string) unit {
	if m := beforeRE.FindStringSubmatch(before); m != nil {
		return unit{class: currency, name: cmp.Or(currencies[strings.ToLower(m[1])], strings.ToUpper(m[1])), factor: 1}
	}
	if m := afterRE.FindStringSubmatch(after); m != nil {
		if u, ok := named(m[1], m[0] != m[1]); ok {
			return u
		}
	}
	if m := nounRE.FindStringSubmatch(after); m != nil && !noNounRE.MatchString(m[1]) {
		return unit{class: counted, name: m[1]}
	}
	if m := unitLabelRE.FindStringSubmatch(before); m != nil {
		if u, ok := labelUnit(m[1]); ok {
			return u
		}
	}
	if m := labelledRE.FindStringSubmatch(before); m != nil {
		if countWords.MatchString(m[1]) {
			return unit{class: counted, name: strings.ToLower(m[1])}
		}
		if name := currencies[strings.ToLower(m[1])]; name != "" {
			return unit{class: currency, name: name, factor: 1}
		}
	}
	return unit{}
}

// named is the unit with a name. One letter apart from the number is a word as a rule
// ("5 a", "3 s"), except for those that are written so.
func named(word string, apart bool) (unit, bool) {
	if codeOnlyRE.MatchString(word) {
		return unit{class: currency, name: word, factor: 1}, true
	}
	if name := currencies[strings.ToLower(word)]; name != "" {
		return unit{class: currency, name: name, factor: 1}, true
	}
	if word == "×" || word == "x" || strings.EqualFold(word, "times") || strings.EqualFold(word, "fold") {
		return unit{class: times}, true
	}
	if centRE.MatchString(word) {
		return unit{class: cents}, true
	}
	short := func(w string) bool {
		return apart && utf8.RuneCountInString(w) == 1 && !strings.ContainsAny(w, "mgshlWtVΩ")
	}
	if u, ok := prefixed(word); ok && !short(word) {
		return u, true
	}
	for _, w := range []string{word, strings.ToLower(word)} {
		for class, units := range quantities {
			if f, ok := units[w]; ok && !short(w) {
				return unit{class: class, name: w, factor: f}, true
			}
		}
	}
	return unit{}, false
}

var centRE = lazyregexp.New(`^(?i:cents?|¢|centimes?|c[eé]ntimos?|centavos?|pence)$`)

// fits says that a number with the unit s may be a source of a figure with the unit u.
// Counts have many names ("150 rows" are 150 customers, "365 rows" 365 days), so that
// two of them never contradict each other.
func (u unit) fits(s unit) bool {
	switch {
	case u.class == "" || s.class == "":
		return true
	case u.class == s.class:
		return u.class == counted || u.class == percent || u.class == times || u.name == s.name || u.factor == s.factor && u.class != currency || u.factor == 0 || s.factor == 0
	case u.class == counted:
		return s.class == duration || s.class == data
	case s.class == counted:
		return u.class == duration || u.class == data
	}
	return false
}

// factors returns what a word of scale may multiply by.
func factors(word string) []float64 {
	switch strings.TrimRight(strings.ToLower(word), ".") {
	case "k", "thousand", "tausend":
		return []float64{1e3}
	case "m", "million", "millions", "millionen", "millones", "mio", "mln", "mn":
		return []float64{1e6}
	case "b", "billion", "billions", "bn", "mrd", "milliarde", "milliarden":
		return []float64{1e9}
	case "lakh", "lakhs", "lac", "lacs":
		return []float64{1e5}
	case "crore", "crores":
		return []float64{1e7}
	case "万", "萬", "만":
		return []float64{1e4}
	case "亿", "億", "억":
		return []float64{1e8}
	case "t", "trillion", "trillions", "tn":
		return []float64{1e12}
	}
	n := float64(1 + strings.Index("kMGT", strings.Replace(word[:1], "K", "k", 1)))
	if strings.Contains(word, "i") {
		return []float64{math.Pow(1024, n)}
	}
	return []float64{math.Pow(1000, n), math.Pow(1024, n)}
}

var (
	percentWordRE = lazyregexp.New(`(?i)%|percent|pct|per cent|prozent`)
	// scaleWords say that numbers near them may be given in thousands, millions and so on.
	scaleWords = [...]*lazyregexp.Regexp{
		lazyregexp.New(`(?i)thousand|tausend|\bk\b|_k(?:usd|eur|gbp)?\b|kloc|\(k|000s`),
		lazyregexp.New(`(?i)million|\bmio\b|\bmln\b|\bmn\b|_m(?:n|io|usd|eur|gbp)?\b|\([$€£]?m\)|[$€£]m\b`),
		lazyregexp.New(`(?i)billion|\bmrd\b|\bbn\b|_b(?:n|usd|eur)?\b|\([$€£]?bn?\)|milliard`),
		lazyregexp.New(`(?i)trillion|\btn\b|_tn\b`),
		lazyregexp.New(`\b[kKMGT]i?B\b|(?i)_[kmgt]i?b\b|(?:kilo|mega|giga|tera)bytes`),
	}
)

// scalesIn says which of scaleWords a text has, as bits.
func scalesIn(text string) uint8 {
	var out uint8
	for i, re := range scaleWords {
		if re.MatchString(text) {
			out |= 1 << i
		}
	}
	return out
}

// scaleBit is the bit of scalesIn for a factor.
func scaleBit(word string) uint8 {
	if strings.HasSuffix(word, "B") && len(word) > 1 {
		return 1 << 4
	}
	switch factors(word)[0] {
	case 1e3:
		return 1
	case 1e6:
		return 2
	case 1e9:
		return 4
	case 1e12:
		return 8
	}
	return 1 << 5 // no text speaks of it
}
