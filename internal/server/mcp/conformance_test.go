package mcp_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"praxis/internal/app"
	"praxis/internal/server/access"
	"praxis/internal/server/api"
	"praxis/internal/server/mcp"
	"praxis/internal/server/observe"
	"praxis/internal/server/rest"
	"praxis/internal/test/prepared"
	"praxis/internal/test/toy"
)

var allClients = flag.Bool("all-clients", false, "install the conformance suite and the official clients, and run them")

// The conformance suite of the protocol's authors: the one that is released, and the one that
// knows the newest version of the protocol.
const (
	suitePackage = "@modelcontextprotocol/conformance"
	suiteRelease = "0.1.16"
	suiteNewest  = "0.2.0-alpha.12"
)

// node returns Node, which the tests' cache has in the version that the suite needs.
func node(t *testing.T) string {
	t.Helper()
	home := t.TempDir()
	if err := prepared.Node(home); err != nil {
		t.Fatalf("cannot prepare Node: %v", err)
	}
	found, err := filepath.Glob(filepath.Join(home, "images", "node", "*", "tree", "bin", "node"))
	if err != nil || len(found) == 0 {
		t.Fatalf("there is no Node in %s: %v", home, err)
	}
	return found[0]
}

// install installs packages of npm in a folder, and returns it.
func install(t *testing.T, packages ...string) string {
	t.Helper()
	npm, err := exec.LookPath("npm")
	if err != nil {
		t.Skip("skipped: there is no npm")
	}
	dir := t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, npm, append([]string{"install", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", dir}, packages...)...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("npm cannot install %v: %v\n%s", packages, err, out)
	}
	return dir
}

// suite is an installed conformance suite.
type suite struct{ node, program string }

func newSuite(t *testing.T, version string) suite {
	t.Helper()
	dir := install(t, suitePackage+"@"+version)
	return suite{node(t), filepath.Join(dir, "node_modules", filepath.FromSlash(suitePackage), "dist", "index.js")}
}

var scenarioLine = regexp.MustCompile(`(?m)^\s*- (\S+) \[([^\]]*)\]`)

// scenarios returns those of the suite for servers of a version of the protocol.
func (s suite) scenarios(t *testing.T, version string) []string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), s.node, s.program, "list", "--server").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var all []string
	for _, m := range scenarioLine.FindAllStringSubmatch(string(out), -1) {
		if strings.Contains(m[2], version) {
			all = append(all, m[1])
		}
	}
	if len(all) < 10 {
		t.Fatalf("the suite has %d scenarios of %s:\n%s", len(all), version, out)
	}
	return all
}

// run runs a scenario.
func (s suite) run(t *testing.T, url, scenario, version string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, s.node, s.program, "server", "--url", url, "--scenario", scenario, "--spec-version", version)
	cmd.Dir = t.TempDir()
	out, err := cmd.CombinedOutput()
	if err != nil || strings.Contains(string(out), "FAILURE") || strings.Contains(string(out), "WARNING") {
		t.Errorf("%s: %v\n%s", scenario, err, out)
	}
}

// withKey sends a key with each request that has none: the suite knows of no keys.
func withKey(h http.Handler, key string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header.Set("Authorization", "Bearer "+key)
		h.ServeHTTP(w, r)
	})
}

// fixtureServer serves the door with what the suite wants a server to have.
func fixtureServer(t *testing.T) string {
	t.Helper()
	c, err := app.DefaultConfig(t.TempDir(), func(string) string { return "" })
	if err != nil {
		t.Fatal(err)
	}
	a, err := app.Open(app.Options{Config: c, Version: "test", Parts: &app.Parts{Backend: toy.Backend(), Images: toy.Images{}, ImageFiles: toy.Images{}, Recipes: toy.Images{}, Program: toy.Program()}})
	if err != nil {
		t.Fatal(err)
	}
	key := access.Key{ID: "k", Tenant: access.DefaultTenant, Scopes: []access.Scope{access.Admin}}
	h := mcp.NewWithFixtures(rest.Config{
		Server: &api.Server{Version: "test"}, Served: func(observe.Request) {}, Admit: func(access.Key) error { return nil },
		Caller: func(context.Context, string) (access.Key, error) { return key, nil },
		Tenant: func(context.Context, string) (*api.Tenant, error) { return &api.Tenant{Name: key.Tenant, App: a}, nil },
	}, fixtureOptions, fixtures)
	web := httptest.NewServer(withKey(h, "any"))
	t.Cleanup(func() {
		web.CloseClientConnections()
		web.Close()
		if err := errors.Join(h.Close(), a.Close()); err != nil {
			t.Error(err)
		}
	})
	return web.URL + mcp.Path
}

// The released suite passes whole: with its own fixtures beside the door's tools, and against the
// server as it is where a scenario needs no fixture.
func TestConformance(t *testing.T) {
	if !*allClients {
		t.Skip("skipped: it installs the suite: -all-clients says so")
	}
	const version = "2025-11-25"
	s := newSuite(t, suiteRelease)
	// Scenarios that do not apply, and why.
	without := map[string]string{
		"dns-rebinding-protection": "names are checked before all doors: it is run against the whole server",
		"server-sse-polling":       "the door closes no stream before its answer, and keeps no messages: a client that lost its connection has given its call up",
	}
	// Scenarios that need nothing but what every server has.
	own := []string{"server-initialize", "ping", "tools-list", "resources-list", "dns-rebinding-protection"}
	all := s.scenarios(t, version)
	for name := range without {
		if !slices.Contains(all, name) {
			t.Errorf("the suite has no scenario %s", name)
		}
	}
	url := fixtureServer(t)
	for _, name := range all {
		if without[name] == "" {
			t.Run(name, func(t *testing.T) { s.run(t, url, name, version) })
		}
	}
	w := newWorld(t, settings{})
	web := httptest.NewServer(withKey(w.s.Handler(), w.key))
	defer web.Close()
	_, port, err := net.SplitHostPort(strings.TrimPrefix(web.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range own {
		t.Run("own/"+name, func(t *testing.T) { s.run(t, fmt.Sprint("http://localhost:", port, mcp.Path), name, version) })
	}
}

// The suite that knows the newest version of the protocol, which has no sessions over HTTP.
func TestConformanceNewest(t *testing.T) {
	if !*allClients {
		t.Skip("skipped: it installs the suite: -all-clients says so")
	}
	s := newSuite(t, suiteNewest)
	// Scenarios that do not apply, and why. What is input-required asks a person in the middle of
	// a call, which TestApproval does with the door's own tools.
	const fixtures = "it is about tools that only a fixture would have: they want input in several rounds, or sampling and roots, which the door does not use"
	without := map[string]string{
		"dns-rebinding-protection":             "names are checked before all doors: it is run against the whole server",
		"server-stateless":                     "its last checks want tools that do nothing but ask for sampling, write logs and change the list of tools",
		"http-custom-header-server-validation": "no tool of the door has an argument that is a header",
	}
	for _, name := range []string{"basic-elicitation", "basic-sampling", "basic-list-roots", "request-state", "multiple-input-requests", "multi-round", "missing-input-response", "non-tool-request", "result-type", "tampered-state", "capability-check", "ignore-extra-params"} {
		without["input-required-result-"+name] = fixtures
	}
	all := s.scenarios(t, stateless)
	for name := range without {
		if !slices.Contains(all, name) {
			t.Errorf("the suite has no scenario %s", name)
		}
	}
	url := fixtureServer(t)
	for _, name := range all {
		if without[name] == "" {
			t.Run(name, func(t *testing.T) { s.run(t, url, name, stateless) })
		}
	}
}

// stateless is the newest version of the protocol.
const stateless = "2026-07-28"
