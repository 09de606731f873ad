package journal

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/store"
)

// TestGroupedSync looks at which events are on disk when Emit returns, and when
// the others are.
func TestGroupedSync(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		_, r := b.begin(t)
		onDisk := func() bool {
			b.disk.mu.Lock()
			defer b.disk.mu.Unlock()
			return b.disk.synced[r.ID()] == b.disk.logs[r.ID()].Len()
		}
		count := func() int {
			b.disk.mu.Lock()
			defer b.disk.mu.Unlock()
			return b.disk.syncs
		}
		if !onDisk() {
			t.Error("the beginning is not on disk")
		}
		for _, c := range []struct {
			e    event.Event
			want bool
		}{
			{event.StepBegan{N: 1}, false}, {event.ModelRequested{}, true}, {event.ModelReplied{}, false}, {event.ExecutionBegan{}, false},
			{event.ExecutionEnded{Execution: event.Execution{Status: event.OK}}, false}, {event.ToolCalled{}, true}, {event.ToolCalled{Effects: "write"}, true}, {event.ToolCalled{Effects: "read"}, false}, {event.ToolReturned{}, false},
			{event.ApprovalRequested{}, true}, {event.ApprovalGiven{}, true}, {event.FileSaved{}, false}, {event.AnswerGiven{}, true},
		} {
			r.Emit(c.e)
			if onDisk() != c.want {
				t.Errorf("%s on disk: %v", event.Name(c.e), onDisk())
			}
			time.Sleep(syncAfter)
			synctest.Wait()
			if !onDisk() {
				t.Errorf("%s is not on disk after %v", event.Name(c.e), syncAfter)
			}
		}
		syncs := count()
		for range 100 {
			r.Emit(event.StepBegan{N: 1})
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if n := count() - syncs; n != 1 {
			t.Errorf("100 records at once: %d syncs", n)
		}
		r.Emit(event.StepBegan{N: 2})
		if err := r.Close(); err != nil || !onDisk() {
			t.Errorf("after Close: %v, on disk %v", err, onDisk())
		}
	})
}

// TestFullDisk has the disk be full at every operation of a run. The run's
// context is over with the cause, what was written can be checked, and the row
// says what became of it.
func TestFullDisk(t *testing.T) {
	for n := 0; ; n++ {
		b := newBench(t)
		b.write(t) // the keys are there
		b.disk.allow(n)
		ctx, r, err := b.Begin(t.Context(), question(), nil)
		if err != nil {
			if fault.KindOf(err) != fault.Exhausted || fault.RemedyOf(err) == "" {
				t.Errorf("%d: begin: %v", n, err)
			}
			if len(b.disk.logs) != 1 {
				t.Errorf("%d: a log is left of a run that did not begin", n)
			}
			continue
		}
		for _, e := range sample() {
			r.Emit(e)
		}
		cause := r.Err()
		if cause != nil && (!errors.Is(context.Cause(ctx), cause) || fault.KindOf(cause) != fault.Exhausted || !errors.Is(cause, syscall.ENOSPC)) {
			t.Errorf("%d: cause %v, err %v", n, context.Cause(ctx), cause)
		}
		if n%2 == 0 {
			b.disk.allow(-1) // there is space again before the end
		}
		end := event.RunEnded{Status: event.Answered}
		if cause != nil {
			end = event.RunEnded{Status: event.Unanswered, Reason: cause.Error()}
		}
		r.Emit(end)
		last := r.Err()
		r.Close()
		s, err := b.Summary(t.Context(), r.ID())
		if err != nil {
			t.Fatal(err)
		}
		rep := b.verified(t, r.ID())
		if rep.Damage != nil {
			t.Errorf("%d: %v", n, rep.Damage)
		}
		switch {
		case last == nil:
			if !rep.OK() || s.Status != event.Answered {
				t.Errorf("%d: no error, %+v, %+v", n, rep, s)
			}
		case rep.Finished:
			if !strings.Contains(s.Reason, "cannot record run") && s.Status != event.Answered {
				t.Errorf("%d: %+v", n, s)
			}
		default:
			if s.Status != Unfinished || !strings.Contains(s.Reason, "Free") && !strings.Contains(s.Reason, "no space left") {
				t.Errorf("%d: row %+v", n, s)
			}
			// The next one gives it an end, with the reason.
			b.disk.allow(-1)
			b.write(t)
			s, err = b.Summary(t.Context(), r.ID())
			if err != nil || s.Status != event.Abandoned || !strings.Contains(s.Reason, "no space left") || !b.verified(t, r.ID()).OK() {
				t.Errorf("%d: swept: %+v, %v", n, s, err)
			}
		}
		if last == nil {
			break
		}
		if n > 200 {
			t.Fatal("the run never ends well")
		}
	}
}

// TestPowerLoss stops the machine after every event of a run: what was not synced
// is lost, or stands there in part. The next run gives it an end, and nothing is
// missing that had to be on disk.
func TestPowerLoss(t *testing.T) {
	all := append(sample(), event.ToolCalled{ID: "1", Tool: "t"}, event.ToolReturned{ID: "1"}, event.ApprovalRequested{ID: "2"}, event.StepBegan{N: 2})
	all = append(all, manySteps(70)...)
	all = append(all, event.AnswerGiven{Text: "x"})
	for n := range len(all) + 1 {
		if n > 15 && n%10 != 9 && n < 60 {
			continue // there are only more of the same
		}
		b := newBench(t)
		_, r := b.begin(t)
		sure := 1
		for i, e := range all[:n] {
			r.Emit(e)
			if mustSync(e) {
				sure = i + 2
			}
		}
		if sure == 1 { // nothing had to be on disk yet
			r.row.Wait()
		}
		b.disk.mu.Lock()
		log, synced := b.disk.logs[r.ID()], b.disk.synced[r.ID()]
		for _, keep := range []int{synced, synced + (log.Len()-synced)/3, log.Len() - 1} {
			b.disk.logs["copy"] = bytes.NewBuffer(bytes.Clone(log.Bytes()[:max(keep, synced)]))
			lost := b.disk.logs["copy"]
			delete(b.disk.logs, "copy")
			after := newBench(t, func(c *Config) { c.Keys = b.cfg.Keys })
			after.disk.logs[r.ID()], after.disk.blobs = lost, b.disk.blobs
			for k, d := range b.index.docs {
				after.index.docs[k] = d
			}
			after.write(t)
			got, err := after.records(t, r.ID())
			if rep := after.verified(t, r.ID()); err != nil || !rep.OK() || rep.Status != event.Abandoned || len(got) < sure+1 {
				t.Errorf("after event %d, %d bytes of %d (%d on disk): %+v; %d events of at least %d, %v", n, lost.Len(), log.Len(), synced, rep, len(got), sure+1, err)
			}
		}
		b.disk.mu.Unlock()
	}
}

// TestEndAfterFailure has an end that does not say so say why records are missing.
func TestEndAfterFailure(t *testing.T) {
	b := newBench(t)
	_, r := b.begin(t)
	b.disk.allow(0)
	r.Emit(event.StepBegan{N: 1})
	b.disk.allow(-1)
	r.Emit(event.StepBegan{N: 2}) // not recorded: the one before is missing
	r.Emit(event.RunEnded{Status: event.Answered})
	r.Emit(event.StepBegan{N: 3})
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	got, err := b.records(t, r.ID())
	if err != nil || len(got) != 2 {
		t.Fatalf("%+v, %v", got, err)
	}
	if end := got[1].Event.(event.RunEnded); !strings.Contains(end.Reason, "the rest of the run could not be recorded: ") {
		t.Errorf("%+v", end)
	}
}

func TestContexts(t *testing.T) {
	b := newBench(t)
	parent, cancel := context.WithCancel(t.Context())
	ctx, r, err := b.Begin(parent, question(), nil)
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	<-ctx.Done()
	r.Emit(event.RunEnded{Status: event.Unanswered, Reason: "interrupted"}) // is recorded all the same
	if err := errors.Join(r.Err(), r.Close(), r.Close()); err != nil {
		t.Fatal(err)
	}
	r.Emit(event.StepBegan{N: 1})
	if rep := b.verified(t, r.ID()); !rep.OK() {
		t.Errorf("%+v", rep)
	}
	if _, _, err := b.Begin(parent, question(), nil); err != nil {
		t.Log(err) // whether it may begin is for the logs to say
	}
}

// TestManyEmitters has several goroutines emit: the journal stays a chain, and
// others see the same order.
func TestManyEmitters(t *testing.T) {
	b := newBench(t)
	var seen []string
	_, r, err := b.Begin(t.Context(), question(), event.SinkFunc(func(e event.Event) {
		if x, ok := e.(event.ExecutionBegan); ok {
			seen = append(seen, x.Code)
		}
	}))
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for g := range 8 {
		all.Go(func() {
			for i := range 100 {
				r.Emit(event.ExecutionBegan{Code: fmt.Sprint(g, " ", i, strings.Repeat("x", 2047))})
				r.Emit(event.Output{Stream: event.Stdout, Data: []byte("x")})
			}
		})
	}
	all.Wait()
	r.Emit(event.RunEnded{Status: event.Answered})
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if rep := b.verified(t, r.ID()); !rep.OK() {
		t.Fatalf("%+v", rep)
	}
	got, err := b.records(t, r.ID())
	if err != nil {
		t.Fatal(err)
	}
	for i, code := range seen {
		if x := got[i+1].Event.(event.ExecutionBegan); x.Code != code {
			t.Fatalf("record %d is %.10q, and others saw %.10q", i, x.Code, code)
		}
	}
	if len(seen) != 800 || len(got) != 802 {
		t.Errorf("%d seen, %d recorded", len(seen), len(got))
	}
}

// TestTooLong refuses what no reader would take.
func TestTooLong(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes a record of 32 MiB")
	}
	b := newBench(t)
	_, r := b.begin(t)
	var changes []event.Change
	for range 15_000 {
		changes = append(changes, event.Change{Path: strings.Repeat("x", 2040), Kind: "created"})
	}
	r.Emit(event.ExecutionEnded{Execution: event.Execution{Status: event.OK, Changes: changes}})
	if err := r.Err(); err != nil {
		t.Fatal(err)
	}
	changes = append(changes, changes...)
	r.Emit(event.ExecutionEnded{Execution: event.Execution{Status: event.OK, Changes: changes}})
	if err := r.Err(); fault.KindOf(err) != fault.Exhausted {
		t.Errorf("%v", err)
	}
	if rep := b.verified(t, r.ID()); rep.Damage != nil || rep.Records != 3 {
		t.Errorf("%+v", rep)
	}
}

// secret has a bit of everything that is escaped somewhere.
const secret = "sk-\"q\\u/+<é>&\n=0123456789"

// everywhere looks for a text in all that is kept of a journal.
func (b *bench) everywhere(text string) (places []string) {
	for name, log := range b.disk.logs {
		if bytes.Contains(log.Bytes(), []byte(text)) {
			places = append(places, "log "+name)
		}
	}
	for name, data := range b.disk.blobs {
		if bytes.Contains(data, []byte(text)) {
			places = append(places, "blob "+name)
		}
	}
	for name, d := range b.index.docs {
		if strings.Contains(d.Text, text) || bytes.Contains(d.Body, []byte(text)) {
			places = append(places, "row "+name)
		}
	}
	return places
}

func TestSecrets(t *testing.T) {
	short := "short"
	b := newBench(t, func(c *Config) {
		c.Secrets = map[string]string{"API_KEY": secret, "PLAIN_TOKEN": "tok_0123456789abcdef", "LONGER_TOKEN": "tok_0123456789abcdef_and_more", "SHORT": short, "EMPTY": ""}
	})
	began := question()
	began.Question = "what is " + secret + "?"
	_, r, err := b.Begin(t.Context(), began, nil)
	if err != nil {
		t.Fatal(err)
	}
	asJSON, _ := json.Marshal(map[string]string{"k": secret})
	twice, _ := json.Marshal(string(asJSON))
	texts := []string{secret, string(asJSON), string(twice), url.QueryEscape(secret), url.PathEscape(secret), strings.ToLower(url.QueryEscape("/+")) + "x",
		hex.EncodeToString([]byte(secret)), strings.ToUpper(hex.EncodeToString([]byte(secret))), fmt.Sprintf("%q", "tok_0123456789abcdef_and_more")}
	for i := range 4 {
		padded := strings.Repeat("x", i) + secret + strings.Repeat("y", i)
		texts = append(texts, base64.StdEncoding.EncodeToString([]byte(padded)), base64.URLEncoding.EncodeToString([]byte(padded)), base64.RawURLEncoding.EncodeToString([]byte(padded)))
	}
	for _, s := range texts {
		r.Emit(event.ExecutionBegan{Code: s})
		r.Emit(event.ExecutionBegan{Code: strings.Repeat("long ", 1000) + s})
		r.Emit(event.ToolCalled{Tool: "t", Arguments: map[string]any{s: []any{s}}})
		if _, err := r.Store(t.Context(), []byte(s)); err != nil {
			t.Fatal(err)
		}
	}
	r.Emit(event.AnswerGiven{Text: secret})
	r.Emit(event.RunEnded{Status: event.Unanswered, Reason: "the key " + secret + " is wrong; " + short})
	if err := errors.Join(r.Err(), r.Close()); err != nil {
		t.Fatal(err)
	}
	for _, form := range append(forms(secret), forms("tok_0123456789abcdef")...) {
		if places := b.everywhere(form); len(places) > 0 {
			t.Errorf("%q stands in %v", form, places)
		}
	}
	got, err := b.records(t, r.ID())
	if err != nil {
		t.Fatal(err)
	}
	mark := r.red.text(secret)
	if q := got[0].Event.(event.RunBegan).Question; q != "what is "+mark+"?" || !strings.HasPrefix(mark, "[secret API_KEY ") || len(mark) != len("[secret API_KEY 1a2b3c4d]") {
		t.Errorf("question %q, mark %q", q, mark)
	}
	if code := got[1+3*8].Event.(event.ExecutionBegan).Code; code != `"`+r.red.text("tok_0123456789abcdef_and_more")+`"` || !strings.Contains(code, "LONGER_TOKEN") {
		t.Errorf("the longer secret became %q", code)
	}
	if end := got[len(got)-1].Event.(event.RunEnded); !strings.HasSuffix(end.Reason, short) {
		t.Errorf("short values stay: %q", end.Reason)
	}
	if s := b.Redact("<" + secret + ">"); s != "<"+mark+">" {
		t.Errorf("Redact gave %q", s)
	}
	info, err := os.Stat(filepath.Join(b.cfg.Keys, redactionFile))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
}

// TestSecretWords has secrets that are words of the journal itself.
func TestSecretWords(t *testing.T) {
	b := newBench(t, func(c *Config) {
		c.Secrets = map[string]string{"A": "max_steps", "B": "run_began", "C": "$blob\",\"", "D": "sha256:0"}
	})
	id := b.write(t, event.ExecutionBegan{Code: "max_steps = 1"})
	got, err := b.records(t, id)
	if err != nil {
		t.Fatal(err)
	}
	if code := got[1].Event.(event.ExecutionBegan).Code; !strings.HasPrefix(code, "[secret A ") {
		t.Errorf("%q", code)
	}
	if rep := b.verified(t, id); !rep.OK() {
		t.Errorf("%+v", rep)
	}
	b = newBench(t, func(c *Config) { c.Secrets = map[string]string{"A": "interrupted"} })
	_, r := b.begin(t)
	r.Emit(event.ExecutionEnded{Execution: event.Execution{Status: event.Interrupted}})
	if err := r.Err(); fault.KindOf(err) != fault.Invalid {
		t.Errorf("%v", err)
	}
}

// TestMarkedArguments hides what the schema of a tool marks, everywhere.
func TestMarkedArguments(t *testing.T) {
	b := newBench(t)
	_, r := b.begin(t)
	tool := event.Tool{Name: "login", Schema: map[string]any{"type": "object", "properties": map[string]any{
		"user": map[string]any{"type": "string"}, "password": map[string]any{"type": "string", "format": "password"},
		"pin": map[string]any{"writeOnly": true}, "more": map[string]any{"items": map[string]any{"properties": map[string]any{"token": map[string]any{"x-secret": true}}}},
	}}}
	input := map[string]any{"user": "ann", "password": "hunter2hunter2", "pin": 4711.0, "more": []any{map[string]any{"token": "tokentoken"}, "odd"}}
	calls := []event.Call{{ID: "1", Name: "login", Input: input}, {ID: "2", Name: "login", Raw: `{"password":"hunter3hunter3`}, {ID: "3", Name: "other", Input: input}}
	r.Emit(event.ModelRequested{Tools: []event.Tool{tool}})
	r.Emit(event.ModelReplied{Text: "I log in", Calls: calls})
	r.Emit(event.ToolCalled{ID: "1", Tool: "login", Arguments: input})
	r.Emit(event.ToolReturned{ID: "1", Result: "logged in with hunter2hunter2"})
	r.Emit(event.ModelRequested{Repeated: 1, Messages: []event.Message{{Role: event.Assistant, Calls: calls}}})
	r.Emit(event.RunEnded{Status: event.Answered})
	if err := errors.Join(r.Err(), r.Close()); err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{"hunter2hunter2", "hunter3hunter3", "tokentoken"} {
		if places := b.everywhere(s); len(places) > 0 {
			t.Errorf("%q stands in %v", s, places)
		}
	}
	got, err := b.records(t, r.ID())
	if err != nil {
		t.Fatal(err)
	}
	args := got[3].Event.(event.ToolCalled).Arguments
	if args["user"] != "ann" || !strings.HasPrefix(args["pin"].(string), "[secret login.pin ") || !strings.HasPrefix(args["password"].(string), "[secret login.password ") {
		t.Errorf("%v", args)
	}
	if input["pin"] != 4711.0 || calls[1].Raw == "" {
		t.Error("the caller's own values were changed")
	}
}

func TestKeep(t *testing.T) {
	b := newBench(t, func(c *Config) {
		c.MaxInput = 1000
		c.Secrets = map[string]string{"API_KEY": secret}
	})
	_, r := b.begin(t)
	keep := func(src io.Reader) (string, int64, string, error) { return r.Keep(t.Context(), "in", src) }
	text := strings.Repeat("a", 1000)
	sum, n, why, err := keep(iotest.OneByteReader(strings.NewReader(text)))
	if sum != hashLine([]byte(text)) || n != 1000 || why != "" || err != nil || string(b.disk.blobs[sum]) != text {
		t.Errorf("%s %d %s %v", sum, n, why, err)
	}
	before := len(b.disk.blobs)
	text += "b"
	sum, n, why, err = keep(strings.NewReader(text + text))
	if sum != hashLine([]byte(text+text)) || n != 2002 || why != "it is longer than 1000 bytes" || err != nil {
		t.Errorf("%s %d %s %v", sum, n, why, err)
	}
	for _, src := range []io.Reader{strings.NewReader("x" + secret), iotest.OneByteReader(strings.NewReader(text + secret + text)), iotest.DataErrReader(strings.NewReader(secret))} {
		if sum, _, why, err = keep(src); sum != "" || why != "it holds the secret API_KEY" && !strings.HasPrefix(why, "it holds") || err != nil {
			t.Errorf("%q %q %v", sum, why, err)
		}
	}
	if len(b.disk.blobs) != before {
		t.Error("something was kept that is withheld")
	}
	if _, _, _, err = keep(iotest.ErrReader(errors.New("planted"))); err == nil || !strings.Contains(err.Error(), "planted") {
		t.Errorf("%v", err)
	}
	if _, _, _, err = keep(io.MultiReader(strings.NewReader(text+text), iotest.ErrReader(errors.New("planted")))); err == nil || !strings.Contains(err.Error(), "planted") {
		t.Errorf("%v", err)
	}
	if sum, n, why, err = keep(strings.NewReader("")); sum != hashLine(nil) || n != 0 || why != "" || err != nil {
		t.Errorf("empty: %s %d %s %v", sum, n, why, err)
	}
}

// TestGoroutines checks that a closed recorder has ended its goroutines.
func TestGoroutines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		_, r, err := b.Begin(t.Context(), question(), nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Emit(event.StepBegan{N: 1})
		r.Close() // the bubble would not end with a goroutine left in it
	})
}

var _ store.Log = (*memLog)(nil)
