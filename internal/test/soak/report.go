package main

import (
	"fmt"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"
	"time"
)

// Whom a fault strikes, beside the number of a host.
const (
	none     = -2
	everyone = -3
)

// after is how long an operation that began after a fault may still fail by it:
// a session that was struck while idle says so when it is next used.
const after = 30 * time.Second

// struck is a fault and when it was.
type struck struct {
	host         int
	begin, until time.Time
}

// report is what happened.
type report struct {
	mu       sync.Mutex
	took     map[string][]time.Duration // of operations that were ok, by name
	bad      map[string]int             // operations that were not, by name
	endings  map[string]int             // how those ended
	faults   map[string]int
	strikes  []struck
	failures []string
	peak     uint64 // bytes, PSS of everything
	most     int    // sandboxes at once
}

func newReport() *report {
	return &report{took: map[string][]time.Duration{}, bad: map[string]int{}, endings: map[string]int{}, faults: map[string]int{}}
}

func (r *report) fail(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failed(fmt.Sprintf(format, args...))
}

func (r *report) failed(text string) {
	r.failures = append(r.failures, text)
	fmt.Println("soak: FAILURE:", text)
}

// fault notes a fault, which strikes for as long.
func (r *report) fault(kind string, host int, long time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.faults[kind]++
	r.strikes = append(r.strikes, struck{host, time.Now(), time.Now().Add(long)})
}

// endFault notes that the last fault that strikes everyone is over.
func (r *report) endFault() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range r.strikes {
		if r.strikes[i].host == everyone && r.strikes[i].until.After(time.Now()) {
			r.strikes[i].until = time.Now()
		}
	}
}

// excused says whether a fault can be why an operation of a host failed.
func (r *report) excused(host int, begin, end time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.struck(host, begin, end)
}

func (r *report) struck(host int, begin, end time.Time) bool {
	return slices.ContainsFunc(r.strikes, func(s struck) bool {
		return (s.host == host || s.host == everyone) && s.begin.Before(end.Add(time.Second)) && begin.Before(s.until.Add(after))
	})
}

// variable is what differs between two texts of the same failure.
var variable = regexp.MustCompile(`[0-9a-f]*[0-9][0-9a-f]*|/\S+`)

// add notes an operation.
func (r *report) add(host int, o record) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if o.Wrong != "" {
		r.failed(fmt.Sprintf("host %d: %s: %s", host, o.Op, o.Wrong))
	}
	if o.Ended == "ok" {
		r.took[o.Op] = append(r.took[o.Op], o.End.Sub(o.Begin))
		return
	}
	r.bad[o.Op]++
	text := strings.Join(strings.Fields(variable.ReplaceAllString(o.Ended, "#")), " ")
	r.endings[text[:min(len(text), 220)]]++
	if o.Alive.IsZero() {
		o.Alive = o.Begin
	}
	if !r.struck(host, o.Alive, o.End) {
		r.failed(fmt.Sprintf("host %d: %s failed at %s after %v, %v after its session was last known to live, and no fault struck it: %.600s", host, o.Op, o.End.Format(time.TimeOnly),
			o.End.Sub(o.Begin).Round(time.Millisecond), o.End.Sub(o.Alive).Round(time.Millisecond), o.Ended))
	}
}

// sample measures the memory of everything, and returns what the machine has left.
func (r *report) sample() (available uint64) {
	var sum uint64
	sandboxes := 0
	for _, p := range descendants(os.Getpid()) {
		sum += kilobytes(fmt.Sprintf("/proc/%d/smaps_rollup", p.pid), "Pss:")
		if p.role == "sentry" {
			sandboxes++
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.peak, r.most = max(r.peak, sum), max(r.most, sandboxes)
	return kilobytes("/proc/meminfo", "MemAvailable:")
}

// kilobytes reads a line such as "Pss: 12 kB" of a file, in bytes.
func kilobytes(file, key string) uint64 {
	text, _ := os.ReadFile(file)
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, key); ok {
			var n uint64
			_, _ = fmt.Sscan(rest, &n)
			return n << 10
		}
	}
	return 0
}

// line is how far it is.
func (r *report) line() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	ok, bad, faults := 0, 0, 0
	for _, t := range r.took {
		ok += len(t)
	}
	for _, n := range r.bad {
		bad += n
	}
	for _, n := range r.faults {
		faults += n
	}
	return fmt.Sprintf("%d operations as expected, %d struck by %d faults, %d failures; %d sandboxes, %d MB", ok, bad, faults, len(r.failures), r.most, r.peak>>20)
}

// print writes the tables.
func (r *report) print(to io.Writer, began time.Time) {
	fmt.Fprintf(to, "\nsoak: %v: %s at most\n\n", time.Since(began).Round(time.Second), r.line())
	w := tabwriter.NewWriter(to, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "operation\tas expected\tstruck\tp50 ms\tp99 ms\tmax ms\t")
	names := maps.Clone(r.bad)
	for n := range r.took {
		names[n] += 0
	}
	for _, n := range slices.Sorted(maps.Keys(names)) {
		t := r.took[n]
		slices.Sort(t)
		at := func(q float64) int64 {
			if len(t) == 0 {
				return 0
			}
			return t[int(q*float64(len(t)-1))].Milliseconds()
		}
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%d\t\n", n, len(t), r.bad[n], at(0.5), at(0.99), at(1))
	}
	_ = w.Flush()
	fmt.Fprintln(to, "\nfaults:")
	for _, n := range slices.Sorted(maps.Keys(r.faults)) {
		fmt.Fprintf(to, "%7d  %s\n", r.faults[n], n)
	}
	fmt.Fprintln(to, "\nhow the operations ended that were struck:")
	for _, n := range slices.SortedFunc(maps.Keys(r.endings), func(a, b string) int { return r.endings[b] - r.endings[a] }) {
		fmt.Fprintf(to, "%7d  %s\n", r.endings[n], n)
	}
}
