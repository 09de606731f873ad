package wire

import (
	"encoding/json"
	"errors"
	"strings"
)

// OpExpose is the op by which the host lets code inside send requests: Exposure → none.
const OpExpose = "expose"

// The ops of a guest request.
const (
	RequestTools   = "tools"   // JSON → JSON, what is in it is not the protocol's
	RequestConnect = "connect" // data, end both ways: a connection that was accepted inside
)

// Bounds of guest requests. Both sides check them.
const (
	GuestBit   = 1 << 31 // set in every id that the guest chooses, and in no other
	MaxTools   = 64      // requests "tools" that are open at a time
	MaxConnect = 128     // requests "connect" that are open at a time

	MaxArguments    = 16 << 20 // bytes of the body of a request "tools"
	MaxEnviron      = 64       // variables of an exposure
	MaxEnvironBytes = 64 << 10 // bytes of their names and values together

	// ProxyPort is where connections are accepted inside, at 127.0.0.1, when
	// an exposure names no other port.
	ProxyPort = 3128
)

// Exposure lets code inside send requests. The zero value takes back what was exposed.
type Exposure struct {
	Tools   bool              `json:"tools,omitempty"`
	Net     bool              `json:"net,omitempty"`
	Port    int               `json:"port,omitempty"`    // of 127.0.0.1; 0: ProxyPort
	Environ map[string]string `json:"environ,omitempty"` // for kernels that run, from their next execution on, and for processes started later
}

// Check says what cannot be meant in an exposure.
func (o Exposure) Check() error {
	if o.Port < 0 || o.Port > 65535 {
		return errors.New("the port is out of range")
	}
	size := 0
	for k, v := range o.Environ {
		if size += len(k) + len(v); k == "" || strings.ContainsAny(k, "=\x00") || strings.Contains(v, "\x00") {
			return errors.New("a variable of the environment has an impossible name or value")
		}
	}
	if len(o.Environ) > MaxEnviron || size > MaxEnvironBytes {
		return errors.New("too many variables of the environment")
	}
	return nil
}

// GuestRequest opens a guest request.
type GuestRequest struct {
	Op    string          `json:"op"`
	Name  string          `json:"name"`            // the guest's, unique among its requests
	Again bool            `json:"again,omitempty"` // it was sent under this name in an earlier epoch
	Sent  int             `json:"sent,omitempty"`  // of Again: bytes of a Long body that were sent before
	After int             `json:"after,omitempty"` // of Again: bytes of the response that came as parts before
	Long  bool            `json:"long,omitempty"`  // the body follows as data and end
	Body  json.RawMessage `json:"body,omitempty"`
}

// Check says what cannot be in a guest request.
func (a GuestRequest) Check() error {
	switch {
	case a.Op != RequestTools && a.Op != RequestConnect:
		return errors.New("a guest request for what does not exist")
	case !ValidName(a.Name):
		return errors.New("a guest request without a good name")
	case a.Sent < 0 || a.Sent > MaxArguments || a.After < 0 || a.After > MaxMessage || !a.Again && a.Sent+a.After > 0:
		return errors.New("a guest request that goes on from an impossible place")
	case a.Op == RequestConnect && (a.Again || a.Long || a.Body != nil):
		return errors.New("a connection that is requested again, or with a body")
	case a.Op == RequestTools && a.Long == (a.Body != nil):
		return errors.New("a call of a tool without a body, or with two")
	}
	return nil
}
