package vm

import (
	"flag"
	"fmt"
	"math/rand"
	"strconv"
	"strings"
	"testing"

	"praxis/internal/test/cpython"
)

var changePrograms = flag.Int("programs", 60, "how many random programs TestRandomChanges compares with CPython")

// TestRandomChanges changes lists, dicts and sets in random ways, here and on
// CPython: what they hold must stay the same, and its order in lists and dicts.
func TestRandomChanges(t *testing.T) {
	t.Parallel()
	py := cpython.Start(t)
	for seed := range *changePrograms {
		source := randomChanges(rand.New(rand.NewSource(int64(seed))))
		want := py.Exec(t, source)
		if want.Error != "" {
			t.Fatalf("seed %d: CPython ends with %s", seed, want.Error)
		}
		if got := runPlan(source, false); got.Out != want.Out || got.Error != "" {
			t.Fatalf("seed %d:\n%s\n%s", seed, difference(got, want), source)
		}
	}
}

// randomChanges writes a program of a few hundred changes that prints what there is after some of them.
func randomChanges(r *rand.Rand) string {
	var b strings.Builder
	b.WriteString("def e(f):\n    try:\n        return f()\n    except Exception as x:\n        return type(x).__name__ + ': ' + str(x)\ndef w(s):\n    return sorted(map(str, s))\n")
	b.WriteString("l, d, s, u = [], {}, set(), {1, 'a'}\n")
	limit := []int{4, 30, 300}[r.Intn(3)]
	key := func() string {
		switch n := r.Intn(limit); r.Intn(6) {
		case 0:
			return fmt.Sprintf("'k%d'", n)
		case 1:
			return fmt.Sprintf("%d.5", n)
		case 2:
			return fmt.Sprintf("(%d, 'x')", n)
		case 3:
			return fmt.Sprintf("%d", n*1024)
		default:
			return fmt.Sprintf("%d", n)
		}
	}
	index := func() int { return r.Intn(2*limit) - limit }
	part := func() string {
		return []string{"", strconv.Itoa(index())}[r.Intn(2)] + ":" + []string{"", strconv.Itoa(index())}[r.Intn(2)]
	}
	step := func() string { return []string{"", ":2", ":-1", ":3", ":-2"}[r.Intn(5)] }
	for i := range 400 {
		k := key()
		changes := []string{
			fmt.Sprintf("l.append(%s)", k), fmt.Sprintf("l.append(%s)", k),
			fmt.Sprintf("e(lambda: l.insert(%d, %s))", index(), k),
			fmt.Sprintf("print(e(lambda: l.pop(%d)))", index()),
			fmt.Sprintf("print(e(lambda: l.remove(%s)))", k),
			fmt.Sprintf("l[%s] = [%s, %s]", part(), k, key()),
			fmt.Sprintf("print(e(lambda: l.__setitem__(slice(None, None, %d), [%s])))", 1+r.Intn(3), k),
			fmt.Sprintf("del l[%s%s]", part(), step()),
			fmt.Sprintf("print(l[%s%s])", part(), step()),
			fmt.Sprintf("l.extend([%s] * %d)", k, r.Intn(4)),
			"l.reverse()", fmt.Sprintf("print(l.count(%s), %s in l)", k, k),
			"l.sort(key=lambda x: (str(type(x)), str(x)))",
			fmt.Sprintf("d[%s] = %d", k, i), fmt.Sprintf("d[%s] = %d", k, i), fmt.Sprintf("d[%s] = %d", k, i),
			fmt.Sprintf("print(e(lambda: d.pop(%s)))", k), fmt.Sprintf("d.pop(%s, None)", k),
			fmt.Sprintf("print(d.get(%s), %s in d)", k, key()),
			"print(e(lambda: d.popitem()))",
			fmt.Sprintf("d.update({%s: 1, %s: 2})", k, key()),
			fmt.Sprintf("d.setdefault(%s, %d)", k, i),
			fmt.Sprintf("d = {**d, %s: 0}", k), fmt.Sprintf("d = {x: y for x, y in d.items() if x != %s}", k),
			fmt.Sprintf("s.add(%s)", k), fmt.Sprintf("s.add(%s)", k), fmt.Sprintf("s.add(%s)", k),
			fmt.Sprintf("s.discard(%s)", k), fmt.Sprintf("print(e(lambda: s.remove(%s)))", k),
			fmt.Sprintf("u.add(%s)", k),
			"s |= u", "s &= u | s", "u ^= s", "s -= u", "u = set(s)", "u = s.copy()", "u = s | {1, 2}",
			"u = s & u", "u = s - {3}", "u = s.union(l)", "u = s.difference(l)", "u = s.intersection(l)",
			"u = set(d)", "u = d.keys() & s", "u = d.keys() | s", "u = d.keys() - s", "u = d.keys() ^ s",
			fmt.Sprintf("s.update(range(%d))", r.Intn(limit)), fmt.Sprintf("s.difference_update(range(%d))", r.Intn(limit)),
			"s.symmetric_difference_update(l)", fmt.Sprintf("s = {%s, %s, %s}", k, key(), key()),
			"print(s == u, s <= u, s.isdisjoint(u), d.keys() == s)",
		}
		b.WriteString(changes[r.Intn(len(changes))] + "\n")
		if i%10 == 0 {
			b.WriteString("print(l, d, w(s), w(u), w(frozenset(s)))\n")
		}
	}
	b.WriteString("print(list(reversed(l)), list(d.items()), w(s), w(u))\n")
	return b.String()
}
