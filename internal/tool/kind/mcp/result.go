package mcp

import (
	"fmt"
	"strings"

	"praxis/fault"
	"praxis/internal/safetext"
	"praxis/internal/tool"
	"praxis/internal/tool/jsondoc"
)

const (
	// maxErrorText is how much of the text of an error is stored.
	maxErrorText = 4 << 10
	// maxReaders is how many readers a label may name.
	maxReaders = 1000
)

// readResult makes a value of the result of a call. structured says that the tool
// declares the schema of its structured content.
func readResult(raw string, structured bool, limit int64, used *secrets) (any, error) {
	if limit <= 0 {
		limit = maxMessage
	}
	if int64(len(raw)) > limit {
		return nil, fault.New(fault.Exhausted, "Ask for less, or raise the tool's limit of bytes.", "the result has %d bytes, the limit is %d", len(raw), limit)
	}
	v, err := jsondoc.Decode([]byte(raw))
	if err != nil {
		return nil, fmt.Errorf("the result cannot be read: %v", err)
	}
	o, ok := v.(*jsondoc.Object)
	if !ok {
		return nil, fmt.Errorf("the result is no object")
	}
	if text(o, "resultType") == "input_required" {
		return nil, fault.New(fault.Denied, "Give it as an argument, if the tool takes it.", "the server asks the user for input, which no server may")
	}
	label := readLabel(o)
	content, _ := o.Get("content")
	blocks, _ := content.([]any)
	for _, b := range blocks {
		label = label.join(labelOfBlock(b))
	}
	if failed, _ := o.Get("isError"); failed == true {
		return nil, fmt.Errorf("%s", errorText(blocks, used))
	}
	value, err := resultValue(o, blocks, structured)
	if err != nil {
		return nil, err
	}
	return label.on(used.value(value)), nil
}

func errorText(blocks []any, used *secrets) string {
	all, _ := onlyText(blocks)
	all = lines(used.text(all), maxErrorText)
	if all == "" {
		return "the tool failed without saying why"
	}
	return all
}

func resultValue(o *jsondoc.Object, blocks []any, structured bool) (any, error) {
	value, has := o.Get("structuredContent")
	if structured {
		if has {
			return value, nil
		}
		// Servers that are older than structured content say it as text.
		if all, only := onlyText(blocks); only && len(blocks) == 1 {
			if v, err := jsondoc.Decode([]byte(all)); err == nil {
				return v, nil
			}
		}
		return nil, fmt.Errorf("the server sent no structured content, though the tool declares its schema")
	}
	if all, only := onlyText(blocks); only && !has {
		return all, nil
	}
	out := jsondoc.NewObject(jsondoc.Member{Name: "content", Value: withoutMeta(blocks)})
	if has {
		out.Set("structured", value)
	}
	return out, nil
}

// onlyText joins the blocks of text and reports whether there are no others.
func onlyText(blocks []any) (string, bool) {
	var parts []string
	only := true
	for _, b := range blocks {
		o, ok := b.(*jsondoc.Object)
		if !ok || text(o, "type") != "text" {
			only = false
			continue
		}
		parts = append(parts, text(o, "text"))
	}
	return strings.Join(parts, "\n"), only
}

// withoutMeta returns the blocks that are objects, without what is meant for
// clients.
func withoutMeta(blocks []any) []any {
	out := make([]any, 0, len(blocks))
	for _, b := range blocks {
		o, ok := b.(*jsondoc.Object)
		if !ok {
			continue
		}
		fresh := jsondoc.NewObject()
		for name, v := range o.All() {
			if name != "_meta" && name != "annotations" {
				fresh.Set(name, v)
			}
		}
		out = append(out, fresh)
	}
	return out
}

// label is what a server says of a tool or a result under _meta.ifc. The zero
// value says nothing that would narrow anything.
type label struct {
	given     bool
	untrusted bool
	readers   []string // nil: everyone
}

// readLabel reads the label of a tool, a result or a block.
func readLabel(o *jsondoc.Object) label {
	v, ok := get(o, "_meta", "ifc")
	if !ok {
		return label{}
	}
	l := label{given: true}
	ifc, _ := v.(*jsondoc.Object)
	if ifc == nil {
		return label{given: true, untrusted: true, readers: []string{tool.Me}}
	}
	if integrity, ok := ifc.Get("integrity"); ok {
		l.untrusted = integrity != "trusted"
	}
	if confidentiality, ok := ifc.Get("confidentiality"); ok {
		l.readers = readReaders(confidentiality)
	}
	return l
}

// readReaders returns who may read: nil is everyone. The user may always: the
// server gave it to the user.
func readReaders(v any) []string {
	readers := []string{tool.Me}
	switch v := v.(type) {
	case string:
		if v == "public" {
			return nil
		}
	case []any:
		for _, item := range v[:min(len(v), maxReaders)] {
			switch name, _ := item.(string); name {
			case "public":
				return nil
			case "", "private", tool.Me:
			default:
				readers = append(readers, safetext.OneLine(name, 320))
			}
		}
	}
	return readers
}

func labelOfBlock(b any) label {
	o, ok := b.(*jsondoc.Object)
	if !ok {
		return label{}
	}
	l := readLabel(o)
	if inner, ok := get(o, "resource"); ok {
		if resource, ok := inner.(*jsondoc.Object); ok {
			l = l.join(readLabel(resource))
		}
	}
	return l
}

// join is the label of what two made together.
func (l label) join(m label) label {
	out := label{given: l.given || m.given, untrusted: l.untrusted || m.untrusted, readers: l.readers}
	switch {
	case l.readers == nil:
		out.readers = m.readers
	case m.readers != nil:
		out.readers = []string{}
		also := make(map[string]bool, len(m.readers))
		for _, r := range m.readers {
			also[r] = true
		}
		for _, r := range l.readers {
			if also[r] {
				out.readers = append(out.readers, r)
			}
		}
	}
	return out
}

// on puts the label on a value if it says anything.
func (l label) on(v any) any {
	if !l.given || (!l.untrusted && l.readers == nil) {
		return v
	}
	out := tool.Labelled{Value: v, Readers: l.readers}
	if l.untrusted {
		out.Trusted = new(bool)
	}
	return out
}
