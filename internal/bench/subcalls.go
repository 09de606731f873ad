package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"praxis/internal/llm"
)

// The sub-queries that are asked together, and what the model takes for each.
const (
	subQueries   = 50
	subQueryTime = 100 * time.Millisecond
	contextBytes = 100 << 20
	needle       = "NEEDLE-4711"
)

// pages is a model that answers a question by code, and what the code asks after a time.
type pages struct{ code string }

func (pages) Name() string       { return "scripted:bench" }
func (pages) Traits() llm.Traits { return llm.Traits{Local: true} }

func (m pages) Complete(ctx context.Context, req llm.Request, _ func(string)) (llm.Reply, error) {
	switch {
	case strings.HasPrefix(req.Messages[0].Text, "page "):
		select {
		case <-time.After(subQueryTime):
			return llm.Reply{Text: "read"}, nil
		case <-ctx.Done():
			return llm.Reply{}, context.Cause(ctx)
		}
	case len(req.Messages) > 1:
		return llm.Reply{Text: "FINAL ANSWER: {{ took }}"}, nil
	}
	return llm.Reply{Text: fenced(m.code)}, nil
}

// taken are the numbers that the code of a question measured, which are its answer.
func (b *bench) taken(ctx context.Context, dir, code, text string) ([]float64, error) {
	said, err := b.Ask(ctx, dir, pages{"import time\n" + code + "\nprint(took)"}, "How long does it take?", text)
	if err != nil {
		return nil, err
	}
	var out []float64
	for _, field := range strings.Fields(said) {
		v, err := strconv.ParseFloat(field, 64)
		if err != nil {
			return nil, fmt.Errorf("the answer is %q, numbers were wanted", said)
		}
		out = append(out, v)
	}
	return out, nil
}

// errNoAsk says that questions cannot be asked here.
var errNoAsk = errors.New("no questions can be asked")

// agentSubQueries measures how long code waits for replies to questions that it asks together.
func (b *bench) agentSubQueries(ctx context.Context) (_ Figure, err error) {
	if b.Ask == nil {
		return Figure{}, errNoAsk
	}
	dir, err := os.MkdirTemp(b.Dir, "bench-")
	if err != nil {
		return Figure{}, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	code := fmt.Sprintf("began = time.perf_counter()\nreplies = llm_query_batched([f'page {i}' for i in range(%d)])\ntook = time.perf_counter() - began\nassert replies == ['read'] * %[1]d", subQueries)
	return sample(max(3, b.Rounds/6), func() (float64, error) {
		took, err := b.taken(ctx, dir, code, "")
		if err != nil || len(took) != 1 {
			return 0, errors.Join(err, ctx.Err())
		}
		return took[0], nil
	})
}

// search finds a text at the end of another: in a variable, by grep over its file, and by
// plain Python that reads the file line by line.
const search = `
import subprocess
def timed(f):
    began = time.perf_counter()
    found = f()
    spent = (time.perf_counter() - began) * 1000
    assert found, found
    return f"{spent:.2f}"
path = "/tmp/bench-context.txt"
with open(path, "w", encoding="utf-8", newline="") as file:
    file.write(context)
def by_lines():
    with open(path, encoding="utf-8") as file:
        return any("` + needle + `" in line for line in file)
took = " ".join([
    timed(lambda: context.find("` + needle + `") > 0),
    timed(lambda: subprocess.run(["grep", "-c", "-F", "` + needle + `", path], capture_output=True).stdout == b"1\n"),
    timed(by_lines),
])
`

// contextSearches measures a search over a text of 100 MiB in three ways, and what the
// first takes of the time of the others.
func (b *bench) contextSearches(ctx context.Context, out map[string]Figure) (err error) {
	if b.Ask == nil {
		return errNoAsk
	}
	dir, err := os.MkdirTemp(b.Dir, "bench-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	path := filepath.Join(dir, "context.txt")
	line := "The quick brown fox jumps over the lazy dog and runs away from it all day long.\n"
	text := strings.Repeat(line, contextBytes/len(line)) + needle + "\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		return err
	}
	names := []string{"context_find_ms", "context_grep_ms", "context_lines_ms"}
	all := make([][]float64, len(names))
	for range 3 {
		took, err := b.taken(ctx, dir, search, path)
		if err != nil || len(took) != len(names) {
			return errors.Join(err, ctx.Err())
		}
		for i, v := range took {
			all[i] = append(all[i], v)
		}
	}
	for i, name := range names {
		out[name] = FigureOf(all[i])
	}
	return nil
}
