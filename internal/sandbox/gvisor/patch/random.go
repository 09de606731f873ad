package patch

// random are the places where the sandbox's kernel draws random bytes that programs see.
func random() []edit {
	const fromContext = "safemem.FromIOReader{rand.From(ctx)}"
	return []edit{
		{"pkg/sentry/syscalls/linux/sys_random.go", "safemem.FromIOReader{rand.Reader}", "safemem.FromIOReader{rand.From(t)}", 1},
		{"pkg/sentry/devices/memdev/random.go", "safemem.FromIOReader{rand.Reader}", fromContext, 2},
		// What AT_RANDOM points to.
		{"pkg/sentry/loader/loader.go", "rand.Read(b[:])", "io.ReadFull(rand.From(ctx), b[:])", 1},
		{"pkg/sentry/fsimpl/proc/tasks_sys.go", "newStaticFile(randUUID())", "newStaticFile(randUUID(rand.OfNobody()))", 1},
		{"pkg/sentry/fsimpl/proc/tasks_sys.go", "buf.WriteString(randUUID())", "buf.WriteString(randUUID(rand.From(ctx)))", 1},
		{"pkg/sentry/fsimpl/proc/tasks_sys.go", "func randUUID() string {", "func randUUID(r io.Reader) string {", 1},
		{"pkg/sentry/fsimpl/proc/tasks_sys.go", "io.ReadFull(rand.Reader, uuid[:])", "io.ReadFull(r, uuid[:])", 1},
		{"pkg/sentry/kernel/auth/key.go", "binary.Read(rand.Reader, ", "binary.Read(rand.OfNobody(), ", 1},
		{"pkg/sentry/kernel/task_context.go", "\tcase ktime.CtxRealtimeClock:\n", "\tcase rand.CtxReader:\n\t\treturn t.reader()\n\tcase ktime.CtxRealtimeClock:\n", 1},
		{"pkg/sentry/kernel/task_context.go", "\t\"gvisor.dev/gvisor/pkg/devutil\"\n", "\t\"gvisor.dev/gvisor/pkg/devutil\"\n\t\"gvisor.dev/gvisor/pkg/rand\"\n", 1},
		// The layout of memory.
		{"pkg/sentry/arch/arch_amd64.go", "rand.Int63n(int64(max))", "rand.Offset(int64(max))", 1},
		{"pkg/sentry/arch/arch_arm64.go", "rand.Int63n(int64(max))", "rand.Offset(int64(max))", 1},
		{"pkg/sentry/mm/syscalls.go", "rand.Int63n(int64(mm.layout.MaxStackRand))", "rand.Offset(int64(mm.layout.MaxStackRand))", 1},
		{"pkg/sentry/platform/systrap/usertrap/usertrap_amd64.go", "rand.Int63n(int64(trapTableAddrRange.Length()-trapTableSize))", "rand.Offset(int64(trapTableAddrRange.Length()-trapTableSize))", 1},
	}
}

// identity is what processes are known by: which of them are programs of the session, and
// their numbers.
func identity() []edit {
	return []edit{
		{"pkg/sentry/kernel/thread_group.go", "type ThreadGroup struct {\n\tthreadGroupNode\n", "type ThreadGroup struct {\n\tthreadGroupNode\n\n\t// member is what the group is in a seeded sandbox.\n\tmember member `state:\"nosave\"`\n", 1},
		{"pkg/sentry/kernel/task_clone.go", "\t\ttg.oomScoreAdj = atomicbitops.FromInt32(t.tg.oomScoreAdj.Load())\n", "\t\ttg.bornOf(t)\n\t\ttg.oomScoreAdj = atomicbitops.FromInt32(t.tg.oomScoreAdj.Load())\n", 1},
		{"pkg/sentry/kernel/task_start.go", "if tid, err = ns.allocateTID(); err != nil {", "if tid, err = ns.allocateTIDOf(t.tg); err != nil {", 1},
		{"pkg/sentry/kernel/task_start.go", "\t\tif tid > TasksLimit {\n", "\t\tif tid > lastOrdinaryTID() {\n", 1},
		{"pkg/sentry/syscalls/linux/sys_prctl.go", "\tcase linux.PR_GET_TIMING,\n", "\tcase kernel.SeedOption:\n\t\treturn 0, nil, t.SeedControl(args[1].Int(), args[2].Pointer())\n\n\tcase linux.PR_GET_TIMING,\n", 1},
	}
}
