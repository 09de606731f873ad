package guest_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"praxis/event"
	"praxis/internal/guest/wire"
)

// changed runs code and returns the files that it changed, one a line:
// kind, name below the working folder, size.
func (b *bed) changed(code string) string {
	b.t.Helper()
	x := b.exec(wire.Execute{Code: code, Changes: true})
	if x.Status != event.OK {
		b.t.Fatalf("execute %q: %s %s %v", code, x.Status, x.Message, x.Error)
	}
	return b.listed(x)
}

// listed writes the changes of an execution as changed does. It fails the test
// when a hash is not that of the file.
func (b *bed) listed(x event.Execution) string {
	b.t.Helper()
	var lines []string
	for _, c := range x.Changes {
		rel, err := filepath.Rel(b.work, c.Path)
		if err != nil {
			b.t.Fatal(err)
		}
		lines = append(lines, fmt.Sprintf("%s %s %d", c.Kind, rel, c.Bytes))
		if c.SHA256 == "" {
			continue
		}
		content, err := os.ReadFile(c.Path)
		if err != nil {
			b.t.Fatal(err)
		}
		if sum := sha256.Sum256(content); hex.EncodeToString(sum[:]) != c.SHA256 {
			b.t.Errorf("%s has the hash %s, told was %s", rel, hex.EncodeToString(sum[:]), c.SHA256)
		}
	}
	if x.Unlisted != "" {
		lines = append(lines, "unlisted: "+x.Unlisted)
	}
	return strings.Join(lines, "\n")
}

func (b *bed) wantChanged(code string, want ...string) {
	b.t.Helper()
	if got := b.changed(code); got != strings.Join(want, "\n") {
		b.t.Errorf("%q changed\n%s\nwant\n%s", code, got, strings.Join(want, "\n"))
	}
}

func TestChangesOfAnExecution(t *testing.T) {
	t.Parallel()
	b := start(t, nil)
	b.wantChanged("1+1")
	b.wantChanged("open('b','w').write('12345'); import os; os.makedirs('d/e'); open('d/e/a','w').write('x'); open('a','w').close()",
		"created a 0", "created b 5", "created d/e/a 1")
	b.wantChanged("x = 2")
	b.wantChanged("open('b','a').write('6'); os.remove('a'); os.rename('d/e/a', 'd/z')",
		"removed a 0", "changed b 6", "removed d/e/a 0", "created d/z 1")
	b.wantChanged("os.utime('b', (1,1)); os.chmod('d/z', 0o600)") // neither changes the content
	b.wantChanged("open('b','w').write('123456')")                // nor does writing the same again
	b.wantChanged("open('b','w').write('654321'); os.utime('b', (1,1))", "changed b 6")
	b.wantChanged("import shutil; shutil.rmtree('d')", "removed d/z 0")
	x := b.exec(wire.Execute{Code: "open('late','w').write('y'); 1/0", Changes: true})
	if got := b.listed(x); x.Status != event.Error || got != "created late 1" {
		t.Errorf("%s: %s", x.Status, got)
	}
	if x := b.run("open('q','w').close()"); len(x.Changes) != 0 || x.Unlisted != "" {
		t.Errorf("without being asked: %+v", x)
	}
}

func TestChangesLeaveOut(t *testing.T) {
	t.Parallel()
	b := start(t, nil)
	b.wantChanged(`
import os, socket
os.symlink('/etc', 'etc'); os.symlink('/etc/passwd', 'passwd'); os.mkfifo('pipe')
os.mkdir('__pycache__'); open('__pycache__/m.py','w').close(); open('m.pyc','w').close()
socket.socket(socket.AF_UNIX).bind('sock'); os.mkdir('empty'); open('my.py','w').close()`, "created my.py 0")
	b.wantChanged(`open('a\nb','w').close(); open(b'\xff','w').close(); open('c','w').close()`,
		"created c 0", "unlisted: 2 files have names that cannot be shown")
	b.wantChanged("os.remove('my.py'); os.symlink('/etc/passwd', 'my.py')",
		"removed my.py 0", "unlisted: 2 files have names that cannot be shown")
	b.wantChanged(`os.remove('a\nb'); os.remove(b'\xff')`)
	b.wantChanged("p = '.'\nfor i in range(70):\n    p += '/d'\n    os.mkdir(p)\nopen('d/d/x','w').close()",
		"created d/d/x 0", "unlisted: one folder could not be read")
}

// What the host, a process or an execution that does not ask changes is not
// what the next execution changed.
func TestChangesAreOnlyTheExecutions(t *testing.T) {
	t.Parallel()
	b := start(t, nil)
	b.wantChanged("import os, threading, time")
	put := func(name, text string) {
		t.Helper()
		if _, err := b.WriteFile(b.ctx(), name, strings.NewReader(text), 0); err != nil {
			t.Fatal(err)
		}
	}
	put("given", "one")
	b.wantChanged("open('given').read(); open('mine','w').write('m')", "created mine 1")
	put("given", "two, longer")
	put("gone", "x")
	b.wantChanged("pass")
	if err := b.Remove(b.ctx(), "gone", false); err != nil {
		t.Fatal(err)
	}
	if err := b.Move(b.ctx(), "given", "moved"); err != nil {
		t.Fatal(err)
	}
	b.wantChanged("open('moved','a').write('!')", "changed moved 12")
	b.run("open('silent','w').write('s')")
	b.wantChanged("os.path.exists('silent')")
	p, err := b.Start(b.ctx(), wire.Process{Argv: []string{"/bin/sh", "-c", "echo p > byprocess"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Wait(b.ctx()); err != nil {
		t.Fatal(err)
	}
	b.wantChanged("pass")
	put("same", "content")
	b.wantChanged("open('same','w').write('content')") // the hash before was known
	// A thread that goes on writes for the execution that comes then.
	b.wantChanged("go = threading.Event(); t = threading.Thread(target=lambda: (go.wait(), open('bythread','w').close())); t.start()")
	b.wantChanged("go.set(); t.join()", "created bythread 0")
}

func TestChangesOfCodeThatWasStopped(t *testing.T) {
	t.Parallel()
	b := start(t, nil)
	x := b.exec(wire.Execute{Code: "open('a','w').write('a'); open('b','w').write('b')\nwhile True: pass", WallMS: 300, Changes: true})
	if got := b.listed(x); x.Status != event.Timeout || got != "created a 1\ncreated b 1" {
		t.Errorf("%s: %s", x.Status, got)
	}
	x = b.exec(wire.Execute{Code: "import os, signal; os.remove('a'); os.kill(os.getpid(), signal.SIGKILL)", Changes: true})
	if got := b.listed(x); x.Status != event.Killed || x.State != event.Lost || got != "removed a 0" {
		t.Errorf("%s: %s", x.Status, got)
	}
	b.wantChanged("open('c','w').close()", "created c 0")
}

func TestChangesAreBounded(t *testing.T) {
	t.Parallel()
	b := start(t, nil)
	b.wantChanged("import os")
	many := wire.MaxChanges - 10
	got := b.changed(fmt.Sprintf("for i in range(%d): open('%%05d' %% i, 'w').close()", many))
	if lines := strings.Split(got, "\n"); len(lines) != many || lines[0] != "created 00000 0" || strings.Contains(got, "unlisted") {
		t.Errorf("%d lines, the first %q", len(lines), lines[0])
	}
	// A rename of all is twice as many changes.
	got = b.changed(fmt.Sprintf("for i in range(%d): os.rename('%%05d' %% i, 'x%%05d' %% i)", many))
	lines := strings.Split(got, "\n")
	if len(lines) != wire.MaxChanges+1 || lines[wire.MaxChanges] != fmt.Sprintf("unlisted: %d more files were changed", 2*many-wire.MaxChanges) {
		t.Errorf("%d lines, the last %q", len(lines), lines[len(lines)-1])
	}
	over := fmt.Sprintf("the working folder holds more than %d files", wire.MaxChanges)
	b.wantChanged("for i in range(20): open('y%d' % i, 'w').close()", "unlisted: "+over)
	b.wantChanged("for i in range(20): os.remove('y%d' % i)", "unlisted: "+over+"; what there was before the code ran is not known")
	b.wantChanged("open('z','w').write('z')", "created z 1")
	b.wantChanged("f = open('z','wb'); f.truncate(300 << 20); f.close(); open('small','w').close()",
		"created small 0", fmt.Sprintf("changed z %d", 300<<20), "unlisted: one changed file is too large to be hashed")
	b.wantChanged("os.chmod('z', 0o600)", fmt.Sprintf("changed z %d", 300<<20), "unlisted: one changed file is too large to be hashed")
}

func TestChangesOfAFolderThatIsGone(t *testing.T) {
	t.Parallel()
	b := start(t, nil)
	b.wantChanged("import os; open('a','w').close()", "created a 0")
	got := b.changed("os.rename(os.getcwd(), os.getcwd()+'.away')")
	if !strings.HasPrefix(got, "unlisted: the working folder could not be looked at") {
		t.Errorf("got %q", got)
	}
	got = b.changed("os.symlink('/etc', '" + b.work + "')")
	if !strings.HasPrefix(got, "unlisted: the working folder could not be looked at") {
		t.Errorf("for a link got %q", got)
	}
	b.changed("os.remove('" + b.work + "'); os.rename('" + b.work + ".away', '" + b.work + "')")
	b.wantChanged("os.remove('"+b.work+"/a')", "removed a 0")
}

// After executions that change nothing the agent does not look any more.
func TestChangesAreNoticed(t *testing.T) {
	t.Parallel()
	b := start(t, nil)
	rest := func() {
		t.Helper()
		for range 4 {
			b.wantChanged("1+1")
		}
	}
	b.wantChanged("import os, subprocess, threading; open('a','w').write('1'); os.makedirs('d/e')", "created a 1")
	for i, c := range []struct{ code, want string }{
		{"open('a','w').write('2')", "changed a 1"},
		{"print('much'); open('a','w').write('3'); print('more')", "changed a 1"},
		{"open('d/e/new','w').write('x')", "created d/e/new 1"},
		{"_ = subprocess.run(['/bin/sh', '-c', 'echo child > d/e/new'])", "changed d/e/new 6"},
		{"go = threading.Event(); t = threading.Thread(target=lambda: (go.wait(), open('bg','w').close())); t.start()", ""},
		{"go.set(); t.join()", "created bg 0"},
		{"os.rename('d/e', 'd/f')", "removed d/e/new 0\ncreated d/f/new 6"},
		{"open('d/f/new', 'w').close()", "changed d/f/new 0"},
		{"os.link('a', 'd/also')", "created d/also 1"},
		{"open('d/also','w').write('12')", "changed a 2\nchanged d/also 2"},
		{"os.remove('a')", "removed a 0"},
		{"open('d/also','w').write('123')", "changed d/also 3"},
	} {
		rest()
		if got := b.changed(c.code); got != c.want {
			t.Errorf("%d: %q changed\n%s\nwant\n%s", i, c.code, got, c.want)
		}
	}
}

// The context that waits for the watch may end, or another may change files.
func TestChangesAreNoticedInEveryContext(t *testing.T) {
	t.Parallel()
	b := start(t, nil)
	in := func(context, code string) event.Execution {
		t.Helper()
		x := b.exec(wire.Execute{Code: code, Context: context, Changes: true})
		if x.Unlisted != "" {
			t.Errorf("%q in %s: %s", code, context, x.Unlisted)
		}
		return x
	}
	want := func(context, code, want string) {
		t.Helper()
		if got := b.listed(in(context, code)); got != want {
			t.Errorf("%q in %s changed %q, want %q", code, context, got, want)
		}
	}
	want("main", "import os; open('a','w').close()", "created a 0")
	for i, end := range []func(){
		func() { in("other", "import os; os._exit(3)") },
		func() {
			if err := b.Restart(b.ctx(), "other"); err != nil {
				t.Fatal(err)
			}
		},
		func() {
			if err := b.RemoveContext(b.ctx(), "other"); err != nil {
				t.Fatal(err)
			}
		},
		func() {},
	} {
		for range 4 {
			want("other", "1", "")
		}
		want("main", "open('a','a').write('!')", fmt.Sprint("changed a ", 2*i+1))
		for range 4 {
			want("other", "1", "")
			want("main", "1", "")
		}
		end()
		want("main", "open('a','a').write('?')", fmt.Sprint("changed a ", 2*i+2))
	}
}

// What became of the variables stands in the message and for itself.
func TestStateNote(t *testing.T) {
	t.Parallel()
	b := start(t, nil)
	for code, want := range map[string]string{
		"while True: pass":       "the variables are kept",
		"import os; os._exit(3)": "the kernel was restarted: the variables are lost, files are kept",
		"1/0":                    "", "1": "",
	} {
		limit := int64(0)
		if strings.HasPrefix(code, "while") { // the others end by themselves, however busy the machine
			limit = 300
		}
		x := b.exec(wire.Execute{Code: code, WallMS: limit})
		if x.StateNote != want || !strings.HasSuffix(x.Message, want) || want != "" && x.Message == want {
			t.Errorf("%s: %q in %q", code, x.StateNote, x.Message)
		}
	}
}

// An interruption that comes while the folder is looked at is not lost.
func TestInterruptedBeforeItBegan(t *testing.T) {
	t.Parallel()
	b := start(t, nil)
	b.run("import os, time\nfor i in range(9000): open(str(i), 'w').write('x' * 4000)")
	for range 5 {
		b.run("open('0','a').write('x')") // nobody knows what it changed: the folder is looked at
		done := make(chan event.Execution, 1)
		go func() {
			x, err := b.Execute(b.ctx(), wire.Execute{Code: "time.sleep(30)", Changes: true, WallMS: 20000}, nil)
			if err != nil {
				t.Error(err)
			}
			done <- x
		}()
		for {
			all, err := b.Contexts(b.ctx())
			if err != nil {
				t.Fatal(err)
			}
			if all[0].State == "busy" {
				break
			}
		}
		if err := b.Interrupt(b.ctx(), ""); err != nil {
			t.Fatal(err)
		}
		if x := <-done; x.Status != event.Interrupted || x.State != event.Intact {
			t.Fatalf("got %s %s %s", x.Status, x.State, x.Message)
		}
		b.want("1+1", "2")
	}
}
