package config

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/lazyregexp"
	"praxis/internal/safetext"
)

// Sizes is the range of a limit that counts bytes.
type Sizes struct {
	name     string
	min, max int64
}

// Durations is the range of a limit that is a time.
type Durations struct {
	name     string
	min, max time.Duration
	long     bool // it may be written in days: "30d"
}

// Numbers is the range of a limit that is a plain number.
type Numbers struct {
	name     string
	min, max float64
	whole    bool
}

// The ranges. They are what the messages quote, so that a person who wrote a
// wrong value reads the right ones. The lower ends are what an interpreter
// needs to start at all.
const (
	minOutput = 1 << 10
	maxOutput = 16 << 20
	minQuota  = 1 << 20
	maxQuota  = 1 << 50
	// minHome is what one image and its template take.
	minHome = 256 << 20
	day     = 24 * time.Hour
	maxDays = 36500
)

// Table of the ranges, by limit.
var (
	Output   = Sizes{"output", minOutput, maxOutput}
	Quota    = Sizes{"quota", minQuota, maxQuota}
	Timeout  = Durations{"timeout", 100 * time.Millisecond, 24 * time.Hour, false}
	CPUTime  = Durations{"cpu time", 100 * time.Millisecond, 24 * time.Hour, false}
	Silence  = Durations{"silence", time.Second, 24 * time.Hour, false}
	MaxSteps = Numbers{"max steps", 1, 1000, true}
	Window   = Numbers{"window", 4096, 10_000_000, true}
	// What is kept of named sessions, and of everything.
	Keep      = Numbers{"number of kept steps", 1, 10_000, true}
	KeepFor   = Durations{"time of keeping", 0, maxDays * day, true}
	HomeQuota = Sizes{"home quota", minHome, maxQuota}
)

var (
	sizePattern = lazyregexp.New(`^([0-9]{1,19}(?:\.[0-9]{1,9})?) ?([A-Za-z]*)$`)
	timePattern = lazyregexp.New(`^[0-9]{1,12}(\.[0-9]{1,9})?$`)
)

// unit returns how many bytes a suffix stands for; KB is 1000, KiB is 1024.
func unit(suffix string) (int64, bool) {
	switch suffix {
	case "", "B":
		return 1, true
	case "KB", "kB":
		return 1e3, true
	case "MB":
		return 1e6, true
	case "GB":
		return 1e9, true
	case "TB":
		return 1e12, true
	case "KiB":
		return 1 << 10, true
	case "MiB":
		return 1 << 20, true
	case "GiB":
		return 1 << 30, true
	case "TiB":
		return 1 << 40, true
	}
	return 0, false
}

// limitRange is what reads and checks the values of a limit of sessions.
func limitRange(s event.LimitSpec) interface {
	number(text string) (float64, error)
	Check(v float64) error
} {
	if s.Bytes {
		return Sizes{s.Name, int64(s.Min), int64(s.Max)}
	}
	return Numbers{s.Name, s.Min, s.Max, s.Whole}
}

// budgetRange is what reads and checks the values of a part of a budget.
func budgetRange(s event.BudgetSpec) interface {
	number(text string) (float64, error)
	Check(v float64) error
} {
	if s.Unit == event.Seconds {
		return seconds{Durations{"max " + s.Name, time.Duration(s.Min * float64(time.Second)), time.Duration(s.Max * float64(time.Second)), true}}
	}
	return Numbers{"max " + s.Name, s.Min, s.Max, s.Unit == event.Counted}
}

// seconds is the range of a time that is kept in seconds.
type seconds struct{ Durations }

func (s seconds) number(text string) (float64, error) {
	d, err := s.Parse(text)
	return d.Seconds(), err
}

// Check says whether v is in the range.
func (s seconds) Check(v float64) error {
	return s.Durations.Check(time.Duration(v * float64(time.Second)))
}

// ParseBudget reads a value of a part of a budget as configuration and flags write it: a
// time such as "5m", or a number. It checks the range. A time is returned in seconds.
func ParseBudget(s event.BudgetSpec, text string) (float64, error) {
	return budgetRange(s).number(text)
}

// ParseLimit reads a value of a limit as configuration and flags write it: a size
// such as "512MiB" where it counts bytes, else a number. It checks the range.
func ParseLimit(s event.LimitSpec, text string) (float64, error) { return limitRange(s).number(text) }

// Parse reads a size such as "512MiB", "1.5GB" or "1073741824" and checks its range.
func (s Sizes) Parse(text string) (int64, error) {
	m := sizePattern.FindStringSubmatch(text)
	if m == nil {
		return 0, s.fault(text, "it is not a number with a unit")
	}
	mult, ok := unit(m[2])
	if !ok {
		return 0, s.fault(text, fmt.Sprintf("%q is not one of B, KB, MB, GB, TB, KiB, MiB, GiB, TiB", m[2]))
	}
	// Exact arithmetic: a float would round sizes above 2^53 and could push one over the bound.
	n, ok := new(big.Rat).SetString(m[1])
	if !ok {
		return 0, s.fault(text, "it is not a number with a unit")
	}
	n.Mul(n, new(big.Rat).SetInt64(mult))
	whole := new(big.Int).Quo(n.Num(), n.Denom())
	if !whole.IsInt64() {
		return 0, s.fault(text, "it is out of range")
	}
	if v := whole.Int64(); v >= s.min && v <= s.max {
		return v, nil
	}
	return 0, s.fault(text, "it is out of range")
}

func (s Sizes) number(text string) (float64, error) {
	v, err := s.Parse(text)
	return float64(v), err
}

// Check says whether v is in the range.
func (s Sizes) Check(v float64) error { return s.check(int64(v)) }

func (s Sizes) check(v int64) error {
	if v < s.min || v > s.max {
		return s.fault(safetext.Size(v), "it is out of range")
	}
	return nil
}

func (s Sizes) fault(text, cause string) error {
	such := ""
	for _, example := range []struct {
		size int64
		text string
	}{{512 << 20, "512MiB or 2GB"}, {4 << 20, "4MiB or 2MB"}} {
		if s.min <= example.size/4 && example.size*4 <= s.max {
			such = ", such as " + example.text
			break
		}
	}
	return fault.New(fault.Invalid, fmt.Sprintf("Write a size from %s to %s%s.", safetext.Size(s.min), safetext.Size(s.max), such),
		"cannot use %s %q: %s", s.name, text, cause)
}

// Parse reads a time such as "30s", "1m30s", "250ms" or "30" (seconds) and checks its range.
func (d Durations) Parse(text string) (time.Duration, error) {
	in := text
	if timePattern.MatchString(text) {
		in += "s"
	}
	v, err := time.ParseDuration(in)
	if number, ok := strings.CutSuffix(text, "d"); ok && d.long {
		var n uint64
		if n, err = strconv.ParseUint(number, 10, 32); n > maxDays {
			return 0, d.fault(text, "it is out of range")
		}
		v = time.Duration(n) * day
	}
	if err != nil {
		return 0, d.fault(text, "it is not a time")
	}
	if v < d.min || v > d.max {
		return 0, d.fault(text, "it is out of range")
	}
	return v, nil
}

// Check says whether v is in the range.
func (d Durations) Check(v time.Duration) error {
	if v < d.min || v > d.max {
		return d.fault(FormatDuration(v), "it is out of range")
	}
	return nil
}

func (d Durations) fault(text, cause string) error {
	such := "30s or 2m"
	if d.long {
		such = "30d or 12h"
	}
	return fault.New(fault.Invalid, fmt.Sprintf("Write a time from %s to %s, such as %s.", FormatDuration(d.min), FormatDuration(d.max), such),
		"cannot use %s %q: %s", d.name, text, cause)
}

// Parse reads a number and checks its range.
func (n Numbers) Parse(text string) (float64, error) {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || !plainNumber(text) {
		return 0, n.fault(text, "it is not a number")
	}
	if n.whole && v != math.Trunc(v) {
		return 0, n.fault(text, "it is not a whole number")
	}
	if !(v >= n.min && v <= n.max) {
		return 0, n.fault(text, "it is out of range")
	}
	return v, nil
}

func (n Numbers) number(text string) (float64, error) { return n.Parse(text) }

// plainNumber refuses what ParseFloat takes and no person means: hexadecimal, NaN, Inf, underscores.
func plainNumber(text string) bool {
	return text != "" && strings.Trim(text, "-+.0123456789eE") == ""
}

// Check says whether v is in the range.
func (n Numbers) Check(v float64) error {
	if !(v >= n.min && v <= n.max) {
		return n.fault(strconv.FormatFloat(v, 'g', -1, 64), "it is out of range")
	}
	return nil
}

func (n Numbers) fault(text, cause string) error {
	what := "number"
	if n.whole {
		what = "whole number"
	}
	return fault.New(fault.Invalid, fmt.Sprintf("Write a %s from %s to %s.", what,
		strconv.FormatFloat(n.min, 'g', -1, 64), strconv.FormatFloat(n.max, 'f', -1, 64)),
		"cannot use %s %q: %s", n.name, text, cause)
}

// FormatDuration writes a time without empty parts: "24h", "1m30s", "100ms".
func FormatDuration(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}
