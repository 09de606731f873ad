// Package praxis lets a program run code that a model wrote in a strong sandbox
// on its own machine, let a model answer questions by such code, and run plans
// whose data flows are checked. It is what the command praxis does, as Go
// functions:
//
//	client, err := praxis.Open(praxis.Options{})
//	session, err := client.NewSession(ctx, praxis.SessionOptions{With: []string{"pandas"}})
//	result, err := session.Execute("print(6 * 7)").Result(ctx)
//
// Runs are recorded in the data folder, which the command praxis shows, verifies
// and replays as well. What a session executes by itself is not recorded:
// [Client.RunCode], [Client.Ask] and [Client.RunPlan] make runs.
//
// [Connect] takes the place of [Open] where a server does the work.
//
// # Results
//
// What guest code did, such as raising an exception or breaking a limit, is data
// in a result. What the caller did wrong is an error with a fault
// (praxis/fault) in its chain, whose code and data a program can branch on.
// Any other error is a failure of Praxis or of the machine.
//
// # Sandboxes
//
// A sandbox runs the program praxis: the command, which should be built from the
// same version as this package. One that speaks another version of the protocol
// between host and sandbox is refused. It is looked for beside the importing program's executable and in PATH, unless
// [Options] name it. The importing program is never copied into a sandbox, and
// its main function need not know of any of this.
package praxis

import (
	"os"
	"runtime/debug"
	"strings"
	"time"

	"praxis/internal/app"
	"praxis/internal/diagnostics"
)

// Options say how a Client is opened. The zero value is the data folder of the
// person who runs the program.
type Options struct {
	// Home is the data folder: images, sessions, runs, threads. "": what the
	// environment says, as the command praxis takes it.
	Home string
	// Environ holds NAME=value: keys of models, secrets of tools. nil: the
	// variables of this process. Those whose names say that they are secret are
	// never recorded, and code is given none.
	Environ []string
	// Now is the clock that runs are recorded by; nil: the machine's.
	Now func() time.Time
}

// Client is an open Praxis, over one data folder or over a server. It is safe for
// concurrent use.
type Client struct {
	does  any // *app.App, or the *client.Client of a server
	close func() error
}

// Open opens the records of the data folder. Nothing is written, and no sandbox
// is prepared, before it is needed. The person's configuration file is not read:
// what is not said is the default. Until Close, what the program and its libraries
// write to package log passes with the client's secrets taken out: net/http logs
// there what hosts send, and they may have been sent credentials.
func Open(o Options) (*Client, error) {
	if o.Environ == nil {
		o.Environ = os.Environ()
	}
	getenv := func(name string) string {
		for _, v := range o.Environ {
			if value, ok := strings.CutPrefix(v, name+"="); ok {
				return value
			}
		}
		return ""
	}
	config, err := app.DefaultConfig(o.Home, getenv)
	if err != nil {
		return nil, err
	}
	notes, release := diagnostics.Guard()
	a, err := app.Open(app.Options{
		Notes: notes, Now: o.Now, Project: true,
		Config: config, Getenv: getenv, Environ: o.Environ, Version: version(),
	})
	if err != nil {
		release()
		return nil, err
	}
	return &Client{a, func() error {
		defer release() // the log of the program
		return a.Close()
	}}, nil
}

// Close ends every session and sandbox, and closes the records. What a server does goes on.
func (c *Client) Close() error { return c.close() }

// version is the version of this module, as runs record it.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "development"
	}
	for _, m := range append(info.Deps, &info.Main) {
		if m.Path == "praxis" && m.Version != "" && m.Version != "(devel)" {
			return m.Version
		}
	}
	return "development"
}
