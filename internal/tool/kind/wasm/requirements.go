package wasm

import (
	"maps"
	"slices"
	"strings"

	"praxis/fault"
	"praxis/internal/safetext"
	"praxis/internal/tool/jsondoc"
	"praxis/internal/tool/toolfile"
)

// requirements are what a module says in its section "praxis" that it needs.
type requirements struct {
	Files  map[string]folderNeed `json:"files"`
	Env    []string              `json:"env"`
	Hosts  []string              `json:"hosts"`
	Memory size                  `json:"memory"`
	Clock  bool                  `json:"clock"`
	Random bool                  `json:"random"`
}

type folderNeed struct {
	Write bool `json:"write"`
}

// beyond says what a module requires that the manifest does not grant.
func (m *module) beyond(g grant) ([]string, error) {
	if m.requirements == nil {
		return nil, nil
	}
	v, err := jsondoc.Decode(m.requirements)
	if err != nil {
		return nil, broken("its section %q cannot be read: %v", host, err)
	}
	object, ok := v.(*jsondoc.Object)
	if !ok {
		return nil, broken("its section %q is not an object", host)
	}
	var w requirements
	if err := toolfile.DecodeSpec(object, &w); err != nil {
		return nil, broken("its section %q cannot be read: %v", host, err)
	}
	return w.beyond(g), nil
}

func (w requirements) beyond(g grant) []string {
	var out []string
	for _, at := range slices.Sorted(maps.Keys(w.Files)) {
		i := slices.IndexFunc(g.mounts, func(m mount) bool { return m.at == at })
		switch {
		case i < 0:
			out = append(out, "the folder "+safetext.Clip(at, 80))
		case w.Files[at].Write && !g.mounts[i].write:
			out = append(out, "to write to "+safetext.Clip(at, 80))
		}
	}
	for _, name := range w.Env {
		if !slices.ContainsFunc(g.env, func(v variable) bool { return v.name == name }) {
			out = append(out, "the variable "+safetext.Clip(name, 80))
		}
	}
	for _, h := range w.Hosts {
		name := h
		if at := strings.LastIndexByte(h, ':'); at >= 0 {
			name, _ = hostPort(strings.Trim(h[:at], "[]"), h[at+1:])
		}
		if !slices.Contains(g.hosts, name) {
			out = append(out, "the host "+safetext.Clip(h, 80))
		}
	}
	if w.Memory > g.memory {
		out = append(out, w.Memory.String()+" of memory")
	}
	if w.Clock && !g.clock {
		out = append(out, "the clock")
	}
	if w.Random && !g.random {
		out = append(out, "random numbers")
	}
	return out
}

// checkRequirements returns a fault when a module requires what it is not granted.
func (m *module) checkRequirements(file string, g grant) error {
	missing, err := m.beyond(g)
	if err != nil || len(missing) == 0 {
		return err
	}
	if len(missing) > 8 {
		missing = append(missing[:8], "more")
	}
	return fault.New(fault.Invalid, "Grant it in the manifest, or use a module that does without.",
		"cannot use module %s: it requires what its manifest does not grant: %s", file, strings.Join(missing, ", "))
}
