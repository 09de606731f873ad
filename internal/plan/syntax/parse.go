package syntax

// Defaults of [Options].
const (
	DefaultMaxDepth = 5000
	DefaultMaxBytes = 1 << 20
)

// Options say how to read a source. The zero value is right for a program.
type Options struct {
	MaxDepth int // bound of the tree's height; 0 means DefaultMaxDepth
	MaxBytes int // bound of the source's size; 0 means DefaultMaxBytes

	// Lenient reads what the plan language leaves out, too, for files that another
	// Python runs: type parameters and the star of except* are stepped over, template
	// strings are f-strings, and a character by its name is U+FFFD.
	Lenient bool
}

func (o Options) withDefaults() Options {
	if o.MaxDepth <= 0 {
		o.MaxDepth = DefaultMaxDepth
	}
	if o.MaxBytes <= 0 {
		o.MaxBytes = DefaultMaxBytes
	}
	return o
}

// Parse reads a program. Reading ends at the first error, which is then the
// only one; the tree is empty.
func Parse(src []byte, opts Options) (*Module, []*Error) {
	opts = opts.withDefaults()
	text, err := decode(src, opts)
	if err != nil {
		return &Module{}, []*Error{err}
	}
	p := newParser(text, opts)
	m := &Module{}
	if err := p.catch(func() {
		m.Body = p.fileInput()
		p.measure(m)
		p.futures(m.Body)
	}); err != nil {
		return &Module{}, []*Error{err}
	}
	if n := len(m.Body); n > 0 {
		m.Span = Span{m.Body[0].Range().Start, m.Body[n-1].Range().End}
	}
	return m, nil
}

// ParseExpression reads one expression, or several with commas between them.
func ParseExpression(src []byte, opts Options) (e Expr, err *Error) {
	opts = opts.withDefaults()
	text, err := decode(src, opts)
	if err != nil {
		return nil, err
	}
	p := newParser(text, opts)
	err = p.catch(func() {
		p.begin()
		e = p.starExpressions()
		for p.accept(kNewline) {
		}
		p.expect(kEOF)
		p.measure(e)
	})
	return e, err
}

// newParser prepares to read text, which decode has made.
func newParser(text source, opts Options) *parser {
	p := &parser{max: opts.MaxDepth, toks: make([]token, 0, 64)}
	p.lexer = lexer{
		src: text.text, size: text.size, line: 1, bol: true, last: kNewline, lenient: opts.Lenient,
		indents: make([]int32, 1, 16),
	}
	return p
}
