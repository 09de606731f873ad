package bench

import (
	"bufio"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"praxis/internal/image"
	"praxis/internal/session"
)

// tripsARound is how many round trips are taken before it is the other's turn.
const tripsARound = 20

// roundTrips takes round trips of Praxis and of Jupyter in turns.
func (b *bench) roundTrips(ctx context.Context, out map[string]Figure) error {
	s, err := b.Sessions.Create(ctx, b.opt, b.Sink)
	if err != nil {
		return err
	}
	defer s.Close()
	if err := eval(ctx, s, "x = 1"); err != nil {
		return err
	}
	names := []string{"jupyter_start_ms", "jupyter_import_ms", "jupyter_roundtrip_us", "roundtrip_ratio"}
	if b.Jupyter == nil {
		return b.tripsAlone(ctx, s, out, names, errors.New("there is no Jupyter"))
	}
	img, err := b.Jupyter(ctx)
	if err != nil {
		return b.tripsAlone(ctx, s, out, names, err)
	}
	j, err := startJupyter(ctx, b.Dir, img)
	if err != nil {
		return err
	}
	err = b.tripsInTurns(ctx, s, j, out)
	return errors.Join(err, j.close())
}

// tripsAlone takes round trips where there is nothing to compare them with.
func (b *bench) tripsAlone(ctx context.Context, s *session.Session, out map[string]Figure, without []string, why error) error {
	for _, name := range without {
		b.skipped[name] = why.Error()
	}
	trips, err := b.trips(ctx, s, b.Rounds*tripsARound)
	if err == nil {
		out["exec_roundtrip_us"] = FigureOf(trips)
	}
	return err
}

// trips takes n round trips, in microseconds.
func (b *bench) trips(ctx context.Context, s *session.Session, n int) ([]float64, error) {
	var out []float64
	for range n {
		took, err := clocked(func() error { return eval(ctx, s, "x+1") })
		if err != nil {
			return nil, err
		}
		out = append(out, took*1000)
	}
	return out, nil
}

func (b *bench) tripsInTurns(ctx context.Context, s *session.Session, j *jupyter, out map[string]Figure) error {
	var starts, imports, ours, theirs, ratios []float64
	for range max(2, b.Rounds/10) {
		took, err := j.ask("start")
		if err != nil {
			return err
		}
		starts = append(starts, took...)
		if took, err = j.ask("run " + strings.Split(b.firstUse(), "\n")[0]); err != nil {
			return err
		}
		imports = append(imports, took...)
	}
	if _, err := j.ask("run x = 1"); err != nil {
		return err
	}
	for range b.Rounds {
		a, err := b.trips(ctx, s, tripsARound)
		if err != nil {
			return err
		}
		z, err := j.ask(fmt.Sprintf("trips %d", tripsARound))
		if err != nil {
			return err
		}
		for i := range z {
			z[i] *= 1000
		}
		ours, theirs = append(ours, a...), append(theirs, z...)
		ratios = append(ratios, FigureOf(a).P50/FigureOf(z).P50)
	}
	out["jupyter_start_ms"], out["jupyter_import_ms"] = FigureOf(starts), FigureOf(imports)
	out["exec_roundtrip_us"], out["jupyter_roundtrip_us"] = FigureOf(ours), FigureOf(theirs)
	out["roundtrip_ratio"] = FigureOf(ratios)
	return nil
}

// jupyterDriver is the program that times a Jupyter kernel.
//
//go:embed jupyter.py
var jupyterDriver string

// jupyter is a program of Python on the host that has a Jupyter kernel.
type jupyter struct {
	dir    string
	in     *io.PipeWriter
	lines  *bufio.Reader
	failed *tail
	cancel context.CancelFunc
	over   chan error
}

// maxLine bounds an answer of the program, in bytes.
const maxLine = 64 << 10

// startJupyter starts the program; its files are in a folder that goes with it.
func startJupyter(ctx context.Context, parent string, img image.Image) (*jupyter, error) {
	dir, err := os.MkdirTemp(parent, "bench-")
	if err != nil {
		return nil, err
	}
	command, err := json.Marshal(img.OutsideCommand())
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	j := &jupyter{dir: dir, in: inW, lines: bufio.NewReaderSize(outR, maxLine), failed: &tail{}, cancel: cancel, over: make(chan error, 1)}
	go func() {
		err := img.RunOutside(ctx, image.Outside{
			Args: []string{"-c", jupyterDriver, string(command)}, Dir: dir, In: inR, Out: outW, Err: j.failed,
			Env: []string{"HOME=" + dir, "IPYTHONDIR=" + dir, "JUPYTER_CONFIG_DIR=" + dir, "JUPYTER_DATA_DIR=" + dir, "JUPYTER_RUNTIME_DIR=" + dir},
		})
		_ = inR.Close()
		_ = outW.Close()
		j.over <- err
	}()
	return j, nil
}

// ask sends a command and returns the times, in milliseconds.
func (j *jupyter) ask(command string) ([]float64, error) {
	var times []float64
	_, err := io.WriteString(j.in, command+"\n")
	if err == nil {
		var line []byte
		if line, err = j.lines.ReadSlice('\n'); err == nil {
			err = json.Unmarshal(line, &times)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("cannot time Jupyter's %q: %w: %s", command, err, j.failed)
	}
	return times, nil
}

// close ends the program and waits for it.
func (j *jupyter) close() error {
	_ = j.in.Close()
	err := <-j.over
	j.cancel()
	return errors.Join(err, os.RemoveAll(j.dir))
}

// tail keeps the end of what is written to it.
type tail struct {
	mu   sync.Mutex
	text []byte
}

// Write takes output.
func (t *tail) Write(p []byte) (int, error) {
	const keep = 4 << 10
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	t.text = t.text[max(0, len(t.text)-keep):]
	return len(p), nil
}

// String returns what was kept.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(strings.ToValidUTF8(string(t.text), "?"))
}
