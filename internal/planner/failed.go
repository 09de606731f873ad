package planner

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"praxis/fault"
	"praxis/internal/plan"
	"praxis/internal/plan/check"
	"praxis/internal/plan/label"
	"praxis/internal/safetext"
	"praxis/internal/tool/jsondoc"
)

// refused is the message to the model about a plan that may not run. All that the check
// found comes of the plan's text and of the definitions, so the model may see it.
func refused(r *check.Result) string {
	var b strings.Builder
	b.WriteString("The plan was not run. Correct it and write it again, whole:\n")
	write(&b, r, true)
	warned(&b, r)
	return b.String()
}

// warned adds what the check only warned of.
func warned(b *strings.Builder, r *check.Result) {
	if slices.ContainsFunc(r.Findings, func(f check.Finding) bool { return f.Level != check.Error }) {
		b.WriteString("\nThe check also warned:\n")
		write(b, r, false)
	}
}

// write writes the errors, or the other findings, with their ways and remedies.
func write(b *strings.Builder, r *check.Result, errors bool) {
	for _, f := range r.Findings {
		if (f.Level == check.Error) != errors {
			continue
		}
		fmt.Fprintf(b, "\nline %d: %s", f.Line, f.Message)
		for _, p := range f.Paths {
			fmt.Fprintf(b, "\n    %s reaches %s:", p.Source, p.Argument)
			for _, s := range p.Steps {
				fmt.Fprintf(b, "\n    line %d: %s", s.Line, s.Text)
			}
		}
		if f.Remedy != "" {
			b.WriteString("\n    " + f.Remedy)
		}
	}
}

// failed is the message to the model about a plan that failed. It contains nothing
// from sources that are not trusted, but for those that the model has seen.
func failed(o Result, p *plan.Plan, seen label.Label, nested bool) string {
	var b strings.Builder
	text := string(p.Text)
	said, closed := closedText(o.End, text)
	switch {
	case o.Status == "limit":
		remedy := "Let it do less."
		if fault.KindOf(o.End.Fault) == fault.Invalid { // no limit: what it did is not possible there
			remedy = fault.RemedyOf(o.End.Fault)
		}
		why := o.End.Error
		if nested || fault.CodeOf(o.End.Fault) == "" { // what the plan around it left, or how large something was
			why = digits.ReplaceAllString(why, "N")
		}
		fmt.Fprintf(&b, "The plan was stopped: %s. %s", why, remedy)
	case visible(o.End.Label, seen):
		fmt.Fprintf(&b, "The plan failed:\n%s", strings.TrimRight(o.End.Error, "\n"))
	case o.End.Plain != "":
		fmt.Fprintf(&b, "The plan failed on line %d:\n%s: %s", o.End.Line, o.End.Class, o.End.Plain)
	case closed:
		fmt.Fprintf(&b, "The plan failed on line %d:\n%s", o.End.Line, said)
	default:
		fmt.Fprintf(&b, "The plan failed on line %d with %s. The text of the error depends on data that you may not see.", o.End.Line, className(o.End.Class, text))
	}
	b.WriteString(calls(o))
	warned(&b, p.Check)
	b.WriteString("\nWrite the plan again, whole, so that it does what is left to do.")
	if slices.ContainsFunc(o.Called, func(c Called) bool { return c.made.Sum != "" }) {
		b.WriteString(" What is done stays done: leave it out. A call that repeats it is made only when a person agrees.")
	}
	return b.String()
}

// digits are numbers, and chosen the parts of closed errors whose numbers data choose: the
// model could read them one after the other out of many attempts.
var (
	digits = regexp.MustCompile(`[0-9]+`)
	chosen = regexp.MustCompile(`, got [0-9]+| [0-9]+(:)`)
)

// maxCalls bounds the list of calls that the model is sent. Calls that read alike count
// as one.
const maxCalls = 50

// calls lists what a plan called, each once.
func calls(o Result) string {
	if len(o.Called) == 0 {
		return ""
	}
	var lines []string
	hidden := false
	for _, c := range o.Called {
		line := fmt.Sprintf("\n- line %d: %s%s%s", c.Line, c.Tool, c.text, c.came())
		if hidden = hidden || c.hidden; !c.hidden && !slices.Contains(lines, line) {
			if len(lines) == maxCalls {
				lines = append(lines, "\n- and more")
				break
			}
			lines = append(lines, line)
		}
	}
	if hidden {
		lines = append(lines, "\n- and others, which depend on data that you may not see")
	}
	return "\nIt had called these tools already:" + strings.Join(lines, "")
}

// closedText is the last line of an error whose words are all of the language or of the
// plan, ok false when there may be others. Which of them it is can depend on data, as
// the line can: that is what [Ask] lets the model see.
func closedText(e *plan.End, text string) (line string, ok bool) {
	if e == nil {
		return "", false
	}
	lines := strings.Split(strings.TrimRight(e.Error, "\n"), "\n")
	class, said, _ := strings.Cut(lines[len(lines)-1], ": ")
	said, _, _ = strings.Cut(said, ". Did you mean")
	if className(class, text) != class {
		return "", false
	}
	for _, pattern := range closedErrors() {
		words := pattern.FindStringSubmatch(said)
		if words != nil && !slices.ContainsFunc(words[1:], func(w string) bool { return !ofLanguage(w) && !stands(w, text) }) {
			return class + ": " + chosen.ReplaceAllString(said, "$1"), true
		}
	}
	return "", false
}

// closedErrors are texts of errors that name nothing but types and the program's own
// words.
func closedErrors() []*regexp.Regexp {
	const word = `([\pL_][\pL\pN_.]*)`
	var out []*regexp.Regexp
	for _, text := range []string{
		`'W' object is not [a-z ]+`, `'W' object has no attribute 'W'`, `type object 'W' has no attribute 'W'`, `name 'W' is not defined`,
		`unsupported operand type\(s\) for [^'"A-Za-z]+: 'W' and 'W'`, `'[<>=]+' not supported between instances of 'W' and 'W'`,
		`can only concatenate W \(not "W"\) to W`, `W indices must be integers or slices, not W`, `W indices must be integers, not 'W'`,
		`(?:list|tuple|string) index out of range`, `(?:integer )?(?:division|modulo) by zero`, `float division by zero`, `division by zero`,
		`Object of type W is not JSON serializable`, `object of type 'W' has no len\(\)`, `cannot unpack non-iterable W object`,
		`not enough values to unpack \(expected [0-9]+, got [0-9]+\)`, `too many values to unpack \(expected [0-9]+(?:, got [0-9]+)?\)`,
		`sequence item [0-9]+: expected str instance, W found`, `W\(\) argument must be [a-z, -]+, not '?W'?`,
	} {
		out = append(out, regexp.MustCompile("^"+strings.ReplaceAll(text, "W", word)+"$"))
	}
	return out
}

// className is the name of an exception's class as the model may see it: a program can
// name a class by data.
func className(name, text string) string {
	if ofLanguage(name) || stands(name, text) {
		return name
	}
	return "an exception"
}

// stands says whether a word stands in a plan.
func stands(word, text string) bool {
	found, err := regexp.MatchString(`(^|[^\pL\pN_])`+regexp.QuoteMeta(word)+`($|[^\pL\pN_])`, text)
	return err == nil && found
}

// ofLanguage says whether a word is a type of the language.
func ofLanguage(word string) bool {
	return slices.Contains(strings.Fields(`str int float bool NoneType list dict tuple set frozenset bytes range function method generator module type object
		datetime.datetime datetime.date datetime.time datetime.timedelta datetime date time timedelta decimal.Decimal Decimal
		ArithmeticError AssertionError AttributeError Exception ImportError IndexError KeyError LookupError ModuleNotFoundError NameError
		NotEnoughInformation NotImplementedError OverflowError PermissionError RecursionError RuntimeError StopIteration SystemExit ToolError
		TypeError UnboundLocalError UnicodeError ValueError ZeroDivisionError json.decoder.JSONDecodeError JSONDecodeError`), word)
}

// came says what came of a call.
func (c Called) came() string {
	switch {
	case !c.Done:
		return " was not called: denied"
	case c.Rehearsed && c.Failed:
		return " failed in rehearsal: nothing was done"
	case c.Rehearsed && c.text != "":
		return " was rehearsed: nothing was done"
	case c.Failed && c.made.Sum != "":
		return " was called and failed: it may be done all the same, and counts as done"
	case c.Failed:
		return " failed"
	case c.made.Sum != "":
		return " is done"
	}
	return ""
}

const maxShown = 300 // bytes of one argument that the model is reminded of

// written writes down the arguments of a call with effects, for the model that wrote
// the plan: those that depend on data which it may not see are left out.
func written(c *plan.Call, seen label.Label) string {
	shown, ok := c.Tool.RedactArguments(c.Arguments).(*jsondoc.Object)
	if !c.Tool.Effects.Acts() {
		return ""
	}
	var args []string
	for name := range c.Arguments.All() {
		text := "(depends on data that you may not see)"
		if v, given := shown.Get(name); ok && given && visible(c.Labels[name], seen) {
			if b, err := jsondoc.Canonical(v); err == nil {
				text = safetext.Clip(string(b), maxShown)
			}
		}
		args = append(args, name+"="+text)
	}
	return "(" + strings.Join(args, ", ") + ")"
}
