package cmd

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// damage changes a file as accidents and hands do:
//
//	damage flip FILE N      turns a bit of byte N around (from the end when N < 0)
//	damage cut FILE N       leaves N bytes (from the end when N < 0)
//	damage drop FILE N      takes line N out, which counts from 1 (-1: the last)
//	damage double FILE N    has line N twice
//	damage swap FILE N      puts line N behind the one after it
//	damage set FILE A B     replaces text A by B
func damage(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: damage what FILE N")
	}
	path := ts.MkAbs(args[1])
	data, err := os.ReadFile(path)
	ts.Check(err)
	if args[0] == "set" {
		if !bytes.Contains(data, []byte(args[2])) {
			ts.Fatalf("%s does not contain %q", args[1], args[2])
		}
		ts.Check(os.WriteFile(path, bytes.ReplaceAll(data, []byte(args[2]), []byte(args[3])), 0o600))
		return
	}
	n, err := strconv.Atoi(args[2])
	ts.Check(err)
	lines := bytes.SplitAfter(data, []byte("\n"))
	join := func(parts ...[][]byte) (out []byte) {
		for _, p := range parts {
			out = append(out, bytes.Join(p, nil)...)
		}
		return out
	}
	at := n
	if n < 0 {
		at += len(data)
		n += len(lines) // behind the last newline stands an empty one
	}
	switch args[0] {
	case "flip":
		data[at] ^= 1
	case "cut":
		data = data[:at]
	case "drop":
		data = join(lines[:n-1], lines[n:])
	case "double":
		data = join(lines[:n], lines[n-1:])
	case "swap":
		data = join(lines[:n-1], lines[n:n+1], lines[n-1:n], lines[n+1:])
	default:
		ts.Fatalf("there is no damage %q", args[0])
	}
	ts.Check(os.WriteFile(path, data, 0o600))
}

// lastRun sets the variable NAME to the id of the newest run, and NAME_LOG to
// the file of its journal, NAME_DAY to the day that its id begins
// with, and NAME_BLOB to the file of a content that it refers to.
func lastRun(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: lastrun NAME")
	}
	found, err := filepath.Glob(ts.Getenv("PRAXIS_HOME") + "/journal/*/*.jsonl")
	ts.Check(err)
	if len(found) == 0 {
		ts.Fatalf("there is no run")
	}
	newest := found[0]
	for _, f := range found {
		if began(ts, f) > began(ts, newest) {
			newest = f
		}
	}
	id := filepath.Base(newest)
	ts.Setenv(args[0], id[:len(id)-len(".jsonl")])
	ts.Setenv(args[0]+"_LOG", newest)
	ts.Setenv(args[0]+"_DAY", id[:len("20261121")])
	data, err := os.ReadFile(newest)
	ts.Check(err)
	// The first content that a text of the run is kept in.
	if _, rest, ok := bytes.Cut(data, []byte(`{"$blob":"`)); ok {
		ts.Setenv(args[0]+"_BLOB", filepath.Join(ts.Getenv("PRAXIS_HOME"), "blobs", string(rest[:2]), string(rest[:64])))
	}
}

// began is the time of the first record of a journal, which sorts as a text.
func began(ts *testscript.TestScript, path string) string {
	data, err := os.ReadFile(path)
	ts.Check(err)
	_, rest, _ := bytes.Cut(data, []byte(`"time":"`))
	at, _, _ := bytes.Cut(rest, []byte(`"`))
	return string(at)
}

// old makes everything that is kept look two hours older than it is.
func old(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 0 {
		ts.Fatalf("usage: old")
	}
	ts.Check(filepath.WalkDir(ts.Getenv("PRAXIS_HOME"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		then := info.ModTime().Add(-2 * time.Hour)
		return os.Chtimes(path, then, then)
	}))
}
