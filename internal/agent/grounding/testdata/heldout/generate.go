//go:build ignore

// This program writes generated.txt: answers to questions about made-up data, in which
// every figure is labelled true or invented. README.md says how.
package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"time"
)

const texts = 220

// measure is a column of made-up data: what is asked, how its values are printed and how
// people write them.
type measure struct {
	question, column string
	low, high        float64
	digits           int
	// unit stands after a figure, sign before one; wrong are units that it is not.
	unit, sign string
	wrong      []string
	// printed is the unit as the output has it beside a value, if it does.
	printed string
	// large is a unit of a thousand small ones.
	large string
	kind  kind
}

type kind int

const (
	count kind = iota
	quantity
	money
	share // a part of 1
)

var measures = []measure{
	{question: "How much power does each site draw?", column: "power_w", low: 1100, high: 98_000, digits: 0, unit: " W", wrong: []string{" V", " °C"}, printed: " W", large: " kW", kind: quantity},
	{question: "How long are the routes?", column: "length_m", low: 1200, high: 87_000, digits: 0, unit: " m", wrong: []string{" ft", " kg"}, printed: " m", large: " km", kind: quantity},
	{question: "What do the parts weigh?", column: "weight_g", low: 1050, high: 64_000, digits: 1, unit: " g", wrong: []string{" lb", " m"}, printed: " g", large: " kg", kind: quantity},
	{question: "What is the response time per service?", column: "latency_ms", low: 1013, high: 9700, digits: 2, unit: " ms", wrong: []string{" MB", " %"}, printed: " ms", large: " s", kind: quantity},
	{question: "How warm was it?", column: "temp_c", low: -29, high: 41, digits: 2, unit: " °C", wrong: []string{" °F", " %"}, printed: " °C", kind: quantity},
	{question: "What did each team spend?", column: "spent_eur", low: 1500, high: 7_900_000, digits: 2, unit: " €", sign: "€", wrong: []string{" kg", " %"}, printed: " EUR", kind: money},
	{question: "What was billed in dollars?", column: "billed_usd", low: 310, high: 480_000, digits: 2, sign: "$", wrong: []string{" kg", " %"}, printed: " USD", kind: money},
	{question: "How many visitors came?", column: "visitors", low: 1100, high: 4_200_000, unit: " visitors", wrong: []string{" %", " km"}, printed: " visitors", kind: count},
	{question: "How many defects were found?", column: "defects", low: 120, high: 9900, unit: " defects", wrong: []string{" %", " €"}, printed: " defects", kind: count},
	{question: "What part was returned?", column: "returned", low: .0112, high: .934, digits: 5, kind: share},
	{question: "How accurate is each classifier?", column: "accuracy", low: .52, high: .9987, digits: 4, kind: share},
}

var places = []string{"Aarhus", "Brno", "Cádiz", "Dakar", "Essen", "Fargo", "Graz", "Hilo", "Izmir", "Jaipur"}

// voices are the languages in which answers are written.
var voices = []struct {
	open, item, add, other []string
	group, point           string
	about                  []string
	million, percent       string
}{
	{[]string{"Here are the results.", "Based on the data:", "**Summary**", "I ran the numbers:"},
		[]string{"%s has %s.", "for %s it is %s.", "%s comes to %s.", "%s: %s."}, []string{"Taken together that makes %s.", "The mean is %s.", "They differ by %s."},
		[]string{"The forecast says %s.", "A year earlier it was %s.", "Elsewhere it is %s."}, ",", ".", []string{"about ", "roughly ", "~", "≈ ", "nearly "}, " million", "%"},
	{[]string{"Ergebnis:", "Die Auswertung ergibt:"}, []string{"%s kommt auf %s.", "bei %s sind es %s."}, []string{"Zusammen sind das %s.", "Der Unterschied beträgt %s."},
		[]string{"Im Vorjahr waren es %s.", "Erwartet werden %s."}, ".", ",", []string{"etwa ", "rund ", "ca. "}, " Mio.", " %"},
	{[]string{"Voici les résultats :"}, []string{"%s atteint %s.", "pour %s, c'est %s."}, []string{"Au total, cela fait %s."},
		[]string{"L'an dernier, c'était %s."}, "\u202f", ",", []string{"environ ", "près de "}, " millions", " %"},
	{[]string{"Los resultados son:"}, []string{"%s tiene %s.", "en %s son %s."}, []string{"En total son %s."}, []string{"El año pasado fueron %s."}, ".", ",", []string{"unos ", "cerca de "}, " millones", " %"},
}

type maker struct {
	*rand.Rand
	m       measure
	rows    []string
	values  []float64
	voice   int
	markers int
}

func pick[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }

func round(v float64, digits int) float64 {
	p := math.Pow10(digits)
	return math.Round(v*p) / p
}

func main() {
	var b strings.Builder
	for i := range texts {
		r := rand.New(rand.NewPCG(20261124, uint64(i)))
		switch {
		case i%6 == 0:
			b.WriteString(dates(r))
		case i%6 == 3:
			b.WriteString(comparison(r))
		default:
			b.WriteString(rowsOf(r))
		}
	}
	if err := os.WriteFile("generated.txt", []byte(b.String()), 0o644); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// rowsOf is an answer that tells the values of a few rows, with some invented ones.
func rowsOf(r *rand.Rand) string {
	g := &maker{Rand: r, m: pick(r, measures), voice: r.IntN(len(voices))}
	for _, i := range r.Perm(len(places))[:2+r.IntN(4)] {
		g.rows = append(g.rows, places[i])
		v := g.m.low + r.Float64()*(g.m.high-g.m.low)
		if g.m.high/max(g.m.low, 1) > 100 {
			v = math.Exp(math.Log(g.m.low) + r.Float64()*math.Log(g.m.high/g.m.low))
		}
		g.values = append(g.values, round(v, g.m.digits))
	}
	output, unit := g.output()
	v := voices[g.voice]
	var items []string
	for i, name := range g.rows {
		figure := "[+" + g.write(g.values[i]) + "]"
		if r.IntN(3) == 0 {
			if s, ok := g.invent(g.values[i], unit); ok {
				figure = "[-" + s + "]"
			}
		}
		items = append(items, name+"\x00"+figure)
	}
	answer := g.lay(items)
	if s, ok := g.combine(); ok && r.IntN(2) == 0 {
		answer += "\n" + fmt.Sprintf(pick(r, v.add), "[-"+s+"]")
	}
	if s, ok := g.invent(pick(r, g.values), unit); ok && r.IntN(3) == 0 {
		answer += "\n" + fmt.Sprintf(pick(r, v.other), "[-"+s+"]")
	}
	return fmt.Sprintf("=== %s\n%s\n---\n%s\n", g.m.question, output, answer)
}

// output prints the rows as code would, and says whether it names the unit.
func (g *maker) output() (string, bool) {
	var b strings.Builder
	plain := func(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
	switch g.IntN(6) {
	case 0:
		for i, name := range g.rows {
			fmt.Fprintf(&b, "%-10s %12s\n", name, plain(g.values[i]))
		}
		return g.m.column + "\n" + strings.TrimRight(b.String(), "\n"), false
	case 1:
		for i, name := range g.rows {
			fmt.Fprintf(&b, "%s = %s%s\n", name, plain(g.values[i]), g.m.printed)
		}
		return strings.TrimRight(b.String(), "\n"), g.m.printed != ""
	case 2:
		for i, name := range g.rows {
			fmt.Fprintf(&b, "('%s', %s), ", name, plain(g.values[i]))
		}
		return "[" + strings.TrimSuffix(b.String(), ", ") + "]", false
	case 3:
		for i, name := range g.rows {
			fmt.Fprintf(&b, "| %s | %s |\n", name, plain(g.values[i]))
		}
		return "| place | " + g.m.column + " |\n|---|---|\n" + strings.TrimRight(b.String(), "\n"), false
	case 4:
		for i, name := range g.rows {
			fmt.Fprintf(&b, "{\"place\": %q, %q: %s}\n", name, g.m.column, strconv.FormatFloat(g.values[i], 'g', -1, 64))
		}
		return strings.TrimRight(b.String(), "\n"), false
	}
	for i, name := range g.rows {
		fmt.Fprintf(&b, "%s\t%s\n", name, strconv.FormatFloat(g.values[i], 'e', 9, 64))
	}
	return "place\t" + g.m.column + "\n" + strings.TrimRight(b.String(), "\n"), false
}

// lay sets the items as prose, a list, a table or bold text.
func (g *maker) lay(items []string) string {
	v := voices[g.voice]
	open := pick(g.Rand, v.open)
	var b strings.Builder
	switch g.IntN(5) {
	case 0, 1:
		b.WriteString(open)
		for _, item := range items {
			name, figure, _ := strings.Cut(item, "\x00")
			fmt.Fprintf(&b, " "+pick(g.Rand, v.item), name, figure)
		}
		return b.String()
	case 2:
		b.WriteString(open + "\n")
		for i, item := range items {
			name, figure, _ := strings.Cut(item, "\x00")
			fmt.Fprintf(&b, "\n%d. %s – %s", i+1, name, figure)
		}
		return b.String()
	case 3:
		b.WriteString(open + "\n\n| | |\n|---|---:|")
		for _, item := range items {
			name, figure, _ := strings.Cut(item, "\x00")
			fmt.Fprintf(&b, "\n| %s | %s |", name, figure)
		}
		return b.String()
	}
	b.WriteString(open + "\n")
	for _, item := range items {
		name, figure, _ := strings.Cut(item, "\x00")
		fmt.Fprintf(&b, "\n* %s: **%s**", name, figure)
	}
	return b.String()
}

// write says a value in one of the ways that it is true in.
func (g *maker) write(v float64) string {
	voice := voices[g.voice]
	abs := math.Abs(v)
	if g.m.kind == share {
		digits := g.IntN(3)
		switch g.IntN(5) {
		case 0:
			return g.digits(v, 3) // as it was printed, a digit less
		case 1:
			return pick(g.Rand, voice.about) + g.digits(v*100, 0) + voice.percent
		}
		return g.digits(v*100, digits) + voice.percent
	}
	switch n := g.IntN(8); {
	case n == 0 && abs >= 1e6:
		return g.with(g.digits(v/1e6, 1+g.IntN(2)) + voice.million)
	case n == 1 && abs >= 1000 && g.m.large != "":
		return g.digits(v/1000, 1+g.IntN(3)) + g.m.large
	case n == 2 && abs >= 10_000 && g.m.kind != quantity:
		return g.with(g.digits(v/1000, 1) + "k")
	case n == 3 && abs >= 1000:
		p := math.Pow10(int(math.Log10(abs)) - 1)
		return pick(g.Rand, voice.about) + g.with(g.digits(math.Round(v/p)*p, 0))
	case n == 4 && abs >= 1000:
		e := int(math.Log10(abs))
		return g.with(g.digits(v/math.Pow10(e), 3)+" × 10^") + strconv.Itoa(e)
	case n == 5:
		return g.with(g.digits(v, g.m.digits))
	}
	return g.with(g.digits(v, g.IntN(g.m.digits+1)))
}

// with writes the unit or the currency sign beside a figure, or leaves it out.
func (g *maker) with(figure string) string {
	if strings.HasSuffix(figure, "^") {
		return figure
	}
	if g.m.sign != "" && (g.m.unit == "" || g.IntN(2) == 0) && !strings.HasPrefix(figure, "-") {
		return g.m.sign + figure
	}
	if g.IntN(3) == 0 {
		return figure
	}
	return figure + g.m.unit
}

// digits writes a number with the separators of the voice, sometimes of another.
func (g *maker) digits(v float64, digits int) string {
	voice := voices[g.voice]
	s := strconv.FormatFloat(math.Abs(v), 'f', digits, 64)
	whole, fraction, _ := strings.Cut(s, ".")
	if group := pick(g.Rand, []string{voice.group, voice.group, ""}); group != "" && len(whole) > 3 {
		var parts []string
		for len(whole) > 3 {
			parts = append([]string{whole[len(whole)-3:]}, parts...)
			whole = whole[:len(whole)-3]
		}
		whole = strings.Join(append([]string{whole}, parts...), group)
	}
	if fraction != "" {
		whole += voice.point + fraction
	}
	if v < 0 {
		return pick(g.Rand, []string{"-", "−"}) + whole
	}
	return whole
}

// invent is a figure that looks like a true one and is none. The output says what unit
// its figures have when unit is set.
func (g *maker) invent(v float64, unit bool) (string, bool) {
	for range 20 {
		wrong := v
		switch g.IntN(7) {
		case 0: // two digits change places
			wrong = swapped(g.Rand, v, g.m.digits)
		case 1: // a digit is another one
			p := math.Pow10(int(math.Log10(math.Abs(v)+1e-9)) - g.IntN(2))
			wrong = v + p*float64(1+g.IntN(4))
		case 2: // a wrong scale
			wrong = v * pick(g.Rand, []float64{10, .1})
		case 3: // some per cent off
			wrong = v * (1 + pick(g.Rand, []float64{-1, 1})*(.025+.3*g.Float64()))
		case 4: // the right figure with a unit that it has not
			if unit && len(g.m.wrong) > 0 && math.Abs(v) >= 10 {
				return g.digits(v, g.m.digits) + pick(g.Rand, g.m.wrong), true
			}
			continue
		case 5: // a share that is taken for percent
			if g.m.kind == share && v > .02 {
				return g.digits(v, 3) + voices[g.voice].percent, true
			}
			continue
		case 6: // the complement, which the model worked out
			if g.m.kind != share {
				continue
			}
			wrong = 1 - v
		}
		wrong = round(wrong, g.m.digits)
		if !g.far(wrong) {
			continue
		}
		if g.m.kind == share {
			if wrong <= 0.01 || wrong >= 1 {
				continue
			}
			return g.digits(wrong*100, 1+g.IntN(2)) + voices[g.voice].percent, true
		}
		digits := g.m.digits
		if math.Abs(wrong) >= 100 && g.IntN(2) == 0 {
			digits = 0
		}
		return g.with(g.digits(wrong, digits)), true
	}
	return "", false
}

// combine is a sum, a difference or a mean that only the model worked out.
func (g *maker) combine() (string, bool) {
	if g.m.kind == share {
		return "", false
	}
	sum := 0.0
	for _, v := range g.values {
		sum += v
	}
	wrong := pick(g.Rand, []float64{sum, sum / float64(len(g.values)), g.values[0] - g.values[1]})
	wrong = round(wrong, g.m.digits)
	if !g.far(wrong) || math.Abs(wrong) < 5 {
		return "", false
	}
	return g.with(g.digits(wrong, g.m.digits)), true
}

// far says whether a figure is two per cent or more from every value, whatever its sign.
func (g *maker) far(wrong float64) bool {
	for _, v := range g.values {
		if math.Abs(math.Abs(wrong)-math.Abs(v)) < .02*math.Abs(v)+1.01*math.Pow10(-g.m.digits) {
			return false
		}
	}
	return true
}

func swapped(r *rand.Rand, v float64, digits int) float64 {
	s := []byte(strconv.FormatFloat(math.Abs(v), 'f', digits, 64))
	i := r.IntN(min(2, len(s)-1))
	if s[i] == '.' || s[i+1] == '.' {
		return v
	}
	s[i], s[i+1] = s[i+1], s[i]
	out, _ := strconv.ParseFloat(string(s), 64)
	return math.Copysign(out, v)
}

var months = map[string][]string{
	"en": {"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"},
	"de": {"Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober", "November", "Dezember"},
}

// sayDate writes a day in one of the ways people do.
func sayDate(r *rand.Rand, t time.Time, german bool) string {
	if german {
		return pick(r, []string{
			fmt.Sprintf("%d. %s %d", t.Day(), months["de"][t.Month()-1], t.Year()),
			t.Format("02.01.2006"), t.Format("2.1.2006")})
	}
	return pick(r, []string{
		t.Format("2006-01-02"), t.Format("January 2, 2006"), t.Format("2 January 2006"), t.Format("Jan 2, 2006"),
		t.Format("2 Jan 2006"), t.Format("2006/01/02"), t.Format("Monday, 2 January 2006")})
}

// dates is an answer about days, times of day and small counts.
func dates(r *rand.Rand) string {
	german := r.IntN(3) == 0
	first := time.Date(1995+r.IntN(30), time.Month(1+r.IntN(12)), 1+r.IntN(28), r.IntN(24), r.IntN(60), r.IntN(60), 0, time.UTC)
	last := first.AddDate(r.IntN(3), r.IntN(12), 29+r.IntN(200))
	n := 4 + r.IntN(9)
	events := n * (17 + r.IntN(900))
	output := pick(r, []string{
		fmt.Sprintf("first %s\nlast %s\nhosts %d\nevents %d", first.Format(time.DateTime), last.Format(time.DateTime), n, events),
		fmt.Sprintf("{\"first\": %q, \"last\": %q, \"hosts\": %d, \"events\": %d}", first.Format(time.RFC3339), last.Format(time.RFC3339), n, events),
	})
	say := func(t time.Time) string {
		if r.IntN(4) > 0 {
			return "[+" + sayDate(r, t, german) + "]"
		}
		for {
			wrong := t.AddDate(pick(r, []int{0, 0, -1, 2}), pick(r, []int{0, 1, -2}), pick(r, []int{0, 3, -9}))
			if day := wrong.Format(time.DateOnly); day != first.Format(time.DateOnly) && day != last.Format(time.DateOnly) {
				return "[-" + sayDate(r, wrong, german) + "]"
			}
		}
	}
	words := []string{"", "", "", "", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"}
	hosts, clock := "[+"+words[n]+"]", "[+"+first.Format("15:04")+"]"
	if r.IntN(3) == 0 {
		hosts = "[-" + words[4+(n-4+1+r.IntN(8))%9] + "]"
	}
	if r.IntN(3) == 0 {
		wrong := first.Add(time.Duration(7+r.IntN(50)) * time.Minute)
		if wrong.Format("15:04") != last.Format("15:04") {
			clock = "[-" + wrong.Format("15:04") + "]"
		}
	}
	count := "[+" + strconv.Itoa(events) + "]"
	if r.IntN(3) == 0 {
		count = "[-" + strconv.Itoa(events+events/(5+r.IntN(20))+3) + "]"
	}
	if german {
		if strings.HasPrefix(hosts, "[+") {
			hosts = "[+" + strconv.Itoa(n) + "]"
		} else {
			hosts = "[-" + strconv.Itoa(n+13) + "]"
		}
		return fmt.Sprintf("=== Wann kamen die Ereignisse?\n%s\n---\nDas erste Ereignis war am %s um %s Uhr, das letzte am %s. Es gab %s Ereignisse auf %s Rechnern.\n",
			output, say(first), clock, say(last), count, hosts)
	}
	return fmt.Sprintf("=== When did the events happen?\n%s\n---\n%s\n", output, pick(r, []string{
		fmt.Sprintf("The first event was on %s at %s, the last on %s. There were %s events on %s hosts.", say(first), clock, say(last), count, hosts),
		fmt.Sprintf("- First event: **%s** (%s)\n- Last event: **%s**\n- Events: %s\n- Hosts: %s", say(first), clock, say(last), count, hosts),
		fmt.Sprintf("%s events were seen between %s and %s, on %s hosts; they began at %s.", count, say(first), say(last), hosts, clock),
	}))
}

// comparison is an answer in words such as "doubled", "a third of" and "three times".
func comparison(r *rand.Rand) string {
	type said struct {
		ratio float64
		text  string
	}
	grown := []said{{2, "doubled"}, {3, "tripled"}, {4, "quadrupled"}, {.5, "halved"}}
	parts := []said{{1. / 3, "a third"}, {.25, "a quarter"}, {.5, "half"}, {2. / 3, "two thirds"}, {.75, "three quarters"}, {.2, "a fifth"}}
	times := []said{{2, "twice"}, {3, "three times"}, {4, "four times"}, {5, "five times"}}
	near := func(f float64) float64 { return f * (1 + (r.Float64()-.5)*.016) }
	label := func(list []said, ratio float64) string {
		s := pick(r, list)
		if math.Abs(s.ratio-ratio) < .02*ratio {
			return "[+" + s.text + "]"
		}
		if math.Abs(s.ratio-ratio) > .2*ratio {
			return "[-" + s.text + "]"
		}
		for _, s := range list {
			if math.Abs(s.ratio-ratio) < .02*ratio {
				return "[+" + s.text + "]"
			}
		}
		return ""
	}
	base := float64(1000 + r.IntN(80_000))
	switch r.IntN(3) {
	case 0:
		ratio := pick(r, grown).ratio
		after := math.Round(base * near(ratio))
		word := label(grown, ratio)
		year := 1990 + r.IntN(20)
		return fmt.Sprintf("=== How did membership change?\n%d: %.0f\n%d: %.0f\n---\nBetween [+%d] and [+%d] membership %s, from [+%s] to [+%s]. By [-%d] it will be [-%s].\n",
			year, base, year+12, after, year, year+12, word, group(base), group(after), year+17, group(math.Round(base*(6.3+r.Float64()))))
	case 1:
		ratio := pick(r, parts).ratio
		value := round(near(ratio), 4)
		word := label(parts, ratio)
		return fmt.Sprintf("=== What part of the parcels is late?\nlate share: %v\nparcels: %.0f\n---\nAbout %s of the [+%s] parcels are late ([+%.1f %%]), while [-%.1f %%] never arrive.\n",
			value, base, word, group(base), value*100, 1.3+r.Float64()*4)
	}
	ratio := pick(r, times).ratio
	more := math.Round(base * near(ratio))
	word := label(times, ratio)
	return fmt.Sprintf("=== Compare the two mills.\nold mill %.0f t\nnew mill %.0f t\n---\nThe new mill made %s as much as the old one ([+%s t] against [+%s t]); the plan was [-%s t].\n",
		base, more, word, group(more), group(base), group(math.Round(more*(1.2+r.Float64()*.2))))
}

func group(v float64) string {
	s := strconv.FormatFloat(v, 'f', 0, 64)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
