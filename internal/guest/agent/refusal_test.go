package agent

import (
	"os"
	"strings"
	"syscall"
	"testing"

	"praxis/internal/guest/wire"
)

func TestRefusal(t *testing.T) {
	bounded := config{group: "/x", Setup: wire.Setup{Limits: wire.Limits{Memory: 200 << 20, Processes: 20}}}
	free := config{Setup: wire.Setup{Unprivileged: true}}
	full, plenty := space{size: 10 << 20, full: true}, space{size: 10 << 20}
	for _, c := range []struct {
		name    string
		refused string
		seen    witness
		cfg     config
		files   uint64
		limit   string
		message string
	}{
		{"files", "EMFILE", witness{}, bounded, 1024, "open_files", "the limit of 1024 open files was reached"},
		{"files of the system", "ENFILE", witness{}, bounded, 64, "open_files", "the limit of 64 open files was reached"},
		{"files without a limit", "EMFILE", witness{}, bounded, 0, "", ""},
		{"disk", "ENOSPC", witness{disk: full}, bounded, 0, "disk", "the disk limit of 10 MiB was reached"},
		{"quota", "EDQUOT", witness{disk: full}, bounded, 0, "disk", "the disk limit of 10 MiB was reached"},
		{"shared memory", "ENOSPC", witness{disk: plenty, shared: full}, bounded, 0, "disk", "the limit of 10 MiB of shared memory (/dev/shm) was reached"},
		{"disk with room again", "ENOSPC", witness{disk: plenty}, bounded, 0, "disk", "there was no space for it within the disk limit of 10 MiB"},
		{"disk of the host", "ENOSPC", witness{}, free, 0, "", ""},
		{"short write", "write", witness{disk: full}, bounded, 0, "disk", "the disk limit of 10 MiB was reached"},
		{"some error", "write", witness{disk: plenty}, bounded, 0, "", ""},
		{"fork", "EAGAIN", witness{tasks: 20}, bounded, 0, "processes", "the limit of 20 processes was reached"},
		{"a socket that would block", "EAGAIN", witness{tasks: 19}, bounded, 0, "", ""},
		{"fork without a limit", "EAGAIN", witness{tasks: 19}, free, 0, "", ""},
		{"thread", "thread", witness{tasks: 22}, bounded, 0, "processes", "the limit of 20 processes and threads was reached"},
		{"thread without memory", "thread", witness{tasks: 4, address: 195 << 20}, bounded, 0, "memory", "the memory limit of 200 MiB per process was reached: there was no space for another thread"},
		{"thread, nobody knows", "thread", witness{tasks: 4, address: 50 << 20}, bounded, 0, "processes", "a thread could not be started within the limit of 20 processes and threads"},
		{"thread without limits", "thread", witness{}, free, 0, "", ""},
		{"memory", "ENOMEM", witness{}, bounded, 0, "memory", "the memory limit of 200 MiB per process was reached (ENOMEM)"},
		{"memory without a limit", "ENOMEM", witness{}, free, 0, "", ""},
		{"the first that is known", "EAGAIN EMFILE", witness{}, bounded, 7, "open_files", "the limit of 7 open files was reached"},
		{"lies", "EPERM x \x00", witness{disk: full, tasks: 99}, bounded, 7, "", ""},
		{"far too many", strings.Repeat("x ", 1000) + "EMFILE", witness{}, bounded, 7, "", ""},
	} {
		limit, message := c.seen.refusal(strings.Fields(c.refused), c.cfg, c.files)
		if limit != c.limit || message != c.message {
			t.Errorf("%s: got %q %q, want %q %q", c.name, limit, message, c.limit, c.message)
		}
	}
}

func TestWitnessLooks(t *testing.T) {
	dir := t.TempDir()
	group := t.TempDir()
	if err := os.WriteFile(group+"/pids.current", []byte("12\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	cfg := config{group: group, Setup: wire.Setup{Workdir: dir}}
	var w witness
	w.look(cfg, os.Getpid())
	var st syscall.Statfs_t
	if err := syscall.Statfs(dir, &st); err != nil {
		t.Fatal(err)
	}
	if want := int64(st.Blocks) * st.Bsize; w.tasks != 12 || w.disk.size != want || w.address < 1<<20 {
		t.Errorf("got %+v, want a disk of %d", w, want)
	}
	if err := os.WriteFile(group+"/pids.current", []byte("3\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	w.disk.full = true
	if w.look(cfg, os.Getpid()); w.tasks != 12 || !w.disk.full {
		t.Errorf("it forgot: %+v", w)
	}
	n, err := getLimit(os.Getpid(), rlimitNoFile)
	var lim syscall.Rlimit
	if e := syscall.Getrlimit(rlimitNoFile, &lim); e != nil || err != nil || n != lim.Cur {
		t.Errorf("open files: got %d, %v, want %d", n, err, lim.Cur)
	}
}

func TestCrashText(t *testing.T) {
	report := "Fatal Python error: Segmentation fault\n\nCurrent thread 0x1 [python3] (most recent call first):\n" +
		"  File \"/lib/ctypes.py\", line 6 in string_at\n  File \"<cell 1>\", line 3 in g\n" +
		"  File \"/run/praxis/kernel.py\", line 405 in evaluate\n  File \"<praxis show>\", line 1 in send\n" +
		"\nExtension modules: numpy._core (total: 1)\n"
	want := "Fatal Python error: Segmentation fault\n\nCurrent thread 0x1 [python3] (most recent call first):\n" +
		"  File \"/lib/ctypes.py\", line 6 in string_at\n  File \"<cell 1>\", line 3 in g\n"
	hidden := []string{`  File "` + wire.ProgramPath + `", `, `  File "<praxis `, "Extension modules: "}
	if got := crashText([]byte(report), hidden, "/run/praxis/kernel.py"); got != want {
		t.Errorf("got %q", got)
	}
	if got := crashText([]byte("Fata\xffl"), nil, ""); got != "Fata\uFFFDl\n" {
		t.Errorf("got %q", got)
	}
	if got := crashText(nil, hidden, "x"); got != "" {
		t.Errorf("got %q", got)
	}
	if in := (&interp{inbox: []byte("Fatal")}); in.takeReport() {
		t.Error("a language without reports has one")
	}
	in := &interp{inbox: []byte("Fatal"), language: wire.Kernel{CrashBegins: "Fatal Python error: "}}
	if !in.takeReport() || in.broken == "" {
		t.Fatal("it was not taken")
	}
	for range 100 {
		in.addReport(make([]byte, 4<<10))
	}
	if len(in.report) != maxReport {
		t.Errorf("a report of %d bytes is kept", len(in.report))
	}
}

func TestStopAt(t *testing.T) {
	for shown, want := range map[int64]int64{1: minWhole, 0: 16 << 20, 1 << 20: 16 << 20, wire.MaxOutput: maxWhole} {
		if e := newExecution(wire.Execute{OutputBytes: shown}, 1, wholeFiles{}); e.stopAt != want {
			t.Errorf("%d bytes are shown: stopped at %d, want %d", shown, e.stopAt, want)
		}
	}
}
