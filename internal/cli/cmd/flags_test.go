package cmd

import "testing"

func TestBeyond(t *testing.T) {
	const many, few = 99.0, 1.5
	const much, little = 900 << 30, 1 << 30
	for _, c := range []struct {
		cpus   float64
		memory int64
		want   string
	}{
		{0, 0, ""},
		{few, little, ""},
		{many, 0, "--cpus 99: more than this machine has, which is 2 processors"},
		{0, much, "--memory 900GiB: more than this machine has, which is 8GiB of memory"},
		{many, much, "--cpus 99 and --memory 900GiB: more than this machine has, which is 2 processors and 8GiB of memory"},
	} {
		var f sessionFlags
		f.limits.CPUs, f.limits.Memory = c.cpus, c.memory
		if got := f.beyond(2, 8<<30); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
	var f sessionFlags
	f.limits.Memory = much
	if got := f.beyond(2, 0); got != "" {
		t.Errorf("memory that is not known: got %q", got)
	}
}
