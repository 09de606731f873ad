package literal

import (
	"slices"

	"praxis/internal/language"
)

// reader follows what flows through the code of one step.
type reader struct {
	*Code
	step  int // of the literals
	shown int // the step that shows what is shown
	flow  *language.Flow
	spans func(code string) []language.Span
}

// value is what an expression gives: the literals, names and operations that come through it
// as they are, and whether it reads data beside them.
type value struct {
	flow []int
	data bool
}

func (v value) with(w value) value { return value{append(v.flow, w.flow...), v.data || w.data} }

// statement reads a statement. What the last one gives is shown.
func (r *reader) statement(s []node, last bool, depth int) {
	if len(s) == 0 || depth > maxDepth {
		return
	}
	if s[0].kind == keyword {
		switch s[0].text {
		case "import", "from":
			r.imports(s)
			return
		case "def", "class", "function":
			r.definition(s, last, depth)
			return
		case "return", "yield":
			if v := r.value(s[1:], depth); r.function != "" {
				r.assign(r.shown, v, r.function, true)
			}
			return
		case "assert", "raise", "throw", "del":
			r.use(r.value(s[1:], depth).flow)
			return
		case "const", "let", "var", "export", "async", "await", "nonlocal", "global":
			r.statement(s[1:], last, depth+1)
			return
		case "if", "elif", "else", "for", "while", "with", "try", "except", "finally", "match", "case":
			if i := slices.IndexFunc(s, func(n node) bool { return n.is(":") }); i > 0 {
				r.value(s[:i], depth)
				r.statement(s[i+1:], last, depth+1)
				return
			}
			r.block(s, depth)
			return
		}
	}
	if i := slices.IndexFunc(s, func(n node) bool { return n.kind == operator && len(n.text) > 1 && assigns(n.text) }); i > 0 {
		r.augment(s[:i], s[i].text, s[i+1:], depth)
		return
	}
	from := len(s)
	for i := len(s) - 1; i >= 0; i-- {
		if s[i].is("=") || s[i].is(":=") {
			from = i
			break
		}
	}
	if from == len(s) {
		if v := r.value(s, depth); last {
			r.show(v.flow, r.shown)
		}
		return
	}
	v := r.value(s[from+1:], depth)
	for _, target := range split(s[:from], "=", ":=", ",") {
		r.assignTo(target, v, depth)
	}
}

// block reads a statement whose head and body stand in brackets.
func (r *reader) block(s []node, depth int) {
	for i, n := range s[1:] {
		if n.kind != group {
			r.statement(s[i+1:], false, depth+1) // a body without brackets
			return
		}
		for _, item := range n.items {
			switch {
			case n.text == "{":
				r.statement(item, false, depth+1)
			case s[0].is("for") && len(item) > 0 && item[0].kind == keyword:
				r.value(append([]node{s[0]}, item[1:]...), depth)
			default:
				r.statement(item, false, depth+1)
			}
		}
	}
}

// assigns says that an operator changes its left side: +=, not ==.
func assigns(o string) bool {
	return o[len(o)-1] == '=' && !slices.Contains([]string{"==", "===", "!=", "!==", "<=", ">=", ":="}, o)
}

// augment reads x += y. What is added to a text or a list only flows there.
func (r *reader) augment(target []node, o string, added []node, depth int) {
	v := r.value(added, depth)
	if len(added) > 0 && o == "+=" && (added[0].kind == text || added[0].kind == group && added[0].text == "[") {
		r.assignTo(target, v, depth)
		return
	}
	r.use(v.flow)
	r.assignTo(target, value{data: true}, depth)
}

// assignTo assigns to a name, an element or an attribute of one, or several in brackets.
func (r *reader) assignTo(target []node, v value, depth int) {
	if i := slices.IndexFunc(target, func(n node) bool { return n.is(":") }); i > 0 {
		target = target[:i] // a type
	}
	if len(target) == 0 || depth > maxDepth {
		return
	}
	for _, n := range target[1:] {
		if n.kind == group {
			r.useItems(n, depth) // keys
		}
	}
	switch n := target[0]; n.kind {
	case name:
		r.assign(r.shown, v, n.text, len(target) == 1)
	case group:
		for _, item := range n.items {
			r.assignTo(item, v, depth+1)
		}
	case operator:
		r.assignTo(target[1:], v, depth+1) // *rest
	}
}

// imports remembers the names of modules and of what is taken from them: they are no data.
func (r *reader) imports(s []node) {
	for _, n := range s {
		switch n.kind {
		case name:
			r.modules[n.text] = true
		case group:
			for _, item := range n.items {
				r.imports(item)
			}
		}
	}
}

// definition reads the head of a function or a class. Its defaults are arguments.
func (r *reader) definition(s []node, last bool, depth int) {
	for i, n := range s[1:] {
		switch {
		case n.kind == name && r.function != n.text && i <= 1:
			r.function = n.text
		case n.kind == group && n.text == "(":
			r.useItems(n, depth)
		case n.kind == group:
			for _, item := range n.items {
				r.statement(item, false, depth+1)
			}
		case n.is(":"):
			r.statement(s[i+2:], last, depth+1)
			return
		}
	}
}

func (r *reader) useItems(g node, depth int) {
	for _, item := range g.items {
		r.use(r.value(item, depth+1).flow)
	}
}

// split cuts nodes at operators and keywords.
func split(s []node, at ...string) [][]node {
	var out [][]node
	from := 0
	for i, n := range s {
		if (n.kind == operator || n.kind == keyword) && slices.Contains(at, n.text) {
			out = append(out, s[from:i])
			from = i + 1
		}
	}
	return append(out, s[from:])
}

// value reads an expression, whose parts may be joined by words such as if and or.
func (r *reader) value(s []node, depth int) value {
	var out value
	if depth > maxDepth {
		return out
	}
	from, loop := 0, -1 // where the names of a loop begin
	compares, left := false, value{}
	part := func(to int) {
		if from < to && loop < 0 {
			v := r.term(s[from:to], depth)
			if compares {
				v = r.operation(v.with(left))
			}
			out = out.with(v)
		}
	}
	for i := 0; i < len(s); i++ {
		n := s[i]
		switch {
		case n.kind != keyword && !(n.kind == operator && slices.Contains([]string{":", "?", "=>", "=", ":=", "??", "||", "&&", ",", "->"}, n.text)):
			continue
		case n.is("for"):
			part(i)
			loop = i + 1
		case (n.is("in") || n.is("of")) && loop >= 0:
			names := s[loop:i]
			loop, from = -1, i+1
			end := i + 1
			for end < len(s) && s[end].kind != keyword && !s[end].is(":") {
				end++
			}
			v := r.term(s[i+1:end], depth)
			for _, target := range split(names, ",") {
				r.assignTo(target, v, depth)
			}
			i = end - 1
			from = end
			continue
		case n.is("in") || n.is("is"):
			if loop < 0 && from < i {
				left = r.term(s[from:i], depth)
			}
			compares = true
		default:
			part(i)
			compares = compares && n.is("not")
		}
		if loop < 0 {
			from = i + 1
		}
	}
	part(len(s))
	return out
}

// term reads operands and the operators between them.
func (r *reader) term(s []node, depth int) value {
	for len(s) > 0 && s[0].kind == operator && s[0].text != "." {
		s = s[1:] // a sign, or a star
	}
	var operands [][]node
	from, texts, plus := 0, len(s) > 0 && s[0].kind == text, true
	for i, n := range s {
		if n.kind != operator || n.text == "." || n.text == "?." {
			continue
		}
		if i > from {
			operands = append(operands, s[from:i])
		}
		from = i + 1
		plus = plus && (n.text == "+" || n.text == "%" && texts)
		texts = texts || from < len(s) && s[from].kind == text
	}
	if from < len(s) {
		operands = append(operands, s[from:])
	}
	var out value
	for _, o := range operands {
		out = out.with(r.chain(o, depth))
	}
	if len(operands) < 2 || plus && texts {
		return out
	}
	return r.operation(out)
}

// chain reads a literal, a name or brackets, and the calls, keys and attributes behind it.
func (r *reader) chain(s []node, depth int) value {
	var out value
	root, called, path := "", "", ""
	for i, n := range s {
		dotted := i > 0 && (s[i-1].is(".") || s[i-1].is("?."))
		callable := i > 0 && (s[i-1].kind == name || s[i-1].kind == group)
		if (n.kind == number || n.kind == text) && i > 0 && s[i-1].kind == name {
			// A tag, or another language: what it means is not known.
			r.use(append(r.number(r.step, n.text), r.text(r.step, n.stretches)...))
			continue
		}
		switch n.kind {
		case number:
			out.flow = append(out.flow, r.number(r.step, n.text)...)
		case text:
			out.flow = append(out.flow, r.text(r.step, n.stretches)...)
			for _, hole := range n.holes {
				out = out.with(r.value(hole, depth+1))
			}
		case name:
			if called, path = n.text, path+"."+n.text; dotted {
				continue
			}
			root, path = n.text, n.text
			if calls := i+1 < len(s) && s[i+1].kind == group && s[i+1].text == "("; !calls && !r.modules[root] {
				out.flow = append(out.flow, r.name(root))
			}
		case group:
			switch {
			case callable && n.text == "(":
				out = r.call(out, root, called, path, n, depth)
			case callable && n.text == "[":
				r.useItems(n, depth) // keys
			default:
				for _, item := range n.items {
					out = out.with(r.item(item, n.text, depth))
				}
			}
		}
	}
	return out
}

// item reads what stands in brackets: a value, or a statement of a block.
func (r *reader) item(s []node, open string, depth int) value {
	if open == "{" && len(s) > 0 && (s[0].kind == keyword || slices.ContainsFunc(s, func(n node) bool { return n.is("=") })) {
		r.statement(s, false, depth+1)
		return value{}
	}
	return r.value(s, depth+1)
}

// call reads a call of a function or a method of what flows so far.
func (r *reader) call(on value, root, called, path string, args node, depth int) value {
	first, all := value{}, value{}
	for i, item := range args.items {
		v := r.value(item, depth+1)
		if i == 0 {
			first = v
		} else if len(item) > 1 && item[1].is("=") && !args.items[0][min(1, len(args.items[0])-1)].is("=") {
			r.use(v.flow) // a setting beside what is given
			continue
		}
		all = all.with(v)
	}
	method := path != called && !r.modules[root]
	does := func(list []string) bool {
		return root != "" && slices.Contains(list, path) || method && slices.Contains(list, "."+called) || !method && slices.Contains(list, called)
	}
	switch {
	case does(r.flow.Shows):
		r.show(all.flow, r.shown)
		return value{}
	case does(r.flow.Passes):
		return on.with(all)
	case does(r.flow.Forms) && method && slices.Contains(r.flow.Forms, "."+called):
		return on
	case does(r.flow.Forms):
		return first
	case method && does(r.flow.Stores):
		if root != "" {
			r.assign(r.shown, all, root, false)
		}
		return value{}
	}
	r.use(all.flow)
	r.use(on.flow)
	if _, known := r.names[root]; known && !method {
		return value{flow: []int{r.name(root)}}
	}
	return value{data: true}
}
