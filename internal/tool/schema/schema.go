package schema

import (
	"bytes"
	"crypto/sha256"
	"regexp"
	"sync"

	"praxis/internal/tool/jsondoc"
)

// Schema is a compiled JSON Schema (draft 2020-12, and what is still in use of the
// drafts before it: definitions, tuples in items, dependencies). It is immutable and safe for concurrent use. References stay
// within the document: nothing is ever fetched. Formats are asserted, so that a
// date is a date. Nothing is coerced: "3" is not 3.
type Schema struct {
	root *schema
	doc  *jsondoc.Node
	file string

	parts []*schema // without shapes until shape is done
	shape sync.Once
}

// schema is one compiled subschema. Rules that most subschemas lack are behind pointers.
type schema struct {
	line     int32 // where it is in the file
	col      int32
	where    jsondoc.Pointer // in the schema's document
	never    bool            // the schema false
	kinds    Kinds           // allowed kinds; AnyKind when "type" is missing
	ref      *schema
	refText  string // what $ref says, until it is resolved
	note     notes
	enum     []any
	enumSet  map[string]bool // canonical texts
	hasEnum  bool
	num      *numberRules
	str      *stringRules
	arr      *arrayRules
	obj      *objectRules
	comb     *combination
	shape    *Type
	tracking bool // needs to know what its parts have evaluated
}

// notes are the annotations.
type notes struct {
	title, description string
	def                any
	hasDefault         bool
	secret             bool
	example            any
	hasExample         bool
}

type numberRules struct {
	min, max           *jsondoc.Decimal
	overMin, underMax  bool // exclusive
	multiple           *jsondoc.Decimal
	minText, maxText   string
	multipleText       string
	exclusive4, exMax4 bool // draft 4's boolean exclusiveMinimum and exclusiveMaximum
}

type stringRules struct {
	minLen, maxLen int // -1: none
	pattern        *pattern
	format         string
}

type arrayRules struct {
	prefix                   []*schema
	items                    *schema
	contains                 *schema
	minContains, maxContains int
	minItems, maxItems       int
	unique                   bool
	unevaluated              *schema
}

type objectRules struct {
	properties       []property
	index            map[string]int
	required         []string
	patterns         []patternProperty
	additional       *schema
	names            *schema
	minProps         int
	maxProps         int
	dependent        []dependency
	dependentSchemas []property
	unevaluated      *schema
}

type property struct {
	name string
	s    *schema
}

type patternProperty struct {
	*pattern
	s *schema
}

// pattern is a compiled regular expression.
type pattern struct {
	text string
	re   *regexp.Regexp
	size int // instructions of its program
}

type dependency struct {
	name  string
	needs []string
}

type combination struct {
	all, any, one        []*schema
	not, cond, then, els *schema
}

func (s *schema) numbers() *numberRules {
	if s.num == nil {
		s.num = &numberRules{}
	}
	return s.num
}

func (s *schema) strings() *stringRules {
	if s.str == nil {
		s.str = &stringRules{minLen: -1, maxLen: -1}
	}
	return s.str
}

func (s *schema) arrays() *arrayRules {
	if s.arr == nil {
		s.arr = &arrayRules{minContains: 1, maxContains: -1, minItems: -1, maxItems: -1}
	}
	return s.arr
}

func (s *schema) objects() *objectRules {
	if s.obj == nil {
		s.obj = &objectRules{minProps: -1, maxProps: -1}
	}
	return s.obj
}

func (s *schema) combined() *combination {
	if s.comb == nil {
		s.comb = &combination{}
	}
	return s.comb
}

func (o *objectRules) property(name string) *schema {
	if o.index != nil {
		if i, ok := o.index[name]; ok {
			return o.properties[i].s
		}
		return nil
	}
	for i := range o.properties {
		if o.properties[i].name == name {
			return o.properties[i].s
		}
	}
	return nil
}

// open says whether s, or a part of it that applies to the same value, has a rule
// for members that it does not declare.
func (s *schema) open() bool {
	if s.obj != nil && (len(s.obj.patterns) > 0 || (s.obj.additional != nil && !s.obj.additional.never)) {
		return true
	}
	open := false
	s.inPlace(func(part *schema) { open = open || part.open() })
	return open
}

// Parse compiles a schema written in JSON or YAML. The file's name is
// only used in positions of problems and, when it ends in .json, to decide the
// format. The error is a fault of kind Invalid whose cause is [Problems].
func Parse(file string, data []byte) (*Schema, error) {
	r := &jsondoc.Report{File: file}
	n := jsondoc.Read(r, data)
	if n == nil {
		return nil, r.Problems.Fault()
	}
	s := NewCompiler(r).Compile(n)
	if err := r.Problems.Fault(); err != nil {
		return nil, err
	}
	return s, nil
}

// Value returns the schema as it was declared, as a JSON value.
func (s *Schema) Value() any { return s.doc.Value() }

// Open reports whether the schema says itself that it takes members that it does
// not declare. A call with a name that nobody declared is otherwise an error,
// although JSON Schema would let it pass.
func (s *Schema) Open() bool { return s.root.open() }

// Undeclared returns the mismatch of the first member of an object that the
// schema neither declares nor takes, or nil.
func (s *Schema) Undeclared(object any) *Mismatch {
	if s.Open() {
		return nil
	}
	for name := range jsondoc.Members(object) {
		if _, ok := s.Type().Property(name); !ok {
			m := s.root.additional(object, name)
			return &m
		}
	}
	return nil
}

// ValidateProperty judges a value by what the schema says of a property.
func (s *Schema) ValidateProperty(name string, v any) *Mismatch {
	part := s.root.objects().property(name)
	if part == nil {
		return nil
	}
	j := &judge{steps: baseSteps}
	return first(j.check(part, v, nil))
}

// Redact returns a value with what is secret replaced: what the schema marks and
// what the pointers lead to. The value itself is not changed. Members that no
// schema declares stay.
func (s *Schema) Redact(v any, secret []jsondoc.Pointer) any {
	return redact(v, []*schema{s.root}, paths(secret), 0)
}

// Any returns the schema that allows every JSON value.
func Any() *Schema {
	n := &jsondoc.Node{Kind: jsondoc.Bool, Text: "true"}
	root := &schema{kinds: AnyKind}
	return &Schema{root: root, doc: n, parts: []*schema{root}}
}

// JSON returns the schema as it was declared, in its order, without spaces.
func (s *Schema) JSON() []byte {
	var b bytes.Buffer
	jsondoc.WriteNode(&b, s.doc)
	return b.Bytes()
}

// MarshalJSON writes the schema as declared.
func (s *Schema) MarshalJSON() ([]byte, error) { return s.JSON(), nil }

// Hash returns the SHA-256 of the schema's canonical JSON. The order of
// members does not count.
func (s *Schema) Hash() [sha256.Size]byte {
	b, err := jsondoc.AppendCanonical(nil, s.Value(), 0)
	if err != nil {
		b = s.JSON() // cannot be: the reader has bounded depth and numbers
	}
	return sha256.Sum256(b)
}
