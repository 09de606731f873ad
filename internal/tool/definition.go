package tool

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"time"

	"praxis/internal/tool/jsondoc"
	"praxis/internal/tool/schema"
)

// Effects says what a call does to the world. The zero value is not one.
type Effects uint8

// The effects, from the harmless to the dangerous.
const (
	Pure     Effects = iota + 1 // the result depends on the arguments alone
	Read                        // reads a state; calling it changes nothing that anyone would miss
	Write                       // changes a state that the user owns
	External                    // reaches others: sends, pays, publishes
)

// EffectNames returns the names that files use, from the harmless to the dangerous.
func EffectNames() []string { return []string{"pure", "read", "write", "external"} }

// String returns the name that files use, such as "read".
func (e Effects) String() string {
	if e >= Pure && e <= External {
		return EffectNames()[e-1]
	}
	return fmt.Sprintf("effects(%d)", uint8(e))
}

// ParseEffects reads the name of an effect.
func ParseEffects(s string) (Effects, bool) {
	for i, name := range EffectNames() {
		if name == s {
			return Effects(i + 1), true
		}
	}
	return 0, false
}

// Acts reports whether a call changes something: write or external.
func (e Effects) Acts() bool { return e == Write || e == External }

// Definition is what a tool is, whoever implements it. Definitions that Load
// returns are valid and are not to be changed.
type Definition struct {
	Name        string // dotted identifiers: "email.write"
	Version     Version
	Title       string
	Description string
	Input       *schema.Schema // of an object whose properties, in declared order, are the arguments
	Output      *schema.Schema // of the result; AnySchema when the file does not say
	Effects     Effects
	Labels      Labels
	Limits      Limits
	Secrets     Secrets
	Idempotent  bool // calling it twice with the same arguments is as good as once
	Approval    bool // a person has to agree to each call
	Model       bool // answered by a quarantined model: no tools, output by the schema, untrusted
	Examples    []Example
	Pos         jsondoc.Position // where it was declared; not part of the hash
}

// Labels are what data-flow rules need to know about a tool.
type Labels struct {
	Trusted   bool        // its results may steer calls
	Readers   Readers     // who may read its results
	Arguments []ArgDemand // what arguments demand, in the input's declared order
	Fields    []PartLabel // of parts of results, in the order of their paths
}

// PartLabel is the label of a part of a result and of what is in it, in place of the
// label of what is around it. "*" in its path stands for every item or member. Of
// several paths that lead to one part each counts.
type PartLabel struct {
	Path    jsondoc.Pointer
	Trusted *bool    // nil: as around it
	Readers *Readers // nil: as around it. A source "result" is a path within the part
}

// OverParts adds labels of parts to others that count before them. Who says of a part who
// may read it says nothing of its trust.
func OverParts(over, under []PartLabel) []PartLabel {
	out := slices.Clone(over)
	for _, p := range under {
		for _, q := range over {
			if q.Path == p.Path && q.Trusted != nil {
				p.Trusted = nil
			}
			if q.Path == p.Path && q.Readers != nil {
				p.Readers = nil
			}
		}
		if p.Trusted != nil || p.Readers != nil {
			out = append(out, p)
		}
	}
	return out
}

// PartMarks is what the labels of parts say of one part by itself.
type PartMarks struct {
	Trusted *bool
	Readers []Readers
	Inside  bool // something in it is trusted by a label of its own
	Below   bool // something in it has a label of its own
	Unknown bool // the path has a segment "?", and another label may be about it
}

// Marks finds what is said of the part at a path. A segment "?" of the path stands
// for a member that is not known.
func (l Labels) Marks(path []string) (m PartMarks) {
	for _, f := range l.Fields {
		segs := f.Path.Segments()
		match, unknown := true, false
		for i := range min(len(segs), len(path)) {
			if segs[i] != "*" && segs[i] != path[i] {
				match = match && path[i] == "?"
				unknown = true
			}
		}
		switch {
		case !match:
		case unknown:
			m.Unknown = true
		case len(segs) > len(path):
			m.Below = true
			m.Inside = m.Inside || f.Trusted != nil && *f.Trusted
		case len(segs) == len(path):
			if f.Trusted != nil && (m.Trusted == nil || *m.Trusted) {
				m.Trusted = f.Trusted
			}
			if f.Readers != nil {
				m.Readers = append(m.Readers, *f.Readers)
			}
		}
	}
	return m
}

// Exceptions says in words which parts of results are trusted or not, other than the
// whole: "; trusted are /*/id, /*/participants".
func (l Labels) Exceptions() string {
	var paths []string
	for _, f := range l.Fields {
		if f.Trusted != nil && *f.Trusted != l.Trusted {
			paths = append(paths, string(f.Path))
		}
	}
	if len(paths) == 0 {
		return ""
	}
	return map[bool]string{true: "; not trusted are ", false: "; trusted are "}[l.Trusted] + strings.Join(paths, ", ")
}

// Whole says whether all of a result is trusted, with each of its parts.
func (l Labels) Whole() bool {
	return l.Trusted && !slices.ContainsFunc(l.Fields, func(f PartLabel) bool { return f.Trusted != nil && !*f.Trusted })
}

// ArgDemand is a short form of a rule on one argument. A policy treats it as:
// deny the call unless the demand is met.
type ArgDemand struct {
	Argument   string
	Trusted    bool     // only trusted sources may have influenced it
	ReadableBy []string // arguments that name principals, each of whom must be allowed to read it
	Reason     string   // why, for the message of a denial; may be empty
}

// Demand returns the demand on an argument, the zero value when there is none.
func (l Labels) Demand(argument string) ArgDemand {
	for _, d := range l.Arguments {
		if d.Argument == argument {
			return d
		}
	}
	return ArgDemand{Argument: argument}
}

// Limits bound calls. Zero means that the definition sets no bound of its own.
type Limits struct {
	Timeout     time.Duration // of one call
	Bytes       int64         // of one result's JSON
	CallsPerRun int
	Rate        Rate
}

// Rate is a number of calls in a time. The zero value is no bound.
type Rate struct {
	Calls int
	Per   time.Duration
}

// String returns the rate as files write it: "10/minute".
func (r Rate) String() string {
	if r.Calls == 0 {
		return ""
	}
	for _, u := range RateUnits() {
		if u.Per == r.Per {
			return fmt.Sprintf("%d/%s", r.Calls, u.Name)
		}
	}
	return fmt.Sprintf("%d/%s", r.Calls, r.Per)
}

// RateUnit is a unit of time that rates are written in.
type RateUnit struct {
	Name string
	Per  time.Duration
}

// RateUnits returns the units of rates, the names that are written out first.
func RateUnits() []RateUnit {
	return []RateUnit{
		{"second", time.Second}, {"minute", time.Minute}, {"hour", time.Hour}, {"day", 24 * time.Hour},
		{"s", time.Second}, {"m", time.Minute}, {"h", time.Hour}, {"d", 24 * time.Hour},
	}
}

// Secrets says which parts of arguments and results must not be shown or stored,
// beside those that the schemas mark (writeOnly, format password, x-secret).
// "*" in a pointer stands for every item.
type Secrets struct {
	Input  []jsondoc.Pointer
	Output []jsondoc.Pointer
}

// Example is one call and its result. Tests run them, and a rehearsal answers
// calls with them when nothing implements the tool.
type Example struct {
	Name   string
	Input  *jsondoc.Object // the arguments by name
	Output any             // nil and HasOutput false when the file does not say
	// HasOutput says whether there is an output: it may be null.
	HasOutput bool
	Pos       jsondoc.Position
}

// ID returns "name@version".
func (d *Definition) ID() string { return d.Name + "@" + string(d.Version) }

// Namespace returns the name before the last dot, "" when there is none.
func (d *Definition) Namespace() string {
	i := strings.LastIndexByte(d.Name, '.')
	return d.Name[:max(i, 0)]
}

// Arguments returns the input's properties in the order in which positional
// arguments go to them.
func (d *Definition) Arguments() []schema.Property { return d.Input.Type().Properties }

// CheckArguments validates the arguments of a call, an object by name. Unlike
// JSON Schema, which lets pass what nobody declared, it refuses arguments that
// are not among the properties unless the schema has additionalProperties or
// patternProperties that allow them. The error is a fault of kind Invalid
// whose cause is a [*Mismatch].
func (d *Definition) CheckArguments(arguments any) error {
	m := d.Input.Validate(arguments)
	if m == nil {
		m = d.Input.Undeclared(arguments)
	}
	return d.misfit(m)
}

// CheckArgument is CheckArguments of one argument, whatever the others are.
func (d *Definition) CheckArgument(name string, v any) error {
	m := d.Input.ValidateProperty(name, v)
	if m != nil {
		m.Path = jsondoc.Pointer("").Child(name) + m.Path
	}
	return d.misfit(m)
}

func (d *Definition) misfit(m *schema.Mismatch) error {
	if m == nil {
		return nil
	}
	return m.Hiding(d.Secrets.Input).Fault("cannot call "+d.Name+": arguments", "Call it with arguments that fit its input schema.")
}

// Rehearse answers a call from the examples: with the output of the one that
// has these arguments, else of the first that has an output.
func (d *Definition) Rehearse(arguments *jsondoc.Object) (result any, ok bool) {
	want, err := jsondoc.AppendCanonical(nil, d.FillDefaults(arguments), 0)
	if err != nil {
		return nil, false
	}
	for _, e := range d.Examples {
		if !e.HasOutput {
			continue
		}
		if !ok {
			result, ok = e.Output, true
		}
		if got, err := jsondoc.AppendCanonical(nil, d.FillDefaults(e.Input), 0); err == nil && string(got) == string(want) {
			return e.Output, true
		}
	}
	return result, ok
}

// CheckResult validates what a call returned. The error is a fault of kind
// Invalid whose cause is a [*Mismatch]: the tool, not its caller, is at fault.
func (d *Definition) CheckResult(result any) error {
	if m := d.Output.Validate(result); m != nil {
		return m.Hiding(d.Secrets.Output).Fault("cannot use the result of "+d.Name+": result", "The tool does not keep its own output schema: correct the tool or its definition.")
	}
	return nil
}

// Hash returns the SHA-256 of the definition's canonical JSON: all that it
// says, with the order of the arguments, but not its place in the file.
func (d *Definition) Hash() [sha256.Size]byte {
	b, err := jsondoc.AppendCanonical(nil, d.canonical(), 0)
	if err != nil {
		// Only a definition that no loader made can hold what JSON cannot.
		b = fmt.Appendf(nil, "%#v", err)
	}
	return sha256.Sum256(b)
}

// canonical is the definition as a JSON value. Everything is written out, so
// that a default that is stated and one that is left out are the same.
func (d *Definition) canonical() *jsondoc.Object {
	var order []any
	for _, p := range d.Arguments() {
		order = append(order, p.Name)
	}
	var examples []any
	for _, e := range d.Examples {
		o := jsondoc.NewObject(jsondoc.Member{Name: "name", Value: e.Name}, jsondoc.Member{Name: "input", Value: e.Input})
		if e.HasOutput {
			o.Set("output", e.Output)
		}
		examples = append(examples, o)
	}
	return jsondoc.NewObject(
		jsondoc.Member{Name: "name", Value: d.Name}, jsondoc.Member{Name: "version", Value: string(d.Version)}, jsondoc.Member{Name: "title", Value: d.Title}, jsondoc.Member{Name: "description", Value: d.Description},
		jsondoc.Member{Name: "input", Value: d.Input.Value()}, jsondoc.Member{Name: "output", Value: d.Output.Value()}, jsondoc.Member{Name: "arguments", Value: order},
		jsondoc.Member{Name: "effects", Value: d.Effects.String()}, jsondoc.Member{Name: "labels", Value: d.Labels.canonical()},
		jsondoc.Member{Name: "limits", Value: jsondoc.NewObject(
			jsondoc.Member{Name: "timeout", Value: int64(d.Limits.Timeout)}, jsondoc.Member{Name: "bytes", Value: d.Limits.Bytes}, jsondoc.Member{Name: "calls", Value: d.Limits.CallsPerRun},
			jsondoc.Member{Name: "rate", Value: d.Limits.Rate.Calls}, jsondoc.Member{Name: "per", Value: int64(d.Limits.Rate.Per)})},
		jsondoc.Member{Name: "secrets", Value: jsondoc.NewObject(jsondoc.Member{Name: "input", Value: pointers(d.Secrets.Input)}, jsondoc.Member{Name: "output", Value: pointers(d.Secrets.Output)})},
		jsondoc.Member{Name: "idempotent", Value: d.Idempotent}, jsondoc.Member{Name: "approval", Value: d.Approval}, jsondoc.Member{Name: "model", Value: d.Model}, jsondoc.Member{Name: "examples", Value: examples},
	)
}

func (l Labels) canonical() *jsondoc.Object {
	var demands []any
	for _, d := range l.Arguments {
		demands = append(demands, jsondoc.NewObject(jsondoc.Member{Name: "argument", Value: d.Argument}, jsondoc.Member{Name: "trusted", Value: d.Trusted}, jsondoc.Member{Name: "readable_by", Value: texts(d.ReadableBy)}, jsondoc.Member{Name: "reason", Value: d.Reason}))
	}
	var sources []any
	for _, s := range l.Readers.From {
		sources = append(sources, jsondoc.NewObject(jsondoc.Member{Name: "from", Value: s.Origin.String()}, jsondoc.Member{Name: "path", Value: string(s.Path)}))
	}
	o := jsondoc.NewObject(jsondoc.Member{Name: "trusted", Value: l.Trusted}, jsondoc.Member{Name: "arguments", Value: demands},
		jsondoc.Member{Name: "readers", Value: jsondoc.NewObject(jsondoc.Member{Name: "everyone", Value: l.Readers.Everyone}, jsondoc.Member{Name: "principals", Value: texts(l.Readers.Principals)}, jsondoc.Member{Name: "from", Value: sources})})
	if len(l.Fields) > 0 {
		o.Set("fields", l.fields())
	}
	return o
}

// fields are the labels of parts in the form that they have in a file.
func (l Labels) fields() *jsondoc.Object {
	o := jsondoc.NewObject()
	for _, f := range l.Fields {
		one := jsondoc.NewObject()
		if f.Trusted != nil {
			one.Set("trusted", *f.Trusted)
		}
		if f.Readers != nil {
			one.Set("readers", f.Readers.Document())
		}
		o.Set(string(f.Path), one)
	}
	return o
}

func pointers(list []jsondoc.Pointer) []any {
	out := []any{}
	for _, p := range list {
		out = append(out, string(p))
	}
	return out
}

func texts(list []string) []any {
	out := []any{}
	for _, s := range list {
		out = append(out, s)
	}
	return out
}
