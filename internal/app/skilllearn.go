package app

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"praxis/event"
	"praxis/internal/agent/skill"
	"praxis/internal/run"
	"praxis/internal/safetext"
)

// maxFunctions bounds the functions that one run may have stored.
const maxFunctions = 5

// function is what code had stored.
type function struct {
	step  int
	skill skill.Skill
	err   error // why it cannot be
}

// functions are those that the code of a run had stored, the last of each name.
type functions struct {
	mu  sync.Mutex
	all []function
}

// Emit implements event.Sink.
func (f *functions) Emit(e event.Event) {
	x, ok := e.(event.ExecutionEnded)
	if !ok {
		return
	}
	for _, d := range x.Execution.Displays {
		text := d[event.SkillMIME]
		if text == "" {
			continue
		}
		s, err := skill.Decode(text)
		s.Origin.Step = x.Step
		f.mu.Lock()
		f.all = slices.DeleteFunc(f.all, func(one function) bool { return one.skill.Name == s.Name })
		if len(f.all) < maxFunctions {
			f.all = append(f.all, function{x.Step, s, err})
		}
		f.mu.Unlock()
	}
}

// listeners are what the events of a run go to beside its record.
func (x *questionRun) listeners() event.Sink {
	out := event.Both(x.taken, event.Both(x.made, x.sink))
	if x.request.Learn {
		out = event.Both(&x.found, out)
	}
	return out
}

// storeFound stores the functions that the model had stored, when the run has an answer that
// passed its checks and each function passes its tests in a fresh session.
func (x *questionRun) storeFound(ctx context.Context, r run.Result) {
	for _, f := range x.found.all {
		if ctx.Err() != nil {
			return
		}
		out := event.SkillSaved{Step: f.step, Name: f.skill.Name}
		if skill.CheckName(out.Name) != nil {
			out.Name = safetext.OneLine(out.Name, skill.MaxName)
		}
		err := f.err
		switch {
		case r.Err != nil || r.Answer.Incomplete != "" || len(event.Untraced(r.Answer.Figures)) > 0:
			out.Refused = "the run has no answer that passed its checks"
		case err == nil:
			err = x.storeFunction(ctx, f, &out)
		}
		if err != nil {
			out.Refused = err.Error()
		}
		x.stored = append(x.stored, out)
		x.run.Emit(out)
	}
}

// storeFunction tests a function and stores it.
func (x *questionRun) storeFunction(ctx context.Context, f function, out *event.SkillSaved) error {
	f.skill.Origin = skill.Origin{Run: x.run.ID(), Step: f.step}
	s, v, err := x.app.testSkill(ctx, f.skill, x.session.image, x.sink)
	if err != nil {
		return err
	}
	if old, known := x.app.skillFolder(false).Read(s.Name, 0); known == nil && v.OK && !old.IsModule() {
		// What later runs rely on stays true, whatever the model thinks of it by now.
		both := s
		both.Tests = old.Tests
		if _, v, err = x.app.testSkill(ctx, both, x.session.image, x.sink); err != nil {
			return err
		}
		if !v.OK {
			v.Why = fmt.Sprintf("with the tests of version %d, %s", old.Version, v.Why)
		}
	}
	if !v.OK {
		out.Refused, out.Output = v.Why, v.Output
		return nil
	}
	done, err := x.app.putSkill(ctx, s, false)
	if err != nil {
		return fmt.Errorf("it passed its tests: %w", err)
	}
	out.Version, out.Hash = done.Version, done.Hash
	return nil
}
