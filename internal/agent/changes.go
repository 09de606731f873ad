package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"praxis/event"
	"praxis/internal/safetext"
)

// Bounds of the changes of one step, which the guest says.
const (
	maxVariables   = 41 // the last one says how many more there are
	maxChangesJSON = 32 << 10
	maxVariable    = 80 // bytes of a name, a type or a value
)

// changes asks the session what became of its variables. What cannot be said is left out:
// the step counts without it.
func (r *run) changes(ctx context.Context, lang string, x event.Execution) []event.Variable {
	code := r.cfg.Languages.Named(lang).Model.Changes
	if !r.cfg.ShowChanges || code == "" || x.State != event.Intact || ctx.Err() != nil {
		return nil
	}
	got, err := r.cfg.Session.Execute(ctx, lang, code, event.Discard)
	r.took(got)
	if err != nil || got.Status != event.OK || len(got.Stdout) > maxChangesJSON {
		return nil
	}
	var all []event.Variable
	if json.Unmarshal([]byte(got.Stdout), &all) != nil {
		return nil
	}
	out := all[:0]
	for _, v := range all[:min(len(all), maxVariables)] {
		v.Name, v.Type, v.Value = safetext.OneLine(v.Name, maxVariable), safetext.OneLine(v.Type, maxVariable), safetext.OneLine(v.Value, maxVariable)
		switch v.Change {
		case "new", "changed", "deleted":
			v.More = 0
		default:
			if v = (event.Variable{More: v.More}); v.More <= 0 {
				continue
			}
		}
		out = append(out, v)
	}
	return out
}

// variables says in lines what became of variables.
func variables(all []event.Variable) string {
	var b strings.Builder
	for _, v := range all {
		switch {
		case v.Change == "":
			fmt.Fprintf(&b, "… and %d more\n", v.More)
			continue
		case v.Type == "":
			fmt.Fprintf(&b, "%s %s\n", v.Change, v.Name)
			continue
		}
		fmt.Fprintf(&b, "%s %s: %s", v.Change, v.Name, v.Type)
		if v.Value != "" {
			b.WriteString(" = " + v.Value)
		}
		b.WriteString("\n")
	}
	return b.String()
}
