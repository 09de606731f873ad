package interpreter

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"praxis/fault"
	"praxis/internal/app"
	"praxis/internal/guest/wire"
	"praxis/internal/language"
	"praxis/internal/language/javascript"
	"praxis/internal/server/e2b/target"
	"praxis/internal/server/observe"
)

// described is a context as clients see it.
type described struct {
	ID       string `json:"id"`
	Language string `json:"language"`
	Folder   string `json:"cwd"`
}

// own is the context in which code of a language runs when none is named.
func own(s *app.Session, l language.Language) string {
	kernel := cmp.Or(l.Host, l.Name)
	if kernel == s.Language().Name {
		return wire.Main
	}
	return kernel
}

// newID returns the name of a new context: those that are older come before it.
func newID(language string) string {
	random := make([]byte, 8)
	rand.Read(random) // it never fails
	return fmt.Sprintf("%s-%012x%s", language, time.Now().UnixMilli(), hex.EncodeToString(random))
}

// made is the part of a context's name that says when it was made, "" for that of a language.
func made(name string) string {
	_, when, _ := strings.Cut(name, "-")
	return when
}

// describe says what a client sees of a context.
func describe(s *app.Session, c app.ContextInfo) described {
	out := described{c.Name, c.Language, cmp.Or(c.Folder, app.WorkDir)}
	word, _, _ := strings.Cut(c.Name, "-")
	if l, err := s.Speaks(word); err == nil && l.Host == c.Language {
		out.Language = l.Name
	}
	return out
}

// contexts lists the contexts of a session: those of its first language and of JavaScript,
// which are there before anything ran, then others by age.
func contexts(ctx context.Context, s *app.Session) ([]described, error) {
	list, err := s.Contexts(ctx)
	if err != nil {
		return nil, err
	}
	var out []described
	add := func(l language.Language) {
		name := own(s, l)
		d := described{name, l.Name, Home}
		if i := slices.IndexFunc(list, func(c app.ContextInfo) bool { return c.Name == name }); i >= 0 {
			d.Folder = cmp.Or(list[i].Folder, Home)
			list = slices.Delete(list, i, i+1)
		}
		out = append(out, d)
	}
	first := s.Language()
	add(first)
	if l, err := s.Speaks(javascript.Name); err == nil && l.Name != first.Name {
		add(l)
	}
	slices.SortStableFunc(list, func(a, b app.ContextInfo) int { return cmp.Compare(made(a.Name), made(b.Name)) })
	for _, c := range list {
		out = append(out, describe(s, c))
	}
	return out, nil
}

// speaks finds a language of a session.
func speaks(s *app.Session, name string) (language.Language, error) {
	l, err := s.Speaks(name)
	if err == nil {
		return l, nil
	}
	return l, fault.New(fault.Invalid, "Use a language of the sandbox.", "cannot run %q: it is not supported in this sandbox", name)
}

// use lends the session of a sandbox to f, and writes why that fails. It says whether it worked.
func use(w http.ResponseWriter, r *http.Request, b *target.Sandbox, err error, f func(ctx context.Context, s *app.Session) error) bool {
	if err == nil {
		err = b.Tenant.Hub.Use(r.Context(), b.ID, func(s *app.Session) error { return f(r.Context(), s) })
	}
	if err != nil {
		refuse(w, r, err)
	}
	return err == nil
}

func (i *interpreter) makeContext(w http.ResponseWriter, r *http.Request) {
	b, err := i.open(r, "contexts.make", true)
	var q wanted
	if err == nil {
		err = read(w, r, b, func(data []byte) (err error) { q, err = decodeWanted(data); return err })
	}
	var out described
	if use(w, r, b, err, func(ctx context.Context, s *app.Session) error {
		l, err := speaks(s, q.Language)
		if err != nil {
			return err
		}
		_ = s.MakeFolder(ctx, q.Folder) // one that is there, or is not the user's, is used as it is
		out = described{newID(l.Name), l.Name, q.Folder}
		_, err = s.MakeContext(ctx, out.ID, l.Name, q.Folder)
		return err
	}) {
		answer(w, http.StatusOK, out)
	}
}

func (i *interpreter) listContexts(w http.ResponseWriter, r *http.Request) {
	var out []described
	b, err := i.open(r, "contexts.list", false)
	if use(w, r, b, err, func(ctx context.Context, s *app.Session) (err error) {
		out, err = contexts(ctx, s)
		return err
	}) {
		answer(w, http.StatusOK, out)
	}
}

func (i *interpreter) removeContext(w http.ResponseWriter, r *http.Request) {
	i.change(w, r, "contexts.remove", func(ctx context.Context, s *app.Session, id string) error {
		if id == wire.Main {
			return s.RestartContext(ctx, id)
		}
		return s.RemoveContext(ctx, id)
	})
}

func (i *interpreter) restartContext(w http.ResponseWriter, r *http.Request) {
	i.change(w, r, "contexts.restart", func(ctx context.Context, s *app.Session, id string) error { return s.RestartContext(ctx, id) })
}

// change does something to a context. That of a language which nothing ran in yet is as it
// would be afterwards.
func (i *interpreter) change(w http.ResponseWriter, r *http.Request, name string, do func(ctx context.Context, s *app.Session, id string) error) {
	id, found := r.PathValue("id"), false
	b, err := i.open(r, name, true)
	if !use(w, r, b, err, func(ctx context.Context, s *app.Session) error {
		list, err := contexts(ctx, s)
		if err != nil {
			return err
		}
		if found = slices.ContainsFunc(list, func(d described) bool { return d.ID == id }); !found {
			return nil
		}
		if err := do(ctx, s, id); fault.KindOf(err) != fault.NotFound {
			return err
		}
		return nil
	}) {
		return
	}
	if !found {
		observe.From(r.Context()).Failed(fault.New(fault.NotFound, "", "%s", missing(id)))
		say(w, http.StatusNotFound, missing(id))
		return
	}
	answer(w, http.StatusOK, nil)
}
