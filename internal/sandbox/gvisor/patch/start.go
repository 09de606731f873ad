package patch

// starting leaves out what the sentry makes at each start and nobody uses.
func starting() []edit {
	return []edit{
		// The table of what can be traced, an entry or two for each system call: 4 ms of
		// processor time. It is read when a trace is begun, which only a flag or a command of
		// gVisor's does that we have not.
		{"runsc/boot/loader.go", "\t// Initialize seccheck points.\n\tseccheck.Initialize()\n\targs.StartupTimer.Reached(\"seccheck initialized\")\n", "", 1},
	}
}
