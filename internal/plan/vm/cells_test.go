package vm

import "testing"

// TestCellsOfWhatWasNotReached runs programs whose comprehensions keep variables
// in cells, and which in strict mode are looked at though they were not reached.
func TestCellsOfWhatWasNotReached(t *testing.T) {
	for _, source := range []string{
		"def f(c):\n    if c:\n        return [(lambda: x)() for x in range(3)]\n    return 0\nprint(f(0), f(1))\n",
		"def f(c):\n    while c:\n        c -= 1\n        if c == 1:\n            y = [lambda: x for x in range(c) if c]\n    return c\nprint(f(0), f(3))\n",
		"for i in range(2):\n    if i:\n        z = {k: (lambda: (k, v))() for k, v in {1: 2}.items()}\nprint(z)\n",
		"def f(c):\n    try:\n        if c:\n            raise ValueError\n        return [(lambda: (x, c))() for x in 'ab']\n    except ValueError:\n        return None\nprint(f(0), f(1))\n",
		"def f(a):\n    def g():\n        with open_it() as m:\n            h = lambda z: m\n        return h(0)\n    match a:\n        case int(z):\n            return z, g()\nclass CM:\n    def __enter__(self): return 5\n    def __exit__(self, *a): pass\nopen_it = CM\nprint(f(4))\n",
		"def f(a):\n    def g():\n        class K:\n            z = [z for z in range(3)]\n            def m(self, a): return a\n        return K.z\n    for z in [a]:\n        if z:\n            return z, g()\nprint(f(4))\n",
		"def f(a):\n    global n\n    if a:\n        class K:\n            global n\n            n = a\n    return n\nn = 1\nprint(f(0), f(3), n)\n",
	} {
		loose, strict := runPlan(source, false), runPlan(source, true)
		if loose.Error != "" || loose.Out == "" || strict != loose {
			t.Errorf("%s\n  gives %+v\n  strict %+v", source, loose, strict)
		}
	}
}
