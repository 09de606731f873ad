package egress

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"

	"praxis/fault"
	"praxis/internal/bounded"
	"praxis/internal/safetext"
)

// Fields are the members of JSON that the code gets of what a host answers, beside
// the status. The zero value is none. A value is never changed.
type Fields struct {
	members map[string]*Fields // nil: the value itself is wanted
}

// Bounds of fields, and of the answers that they are looked for in.
const (
	maxNamed      = 100
	maxNamedDepth = 16
	maxNarrowed   = 4 << 20 // bytes of an answer
)

// ParseFields reads a list such as "id,status,items.name": a dot leads into an
// object, or into each object of a list. "-" is no field: the status alone.
func ParseFields(text string) (*Fields, error) {
	out := &Fields{members: map[string]*Fields{}}
	if text == "-" {
		return out, nil
	}
	bad := func(why string) (*Fields, error) {
		return nil, fault.New(fault.Invalid, "Write names such as id,status,items.name, or - for the status alone.", "cannot read the fields %q: %s", safetext.Clip(text, 100), why)
	}
	list := strings.Split(text, ",")
	if len(list) > maxNamed {
		return bad("there are too many")
	}
	for _, field := range list {
		at := out
		names := strings.Split(strings.TrimSpace(field), ".")
		if len(names) > maxNamedDepth {
			return bad("they are nested too deep")
		}
		for i, name := range names {
			if name == "" || strings.ContainsAny(name, " \t\"'[]{}*$") {
				return bad("a name is empty or has a character that is not read here")
			}
			next, known := at.members[name]
			if known && (next.members == nil || i == len(names)-1) {
				return bad("one of them stands twice, or is a part of another")
			}
			if !known {
				next = &Fields{}
				if i < len(names)-1 {
					next.members = map[string]*Fields{}
				}
				at.members[name] = next
			}
			at = next
		}
	}
	return out, nil
}

// add puts the members of other into f, which is not shared. Where one wants a value
// and the other members of it, the first that came counts.
func (f *Fields) add(other *Fields) {
	for name, member := range other.members {
		own, known := f.members[name]
		if !known {
			own = &Fields{}
			if member.members != nil {
				own.members = map[string]*Fields{}
			}
			f.members[name] = own
		}
		if own.members != nil {
			own.add(member)
		}
	}
}

// only returns what the code may see of the answer to a request: nil is all. It is
// less for every request to a host with such a credential, since a host may repeat
// what it was sent in the answer to another request. The fields are those of the
// credentials that the request could have had.
func (v *vault) only(out *http.Request, t target, secure bool) *Fields {
	var seen *Fields
	for i := range v.list {
		b := &v.list[i]
		if b.t.host != t.host || b.Fields == nil {
			continue
		}
		if seen == nil {
			seen = &Fields{members: map[string]*Fields{}}
		}
		if ok, _ := b.here(out, t, secure); ok {
			seen.add(b.Fields)
		}
	}
	return seen
}

// noteHeader says why there is no body where the host sent one.
const noteHeader = "X-Praxis-Note"

// narrow returns what of a response the code may see: a response of our own with the
// status and the fields. No other byte of the host's is in it.
func (f *Fields) narrow(resp *http.Response, head bool, pairs []pair) (*http.Response, error) {
	out := &http.Response{StatusCode: resp.StatusCode, Header: http.Header{}, Body: http.NoBody, Request: resp.Request}
	if head || resp.StatusCode < 200 || resp.StatusCode == http.StatusNoContent || resp.StatusCode == http.StatusNotModified {
		return out, nil
	}
	text, err := bounded.Read(resp.Body, maxNarrowed)
	var long *bounded.TooLong
	switch {
	case errors.As(err, &long):
		return nil, errors.New("its answer is longer than " + safetext.Size(maxNarrowed) + ", in which no fields are looked for")
	case err != nil:
		return nil, errors.New("its answer broke off")
	case len(bytes.TrimSpace(text)) == 0:
		return out, nil
	}
	left := "the answer is no JSON and is left out"
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var value any
	if dec.Decode(&value) == nil && dec.Decode(new(any)) == io.EOF {
		left = "the answer is left out: it has none of the fields that may be seen"
		if seen, ok := f.of(value, pairs); ok {
			body, err := json.Marshal(seen)
			if err != nil {
				return nil, errors.New("its answer cannot be written as JSON")
			}
			out.Header.Set("Content-Type", "application/json")
			out.Body, out.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
			return out, nil
		}
	}
	out.Header.Set(noteHeader, left)
	return out, nil
}

// of returns what is seen of a value; ok is false when that is nothing.
func (f *Fields) of(v any, pairs []pair) (seen any, ok bool) {
	switch v := v.(type) {
	case []any:
		list := []any{}
		for _, item := range v {
			if _, nested := item.([]any); nested {
				continue // no field leads there
			}
			if one, ok := f.of(item, pairs); ok {
				list = append(list, one)
			}
		}
		return list, len(list) > 0 || len(v) == 0
	case map[string]any:
		object := map[string]any{}
		for name, member := range f.members {
			if value, there := v[name]; there {
				if one, ok := member.of(value, pairs); ok {
					object[name] = one
				}
			}
		}
		return object, len(object) > 0
	case string:
		return cleanText(v, pairs), f.members == nil
	case json.Number:
		if clean := cleanText(v.String(), pairs); clean != v.String() {
			return clean, f.members == nil
		}
		return v, f.members == nil
	}
	return v, f.members == nil // true, false, null
}

// cleanText replaces texts in a text.
func cleanText(text string, pairs []pair) string {
	for _, p := range pairs {
		text = strings.ReplaceAll(text, p.secret, p.shown)
	}
	return text
}
