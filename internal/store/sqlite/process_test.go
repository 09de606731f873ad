package sqlite

import (
	"bufio"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"praxis/fault"
	"praxis/internal/store"
	"praxis/internal/test/storetest"
)

// The variables that make this test binary a writer: where, and how often.
const (
	childPath  = "SQLITE_TEST_CHILD"
	childName  = "SQLITE_TEST_NAME"
	childTimes = "SQLITE_TEST_TIMES"
)

func TestMain(m *testing.M) {
	if path := os.Getenv(childPath); path != "" {
		times, err := strconv.Atoi(os.Getenv(childTimes))
		if name := os.Getenv(childName); err == nil && strings.HasPrefix(name, comesAndGoes) {
			err = visit(path, name, times)
		} else if err == nil {
			err = count(path, name, times)
		}
		if err != nil {
			fmt.Println("failed:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// count adds to a counter that others add to as well, and to documents of its
// own, and says each time that it did.
func count(path, name string, times int) error {
	ctx := context.Background()
	d, err := Open(path)
	if err != nil {
		return err
	}
	for i := range times {
		for {
			now, err := d.KV().Get(ctx, "b", "counter")
			if err != nil && fault.KindOf(err) != fault.NotFound {
				return err
			}
			n := 0
			if now.Revision > 0 {
				if n, err = strconv.Atoi(string(now.Data)); err != nil {
					return err
				}
			}
			_, err = d.KV().Set(ctx, "b", "counter", []byte(strconv.Itoa(n+1)), now.Revision)
			if err == nil {
				break
			}
			if fault.KindOf(err) != fault.Conflict {
				return err
			}
		}
		id := fmt.Sprintf("%s-%d", name, i)
		if err := d.Index().Put(ctx, store.Doc{Kind: "run", ID: id, Order: int64(i), Text: "word of " + name, Fields: map[string]any{"who": name}}); err != nil {
			return err
		}
		if _, err := fmt.Println(i); err != nil {
			return err
		}
	}
	return d.Close()
}

// comesAndGoes begins the names of writers that open and close each time.
const comesAndGoes = "visitor"

// visit does what a short command does, again and again: it opens the database,
// reads, writes and closes it, often as the last one that had it open.
func visit(path, name string, times int) error {
	ctx := context.Background()
	for i := range times {
		d, err := Open(path)
		if err != nil {
			return err
		}
		_, findErr := d.Index().Find(ctx, store.Query{Kind: "run", Limit: 1})
		_, getErr := d.KV().Get(ctx, "b", "counter")
		if fault.KindOf(getErr) == fault.NotFound {
			getErr = nil
		}
		_, keysErr := d.KV().Keys(ctx, "b")
		putErr := d.Index().Put(ctx, store.Doc{Kind: "run", ID: fmt.Sprintf("%s-%d", name, i), Order: int64(i)})
		if err := errors.Join(findErr, getErr, keysErr, putErr, d.Close()); err != nil {
			return fmt.Errorf("time %d: %w", i, err)
		}
	}
	_, err := fmt.Println(times - 1)
	return err
}

// TestComingAndGoing has many processes open, read, write and close one database:
// SQLite says that it is busy while the last one that has it open closes it, and
// while one makes good what another left, without waiting by itself.
func TestComingAndGoing(t *testing.T) {
	const visitors, each = 32, 12
	path := filepath.Join(t.TempDir(), "data", "praxis.db")
	var cmds []*exec.Cmd
	var outs []*bufio.Scanner
	for v := range visitors {
		cmd, out := start(t, path, fmt.Sprint(comesAndGoes, v), each)
		cmds, outs = append(cmds, cmd), append(outs, out)
	}
	for i, out := range outs {
		last := ""
		for out.Scan() {
			last = out.Text()
		}
		if err := cmds[i].Wait(); err != nil || last != strconv.Itoa(each-1) {
			t.Errorf("visitor %d ended after %q: %v", i, last, err)
		}
	}
	d := opened(t, path)
	if docs, err := d.Index().Find(context.Background(), store.Query{Kind: "run", Limit: 100_000}); len(docs) != visitors*each || err != nil {
		t.Errorf("%d documents, want %d (%v)", len(docs), visitors*each, err)
	}
	sound(t, d)
}

// start starts a writer.
func start(t *testing.T, path, name string, times int) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	return storetest.Child(t, childPath+"="+path, childName+"="+name, childTimes+"="+strconv.Itoa(times))
}

// TestProcesses has several processes make one database and write to it: nothing
// is lost.
func TestProcesses(t *testing.T) {
	const writers, each = 4, 40
	path := filepath.Join(t.TempDir(), "data", "praxis.db")
	var cmds []*exec.Cmd
	var outs []*bufio.Scanner
	for w := range writers {
		cmd, out := start(t, path, fmt.Sprint("w", w), each)
		cmds, outs = append(cmds, cmd), append(outs, out)
	}
	for i, out := range outs {
		last := ""
		for out.Scan() {
			last = out.Text()
		}
		if err := cmds[i].Wait(); err != nil || last != strconv.Itoa(each-1) {
			t.Errorf("writer %d ended after %q: %v", i, last, err)
		}
	}
	ctx := context.Background()
	d := opened(t, path)
	v, err := d.KV().Get(ctx, "b", "counter")
	if want := strconv.Itoa(writers * each); string(v.Data) != want || v.Revision != writers*each || err != nil {
		t.Errorf("the counter is %q at %d, want %s (%v)", v.Data, v.Revision, want, err)
	}
	for w := range writers {
		name := fmt.Sprint("w", w)
		for _, q := range []store.Query{{Words: name}, {Where: []store.Condition{{Field: "who", Op: store.Equal, Value: name}}}} {
			q.Kind = "run"
			if docs, err := d.Index().Find(ctx, q); len(docs) != each || err != nil {
				t.Errorf("%s: %d documents, want %d (%v)", name, len(docs), each, err)
			}
		}
	}
	sound(t, d)
}

// sound has SQLite look for damage.
func sound(t *testing.T, d *DB) {
	t.Helper()
	if err := d.Ready(context.Background()); err != nil {
		t.Fatal(err)
	}
	for _, check := range []string{"PRAGMA integrity_check", "INSERT INTO words (words) VALUES ('integrity-check') RETURNING 'ok'"} {
		if strings.HasPrefix(check, "INSERT") {
			if _, err := d.writer.Exec("INSERT INTO words (words) VALUES ('integrity-check')"); err != nil {
				t.Errorf("the words: %v", err)
			}
			continue
		}
		var said string
		if err := d.writer.QueryRow(check).Scan(&said); err != nil || said != "ok" {
			t.Errorf("%s: %q %v", check, said, err)
		}
	}
}

// TestKilled kills a writer with SIGKILL wherever it is: what it said it wrote
// is there, and nothing is damaged.
func TestKilled(t *testing.T) {
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "praxis.db")
	before := 0
	for round := range 5 {
		name := fmt.Sprint("w", round)
		cmd, out := start(t, path, name, 1_000_000)
		said, stop, killed := -1, 5+rand.IntN(40), false
		for out.Scan() {
			if _, err := fmt.Sscan(out.Text(), &said); err != nil {
				t.Fatalf("the writer says %q", out.Text())
			}
			if said >= stop && !killed {
				killed = true
				if err := cmd.Process.Kill(); err != nil {
					t.Fatal(err)
				}
			}
		}
		_ = cmd.Wait()
		if said < stop {
			t.Fatalf("the writer ended after %d", said)
		}
		d := opened(t, path)
		v, err := d.KV().Get(ctx, "b", "counter")
		n, _ := strconv.Atoi(string(v.Data))
		if err != nil || n < before+said+1 || n > before+said+3 {
			t.Errorf("the counter is %d, want about %d (%v)", n, before+said+1, err)
		}
		docs, err := d.Index().Find(ctx, store.Query{Kind: "run", Limit: 100_000, Words: name})
		if err != nil || len(docs) < said+1 {
			t.Errorf("%d documents, but %d were said (%v)", len(docs), said+1, err)
		}
		before = n
		sound(t, d)
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestBusy has another connection write for longer than one waits.
func TestBusy(t *testing.T) {
	path := filepath.Join(t.TempDir(), "praxis.db")
	filled(t, path, 1)
	other, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	other.SetMaxOpenConns(1)
	if _, err := other.Exec("BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	d := opened(t, path)
	d.wait = 20 * time.Millisecond
	_, err = d.KV().Set(ctx, "b", "k", nil, store.Any)
	if fault.KindOf(err) != fault.Unavailable || fault.RemedyOf(err) == "" || !strings.Contains(err.Error(), path) {
		t.Errorf("%v (%v)", err, fault.KindOf(err))
	}
	if v, err := d.KV().Get(ctx, "b", "k"); string(v.Data) != "kept" || err != nil {
		t.Errorf("a reader: %q %v", v.Data, err)
	}
	patient := opened(t, path)
	limited, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
	defer cancel()
	if _, err = patient.KV().Set(limited, "b", "k", nil, store.Any); fault.KindOf(err) != fault.Canceled || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a caller who gives up: %v (%v)", err, fault.KindOf(err))
	}
	if _, err := other.Exec("ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	for _, d := range []*DB{d, patient} {
		if _, err := d.KV().Set(ctx, "b", "k", []byte("after"), store.Any); err != nil {
			t.Errorf("after: %v", err)
		}
	}
}

// TestReadersTryAgain has SQLite say that the file is busy without having waited,
// as it does while another process recovers it or closes it as the last one.
func TestReadersTryAgain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "praxis.db")
	filled(t, path, 1)
	other, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	other.SetMaxOpenConns(2)
	ctx := context.Background()
	holder, err := other.BeginTx(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer holder.Rollback()
	if _, err := holder.Exec("PRAGMA user_version = 77"); err != nil {
		t.Fatal(err)
	}
	_, isBusy := other.Exec("PRAGMA user_version = 78")
	if code(isBusy)&0xff != codeBusy {
		t.Fatalf("another writer: %v", isBusy)
	}
	d := opened(t, path)
	tries := 0
	err = d.read(ctx, "read", func(pool *sql.DB) error {
		if tries++; tries < 4 {
			return isBusy
		}
		return pool.QueryRow("SELECT 1").Scan(new(int))
	})
	if err != nil || tries != 4 {
		t.Errorf("%d tries: %v", tries, err)
	}
	d.wait = 20 * time.Millisecond
	if err := d.read(ctx, "read", func(*sql.DB) error { return isBusy }); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("for ever: %v (%v)", err, fault.KindOf(err))
	}
	if err := d.take(ctx); err != nil { // somebody opens it, for long
		t.Fatal(err)
	}
	defer d.giveUp()
	limited, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
	defer cancel()
	if err := d.read(limited, "read", func(*sql.DB) error { return nil }); fault.KindOf(err) != fault.Canceled {
		t.Errorf("while another opens it: %v", err)
	}
}

// TestLongSearchCanBeGivenUp checks that a query that runs is interrupted.
func TestLongSearchCanBeGivenUp(t *testing.T) {
	d := fresh(t)
	if err := d.Index().Put(context.Background(), runs(3000)...); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	enough := errors.New("that is enough")
	err := d.read(ctx, "search", func(pool *sql.DB) error {
		timer := time.AfterFunc(20*time.Millisecond, func() { cancel(enough) })
		defer timer.Stop()
		var n int
		return pool.QueryRowContext(ctx, "SELECT count(*) FROM docs a, docs b, docs c WHERE a.ord + b.ord = c.ord + 1").Scan(&n)
	})
	if fault.KindOf(err) != fault.Canceled || !errors.Is(err, enough) {
		t.Errorf("%v (%v)", err, fault.KindOf(err))
	}
	if _, err := d.Index().Find(context.Background(), store.Query{Kind: "run"}); err != nil {
		t.Errorf("the next search: %v", err)
	}
}
