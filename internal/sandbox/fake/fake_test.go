package fake_test

import (
	"testing"

	"praxis/internal/sandbox"
	"praxis/internal/sandbox/fake"
	"praxis/internal/test/sandboxtest"
)

func TestExam(t *testing.T) {
	root := t.TempDir()
	sandboxtest.Test(t, func(*testing.T) sandbox.Backend {
		return fake.New(fake.Config{Program: func(sandbox.Spec) fake.Program { return sandboxtest.Pretend() }})
	}, sandboxtest.Guest{Spec: func(testing.TB) sandbox.Spec {
		return sandbox.Spec{Root: root, Args: []string{"guest"}}
	}})
}
