package python

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// draws are expressions whose values are random without a seed.
var draws = []string{
	"__import__('random').random()",
	"__import__('random').Random().random()",
	"__import__('random').SystemRandom().random()",
	"[__import__('random').seed(), __import__('random').random()]",
	"__import__('os').urandom(8)",
	"__import__('os').urandom(3 << 20)[-8:]",
	"(lambda os: getattr(os, 'getrandom', os.urandom)(8))(__import__('os'))",
	"__import__('secrets').token_hex(8)",
	"__import__('uuid').uuid4()",
	"__import__('uuid').uuid4().hex",
	"__import__('tempfile').mktemp()",
	"next(__import__('tempfile')._get_candidate_names())",
	"type('Mine', (__import__('random').Random,), {})().random()",
	`(lambda os: [(r, w, os.fork() or (os.write(w, os.urandom(8)), os._exit(0)), os.wait(), os.read(r, 8))[-1] for r, w in [os.pipe()]])(__import__('os'))`,
}

func TestSeededSources(t *testing.T) {
	t.Parallel()
	seed := map[string]any{"seed": 7, "deterministic": true}
	a, b, other, free := start(t, seed), start(t, seed), start(t, map[string]any{"seed": 8, "deterministic": true}), start(t, nil)
	seen := map[string]string{}
	for range 2 { // nothing is drawn twice
		for _, draw := range draws {
			one := a.text(draw)
			if two := b.text(draw); one != two {
				t.Errorf("%s: %s and %s", draw, one, two)
			}
			for name, k := range map[string]*kernel{"with another seed": other, "without a seed": free} {
				if two := k.text(draw); one == two {
					t.Errorf("%s: %s %s too", draw, one, name)
				}
			}
			if before, ok := seen[one]; ok {
				t.Errorf("%s draws what %s drew: %s", draw, before, one)
			}
			seen[one] = draw
		}
	}
	const touched = "import os, random; os.urandom.__module__, random.Random.seed.__code__.co_filename.endswith('random.py')"
	if got := free.text(touched); got != "('posix', True)" {
		t.Errorf("without a seed, functions are replaced: %s", got)
	}
}

// What is seeded must behave as what it takes the place of.
func TestSeededFunctionsBehave(t *testing.T) {
	t.Parallel()
	k := start(t, map[string]any{"seed": 7, "deterministic": true})
	for code, want := range map[string]string{
		"import os; os.urandom(0)": "b''",
		"import os; len(os.urandom(True)), not hasattr(os, 'getrandom') or len(os.getrandom(3, flags=0)) == 3":       "(1, True)",
		"import pickle, os; pickle.loads(pickle.dumps(os.urandom)) is os.urandom":                                    "True",
		"import pickle, random; pickle.loads(pickle.dumps(random.Random.seed)) is random.Random.seed":                "True",
		"import random; r = random.Random(3); s = random.Random(); s.seed(3); r.random() == s.random()":              "True",
		"import random; random.seed('x', version=1); a = random.random(); random.seed('x', 1); a == random.random()": "True",
		"import random; random.Random(3).random()":                                                                   "0.23796462709189137",
		"import random; random.seed(3); random.random()":                                                             "0.23796462709189137",
		"import os; 'repeat' in os.urandom.__doc__":                                                                  "True",
		"import random, inspect; str(inspect.signature(random.seed))":                                                `'(a=None, version=2)'`,
		"import importlib, random; importlib.reload(random) is random":                                               "True",
		"import random, os; random._urandom is os.urandom":                                                           "True",
		"import random; random.Random.seed.__doc__.startswith('Initial')":                                            "True",
	} {
		if got := k.text(code); got != want {
			t.Errorf("%s: %s, want %s", code, got, want)
		}
	}
	for code, want := range map[string]string{
		"os.urandom(-1)":          "ValueError: negative argument not allowed",
		"os.urandom('x')":         "TypeError: 'str' object cannot be interpreted as an integer",
		"os.urandom()":            "TypeError",
		"random.seed([])":         "TypeError: The only supported seed types are",
		"random.Random(object())": "TypeError: The only supported seed types are",
	} {
		o := k.run("import os, random; " + code)
		if o.done.Status != "error" {
			t.Errorf("%s: status %s", code, o.done.Status)
			continue
		}
		if got := o.done.Error.Name + ": " + o.done.Error.Value; !strings.HasPrefix(got, want) {
			t.Errorf("%s: %s, want %s", code, got, want)
		}
		if strings.Contains(o.done.Error.Traceback, rig.program) {
			t.Errorf("%s: the traceback tells of the kernel:\n%s", code, o.done.Error.Traceback)
		}
	}
}

// A template is built once and gets the seed of each session that starts from
// it: what it imported, and under which seed, must not show.
func TestSeedOfTemplate(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	module := "import os, random\nown = random.Random()\ndrawn = os.urandom(4)\nrandom.random()\n"
	if err := os.WriteFile(filepath.Join(dir, "greedy.py"), []byte(module), 0o600); err != nil {
		t.Fatal(err)
	}
	path := "PYTHONPATH=" + dir
	options := func(seed any) map[string]any {
		return map[string]any{"seed": seed, "deterministic": true, "preload": []string{"greedy", "tempfile"}}
	}
	const look = "import os, random, uuid, tempfile; greedy = __import__('greedy')\n" +
		"[greedy.drawn, greedy.own.random(), random.random(), os.urandom(4), uuid.uuid4(), tempfile.mktemp()]"
	want := start(t, options(7), path).text(look)
	for _, first := range []any{5, 7, nil} {
		k := start(t, options(first), path)
		k.send(map[string]any{"op": "seed", "seed": 7})
		if got := k.text(look); got != want {
			t.Errorf("after seed %v: %s, want %s", first, got, want)
		}
	}
}

// Children of a fork draw what nobody else does, and the same again.
func TestSeedOfForks(t *testing.T) {
	t.Parallel()
	const fork = `import os, random, uuid
def child(depth):
    r, w = os.pipe()
    if os.fork() == 0:
        mine = f"{random.random()} {random.Random().random()} {os.urandom(4).hex()} {uuid.uuid4()}\n".encode()
        if depth:
            for line in child(depth - 1):
                mine += line
        os.write(w, mine)
        os._exit(0)
    os.close(w)
    os.wait()
    with open(r, "rb") as f:
        return f.readlines()
lines = [line.decode() for _ in range(3) for line in child(2)]
`
	seed := map[string]any{"seed": 7, "deterministic": true}
	a, b := start(t, seed), start(t, seed)
	a.text("import random") // before or after the first draw: the same
	one := a.text(fork + "lines")
	if two := b.text(fork + "lines"); one != two {
		t.Errorf("%s\nand\n%s", one, two)
	}
	if got := a.text("words = ' '.join(lines).split(); len(lines), len(words), len(set(words))"); got != "(9, 36, 36)" {
		t.Errorf("children draw the same: %s of %s", got, one)
	}
}

func TestMixedAfterASeed(t *testing.T) {
	t.Parallel()
	seed := map[string]any{"seed": 7, "deterministic": true}
	a, b := start(t, seed), start(t, seed)
	const keep = "import random, os, uuid; from os import urandom; old = random.Random()"
	a.text(keep)
	b.text(keep)
	for _, k := range []*kernel{a, b} {
		k.send(map[string]any{"op": "reseed", "entropy": strings.Repeat("ab", 32)})
	}
	for _, draw := range append([]string{"urandom(8)", "old.seed() or old.random()"}, draws...) {
		if one, two := a.text(draw), b.text(draw); one == two {
			t.Errorf("%s: both draw %s", draw, one)
		}
	}
}

func TestSeededLibraries(t *testing.T) {
	t.Parallel()
	seed := map[string]any{"seed": 7, "deterministic": true}
	a, b := start(t, seed, "SOURCE_DATE_EPOCH=315532800"), start(t, seed, "SOURCE_DATE_EPOCH=315532800")
	need(t, a, "numpy")
	for _, draw := range []string{
		"import numpy as np; np.random.rand(2).tolist()",
		"np.random.default_rng().random(2).tolist()",
		"np.random.RandomState().rand(2).tolist()",
		"np.random.SeedSequence().entropy",
		"[g().random_raw() for g in (np.random.PCG64, np.random.MT19937, np.random.Philox, np.random.SFC64)]",
		"np.random.seed(), np.random.rand()",
	} {
		one := a.text(draw)
		b.text("import numpy as np")
		if two := b.text(draw); one != two {
			t.Errorf("%s: %s and %s", draw, one, two)
		}
		if again := a.text(draw); one == again {
			t.Errorf("%s draws %s twice", draw, one)
		}
		b.text(draw)
	}
	need(t, a, "matplotlib")
	for _, format := range []string{"png", "svg", "pdf", "ps"} {
		draw := `import io, matplotlib.pyplot as plt
fig, ax = plt.subplots()
_ = ax.plot([1, 3, 2], label="a"), ax.legend(), ax.fill_between([0, 1], [1, 2], hatch="/")
out = io.BytesIO()
fig.savefig(out, format="` + format + `")
plt.close(fig)
len(out.getvalue()) > 1000 and __import__("hashlib").sha256(out.getvalue()).hexdigest()`
		if one, two := a.text(draw), b.text(draw); one != two || one == "False" {
			t.Errorf("%s: %s and %s", format, one, two)
		}
	}
}

// OpenSSL keeps its generator's state in memory, which a snapshot copies: it
// is given the entropy too.
func TestMixedOpenSSL(t *testing.T) {
	t.Parallel()
	k := start(t, nil)
	need(t, k, "ssl")
	if got := k.text("import ssl; len(ssl.RAND_bytes(8))"); got != "8" {
		t.Fatal(got)
	}
	k.send(map[string]any{"op": "reseed", "entropy": strings.Repeat("ab", 32)})
	o := k.run("import _ssl; added = []; _ssl.RAND_add, keep = lambda data, entropy: added.append((len(data), entropy)), _ssl.RAND_add")
	if o.done.Status != "ok" || o.stderr != "" {
		t.Fatalf("%+v %s", o.done.Error, o.stderr)
	}
	k.send(map[string]any{"op": "reseed", "entropy": strings.Repeat("ab", 32)})
	if got := k.text("_ssl.RAND_add = keep; added"); got != "[(64, 64.0)]" {
		t.Errorf("OpenSSL was given %s", got)
	}
}
