package approval

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"praxis/internal/tool/gate"
	"praxis/internal/tool/schema"
)

// Remembered is how many values of an argument are compared with: those of the
// calls of the tool that were approved last.
const Remembered = 20

// Bounds of what is remembered of a call.
const (
	maxRemembered = 200 // bytes of a text that is remembered: what is longer is prose, not a name
	maxTexts      = 100 // of an argument
	maxArguments  = 60  // of a tool
)

// Memory stores what was approved of a tool. A tool of which nothing is stored has
// no data. One process may undo what another stores at the same time: a value is then
// new once more.
type Memory interface {
	Get(ctx context.Context, tool string) ([]byte, error)
	Set(ctx context.Context, tool string, data []byte) error
}

// Remember marks what is new in the questions that it passes on, see
// [gate.Question], and remembers what was approved: of each text its SHA-256. Only
// calls that act are compared. Where the memory fails, everything is new.
func Remember(a Approver, m Memory) Approver { return &remembering{a, m} }

type remembering struct {
	Approver
	memory Memory
}

// Approve marks, asks and remembers.
func (r *remembering) Approve(ctx context.Context, q gate.Question) (gate.Answer, error) {
	if q.Tool == nil || !q.Tool.Effects.Acts() || q.Arguments == nil {
		return r.Approver.Approve(ctx, q)
	}
	known := r.known(ctx, q.Tool.Name)
	q.New = map[string][]string{}
	for name, v := range q.Arguments.All() {
		for _, text := range compared(v) {
			if prose(text) && len(known[name]) == 0 {
				continue
			}
			if !slices.Contains(known[name], digest(text)) {
				q.New[name] = append(q.New[name], text)
			}
		}
	}
	a, err := r.Approver.Approve(ctx, q)
	if err != nil || !a.Granted {
		return a, err
	}
	known = r.known(ctx, q.Tool.Name) // others were approved meanwhile
	for name, v := range q.Arguments.All() {
		if len(known[name]) == 0 && len(known) >= maxArguments {
			continue
		}
		for _, text := range compared(v) {
			if prose(text) {
				continue
			}
			sum := digest(text)
			list := slices.DeleteFunc(known[name], func(s string) bool { return s == sum })
			known[name] = append(list, sum)
		}
		known[name] = known[name][max(len(known[name])-Remembered, 0):]
	}
	if data, err := json.Marshal(known); err == nil {
		// What is not remembered is new once more: that costs a look, not a call.
		_ = r.memory.Set(context.WithoutCancel(ctx), q.Tool.Name, data)
	}
	return a, nil
}

// known returns digests by argument, the latest last.
func (r *remembering) known(ctx context.Context, tool string) map[string][]string {
	known := map[string][]string{}
	data, err := r.memory.Get(ctx, tool)
	if err != nil || json.Unmarshal(data, &known) != nil || known == nil {
		return map[string][]string{}
	}
	return known
}

// compared returns the texts of a value: no numbers, which are rarely twice the
// same, and no secrets, which all look alike here.
func compared(v any) []string {
	var out []string
	walk(v, func(s string, named bool) {
		if !named && s != "" && s != schema.Redacted && len(out) < maxTexts && !slices.Contains(out, s) {
			out = append(out, s)
		}
	})
	return out
}

// prose says that a text is no name of something. It is not remembered, and it is new
// where names were approved before: a line break behind a name makes it no prose.
func prose(text string) bool {
	return len(text) > maxRemembered || strings.ContainsAny(text, "\r\n")
}

func digest(text string) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "approved value: %s", text))
	return base64.RawStdEncoding.EncodeToString(sum[:16])
}
