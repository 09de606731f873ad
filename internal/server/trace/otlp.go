package trace

import (
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"praxis/internal/safetext"
	"praxis/internal/server/observe"
)

// The types of this file are messages of opentelemetry.proto.collector.trace.v1 and of
// opentelemetry.proto.trace.v1 in the JSON of OTLP: names of fields in lowerCamelCase, ids as
// hexadecimal digits, 64-bit integers as texts, enumerations as numbers.

type exportRequest struct {
	ResourceSpans []resourceSpans `json:"resourceSpans"`
}

type resourceSpans struct {
	Resource   resource     `json:"resource"`
	ScopeSpans []scopeSpans `json:"scopeSpans"`
}

type resource struct {
	Attributes []attribute `json:"attributes"`
}

type scopeSpans struct {
	Scope scope  `json:"scope"`
	Spans []span `json:"spans"`
}

type scope struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
}

type span struct {
	Trace      string      `json:"traceId"`
	ID         string      `json:"spanId"`
	Parent     string      `json:"parentSpanId,omitempty"`
	Name       string      `json:"name"`
	Kind       spanKind    `json:"kind"`
	Start      int64       `json:"startTimeUnixNano,string"`
	End        int64       `json:"endTimeUnixNano,string"`
	Attributes []attribute `json:"attributes,omitempty"`
	Status     status      `json:"status,omitzero"`
}

// spanKind is the enumeration Span.SpanKind.
type spanKind int

const (
	internal spanKind = 1
	server   spanKind = 2
	client   spanKind = 3
)

type status struct {
	Code int `json:"code"`
}

// failed is the code of the status of what failed; what did not fail has none.
const failed = 2

type attribute struct {
	Key   string `json:"key"`
	Value value  `json:"value"`
}

// value has one of its fields.
type value struct {
	Text   *string `json:"stringValue,omitempty"`
	Number *int64  `json:"intValue,string,omitempty"`
}

// maxText bounds a text in bytes.
const maxText = 256

func text(key, v string) attribute {
	v = safetext.Clip(v, maxText)
	return attribute{key, value{Text: &v}}
}

func number(key string, v int64) attribute { return attribute{key, value{Number: &v}} }

// given leaves out the attributes whose text is empty, or whose number is 0.
func given(list ...attribute) []attribute {
	return slices.DeleteFunc(list, func(a attribute) bool {
		return a.Value.Text != nil && *a.Value.Text == "" || a.Value.Number != nil && *a.Value.Number == 0
	})
}

// newSpan returns a span that begins at a time. Its end is not known yet.
func newSpan(at observe.Span, parent [8]byte, name string, kind spanKind, began time.Time, attributes ...attribute) span {
	s := span{Trace: hex.EncodeToString(at.Trace[:]), ID: hex.EncodeToString(at.ID[:]), Name: safetext.Clip(name, maxText), Kind: kind, Start: began.UnixNano(), Attributes: given(attributes...)}
	if parent != [8]byte{} {
		s.Parent = hex.EncodeToString(parent[:])
	}
	return s
}

// ended returns the span with its end. what is the class of its failure; "": it did not fail.
func (s span) ended(at time.Time, what string, attributes ...attribute) span {
	s.End = max(s.Start, at.UnixNano())
	s.Attributes = append(s.Attributes, given(append(attributes, text("error.type", what))...)...)
	if what != "" {
		s.Status.Code = failed
	}
	return s
}

// described returns what all batches say of the server that they are from.
func described(given map[string]string, version string) resource {
	all := map[string]string{"service.version": version, "telemetry.sdk.name": "praxis", "telemetry.sdk.language": "go", "telemetry.sdk.version": version}
	maps.Copy(all, given)
	var r resource
	for _, key := range slices.Sorted(maps.Keys(all)) {
		r.Attributes = append(r.Attributes, text(key, all[key]))
	}
	return r
}

// encode writes a batch.
func encode(of resource, version string, batch []span) ([]byte, error) {
	return json.Marshal(exportRequest{[]resourceSpans{{of, []scopeSpans{{scope{"praxis", version}, batch}}}}})
}
