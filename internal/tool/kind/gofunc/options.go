package gofunc

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"praxis/internal/tool"
	"praxis/internal/tool/jsondoc"
)

// Title gives the tool a title.
func Title(title string) Option { return set("title", title) }

// Trusted says that results may steer calls.
func Trusted() Option { return label("trusted", true) }

// Readers says who may read results: principals, "me", or "everyone" alone. Without it they
// are the user's, those of pure tools everyone's.
func Readers(principals ...string) Option {
	if slices.Equal(principals, []string{"everyone"}) {
		return label("readers", "everyone")
	}
	list := make([]any, len(principals))
	for i, p := range principals {
		list[i] = p
	}
	return label("readers", list)
}

// Demand says what an argument demands of the data that is given for it.
func Demand(d tool.ArgDemand) Option {
	return func(doc *jsondoc.Object) error {
		labels := object(doc, "labels")
		demand := jsondoc.NewObject()
		if d.Trusted {
			demand.Set("trusted", true)
		}
		if len(d.ReadableBy) > 0 {
			list := make([]any, len(d.ReadableBy))
			for i, name := range d.ReadableBy {
				list[i] = name
			}
			demand.Set("readable_by", list)
		}
		if d.Reason != "" {
			demand.Set("reason", d.Reason)
		}
		object(labels, "arguments").Set(d.Argument, demand)
		return nil
	}
}

// Limits bounds calls. What is zero is not bounded here.
func Limits(l tool.Limits) Option {
	return func(doc *jsondoc.Object) error {
		limits := object(doc, "limits")
		if l.Timeout != 0 {
			limits.Set("timeout", l.Timeout.String())
		}
		if l.Bytes != 0 {
			limits.Set("bytes", json.Number(strconv.FormatInt(l.Bytes, 10)))
		}
		if l.CallsPerRun != 0 {
			limits.Set("calls_per_run", json.Number(strconv.Itoa(l.CallsPerRun)))
		}
		if l.Rate != (tool.Rate{}) {
			if l.Rate.Per < time.Millisecond {
				return fmt.Errorf("the time of the rate is %s", l.Rate.Per)
			}
			limits.Set("rate", l.Rate.String())
		}
		return nil
	}
}

// Idempotent says that calling twice with the same arguments is as good as once.
func Idempotent() Option { return set("idempotent", true) }

// Approval says that a person has to agree to each call.
func Approval() Option { return set("approval", true) }

// Secrets says which parts of arguments and of results must not be shown or stored.
func Secrets(s tool.Secrets) Option {
	texts := func(list []jsondoc.Pointer) []any {
		out := make([]any, len(list))
		for i, p := range list {
			out[i] = string(p)
		}
		return out
	}
	secrets := jsondoc.NewObject()
	if len(s.Input) > 0 {
		secrets.Set("input", texts(s.Input))
	}
	if len(s.Output) > 0 {
		secrets.Set("output", texts(s.Output))
	}
	return set("secrets", secrets)
}

// Example adds a call and its result, which have to fit the schemas. Both are
// values of the function's types, or anything that becomes the same JSON.
func Example(name string, in, out any) Option {
	return func(doc *jsondoc.Object) error {
		input, err := asJSON(in)
		if err != nil {
			return fmt.Errorf("example %s: %w", name, err)
		}
		output, err := asJSON(out)
		if err != nil {
			return fmt.Errorf("example %s: %w", name, err)
		}
		list, _ := doc.Get("examples")
		examples, _ := list.([]any)
		doc.Set("examples", append(examples, jsondoc.NewObject(
			jsondoc.Member{Name: "name", Value: name}, jsondoc.Member{Name: "input", Value: input}, jsondoc.Member{Name: "output", Value: output})))
		return nil
	}
}

func asJSON(v any) (any, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return jsondoc.Decode(text)
}

func set(key string, v any) Option {
	return func(doc *jsondoc.Object) error {
		doc.Set(key, v)
		return nil
	}
}

func label(key string, v any) Option {
	return func(doc *jsondoc.Object) error {
		object(doc, "labels").Set(key, v)
		return nil
	}
}

// object returns a member that is an object, which it makes if there is none.
func object(in *jsondoc.Object, key string) *jsondoc.Object {
	v, _ := in.Get(key)
	o, ok := v.(*jsondoc.Object)
	if !ok {
		o = jsondoc.NewObject()
		in.Set(key, o)
	}
	return o
}
