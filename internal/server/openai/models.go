package openai

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"praxis/fault"
	"praxis/internal/app"
	"praxis/internal/safetext"
	"praxis/internal/server/api"
)

// usual is the name of the model that the server asks when none is named.
const usual = "praxis"

// modes are what may stand behind a model's name and @.
func modes() []string { return []string{app.ModeCode, app.ModeTools, app.ModeBoth} }

// modelOf splits what a client calls a model into the model and the mode of answering.
func modelOf(name string) (model, mode string, err error) {
	model = strings.TrimSpace(name)
	if base, m, found := strings.Cut(model, "@"); found && slices.Contains(modes(), m) {
		model, mode = base, m
	}
	switch {
	case model == "":
		return "", "", wrong("model", "Name the model "+usual+", which is the server's usual one, or one of the list of models.", "cannot ask: the request names no model")
	case model == usual:
		return "", mode, nil
	case strings.Contains(model, ":"):
		return model, mode, nil
	}
	return "", "", errParam{fault.New(fault.NotFound, "Name the model "+usual+", which is the server's usual one, or PROVIDER:NAME.", "cannot ask the model %s: there is none of this name", safetext.Clip(safetext.Line(model), 80)), "model"}
}

// model is an entry of the list of models.
type model struct {
	ID      string `json:"id"`
	Object  string `json:"object"`
	Created int64  `json:"created"`
	OwnedBy string `json:"owned_by"`
}

// listFor is how long the list of the providers' models is taken for true: clients ask for it
// whenever they draw a page, and each provider is asked over the network.
const listFor = 5 * time.Minute

// modelList holds what the providers have.
type modelList struct {
	mu   sync.Mutex
	read time.Time
	all  []app.ProviderModels
}

func (l *modelList) get(ctx context.Context, ask func(context.Context) []app.ProviderModels) []app.ProviderModels {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.read.IsZero() || time.Since(l.read) > listFor {
		all := ask(ctx)
		if ctx.Err() != nil {
			return all // the client went away in the middle: not the whole
		}
		l.all, l.read = all, time.Now()
	}
	return l.all
}

// list returns the models that a caller can name.
func (d *door) list(ctx context.Context, c *api.Call) []model {
	out := []model{{usual, "model", 0, usual}}
	if tools := c.Server.Tools; len(tools.Files) > 0 {
		for _, mode := range []string{app.ModeTools, app.ModeBoth} {
			out = append(out, model{usual + "@" + mode, "model", 0, usual})
		}
	}
	for _, p := range d.models.get(ctx, c.Server.Models) {
		for _, name := range p.Models {
			out = append(out, model{name, "model", 0, p.Provider})
		}
	}
	return out
}

func (d *door) listModels(w *answer, r *http.Request, c *api.Call) error {
	return writeJSON(w, http.StatusOK, struct {
		Object string  `json:"object"`
		Data   []model `json:"data"`
	}{"list", d.list(r.Context(), c)})
}

func (d *door) oneModel(w *answer, r *http.Request, c *api.Call) error {
	name := r.PathValue("model")
	for _, m := range d.list(r.Context(), c) {
		if m.ID == name {
			return writeJSON(w, http.StatusOK, m)
		}
	}
	return fault.New(fault.NotFound, "List the models to see which there are.", "cannot find the model %s", safetext.Clip(safetext.Line(name), 80))
}
