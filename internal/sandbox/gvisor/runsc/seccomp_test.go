package runsc

import (
	"encoding/json"
	"flag"
	"os"
	"slices"
	"testing"

	"gvisor.dev/gvisor/pkg/bpf"
	"gvisor.dev/gvisor/pkg/seccomp"
	"gvisor.dev/gvisor/pkg/seccomp/precompiledseccomp"
	"gvisor.dev/gvisor/pkg/sentry/platform"
	_ "gvisor.dev/gvisor/pkg/sentry/platform/systrap" // registers itself
	sentryconfig "gvisor.dev/gvisor/runsc/boot/filter/config"
	goferconfig "gvisor.dev/gvisor/runsc/fsgofer/filter/config"
)

var update = flag.Bool("update-seccomp", false, "compile gVisor's filters into seccomp_amd64.json (takes a minute)")

// sentryOptions and goferOptions are what runscConfig leads to.
func sentryOptions(t *testing.T) sentryconfig.Options {
	t.Helper()
	systrap, err := platform.Lookup("systrap")
	if err != nil {
		t.Fatal(err)
	}
	return sentryconfig.Options{Platform: systrap.PrecompiledSeccompInfo()[0], HostFilesystem: true, ControllerFD: 17}
}

func goferOptions() goferconfig.Options { return goferconfig.Options{DirectFS: true} }

// TestSeccompFiles wants the compiled filters to be what gVisor would compile.
func TestSeccompFiles(t *testing.T) {
	if len(seccompFile) == 0 {
		t.Skip("no compiled filters on this architecture")
	}
	so, fo := sentryOptions(t), goferOptions()
	if *update {
		updateSeccomp(t, so.ConfigKey(), fo.ConfigKey())
	}
	p, ok, err := loadSeccomp()
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	allow, deny := sentryconfig.Rules(so)
	compareFilter(t, "sentry", p.Sentry, so.ConfigKey(), so.Vars(), &seccomp.Program{
		RuleSets: []seccomp.RuleSet{{Rules: deny}, {Rules: allow, Action: seccomp.Allow}},
		Options:  sentryconfig.SeccompOptions(so),
	})
	allow, deny = goferconfig.Rules(fo)
	compareFilter(t, "gofer", p.Gofer, fo.ConfigKey(), fo.Vars(), &seccomp.Program{
		RuleSets: []seccomp.RuleSet{{Rules: deny}, {Rules: allow, Action: seccomp.Allow}},
	})
}

func compareFilter(t *testing.T, who string, have precompiledseccomp.Program, key string, vars precompiledseccomp.Values, rules *seccomp.Program) {
	t.Helper()
	if have.Name != key {
		t.Errorf("%s: compiled for %q, wanted for %q; run go test -run TestSeccompFiles -update-seccomp", who, have.Name, key)
		return
	}
	want, _, err := rules.Build()
	if err != nil {
		t.Fatal(err)
	}
	got, err := have.RenderInstructions(vars)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) < 100 || !slices.EqualFunc(got, want, func(a, b bpf.Instruction) bool { return a == b }) {
		t.Errorf("%s: the compiled filter has %d instructions that are not the %d of gVisor's rules; run go test -run TestSeccompFiles -update-seccomp", who, len(got), len(want))
	}
}

// markPID makes a variable of this process's number wherever a rule put it into
// the program as a constant. That no other constant is hit is seen by the test,
// which runs in another process.
func markPID(p precompiledseccomp.Program) {
	const name = "self_pid_low32bits"
	for i, v := range p.Bytecode32 {
		if v == uint32(os.Getpid()) && !slices.Contains(p.VarOffsets[name], i) {
			p.VarOffsets[name] = append(p.VarOffsets[name], i)
		}
	}
}

func updateSeccomp(t *testing.T, sentryKey, goferKey string) {
	t.Helper()
	pick := func(all []precompiledseccomp.Program, err error, key string) precompiledseccomp.Program {
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(all, func(p precompiledseccomp.Program) bool { return p.Name == key })
		if i < 0 {
			t.Fatalf("gVisor compiles nothing for %q", key)
		}
		return all[i]
	}
	s, err := sentryconfig.PrecompiledPrograms()
	sentry := pick(s, err, sentryKey)
	markPID(sentry)
	g, err := goferconfig.PrecompiledPrograms()
	b, err := json.Marshal(seccompPrograms{Sentry: sentry, Gofer: pick(g, err, goferKey)})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("seccomp_amd64.json", append(b, '\n'), 0o644); err != nil {
		t.Fatal(err)
	}
	seccompFile = b
}
