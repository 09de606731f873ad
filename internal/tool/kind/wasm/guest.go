package wasm

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"io"
	mrand "math/rand/v2"
	"strings"
	"time"
	"unicode"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
	wsys "github.com/tetratelabs/wazero/sys"

	"praxis/internal/tool/schema"
)

// Why a call was ended.
var (
	errTime   = errors.New("the time is over")
	errOutput = errors.New("the output is too long")
	errClosed = errors.New("the tool was closed")
)

// guest is the host's state of one call.
type guest struct {
	client   *client
	response []byte // a response that did not fit into the module's buffer
	out      *boundedOutput
	err      *ends
	left     *allowance
}

// guestKey finds the guest in the context of a host function.
type guestKey struct{}

// addHost defines what modules may import.
func addHost(ctx context.Context, rt wazero.Runtime) error {
	b := rt.NewHostModuleBuilder(wasi)
	wasi_snapshot_preview1.NewFunctionExporter().ExportFunctions(b)
	// The library makes its table of files as long as the number that the module
	// gives, up to 2^31. No compiler's library needs this function.
	b.NewFunctionBuilder().
		WithGoFunction(api.GoFunc(func(_ context.Context, stack []uint64) { stack[0] = errnoNotSupported }),
			[]api.ValueType{api.ValueTypeI32, api.ValueTypeI32}, []api.ValueType{api.ValueTypeI32}).
		Export("fd_renumber")
	if _, err := b.Instantiate(ctx); err != nil {
		return err
	}
	i32 := api.ValueTypeI32
	_, err := rt.NewHostModuleBuilder(host).NewFunctionBuilder().
		WithGoModuleFunction(api.GoModuleFunc(httpRequest), []api.ValueType{i32, i32, i32, i32}, []api.ValueType{i32}).
		Export(httpCall).Instantiate(ctx)
	return err
}

// errnoNotSupported is WASI's number for what is not supported.
const errnoNotSupported = 58

// httpRequest is the function http_request; the package comment says how it is called.
func httpRequest(ctx context.Context, mod api.Module, stack []uint64) {
	from, length := api.DecodeU32(stack[0]), api.DecodeU32(stack[1])
	to, size := api.DecodeU32(stack[2]), api.DecodeU32(stack[3])
	stack[0] = 0
	g, ok := ctx.Value(guestKey{}).(*guest)
	mem := mod.Memory()
	if !ok || mem == nil {
		return
	}
	buffer, ok := mem.Read(to, size)
	if !ok {
		return
	}
	if length > 0 {
		text, ok := mem.Read(from, length)
		if !ok {
			return
		}
		if length > maxRequest {
			g.response = []byte(`{"error":{"kind":"exhausted","message":"cannot read the request: it has more than 4MiB"}}`)
		} else {
			// A copy: nothing of the host may look at what the module can change.
			g.response = g.client.do(ctx, bytes.Clone(text))
		}
	}
	if g.response == nil {
		return
	}
	if len(g.response) > len(buffer) {
		stack[0] = api.EncodeI32(int32(-len(g.response)))
		return
	}
	stack[0] = api.EncodeI32(int32(copy(buffer, g.response)))
	g.response = nil
}

// config says what an instance sees of the world.
func (g *guest) config(ctx context.Context, name string, input []byte, may grant, seed [32]byte) wazero.ModuleConfig {
	c := wazero.NewModuleConfig().
		WithName(""). // so that there may be many at once
		WithStartFunctions().
		WithArgs(name).
		WithStdin(bytes.NewReader(input)).
		WithStdout(g.out).
		WithStderr(g.err).
		WithOsyield(func() {})
	if may.random {
		c = c.WithRandSource(rand.Reader)
	} else {
		c = c.WithRandSource(mrand.NewChaCha8(seed))
	}
	if may.clock {
		return c.WithSysWalltime().WithSysNanotime().WithNanosleep(func(ns int64) {
			t := time.NewTimer(time.Duration(ns))
			defer t.Stop()
			select {
			case <-t.C:
			case <-ctx.Done():
			}
		})
	}
	clock := &fakeClock{}
	return c.WithWalltime(clock.wall, wsys.ClockResolution(time.Millisecond)).
		WithNanotime(clock.nano, wsys.ClockResolution(time.Millisecond)).
		WithNanosleep(clock.sleep)
}

// fakeClock begins at the same instant in every call. It goes on with every look
// at it, so that programs that wait for time to pass come to an end, and sleep
// takes none. An instance is one thread; it needs no lock.
type fakeClock struct{ passed int64 }

// epoch is where time begins: the first of January 2000, in nanoseconds.
const epoch = 946_684_800_000_000_000

func (c *fakeClock) nano() int64 {
	c.sleep(int64(time.Millisecond))
	return c.passed
}

func (c *fakeClock) wall() (int64, int32) {
	now := epoch + c.nano()
	return now / 1e9, int32(now % 1e9)
}

func (c *fakeClock) sleep(ns int64) {
	const end = 1 << 61 // beyond it sleeping is for ever
	if ns > 0 {
		c.passed = min(c.passed+min(ns, end), end)
	}
}

// boundedOutput keeps what is written up to a bound, and ends the call beyond it.
type boundedOutput struct {
	text bytes.Buffer
	most size
	end  context.CancelCauseFunc
	over bool
}

// Write takes all or nothing.
func (b *boundedOutput) Write(p []byte) (int, error) {
	if b.over || size(b.text.Len())+size(len(p)) > b.most {
		b.over = true
		b.end(errOutput)
		return 0, io.ErrShortWrite
	}
	return b.text.Write(p)
}

// ends keeps the beginning and the end of what is written: some programs say
// first what went wrong, some last. More is stored than is shown, so that a secret
// that is cut in two is not among what is shown.
type ends struct {
	head, tail []byte
	cut        bool // something between them is missing
}

// Bounds of each end: the bytes that are stored, and those that a message shows.
const (
	maxStoredEnd = 4 << 10
	maxShownEnd  = 512
)

// Write never fails.
func (e *ends) Write(p []byte) (int, error) {
	n := len(p)
	first := min(maxStoredEnd-len(e.head), n)
	e.head, p = append(e.head, p[:first]...), p[first:]
	if len(p) > maxStoredEnd {
		p, e.tail, e.cut = p[len(p)-maxStoredEnd:], e.tail[:0], true
	}
	if over := len(e.tail) + len(p) - maxStoredEnd; over > 0 {
		e.tail, e.cut = append(e.tail[:0], e.tail[over:]...), true
	}
	e.tail = append(e.tail, p...)
	return n, nil
}

// text returns what a message shows, without secrets.
func (e *ends) text(secrets []string) string {
	if !e.cut {
		text := plain(redact(string(e.head)+string(e.tail), secrets))
		if len(text) <= 2*maxShownEnd {
			return text
		}
		return text[:maxShownEnd] + "\n…\n" + text[len(text)-maxShownEnd:]
	}
	head, tail := redact(string(e.head), secrets), redact(string(e.tail), secrets)
	for _, s := range secrets {
		for n := len(s) - 1; n > 0; n-- {
			if strings.HasSuffix(head, s[:n]) {
				head = head[:len(head)-n]
			}
			if strings.HasPrefix(tail, s[len(s)-n:]) {
				tail = tail[n:]
			}
		}
	}
	head, tail = plain(head), plain(tail)
	return head[:min(len(head), maxShownEnd)] + "\n…\n" + tail[max(len(tail)-maxShownEnd, 0):]
}

func redact(text string, secrets []string) string {
	for _, s := range secrets {
		if s != "" {
			text = strings.ReplaceAll(text, s, schema.Redacted)
		}
	}
	return text
}

// plain leaves out what could play tricks on a terminal.
func plain(s string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || unicode.IsGraphic(r) {
			return r
		}
		return -1
	}, strings.ToValidUTF8(s, "?")))
}
