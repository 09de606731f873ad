package cpython_test

import (
	"testing"

	"praxis/internal/test/cpython"
)

func TestRun(t *testing.T) {
	py := cpython.Start(t)
	for _, c := range []struct {
		prog cpython.Program
		want cpython.Reply
	}{
		{cpython.Program{Code: "print(1 + 1)"}, cpython.Reply{Out: "2\n"}},
		{cpython.Program{Code: "x = 'é'", Expr: "x * 2"}, cpython.Reply{Value: "'éé'"}},
		{cpython.Program{Code: "print('a')\nraise KeyError('k')"}, cpython.Reply{Out: "a\n", Error: "KeyError: 'k'", Line: 2}},
		{cpython.Program{Code: "import sys\nsys.exit(3)"}, cpython.Reply{Error: "SystemExit: 3", Line: 2}},
		{cpython.Program{Code: "x ="}, cpython.Reply{Error: "SyntaxError: invalid syntax (plan.py, line 1)", Line: 1}},
		{cpython.Program{Code: "while True: pass", Seconds: 0.1}, cpython.Reply{Error: "TooLong", Line: 0}},
		{cpython.Program{Code: "x = []\nwhile True: x.append(bytes(1 << 30))"}, cpython.Reply{Error: "MemoryError", Line: 2}},
		{cpython.Program{Code: "try: x\nexcept NameError as e: print(e)"}, cpython.Reply{Out: "name 'x' is not defined\n"}},
	} {
		got, err := py.Run(c.prog)
		if err != nil {
			t.Fatal(err)
		}
		if got != c.want {
			t.Errorf("%q: got %+v, want %+v", c.prog.Code, got, c.want)
		}
	}
}
