package builtin

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"praxis/fault"
	"praxis/internal/tool"
	"praxis/internal/tool/jsondoc"
)

func openQuery(t *testing.T, files map[string]string, with ...jsondoc.Member) *query {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	impl, err := newQuery(t.Context(), nil, binding{with: jsondoc.NewObject(with...), dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := impl.Close(); err != nil {
			t.Error(err)
		}
	})
	return impl.(*query)
}

func runQuery(ctx context.Context, q *query, sql string) (any, error) {
	return q.Call(ctx, tool.Invocation{Arguments: jsondoc.NewObject(jsondoc.Member{Name: "sql", Value: sql})})
}

// TestSpill sorts what never ends: it is stopped by what it writes, long before
// its time.
func TestSpill(t *testing.T) {
	q := openQuery(t, map[string]string{"x.csv": "a\n1\n"}, jsondoc.Member{Name: "x", Value: "x.csv"})
	q.spill = 4 << 20
	_, err := runQuery(t.Context(), q, "WITH RECURSIVE r(n, s) AS (SELECT 1, hex(zeroblob(500)) UNION ALL SELECT n+1, s FROM r) SELECT n, s FROM r, x ORDER BY s, n DESC")
	if fault.KindOf(err) != fault.Exhausted || !strings.Contains(err.Error(), "on disk") {
		t.Errorf("got %v", err)
	}
	if left := spilled(); left != 0 {
		t.Errorf("%d bytes are left", left)
	}
}

// TestLoadGivenUp ends a call in the middle of the second table: the first is
// there, the second is read again.
func TestLoadGivenUp(t *testing.T) {
	var b strings.Builder
	b.WriteString("n\n")
	for i := range 100_000 {
		fmt.Fprintf(&b, "%d\n", i)
	}
	q := openQuery(t, map[string]string{"a.csv": "v\n7\n", "b.csv": b.String()}, jsondoc.Member{Name: "a", Value: "a.csv"}, jsondoc.Member{Name: "b", Value: "b.csv"})
	if _, err := runQuery(t.Context(), q, "SELECT v FROM a"); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for len(q.loading) == 0 {
			time.Sleep(time.Millisecond)
		}
		cancel()
	}()
	if _, err := runQuery(ctx, q, "SELECT count(*) FROM b"); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
	out, err := runQuery(t.Context(), q, "SELECT v, count(*) c FROM a, b")
	if text, _ := jsondoc.Canonical(out); err != nil || !strings.Contains(string(text), `{"c":100000,"v":7}`) {
		t.Errorf("got %s, %v", text, err)
	}
}
