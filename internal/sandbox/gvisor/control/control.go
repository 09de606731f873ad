// Package control is what the owner of a sandbox and its helper say to each other, and
// what the helper is started with.
//
// The control socket joins the two: a SOCK_SEQPACKET pair, one JSON object a packet, at
// most [MaxPacket] bytes. The owner sends requests with an id; the helper answers each
// with a reply of that id, in any order. A reply with id 0 says that the guest is over.
// The end of the socket ends the helper.
package control

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
)

const (
	// MaxPacket bounds one message. Paths are the longest thing in one.
	MaxPacket = 64 << 10
	// MaxErrorText bounds the text of a failure that a helper reports.
	MaxErrorText = 4 << 10
	// FD is where a helper finds its control socket.
	FD = 3
)

// The operations of a helper.
const (
	Create     = "create"     // make the sentry and the gofer, once
	Start      = "start"      // boot the guest
	Restore    = "restore"    // make the guest from the checkpoint in Dir
	Checkpoint = "checkpoint" // write the guest's state into the empty folder Dir
	Count      = "count"      // count the guest's processes
)

// The files in a sandbox's folder beside the guest's description.
const (
	SizeFile = "boot.json" // a Size
	PanicLog = "panic.log" // where a sentry that breaks says why
)

// Helper is what a helper is started with: its argument, as JSON.
type Helper struct {
	Dir  string `json:"dir"`  // the sandbox's folder
	Disk int64  `json:"disk"` // bytes in the writable layer
	// Seeded says that the guest shall be one (package patch).
	Seeded bool `json:"seeded,omitempty"`
}

// Size is what the guest sees of its size, and how it is made.
type Size struct {
	Seeded bool  `json:"seeded,omitempty"`
	Memory int64 `json:"memory"` // bytes, shown as MemTotal
	CPUs   int   `json:"cpus"`   // shown as the number of CPUs
}

// Request is one order of the owner.
type Request struct {
	ID  uint64 `json:"id"`
	Op  string `json:"op"`
	Dir string `json:"dir,omitempty"`
}

// Reply is the answer to one.
type Reply struct {
	ID     uint64 `json:"id"`
	Error  string `json:"error,omitempty"`
	TookNS int64  `json:"took_ns,omitempty"`
	Count  int    `json:"count,omitempty"`
	Exit   *Exit  `json:"exit,omitempty"`
}

// Exit is how the guest's first process ended.
type Exit struct {
	Code   int    `json:"code"`   // -1 when a signal or an error ended it
	Signal int    `json:"signal"` // 0 when it exited
	Error  string `json:"error,omitempty"`
}

// Send sends v as one packet.
func Send(f *os.File, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if len(b) > MaxPacket {
		return fmt.Errorf("cannot send %d bytes: a message has at most %d", len(b), MaxPacket)
	}
	_, err = f.Write(b)
	return err
}

// Receive receives one packet into v; buf has [MaxPacket] bytes. It returns io.EOF at
// the socket's end.
func Receive(f *os.File, buf []byte, v any) error {
	n, err := f.Read(buf)
	if err != nil {
		return err
	}
	if n == 0 {
		return io.EOF
	}
	return json.Unmarshal(buf[:n], v)
}
