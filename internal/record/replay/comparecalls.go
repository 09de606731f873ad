package replay

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"praxis/event"
)

// gated returns the calls that went through the gate; the others are of the
// agent's own notes.
func gated(calls []Call) (through, own []Call) {
	for _, c := range calls {
		if c.Called.Origin != "" {
			through = append(through, c)
		} else {
			own = append(own, c)
		}
	}
	return through, own
}

// callAspects takes the calls of a step apart into what is compared, one line a
// call, so that a call too many is one line too many. open says that the
// recording ends in the step.
func callAspects(was, is []Call, open bool) (w, i []aspect) {
	if len(was)+len(is) == 0 {
		return nil, nil
	}
	is = aligned(was, is)
	if open && len(is) > len(was) {
		is = is[:len(was)]
	}
	side := func(calls []Call) []aspect {
		var made, decided, gave strings.Builder
		for n, c := range calls {
			name := fmt.Sprintf("%s %s: ", c.Called.Tool, c.Called.Version)
			made.WriteString(shortened(what(c.Called)) + "\n")
			known := !open || n < len(was) && was[n].Decision != nil
			if known {
				decided.WriteString(name + decision(c) + "\n")
			}
			if known = !open || n < len(was) && was[n].Returned != nil; known {
				gave.WriteString(name + gaveText(c) + "\n")
			}
		}
		return []aspect{{what: "calls", text: made.String()}, {what: "decisions", text: decided.String()}, {what: "results of calls", text: gave.String()}}
	}
	return side(was), side(is)
}

// aligned puts the calls of a step into the recorded order when some of those
// were under way at the same time: which of them came first means nothing then.
func aligned(was, is []Call) []Call {
	until := 0
	for _, c := range was {
		if c.opened < until {
			return sorted(was, is)
		}
		until = max(until, c.until())
	}
	return is
}

// until is when a call was over, among the calls.
func (c Call) until() int {
	if c.closed == 0 {
		return c.opened + 1 // nobody knows; it counts as over at once
	}
	return c.closed
}

// sorted puts calls into the order of others as far as they are alike.
func sorted(like, calls []Call) []Call {
	if len(calls) < 2 {
		return calls
	}
	waiting := map[string][]int{}
	for i, c := range calls {
		key := what(c.Called)
		waiting[key] = append(waiting[key], i)
	}
	out, taken := make([]Call, len(calls)), make([]bool, len(calls))
	var holes []int
	for i := range calls {
		key := ""
		if i < len(like) {
			key = what(like[i].Called)
		}
		if found := waiting[key]; len(found) > 0 {
			out[i], taken[found[0]], waiting[key] = calls[found[0]], true, found[1:]
			continue
		}
		holes = append(holes, i)
	}
	for i, c := range calls {
		if !taken[i] {
			out[holes[0]], holes = c, holes[1:]
		}
	}
	return out
}

// decision says what was decided about a call, and by whom.
func decision(c Call) string {
	if c.Decision == nil {
		return "not decided"
	}
	text := fmt.Sprintf("%s by the rule %q", c.Decision.Verdict, c.Decision.Rule)
	if g := c.Given; g != nil {
		word := "refused"
		if g.Granted {
			word = "granted"
		}
		text += fmt.Sprintf(", %s by %s %s (%s)", word, g.By, g.Who, g.Scope)
	}
	return text
}

// gaveText says what a call gave.
func gaveText(c Call) string {
	switch {
	case c.Returned == nil:
		return unanswered
	case c.Returned.Error != "":
		return shortened("failed: " + stable(c.Returned.Error))
	}
	return shortened(c.Returned.Result)
}

const unanswered = "no answer"

// maxCallText bounds what is compared of a call as text; of more, it is the hash.
const maxCallText = 400

func shortened(text string) string {
	text = strings.ReplaceAll(secretRE.ReplaceAllString(text, "[secret $1]"), "\n", `\n`)
	if len(text) <= maxCallText {
		return text
	}
	sum := sha256.Sum256([]byte(text))
	return fmt.Sprintf("%s… (%d bytes, SHA-256 %s)", strings.ToValidUTF8(text[:maxCallText/2], ""), len(text), hex.EncodeToString(sum[:]))
}

// unfetched says that code used the network, which a replay does not.
func unfetched(s Step) []string {
	if len(s.Hosts)+s.Refused == 0 {
		return nil
	}
	return []string{"its code used the network, which a replay does not have"}
}

// toolNotes says what a person should know of the tools and hosts of a run.
func (r *Report) toolNotes(rec Recording) {
	calls := 0
	var hosts []string
	for _, s := range rec.Steps {
		through, _ := gated(s.Calls)
		calls += len(through)
		hosts = append(hosts, s.Hosts...)
	}
	if calls > 0 {
		r.Notes = append(r.Notes, "No tool was called: calls were answered from the record, and decided anew.")
	}
	switch hosts = unique(hosts); {
	case len(hosts) > 0:
		r.Notes = append(r.Notes, "The code of this run reached hosts: "+strings.Join(hosts, ", ")+". What came over the network is not in the record, so connections were refused: where the code used it, the replay differs.")
	case len(rec.Began.Net) > 0:
		r.Notes = append(r.Notes, "The code of this run was let reach hosts and reached none; a replay reaches none.")
	}
}

// secretResults says whether a secret was taken out of what a call gave or was
// asked.
func secretResults(rec Recording) bool {
	for _, s := range rec.Steps {
		for _, c := range s.Calls {
			if c.Returned != nil && strings.Contains(c.Returned.Result, "[secret ") {
				return true
			}
		}
	}
	return false
}

// seeded says whether a run had a seed.
func seeded(rec Recording) bool { return rec.Session != nil && rec.Session.Seed != nil }

// givenAnew compares what the sessions of two runs are.
func (r *Report) givenAnew(was, is *event.SessionBegan) {
	if was == nil || is == nil {
		return
	}
	r.Packages = append(packageChanges(was.Packages(), is.Packages()), packageChanges(was.Image.NPM, is.Image.NPM)...)
	r.Image = imageChange(was.Image, is.Image)
	r.Seeded = r.Seeded && is.Seed != nil && *is.Seed == *was.Seed && is.Date.Equal(was.Date)
	r.Limits = was.Limits != is.Limits
}
