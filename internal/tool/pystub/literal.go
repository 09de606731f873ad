package pystub

import (
	"encoding/json"
	"fmt"
	"strings"

	"praxis/internal/safetext"
	"praxis/internal/tool/jsondoc"
)

// literal writes a JSON value as Python does. It stops when the text is longer
// than bound bytes; ok says that it is whole.
func literal(v any, bound int) (text string, ok bool) {
	w := &literals{bound: bound}
	w.value(v, 0)
	return w.b.String(), !w.over
}

type literals struct {
	b     strings.Builder
	bound int
	over  bool
}

func (w *literals) value(v any, depth int) {
	if w.over = w.over || depth > jsondoc.MaxDepth || w.b.Len() > w.bound; w.over {
		return
	}
	switch v := v.(type) {
	case nil:
		w.add("None")
	case bool:
		if v {
			w.add("True")
		} else {
			w.add("False")
		}
	case string:
		if len(v) > w.bound {
			w.over = true
			return
		}
		w.add(quote(v))
	case json.Number:
		w.add(string(v))
	case []any:
		w.add("[")
		for i, item := range v {
			if i > 0 {
				w.add(", ")
			}
			if w.value(item, depth+1); w.over {
				return
			}
		}
		w.add("]")
	case *jsondoc.Object:
		w.object(v, depth)
	default:
		text, err := json.Marshal(v)
		if err != nil {
			w.over = true
			return
		}
		again, err := jsondoc.Decode(text)
		switch again.(type) {
		case *jsondoc.Object, []any, json.Number, string, bool, nil:
			w.value(again, depth+1)
		default:
			w.add(fmt.Sprint(err))
			w.over = true
		}
	}
}

func (w *literals) object(o *jsondoc.Object, depth int) {
	if o == nil {
		w.add("None")
		return
	}
	w.add("{")
	first := true
	for name, member := range o.All() {
		if !first {
			w.add(", ")
		}
		first = false
		w.add(quote(safetext.Clip(name, w.bound)))
		w.add(": ")
		if w.value(member, depth+1); w.over {
			return
		}
	}
	w.add("}")
}

func (w *literals) add(s string) {
	w.b.WriteString(s)
	w.over = w.over || w.b.Len() > w.bound
}
