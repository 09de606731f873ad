package python

import (
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

// What libraries keep in memory follows from the seed, whatever a template was prepared
// with. What they ask the system for is the sandbox's, see package battery.
func TestSeededGenerators(t *testing.T) {
	t.Parallel()
	seed := func(n any) map[string]any { return map[string]any{"seed": n, "deterministic": true} }
	a, b, other, free := start(t, seed(7)), start(t, seed(nil)), start(t, seed(8)), start(t, nil)
	b.Text("import random")
	b.Send(map[string]any{"op": "seed", "seed": 7})
	const draw = "import random; random.random()"
	if one, two := a.Text(draw), b.Text(draw); one != two || one != "0.32383276483316237" {
		t.Errorf("%s and, set later, %s", one, two)
	}
	for name, k := range map[string]*kernel{"another seed": other, "no seed": free} {
		if got := k.Text(draw); got == "0.32383276483316237" {
			t.Errorf("%s draws the same", name)
		}
	}
	const touched = "import os, random; os.urandom.__module__, random.Random.seed.__code__.co_filename.endswith('random.py')"
	for _, k := range []*kernel{a, free} {
		if got := k.Text(touched); got != "('posix', True)" {
			t.Errorf("functions are replaced: %s", got)
		}
	}
	need(t, a, "numpy")
	const numpy = "import numpy as np; np.random.rand(2).tolist()"
	if one, two := a.Text(numpy), b.Text(numpy); one != two {
		t.Errorf("%s and %s", one, two)
	}
}

func TestMixedAfterASeed(t *testing.T) {
	t.Parallel()
	seed := map[string]any{"seed": 7, "deterministic": true}
	a, b := start(t, seed), start(t, seed)
	const keep = "import random, os, uuid; from os import urandom; old = random.Random()"
	a.Text(keep)
	b.Text(keep)
	for _, k := range []*kernel{a, b} {
		k.Send(map[string]any{"op": "reseed", "entropy": strings.Repeat("ab", 32)})
	}
	for _, draw := range append([]string{"urandom(8)", "old.seed() or old.random()"}, draws...) {
		if one, two := a.Text(draw), b.Text(draw); one == two {
			t.Errorf("%s: both draw %s", draw, one)
		}
	}
}

// OpenSSL keeps its generator's state in memory, which a snapshot copies: it
// is given the entropy too.
func TestMixedOpenSSL(t *testing.T) {
	t.Parallel()
	k := start(t, nil)
	need(t, k, "ssl")
	if got := k.Text("import ssl; len(ssl.RAND_bytes(8))"); got != "8" {
		t.Fatal(got)
	}
	k.Send(map[string]any{"op": "reseed", "entropy": strings.Repeat("ab", 32)})
	o := k.Run("import _ssl; added = []; _ssl.RAND_add, keep = lambda data, entropy: added.append((len(data), entropy)), _ssl.RAND_add")
	if o.Done.Status != "ok" || o.Stderr != "" {
		t.Fatalf("%+v %s", o.Done.Error, o.Stderr)
	}
	k.Send(map[string]any{"op": "reseed", "entropy": strings.Repeat("ab", 32)})
	if got := k.Text("_ssl.RAND_add = keep; added"); got != "[(64, 64.0)]" {
		t.Errorf("OpenSSL was given %s", got)
	}
}
