// Package metrics counts what a server does, and writes it in the text format of Prometheus
// (version 0.0.4). It has what the server needs of a client library and no more: counters,
// histograms, and gauges that are read when somebody asks.
package metrics

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// maxSeries bounds the combinations of labels of a family. What comes after counts under the
// label "other", so that nobody can make a family grow without end.
const maxSeries = 1000

// Set is a set of families. It is safe for concurrent use.
type Set struct {
	mu       sync.Mutex
	families []*Family
}

// kind is the type of a family.
type kind string

const (
	counter   kind = "counter"
	gauge     kind = "gauge"
	histogram kind = "histogram"
)

// Family is what is counted under one name, by labels.
type Family struct {
	name, help string
	kind       kind
	labels     []string
	buckets    []float64 // of a histogram: the upper ends, ascending
	read       func(set func(value float64, labels ...string))

	mu     sync.Mutex
	series map[string]*series // by their labels as they are written
}

type series struct {
	value  float64 // of a histogram, the sum
	counts []int64 // of a histogram, by bucket; the last has no upper end
}

func (s *Set) add(f *Family) *Family {
	f.series = map[string]*series{}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.families = append(s.families, f)
	return f
}

// Counter adds a family of numbers that only grow.
func (s *Set) Counter(name, help string, labels ...string) *Family {
	return s.add(&Family{name: name, help: help, kind: counter, labels: labels})
}

// Histogram adds a family of distributions.
func (s *Set) Histogram(name, help string, buckets []float64, labels ...string) *Family {
	return s.add(&Family{name: name, help: help, kind: histogram, labels: labels, buckets: buckets})
}

// Gauge adds a family of numbers that read sets when somebody asks for them.
func (s *Set) Gauge(name, help string, labels []string, read func(set func(value float64, labels ...string))) {
	s.add(&Family{name: name, help: help, kind: gauge, labels: labels, read: read})
}

// Totals adds a family of numbers that only grow and are counted elsewhere.
func (s *Set) Totals(name, help string, labels []string, read func(set func(value float64, labels ...string))) {
	s.add(&Family{name: name, help: help, kind: counter, labels: labels, read: read})
}

// find returns the series with labels. f.mu is held.
func (f *Family) find(labels []string) *series {
	key := f.key(labels)
	s := f.series[key]
	if s == nil && len(f.series) >= maxSeries {
		key = f.key(slices.Repeat([]string{"other"}, len(labels)))
		s = f.series[key]
	}
	if s == nil {
		s = &series{counts: make([]int64, len(f.buckets)+1)}
		f.series[key] = s
	}
	return s
}

// escaped writes what may not stand as it is in the value of a label.
var escaped = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

// key writes labels.
func (f *Family) key(labels []string) string {
	var b strings.Builder
	for i, l := range labels {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(f.labels[i] + `="` + escaped.Replace(strings.ToValidUTF8(l, "\ufffd")) + `"`)
	}
	return b.String()
}

// Add adds to a counter.
func (f *Family) Add(value float64, labels ...string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.find(labels).value += value
}

// Observe adds a value to a distribution.
func (f *Family) Observe(value float64, labels ...string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := f.find(labels)
	s.value += value
	i, _ := slices.BinarySearch(f.buckets, value)
	s.counts[i]++
}

// Write writes all families.
func (s *Set) Write(w io.Writer) error {
	s.mu.Lock()
	families := slices.Clone(s.families)
	s.mu.Unlock()
	out := bufio.NewWriter(w)
	for _, f := range families {
		f.write(out)
	}
	return out.Flush()
}

func (f *Family) write(w *bufio.Writer) {
	fmt.Fprintf(w, "# HELP %s %s\n# TYPE %s %s\n", f.name, f.help, f.name, f.kind)
	if f.read != nil {
		f.read(func(value float64, labels ...string) { line(w, f.name, f.key(labels), value) })
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, key := range slices.Sorted(maps.Keys(f.series)) {
		s := f.series[key]
		if f.kind == counter {
			line(w, f.name, key, s.value)
			continue
		}
		sum := int64(0)
		for i, n := range s.counts {
			sum += n
			end := math.Inf(1)
			if i < len(f.buckets) {
				end = f.buckets[i]
			}
			line(w, f.name+"_bucket", strings.TrimPrefix(key+`,le="`+number(end)+`"`, ","), float64(sum))
		}
		line(w, f.name+"_sum", key, s.value)
		line(w, f.name+"_count", key, float64(sum))
	}
}

func line(w *bufio.Writer, name, labels string, value float64) {
	if labels != "" {
		labels = "{" + labels + "}"
	}
	fmt.Fprintf(w, "%s%s %s\n", name, labels, number(value))
}

func number(v float64) string {
	if math.IsInf(v, 1) {
		return "+Inf"
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}
