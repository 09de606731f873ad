//go:build ignore

// This program writes generated.txt: texts of answers, each with the question and the
// output that it belongs to, whose figures are labelled true or invented. See README.md.
package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
)

// fact is a value that an output shows.
type fact struct {
	name  string // of its row
	value float64
}

// theme is what a question is about: how values look, and what stands beside them.
type theme struct {
	question, column, noun string
	values                 func(*rand.Rand) float64
	kind                   string // count, money, share, measure
	unit                   string
}

var themes = []theme{
	{"How many orders did each region have?", "orders", "orders", func(r *rand.Rand) float64 { return float64(100 + r.IntN(99_000)) }, "count", ""},
	{"How many visits were there?", "visits", "visits", func(r *rand.Rand) float64 { return float64(10_000 + r.IntN(9_000_000)) }, "count", ""},
	{"What was the revenue?", "revenue", "", func(r *rand.Rand) float64 { return round(1000+r.Float64()*5e6, 2) }, "money", "€"},
	{"What did it cost in dollars?", "cost_usd", "", func(r *rand.Rand) float64 { return round(10+r.Float64()*90_000, 2) }, "money", "$"},
	{"What share did each have?", "share", "", func(r *rand.Rand) float64 { return round(.011+r.Float64()*.97, 4) }, "share", ""},
	{"How hot was it on average?", "temperature", "", func(r *rand.Rand) float64 { return round(-12+r.Float64()*50, 2) }, "measure", "°C"},
	{"How far are they apart?", "distance_km", "", func(r *rand.Rand) float64 { return round(20+r.Float64()*4000, 1) }, "measure", "km"},
	{"How long did each step take?", "seconds", "", func(r *rand.Rand) float64 { return round(.5+r.Float64()*800, 3) }, "measure", "seconds"},
	{"What is the mean score?", "score", "", func(r *rand.Rand) float64 { return round(1+r.Float64()*99, 5) }, "measure", ""},
}

var names = []string{"North", "South", "East", "West", "Alpha", "Beta", "Gamma", "Delta", "Oslo", "Lima", "Quito", "Cairo"}

func round(v float64, digits int) float64 {
	p := math.Pow10(digits)
	return math.Round(v*p) / p
}

func plain(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// output prints facts as code would: lines, a data frame, a dict, JSON, CSV.
func output(r *rand.Rand, t theme, facts []fact) string {
	var b strings.Builder
	switch r.IntN(5) {
	case 0:
		for _, f := range facts {
			fmt.Fprintf(&b, "%s: %s\n", f.name, plain(f.value))
		}
	case 1:
		fmt.Fprintf(&b, "   region  %s\n", t.column)
		for i, f := range facts {
			fmt.Fprintf(&b, "%d  %6s  %s\n", i, f.name, plain(f.value))
		}
	case 2:
		var parts []string
		for _, f := range facts {
			parts = append(parts, fmt.Sprintf("'%s': %s", f.name, plain(f.value)))
		}
		fmt.Fprintf(&b, "{%s}\n", strings.Join(parts, ", "))
	case 3:
		b.WriteString("[\n")
		for _, f := range facts {
			fmt.Fprintf(&b, "  {\"region\": \"%s\", \"%s\": %s},\n", f.name, t.column, plain(f.value))
		}
		b.WriteString("]\n")
	case 4:
		fmt.Fprintf(&b, "region,%s\n", t.column)
		for _, f := range facts {
			fmt.Fprintf(&b, "%s,%s\n", f.name, plain(f.value))
		}
	}
	return b.String()
}

// group writes digits with separators.
func group(digits, sep, point string) string {
	minus := ""
	if strings.HasPrefix(digits, "-") {
		minus, digits = "-", digits[1:]
	}
	whole, rest, frac := strings.Cut(digits, ".")
	var parts []string
	for len(whole) > 3 {
		parts = append([]string{whole[len(whole)-3:]}, parts...)
		whole = whole[:len(whole)-3]
	}
	out := minus + strings.Join(append([]string{whole}, parts...), sep)
	if frac {
		out += point + rest
	}
	return out
}

// say writes a value in one of the notations that answers have.
func say(r *rand.Rand, t theme, v float64) string {
	if t.kind == "share" {
		switch r.IntN(5) {
		case 0:
			return fmt.Sprintf("%.1f %%", 100*v)
		case 1:
			return fmt.Sprintf("%.1f%%", 100*v)
		case 2:
			return strings.Replace(fmt.Sprintf("%.1f %%", 100*v), ".", ",", 1)
		case 3:
			return fmt.Sprintf("%.2f percent", 100*v)
		}
		return plain(v)
	}
	digits := plain(v)
	if t.kind != "count" && r.IntN(2) == 0 {
		digits = strconv.FormatFloat(v, 'f', 1, 64)
	}
	switch r.IntN(8) {
	case 0:
		digits = group(digits, ",", ".")
	case 1:
		digits = group(digits, ".", ",")
	case 2:
		digits = group(digits, "'", ".")
	case 3:
		digits = group(digits, "\u202f", ",")
	case 4:
		if math.Abs(v) >= 1e6 {
			digits = fmt.Sprintf("%.2f million", v/1e6)
		}
	case 5:
		if math.Abs(v) >= 1e4 {
			digits = fmt.Sprintf("%.1fk", v/1e3)
		}
	}
	return digits
}

// dress puts a figure into its mark, with what stands beside it.
func dress(r *rand.Rand, t theme, mark, text string) string {
	switch {
	case t.unit == "$":
		return fmt.Sprintf("[%s$%s]", mark, text)
	case t.unit == "€" && r.IntN(2) == 0:
		return fmt.Sprintf("[%s€%s]", mark, text)
	case t.unit != "":
		return fmt.Sprintf("[%s%s] %s", mark, text, t.unit)
	case t.noun != "" && r.IntN(2) == 0:
		return fmt.Sprintf("[%s%s] %s", mark, text, t.noun)
	}
	return fmt.Sprintf("[%s%s]", mark, text)
}

// invent makes a value that is near to a true one, as a slip would be, and that no
// output holds at any notation of say: it differs by more than 3 % from all of them.
func invent(r *rand.Rand, t theme, facts []fact) float64 {
	for tries := 0; ; tries++ {
		v := facts[r.IntN(len(facts))].value
		switch r.IntN(5) {
		case 0:
			v *= 1.04 + .3*r.Float64()
		case 1:
			v *= .7 + .25*r.Float64()
		case 2:
			v *= 10
		case 3:
			v /= 10
		case 4: // the sum of two, which the model works out in its head
			v += facts[r.IntN(len(facts))].value
		}
		if tries > 1000 { // the facts leave no room near them
			v *= 1 + 20*r.Float64()
		}
		digits := map[string]int{"count": 0, "money": 2, "share": 4, "measure": 2}[t.kind]
		v = round(v, digits)
		ok := math.Abs(v) > 10 && t.kind != "share" || t.kind == "share" && v > .0105 && v < 9
		for _, f := range facts {
			for _, by := range []float64{1, 100, .01, 1000, .001, 1e6, 1e-6} {
				ok = ok && math.Abs(math.Abs(v)-math.Abs(f.value*by)) > .03*math.Abs(f.value*by)
			}
		}
		if ok {
			return v
		}
	}
}

var openings = []string{"Here is what came out.", "In short:", "The figures are as follows.", "Das Ergebnis:", "Voilà.", "As computed,", ""}

// answer writes a text with the facts and one or two invented figures.
func answer(r *rand.Rand, t theme, facts []fact) string {
	var lines []string
	for _, f := range facts {
		lines = append(lines, f.name+"\x00"+dress(r, t, "+", say(r, t, f.value)))
	}
	for range 1 + r.IntN(2) {
		v := invent(r, t, facts)
		lines = append(lines, "Zeta\x00"+dress(r, t, "-", say(r, t, v)))
	}
	r.Shuffle(len(lines), func(i, k int) { lines[i], lines[k] = lines[k], lines[i] })
	opening := openings[r.IntN(len(openings))]
	switch r.IntN(5) {
	case 0:
		return opening + "\n\n- " + strings.Join(replace(lines, ": "), "\n- ")
	case 1:
		var out []string
		for i, l := range replace(lines, " had ") {
			out = append(out, fmt.Sprintf("%d. %s", i+1, l))
		}
		return opening + "\n\n" + strings.Join(out, "\n")
	case 2:
		var out []string
		for _, l := range replace(lines, " | ") {
			out = append(out, "| "+l+" |")
		}
		return opening + "\n\n| region | value |\n|---|---|\n" + strings.Join(out, "\n")
	case 3:
		return opening + " " + strings.Join(replace(lines, " has "), "; ") + "."
	}
	return opening + " **" + strings.Join(replace(lines, " came to "), "**, **") + "** in all."
}

func replace(lines []string, by string) []string {
	var out []string
	for _, l := range lines {
		out = append(out, strings.Replace(l, "\x00", by, 1))
	}
	return out
}

// dates is a case about days.
func dates(r *rand.Rand) string {
	year, month, day := 1990+r.IntN(40), 1+r.IntN(12), 1+r.IntN(28)
	months := []string{"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"}
	write := func(y, m, d, how int) string {
		return []string{
			fmt.Sprintf("%04d-%02d-%02d", y, m, d), fmt.Sprintf("%d.%d.%d", d, m, y), fmt.Sprintf("%s %d, %d", months[m-1], d, y),
			fmt.Sprintf("%d %s %d", d, months[m-1], y), fmt.Sprintf("the %dth of %s %d", d, months[m-1], y)[4:],
		}[how]
	}
	wrong := write(year, month, (day+3)%28+1, []int{0, 2, 3}[r.IntN(3)])
	if r.IntN(2) == 0 {
		wrong = write(year+1+r.IntN(5), month, day, r.IntN(4))
	}
	out := []string{fmt.Sprintf("last %04d-%02d-%02d 00:00:00", year, month, day), fmt.Sprintf("datetime.date(%d, %d, %d)", year, month, day), fmt.Sprintf("Timestamp('%04d-%02d-%02d')", year, month, day)}[r.IntN(3)]
	return fmt.Sprintf("=== When was the last order?\n%s\n---\nIt was on [+%s]. The one before was on [-%s].\n", out, write(year, month, day, r.IntN(4)), wrong)
}

// small is a case about counts below twenty, which need a source that counts.
func small(r *rand.Rand) string {
	words := []string{"zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"}
	n := 2 + r.IntN(11)
	wrong := n
	for wrong == n {
		wrong = 2 + r.IntN(11)
	}
	things := []string{"customers", "shops", "errors", "outliers", "duplicates"}[r.IntN(5)]
	noise := []string{
		fmt.Sprintf("File \"main.py\", line %d, in <module>", wrong), fmt.Sprintf("saved plot_%d.png", wrong), fmt.Sprintf("pandas %d.0.1", wrong),
		fmt.Sprintf("run at 2021-%02d-17 08:00:00", wrong), fmt.Sprintf("/work/a.py:%d: FutureWarning: old", wrong), fmt.Sprintf("Name: %d, dtype: int64", wrong),
	}[r.IntN(6)]
	one, other := strconv.Itoa(n), strconv.Itoa(wrong)
	if r.IntN(2) == 0 {
		one = words[n]
	}
	if r.IntN(2) == 0 {
		other = words[wrong]
	}
	return fmt.Sprintf("=== How many %s?\n%s\n%s: %d\n---\nThere are [+%s] %s, and [-%s] were there before.\n", things, noise, things, n, one, things, other)
}

func main() {
	r := rand.New(rand.NewPCG(2026, 15))
	var b strings.Builder
	for range 190 {
		t := themes[r.IntN(len(themes))]
		var facts []fact
		for _, k := range r.Perm(len(names))[:2+r.IntN(3)] {
			facts = append(facts, fact{names[k], t.values(r)})
		}
		fmt.Fprintf(&b, "=== %s\n%s---\n%s\n", t.question, output(r, t, facts), answer(r, t, facts))
	}
	for range 30 {
		b.WriteString(dates(r))
	}
	for range 40 {
		b.WriteString(small(r))
	}
	if err := os.WriteFile("generated.txt", []byte(b.String()), 0o644); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
