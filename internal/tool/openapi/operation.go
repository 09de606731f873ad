package openapi

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"praxis/internal/safetext"
	"praxis/internal/tool"
	"praxis/internal/tool/jsondoc"
)

// operation is one operation of the document.
type operation struct {
	im     *importer
	method string
	path   string
	item   *jsondoc.Object // the path's
	op     *jsondoc.Object

	args     map[string]bool // names of arguments
	props    *jsondoc.Object // of the input
	required []any
	more     any // additionalProperties of the input
	query    *jsondoc.Object
	headers  *jsondoc.Object
	run      *jsondoc.Object
	segments map[string]string // arguments by their names in the path
}

// String names the operation in warnings.
func (o *operation) String() string {
	s := o.method + " " + safetext.OneLine(o.path, 100)
	if id := str(get(o.op, "operationId")); id != "" {
		s += " (" + safetext.OneLine(id, 60) + ")"
	}
	return s
}

// chosen reports whether the operation is one that is wanted.
func (o *operation) chosen(used []bool) bool {
	if len(used) == 0 {
		return true
	}
	chosen := false
	for i, want := range o.im.opt.Only {
		tagged := slices.ContainsFunc(list(get(o.op, "tags")), func(t any) bool { return str(t) == want })
		if tagged || want == o.path || want == str(get(o.op, "operationId")) || strings.EqualFold(want, o.method+" "+o.path) {
			used[i], chosen = true, true
		}
	}
	return chosen
}

// name makes the tool's name.
func (o *operation) name() string {
	space := o.im.opt.Namespace
	if tags := list(get(o.op, "tags")); space == "" && len(tags) > 0 {
		space = snake(str(tags[0]))
	}
	if space == "" {
		space = snake(o.im.title)
	}
	if space == "" {
		space = "api"
	}
	parts := words(str(get(o.op, "operationId")))
	if len(parts) == 0 {
		parts = append([]string{strings.ToLower(o.method)}, words(o.path)...)
	}
	if prefix := words(space[strings.LastIndexByte(space, '.')+1:]); len(prefix) > 0 && len(parts) > len(prefix) && slices.Equal(parts[:len(prefix)], prefix) {
		parts = parts[len(prefix):] // pets.find rather than pets.pets_find
	}
	short := identifier(strings.Join(parts, "_"))
	if short == "" {
		short = strings.ToLower(o.method)
	}
	return free(o.im.taken, space+"."+short)
}

// tool makes the tool, in the form that it has in a file.
func (o *operation) tool() (*jsondoc.Object, error) {
	if o.method == "OPTIONS" || o.method == "TRACE" || o.method == "QUERY" {
		return nil, fmt.Errorf("the method %s is not one of a tool", o.method)
	}
	server, err := o.im.server(o)
	if err != nil {
		return nil, err
	}
	o.im.visited += 10 + o.op.Len() + object(get(get(o.op, "requestBody"), "content")).Len()
	o.args, o.props, o.segments = map[string]bool{}, jsondoc.NewObject(), map[string]string{}
	o.query, o.headers, o.run = jsondoc.NewObject(), jsondoc.NewObject(), jsondoc.NewObject()
	c := o.im.converter(toServer)
	if err := o.parameters(c); err != nil {
		return nil, err
	}
	path, err := o.pathTemplate()
	if err != nil {
		return nil, err
	}
	body := jsondoc.NewObject()
	if err := o.body(c, body); err != nil {
		return nil, err
	}
	if err := o.security(); err != nil {
		return nil, err
	}
	input := o.input(c)
	output, err := o.output()
	if err != nil {
		return nil, err
	}

	o.run.Set("method", o.method)
	o.run.Set("url", server+path)
	if o.query.Len() > 0 {
		o.run.Set("query", o.query)
	}
	if o.headers.Len() > 0 {
		o.run.Set("headers", o.headers)
	}
	for name, v := range body.All() {
		o.run.Set(name, v)
	}
	if get(o.op, "callbacks") != nil {
		o.im.warn("%s: its callbacks are left out", o)
	}
	return o.document(input, output), nil
}

func (o *operation) document(input *jsondoc.Object, output any) *jsondoc.Object {
	doc := jsondoc.NewObject()
	doc.Set("name", o.name())
	doc.Set("version", o.im.version)
	summary, details := strings.TrimSpace(safetext.OneLine(str(get(o.op, "summary")), 300)), strings.TrimSpace(safetext.Clip(str(get(o.op, "description")), 3000))
	if summary != "" && details != "" && !strings.HasPrefix(details, summary) {
		details = strings.TrimSuffix(summary, ".") + ".\n\n" + details
	} else if details == "" {
		details = summary
	}
	if truth(get(o.op, "deprecated")) {
		details = strings.TrimSpace("Deprecated. " + details)
		o.im.warn("%s: it is deprecated", o)
	}
	if details != "" {
		doc.Set("description", details)
	}
	effects := o.im.opt.Acting
	if o.method == "GET" || o.method == "HEAD" {
		effects = tool.Read
	}
	doc.Set("effects", effects.String())
	if o.method == "PUT" || o.method == "DELETE" {
		doc.Set("idempotent", true)
	}
	doc.Set("input", input)
	if output != nil {
		doc.Set("output", output)
	}
	doc.Set("run", jsondoc.NewObject(jsondoc.Member{Name: "http", Value: o.run}))
	return doc
}

// input makes the schema of the arguments.
func (o *operation) input(c *converter) *jsondoc.Object {
	in := jsondoc.NewObject(jsondoc.Member{Name: "type", Value: "object"})
	if len(o.required) > 0 {
		in.Set("required", o.required)
	}
	in.Set("properties", o.ordered())
	switch {
	case o.more == nil:
		in.Set("additionalProperties", false)
	default:
		in.Set("additionalProperties", c.schema(o.more))
	}
	in = c.finish(in)
	o.lost(c, "arguments")
	return in
}

// ordered returns the properties with the required ones first, as arguments that
// are given by position want to be.
func (o *operation) ordered() *jsondoc.Object {
	need := map[string]bool{}
	for _, name := range o.required {
		need[str(name)] = true
	}
	out := jsondoc.NewObject()
	for _, wanted := range []bool{true, false} {
		for name, v := range o.props.All() {
			if need[name] == wanted {
				out.Set(name, v)
			}
		}
	}
	return out
}

// argument declares an argument under a name that a plan can use.
func (o *operation) argument(wire, where string, schema any, required bool) string {
	name := wire
	if !isIdentifier(name) {
		if name = snake(wire); name == "" {
			name = where
		}
	}
	if o.args[name] {
		name = identifier(name + "_" + where)
	}
	name = free(o.args, name)
	o.props.Set(name, schema)
	if required {
		o.required = append(o.required, name)
	}
	return name
}

// parameters declares the arguments of path, query, headers and cookies.
func (o *operation) parameters(c *converter) error {
	type key struct{ in, name string }
	order, found := []key{}, map[key]*jsondoc.Object{}
	for _, from := range []*jsondoc.Object{o.item, o.op} {
		for _, v := range list(get(from, "parameters")) {
			if o.im.visited++; len(order) > maxArguments {
				return fmt.Errorf("it has more than %d parameters", maxArguments)
			}
			p, ok := o.im.resolve(v).(*jsondoc.Object)
			k := key{str(get(p, "in")), str(get(p, "name"))}
			if !ok || k.name == "" {
				return errors.New("a parameter cannot be read, or its reference leads nowhere within the document")
			}
			if found[k] == nil {
				order = append(order, k)
			}
			found[k] = p
		}
	}
	for _, where := range []string{"path", "query", "header", "cookie"} {
		for _, k := range order {
			if k.in != where {
				continue
			}
			if err := o.parameter(c, where, k.name, found[k]); err != nil {
				return err
			}
		}
	}
	return nil
}

func (o *operation) parameter(c *converter, where, wire string, p *jsondoc.Object) error {
	required := truth(get(p, "required")) || where == "path"
	if where == "header" && !settable(wire) {
		return nil
	}
	schema, media := o.parameterSchema(p)
	style := str(get(p, "style"))
	problem := ""
	switch {
	case media != "" && media != "application/json":
		problem = "its content is " + media
	case where == "path" && style != "" && style != "simple":
		problem = "its style is " + style
	case where == "cookie" && !required:
		problem = "optional cookies are not sent"
	case where == "header" && !isToken(wire):
		problem = "its name is not one of a header"
	case where == "path" && strings.ContainsAny(wire, "{}/?#"):
		problem = "its name cannot stand in a path"
	}
	if problem != "" {
		if required && where != "cookie" {
			return fmt.Errorf("the %s parameter %s cannot be sent: %s", where, safetext.OneLine(wire, 80), problem)
		}
		o.im.warn("%s: the %s parameter %s is left out: %s", o, where, wire, problem)
		return nil
	}
	converted := c.schema(schema)
	if text := strings.TrimSpace(safetext.Clip(str(get(p, "description")), 1000)); text != "" {
		if own, ok := converted.(*jsondoc.Object); ok {
			if _, has := own.Get("description"); !has {
				own.Set("description", text)
			}
		}
	}
	name := o.argument(wire, where, converted, required)
	switch where {
	case "path":
		o.segments[wire] = name
	case "query":
		o.query.Set(wire, o.queryTemplate(p, name, schema, media))
	case "header":
		o.headers.Set(wire, "{"+name+"}")
	case "cookie":
		o.cookie(wire + "={" + name + "}")
	}
	return nil
}

// cookie adds to the header of that name.
func (o *operation) cookie(pair string) {
	if before := str(get(o.headers, "Cookie")); before != "" {
		pair = before + "; " + pair
	}
	o.headers.Set("Cookie", pair)
}

// parameterSchema returns a parameter's schema, and its media type when it has
// content instead.
func (o *operation) parameterSchema(p *jsondoc.Object) (schema any, media string) {
	for kind, content := range object(get(p, "content")).All() {
		return get(content, "schema"), mediaType(kind)
	}
	return get(p, "schema"), ""
}

// queryTemplate says how an argument is written in the query.
func (o *operation) queryTemplate(p *jsondoc.Object, name string, schema any, media string) any {
	value := "{" + name + "}"
	style := str(get(p, "style"))
	if style == "deepObject" {
		return jsondoc.NewObject(jsondoc.Member{Name: "value", Value: value}, jsondoc.Member{Name: "deep", Value: true})
	}
	explode := style == "" || style == "form"
	if b, ok := get(p, "explode").(bool); ok {
		explode = b
	}
	switch resolved := o.im.resolve(schema); {
	case media != "":
		if get(resolved, "type") != "object" {
			o.im.warn("%s: the query parameter %s is JSON: give it as an object", o, name)
		}
	case get(resolved, "type") == "object":
		o.im.warn("%s: the query parameter %s is sent as JSON, not member by member", o, name)
	case !explode:
		join := ","
		switch style {
		case "spaceDelimited":
			join = " "
		case "pipeDelimited":
			join = "|"
		}
		return jsondoc.NewObject(jsondoc.Member{Name: "value", Value: value}, jsondoc.Member{Name: "join", Value: join})
	}
	return value
}

// pathTemplate makes the path, with the arguments' names.
func (o *operation) pathTemplate() (string, error) {
	if !strings.HasPrefix(o.path, "/") || strings.ContainsAny(o.path, "?#\\") {
		return "", errors.New("its path cannot be used")
	}
	var b strings.Builder
	rest := o.path
	for rest != "" {
		start := strings.IndexByte(rest, '{')
		if start < 0 {
			b.WriteString(escapePath(rest))
			break
		}
		name, after, ok := strings.Cut(rest[start+1:], "}")
		if !ok || name == "" {
			return "", errors.New("its path cannot be used")
		}
		arg, declared := o.segments[name]
		if !declared {
			if strings.ContainsAny(name, "/{") {
				return "", errors.New("its path cannot be used")
			}
			arg = o.argument(name, "path", jsondoc.NewObject(jsondoc.Member{Name: "type", Value: "string"}), true)
			o.segments[name] = arg
			o.im.warn("%s: the path's %s is not among the parameters: it is taken to be a string", o, name)
		}
		b.WriteString(escapePath(rest[:start]) + "{" + arg + "}")
		rest = after
	}
	for wire := range o.segments {
		if !strings.Contains(o.path, "{"+wire+"}") {
			return "", fmt.Errorf("its path has no place for the parameter %s", safetext.OneLine(wire, 80))
		}
	}
	path := b.String()
	for segment := range strings.SplitSeq(path, "/") {
		if decoded, err := url.PathUnescape(segment); err != nil || decoded == "." || decoded == ".." {
			return "", errors.New("its path cannot be used")
		}
	}
	return path, nil
}

// escapePath encodes the literal text of a path; what is encoded already stays.
func escapePath(s string) string {
	var b strings.Builder
	for i := range len(s) {
		c := s[i]
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.IndexByte("-._~/%:@!$&'()*+,;=", c) >= 0:
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// settable reports whether a header is for a tool to set.
func settable(name string) bool {
	switch http.CanonicalHeaderKey(name) {
	case "Accept", "Content-Type", "Authorization", "Host", "Connection", "Content-Length", "Expect", "Keep-Alive", "Te", "Trailer", "Transfer-Encoding", "Upgrade", "Accept-Encoding":
		return false
	}
	return !strings.HasPrefix(strings.ToLower(name), "proxy-")
}

func isToken(s string) bool {
	for i := range len(s) {
		if c := s[i]; c <= ' ' || c >= 0x7f || strings.IndexByte(`"(),/:;<=>?@[\]{}`, c) >= 0 {
			return false
		}
	}
	return s != "" && len(s) <= 200
}

// mediaType is a content type without its parameters.
func mediaType(s string) string {
	s, _, _ = strings.Cut(s, ";")
	return strings.ToLower(strings.TrimSpace(s))
}

func isJSON(media string) bool {
	return media == "application/json" || strings.HasSuffix(media, "+json")
}
