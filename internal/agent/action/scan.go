package action

import (
	"regexp"
	"slices"
	"strings"

	"praxis/internal/lazyregexp"
)

// pieceKind is the kind of a piece of a reply's text.
type pieceKind uint8

const (
	prose     pieceKind = iota + 1
	code                // tagged as one of the languages'
	bare                // a block without a tag
	jsonBlock           // a block or element that may hold a tool call
	memory              // a block or element that uses the memory
	foreign             // a block of something else, which may be code
	quote               // a block of data or text
	answer
)

// piece is a stretch of a reply's text.
type piece struct {
	kind pieceKind
	text string
	tag  string
	lang string   // of code
	info string   // what stands behind the tag of a block
	open bool     // the reply ended before the piece did
	more []string // what follows text, joined once at the end: a long reply has many lines
}

var (
	fenceRE = lazyregexp.New("^([ \t]*)(`{3,}|~{3,})[ \t]*([^\n`]*)$")
	tagRE   = lazyregexp.New(`(?i)<(execute_[a-z0-9]+|final_answer|tool_call|save_note|search_notes|read_history)>`)
	// lineTagRE are elements that stand for an action at the beginning of a line alone:
	// their names are words of prose and of HTML, too.
	lineTagRE = lazyregexp.New(`(?i)^[ \t]*<([a-z][a-z0-9_]*)>`)
	// callRE begins a call that is written out as a model's own template has it.
	callRE = lazyregexp.New(`(?i)^[ \t]*(?:<(function)=[\w.:-]+>|<(invoke) name="[\w.:-]+">|(<\|python_tag\|>)|(\[TOOL_CALLS\]))`)
	// endRE ends what a call in a template of its own begins.
	endRE    = lazyregexp.New(`<\|[a-z_]+\|>`)
	answerRE = lazyregexp.New(`(?i)^[ \t]*(?:[#>*_-]+[ \t]*)*final[ _]answer(?: is)?[ \t]*(?:\*\*|__)?[ \t]*[:：][ \t]*(?:\*\*|__)?(.*)$`)
	thinkRE  = lazyregexp.New(`(?i)^<(think|thinking)>`)
	// thoughtRE is the end of a thought whose beginning the server left out.
	thoughtRE = lazyregexp.New(`(?im)^[ \t]*</(?:think|thinking)>[ \t]*$`)
)

// splitThinking takes the thought of a reasoning model, which may hold code that
// the model threw away, off the reply.
func splitThinking(text string) (rest, thinking string) {
	trimmed := strings.TrimLeft(text, " \t\n")
	if m := thinkRE.FindStringSubmatch(trimmed); m != nil {
		inner := trimmed[len(m[0]):]
		end := "</" + strings.ToLower(m[1]) + ">"
		i := strings.Index(strings.ToLower(inner), end)
		if i < 0 || len(strings.ToLower(inner)) != len(inner) { // never closed, or lower case has other offsets
			return inner, ""
		}
		return inner[i+len(end):], strings.TrimSpace(inner[:i])
	}
	if loc := thoughtRE.FindStringIndex(text); loc != nil {
		return text[loc[1]:], strings.TrimSpace(text[:loc[0]])
	}
	return text, ""
}

// scan splits a reply's text into pieces, line by line.
func scan(text string, g grammar) []piece {
	var out []piece
	plain := func(s string) { // goes on with the prose or the answer before it
		if n := len(out); n > 0 && (out[n-1].kind == prose || out[n-1].kind == answer && out[n-1].open) {
			out[n-1].more = append(out[n-1].more, s)
			return
		}
		out = append(out, piece{kind: prose, text: s})
	}
	for text != "" {
		line, rest := cutLine(text)
		body := strings.TrimSuffix(line, "\n")
		if m := fenceRE.FindStringSubmatch(body); m != nil {
			p, after := block(m, rest, g)
			if n := len(out); n > 0 && out[n-1].kind == answer && out[n-1].open && p.kind != code && p.kind != memory {
				plain(text[:len(text)-len(after)]) // a table or a quotation in the answer
			} else {
				out = append(out, p)
			}
			text = after
			continue
		}
		if loc := tagRE.FindStringSubmatchIndex(line); loc != nil && !quoted(line, loc[0]) && g.element(line[loc[2]:loc[3]]) {
			if loc[0] > 0 {
				plain(line[:loc[0]])
			}
			var p piece
			p, text = g.readElement(strings.ToLower(line[loc[2]:loc[3]]), text[loc[1]:])
			out = append(out, p)
			continue
		}
		if p, after, ok := g.readLine(text); ok {
			if p.kind == quote {
				plain(text[:len(text)-len(after)])
			} else {
				out = append(out, p)
			}
			text = after
			continue
		}
		if m := answerRE.FindStringSubmatch(body); m != nil {
			out = append(out, piece{kind: answer, text: balance(m[1]) + "\n", open: true})
			text = rest
			continue
		}
		plain(line)
		text = rest
	}
	for i, p := range out {
		out[i].text = p.text + strings.Join(p.more, "")
	}
	return out
}

func cutLine(text string) (line, rest string) {
	if i := strings.IndexByte(text, '\n'); i >= 0 {
		return text[:i+1], text[i+1:]
	}
	return text, ""
}

// quoted says that the tag at i is only talked about.
func quoted(line string, i int) bool { return i > 0 && line[i-1] == '`' }

// balance drops the end of an emphasis that began before the answer.
func balance(text string) string {
	trimmed := strings.TrimRight(text, " \t")
	for _, mark := range []string{"**", "__"} {
		if strings.HasSuffix(trimmed, mark) && strings.Count(trimmed, mark)%2 == 1 {
			return strings.TrimSuffix(trimmed, mark)
		}
	}
	return text
}

// block reads a fenced block whose opening line is m. It ends at a fence of the
// same character that is at least as long, or with the reply.
func block(m []string, text string, g grammar) (piece, string) {
	indent, fence := m[1], m[2]
	p := piece{tag: firstWord(m[3])}
	p.kind, p.lang = kindOfBlock(p.tag, g)
	if rest := strings.Trim(strings.TrimSpace(m[3]), "{}."); p.kind == memory {
		p.info = strings.Trim(rest[len(p.tag):], " \t,;:") // its tag is ASCII
	}
	var lines []string
	for text != "" {
		line, rest := cutLine(text)
		text = rest
		line = strings.TrimSuffix(line, "\n")
		if closes(line, fence) {
			p.text = strings.Join(lines, "\n")
			return p, text
		}
		lines = append(lines, outdent(line, len(indent)))
	}
	p.text, p.open = strings.Join(lines, "\n"), true
	return p, text
}

func closes(line, fence string) bool {
	line = strings.TrimSpace(line)
	return len(line) >= len(fence) && strings.Trim(line, fence[:1]) == ""
}

// outdent takes up to n blanks off a line, as a fence's indentation is not the code's.
func outdent(line string, n int) string {
	i := 0
	for i < n && i < len(line) && (line[i] == ' ' || line[i] == '\t') {
		i++
	}
	return line[i:]
}

// firstWord returns the first word of a fence's tag: "{.python}" is "python".
func firstWord(info string) string {
	info = strings.ToLower(strings.Trim(strings.TrimSpace(info), "{}."))
	if i := strings.IndexAny(info, " \t,;{:"); i >= 0 {
		info = info[:i]
	}
	return info
}

// element says whether the element called name means anything.
func (g grammar) element(name string) bool {
	name = strings.ToLower(name)
	if strings.HasPrefix(name, "execute_") {
		_, ok := g.byTool(name)
		return ok
	}
	kind := kindOfMemory(name)
	return kind == 0 || g.kinds[kind]
}

func kindOfBlock(tag string, g grammar) (kind pieceKind, lang string) {
	if kind := kindOfMemory(tag); kind != 0 && g.kinds[kind] {
		return memory, ""
	}
	switch tag {
	case "":
		return bare, ""
	case "json", "tool_call", "tool":
		return jsonBlock, ""
	case "tool_code":
		return code, g.main().Name
	}
	l, ok := g.fenced(tag)
	if !ok {
		l, ok = g.byTool(tag)
	}
	switch {
	case ok:
		return code, l.Name
	case quoteRE.MatchString(tag):
		return quote, ""
	case otherRE.MatchString(tag), kindOfMemory(tag) != 0:
		return foreign, ""
	}
	return bare, "" // a name that says nothing: what stands in it decides
}

var (
	// quoteRE are the tags of blocks that hold data and text, and otherRE those of languages
	// that are well known.
	quoteRE = lazyregexp.New(`^(?:text|txt|plain|plaintext|md|markdown|csv|tsv|ya?ml|toml|xml|html|css|latex|tex|mermaid|output|stdout|stderr|result|table|diff|log)$`)
	otherRE = lazyregexp.New(`^(?:bash|sh|zsh|shell|console|cmd|powershell|bat|js|javascript|ts|typescript|java|c|cpp|c\+\+|csharp|cs|rust|go|ruby|rb|php|perl|r|julia|scala|kotlin|swift|lua|matlab|sql|sqlite|psql|awk|sed)$`)
)

// readElement reads what stands after an opening tag, up to its closing tag or to the reply's end.
func (g grammar) readElement(tag, text string) (piece, string) {
	p := piece{tag: tag}
	l, runs := g.byTool(tag)
	switch {
	case runs:
		p.kind, p.lang = code, l.Name
	case tag == "final_answer":
		p.kind = answer
	case kindOfMemory(tag) != 0:
		p.kind = memory
	default:
		p.kind = jsonBlock
	}
	p, text = p.upTo(text)
	if p.kind == code {
		p.text = unfence(p.text)
	}
	return p, text
}

// readLine reads what begins with the line and says by a tag of its own that it is
// an action.
func (g grammar) readLine(text string) (piece, string, bool) {
	line, _ := cutLine(text)
	if m := callRE.FindStringSubmatchIndex(line); m != nil {
		p := piece{kind: jsonBlock, tag: "tool_call"}
		for i, name := range []string{"function", "invoke"} {
			if m[2+2*i] < 0 {
				continue
			}
			end := strings.Index(text, "</"+name+">")
			if end < 0 {
				p.text, p.open = text, true
				return p, "", true
			}
			end += len("</" + name + ">")
			p.text = text[:end]
			return p, text[end:], true
		}
		body, after := text[m[1]:], ""
		if loc := endRE.FindStringIndex(body); loc != nil {
			body, after = body[:loc[0]], body[loc[1]:]
		} else {
			p.open = true
		}
		if p.text = strings.TrimSpace(body); m[6] >= 0 && !strings.HasPrefix(p.text, "{") {
			p.kind, p.lang = code, g.main().Name
		}
		return p, after, true
	}
	m := lineTagRE.FindStringSubmatchIndex(line)
	if m == nil {
		return piece{}, "", false
	}
	tag := strings.ToLower(line[m[2]:m[3]])
	p := piece{kind: code, tag: tag, lang: g.main().Name}
	switch l, fenced := g.fenced(tag); {
	case tag == "answer":
		p.kind = answer
	case fenced:
		p.lang = l.Name
	case !slices.Contains([]string{"execute", "code", "run", "run_code", "execute_code", "tool_code", "code_interpreter"}, tag):
		return piece{}, "", false
	}
	p, after := p.upTo(text[m[1]:])
	if p.kind == code {
		p.text = unfence(p.text)
		if likely, _ := g.looks(p.text); p.lang == g.main().Name && !likely {
			p.kind = quote // <code> is an element of HTML, too
		}
	}
	return p, after, true
}

// upTo reads the text of an element up to its closing tag or to the reply's end.
func (p piece) upTo(text string) (piece, string) {
	end := regexp.MustCompile(`(?i)</` + regexp.QuoteMeta(p.tag) + `>`).FindStringIndex(text)
	if end == nil {
		p.text, p.open = text, true
		return p, ""
	}
	p.text = text[:end[0]]
	return p, text[end[1]:]
}

// unfence takes the one fence off that is around the whole text.
func unfence(text string) string {
	trimmed := strings.Trim(text, " \t\n")
	line, rest := cutLine(trimmed)
	m := fenceRE.FindStringSubmatch(strings.TrimSuffix(line, "\n"))
	if m == nil {
		return text
	}
	p, after := block(m, rest, grammar{})
	if strings.TrimSpace(after) != "" {
		return text
	}
	return p.text
}

// answerLine reads a text whose first line is a final answer's.
func answerLine(text string) (string, bool) {
	line, rest := cutLine(strings.TrimLeft(text, "\n"))
	m := answerRE.FindStringSubmatch(strings.TrimSuffix(line, "\n"))
	if m == nil {
		return "", false
	}
	return balance(m[1]) + "\n" + rest, true
}

// tidy takes the indentation that all lines share off code, and the blank lines around it.
func tidy(text string) string {
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	for len(lines) > 0 && strings.TrimSpace(lines[0]) == "" {
		lines = lines[1:]
	}
	for len(lines) > 0 && strings.TrimSpace(lines[len(lines)-1]) == "" {
		lines = lines[:len(lines)-1]
	}
	shared := ""
	for i, l := range lines {
		if strings.TrimSpace(l) == "" {
			continue
		}
		indent := l[:len(l)-len(strings.TrimLeft(l, " \t"))]
		if i == 0 {
			shared = indent
			continue
		}
		for !strings.HasPrefix(indent, shared) {
			shared = shared[:len(shared)-1]
		}
	}
	for i, l := range lines {
		lines[i] = strings.TrimPrefix(l, shared)
		if strings.TrimSpace(l) == "" && len(l) < len(shared) {
			lines[i] = ""
		}
	}
	return strings.Join(lines, "\n")
}
