package command

import (
	"strings"
	"testing"

	"praxis/fault"
	"praxis/internal/tool/jsondoc"
)

// FuzzTemplate checks that an argument's text is one element, unchanged, and never
// an option or the name of a file.
func FuzzTemplate(f *testing.F) {
	for _, s := range [][2]string{{"{x}", "-n"}, {"--data={x}", "@/etc/passwd"}, {"a{x}", "-n"}, {"{{{x}}}", "b"}, {"{x...}", ""}, {"{secret:A}", ""}, {"{x}{y}", "{y}"}, {"{y}-{x}", ""}} {
		f.Add(s[0], s[1])
	}
	f.Fuzz(func(t *testing.T, element, text string) {
		elements, err := parseArgv([]any{element})
		if err != nil {
			if fault.KindOf(err) != fault.Invalid {
				t.Fatalf("%q: %v", element, err)
			}
			return
		}
		c := &command{argv: elements}
		args := jsondoc.NewObject()
		for _, name := range holes([]pieceKind{argument, list}, c.templates()...) {
			args.Set(name, text)
		}
		got, err := c.expand(args)
		if err != nil {
			if fault.KindOf(err) != fault.Invalid {
				t.Fatalf("%q, %q: %v", element, text, err)
			}
			return
		}
		first := elements[0].parts[0]
		if _, fixed := first.literal(); len(got) != 1 || !fixed && (!strings.Contains(got[0], text) || first[0].kind != plain && strings.HasPrefix(got[0], "-") || strings.HasPrefix(text, "@")) {
			t.Fatalf("%q, %q: got %q", element, text, got)
		}
	})
}
