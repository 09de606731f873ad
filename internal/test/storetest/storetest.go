// Package storetest is the exam of the store contract. Every implementation
// must pass it.
package storetest

import (
	"context"
	"testing"

	"praxis/fault"
)

// want fails the test unless err is a fault of the kind.
func want(t *testing.T, err error, kind fault.Kind, what string) {
	t.Helper()
	if got := fault.KindOf(err); err == nil || got != kind {
		t.Errorf("%s: got %v (%v), want a fault of kind %v", what, err, got, kind)
	}
}

// must ends the test on an error.
func must(t *testing.T, err error, what string) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
}

// gone returns a context that is over.
func gone() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}

// refused fails the test unless a call with a context that is over says so.
func refused(t *testing.T, err error, what string) {
	t.Helper()
	want(t, err, fault.Canceled, what+" after the caller gave up")
}

// hostile are texts that must be kept and compared as they are.
func hostile() []string {
	return []string{
		"x", " ", "'; DROP TABLE docs; --", `"`, "%", "_", "\\", "*", "NEAR(", "a OR b", "{}", "null",
		"naïve", "日本語", "🙂", "e\u0301", "\u202e", "tab\there", "line\nbreak", "../../etc/passwd",
	}
}
