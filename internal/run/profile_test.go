package run

import (
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"praxis/event"
	"praxis/internal/agent"
	"praxis/internal/language"
)

// looking is a session whose code displays one profile.
type looking struct {
	Session
	profile string
}

func (looking) Describe() event.SessionBegan { return event.SessionBegan{} }

func (l looking) Execute(context.Context, string, string, event.Bounds, event.Sink) (event.Execution, error) {
	return event.Execution{Status: event.OK, State: event.Intact, Displays: []event.Bundle{{"text": "1"}, {language.ProfileMIME: l.profile}}}, nil
}

// notices are what a person reads.
type notices struct{ all []string }

func (n *notices) Emit(e event.Event) {
	if e, ok := e.(event.Notice); ok {
		n.all = append(n.all, e.Text)
	}
}
func (*notices) Err() error { return nil }
func (*notices) Keep(context.Context, string, io.Reader) (string, int64, string, error) {
	return "", 0, "", nil
}

// TestProfiles checks what is taken of what code, which may lie, says of the inputs.
func TestProfiles(t *testing.T) {
	text := func(all ...map[string]string) string {
		b, err := json.Marshal(all)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	of := func(text, note string) map[string]string {
		return map[string]string{"path": "/work/a", "text": text, "note": note}
	}
	for name, tt := range map[string]struct {
		given         agent.File
		said          string
		profile, note string
		notices       int
	}{
		"both":           {said: text(of("table", "is not UTF-8")), profile: "table", note: "is not UTF-8", notices: 1},
		"a hostile note": {said: text(of("", "is\n\x1b[2Jempty"+strings.Repeat("x", 9000))), note: `is \x1b[2Jempty`, notices: 1},
		"noted before":   {given: agent.File{Note: "is empty"}, said: text(of("", "is empty")), note: "is empty"},
		"too long":       {said: text(of(strings.Repeat("x", maxProfile+1), ""))},
		"no UTF-8":       {said: `[{"path": "/work/a", "text": "a` + "\xff" + `"}]`, profile: "a\uFFFD"},
		"another file":   {said: text(map[string]string{"path": "/work/b", "text": "table"})},
		"far too long":   {said: text(of("table", "")) + strings.Repeat(" ", maxProfiles)},
		"no JSON":        {said: "{"},
	} {
		t.Run(name, func(t *testing.T) {
			tt.given.Name, tt.given.Path = "a", "/work/a"
			var shown notices
			got, err := Task{Languages: languages, ProfileInputs: true, Inputs: []Input{{File: tt.given}}}.profile(t.Context(), looking{profile: tt.said}, &shown)
			if err != nil || len(got) != 1 {
				t.Fatal(got, err)
			}
			if f := got[0]; f.Profile != tt.profile || !strings.HasPrefix(f.Note, tt.note) || len(f.Note) > 4*maxNote || f.Note != "" && tt.note == "" {
				t.Errorf("got %.100q, %.100q", f.Profile, f.Note)
			}
			if len(shown.all) != tt.notices {
				t.Errorf("the person reads %q", shown.all)
			}
		})
	}
}
