package bash

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"praxis/internal/test/cpython"
	"praxis/internal/test/rawkernel"
)

// start runs the kernel with this machine's bash, in a folder of its own.
func start(t *testing.T, extra map[string]any) (*rawkernel.Kernel, string) {
	t.Helper()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("there is no bash here; sandboxes have their own")
	}
	interpreter, err := cpython.Unpack()
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	program := filepath.Join(folder, "kernel.py")
	if err := os.WriteFile(program, []byte(kernelSource()), 0o600); err != nil {
		t.Fatal(err)
	}
	work := filepath.Join(folder, "work")
	if err := os.Mkdir(work, 0o700); err != nil {
		t.Fatal(err)
	}
	env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + work, "TMPDIR=" + folder, "LANG=C.UTF-8"}
	return rawkernel.Start(t, work, env, []string{interpreter, "-I", "-S", "-u", "-X", "utf8", program}, extra), work
}

// cell is a piece of code and what it must do.
type cell struct {
	code, out, err string // what it prints; err is a part of it
	status         string // exit status, "" for 0
}

func check(t *testing.T, k *rawkernel.Kernel, cells []cell) {
	t.Helper()
	for i, c := range cells {
		r := k.Run(c.code)
		status := ""
		if r.Done.Error != nil {
			status = r.Done.Error.Value
		}
		if r.Stdout != c.out || !strings.Contains(r.Stderr, c.err) || c.err == "" && r.Stderr != "" || status != c.status || (status == "") != (r.Done.Status == "ok") {
			t.Errorf("cell %d %q: status %s %q, stdout %q, stderr %q", i, c.code, r.Done.Status, status, r.Stdout, r.Stderr)
		}
	}
}

func TestState(t *testing.T) {
	k, work := start(t, nil)
	if !strings.Contains(k.Ready.Version, ".") {
		t.Errorf("version %q", k.Ready.Version)
	}
	check(t, k, []cell{
		{code: "x=1 y='a b'; export z=3; arr=(1 'two words' 3); declare -A map=([k]='v w')"},
		{code: "echo \"$x $y ${arr[1]} ${map[k]}\"; bash -c 'echo $z$x'", out: "1 a b two words v w\n3\n"},
		{code: "f() {\n  local x=5\n  echo \"f $x $1\"\n}\nalias hi='echo hi there'"},
		{code: "f 2; hi", out: "f 5 2\nhi there\n"},
		{code: "mkdir -p 'sub dir'; cd 'sub dir'"},
		{code: "pwd", out: work + "/sub dir\n"},
		{code: "cd ..; sleep 100 & echo $! > pid"},
		{code: "jobs -r | wc -l; kill %1; wait; jobs -r | wc -l", out: "1\n0\n"},
		{code: "false", status: "1"},
		{code: "echo $?", out: "1\n"},
		{code: "(exit 42)", status: "42"},
		{code: "echo $?; echo $?", out: "42\n0\n"},
		{code: "cat <<EOF\none $x\nEOF\ncat <<'EOF'\ntwo $x\nEOF\n", out: "one 1\ntwo $x\n"},
		{code: "read -r line; echo \"$? [$line]\"", out: "1 []\n"},
		{code: "echo 'ünïcödé ✓ 🎉'; printf '\\xff\\n' | od -An -tx1", out: "ünïcödé ✓ 🎉\n ff 0a\n"},
		{code: "exec >log; echo hidden"},
		{code: "cat log", out: "hidden\n"},
		{code: "exec 7>seven; echo in >&7"},
		{code: "echo more >&7; cat seven", out: "in\nmore\n"},
		{code: "return 3", err: "can only `return'", status: "2"},
		{code: "break; echo not"},
		{code: "continue 2; echo not"},
		{code: "echo \"$0 ${BASH_SOURCE[0]} $#\"", out: "bash bash 0\n"},
		{code: "set -- a 'b c'; shift"},
		{code: "echo \"$# $1\"", out: "1 b c\n"},
		{code: "set -o pipefail; false | true", status: "1"},
		{code: "shopt -s extglob\necho lo+(g)", out: "log\n"},
		{code: "ls /proc/self/fd | grep ^2[01]", status: "1"}, // none of the kernel's
		{code: "echo -n", out: ""},
		{code: ""},
		{code: "# nothing"},
	})
}

func TestEnds(t *testing.T) {
	k, work := start(t, nil)
	check(t, k, []cell{
		{code: "x=1; export e='a\nb'; a=(1 2); f() { local x=9; exit 3; }; alias g='echo alias'; shopt -s extglob; cd /"},
		{code: "echo before; f; echo after", out: "before\n", status: "3"},
		{code: "echo \"$x|$e|${a[1]}|$PWD|$OLDPWD\"; g; type -t f; env | grep -A1 ^e=", out: "1|a\nb|2|/|" + work + "\nalias\nfunction\ne=a\nb\n"},
		{code: "echo !(a*) >/dev/null; exit"},
		{code: "cd " + work},
		{code: "set -e; echo one; false; echo two", out: "one\n", status: "1"},
		{code: "echo \"$-\" | grep -c e; ls nothing; echo no", out: "1\n", err: "nothing", status: "2"},
		{code: "set +e"},
		{code: "false; echo on", out: "on\n"},
		{code: "set -u\necho $nope\necho no", err: "bash: line 2: nope: unbound variable", status: "1"},
		{code: "echo \"$x $-\" | grep -c u; set +u; echo \"[$nope]\"", out: "1\n[]\n"},
		{code: "echo ${nope:?is missing}; echo no", err: "is missing", status: "1"},
		{code: "readonly r=1; r=2; echo no", err: "readonly", status: "1"},
		{code: "echo $r", out: "1\n"},
		{code: "echo one\nif true; then\necho )\nfi", out: "one\n", err: "line 3: syntax error near unexpected token `)'", status: "2"},
		{code: "\n\nnosuchcommand", err: "bash: line 3: nosuchcommand: command not found", status: "127"},
		{code: "trap 'echo bye $?' EXIT; echo hi", out: "hi\nbye 0\n"},
		{code: "echo none", out: "none\n"},
		{code: "trap 'echo bye $?' EXIT; (exit 4)", out: "bye 4\n", status: "4"},
		{code: "trap 'echo bye $?; exit 6' EXIT; exit 5", out: "bye 5\n", status: "6"},
		{code: "trap 'echo bye; exit 6' EXIT; true", out: "bye\n", status: "6"},
		{code: "set -eE; trap 'echo bye' EXIT; trap 'echo err' ERR; h() { false; }; h", out: "err\nbye\n", status: "1"},
		{code: "trap -p | grep -c err; trap - ERR; set +eE; trap -p", out: "1\n"},
		{code: "trap 'echo ret' RETURN; k() { trap 'echo k' RETURN; echo in; }; k; trap - RETURN", out: "in\nk\n"},
		{code: "(trap 'echo sub' EXIT; exit 2); echo $?", out: "sub\n2\n"},
		{code: "echo x | while read -r l; do exit 7; done; echo $?; y=$(exit 8); echo $?", out: "7\n8\n"},
		{code: "builtin exit 9; echo no", status: "9"},
		{code: "command exit 300", status: "44"},
		{code: "echo $x; exit abc", out: "1\n", err: "numeric", status: "2"},
		{code: "exec nosuchprogram; echo no", err: "nosuchprogram", status: "127"},
		{code: "sleep 100 & bg=$!; p=$$"},
		{code: "exit 1", status: "1"},
		{code: "[[ $$ == $p ]] && kill -0 $bg && echo lives; kill $bg", out: "lives\n"},
		{code: "set -x; echo traced; { set +x; } 2>/dev/null", out: "traced\n", err: "+ echo traced"},
		{code: "IFS=,; CDPATH=/tmp; set -f; exit 0"},
		{code: "z='a,b c'; printf '[%s]' $z; unset IFS; set +f", out: "[a][b c]"},
	})
}

// A rehearsal leaves a shell as one is that had none.
func TestRehearsal(t *testing.T) {
	const state = "echo \"$? $! $# $- $LINENO ${PIPESTATUS[*]} $SHLVL\"; set | grep -v -e BASHPID -e RANDOM -e PPID -e ^_= -e EPOCH -e PWD= -e HOME= -e BASH_ARG -e TMPDIR -e SECONDS; alias; trap; jobs; shopt; declare -F; ls -a; ls -l /proc/self/fd | wc -l"
	var states []string
	for _, times := range []int{0, 3} {
		k, _ := start(t, nil)
		for range times {
			if r := k.Rehearse(); r.Done.Status != "ok" || r.Done.Result != nil || r.Stdout+r.Stderr != "" {
				t.Errorf("a rehearsal did %+v", r)
			}
		}
		states = append(states, k.Run(state).Stdout)
	}
	if states[0] != states[1] || !strings.Contains(states[0], "BASH_VERSION") {
		t.Errorf("without a rehearsal\n%s\nwith it\n%s", states[0], states[1])
	}
}

func TestReplaced(t *testing.T) {
	k, _ := start(t, nil)
	check(t, k, []cell{
		{code: "x=1"},
		{code: "exec sh -c 'echo other; exit 5'", out: "other\n", status: "5"},
		{code: "echo \"[$x]\"", out: "[]\n"},
	})
}

func TestInvoke(t *testing.T) {
	k, work := start(t, nil)
	stdin := filepath.Join(work, "in")
	if err := os.WriteFile(stdin, []byte("first\nsecond\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	check(t, k, []cell{
		{code: invoke([]string{"dir/build it.sh", "a", "b 'c'"}, stdin)},
		{code: "read -r l; echo \"$0|${BASH_SOURCE[0]}|$#|$2|$l\"; [[ ${BASH_SOURCE[0]} == \"$0\" ]] && echo main; cat", out: "build it.sh|build it.sh|2|b 'c'|first\nmain\nsecond\n"},
		{code: "nosuch", err: "build it.sh: line 1: nosuch: command not found", status: "127"},
	})
	if _, err := os.Stat(stdin); err == nil {
		t.Error("the file of the standard input is still there")
	}
}

func TestInterrupt(t *testing.T) {
	k, _ := start(t, nil)
	for _, c := range []struct{ name, code string }{
		{"a command", "echo now; sleep 1000; echo no"},
		{"a loop", "echo now; while :; do :; done"},
		{"a function", "f() { local x=2; echo now; sleep 1000; }; f; echo no"},
		{"a loop of commands", "echo now; while :; do sleep 1000; echo no; done"},
		{"a pipeline", "echo now; sleep 1000 | cat; echo no"},
		{"a substitution", "echo now; y=$(sleep 1000); echo no"},
		{"a wait", "sleep 1000 & echo now; wait; echo no"},
		{"a subshell", "echo now; (while :; do :; done); echo no"},
		{"one that does not listen", "echo now; (trap '' INT; while :; do sleep 1; done); echo no"},
	} {
		check(t, k, []cell{{code: "x=1; cd /"}})
		k.During = func(k *rawkernel.Kernel, r *rawkernel.Result) {
			if strings.Contains(r.Stdout, "now") { // again, as the agent does: a process that is just made may miss the first
				k.Interrupt()
			}
		}
		r := k.Run(c.code)
		k.During = nil
		if r.Done.Status != "error" || !r.Done.Interrupted || r.Stdout != "now\n" {
			t.Errorf("%s: %+v %+v", c.name, r.Done, r)
		}
		check(t, k, []cell{{code: "echo $x $PWD", out: "1 /\n"}})
	}
}

func TestOutput(t *testing.T) {
	k, _ := start(t, nil)
	r := k.Run("head -c 10000000 /dev/zero | tr '\\0' x")
	if len(r.Stdout) != 10_000_000 || r.Done.Status != "ok" {
		t.Errorf("%d bytes, %+v", len(r.Stdout), r.Done)
	}
	r = k.Run("v=$(head -c 300000 /dev/zero | tr '\\0' y)\n# " + strings.Repeat("z", 700_000) + "\nexit 2")
	if r.Done.Error == nil || r.Done.Error.Value != "2" {
		t.Errorf("%+v %s", r.Done, r.Stderr)
	}
	check(t, k, []cell{{code: "echo ${#v}", out: "300000\n"}})
}

func TestComplete(t *testing.T) {
	k, _ := start(t, nil)
	check(t, k, []cell{{code: "greeting=1; greet() { :; }; mkdir -p folder 'my dir'; touch folder/file.txt"}})
	for code, want := range map[string]string{
		"gree":                  "greet",
		"echo $greet":           "greeting",
		"echo \"${greet":        "greeting",
		"ls fol":                "folder/",
		"cat folder/f":          "folder/file.txt",
		"cd my":                 "my\\ dir/",
		"true && prin":          "printf",
		"x=fol":                 "folder/",
		"if true; then\n  gree": "greet",
	} {
		m := k.Complete(code)
		if len(m.Matches) == 0 || m.Matches[0] != want && !strings.Contains(fmt.Sprint(m.Matches), want) {
			t.Errorf("%q: %+v", code, m)
		}
		for _, x := range m.Matches {
			if strings.Contains(x, "praxis") {
				t.Errorf("%q offers %s", code, x)
			}
		}
	}
	check(t, k, []cell{{code: "echo fine", out: "fine\n"}})
}

func TestSeed(t *testing.T) {
	var got []string
	for range 2 {
		k, _ := start(t, map[string]any{"seed": 7, "deterministic": true})
		got = append(got, k.Run("echo $RANDOM $RANDOM").Stdout)
		k.Send(map[string]any{"op": "environ", "set": map[string]string{"NEW": "it's"}, "unset": []string{"HOME"}})
		check(t, k, []cell{{code: "echo \"$NEW [$HOME]\"; env | grep -c ^NEW", out: "it's []\n1\n"}})
		k.Send(map[string]any{"op": "seed", "seed": 7})
		if again := k.Run("echo $RANDOM $RANDOM").Stdout; again != got[0] {
			t.Errorf("the seed gave %q, then %q", got[0], again)
		}
	}
	if got[0] != got[1] {
		t.Errorf("one seed gave %q", got)
	}
}
