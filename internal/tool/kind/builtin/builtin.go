package builtin

import (
	"context"
	"encoding/json"
	"math"
	"math/big"
	"path/filepath"
	"strconv"
	"strings"

	"praxis/fault"
	"praxis/internal/tool"
	"praxis/internal/tool/jsondoc"
	"praxis/internal/tool/toolfile"
)

// resultBytes bounds a result whose definition sets no bound.
const resultBytes = 16 << 20

// Config is what the tools need of others.
type Config struct {
	Notes Notes // for memory.save and memory.search; nil: there is no memory
}

// Kind makes the built-in tools.
type Kind struct{ cfg Config }

var _ tool.Kind = (*Kind)(nil)

// New returns the kind.
func New(cfg Config) *Kind { return &Kind{cfg: cfg} }

// spec is the value of "run" in a file.
type spec struct {
	Use  string          `json:"use"`
	With *jsondoc.Object `json:"with"`
}

// binding is a spec that names a tool of ours.
type binding struct {
	entry
	with *jsondoc.Object
	dir  string
	cfg  Config
}

// path returns a path of the settings from the folder that they start from.
func (b binding) path(p string) string {
	if !filepath.IsAbs(p) {
		p = filepath.Join(b.dir, p)
	}
	return filepath.Clean(p)
}

// entry is one tool.
type entry struct {
	name     string
	describe func(ctx context.Context, b binding) (*jsondoc.Object, error)
	make     func(ctx context.Context, d *tool.Definition, b binding) (tool.Implementation, error)
}

func entries() []entry {
	return []entry{
		{"files.read", describeRead, newReader},
		{"files.write", describeWrite, newWriter},
		{"memory.save", describeSave, newSaver},
		{"memory.search", describeSearch, newSearcher},
		{"sql.query", describeQuery, newQuery},
	}
}

// Names returns the names of the tools.
func Names() []string {
	var names []string
	for _, e := range entries() {
		names = append(names, e.name)
	}
	return names
}

func (k *Kind) read(b tool.Binding) (binding, error) {
	var s spec
	if err := toolfile.DecodeSpec(b.Spec, &s); err != nil {
		return binding{}, err
	}
	for _, e := range entries() {
		if e.name == s.Use {
			if s.With == nil {
				s.With = &jsondoc.Object{}
			}
			return binding{entry: e, with: s.With, dir: b.Dir, cfg: k.cfg}, nil
		}
	}
	return binding{}, fault.New(fault.Invalid, "There are "+strings.Join(Names(), ", ")+".", "cannot use %q: there is no such built-in tool", s.Use)
}

// Derive returns the whole definition of the tool that a binding names.
func (k *Kind) Derive(ctx context.Context, b tool.Binding) (*jsondoc.Object, error) {
	bound, err := k.read(b)
	if err != nil {
		return nil, err
	}
	return bound.describe(ctx, bound)
}

// New makes the tool that a binding names.
func (k *Kind) New(ctx context.Context, d *tool.Definition, b tool.Binding) (tool.Implementation, error) {
	bound, err := k.read(b)
	if err != nil {
		return nil, err
	}
	return bound.make(ctx, d, bound)
}

// document reads the definition of a tool and gives it its description.
func document(text, description string) (*jsondoc.Object, error) {
	v, err := jsondoc.Decode([]byte(text))
	if err != nil {
		return nil, err
	}
	o := v.(*jsondoc.Object)
	o.Set("description", description)
	return o, nil
}

// bound is how many bytes the JSON of a result may have.
func bound(d *tool.Definition) int64 {
	if d != nil && d.Limits.Bytes > 0 {
		return min(d.Limits.Bytes, resultBytes)
	}
	return resultBytes
}

// textOf returns a string among arguments, "" when it is not there.
func textOf(o *jsondoc.Object, name string) string {
	v, _ := o.Get(name)
	s, _ := v.(string)
	return s
}

// wholeOf returns a whole number among arguments.
func wholeOf(o *jsondoc.Object, name string, otherwise int64) (int64, error) {
	v, ok := o.Get(name)
	if !ok || v == nil {
		return otherwise, nil
	}
	switch n := v.(type) {
	case int:
		return int64(n), nil
	case int64:
		return n, nil
	case uint64:
		if n <= math.MaxInt64 {
			return int64(n), nil
		}
	case *big.Int:
		if n.IsInt64() {
			return n.Int64(), nil
		}
	case float64:
		if n == math.Trunc(n) && math.Abs(n) <= 1<<53 {
			return int64(n), nil
		}
	case json.Number:
		if i, err := strconv.ParseInt(n.String(), 10, 64); err == nil {
			return i, nil
		}
		if f, err := n.Float64(); err == nil && f == math.Trunc(f) && math.Abs(f) <= 1<<53 {
			return int64(f), nil
		}
	}
	return 0, fault.New(fault.Invalid, "Give a whole number.", "cannot use %s: it is no whole number within bounds", name)
}
