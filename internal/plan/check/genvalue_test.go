package check_test

import ()

// The expressions of the generator, by type.

func (g *generator) lambda() string {
	var out string
	g.scoped(func() {
		g.define('s', "s0")
		out = "lambda s0" + g.one("", "='d'", "="+g.text(0)) + ": " + g.text(1)
	})
	return out
}

func (g *generator) test() string {
	switch g.IntN(7) {
	case 0:
		return g.num(1) + g.one(" > 1", " == 0", " < 3")
	case 1:
		return g.text(1) + " in " + g.list(1)
	case 2:
		return g.text(1) + g.one(" == ", " != ", " < ") + g.text(1)
	case 3:
		return "len(" + g.list(1) + ") > 1"
	case 4:
		return "isinstance(" + g.any(1) + ", " + g.one("str", "list", "dict") + ")"
	case 5:
		return g.any(1) + g.one(" is None", "", " and "+g.text(1))
	}
	return "not " + g.any(1)
}

func (g *generator) any(d int) string {
	switch g.IntN(9) {
	case 0, 1, 2:
		return g.text(d)
	case 3:
		return g.num(d)
	case 4, 5:
		return g.list(d)
	case 6:
		return g.dict(d)
	case 7:
		return g.tuple(d)
	}
	return g.set(d)
}

func (g *generator) variable(kind byte, other string) string {
	if n, ok := g.have(kind); ok {
		return n
	}
	return other
}

func (g *generator) text(d int) string {
	if d <= 0 || g.IntN(4) == 0 {
		return g.one(g.variable('s', "'u'"), g.variable('s', "'u'"), "'a'", "'b'", "'v'", "given")
	}
	d--
	if o, ok := g.have('o'); ok && g.IntN(5) == 0 {
		return g.one(o+".a", o+".items[0]", "str("+o+")", "f'{"+o+"}'", o+"["+g.text(d)+"]", o+"("+g.text(d)+")", o+".prop", o+".shared[-1]", o+" + "+g.text(d),
			"getattr("+o+", "+g.one("'a'", "'b'", g.text(0))+", "+g.text(d)+")", "type("+o+").build("+g.text(d)+").a", o+".stat("+g.text(d)+")", o+".put("+g.text(d)+")", o+".zz", "str(vars("+o+"))", "str("+o+" == "+g.text(d)+")",
			"repr(copy.copy("+o+").a)")
	}
	if f, ok := g.have('f'); ok && g.IntN(4) == 0 {
		return g.one(f+"("+g.text(d)+")", f+"("+g.text(d)+")", f+"(*"+g.list(d)+")", f+"(s0="+g.text(d)+")", f+"(**{'s0': "+g.text(d)+"})", f+"("+g.text(d)+", l0="+g.list(d)+")", "functools.partial("+f+", "+g.text(d)+")()")
	}
	switch g.IntN(20) {
	case 0, 1:
		return g.one("src.s(", "src.t(") + g.one("", g.text(d), "x="+g.text(d)) + ")"
	case 2:
		return "(" + g.text(d) + " + " + g.text(d) + ")"
	case 3:
		return "f'{" + g.plainText(d) + "}" + g.one("!'", "{"+g.variable('s', "1")+"!r}'", "{"+g.variable('i', "1")+":>{"+g.variable('i', "1")+"}}'")
	case 4:
		return g.list(d) + "[" + g.num(d) + "]"
	case 5:
		return g.dict(d) + "[" + g.text(d) + "]"
	case 6:
		return g.dict(d) + ".get(" + g.text(d) + ", " + g.text(d) + ")"
	case 7:
		return g.text(d) + "." + g.one("upper()", "strip()", "replace('a', "+g.text(d)+")", "split(',')[0]", "partition(',')[2]", "join("+g.list(d)+")", "format("+g.text(d)+")", "center("+g.num(d)+")")
	case 8:
		return "(" + g.text(d) + " if " + g.test() + " else " + g.text(d) + ")"
	case 9:
		return g.one("str(", "repr(", "ascii(") + g.any(d) + ")"
	case 10:
		return g.text(d) + "[" + g.one(g.num(d), ":"+g.num(d), g.num(d)+":") + "]"
	case 11:
		return g.one("min(", "max(") + g.list(d) + g.one("", ", key=lambda s0: "+g.text(d), ", default="+g.text(d)) + ")"
	case 12:
		return "next(" + g.one("iter("+g.list(d)+")", "(s0 for s0 in "+g.list(d)+")") + ", " + g.text(d) + ")"
	case 13:
		return "(" + g.text(d) + g.one(" or ", " and ") + g.text(d) + ")"
	case 14:
		return "json." + g.one("dumps("+g.any(d)+")", "loads(json.dumps("+g.list(d)+"))[0]")
	case 15:
		return "'%s' % " + g.one(g.text(d), g.tuple(d)+"[:1]", "("+g.text(d)+",)")
	case 16:
		return "(" + g.lambda() + ")(" + g.text(d) + ")"
	case 17:
		return "src.d(" + g.text(d) + ")" + g.one("['a']", "['b'][0]", "['c']['d']", ".get('a')", "["+g.text(d)+"]")
	case 18:
		return g.tuple(d) + "[" + g.one("0", "1", "-1", g.num(d)) + "]"
	}
	return g.one("given", "pair['u']", "today", "pair["+g.text(d)+"]", "collections.Counter("+g.list(d)+").most_common()[0][0]", "functools.reduce(lambda a, s0: a + s0, "+g.list(d)+", "+g.text(d)+")")
}

// plainText is text for an f-string.
func (g *generator) plainText(d int) string { return g.variable('s', "1") }

func (g *generator) num(d int) string {
	if d <= 0 || g.IntN(3) == 0 {
		return g.one(g.variable('i', "1"), "0", "1", "2", "-1")
	}
	d--
	switch g.IntN(9) {
	case 0:
		return "len(" + g.any(d) + ")"
	case 1:
		return "(" + g.num(d) + g.one(" + ", " - ", " * ") + g.num(d) + ")"
	case 2:
		return "src.i(" + g.text(d) + ")"
	case 3:
		return g.list(d) + g.one(".index(", ".count(") + g.text(d) + ")"
	case 4:
		return "sum(" + g.one("len(s0) for s0 in "+g.list(d), "["+g.num(d)+", "+g.num(d)+"]") + ")"
	case 5:
		return g.one("abs(", "int(", "round(", "bool(") + g.num(d) + ")"
	case 6:
		return "ord(" + g.text(d) + "[0])"
	case 7:
		return "(" + g.num(d) + " % 3)"
	}
	return g.text(d) + ".find(" + g.text(d) + ")"
}

func (g *generator) iterable(d int) string {
	switch g.IntN(5) {
	case 0:
		return g.dict(d) + g.one("", ".keys()", ".values()")
	case 1:
		return g.set(d)
	case 2:
		return g.tuple(d)
	case 3:
		if o, ok := g.have('o'); ok {
			return o
		}
	}
	return g.list(d)
}

func (g *generator) list(d int) string {
	if d <= 0 || g.IntN(4) == 0 {
		return g.one(g.variable('l', "[]"), g.variable('l', "[]"), "["+g.text(0)+"]")
	}
	d--
	var elem string
	switch n := g.IntN(19); n {
	case 0, 1:
		return "[" + g.text(d) + ", " + g.text(d) + "]"
	case 2:
		return "src.l(" + g.text(d) + ")"
	case 3, 4:
		it := g.iterable(d)
		cond := ""
		g.scoped(func() {
			g.define('s', "s8")
			elem = g.text(d)
			if g.IntN(3) == 0 {
				cond = " if " + g.test()
			}
		})
		return "[" + elem + " for s8 in " + it + cond + "]"
	case 5:
		return "sorted(" + g.iterable(d) + g.one("", ", key=str", ", key=lambda s0: s0 + "+g.text(d), ", reverse="+g.test()) + ")"
	case 6:
		return "list(" + g.one(g.iterable(d), "reversed("+g.list(d)+")", "map(str, "+g.iterable(d)+")", "map("+g.lambda()+", "+g.iterable(d)+")", "filter("+g.lambda()+", "+g.iterable(d)+")", "zip("+g.list(d)+", "+g.list(d)+")", "enumerate("+g.list(d)+")", "itertools.chain("+g.list(d)+", "+g.list(d)+")", "itertools.islice("+g.list(d)+", 2)") + ")"
	case 7:
		return "(" + g.list(d) + " + " + g.list(d) + ")"
	case 8:
		return "(" + g.list(d) + " * " + g.num(0) + " )[:5]"
	case 9:
		return g.list(d) + g.one("[:"+g.num(d)+"]", "[::-1]", ".copy()", "[1:]")
	case 10:
		return "list(" + g.dict(d) + g.one("", ".values()", ".items()") + ")"
	case 11:
		return g.text(d) + ".split(" + g.one("", "','", g.text(d)) + ")"
	case 12:
		return "[*" + g.iterable(d) + ", " + g.text(d) + "]"
	case 13:
		if o, ok := g.have('o'); ok {
			return g.one(o+".items", o+".shared", "list("+o+")", "[*"+o+"]", "sorted(["+o+", "+o+"])")
		}
	case 14:
		return "[(y := " + g.text(d) + "), y]"
	case 15:
		return "src.d(" + g.text(d) + ")['b']"
	case 16:
		return "copy.deepcopy(" + g.list(d) + ")"
	case 17:
		return "list(" + g.one("collections.deque(", "collections.OrderedDict.fromkeys(", "collections.Counter(", "itertools.accumulate(", "set(") + g.list(d) + "))"
	}
	return "[" + g.one(g.text(d), g.list(d), g.dict(d)) + "]"
}

func (g *generator) dict(d int) string {
	if d <= 0 || g.IntN(4) == 0 {
		return g.one(g.variable('d', "{}"), g.variable('d', "{}"), "{'a': "+g.text(0)+"}")
	}
	d--
	switch g.IntN(11) {
	case 0, 1, 2:
		return "{'a': " + g.text(d) + ", " + g.text(d) + ": " + g.text(d) + "}"
	case 3:
		return "src.d(" + g.text(d) + ")"
	case 4:
		it, k, v := g.iterable(d), "", ""
		g.scoped(func() {
			g.define('s', "s7")
			k, v = g.text(d), g.text(d)
		})
		return "{" + k + ": " + v + " for s7 in " + it + "}"
	case 5:
		return "dict(" + g.one("a="+g.text(d), g.dict(d), "zip("+g.list(d)+", "+g.list(d)+")", "[("+g.text(d)+", "+g.text(d)+")]", "**"+g.dict(d)) + ")"
	case 6:
		return "{**" + g.dict(d) + ", 'b': " + g.text(d) + "}"
	case 7:
		return "(" + g.dict(d) + " | " + g.dict(d) + ")"
	case 8:
		return g.dict(d) + ".copy()"
	case 9:
		return "pair"
	}
	return "{'a': " + g.text(d) + ", 'b': " + g.text(d) + "}"
}

func (g *generator) set(d int) string {
	if d <= 0 || g.IntN(3) == 0 {
		return g.variable('e', "set()")
	}
	d--
	switch g.IntN(5) {
	case 0:
		return "{" + g.text(d) + ", " + g.text(d) + "}"
	case 1:
		return "set(" + g.iterable(d) + ")"
	case 2:
		return "(" + g.set(d) + g.one(" | ", " & ", " - ") + g.set(d) + ")"
	case 3:
		return "frozenset(" + g.list(d) + ")"
	}
	return "{s6 for s6 in " + g.iterable(d) + "}"
}

func (g *generator) tuple(d int) string {
	if d <= 0 || g.IntN(3) == 0 {
		return g.variable('t', "()")
	}
	d--
	switch g.IntN(4) {
	case 0:
		return "tuple(" + g.iterable(d) + ")"
	case 1:
		return "(" + g.tuple(d) + " + (" + g.text(d) + ",))"
	}
	return "(" + g.text(d) + ", " + g.one(g.text(d), g.list(d)) + ")"
}
