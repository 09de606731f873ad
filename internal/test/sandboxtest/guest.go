package sandboxtest

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// GuestCommand is the first argument of a test binary that is to be the exam's
// guest. TestMain looks for it:
//
//	if len(os.Args) > 1 && os.Args[1] == sandboxtest.GuestCommand {
//		os.Exit(sandboxtest.RunGuest())
//	}
const GuestCommand = "sandbox-exam-guest"

// Program is the exam's guest: it answers lines with lines.
//
//	echo TEXT     TEXT
//	add N         the counter after adding N
//	put K V       ok; V is kept in memory under K
//	get K         what is kept under K
//	write F TEXT  ok; TEXT is written to a file
//	read F        the file's text
//	grow N        ok; N more MiB of memory are in use
//	spin MS       ok, after using that much CPU time
//	note          ok; a line goes to standard error
//	args, env, pid
//	exit N        ends with code N
//	abort         ends by a signal
//
// Anything else is answered with "error: …". The zero Program is ready.
type Program struct {
	mu    sync.Mutex
	state state
	// hog is real memory in a real guest; pretend only counts it.
	hog     [][]byte
	pretend bool
}

// state is what a Program remembers.
type state struct {
	Counter int               `json:"counter"`
	Values  map[string]string `json:"kept"`
	Files   map[string]string `json:"files"` // of a pretended guest
	Grown   int64             `json:"grown"` // bytes
}

// Pretend returns a Program that runs inside the test's own process: it keeps
// files in memory, only counts what it would allocate, and does not end the process.
func Pretend() *Program { return &Program{pretend: true} }

// RunGuest is the main function of a test binary that runs as a guest. It
// returns the exit code.
func RunGuest() int {
	p := &Program{}
	return p.Run(os.Stdin, os.Stdout)
}

// Run answers until in ends, then returns the exit code.
func (p *Program) Run(in io.Reader, out io.Writer) int {
	sc := bufio.NewScanner(in)
	sc.Buffer(nil, 1<<20)
	for sc.Scan() {
		op, rest, _ := strings.Cut(sc.Text(), " ")
		if op == "exit" {
			n, err := strconv.Atoi(rest)
			if err != nil {
				return 2
			}
			return n
		}
		if op == "abort" && p.pretend {
			return -1
		}
		s, err := p.answer(op, rest)
		if err != nil {
			s = "error: " + err.Error()
		}
		if _, err := io.WriteString(out, s+"\n"); err != nil {
			return 0
		}
	}
	return 0
}

func (p *Program) answer(op, rest string) (string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	key, value, _ := strings.Cut(rest, " ")
	switch op {
	case "echo":
		return rest, nil
	case "add":
		n, err := strconv.Atoi(rest)
		p.state.Counter += n
		return strconv.Itoa(p.state.Counter), err
	case "put":
		if p.state.Values == nil {
			p.state.Values = make(map[string]string)
		}
		p.state.Values[key] = value
		return "ok", nil
	case "get":
		return p.state.Values[key], nil
	case "write":
		return "ok", p.write(key, value)
	case "read":
		return p.read(key)
	case "grow":
		n, err := strconv.Atoi(rest)
		p.grow(n)
		return "ok", err
	case "check":
		return p.check(), nil
	case "spin":
		n, err := strconv.Atoi(rest)
		p.spin(time.Duration(n) * time.Millisecond)
		return "ok", err
	case "note":
		_, err := io.WriteString(os.Stderr, "a note\n")
		return "ok", err
	case "args":
		return strings.Join(os.Args[1:], " "), nil
	case "env":
		return strings.Join(os.Environ(), " "), nil
	case "pid":
		return strconv.Itoa(os.Getpid()), nil
	case "abort":
		return "", syscall.Kill(os.Getpid(), syscall.SIGKILL)
	}
	return "", fmt.Errorf("unknown operation %q", op)
}

func (p *Program) write(name, text string) error {
	if !p.pretend {
		return os.WriteFile(name, []byte(text), 0o600)
	}
	if p.state.Files == nil {
		p.state.Files = make(map[string]string)
	}
	p.state.Files[name] = text
	return nil
}

func (p *Program) read(name string) (string, error) {
	if !p.pretend {
		b, err := os.ReadFile(name)
		return string(b), err
	}
	s, ok := p.state.Files[name]
	if !ok {
		return "", os.ErrNotExist
	}
	return s, nil
}

func (p *Program) grow(mib int) {
	p.state.Grown += int64(mib) << 20
	for range mib {
		if p.pretend {
			break
		}
		b := make([]byte, 1<<20)
		for i := 0; i < len(b); i += 512 { // every page, and no page of zeros
			b[i] = mark(len(p.hog), i)
		}
		p.hog = append(p.hog, b)
	}
}

// check looks at all that grow has written, from several threads and in no order, and
// says what is not there any more.
func (p *Program) check() string {
	type place struct{ block, at int }
	var places []place
	for n, b := range p.hog {
		for at := 0; at < len(b); at += 4096 {
			places = append(places, place{n, at})
		}
	}
	rand.Shuffle(len(places), func(i, j int) { places[i], places[j] = places[j], places[i] })
	const threads = 8
	var wrong atomic.Int64
	var all sync.WaitGroup
	for t := range threads {
		all.Go(func() {
			for i := t; i < len(places); i += threads {
				page := p.hog[places[i].block][places[i].at:][:4096]
				for at := 0; at < len(page); at += 512 {
					if page[at] != mark(places[i].block, places[i].at+at) {
						wrong.Add(1)
					}
				}
			}
		})
	}
	all.Wait()
	return fmt.Sprintf("%d MiB, %d wrong", len(p.hog), wrong.Load())
}

// mark is what grow writes at a place of a block: never 0, and not the same in others.
func mark(block, at int) byte { return byte(at>>9+block*37) | 1 }

// spin uses the CPU for as long as d. A pretended guest is not the test's to
// slow down.
func (p *Program) spin(d time.Duration) {
	if p.pretend {
		return
	}
	began := time.Now()
	for n := 0; time.Since(began) < d; n++ {
		runtime.KeepAlive(n)
	}
}

// Save returns the Program's state.
func (p *Program) Save() ([]byte, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return json.Marshal(p.state)
}

// Load replaces the Program's state by one that Save returned.
func (p *Program) Load(b []byte) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	var s state
	if err := json.Unmarshal(b, &s); err != nil {
		return errors.Join(errors.New("cannot load guest"), err)
	}
	p.state = s
	return nil
}

// Memory returns the bytes that grow has asked for.
func (p *Program) Memory() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.state.Grown
}
