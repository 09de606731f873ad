package vm

import (
	"strings"
	"testing"

	"praxis/fault"
	"praxis/internal/plan/label"
	"praxis/internal/plan/value"
)

// labelledInputs makes the inputs n, x, s and xs of a program, which come from the user.
func labelledInputs(table *label.Table) []value.Field {
	from := func(name string) label.ID {
		return table.Of(label.Source{Kind: label.User, Name: name}, label.Everyone())
	}
	return []value.Field{
		{Name: "n", Data: value.Data{Value: int64(5), Label: from("n")}},
		{Name: "x", Data: value.Data{Value: 2.5, Label: from("x")}},
		{Name: "s", Data: value.Data{Value: "2024-02-03", Label: from("s")}},
		{Name: "clock", Data: value.Data{Value: "10:20:30", Label: from("clock")}},
		{Name: "xs", Data: value.Data{Items: []value.Data{{Value: 1.5, Label: from("xs")}, {Value: 2.5, Label: from("xs")}, {Value: 2.5, Label: from("xs")}, {Value: 4.0, Label: from("xs")}}}},
		{Name: "fmt", Data: value.Data{Value: "%Y-%m-%d", Label: from("fmt")}},
		{Name: "two", Data: value.Data{Value: int64(2), Label: from("two")}},
	}
}

const labelledHead = `
from dataclasses import dataclass, asdict, astuple, replace, field
from enum import Enum, IntEnum, StrEnum
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal, Context, localcontext
from fractions import Fraction
import statistics, random, calendar, math
import time as clocks
@dataclass(order=True)
class P:
    a: int
    b: int = 7
    def area(self):
        return self.a * self.b
@dataclass(frozen=True)
class Frozen:
    a: int
    made: list = field(default_factory=lambda: [1])
@dataclass(frozen=True)
class Cold:
    a: int
class Color(Enum):
    RED = 1
    TWO = 2
    FIVE = 5
class Level(IntEnum):
    LOW = 2
    HIGH = 5
def message(f):
    try:
        return f()
    except (ValueError, ArithmeticError) as e:
        return str(e)
class Word(StrEnum):
    DAY = '2024-02-03'
`

// TestLibraryKeepsLabels checks that what a library function makes of labelled arguments is labelled.
func TestLibraryKeepsLabels(t *testing.T) {
	t.Parallel()
	for _, expr := range []string{
		"P(n)", "P(n).a", "P(1, n).area()", "P(n) == P(5)", "P(1, n) == P(1, 5)", "P(n) != P(4)", "P(n) < P(6)", "asdict(P(n))", "astuple(P(n, 1))",
		"replace(P(1), b=n)", "Frozen(n)", "hash(Cold(n))", "Frozen(n).a", "P(n, 1) == P(5, 2)", "repr(P(b=n, a=1))",
		"Color(n)", "Color(n).name", "Color(n) is Color.FIVE", "n in Color", "Level(n) + 1", "Word(s)", "message(lambda: Color(n + 3))", "message(lambda: date(2024, n + 30, 1))", "message(lambda: Decimal(s))", "Color(n).value",
		"date(2024, 1, n)", "date(2024, 1, n).weekday()", "date(2024, n, 1).strftime('%B')", "date(2024, 1, 1).strftime(fmt)", "date.fromisoformat(s)", "date.fromisoformat(s).year",
		"datetime.strptime(s, '%Y-%m-%d')", "datetime.strptime('2024-02-03', fmt)", "datetime.strptime(s, '%Y-%m-%d').month", "date.fromisoformat(s) < date(2025, 1, 1)", "date.fromisoformat(s) == date(2025, 1, 1)",
		"date(2024, 1, 1) + timedelta(days=n)", "(date.fromisoformat(s) - date(2024, 1, 1)).days", "datetime(2024, 1, 1, n).isoformat()", "time.fromisoformat(clock)", "time.fromisoformat(clock).minute", "timedelta(hours=x).total_seconds()",
		"timedelta(n) > timedelta(1)", "timedelta(1) * n", "timedelta(1) / x", "datetime.fromtimestamp(n)", "datetime(2024, 1, 1, tzinfo=timezone(timedelta(hours=n))).isoformat()", "date.fromordinal(700000 + n)",
		"datetime(2024, 1, n).date()", "datetime.combine(date(2024, 1, 1), time.fromisoformat(clock))", "datetime(2024, 1, n).replace(hour=3).day", "f'{date(2024, 1, n):%d}'", "date.fromisoformat(s).isocalendar().week", "datetime.fromisoformat(s).timestamp()",
		"Decimal(n)", "Decimal(s[:4])", "Decimal(x) + 1", "1 + Decimal(n)", "Decimal(n) > 3", "Decimal(n) == 5", "Decimal('1.234').quantize(Decimal(n))", "round(Decimal('2.345'), two)", "f'{Decimal(n):.2f}'", "int(Decimal(x))", "Decimal(n).sqrt()", "Decimal(n).as_tuple().digits",
		"Decimal(n) ** 2", "divmod(Decimal(n), 2)", "hash(Decimal(n))", "bool(Decimal(n))", "-Decimal(n)",
		"Fraction(n, 3)", "Fraction(s[:4])", "Fraction(1, 3) + n", "Fraction(n) < 3", "Fraction(n) == 5", "float(Fraction(n, 2))", "Fraction(n, 2).numerator", "f'{Fraction(n, 3):.2f}'", "Fraction(n) ** 2",
		"statistics.mean(xs)", "statistics.median(xs)", "statistics.mode(xs)", "statistics.stdev(xs)", "statistics.quantiles(xs)", "statistics.fmean(xs)", "statistics.variance([1, x, 3])", "statistics.multimode(xs)",
		"random.Random(n).random()", "random.Random(1).randint(1, n)", "random.choice(xs)", "random.sample(range(100), n)", "random.Random(1).choices('ab', weights=[n, 1])", "random.Random(1).uniform(0, x)", "random.Random(1).gauss(n, 1)",
		"calendar.monthrange(2024, n)", "calendar.isleap(2000 + n)", "calendar.month_name[n]", "calendar.monthcalendar(2024, n)", "clocks.strftime(fmt, clocks.gmtime(0))", "clocks.strptime(s, '%Y-%m-%d').tm_mon", "clocks.gmtime(n)",
	} {
		for _, strict := range []bool{false, true} {
			if got := labelOf(t, expr, strict); got == 0 {
				t.Errorf("%s (strict %v) has no label", expr, strict)
			}
		}
	}
}

// TestLibraryIsPrecise checks that what does not depend on labelled data has no label.
func TestLibraryIsPrecise(t *testing.T) {
	for _, expr := range []string{
		"P(n).b", "P(1) == P(1)", "replace(P(n), b=3).b", "asdict(P(n))['b']", "Color.RED", "Color(1)", "date(2024, 1, n).year", "datetime(2024, 1, 1, n).month", "Decimal(1) / 3",
		"(Color(n), Color(1))[1]", "(random.Random(n), random.Random(1).random())[1]", "(datetime.strptime(s, '%Y-%m-%d'), datetime.strptime('2024', '%Y'))[1]", "len(Color)", "Frozen(n).made",
	} {
		if got := labelOf(t, expr, false); got != 0 {
			t.Errorf("%s has a label", expr)
		}
	}
}

// labelOf runs a program over the labelled inputs and returns the label of what it prints.
func labelOf(t *testing.T, expr string, strict bool) label.ID {
	t.Helper()
	table := label.NewTable()
	inputs := labelledInputs(table)
	var names []string
	for _, f := range inputs {
		names = append(names, f.Name)
	}
	vm := newVM(t, labelledHead+"r = str("+expr+")\nprint(r)\n", Env{Inputs: names}, Options{Strict: strict}, Config{Labels: table, Inputs: inputs})
	out, err := vm.Run()
	if _, ok := out.(Done); err != nil || !ok {
		t.Fatalf("%s: %v %v", expr, out, err)
	}
	l := label.ID(0)
	for _, c := range vm.Output() {
		l = table.Join(l, c.Label)
	}
	return l
}

// FuzzTimeText reads texts as times by formats, and writes what was read: it
// ends, and what a format wrote it reads again.
func FuzzTimeText(f *testing.F) {
	for _, c := range [][2]string{{"2024-02-03", "%Y-%m-%d"}, {"111", "%d%m%H"}, {"  x", " %f%%"}, {"Sat Feb  3 04:05:06 2024", "%c"}, {"+05:30:00.5", "%z"}, {"é", "%é%_5d%-"}, {"2024 53 1", "%G %V %u"}} {
		f.Add(c[0], c[1])
	}
	p := program(f, `
from datetime import datetime
try:
    print(datetime(2024, 2, 3, 4, 5, 6, 7).strftime(fmt))
    t = datetime.strptime(text, fmt)
except ValueError:
    print('bad')
else:
    again = t.strftime(fmt)
    if '%' not in fmt.replace('%Y-%m-%d', '') and datetime.strptime(again, fmt) != t:
        print('other', t, again)
`, Env{Inputs: []string{"text", "fmt"}}, Options{})
	f.Fuzz(func(t *testing.T, text, format string) {
		text, format = strings.ToValidUTF8(text, "?"), strings.ToValidUTF8(format, "?")
		vm, err := New(p, Config{Limits: value.Limits{Steps: 5_000_000}, Inputs: []value.Field{{Name: "text", Data: value.Data{Value: text}}, {Name: "fmt", Data: value.Data{Value: format}}}})
		if err != nil {
			t.Fatal(err)
		}
		out, err := vm.Run()
		if _, ok := out.(Done); !ok && fault.KindOf(err) != fault.Exhausted {
			t.Fatalf("%q by %q: %v %v", text, format, out, err)
		}
		for _, c := range vm.Output() {
			if strings.HasPrefix(c.Text, "other") {
				t.Fatalf("%q by %q: %s", text, format, c.Text)
			}
		}
	})
}
