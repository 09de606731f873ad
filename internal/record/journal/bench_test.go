package journal

import (
	"bytes"
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"praxis/event"
	"praxis/internal/store"
	"praxis/internal/store/files"
)

// onDisk has a journal keep its logs and contents in files.
func onDisk(t testing.TB) func(*Config) {
	t.Helper()
	s, err := files.Open(t.TempDir()+"/data", files.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return func(c *Config) { c.Logs, c.Blobs = s.Logs(), s.Blobs() }
}

// steps are as many records of a usual run as come to about size bytes.
func steps(size int) []event.Event {
	var out []event.Event
	for i := 0; size > 0; i++ {
		code := fmt.Sprintf("import numpy as np\nx = np.arange(%d)\nprint(x.sum())\n", i)
		out = append(out,
			event.StepBegan{N: i},
			event.ModelRequested{Step: i, Model: "m", System: strings.Repeat("s", 1500), Repeated: 2 * i, MaxTokens: 4096,
				Messages: []event.Message{{Role: event.Assistant, Text: "```python\n" + code + "```"}, {Role: event.User, Text: "status: ok\nstdout: 4950\n"}}},
			event.ModelReplied{Step: i, Thought: "I sum the numbers.", Text: "I sum the numbers.\n```python\n" + code + "```", Tokens: event.Tokens{Input: 1000, Output: 50}},
			event.ExecutionBegan{Step: i, Code: code},
			event.ExecutionEnded{Step: i, Execution: event.Execution{Status: event.OK, Stdout: "4950\n", State: event.Intact, Usage: event.Usage{WallMS: 1.5}}})
		size -= 3700
	}
	return out
}

func BenchmarkVerify(b *testing.B) {
	for _, c := range []struct {
		name   string
		events []event.Event
	}{{"steps", steps(4 << 20)}, {"small", manySteps(20_000)}} {
		b.Run(c.name, func(b *testing.B) {
			j := newBench(b)
			data := j.bytes(j.write(b, c.events...))
			b.SetBytes(int64(len(data)))
			b.ReportMetric(float64(len(data))/float64(len(c.events)), "B/record")
			before := used(b)
			for b.Loop() {
				if rep := checkBytes(b, data); rep.Damage != nil {
					b.Fatal(rep.Damage)
				}
			}
			// Others may use the machine: what counts is the time of the CPU.
			b.ReportMetric(float64(len(data))*float64(b.N)/1e6/(used(b)-before).Seconds(), "MB/cpu-s")
		})
	}
}

// used is how much time of a CPU this process has used.
func used(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func BenchmarkRecords(b *testing.B) {
	j := newBench(b)
	id := j.write(b, steps(4<<20)...)
	b.SetBytes(int64(len(j.bytes(id))))
	for b.Loop() {
		for _, err := range j.Records(b.Context(), id) {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
}

// BenchmarkAppend records to real files: a record that must be on disk, and one
// that need not.
func BenchmarkAppend(b *testing.B) {
	for _, c := range []struct {
		name    string
		event   event.Event
		secrets map[string]string
	}{
		{"durable", event.ToolCalled{ID: "1", Tool: "t", Arguments: map[string]any{"a": 1.0}}, nil},
		{"nosync", event.ExecutionBegan{Step: 1, Code: "x + 1"}, nil},
		{"nosync with secrets", event.ExecutionBegan{Step: 1, Code: "x + 1"},
			map[string]string{"A_KEY": "sk-0123456789abcdef0123456789abcdef", "B_TOKEN": "ghp_0123456789abcdef", "C_SECRET": "correct horse battery"}},
		{"nosync 2 KiB", event.ExecutionBegan{Step: 1, Code: strings.Repeat("x", 2000)}, nil},
	} {
		b.Run(c.name, func(b *testing.B) {
			j := newBench(b, onDisk(b), func(cfg *Config) { cfg.Secrets = c.secrets })
			_, r := j.begin(b)
			for b.Loop() {
				r.Emit(c.event)
			}
			if err := r.Err(); err != nil {
				b.Fatal(err)
			}
		})
	}
}

func BenchmarkRedact(b *testing.B) {
	r := newRedactor(map[string]string{"A_KEY": "sk-0123456789abcdef0123456789abcdef", "B_TOKEN": "ghp_0123456789abcdef", "C_SECRET": "correct horse battery"}, keyed(nil))
	text := bytes.Repeat([]byte(`{"step":1,"text":"I sum the numbers of the column."}`), 1000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, ok := find(&r.data, text); ok {
			b.Fatal("found")
		}
	}
}

var _ store.Watcher = (*files.Logs)(nil)
