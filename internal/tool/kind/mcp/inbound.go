package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"praxis/fault"
	"praxis/internal/safetext"
)

const (
	// maxMessage is the greatest size of one message in bytes.
	maxMessage = 16 << 20
	// maxGreeting is the greatest size of the answer to initialize.
	maxGreeting = 1 << 20
	// burst and perSecond bound what a server sends unasked; a message costs one
	// and one more for each costBytes of it.
	burst     = 20_000
	perSecond = 1_000
	costBytes = 4 << 10
	// requestBurst and requestsPerSecond bound the server's own requests, each of
	// which is answered.
	requestBurst      = 100
	requestsPerSecond = 10
	// maxID is the greatest size of a request's id.
	maxID = 256
)

// rawKey is the member that has a result as text in the one that goes on to the SDK.
const rawKey = "praxis/raw"

// inbound judges every message of a server before the SDK sees it.
//
// The SDK turns numbers into floats, refuses whole lists and results for one part
// that it does not know, and queues requests and notifications without bound. So
// results go through it as text and are read here, notifications are dealt with
// here, and requests lose their parameters: they are all refused but ping.
type inbound struct {
	changed func()            // the list of tools changed
	say     func(text string) // progress and log messages

	mu       sync.Mutex
	credit   bucket
	requests bucket
	expected int // answers that we wait for
}

// bucket is a token bucket.
type bucket struct {
	level float64
	at    time.Time
}

func (b *bucket) take(n, capacity, rate float64, now time.Time) bool {
	if b.at.IsZero() {
		b.level = capacity
	} else {
		b.level = min(capacity, b.level+now.Sub(b.at).Seconds()*rate)
	}
	b.at = now
	b.level -= n
	return b.level >= 0
}

// message is a JSON-RPC message of any kind.
type message struct {
	ID     json.RawMessage `json:"id,omitempty"`
	Method *string         `json:"method,omitempty"`
	Params json.RawMessage `json:"params,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  *wireError      `json:"error,omitempty"`
}

type wireError struct {
	Code    int64           `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

// await says that an answer is expected, which then costs nothing.
func (in *inbound) await() {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.expected++
}

// charge takes the price of what was sent unasked.
func (in *inbound) charge(size int, answer bool) error {
	in.mu.Lock()
	defer in.mu.Unlock()
	if answer && in.expected > 0 {
		in.expected--
		return nil
	}
	if !in.credit.take(float64(1+size/costBytes), burst, perSecond, time.Now()) {
		return fault.New(fault.Exhausted, "", "the server floods its output")
	}
	return nil
}

// batch judges one message or, in the way of older versions of the protocol, an
// array of them. What comes back are the messages that go on to the SDK. The error
// ends the connection.
func (in *inbound) batch(data []byte) ([][]byte, error) {
	data = bytes.TrimSpace(data)
	if len(data) == 0 {
		return nil, in.charge(0, false)
	}
	if data[0] != '[' {
		one, err := in.message(data)
		if one == nil || err != nil {
			return nil, err
		}
		return [][]byte{one}, nil
	}
	var list []json.RawMessage
	if json.Unmarshal(data, &list) != nil {
		return nil, in.charge(len(data), false)
	}
	var out [][]byte
	for _, item := range list {
		one, err := in.message(item)
		if err != nil {
			return nil, err
		}
		if one != nil {
			out = append(out, one)
		}
	}
	return out, nil
}

// message judges one message and returns what goes on to the SDK, nil if nothing.
// Lines that are no message are skipped, since servers print things.
func (in *inbound) message(data []byte) ([]byte, error) {
	var m message
	if json.Unmarshal(data, &m) != nil || len(m.ID) > maxID {
		return nil, in.charge(len(data), false)
	}
	hasID := len(m.ID) > 0 && string(m.ID) != "null"
	if err := in.charge(len(data), hasID && m.Method == nil); err != nil {
		return nil, err
	}
	switch {
	case m.Method != nil && hasID:
		return in.request(m)
	case m.Method != nil:
		return in.notification(m), nil
	case hasID:
		return answer(m), nil
	}
	return nil, nil
}

func (in *inbound) request(m message) ([]byte, error) {
	in.mu.Lock()
	ok := in.requests.take(1, requestBurst, requestsPerSecond, time.Now())
	in.mu.Unlock()
	if !ok {
		return nil, fault.New(fault.Exhausted, "", "the server floods us with requests")
	}
	method := safetext.OneLine(*m.Method, 60)
	if method != "ping" {
		method = "not supported: " + method
	}
	return encode(map[string]any{"jsonrpc": "2.0", "id": m.ID, "method": method}), nil
}

func (in *inbound) notification(m message) []byte {
	switch *m.Method {
	case "notifications/tools/list_changed":
		in.changed()
	case "notifications/progress":
		var p struct {
			Progress json.Number `json:"progress"`
			Total    json.Number `json:"total"`
			Message  string      `json:"message"`
		}
		if json.Unmarshal(m.Params, &p) == nil {
			text := "progress " + safetext.OneLine(p.Progress.String(), 20)
			if p.Total != "" {
				text += " of " + safetext.OneLine(p.Total.String(), 20)
			}
			in.say(text + " " + safetext.OneLine(p.Message, 200))
		}
	case "notifications/message":
		var p struct {
			Level string          `json:"level"`
			Data  json.RawMessage `json:"data"`
		}
		if json.Unmarshal(m.Params, &p) == nil {
			in.say(safetext.OneLine(p.Level, 20) + ": " + safetext.OneLine(string(p.Data), 300))
		}
	}
	return nil
}

// answer returns an answer in the form in which the SDK is given it.
func answer(m message) []byte {
	out := map[string]any{"jsonrpc": "2.0", "id": m.ID}
	var greeting struct {
		Version  json.RawMessage `json:"protocolVersion"`
		Versions json.RawMessage `json:"supportedVersions"`
	}
	switch {
	case m.Error != nil:
		m.Error.Message = safetext.OneLine(m.Error.Message, 4096)
		if len(m.Error.Data) > costBytes {
			m.Error.Data = nil
		}
		out["error"] = m.Error
	case !utf8.Valid(m.Result):
		out["error"] = wireError{Code: jsonrpc.CodeParseError, Message: "the answer is not UTF-8"}
	case json.Unmarshal(m.Result, &greeting) != nil:
		out["error"] = wireError{Code: jsonrpc.CodeParseError, Message: "the answer's result is no object"}
	case greeting.Version != nil || greeting.Versions != nil:
		if len(m.Result) > maxGreeting {
			out["error"] = wireError{Code: jsonrpc.CodeParseError, Message: fmt.Sprintf("the answer has more than %d bytes", maxGreeting)}
			break
		}
		out["result"] = m.Result
	default:
		// It has the members that the SDK's results need, whichever it is.
		out["result"] = map[string]any{
			"_meta": map[string]any{rawKey: string(m.Result)}, "content": []any{}, "tools": []any{},
		}
	}
	return encode(out)
}

func encode(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

func tooLong() error {
	return fault.New(fault.Exhausted, "", "the server sent a message of more than %s bytes", strconv.Itoa(maxMessage))
}
