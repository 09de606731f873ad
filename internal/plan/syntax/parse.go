package syntax

// Mode says what the source is.
type Mode uint8

// The modes.
const (
	ModuleMode     Mode = iota // a file
	ExpressionMode             // one expression, as for eval
)

// Defaults of [Options].
const (
	DefaultMaxErrors = 20
	DefaultMaxDepth  = 5000
	DefaultMaxBytes  = 1 << 20
	// NewestVersion is the grammar's version, the N of Python 3.N.
	NewestVersion = 14
	// OldestVersion is the oldest that Options.Version may name.
	OldestVersion = 7
)

// Options say how to read a source. The zero value is right for a module.
type Options struct {
	Mode      Mode
	Version   int // the N of Python 3.N; 0 means NewestVersion
	MaxErrors int // errors after which reading ends; 0 means DefaultMaxErrors
	MaxDepth  int // bound of the tree's height; 0 means DefaultMaxDepth
	MaxBytes  int // bound of the source's size; 0 means DefaultMaxBytes
}

func (o Options) withDefaults() Options {
	if o.Version == 0 {
		o.Version = NewestVersion
	}
	o.Version = max(o.Version, OldestVersion)
	if o.MaxErrors <= 0 {
		o.MaxErrors = DefaultMaxErrors
	}
	if o.MaxDepth <= 0 {
		o.MaxDepth = DefaultMaxDepth
	}
	if o.MaxBytes <= 0 {
		o.MaxBytes = DefaultMaxBytes
	}
	return o
}

// Parse reads a program. With errors, the tree holds the statements that
// could be read; the first error is the one CPython reports. In
// ExpressionMode the expression is the module's only statement, an *ExprStmt.
func Parse(src []byte, opts Options) (*Module, []*Error) {
	opts = opts.withDefaults()
	text, err := decode(src, opts)
	if err != nil {
		return &Module{}, []*Error{err}
	}
	p := newParser(text, opts)
	m := &Module{}
	if opts.Mode == ExpressionMode {
		m.Body = p.evalInput()
	} else {
		m.Body = p.fileInput()
		if err := checkFuture(m.Body); err != nil && len(p.errs) == 0 {
			p.errs = append(p.errs, err)
		}
	}
	if n := len(m.Body); n > 0 {
		m.Span = Span{m.Body[0].Range().Start, m.Body[n-1].Range().End}
	}
	return m, p.errs
}

// ParseExpression reads one expression. The error is the first one.
func ParseExpression(src []byte, opts Options) (Expr, *Error) {
	opts.Mode = ExpressionMode
	m, errs := Parse(src, opts)
	if len(errs) > 0 {
		return nil, errs[0]
	}
	return m.Body[0].(*ExprStmt).Value, nil
}

// newParser prepares to read text, which decode has made.
func newParser(text source, opts Options) *parser {
	p := &parser{opts: opts, max: opts.MaxDepth}
	p.lexer = lexer{
		src: text.text, size: text.size, line: 1, bol: true, last: kNewline,
		indents: make([]int32, 1, 16), alts: make([]int32, 1, 16), version: opts.Version,
	}
	p.toks = make([]token, 0, 64)
	return p
}
