package vm

import (
	"strconv"
	"strings"

	"praxis/internal/plan/value"
)

// failure stops the machine because of an exception that nothing caught.
func (vm *VM) failure(r *value.Raise) (Stop, error) {
	t := &vm.t
	seen := t.Seen
	t.Seen = exceptionLabel(t, r.Exc, r.Label)
	text, err := t.StrOf(value.Value{Kind: value.KObject, Obj: r.Exc, Label: r.Label})
	if err != nil {
		if _, ok := err.(*value.Raise); !ok {
			return nil, err
		}
		text = "<exception str() failed>"
	}
	out := &Failed{Class: r.Exc.Cls.Name, Text: text, Plain: r.Plain}
	for _, tr := range r.Exc.Trace {
		if tr.Module == "" {
			out.Trace = append(out.Trace, tr)
		}
	}
	var b strings.Builder
	vm.render(&b, r.Exc, 0)
	out.Full = b.String()
	out.Label = t.Join(t.Seen, t.PC) // the control flow led to it
	t.Seen = seen
	return out, nil
}

// maxChain bounds how many exceptions that led to each other are shown.
const maxChain = 20

// render writes an exception as CPython prints one that nothing caught, with
// those that led to it. Lines of library modules are left out.
func (vm *VM) render(b *strings.Builder, e *value.Exception, depth int) {
	if depth < maxChain {
		if c, ok := e.Cause.Obj.(*value.Exception); ok {
			vm.render(b, c, depth+1)
			b.WriteString("\nThe above exception was the direct cause of the following exception:\n\n")
		} else if c, ok := e.Context.Obj.(*value.Exception); ok && !e.Suppress {
			vm.render(b, c, depth+1)
			b.WriteString("\nDuring handling of the above exception, another exception occurred:\n\n")
		}
	}
	vm.renderTrace(b, e.Trace)
	b.WriteString(vm.headline(e))
	b.WriteByte('\n')
	for _, n := range e.Notes {
		if s, ok := n.Obj.(*value.Str); ok {
			b.WriteString(s.Text)
			b.WriteByte('\n')
		}
	}
}

// renderTrace writes the lines of a traceback, the innermost last. A line that
// comes again and again is shown three times.
func (vm *VM) renderTrace(b *strings.Builder, trace []value.Trace) {
	first, same := true, 0
	var last value.Trace
	for i := len(trace) - 1; i >= 0; i-- {
		tr := trace[i]
		if tr.Module != "" {
			continue
		}
		if first {
			b.WriteString("Traceback (most recent call last):\n")
			first = false
		}
		if tr.Line == last.Line && tr.Func == last.Func {
			same++
		} else {
			vm.repeated(b, same)
			same = 0
		}
		last = tr
		if same >= 3 {
			continue
		}
		name := tr.Func[strings.LastIndexByte(tr.Func, '.')+1:]
		b.WriteString("  File \"" + vm.prog.name + "\", line " + strconv.Itoa(tr.Line) + ", in " + name + "\n")
		if line := vm.prog.line(tr.Line); line != "" {
			b.WriteString("    " + line + "\n")
		}
	}
	vm.repeated(b, same)
}

func (vm *VM) repeated(b *strings.Builder, same int) {
	if n := same - 2; n > 0 {
		s := "s"
		if n == 1 {
			s = ""
		}
		b.WriteString("  [Previous line repeated " + strconv.Itoa(n) + " more time" + s + "]\n")
	}
}

// headline is the last line: the class, the text, and a name that is near.
func (vm *VM) headline(e *value.Exception) string {
	t := &vm.t
	name := e.Cls.Qual
	if m := e.Cls.Module; m != "builtins" && m != "__main__" {
		name = m + "." + name
	}
	text, err := t.StrOf(value.Value{Kind: value.KObject, Obj: e})
	if err != nil {
		text = "<exception str() failed>"
	}
	if text == "" {
		return name
	}
	return name + ": " + text + vm.hint(e)
}

// hint is the "Did you mean" of CPython.
func (vm *VM) hint(e *value.Exception) string {
	t := &vm.t
	nv, ok := e.Attrs.Str("name")
	name, is := nv.Obj.(*value.Str)
	if !ok || !is {
		return ""
	}
	var names []string
	add := func(d *value.Dict) {
		for i := range d.Entries {
			if s, ok := d.Entries[i].Key.Obj.(*value.Str); ok && d.Entries[i].Key.Kind == value.KStr {
				names = append(names, s.Text)
				if len(names) <= 750 && max(len(name.Text), len(s.Text)) <= 40 && s.Text != name.Text && distance(name.Text, s.Text, 2, 1) <= (len(name.Text)+len(s.Text)+3)/3 {
					t.See(t.Join(d.Entries[i].Key.Label, d.Entries[i].Val.Label)) // a name from data labels what it is the name of
					t.See(d.Shape)
				}
			}
		}
	}
	t.See(nv.Label)
	switch {
	case e.Cls.Derives(t.Types.NameError):
		add(&vm.main.Names)
		if like := nearest(name.Text, names); like != "" {
			return ". Did you mean: '" + like + "'?"
		}
		names = nil
		add(&t.Builtins.Names)
	case e.Cls.Derives(t.Types.AttributeError):
		obj, ok := e.Attrs.Str("obj")
		if !ok {
			return ""
		}
		if in := value.InstanceOf(obj); in != nil {
			add(&in.Attrs)
		}
		if m, ok := obj.Obj.(*value.Module); ok {
			add(&m.Names)
		}
		c := t.ClassOf(obj)
		if k, ok := obj.Obj.(*value.Class); ok {
			c = k
		}
		for _, k := range c.MRO {
			add(&k.Attrs)
		}
	case e.Cls.Derives(t.Types.ImportError):
		from, ok := e.Attrs.Str("name_from")
		s, is := from.Obj.(*value.Str)
		m := vm.modules[name.Text]
		if !ok || !is || m == nil {
			return ""
		}
		add(&m.Names)
		name = s
	}
	if like := nearest(name.Text, names); like != "" {
		return ". Did you mean: '" + like + "'?"
	}
	return ""
}

// nearest returns the name that is most like the wanted one, or "" when none is near.
func nearest(want string, names []string) string {
	const move, change = 2, 1 // of a letter; of its case
	if len(want) > 40 || len(names) > 750 {
		return ""
	}
	best, at := "", -1
	for _, name := range names {
		if name == want || len(name) > 40 || strings.HasPrefix(name, "_") && !strings.HasPrefix(want, "_") {
			continue
		}
		limit := (len(want) + len(name) + 3) * move / 6
		if at >= 0 {
			limit = min(limit, at-1)
		}
		if d := distance(want, name, move, change); d <= limit {
			best, at = name, d
		}
	}
	return best
}

// distance is the edit distance of two names.
func distance(a, b string, move, change int) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j * move
	}
	for i := 1; i <= len(a); i++ {
		diagonal := row[0]
		row[0] = i * move
		for j := 1; j <= len(b); j++ {
			cost := move
			switch x, y := a[i-1], b[j-1]; {
			case x == y:
				cost = 0
			case x|0x20 == y|0x20 && (x|0x20 >= 'a' && x|0x20 <= 'z'):
				cost = change
			}
			d := min(diagonal+cost, row[j]+move, row[j-1]+move)
			diagonal, row[j] = row[j], d
		}
	}
	return row[len(b)]
}
