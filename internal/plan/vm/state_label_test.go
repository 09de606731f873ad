package vm

import (
	"strings"
	"testing"
)

// TestMachineStateIsLabelled sends on what a program reads from the machine's own
// state after data has changed it: each is labelled as that data.
func TestMachineStateIsLabelled(t *testing.T) {
	t.Parallel()
	for name, src := range map[string]string{
		"clock in ns":             "import time\ntime.sleep(num())\nsend(time.time_ns())",
		"clock":                   "import time\ntime.sleep(num())\nsend(time.time())",
		"monotonic clock":         "import time\ntime.sleep(num())\nsend(time.monotonic())",
		"clock as tuple":          "import time\ntime.sleep(num() * 100)\nsend(time.gmtime().tm_min)",
		"clock as text":           "import time\ntime.sleep(num())\nsend(time.strftime('%S'))",
		"clock of datetime":       "import time, datetime\ntime.sleep(num())\nsend(datetime.datetime.now().isoformat())",
		"clock of date":           "import time, datetime\ntime.sleep(num() * 86400)\nsend(datetime.date.today().isoformat())",
		"seed":                    "import random\nrandom.seed(num())\nsend(random.random())",
		"state after a draw":      "import random\nrandom.seed(1)\nrandom.getrandbits(num() * 64)\nsend(random.random())",
		"state after a sample":    "import random\nrandom.seed(1)\nrandom.sample(range(100), num())\nsend(random.random())",
		"state after a shuffle":   "import random\nrandom.seed(1)\nxs = list(range(num()))\nrandom.shuffle(xs)\nsend(random.random())",
		"precision of decimals":   "import decimal\ndecimal.getcontext().prec = num()\nsend(str(decimal.Decimal(1) / 3))",
		"length of a deque":       "from collections import deque\nd = deque([1, 2, 3], maxlen=num())\nsend(len(d))",
		"bound of a deque":        "from collections import deque\nd = deque([1, 2, 3], maxlen=num())\nsend(d.maxlen)",
		"elements of a deque":     "from collections import deque\nd = deque(range(20), maxlen=num())\nsend(list(d)[0])",
		"rotated deque":           "from collections import deque\nd = deque(range(20))\nd.rotate(num())\nsend(d[0])",
		"popped deque":            "from collections import deque\nd = deque(range(20))\nd.rotate(num())\nsend(d.popleft())",
		"islice":                  "import itertools\nsend(list(itertools.islice(range(20), num())))",
		"permutations":            "import itertools\nsend(len(list(itertools.permutations(range(4), num() - 5))))",
		"combinations":            "import itertools\nsend(len(list(itertools.combinations(range(4), num() - 5))))",
		"repeat":                  "import itertools\nsend(len(list(itertools.repeat(1, num()))))",
		"filter":                  "send(next(filter(lambda x: x > num() - 5, [1, 2, 3, 9])))",
		"filter of a generator":   "send(list(filter(lambda x: x > num() - 5, (x for x in [1, 2, 3, 9])))[0])",
		"filterfalse":             "import itertools\nsend(next(itertools.filterfalse(lambda x: x < num(), [1, 2, 9])))",
		"takewhile":               "import itertools\nsend(list(itertools.takewhile(lambda x: x < num(), [1, 2, 9]))[-1])",
		"dropwhile":               "import itertools\nsend(next(itertools.dropwhile(lambda x: x < num(), [1, 2, 9])))",
		"compress":                "import itertools\nn = num()\nsend(next(itertools.compress('abc', [n < 5, n > 5, 1])))",
		"groupby":                 "import itertools\nn = num()\nsend([list(g) for k, g in itertools.groupby([1, 2, 9], lambda x: x < n)][0])",
		"fsum":                    "import math\nsend(math.fsum([1.0, num()]))",
		"length of a range":       "send(len(range(num())))",
		"unpacking":               "a, *b = range(num())\nsend(b)",
		"update of a hash":        "import hashlib\nh = hashlib.sha256()\nh.update(str(num()).encode())\nsend(h.hexdigest())",
		"names of a named tuple":  "from collections import namedtuple\nT = namedtuple('T', 'abc'[:num() - 5])\nsend(T._fields)",
		"text of a named tuple":   "from collections import namedtuple\nT = namedtuple('T' * num(), 'a')\nsend(repr(T(1)))",
		"text in a buffer":        "import io\ns = io.StringIO()\ns.write('x' * num())\nsend(s.tell())",
		"place in a buffer":       "import io\ns = io.StringIO('abcdefghij')\ns.read(num())\nsend(s.read())",
		"a set that was asked":    "s = {1, 2, 3}\ns.discard(num() - 5)\nsend(len(s))",
		"a list that was cleared": "xs = [1, 2, 3]\ndel xs[num() - 6:]\nsend(len(xs))",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, strict := range []bool{false, true} {
				h := newHost(t, src+"\n", strict)
				out, err := h.run()
				failed, _ := out.(*Failed)
				if err != nil || failed != nil || len(h.log) == 0 || !strings.Contains(h.log[len(h.log)-1], "num#") {
					t.Errorf("strict %v: %q %v %v", strict, h.log, failed, err)
				}
			}
		})
	}
}

// TestIdentitiesTellNothing checks that how many objects there were, or were
// asked for their hashes, does not show in what others look like.
func TestIdentitiesTellNothing(t *testing.T) {
	t.Parallel()
	outputs := map[string]bool{}
	for _, before := range []string{"[]", "[A(i) for i in range(3)]", "[repr(A(i)) for i in range(5)]", "{A(i) for i in range(7)}", "[hash(A(i)) for i in range(9)]"} {
		h := newHost(t, "class A:\n    def __init__(self, n): self.n = n\n"+before+
			"\nos = [A(i) for i in range(20)]\nsend(repr(A(0)), hash(os[3]), [o.n for o in set(os)], hash(A), repr(A(1).__init__))\n", false)
		if _, err := h.run(); err != nil {
			t.Fatal(err)
		}
		outputs[h.log[0]] = true
	}
	if len(outputs) != 1 {
		t.Errorf("got %d outputs: %v", len(outputs), outputs)
	}
}
