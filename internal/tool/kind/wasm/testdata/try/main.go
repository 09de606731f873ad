//go:build wasip1

// Command try is a WASI module that tries what its input names: each of the things
// that a module may or may not do. It answers with what came of it.
package main

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
	"unsafe"
)

//go:wasmimport praxis http_request
func httpRequest(req unsafe.Pointer, reqLen uint32, buf unsafe.Pointer, bufLen uint32) int32

//go:wasmimport wasi_snapshot_preview1 sock_accept
func sockAccept(fd, flags int32, out unsafe.Pointer) uint32

//go:wasmimport wasi_snapshot_preview1 sock_send
func sockSend(fd int32, data unsafe.Pointer, n, flags int32, out unsafe.Pointer) uint32

//go:wasmimport wasi_snapshot_preview1 fd_renumber
func fdRenumber(from, to int32) uint32

type input struct {
	Tool      string `json:"tool"`
	Arguments struct {
		Do     string   `json:"do"`
		Path   string   `json:"path"`
		To     string   `json:"to"`
		Text   string   `json:"text"`
		Size   int      `json:"size"`
		Urls   []string `json:"urls"`
		Buffer int      `json:"buffer"`
	} `json:"arguments"`
}

// calls counts the calls that this instance has seen.
var calls int

func main() {
	text, err := io.ReadAll(os.Stdin)
	if err != nil {
		panic(err)
	}
	var in input
	if err := json.Unmarshal(text, &in); err != nil {
		panic(err)
	}
	calls++
	out, err := try(in)
	if err != nil {
		var number syscall.Errno
		errors.As(err, &number)
		out = map[string]any{"error": err.Error(), "errno": number.Error()}
	}
	data, _ := json.Marshal(out)
	os.Stdout.Write(data)
}

func try(in input) (any, error) {
	a := in.Arguments
	switch a.Do {
	case "echo":
		return map[string]any{"tool": in.Tool, "args": os.Args, "env": os.Environ(), "calls": calls}, nil
	case "clock":
		before := time.Now()
		time.Sleep(time.Hour * time.Duration(a.Size))
		time.Sleep(time.Millisecond)
		return map[string]any{"now": before.Unix(), "slept": time.Since(before).Seconds()}, nil
	case "random":
		b := make([]byte, 16)
		_, err := rand.Read(b)
		return hex.EncodeToString(b), err
	case "sockets":
		var n uint32
		return []uint32{sockAccept(3, 0, unsafe.Pointer(&n)), sockAccept(0, 0, unsafe.Pointer(&n)), sockSend(1, nil, 0, 0, unsafe.Pointer(&n))}, nil
	case "renumber":
		return fdRenumber(1, 0x7ffffff0), nil
	case "http":
		return requests(a.Urls, a.Text, a.Buffer)
	}
	if out, err, ok := files(a.Do, a.Path, a.To, a.Text, a.Size); ok {
		return out, err
	}
	return nil, misbehave(a.Do, a.Text, a.Size)
}

func files(do, path, to, text string, size int) (out any, err error, ok bool) {
	switch do {
	case "read":
		b, err := os.ReadFile(path)
		return string(b), err, true
	case "list":
		entries, err := os.ReadDir(path)
		names := []string{}
		for _, e := range entries {
			names = append(names, e.Name()+":"+e.Type().String())
		}
		return names, err, true
	case "walk":
		var names []string
		err := filepath.WalkDir(path, func(p string, _ os.DirEntry, err error) error {
			names = append(names, p)
			return err
		})
		return names, err, true
	case "write":
		return nil, os.WriteFile(path, []byte(text), 0o777), true
	case "append":
		f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o644)
		if err == nil {
			_, err = f.WriteString(text)
			f.Close()
		}
		return nil, err, true
	case "openwrite": // without creating or truncating
		f, err := os.OpenFile(path, os.O_RDWR, 0)
		if err == nil {
			_, err = f.WriteString(text)
		}
		return nil, err, true
	case "readthenwrite": // through what was opened for reading
		f, err := os.Open(path)
		if err == nil {
			_, err = f.WriteString(text)
		}
		return nil, err, true
	case "truncate":
		return nil, os.Truncate(path, int64(size)), true
	case "remove":
		return nil, os.Remove(path), true
	case "rename":
		return nil, os.Rename(path, to), true
	case "mkdir":
		return nil, os.Mkdir(path, 0o777), true
	case "symlink":
		return nil, os.Symlink(path, to), true
	case "link":
		return nil, os.Link(path, to), true
	case "readlink":
		s, err := os.Readlink(path)
		return s, err, true
	case "chtimes":
		return nil, os.Chtimes(path, time.Unix(1e9, 0), time.Unix(1e9, 0)), true
	case "stat":
		info, err := os.Stat(path)
		if err != nil {
			return nil, err, true
		}
		return map[string]any{"size": info.Size(), "time": info.ModTime().UnixNano(), "dir": info.IsDir()}, nil, true
	case "fill": // write until it is refused
		f, err := os.Create(path)
		for err == nil {
			_, err = f.Write(make([]byte, 1<<20))
		}
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	case "open": // open until it is refused
		n := 0
		for {
			if _, err := os.Open(path); err != nil {
				return n, nil, true
			}
			n++
		}
	}
	return nil, nil, false
}

// requests sends a request for each URL and answers with the responses.
func requests(urls []string, text string, size int) (any, error) {
	var out []json.RawMessage
	for _, u := range urls {
		req := []byte(text)
		if text == "" {
			req, _ = json.Marshal(map[string]any{"method": "GET", "url": u, "headers": map[string]string{"X-Try": "1"}})
		}
		buf := make([]byte, max(size, 1))
		n := httpRequest(unsafe.Pointer(&req[0]), uint32(len(req)), unsafe.Pointer(&buf[0]), uint32(size))
		if n < 0 {
			buf = make([]byte, -n)
			n = httpRequest(nil, 0, unsafe.Pointer(&buf[0]), uint32(len(buf)))
		}
		if n == 0 {
			return nil, errors.New("nothing")
		}
		out = append(out, bytes.Clone(buf[:n]))
	}
	// There is nothing more to take, and no such memory.
	if n := httpRequest(nil, 0, nil, 0); n != 0 {
		return nil, fmt.Errorf("something is stored: %d", n)
	}
	req := []byte("{}")
	if n := httpRequest(unsafe.Pointer(&req[0]), 2, unsafe.Pointer(uintptr(0xfffffff0)), 100); n != 0 {
		return nil, fmt.Errorf("written outside: %d", n)
	}
	if n := httpRequest(unsafe.Pointer(uintptr(0xfffffff0)), 100, unsafe.Pointer(&req[0]), 2); n != 0 {
		return nil, fmt.Errorf("read outside: %d", n)
	}
	return out, nil
}

func recurse(n int) int {
	var big [64]int
	if n > 0 {
		big[n%64] = recurse(n-1) + 1
	}
	return big[n%64]
}

// stored is what the collector may not take.
var stored [][]byte

func misbehave(do, text string, size int) error {
	switch do {
	case "loop":
		for {
		}
	case "sleep":
		time.Sleep(time.Hour)
	case "grow":
		for {
			b := make([]byte, 1<<20)
			for i := range b {
				b[i] = 1
			}
			stored = append(stored, b)
		}
	case "recurse":
		fmt.Println(recurse(1 << 30))
	case "flood":
		b := bytes.Repeat([]byte("x"), 1<<16)
		for {
			if _, err := os.Stdout.Write(b); err != nil {
				os.Exit(0)
			}
		}
	case "stderr":
		b := []byte(strings.Repeat("y", 1<<16))
		for range size {
			os.Stderr.Write(b)
		}
		os.Stderr.WriteString("\x1b[2Jthe end of " + os.Getenv("TOKEN") + "\n")
		os.Exit(3)
	case "panic":
		panic(text)
	case "exit":
		os.Exit(size)
	case "raw":
		os.Stdout.WriteString(text)
		os.Exit(0)
	}
	return errors.New("there is no " + do)
}
