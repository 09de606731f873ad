package main

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"praxis/fault"
	"praxis/internal/test/prepared"
)

// patience is how long a script waits for what must come.
const patience = time.Minute

// ownHome finds what makes a script's data folder in the script itself.
var ownHome = regexp.MustCompile(`(?m)^(home |tiny |env PRAXIS_HOME=)`)

// scripts runs the scripts of a folder, each with a data folder of its own. What
// they can say beside testscript's own commands:
//
//	code N command args…  runs a command whose exit code must be N
//	home DIR              takes another data folder, in which nothing has run
//	run VAR [REF]         sets VAR to the id of a run, and VAR_LOG to its log;
//	                      REF is last when it is left out
//	await FILE PATTERN    waits until a file that the pattern of paths names contains
//	                      a text; it must come within a minute
//	without TEXT PATH…    no file contains a text, in any form that a program gives it
//	unwritable DIR        makes a folder one that nothing can be written into
//	tiny DIR SIZE         makes a folder on a disk of that size
//	serve VAR             starts a web server and sets VAR to its address
//	node                  puts Node into the data folder, and the package left-pad in two versions
//
// The variable EXAMPLES is the folder of the examples.
//
// The condition [mount] says that file systems can be mounted here, [npm] that the
// registry of npm, or what it gave before, can be reached.
type scripts struct {
	dir    string
	shared sync.Once // fills the data folder that others are made of
	failed error
}

func (s *scripts) run(t *testing.T) {
	t.Helper()
	testscript.Run(t, testscript.Params{
		Dir:                 s.dir,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			home := filepath.Join(env.WorkDir, ".home")
			env.Setenv("PRAXIS_HOME", home)
			script, err := os.ReadFile(filepath.Join(s.dir, strings.TrimPrefix(filepath.Base(env.WorkDir), "script-")+".txtar"))
			if err == nil && !ownHome.Match(script) {
				err = s.furnish(home)
			}
			if err != nil {
				return err
			}
			examples, err := filepath.Abs(filepath.Join("..", "..", "examples"))
			if err != nil {
				return err
			}
			env.Setenv("EXAMPLES", examples)
			for _, k := range []string{"PRAXIS_MODEL", "ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL", "XDG_CONFIG_HOME"} {
				env.Setenv(k, "")
			}
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"code": expectCode, "home": s.home, "run": findRun, "await": await,
			"without": without, "unwritable": unwritable, "tiny": s.tiny, "serve": serve, "node": s.node,
		},
		Condition: func(cond string) (bool, error) {
			switch cond {
			case "mount":
				return mounts(), nil
			case "npm":
				return withNPM()
			}
			return false, fmt.Errorf("unknown condition %q", cond)
		},
	})
}

// expectCode runs a command and checks its exit code.
func expectCode(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: code N command args…")
	}
	got := "0"
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		got = fmt.Sprint(exit.ExitCode())
	}
	if got != args[0] {
		ts.Fatalf("exit code is %s, want %s", got, args[0])
	}
}

// home makes another data folder.
func (s *scripts) home(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: home DIR")
	}
	dir := ts.MkAbs(args[0])
	ts.Check(s.furnish(dir))
	ts.Setenv("PRAXIS_HOME", dir)
}

// furnish makes a data folder with the images and the key of the shared one, since
// unpacking them takes seconds. They are copied: a hard link would change the files of
// every folder at once as far as their seals can see. The program is that of all.
func (s *scripts) furnish(dir string) error {
	shared := os.Getenv(homeVar)
	s.shared.Do(func() {
		cmd := exec.Command("/proc/self/exe", "run", "-c", "None")
		cmd.Args[0] = asProgram
		cmd.Env = append(os.Environ(), "PRAXIS_HOME="+shared)
		if out, err := cmd.CombinedOutput(); err != nil {
			s.failed = fmt.Errorf("cannot prepare the shared data folder: %w: %s", err, out)
		}
	})
	if s.failed != nil {
		return s.failed
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	if err := os.Symlink(filepath.Join(shared, "programs"), filepath.Join(dir, "programs")); err != nil {
		return err
	}
	return copyParts(dir, "images/python", "images/pip", "images/root", "images/layer", "images/image", "images/request", "keys/seal.key")
}

// copyParts copies parts of the shared data folder.
func copyParts(dir string, parts ...string) error {
	shared := os.Getenv(homeVar)
	for _, part := range parts {
		from, to := filepath.Join(shared, part), filepath.Join(dir, part)
		if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
			return err
		}
		err := filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) {
				return nil // another script's, on its way
			}
			if err != nil {
				return err
			}
			return copyEntry(path, filepath.Join(to, strings.TrimPrefix(path, from)), d)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// withNPM makes images with versions of a package of npm's in the shared data folder, once:
// scripts have no configuration of npm's.
var withNPM = sync.OnceValues(func() (bool, error) {
	home := os.Getenv(homeVar)
	switch err := prepared.Node(home); {
	case fault.KindOf(err) == fault.Unavailable:
		return false, nil
	case err != nil:
		return false, err
	}
	for _, version := range []string{"1.2.0", "1.3.0"} {
		cmd := exec.Command("/proc/self/exe", "image", "build", "--npm", "left-pad@"+version)
		cmd.Args[0] = asProgram
		cmd.Env = append(os.Environ(), "PRAXIS_HOME="+home)
		out, err := cmd.CombinedOutput()
		if strings.Contains(string(out), "cannot reach the registry of npm") {
			return false, nil
		}
		if err != nil {
			return false, fmt.Errorf("cannot make an image with a package of npm: %w: %s", err, out)
		}
	}
	return true, nil
})

// node puts Node into the data folder.
func (s *scripts) node(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 0 {
		ts.Fatalf("usage: node")
	}
	ts.Check(copyParts(ts.Getenv("PRAXIS_HOME"), "images/node", "images/modules", "images/image", "images/request", "images/wheels"))
}

// copyEntry copies a file, a folder without what is in it, or a link. Leases are left out.
func copyEntry(from, to string, d fs.DirEntry) error {
	info, err := d.Info()
	switch {
	case errors.Is(err, fs.ErrNotExist), strings.HasSuffix(from, ".lease"):
		return nil
	case err != nil:
		return err
	case d.IsDir():
		return errors.Join(os.MkdirAll(to, 0o700), os.Chmod(to, info.Mode()))
	case d.Type()&fs.ModeSymlink != 0:
		text, err := os.Readlink(from)
		if err != nil {
			return err
		}
		return os.Symlink(text, to)
	}
	data, err := os.ReadFile(from)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return errors.Join(os.WriteFile(to, data, 0o600), os.Chmod(to, info.Mode()))
}

// findRun names a run and its log.
func findRun(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 || len(args) > 2 {
		ts.Fatalf("usage: run VAR [REF]")
	}
	ref := "last"
	if len(args) == 2 {
		ref = args[1]
	}
	// The exit code says how the run stands: one that is not finished is one too.
	var exit *exec.ExitError
	if err := ts.Exec("praxis", "verify", "--json", ref); err != nil && !errors.As(err, &exit) {
		ts.Fatalf("%v", err)
	}
	var got struct{ Run string }
	text := ts.ReadFile("stdout")
	if err := json.Unmarshal([]byte(text), &got); err != nil || got.Run == "" {
		ts.Fatalf("no run %s: %v: %s", ref, err, text)
	}
	logs, err := filepath.Glob(filepath.Join(ts.Getenv("PRAXIS_HOME"), "journal", "*", got.Run+".jsonl"))
	if err != nil || len(logs) != 1 {
		ts.Fatalf("run %s has the logs %q: %v", got.Run, logs, err)
	}
	ts.Setenv(args[0], got.Run)
	ts.Setenv(args[0]+"_LOG", logs[0])
}

// await waits for a text in a file.
func await(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: await FILE PATTERN")
	}
	re, err := regexp.Compile("(?m)" + args[1])
	ts.Check(err)
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		files, err := filepath.Glob(ts.MkAbs(args[0]))
		ts.Check(err)
		for _, f := range files {
			if data, err := os.ReadFile(f); err == nil && re.Match(data) {
				return
			}
		}
	}
	ts.Fatalf("%s contains no %q after %v", args[0], args[1], patience)
}

// without looks for a text in files, in every form that programs write it in.
func without(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: without TEXT PATH…")
	}
	want := writings(args[0])
	looked := 0
	for _, pattern := range args[1:] {
		roots, err := filepath.Glob(ts.MkAbs(pattern))
		ts.Check(err)
		for _, root := range roots {
			ts.Check(filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
				if err != nil || !d.Type().IsRegular() {
					return err
				}
				data, err := os.ReadFile(path)
				if err != nil {
					return err
				}
				looked++
				for _, form := range want {
					if i := bytes.Index(data, []byte(form)); i >= 0 {
						return fmt.Errorf("%s contains %q: %.200q", path, form, data[max(0, i-40):])
					}
				}
				return nil
			}))
		}
	}
	if looked == 0 {
		ts.Fatalf("there are no files in %q", args[1:])
	}
}

// writings are a text as it is, in JSON and JSON in JSON, as Python shows it, in
// addresses, in hexadecimal, and in base64 at each of the places where it can
// begin, without the characters that depend on the text beside it.
func writings(text string) []string {
	inner := func(s string) string {
		data, err := json.Marshal(s)
		if err != nil {
			panic(err)
		}
		return string(data[1 : len(data)-1])
	}
	query := url.QueryEscape(text)
	out := []string{
		text, inner(text), inner(inner(text)), strings.ReplaceAll(text, `\`, `\\`), hex.EncodeToString([]byte(text)),
		query, strings.ReplaceAll(query, "+", "%20"), strings.NewReplacer("+", "%20", "%2F", "/").Replace(query),
	}
	for shift := range 3 {
		code := base64.RawStdEncoding.EncodeToString([]byte("--"[:shift] + text))
		code = code[(shift*8+5)/6 : (shift+len(text))*8/6]
		out = append(out, code, strings.NewReplacer("+", "-", "/", "_").Replace(code))
	}
	return out
}
