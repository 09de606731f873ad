package vm

import (
	"strconv"
	"strings"
)

// failure makes the outcome of an exception that nothing caught.
func (vm *VM) failure(r *Raise) (Outcome, error) {
	t := &vm.t
	seen := t.seen
	t.seen = t.exceptionLabel(r.exc, r.l)
	text, err := t.strOf(Value{k: kObject, o: r.exc, l: r.l})
	if err != nil {
		if _, ok := err.(*Raise); !ok {
			return nil, err
		}
		text = "<exception str() failed>"
	}
	out := &Failed{Class: r.exc.cls.name, Text: text}
	for _, tr := range r.exc.trace {
		if tr.Module == "" {
			out.Trace = append(out.Trace, tr)
		}
	}
	var b strings.Builder
	vm.render(&b, r.exc, 0)
	out.Full = b.String()
	out.Label = t.seen
	t.seen = seen
	return out, nil
}

// maxChain bounds how many exceptions that led to each other are shown.
const maxChain = 20

// render writes an exception as CPython prints one that nothing caught, with
// those that led to it. Lines of library modules are left out.
func (vm *VM) render(b *strings.Builder, e *Exception, depth int) {
	if depth < maxChain {
		if c, ok := e.cause.o.(*Exception); ok {
			vm.render(b, c, depth+1)
			b.WriteString("\nThe above exception was the direct cause of the following exception:\n\n")
		} else if c, ok := e.context.o.(*Exception); ok && !e.suppress {
			vm.render(b, c, depth+1)
			b.WriteString("\nDuring handling of the above exception, another exception occurred:\n\n")
		}
	}
	vm.renderTrace(b, e.trace)
	b.WriteString(vm.headline(e))
	b.WriteByte('\n')
	for _, n := range e.notes {
		if s, ok := n.o.(*Str); ok {
			b.WriteString(s.s)
			b.WriteByte('\n')
		}
	}
}

// renderTrace writes the lines of a traceback, the innermost last. A line that
// comes again and again is shown three times.
func (vm *VM) renderTrace(b *strings.Builder, trace []Trace) {
	first, same := true, 0
	var last Trace
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
func (vm *VM) headline(e *Exception) string {
	t := &vm.t
	name := e.cls.qual
	if m := e.cls.module; m != "builtins" && m != "__main__" {
		name = m + "." + name
	}
	text, err := t.strOf(Value{k: kObject, o: e})
	if err != nil {
		text = "<exception str() failed>"
	}
	if text == "" {
		return name
	}
	return name + ": " + text + vm.hint(e)
}

// hint is the "Did you mean" of CPython.
func (vm *VM) hint(e *Exception) string {
	t := &vm.t
	nv, ok := e.attrs.str("name")
	name, is := nv.o.(*Str)
	if !ok || !is {
		return ""
	}
	var names []string
	add := func(d *Dict) {
		for i := range d.entries {
			if s, ok := d.entries[i].key.o.(*Str); ok && d.entries[i].key.k == kStr {
				names = append(names, s.s)
				if len(names) <= 750 && max(len(name.s), len(s.s)) <= 40 && s.s != name.s && distance(name.s, s.s, 2, 1) <= (len(name.s)+len(s.s)+3)/3 {
					t.see(t.join(d.entries[i].key.l, d.entries[i].val.l)) // a name from data labels what it is the name of
					t.see(d.shape)
				}
			}
		}
	}
	t.see(nv.l)
	switch {
	case e.cls.derives(t.types.NameError):
		add(&vm.main.names)
		if like := nearest(name.s, names); like != "" {
			return ". Did you mean: '" + like + "'?"
		}
		names = nil
		add(&t.builtins.names)
	case e.cls.derives(t.types.AttributeError):
		obj, ok := e.attrs.str("obj")
		if !ok {
			return ""
		}
		if in := instance(obj); in != nil {
			add(&in.attrs)
		}
		if m, ok := obj.o.(*Module); ok {
			add(&m.names)
		}
		c := t.classOf(obj)
		if k, ok := obj.o.(*Class); ok {
			c = k
		}
		for _, k := range c.mro {
			add(&k.attrs)
		}
	case e.cls.derives(t.types.ImportError):
		from, ok := e.attrs.str("name_from")
		s, is := from.o.(*Str)
		m := vm.modules[name.s]
		if !ok || !is || m == nil {
			return ""
		}
		add(&m.names)
		name = s
	}
	if like := nearest(name.s, names); like != "" {
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
