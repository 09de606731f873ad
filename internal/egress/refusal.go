package egress

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"praxis/event"
	"praxis/fault"
)

// verdict is the sort of a refusal.
type verdict uint8

const (
	denied      verdict = iota + 1 // no rule allows it
	malformed                      // it was not understood, or can be understood in two ways
	tooLarge                       // its head is longer than is read
	unsupported                    // understood, and not carried out by this proxy
	unreachable                    // the host has no address, or does not answer
	crowded                        // a limit on connections is met
)

// status returns how HTTP says it.
func (v verdict) status() int {
	switch v {
	case denied:
		return http.StatusForbidden
	case tooLarge:
		return http.StatusRequestHeaderFieldsTooLarge
	case unsupported:
		return http.StatusNotImplemented
	case unreachable:
		return http.StatusBadGateway
	case crowded:
		return http.StatusServiceUnavailable
	default:
		return http.StatusBadRequest
	}
}

// refusal is why something is not let through. It holds no secret: the code and
// the journal are both told all of it.
type refusal struct {
	verdict verdict
	host    string
	port    uint16
	reason  string
	remedy  string
	code    fault.Code // "": the remedy is the same for every reader
}

// Error returns the reason.
func (r *refusal) Error() string { return r.reason }

func refuse(v verdict, t target, remedy, format string, args ...any) *refusal {
	return &refusal{verdict: v, host: t.host, port: t.port, remedy: remedy, reason: fmt.Sprintf(format, args...)}
}

// refusalOf finds the refusal in an error, or makes one of it.
func refusalOf(err error, t target) *refusal {
	var r *refusal
	if errors.As(err, &r) {
		return r
	}
	return refuse(unreachable, t, "", "%s did not answer: %v", t, err)
}

// writePage answers a request with a refusal. Clients that ask for a tunnel show
// only the first line, so that it says all.
func (r *refusal) writePage(w io.Writer, head bool) error {
	line := "Refused by praxis: " + r.reason
	if r.remedy != "" {
		line += ". " + r.remedy
	}
	line = printable(line)
	body := line + "\n"
	if head {
		body = ""
	}
	_, err := fmt.Fprintf(w, "HTTP/1.1 %d %s\r\nContent-Type: text/plain; charset=utf-8\r\nX-Content-Type-Options: nosniff\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s",
		r.verdict.status(), line, len(line)+1, body)
	return err
}

// printable makes one line of ASCII of text that others chose.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return '?'
		}
		return r
	}, s)
}

// Bounds of the events of refusals: so many a second one by one, and so many
// sorts of further ones, which are counted.
const (
	refusalsEach  = 10
	refusalsSorts = 20
	refusalsEvery = time.Second
)

// reporter emits the events. Refusals that come in numbers are grouped, so that
// code that asks in a loop cannot flood the journal.
type reporter struct {
	sink event.Sink

	mu      sync.Mutex
	each    int // emitted since the window began
	timer   *time.Timer
	grouped map[event.ConnectionRefused]int
}

func (r *reporter) emit(e event.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sink.Emit(e)
}

// refused reports a refusal. via is how the code asked.
func (r *reporter) refused(ref *refusal, via string) {
	e := event.ConnectionRefused{Host: printable(clip(ref.host)), Port: int(ref.port), Via: via, Reason: printable(ref.reason), Remedy: printable(ref.remedy), Code: string(ref.code), Count: 1}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.timer == nil {
		r.timer = time.AfterFunc(refusalsEvery, r.flush)
	}
	if r.each < refusalsEach {
		r.each++
		r.sink.Emit(e)
		return
	}
	e.Count = 0
	if _, ok := r.grouped[e]; !ok && len(r.grouped) >= refusalsSorts {
		e = event.ConnectionRefused{Reason: "refusals of other sorts, too many to tell apart"}
	}
	if r.grouped == nil {
		r.grouped = map[event.ConnectionRefused]int{}
	}
	r.grouped[e]++
}

// flush ends the window.
func (r *reporter) flush() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.timer != nil {
		r.timer.Stop()
	}
	for e, n := range r.grouped {
		e.Count = n
		r.sink.Emit(e)
	}
	r.each, r.grouped, r.timer = 0, nil, nil
}
