package openapi

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"praxis/internal/safetext"
	"praxis/internal/tool/jsondoc"
)

const maxAlternatives = 50 // of security, and credentials in one

// body declares the arguments of the request's body and says how it is made.
func (o *operation) body(c *converter, run *jsondoc.Object) error {
	v, has := o.op.Get("requestBody")
	if !has {
		return nil
	}
	body, ok := o.im.resolve(v).(*jsondoc.Object)
	if !ok {
		return errors.New("the reference of its body leads nowhere within the document")
	}
	required := truth(get(body, "required"))
	media, content := preferred(object(get(body, "content")))
	switch {
	case media == "" && !required:
		o.im.warn("%s: its body is left out: it is neither JSON nor a form", o)
		return nil
	case media == "":
		return errors.New("its body is neither JSON nor a form")
	}
	schema := get(content, "schema")
	props, need, more, plain := o.im.plainObject(schema, 0)
	form := media == "application/x-www-form-urlencoded"
	if form && !plain {
		return errors.New("its form has no fields that could be arguments")
	}
	if media != "application/json" && !form {
		o.headers.Set("Content-Type", media)
	}
	if !plain {
		name := o.argument("body", "body", c.schema(orTrue(schema)), required)
		run.Set("body", "{"+name+"}")
		return nil
	}
	template, renamed := jsondoc.NewObject(), false
	for wire, part := range props.All() {
		if truth(get(part, "readOnly")) || truth(get(o.im.resolve(part), "readOnly")) {
			continue
		}
		name := o.argument(wire, "body", c.schema(part), required && need[wire])
		template.Set(wire, "{"+name+"}")
		renamed = renamed || name != wire
	}
	switch {
	case form:
		run.Set("form", template)
	case more != nil && (renamed || o.bodyless()):
		o.im.warn("%s: further members of its body cannot be sent", o)
		run.Set("body", template)
	case renamed || o.bodyless():
		run.Set("body", template)
	default: // arguments without another place go into the body
		o.more = more
	}
	return nil
}

// bodyless reports whether arguments go into the query unless the document says otherwise.
func (o *operation) bodyless() bool {
	return o.method == "GET" || o.method == "HEAD" || o.method == "DELETE"
}

func orTrue(schema any) any {
	if schema == nil {
		return true
	}
	return schema
}

// preferred chooses among the content types of a body.
func preferred(content *jsondoc.Object) (media string, v any) {
	best := 0
	for kind, c := range content.All() {
		rank := 0
		switch m := mediaType(kind); {
		case m == "application/json":
			rank = 4
		case isJSON(m) && isPlainMedia(m):
			rank = 3
		case m == "application/x-www-form-urlencoded":
			rank = 2
		case m == "*/*" || m == "application/*":
			rank = 1
		}
		if rank > best {
			best, media, v = rank, mediaType(kind), c
		}
	}
	if strings.HasSuffix(media, "/*") {
		media = "application/json"
	}
	return media, v
}

func isPlainMedia(m string) bool {
	return !strings.ContainsFunc(m, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || strings.ContainsRune("/+-._", r))
	})
}

// output makes the schema of the result from the answers of success; nil when
// the document does not say.
func (o *operation) output() (any, error) {
	c := o.im.converter(fromServer)
	var forms []any
	known, accept, other := true, "", ""
	responses := object(get(o.op, "responses"))
	o.im.visited += responses.Len()
	for status, v := range responses.All() {
		if len(status) != 3 || status[0] != '2' {
			continue
		}
		content := object(get(o.im.resolve(v), "content"))
		o.im.visited += content.Len()
		if content.Len() == 0 || o.method == "HEAD" {
			forms = append(forms, jsondoc.NewObject(jsondoc.Member{Name: "type", Value: "null"}))
			continue
		}
		media, schema, found := answer(content)
		switch {
		case !found:
			other = media
			continue
		case !isJSON(media):
			forms = append(forms, jsondoc.NewObject(jsondoc.Member{Name: "type", Value: "string"}))
		case schema == nil:
			known = false
		default:
			forms = append(forms, c.schema(schema))
		}
		if media != "application/json" && !strings.Contains(media, "*") && accept == "" && isPlainMedia(media) {
			accept = media
		}
	}
	if len(forms) == 0 && known && other != "" {
		return nil, fmt.Errorf("it answers with %s, which is neither JSON nor text", safetext.OneLine(other, 80))
	}
	if accept != "" {
		o.headers.Set("Accept", accept)
	}
	forms = distinct(forms)
	if !known || len(forms) == 0 || isNull(forms) {
		return nil, nil // an answer that has no content according to the document may have some
	}
	root, ok := forms[0].(*jsondoc.Object)
	if len(forms) > 1 {
		root, ok = jsondoc.NewObject(jsondoc.Member{Name: "anyOf", Value: forms}), true
	}
	if ok {
		root = c.finish(root)
	}
	o.lost(c, "result")
	if !ok {
		return nil, nil
	}
	if n := o.im.size(root); n > maxSchema {
		o.im.warn("%s: what it returns is not checked: the schema has %d bytes", o, n)
		return nil, nil
	}
	return root, nil
}

// lost warns of what a converter could not express.
func (o *operation) lost(c *converter, where string) {
	for _, what := range slices.Sorted(maps.Keys(c.lost)) {
		o.im.warn("%s: %s: %s could not be expressed", o, where, what)
	}
}

// answer chooses among the content types of an answer.
func answer(content *jsondoc.Object) (media string, schema any, found bool) {
	best := 0
	for kind, c := range content.All() {
		m, rank := mediaType(kind), 0
		switch {
		case m == "application/json" || m == "*/*" || m == "application/*":
			rank = 3
		case isJSON(m):
			rank = 2
		case strings.HasPrefix(m, "text/") || m == "application/xml" || strings.HasSuffix(m, "+xml"):
			rank = 1
		}
		if media == "" {
			media = m
		}
		if rank > best {
			best, media, schema, found = rank, m, get(c, "schema"), true
		}
	}
	if strings.HasSuffix(media, "/*") {
		media = "application/json"
	}
	return media, schema, found
}

func distinct(forms []any) []any {
	var out []any
	seen := map[string]bool{}
	for _, f := range forms {
		text, err := jsondoc.Canonical(f)
		if err != nil || seen[string(text)] {
			continue
		}
		seen[string(text)] = true
		out = append(out, f)
	}
	return out
}

func isNull(forms []any) bool {
	return len(forms) == 1 && get(forms[0], "type") == "null"
}

// security puts the credentials of the first alternative that can be sent into
// headers and query.
func (o *operation) security() error {
	wanted, own := o.op.Get("security")
	if !own {
		wanted = get(o.im.root, "security")
	}
	alternatives := list(wanted)
	if len(alternatives) > maxAlternatives {
		return fmt.Errorf("it has more than %d alternatives of security", maxAlternatives)
	}
	open := len(alternatives) == 0
	var problem error
	for _, alternative := range alternatives {
		if object(alternative).Len() == 0 {
			open = true
			continue
		}
		if problem = o.expressible(object(alternative)); problem != nil {
			continue
		}
		for scheme := range object(alternative).All() {
			o.credential(scheme)
		}
		return nil
	}
	if problem != nil && !open {
		return problem
	}
	return nil
}

func (o *operation) scheme(name string) any {
	return o.im.resolve(get(get(get(o.im.root, "components"), "securitySchemes"), name))
}

func (o *operation) expressible(alternative *jsondoc.Object) error {
	if alternative.Len() > maxAlternatives {
		return fmt.Errorf("it needs more than %d credentials", maxAlternatives)
	}
	for name := range alternative.All() {
		s := o.scheme(name)
		kind, how := str(get(s, "type")), strings.ToLower(str(get(s, "scheme")))
		wire := str(get(s, "name"))
		switch {
		case kind == "apiKey" && wire != "" && (get(s, "in") == "query" || get(s, "in") == "cookie" && isToken(wire)):
		case kind == "apiKey" && get(s, "in") == "header" && isToken(wire) && (settable(wire) || strings.EqualFold(wire, "Authorization")):
		case kind == "http" && (how == "bearer" || how == "basic"):
		case kind == "oauth2" || kind == "openIdConnect":
		default:
			return fmt.Errorf("its security scheme %s (%s) cannot be expressed", safetext.OneLine(name, 60), safetext.OneLine(strings.TrimSpace(kind+" "+how), 60))
		}
	}
	return nil
}

// credential adds one credential to the request.
func (o *operation) credential(name string) {
	s := o.scheme(name)
	kind, how, wire := str(get(s, "type")), strings.ToLower(str(get(s, "scheme"))), str(get(s, "name"))
	switch {
	case kind == "apiKey":
		value := "{secret:" + o.im.secret(name, "the key for "+name) + "}"
		switch get(s, "in") {
		case "query":
			o.query.Set(wire, value)
		case "cookie":
			o.cookie(wire + "=" + value)
		default:
			o.headers.Set(wire, value)
		}
	case how == "basic":
		o.headers.Set("Authorization", "Basic {secret:"+o.im.secret(name, "user:password in base64, for "+name)+"}")
	default:
		if _, known := o.im.schemes[name]; !known && kind != "http" {
			o.im.warn("the security scheme %s (%s): no token is fetched; put one into the secret", name, kind)
		}
		o.headers.Set("Authorization", "Bearer {secret:"+o.im.secret(name, "the token for "+name+", without the word Bearer")+"}")
	}
}
