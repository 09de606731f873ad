package patch

import "fmt"

// clocks are the places where time is read that programs see, or waited for.
func clocks() []edit {
	const calls = "pkg/sentry/syscalls/linux/"
	var out []edit
	// The clocks of a task instead of those of the kernel.
	for file, n := range map[string][2]int{
		"sys_aio.go": {0, 1}, "sys_epoll.go": {0, 1}, "sys_futex.go": {2, 0}, "sys_poll.go": {0, 4},
		"sys_read_write.go": {0, 1}, "sys_socket.go": {0, 6}, "sys_sysinfo.go": {0, 1}, "sys_time.go": {3, 2}, "sys_timerfd.go": {1, 1},
	} {
		for i, clock := range []string{"Realtime", "Monotonic"} {
			if n[i] > 0 {
				out = append(out, edit{calls + file, fmt.Sprintf("t.Kernel().%sClock()", clock), fmt.Sprintf("t.%sClock()", clock), n[i]})
			}
		}
	}
	return append(out, []edit{
		{calls + "sys_time.go", "t.Kernel().MonotonicRawClock()", "t.MonotonicRawClock()", 1},
		{calls + "sys_time.go", "ts := c.Now().Timespec()", "ts := t.ReadClock(c).Timespec()", 1},
		{calls + "sys_time.go", "t.RealtimeClock().Now().TimeT()", "t.ReadClock(t.RealtimeClock()).TimeT()", 1},
		{calls + "sys_time.go", "t.RealtimeClock().Now().Timeval()", "t.ReadClock(t.RealtimeClock()).Timeval()", 1},
		{calls + "sys_time.go", "err := t.BlockWithDeadlineFrom(nil, c, true, end)", "err := t.SleepUntil(c, end)", 1},
		{calls + "sys_rusage.go", "\treturn linux.Rusage{\n", "\tt.StandingCPU(&cs)\n\n\treturn linux.Rusage{\n", 1},
		{calls + "sys_rusage.go", "\tr := linux.Tms{\n", "\tt.StandingCPU(&cs1)\n\tt.StandingCPU(&cs2)\n\tr := linux.Tms{\n", 1},
		{calls + "sys_file.go", "\tfd := args[0].Int()\n\n\tfile := t.GetFile(fd)\n\tif file == nil {\n\t\treturn 0, nil, linuxerr.EBADF\n\t}\n\tdefer file.DecRef(t)\n\n\tif file.StatusFlags()&linux.O_PATH != 0 {\n\t\treturn 0, nil, linuxerr.EBADF\n\t}\n\n\t// Handle ioctls that apply to all FDs.\n",
			"\tfd := args[0].Int()\n\n\tif done, err := t.PauseControl(args[1].Uint(), args[2].Uint()); done {\n\t\treturn 0, nil, err\n\t}\n\n\tfile := t.GetFile(fd)\n\tif file == nil {\n\t\treturn 0, nil, linuxerr.EBADF\n\t}\n\tdefer file.DecRef(t)\n\n\tif file.StatusFlags()&linux.O_PATH != 0 {\n\t\treturn 0, nil, linuxerr.EBADF\n\t}\n\n\t// Handle ioctls that apply to all FDs.\n", 1},
		{calls + "sys_thread.go", "\twr, err := t.Wait(&wopts)\n", "\twr, err := t.Wait(&wopts)\n\tt.Passed(err)\n", 2},
		{"pkg/sentry/kernel/task_block.go", "t.Kernel().MonotonicClock()", "t.MonotonicClock()", 2},
		// The times of files.
		{"pkg/sentry/kernel/task_context.go", "return t.k.RealtimeClock()", "return t.k.filesClock()", 1},
		{"pkg/sentry/kernel/kernel.go", "return ctx.kernel.RealtimeClock()", "return ctx.kernel.filesClock()", 1},
		{"pkg/sentry/kernel/kernel.go", "return ctx.Kernel.RealtimeClock()", "return ctx.Kernel.filesClock()", 1},
		{"pkg/sentry/fsimpl/gofer/gofer.go", "\tstat.Atime = linux.NsecToStatxTimestamp(d.inode.atime.Load())\n", "\tstat.Atime = linux.NsecToStatxTimestamp(shown(d.inode.atime.Load()))\n", 1},
		{"pkg/sentry/fsimpl/gofer/gofer.go", "linux.NsecToStatxTimestamp(d.inode.btime.Load())", "linux.NsecToStatxTimestamp(shown(d.inode.btime.Load()))", 1},
		{"pkg/sentry/fsimpl/gofer/gofer.go", "linux.NsecToStatxTimestamp(d.inode.ctime.Load())", "linux.NsecToStatxTimestamp(shown(d.inode.ctime.Load()))", 1},
		{"pkg/sentry/fsimpl/gofer/gofer.go", "linux.NsecToStatxTimestamp(d.inode.mtime.Load())", "linux.NsecToStatxTimestamp(shown(d.inode.mtime.Load()))", 1},
		// When processes began, and the sandbox.
		{"pkg/sentry/kernel/task_start.go", "t.startTime = t.k.RealtimeClock().Now()", "t.startTime = t.k.filesClock().Now()", 1},
		{"pkg/sentry/kernel/timekeeper.go", "func (t *Timekeeper) BootTime() ktime.Time {\n", "func (t *Timekeeper) BootTime() ktime.Time {\n\tif rand.Seeded {\n\t\treturn standingBoot()\n\t}\n", 1},
		{"pkg/sentry/kernel/timekeeper.go", "\t\"gvisor.dev/gvisor/pkg/log\"\n", "\t\"gvisor.dev/gvisor/pkg/log\"\n\t\"gvisor.dev/gvisor/pkg/rand\"\n", 1},
		{"pkg/sentry/kernel/timekeeper.go", "func (t *Timekeeper) GetTime(c sentrytime.ClockID) (int64, error) {\n", "func (t *Timekeeper) GetTime(c sentrytime.ClockID) (int64, error) {\n\tif c >= firstStanding {\n\t\treturn standingTime(c), nil\n\t}\n", 1},
		// The page of the vDSO says nothing, so that each reading of a clock is a call.
		{"pkg/sentry/kernel/timekeeper.go", "\t\tres := t.clocks.Update(parked)\n", "\t\tres := t.clocks.Update(parked)\n\t\tif rand.Seeded {\n\t\t\tres = sentrytime.UpdateResult{}\n\t\t}\n", 1},
		// A timer of a clock that stands still is due when the time has really passed; then
		// the clock is put there.
		{"pkg/sentry/ktime/sampled_timer.go", "\tsetting Setting\n\n\tpauseState", "\tsetting Setting\n\n\t// due is when setting is due really, if clock stands still, and aim what that reaches then.\n\tdue time.Time `state:\"nosave\"`\n\taim int64     `state:\"nosave\"`\n\n\tpauseState", 1},
		{"pkg/sentry/ktime/sampled_timer.go", "\tnewS, newExp := s.At(now)\n", "\tt.due = time.Time{}\n\tnewS, newExp := s.At(now)\n", 1},
		{"pkg/sentry/ktime/sampled_timer.go", "\tt.setting = s\n\tif oldC := t.clock; oldC != c {\n", "\tt.setting = s\n\tt.due = time.Time{}\n\tif oldC := t.clock; oldC != c {\n", 1},
		{"pkg/sentry/ktime/sampled_timer.go", "\tif t.pauseState != timerUnpaused {\n\t\treturn\n\t}\n\tif t.clock != unlockedClock {\n\t\tnow = t.clock.Now()\n\t}\n", "\tif t.pauseState != timerUnpaused {\n\t\treturn\n\t}\n\tif t.clock != unlockedClock {\n\t\tnow = t.clock.Now()\n\t}\n\tnow = t.reachLocked(now)\n", 1},
		{"pkg/sentry/ktime/sampled_timer.go", "\tif t.setting.Enabled {\n\t\t// Clock.WallTimeUntil", "\tif t.standsLocked(now) {\n\t\treturn\n\t}\n\tif t.setting.Enabled {\n\t\t// Clock.WallTimeUntil", 1},
	}...)
}
