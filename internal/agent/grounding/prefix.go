package grounding

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"praxis/internal/lazyregexp"
)

// A prefix of a unit is another way of writing a number: 18.25 kg are 18250 g, 0.188 s are
// 188 ms, and a number that stands alone may be in the unit without its prefix. Miles are no
// prefix of kilometres: whoever says so has computed.

// bases are the units that prefixes stand before, each with its class and its factor there.
var bases = map[string]unit{
	"m": {class: "length", factor: 1}, "g": {class: "mass", factor: .001}, "t": {class: "mass", factor: 1000}, "s": {class: duration, factor: 1},
	"W": {class: "power", factor: 1}, "Wh": {class: "energy", factor: 1}, "Hz": {class: "frequency", factor: 1}, "Pa": {class: "pressure", factor: 1},
	"l": {class: "volume", factor: 1}, "L": {class: "volume", factor: 1}, "V": {class: "voltage", factor: 1}, "A": {class: "current", factor: 1},
	"Ah": {class: "charge", factor: 1}, "\u03a9": {class: "resistance", factor: 1}, "\u2126": {class: "resistance", factor: 1}, "ohm": {class: "resistance", factor: 1}, "J": {class: "work", factor: 1},
	"N": {class: "force", factor: 1}, "T": {class: "field", factor: 1}, "mol": {class: "amount", factor: 1}, "mol/L": {class: "concentration", factor: 1},
	"mol/l": {class: "concentration", factor: 1}, "eV": {class: "electronvolt", factor: 1}, "b": {class: "bases", factor: 1}, "bp": {class: "bases", factor: 1},
}

// withPrefix are the bases that are too short to be known without a prefix.
var withPrefix = map[string]bool{"A": true, "T": true, "b": true, "N": true, "eV": true}

// prefixed returns the unit of a word that is one with or without a prefix.
func prefixed(word string) (unit, bool) {
	if b, ok := bases[word]; ok {
		b.name, b.base = word, b.factor
		return b, !withPrefix[word]
	}
	for _, p := range []struct {
		name   string
		factor float64
		only   string // the units that it stands before; "": any
	}{
		{"n", 1e-9, ""}, {"µ", 1e-6, ""}, {"μ", 1e-6, ""}, {"m", 1e-3, ""}, {"c", .01, "m l L"}, {"d", .1, "m l L"},
		{"k", 1e3, ""}, {"M", 1e6, ""}, {"G", 1e9, ""}, {"T", 1e12, ""},
	} {
		rest, ok := strings.CutPrefix(word, p.name)
		b, known := bases[rest]
		if !ok || !known || p.only != "" && !slices.Contains(strings.Fields(p.only), rest) {
			continue
		}
		b.name, b.base = word, b.factor
		b.factor *= p.factor
		return b, true
	}
	return unit{}, false
}

var (
	// mentionRE is a unit that the name of a column or a header says.
	mentionRE = lazyregexp.New(`(?:_|\(|\[|\bin )([a-zA-ZµμΩ]{1,4})(?:[\])]|\b)`)
	// unitLabelRE is a unit in the name before a number, as in distance_km.
	unitLabelRE = lazyregexp.New(`_([a-zA-Zµμ]{2,4})["']?\s?[:=]?\s*$`)
)

// mentions lists the units that names and headers of a text say.
func mentions(text string) []unit {
	var out []unit
	for _, m := range mentionRE.FindAllStringSubmatch(text, -1) {
		if u, ok := labelUnit(m[1]); ok && !slices.Contains(out, u) && len(out) < 20 {
			out = append(out, u)
		}
	}
	return out
}

// inSmall are units that names write in small letters.
var inSmall = map[string]string{"w": "W", "kw": "kW", "wh": "Wh", "kwh": "kWh", "hz": "Hz", "khz": "kHz", "mah": "mAh", "pa": "Pa", "v": "V"}

// labelUnit is the unit at the end of a name, which may be in small letters.
func labelUnit(word string) (unit, bool) { return prefixed(cmp.Or(inSmall[word], word)) }

// findPrefixed looks for a number that a figure is with another prefix.
func (x *index) findPrefixed(f figure) *shown {
	if f.unit.base == 0 {
		return nil
	}
	factors := append([]float64{f.unit.base}, x.prefixes[f.unit.class]...)
	for _, factor := range factors {
		ratio := f.unit.factor / factor
		if digits := math.Log10(ratio); ratio == 1 || math.Abs(digits-math.Round(digits)) > 1e-9 {
			continue
		}
		written := func(v *shown) bool {
			if v.unit.class != "" {
				return v.unit.class == f.unit.class && math.Abs(v.unit.factor/factor-1) < 1e-9
			}
			if v.other || v.role != quantity || v.label != "" {
				return false
			}
			return factor == f.unit.base && f.unit.factor != f.unit.base || slices.ContainsFunc(v.mentions, func(u unit) bool {
				return u.class == f.unit.class && math.Abs(u.factor/factor-1) < 1e-9
			})
		}
		for _, r := range f.readings {
			if r.fraction || r.unscaled > 0 {
				continue
			}
			ok := func(v *shown) bool { return written(v) && x.computed(v) }
			if v := x.between(r.from*ratio, r.to*ratio, ok); v != nil {
				return v
			}
			if v := x.between(-r.to*ratio, -r.from*ratio, ok); v != nil && !r.signed {
				return v
			}
		}
	}
	return nil
}

// findCents looks for an amount of money that a figure in cents is.
func (x *index) findCents(f figure) *shown {
	if f.unit.class != cents {
		return nil
	}
	ok := func(v *shown) bool {
		return (v.unit.class == currency || v.unit.class == "") && !v.other && x.computed(v)
	}
	for _, r := range f.readings {
		if v := x.between(r.from/100, r.to/100, ok); v != nil {
			return v
		}
	}
	return nil
}
