// Package config says where Praxis keeps its files and what it does when the
// caller says nothing: a plain tree of values, made by [Default], read over by
// [Load] and checked by [Config.Validate].
//
// The file is JSON, at $XDG_CONFIG_HOME/praxis/config.json (or
// ~/.config/praxis/config.json), and need not exist. Sizes and times are
// written as on the command line; a key that is not known is refused, because
// a limit that is misspelt would otherwise silently have no effect:
//
//	{
//	  "limits": {"memory": "2GiB", "cpus": 2, "disk": "4GiB"},
//	  "execution": {"timeout": "1m"},
//	  "ask": {"model": "anthropic:claude-sonnet-4-5", "max_steps": 20}
//	}
package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/bounded"
)

// maxFile bounds the configuration file.
const maxFile = 1 << 20

// Config is everything that a person can set once for all commands.
type Config struct {
	Home      string // data folder: images, templates, named sessions, history
	Run       string // folder of the sandboxes that run now; on a disk, not in memory
	Limits    event.Limits
	Execution event.Bounds // of one piece of code; without CPU the wall time bounds it
	Ask       Ask
	Journal   Journal
	Sessions  Sessions
	HomeQuota int64  // bytes that the data folder may have; 0: any
	SealKey   string // file of the key that seals programs, images and states; "": the data folder's own
	Image     string // that new sessions run: a name, an id, or the reference of a container image; "": Praxis's own
	Pictures  string // how terminals show images, one of PictureSettings; "": auto
}

// PictureSettings are the ways in which terminals show images.
func PictureSettings() []string { return []string{"auto", "kitty", "iterm", "sixel", "none"} }

// Journal says what is stored of runs.
type Journal struct {
	Key           string // file of the private key that signs; "": one of the data folder's own
	Snapshots     bool   // the state before each step of a question is saved
	SnapshotBytes int64  // of runs together; the oldest go first
	BlobBytes     int64  // of contents: inputs, long outputs, pictures
}

// Sessions says which steps of named sessions are kept.
type Sessions struct {
	Keep    int           // the last so many
	KeepFor time.Duration // and those that are younger; 0: none for that alone
}

// Ask says how the agent answers questions when a command does not say otherwise.
type Ask struct {
	Model string // "provider:name"; "" lets the keys in the environment decide
	// Fallbacks are asked, one after the other, when the models before them fail
	// for good.
	Fallbacks []string
	// Sees names models that see pictures, although their server is not the provider's: a
	// "*" at the end stands for any.
	Sees     []string
	Effort   string        // how much a model is asked to reason: "low", "medium", "high"; "": it is not asked
	Silence  time.Duration // how long a model may send nothing; 0: what its provider has for it
	Style    string        // how a question is worked at: one of Styles; "": the first
	MaxSteps int
	Window   int          // tokens that a request may have; what is older is condensed
	Budget   event.Budget // what else a question may use, by event.BudgetTable
}

// MaxFallbacks bounds the models that stand behind one.
const MaxFallbacks = 8

// Efforts returns how much a model can be asked to reason.
func Efforts() []string { return []string{"low", "medium", "high"} }

// Styles returns the ways to work at a question, the usual one first.
func Styles() []string { return []string{"react", "program", "plan-first"} }

// Default returns the configuration of a person with this environment and no file.
func Default(getenv func(string) string) (Config, error) {
	home, err := homeDir(getenv)
	if err != nil {
		return Config{}, err
	}
	return Config{
		Home:      home,
		Run:       filepath.Join(home, "run"),
		Limits:    event.DefaultLimits(),
		Execution: defaultBounds(),
		Ask:       Ask{MaxSteps: 10, Window: 100_000},
		Sessions:  Sessions{Keep: 20},
		Journal:   Journal{Snapshots: true, SnapshotBytes: 4 << 30, BlobBytes: 16 << 30},
	}, nil
}

func defaultBounds() event.Bounds {
	return event.Bounds{Timeout: event.Duration(30 * time.Second), OutputBytes: 1 << 20}
}

// homeDir finds the data folder: $PRAXIS_HOME, $XDG_DATA_HOME/praxis, ~/.local/share/praxis.
func homeDir(getenv func(string) string) (string, error) {
	if dir := getenv("PRAXIS_HOME"); dir != "" {
		abs, err := filepath.Abs(dir)
		if err != nil {
			return "", fault.New(fault.Invalid, "Give the absolute path of a folder.", "cannot find the data folder: %w", err)
		}
		return abs, nil
	}
	// The XDG specification says that a relative path is to be ignored.
	if dir := getenv("XDG_DATA_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "praxis"), nil
	}
	if dir := getenv("HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, ".local", "share", "praxis"), nil
	}
	return "", fault.Coded(fault.DataFolderUnset, nil, "cannot find the data folder: none of PRAXIS_HOME, XDG_DATA_HOME and HOME is set")
}

// Path returns where the configuration file is looked for, or "" where the
// environment names no folder for it.
func Path(getenv func(string) string) string {
	if dir := getenv("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "praxis", "config.json")
	}
	if dir := getenv("HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, ".config", "praxis", "config.json")
	}
	return ""
}

// Load returns the defaults, overlaid by the person's file when there is one, and checked.
func Load(getenv func(string) string) (Config, error) {
	c, err := Default(getenv)
	if err != nil {
		return Config{}, err
	}
	if path := Path(getenv); path != "" {
		if err := c.overlayFile(path); err != nil {
			return Config{}, err
		}
	}
	return c, c.Validate()
}

func (c *Config) overlayFile(path string) error {
	data, err := bounded.ReadFile(path, maxFile)
	switch long := (*bounded.TooLong)(nil); {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case errors.As(err, &long):
		return fault.New(fault.Invalid, "Keep the file below 1 MiB.", "cannot read configuration %s: %w", path, err)
	case err != nil:
		return fault.New(fault.Invalid, "Make the file readable or remove it.", "cannot read configuration: %w", err)
	}
	if err := c.overlay(data); err != nil {
		return fault.New(fault.Invalid, "Correct the file or remove it.", "cannot read configuration %s: %w", path, err)
	}
	return nil
}

// file is the configuration as it is written. A nil field leaves the default.
type file struct {
	Home      *string               `json:"home"`
	Image     *string               `json:"image"`
	Pictures  *string               `json:"pictures"`
	Run       *string               `json:"run"`
	Limits    map[string]limitValue `json:"limits"` // by the keys of event.LimitTable
	Execution struct {
		Timeout *string `json:"timeout"`
		CPU     *string `json:"cpu"`
		Output  *string `json:"output"`
	} `json:"execution"`
	Ask       askFile `json:"ask"`
	SealKey   *string `json:"seal_key"`
	HomeQuota *string `json:"home_quota"`
	Sessions  struct {
		Keep    *int    `json:"keep"`
		KeepFor *string `json:"keep_for"`
	} `json:"sessions"`
	Journal struct {
		Key           *string `json:"key"`
		Snapshots     *bool   `json:"snapshots"`
		SnapshotBytes *string `json:"snapshot_bytes"`
		BlobBytes     *string `json:"blob_bytes"`
	} `json:"journal"`
}

// askFile is the part about questions. What is no field of it is a part of the budget, by
// the keys of event.BudgetTable.
type askFile struct {
	Model     *string
	Fallbacks *[]string
	Sees      *[]string
	Effort    *string
	Style     *string
	Silence   *string
	MaxSteps  *int
	Window    *int
	budget    map[string]limitValue
}

// UnmarshalJSON reads the part and refuses keys that are not known.
func (f *askFile) UnmarshalJSON(data []byte) error {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(data, &all); err != nil {
		return err
	}
	fields := map[string]any{"model": &f.Model, "fallback_models": &f.Fallbacks, "sees": &f.Sees, "effort": &f.Effort, "style": &f.Style, "silence": &f.Silence, "max_steps": &f.MaxSteps, "window": &f.Window}
	f.budget = map[string]limitValue{}
	for key, value := range all {
		if to, known := fields[key]; known {
			if err := json.Unmarshal(value, to); err != nil {
				return fmt.Errorf("ask.%s: %s", key, strings.TrimPrefix(err.Error(), "json: "))
			}
			continue
		}
		if !slices.ContainsFunc(event.BudgetTable(), func(s event.BudgetSpec) bool { return s.Key() == key }) {
			return fmt.Errorf("unknown field %q", "ask."+key)
		}
		var v limitValue
		if err := json.Unmarshal(value, &v); err != nil {
			return fmt.Errorf("ask.%s: %w", key, err)
		}
		f.budget[key] = v
	}
	return nil
}

// setBudget sets the parts of the budget of questions that a configuration names.
func (c *Config) setBudget(values map[string]limitValue) error {
	for _, s := range event.BudgetTable() {
		v, given := values[s.Key()]
		switch {
		case !given || v == limitValue{}: // null is not given
			continue
		case v.quoted != (s.Unit == event.Seconds):
			kind := map[bool]string{true: `a time in quotes, such as "5m"`, false: "a number"}[s.Unit == event.Seconds]
			return fmt.Errorf("ask.%s: expected %s", s.Key(), kind)
		}
		n, err := ParseBudget(s, v.text)
		if err != nil {
			return err
		}
		s.Set(&c.Ask.Budget, n)
	}
	return nil
}

// overlay sets what data names. An empty file changes nothing.
func (c *Config) overlay(data []byte) error {
	if len(bytes.TrimSpace(data)) == 0 {
		return nil
	}
	var f file
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&f); err != nil {
		return errors.New(strings.TrimPrefix(err.Error(), "json: "))
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("there is text after the first object")
	}
	set(&c.Home, f.Home)
	if f.Home != nil && f.Run == nil {
		c.Run = filepath.Join(c.Home, "run")
	}
	set(&c.Run, f.Run)
	set(&c.Image, f.Image)
	set(&c.Pictures, f.Pictures)
	set(&c.Ask.Model, f.Ask.Model)
	set(&c.Ask.Fallbacks, f.Ask.Fallbacks)
	set(&c.Ask.Sees, f.Ask.Sees)
	set(&c.Ask.Effort, f.Ask.Effort)
	set(&c.Ask.Style, f.Ask.Style)
	set(&c.Ask.MaxSteps, f.Ask.MaxSteps)
	set(&c.Ask.Window, f.Ask.Window)
	set(&c.SealKey, f.SealKey)
	set(&c.Sessions.Keep, f.Sessions.Keep)
	set(&c.Journal.Key, f.Journal.Key)
	set(&c.Journal.Snapshots, f.Journal.Snapshots)
	return errors.Join(
		c.setLimits(f.Limits),
		c.setBudget(f.Ask.budget),
		setParsed(&c.Execution.OutputBytes, f.Execution.Output, Output.Parse),
		setParsed((*time.Duration)(&c.Execution.Timeout), f.Execution.Timeout, Timeout.Parse),
		setParsed((*time.Duration)(&c.Execution.CPU), f.Execution.CPU, CPUTime.Parse),
		setParsed(&c.Ask.Silence, f.Ask.Silence, Silence.Parse),
		setParsed(&c.Sessions.KeepFor, f.Sessions.KeepFor, KeepFor.Parse),
		setParsed(&c.HomeQuota, f.HomeQuota, HomeQuota.Parse),
		setParsed(&c.Journal.SnapshotBytes, f.Journal.SnapshotBytes, Quota.Parse),
		setParsed(&c.Journal.BlobBytes, f.Journal.BlobBytes, Quota.Parse),
	)
}

// limitValue is the value of a limit as it is written: a number, or a size such
// as "2GiB" in quotes.
type limitValue struct {
	text   string
	quoted bool
}

// UnmarshalJSON takes a number or a string.
func (v *limitValue) UnmarshalJSON(data []byte) error {
	if v.quoted = data[0] == '"'; v.quoted {
		return json.Unmarshal(data, &v.text)
	}
	var n json.Number
	err := json.Unmarshal(data, &n)
	v.text = n.String()
	return err
}

// setLimits sets the limits of sessions that a configuration names.
func (c *Config) setLimits(values map[string]limitValue) error {
	table := event.LimitTable()
	for key := range values {
		if !slices.ContainsFunc(table, func(s event.LimitSpec) bool { return s.Key() == key }) {
			return fmt.Errorf("unknown field %q", "limits."+key)
		}
	}
	for _, s := range table {
		v, given := values[s.Key()]
		switch {
		case !given || v == limitValue{}: // null is not given
			continue
		case v.quoted != s.Bytes:
			kind := map[bool]string{true: `a size in quotes, such as "2GiB"`, false: "a number"}[s.Bytes]
			return fmt.Errorf("limits.%s: expected %s", s.Key(), kind)
		}
		n, err := ParseLimit(s, v.text)
		if err != nil {
			return err
		}
		s.Set(&c.Limits, n)
	}
	return nil
}

func set[T any](to, from *T) {
	if from != nil {
		*to = *from
	}
}

func setParsed[T any](to *T, from *string, parse func(string) (T, error)) error {
	if from == nil {
		return nil
	}
	v, err := parse(*from)
	if err == nil {
		*to = v
	}
	return err
}

// Validate checks every value against its range and names the first that is out of it.
func (c Config) Validate() error {
	for _, dir := range []struct{ name, path string }{{"home", c.Home}, {"run", c.Run}} {
		if !filepath.IsAbs(dir.path) {
			return fault.New(fault.Invalid, "Write an absolute path.", "cannot use %s folder %q: it is not absolute", dir.name, dir.path)
		}
	}
	if c.Pictures != "" && !slices.Contains(PictureSettings(), c.Pictures) {
		return fault.New(fault.Invalid, "Write one of "+strings.Join(PictureSettings(), ", ")+".", "cannot show pictures by %q", c.Pictures)
	}
	if err := ValidateLimits(c.Limits); err != nil {
		return err
	}
	if err := ranges(c.Execution); err != nil {
		return err
	}
	if key := c.SealKey; key != "" && !filepath.IsAbs(key) {
		return fault.New(fault.Invalid, "Write an absolute path.", "cannot use key of seals %q: it is not absolute", key)
	}
	if key := c.Journal.Key; key != "" && !filepath.IsAbs(key) {
		return fault.New(fault.Invalid, "Write an absolute path.", "cannot use journal key %q: it is not absolute", key)
	}
	for _, n := range []int64{c.Journal.SnapshotBytes, c.Journal.BlobBytes} {
		if err := Quota.check(n); err != nil {
			return err
		}
	}
	if c.HomeQuota != 0 {
		if err := HomeQuota.check(c.HomeQuota); err != nil {
			return err
		}
	}
	if err := KeepFor.Check(c.Sessions.KeepFor); err != nil {
		return err
	}
	if err := Keep.Check(float64(c.Sessions.Keep)); err != nil {
		return err
	}
	if c.Ask.Silence != 0 {
		if err := Silence.Check(c.Ask.Silence); err != nil {
			return err
		}
	}
	if e := c.Ask.Effort; e != "" && !slices.Contains(Efforts(), e) {
		return fault.New(fault.Invalid, "Write one of "+strings.Join(Efforts(), ", ")+".", "cannot ask models with the effort %q", e)
	}
	if s := c.Ask.Style; s != "" && !slices.Contains(Styles(), s) {
		return fault.New(fault.Invalid, "Write one of "+strings.Join(Styles(), ", ")+".", "cannot ask in the style %q", s)
	}
	if n := len(c.Ask.Fallbacks); n > MaxFallbacks {
		return fault.New(fault.Invalid, fmt.Sprintf("Name %d at the most.", MaxFallbacks), "cannot fall back on %d models", n)
	}
	if err := Window.Check(float64(c.Ask.Window)); err != nil {
		return err
	}
	if err := ValidateBudget(c.Ask.Budget); err != nil {
		return err
	}
	return MaxSteps.Check(float64(c.Ask.MaxSteps))
}

// ValidateLimits checks the limits of a session against their ranges.
func ValidateLimits(l event.Limits) error {
	for _, spec := range event.LimitTable() {
		if err := limitRange(spec).Check(spec.Of(l)); err != nil {
			return err
		}
	}
	return nil
}

// ValidateBudget checks the parts of a budget against their ranges. A zero is none.
func ValidateBudget(b event.Budget) error {
	for _, s := range event.BudgetTable() {
		if v := s.Of(b); v != 0 {
			if err := budgetRange(s).Check(v); err != nil {
				return err
			}
		}
	}
	return nil
}

// ValidateBounds checks the bounds of an execution against their ranges. A zero
// means the default.
func ValidateBounds(b event.Bounds) error { return ranges(b.Over(defaultBounds())) }

func ranges(b event.Bounds) error {
	if err := Timeout.Check(time.Duration(b.Timeout)); err != nil {
		return err
	}
	if b.CPU != 0 {
		if err := CPUTime.Check(time.Duration(b.CPU)); err != nil {
			return err
		}
	}
	if c := b.Columns; c != 0 && (c < event.MinColumns || c > event.MaxColumns) {
		return fault.New(fault.Invalid, fmt.Sprintf("Give a width from %d to %d, or none.", event.MinColumns, event.MaxColumns), "%d columns are out of range", c)
	}
	return Output.check(b.OutputBytes)
}
