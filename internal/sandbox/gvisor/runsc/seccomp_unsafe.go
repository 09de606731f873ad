package runsc

import (
	_ "unsafe" // for go:linkname

	"gvisor.dev/gvisor/pkg/seccomp/precompiledseccomp"
	sentryfilter "gvisor.dev/gvisor/runsc/boot/filter"
	goferfilter "gvisor.dev/gvisor/runsc/fsgofer/filter"
)

// The two tables into which gVisor's own build generates its compiled filters.
// It has no other way to fill them.

//go:linkname sentryTable gvisor.dev/gvisor/runsc/boot/filter.precompiledPrograms
var sentryTable map[string]precompiledseccomp.Program

//go:linkname goferTable gvisor.dev/gvisor/runsc/fsgofer/filter.precompiledPrograms
var goferTable map[string]precompiledseccomp.Program

// useSeccomp gives gVisor the compiled filters. It must run before gVisor does.
func useSeccomp(p seccompPrograms) {
	// The first look-up fills the tables, with nothing; later ones leave them.
	sentryfilter.GetPrecompiled("")
	goferfilter.GetPrecompiled("")
	sentryTable = map[string]precompiledseccomp.Program{p.Sentry.Name: p.Sentry}
	goferTable = map[string]precompiledseccomp.Program{p.Gofer.Name: p.Gofer}
}
