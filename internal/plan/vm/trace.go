package vm

import (
	"fmt"
	"slices"
	"strings"

	"praxis/internal/plan/label"
	"praxis/internal/plan/value"
)

// failure stops the machine because of an exception that nothing caught.
func (vm *VM) failure(r *value.Raise) (Stop, error) {
	t := &vm.t
	seen := t.Seen
	t.Seen = exceptionLabel(t, r.Exc, r.Label)
	text, err := vm.message(r.Exc, r.Label)
	if err != nil {
		return nil, err
	}
	out := &Failed{Class: r.Exc.Cls.Name, Text: text, Plain: r.Plain}
	for _, tr := range r.Exc.Trace {
		if tr.Module == "" {
			out.Trace = append(out.Trace, tr)
		}
	}
	var b strings.Builder
	if err := vm.render(&b, r.Exc, 0); err != nil {
		return nil, err
	}
	out.Full = b.String()
	out.Label = t.Join(t.Seen, t.PC) // the control flow led to it
	t.Seen = seen
	return out, nil
}

// message is the text of an exception.
func (vm *VM) message(e *value.Exception, l label.ID) (string, error) {
	text, err := vm.t.StrOf(value.Value{Kind: value.KObject, Obj: e, Label: l})
	if isRaise(err) {
		return "<exception str() failed>", nil
	}
	return text, err
}

const (
	maxCauses = 20 // exceptions that caused each other
	maxLines  = 20 // of one exception: the first and the last half of them
)

// render writes where an exception was raised, the innermost line last, and what
// it says, after its cause. Lines of library modules are left out.
func (vm *VM) render(b *strings.Builder, e *value.Exception, depth int) error {
	vm.t.See(e.Cause.Label)
	if c, ok := e.Cause.Obj.(*value.Exception); ok && depth < maxCauses {
		if err := vm.render(b, c, depth+1); err != nil {
			return err
		}
		b.WriteString("\nThe above exception was the direct cause of the following exception:\n\n")
	}
	own := slices.DeleteFunc(slices.Clone(e.Trace), func(tr value.Trace) bool { return tr.Module != "" })
	if len(own) > 0 {
		b.WriteString("Traceback (most recent call last):\n")
	}
	for i, tr := range slices.Backward(own) {
		if left := len(own) - maxLines; left > 0 && i >= maxLines/2 && i < maxLines/2+left {
			if i == maxLines/2 {
				fmt.Fprintf(b, "  [%d lines left out]\n", left)
			}
			continue
		}
		fmt.Fprintf(b, "  File %q, line %d, in %s\n", vm.prog.name, tr.Line, tr.Func[strings.LastIndexByte(tr.Func, '.')+1:])
		if line := vm.prog.line(tr.Line); line != "" {
			b.WriteString("    " + line + "\n")
		}
	}
	name := e.Cls.Qual
	if m := e.Cls.Module; m != "builtins" && m != "__main__" {
		name = m + "." + name
	}
	text, err := vm.message(e, 0)
	if text != "" {
		name += ": " + text
	}
	b.WriteString(name + "\n")
	for _, n := range e.Notes {
		if s, ok := n.Obj.(*value.Str); ok {
			vm.t.See(n.Label)
			b.WriteString(s.Text + "\n")
		}
	}
	return err
}
