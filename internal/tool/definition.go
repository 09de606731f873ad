package tool

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"time"
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

func effectNames() []string { return []string{"pure", "read", "write", "external"} }

// String returns the name that files use, such as "read".
func (e Effects) String() string {
	if e >= Pure && e <= External {
		return effectNames()[e-1]
	}
	return fmt.Sprintf("effects(%d)", uint8(e))
}

// ParseEffects reads the name of an effect.
func ParseEffects(s string) (Effects, bool) {
	for i, name := range effectNames() {
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
	Input       *Schema // of an object whose properties, in declared order, are the arguments
	Output      *Schema // of the result; AnySchema when the file does not say
	Effects     Effects
	Labels      Labels
	Limits      Limits
	Secrets     Secrets
	Idempotent  bool // calling it twice with the same arguments is as good as once
	Approval    bool // a person has to agree to each call
	Model       bool // answered by a quarantined model: no tools, output by the schema, untrusted
	Examples    []Example
	Pos         Position // where it was declared; not part of the hash
}

// Labels are what data-flow rules need to know about a tool.
type Labels struct {
	Trusted   bool        // its results may steer calls
	Readers   Readers     // who may read its results
	Arguments []ArgDemand // what arguments demand, in the input's declared order
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
	for _, u := range rateUnits() {
		if u.per == r.Per {
			return fmt.Sprintf("%d/%s", r.Calls, u.name)
		}
	}
	return fmt.Sprintf("%d/%s", r.Calls, r.Per)
}

type rateUnit struct {
	name string
	per  time.Duration
}

func rateUnits() []rateUnit {
	return []rateUnit{
		{"second", time.Second}, {"minute", time.Minute}, {"hour", time.Hour}, {"day", 24 * time.Hour},
		{"s", time.Second}, {"m", time.Minute}, {"h", time.Hour}, {"d", 24 * time.Hour},
	}
}

// Secrets says which parts of arguments and results must not be shown or kept,
// beside those that the schemas mark (writeOnly, format password, x-secret).
// "*" in a pointer stands for every item.
type Secrets struct {
	Input  []Pointer
	Output []Pointer
}

// Example is one call and its result. Tests run them, and a rehearsal answers
// calls with them when nothing implements the tool.
type Example struct {
	Name   string
	Input  *Object // the arguments by name
	Output any     // nil and HasOutput false when the file does not say
	// HasOutput tells an output of null from none.
	HasOutput bool
	Pos       Position
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
func (d *Definition) Arguments() []Property { return d.Input.Type().Properties }

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
	if m != nil {
		return m.hiding(d.Secrets.Input).fault("cannot call "+d.Name+": arguments", "Call it with arguments that fit its input schema.")
	}
	return nil
}

// Rehearse answers a call from the examples: with the output of the one that
// has these arguments, else of the first that has an output.
func (d *Definition) Rehearse(arguments *Object) (result any, ok bool) {
	want, err := appendCanonical(nil, d.FillDefaults(arguments), 0)
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
		if got, err := appendCanonical(nil, d.FillDefaults(e.Input), 0); err == nil && string(got) == string(want) {
			return e.Output, true
		}
	}
	return result, ok
}

// CheckResult validates what a call returned. The error is a fault of kind
// Invalid whose cause is a [*Mismatch]: the tool, not its caller, is at fault.
func (d *Definition) CheckResult(result any) error {
	if m := d.Output.Validate(result); m != nil {
		return m.hiding(d.Secrets.Output).fault("cannot use the result of "+d.Name+": result", "The tool does not keep its own output schema: correct the tool or its definition.")
	}
	return nil
}

// Hash returns the SHA-256 of the definition's canonical JSON: all that it
// says but where it stands, with the order of the arguments.
func (d *Definition) Hash() [sha256.Size]byte {
	b, err := appendCanonical(nil, d.canonical(), 0)
	if err != nil {
		// Only a definition that no loader made can hold what JSON cannot.
		b = fmt.Appendf(nil, "%#v", err)
	}
	return sha256.Sum256(b)
}

// canonical is the definition as a JSON value. Everything is written out, so
// that a default that is stated and one that is left out are the same.
func (d *Definition) canonical() *Object {
	var order []any
	for _, p := range d.Arguments() {
		order = append(order, p.Name)
	}
	var examples []any
	for _, e := range d.Examples {
		o := NewObject(Member{"name", e.Name}, Member{"input", e.Input})
		if e.HasOutput {
			o.Set("output", e.Output)
		}
		examples = append(examples, o)
	}
	return NewObject(
		Member{"name", d.Name}, Member{"version", string(d.Version)}, Member{"title", d.Title}, Member{"description", d.Description},
		Member{"input", d.Input.Value()}, Member{"output", d.Output.Value()}, Member{"arguments", order},
		Member{"effects", d.Effects.String()}, Member{"labels", d.Labels.canonical()},
		Member{"limits", NewObject(
			Member{"timeout", int64(d.Limits.Timeout)}, Member{"bytes", d.Limits.Bytes}, Member{"calls", d.Limits.CallsPerRun},
			Member{"rate", d.Limits.Rate.Calls}, Member{"per", int64(d.Limits.Rate.Per)})},
		Member{"secrets", NewObject(Member{"input", pointers(d.Secrets.Input)}, Member{"output", pointers(d.Secrets.Output)})},
		Member{"idempotent", d.Idempotent}, Member{"approval", d.Approval}, Member{"model", d.Model}, Member{"examples", examples},
	)
}

func (l Labels) canonical() *Object {
	var demands []any
	for _, d := range l.Arguments {
		demands = append(demands, NewObject(Member{"argument", d.Argument}, Member{"trusted", d.Trusted}, Member{"readable_by", texts(d.ReadableBy)}, Member{"reason", d.Reason}))
	}
	var sources []any
	for _, s := range l.Readers.From {
		sources = append(sources, NewObject(Member{"from", s.Origin.String()}, Member{"path", string(s.Path)}))
	}
	return NewObject(Member{"trusted", l.Trusted}, Member{"arguments", demands},
		Member{"readers", NewObject(Member{"everyone", l.Readers.Everyone}, Member{"principals", texts(l.Readers.Principals)}, Member{"from", sources})})
}

func pointers(list []Pointer) []any {
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
