package wasm

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/experimental/sysfs"
	wsys "github.com/tetratelabs/wazero/sys"

	"praxis/fault"
	"praxis/internal/tool"
	"praxis/internal/tool/jsondoc"
)

// implementation is one tool.
type implementation struct {
	kind    *Kind
	tool    string
	file    string
	sum     [sha256.Size]byte
	grant   grant
	program *program

	mu      sync.Mutex
	closed  bool
	running map[*context.CancelCauseFunc]struct{}
	calls   sync.WaitGroup
}

// Identity names the file and its digest.
func (m *implementation) Identity() string {
	return "wasm " + m.file + " sha256:" + hex.EncodeToString(m.sum[:])
}

// Close ends the calls that run and frees the module when no other tool uses it.
func (m *implementation) Close() error {
	m.mu.Lock()
	if m.closed {
		m.mu.Unlock()
		return nil
	}
	m.closed = true
	for end := range m.running {
		(*end)(errClosed)
	}
	m.mu.Unlock()
	m.calls.Wait()
	return m.program.release()
}

// begin registers a call so that Close can end it.
func (m *implementation) begin(parent context.Context) (ctx context.Context, end context.CancelCauseFunc, done func(), err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return nil, nil, nil, m.failed("%w", errClosed)
	}
	ctx, end = context.WithCancelCause(parent)
	key := &end
	m.running[key] = struct{}{}
	m.calls.Add(1)
	return ctx, end, func() {
		m.mu.Lock()
		delete(m.running, key)
		m.mu.Unlock()
		end(nil)
		m.calls.Done()
	}, nil
}

// Prepare compiles the module, which is done once.
func (m *implementation) Prepare(parent context.Context) error {
	ctx, _, done, err := m.begin(parent)
	if err != nil {
		return err
	}
	defer done()
	return m.ready(ctx)
}

// ready waits until the module is compiled.
func (m *implementation) ready(ctx context.Context) error {
	err := m.program.ready(ctx)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return m.failed("%w", context.Cause(ctx))
	}
	return m.fault(fault.KindOf(err), "", "%v", err)
}

// Call runs the module once.
func (m *implementation) Call(parent context.Context, c tool.Invocation) (any, error) {
	ctx, end, done, err := m.begin(parent)
	if err != nil {
		return nil, err
	}
	defer done()
	arguments := c.Arguments
	if arguments == nil {
		arguments = &jsondoc.Object{}
	}
	input, err := json.Marshal(jsondoc.NewObject(jsondoc.Member{Name: "tool", Value: m.tool}, jsondoc.Member{Name: "arguments", Value: arguments}))
	if err != nil {
		return nil, m.failed("cannot write its arguments: %w", err)
	}
	env, secrets, err := m.kind.environ(m.grant)
	if err != nil {
		return nil, err
	}
	if err := m.ready(ctx); err != nil {
		return nil, err
	}
	select {
	case m.kind.slots <- struct{}{}:
		defer func() { <-m.kind.slots }()
	case <-ctx.Done():
		return nil, m.failed("%w", context.Cause(ctx))
	}
	// The module's time begins now: waiting for others is not its doing.
	ctx, stop := context.WithTimeoutCause(ctx, m.grant.time, errTime)
	defer stop()

	g := &guest{
		client: newClient(m.grant.hosts, m.kind.cfg.Dial),
		out:    &boundedOutput{most: m.grant.output, end: end},
		err:    &ends{},
		left:   newAllowance(m.grant.disk),
	}
	defer g.client.close()
	used, err := m.run(ctx, g, input, env)
	if err := m.verdict(ctx, g, used, secrets, err); err != nil {
		return nil, err
	}
	return m.result(g, secrets)
}

// run makes an instance, runs it, and frees it. It returns how much memory the
// instance had.
func (m *implementation) run(ctx context.Context, g *guest, input []byte, env []variable) (used size, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the runtime failed: %s", firstLine(fmt.Sprint(r)))
		}
	}()
	cfg := g.config(ctx, m.tool, input, m.grant, m.sum)
	for _, v := range env {
		cfg = cfg.WithEnv(v.name, v.text)
	}
	folders := wazero.NewFSConfig()
	for _, mt := range m.grant.mounts {
		root, err := os.OpenRoot(mt.path)
		if err != nil {
			return 0, fault.New(fault.Unavailable, "Make the folder again.", "the folder for %s is not there", mt.at)
		}
		t := &tree{root: root, write: mt.write, times: m.grant.clock, left: g.left}
		defer t.close()
		folders = folders.(sysfs.FSConfig).WithSysFSMount(t, mt.at)
	}
	ctx = context.WithValue(ctx, guestKey{}, g)
	instance, err := m.program.runtime.InstantiateModule(ctx, m.program.code, cfg.WithFSConfig(folders))
	if err != nil {
		return 0, err
	}
	defer instance.Close(context.WithoutCancel(ctx))
	_, err = instance.ExportedFunction(entry).Call(ctx)
	if mem := instance.ExportedMemory("memory"); mem != nil {
		used = size(mem.Size())
	}
	return used, err
}

// verdict says how a run ended; nil: well.
func (m *implementation) verdict(ctx context.Context, g *guest, used size, secrets []string, err error) error {
	var exit *wsys.ExitError
	isExit := errors.As(err, &exit)
	if isExit && exit.ExitCode() == 0 {
		err = nil
	}
	cause := context.Cause(ctx)
	switch {
	case g.out.over:
		return m.fault(fault.Exhausted, "Ask it for less, or grant more: output.", "its answer has more than %v", m.grant.output)
	case err == nil:
		return nil
	case cause == errTime:
		return m.fault(fault.Exhausted, "Ask it for less, or grant more: time.", "it did not end within %v", m.grant.time)
	case cause != nil:
		return m.failed("%w", cause)
	}
	var f *fault.Error
	if errors.As(err, &f) {
		return m.failed("%w", f)
	}
	what := "it trapped: " + trap(err)
	if isExit {
		what = fmt.Sprintf("it exited with code %d", exit.ExitCode())
	}
	if used >= m.grant.memory/2 {
		what += fmt.Sprintf(" (it had %v of %v of memory)", used, m.grant.memory)
	}
	if text := g.err.text(secrets); text != "" {
		what += ": " + strings.ToValidUTF8(text, "?")
	}
	switch {
	case g.client.refused != "":
		return m.fault(fault.Denied, "Grant the host in the manifest if the tool may ask it.", "it was refused to ask %s, and %s", g.client.refused, what)
	case g.left.full.Load():
		return m.fault(fault.Exhausted, "Ask it for less, or grant more: disk.", "it was refused to write more than %v to files, or to open or make more of them, and %s", m.grant.disk, what)
	case used >= m.grant.memory-m.grant.memory/8:
		return m.fault(fault.Exhausted, "Ask it for less, or grant more: memory.", "%s", what)
	}
	return m.failed("%s", what)
}

// result reads the module's answer.
func (m *implementation) result(g *guest, secrets []string) (any, error) {
	text := g.out.text.Bytes()
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, m.failed("it wrote no answer to standard output")
	}
	v, err := jsondoc.Decode(text)
	if err != nil {
		// The reader quotes what it did not expect.
		return nil, m.failed("its answer is not JSON: %s", plain(redact(err.Error(), secrets)))
	}
	return v, nil
}

// environ gives the variables their values and returns the secrets in them.
func (k *Kind) environ(g grant) (env []variable, secrets []string, err error) {
	for _, v := range g.env {
		var text strings.Builder
		rest := v.text
		for {
			before, after, found := strings.Cut(rest, "{secret:")
			name, end, closed := strings.Cut(after, "}")
			if !found || !closed || !isVariable(name) {
				break
			}
			if k.cfg.Secrets == nil {
				return nil, nil, fault.New(fault.Invalid, "Declare it in the file of tools, under secrets.", "cannot give the variable %s its value: there is no secret %s", v.name, name)
			}
			value, err := k.cfg.Secrets.Secret(name)
			if err != nil {
				return nil, nil, err
			}
			if strings.ContainsRune(value, 0) {
				return nil, nil, fault.New(fault.Invalid, "", "cannot give the variable %s its value: secret %s has a NUL in it", v.name, name)
			}
			secrets = append(secrets, value)
			text.WriteString(before + value)
			rest = end
		}
		env = append(env, variable{v.name, text.String() + rest})
	}
	// The longest first, so that no secret hides half of another.
	slices.SortFunc(secrets, func(a, b string) int { return len(b) - len(a) })
	return env, secrets, nil
}

// trap says in one line why an instance stopped.
func trap(err error) string {
	text := firstLine(err.Error())
	if at := strings.Index(text, "wasm error: "); at >= 0 {
		text = text[at+len("wasm error: "):]
	}
	return text
}

func (m *implementation) failed(format string, args ...any) error {
	return fmt.Errorf("cannot run module "+strings.ReplaceAll(m.file, "%", "%%")+": "+format, args...)
}

func (m *implementation) fault(kind fault.Kind, remedy, format string, args ...any) error {
	return fault.New(kind, remedy, "cannot run module %s: %s", m.file, fmt.Sprintf(format, args...))
}
