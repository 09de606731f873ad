package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"praxis/internal/test/prepared"
)

// homeVar names the data folder that all scripts share.
const homeVar = "PRAXIS_TEST_HOME"

// TestMain lets this test's own file be the program.
func TestMain(m *testing.M) {
	// A test binary is started with nothing or flags; by this name it is the program.
	if os.Args[0] == asProgram {
		os.Exit(run())
	}
	if os.Args[0] == asHost {
		fmt.Fprintln(os.Stderr, becomeHost(os.Args[1:]))
		os.Exit(1)
	}
	testscript.Main(withHome{m}, map[string]func(){"praxis": main})
}

const asProgram = "praxis-itself"

// withHome runs tests with a data folder that is removed afterwards.
type withHome struct{ m *testing.M }

// Run runs the tests.
func (h withHome) Run() (code int) {
	dir, err := os.MkdirTemp("", "praxis-test-")
	if err == nil {
		err = errors.Join(os.Setenv(homeVar, dir), prepared.Fill(dir), prepared.Fresh())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() {
		if err := os.RemoveAll(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}()
	return h.m.Run()
}

// requireSandbox skips where no sandbox can run, and says why.
func requireSandbox(t *testing.T) {
	t.Helper()
	cmd := exec.Command("/proc/self/exe", "doctor", "--json")
	cmd.Args[0] = asProgram
	cmd.Env = append(os.Environ(), "PRAXIS_HOME="+os.Getenv(homeVar))
	out, err := cmd.Output()
	var host struct {
		Findings []struct {
			Fatal bool
			What  string
		}
	}
	if jsonErr := json.Unmarshal(out, &host); jsonErr != nil {
		t.Fatalf("doctor: %v, %v: %s", err, jsonErr, out)
	}
	for _, f := range host.Findings {
		if f.Fatal {
			t.Skipf("no sandbox can run here: %s", f.What)
		}
	}
}

// TestScripts runs the program as a person does: real sandboxes, real code.
func TestScripts(t *testing.T) {
	requireSandbox(t)
	(&scripts{dir: "testdata"}).run(t)
}

var allPackages = flag.Bool("all-packages", false, "also run the scripts that build many images")

// TestPackages runs scripts that need packages which an index has. They are
// installed once; without an index the scripts are skipped.
func TestPackages(t *testing.T) {
	requireSandbox(t)
	cmd := exec.Command("/proc/self/exe", "image", "build", "--json", "--with", "pandas,matplotlib")
	cmd.Args[0] = asProgram
	cmd.Env = append(os.Environ(), "PRAXIS_HOME="+os.Getenv(homeVar))
	out, err := cmd.Output()
	var got struct {
		Failure struct{ Kind, Message string }
	}
	if jsonErr := json.Unmarshal(out, &got); jsonErr != nil {
		t.Fatalf("image build: %v, %v: %s", err, jsonErr, out)
	}
	if got.Failure.Kind == "unavailable" {
		t.Skipf("no package index can be reached: %s", got.Failure.Message)
	}
	if err != nil {
		t.Fatalf("image build: %v: %s", err, out)
	}
	(&scripts{dir: filepath.Join("testdata", "packages")}).run(t)
	if *allPackages {
		(&scripts{dir: filepath.Join("testdata", "packages", "long")}).run(t)
	}
}
