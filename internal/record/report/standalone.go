package report

import (
	"bytes"
	"html"
	"html/template"
	"slices"
	"strings"
	"unicode/utf8"

	"praxis/internal/lazyregexp"
	"praxis/internal/safetext"
)

// What a value's HTML is, as far as its text tells.
var (
	// active is HTML that is more than formatted text.
	active = lazyregexp.New(`(?i)<(?:script|iframe|canvas|!doctype)\b|<html[\s>]`)
	// styled is HTML that brings a look of its own, and ordinary the HTML that libraries
	// make for each of their values, whose text says as much.
	styled   = lazyregexp.New(`(?i)<style[\s>]`)
	ordinary = lazyregexp.New(`class="(?:dataframe|xr-|sk-|[^"]* dataframe)|id="sk-`)
	// scripted is HTML that shows nothing, or less, where no script runs.
	scripted = lazyregexp.New(`(?i)<(?:script|iframe)\b`)
)

// IsPage says whether the HTML of a value without a picture is saved as a page: its
// text says nothing, or the HTML is interactive or brings its own look. Tables of
// data frames and the like are text.
func IsPage(text, source string) bool {
	switch {
	case source == "":
		return false
	case text == "" || defaultText.MatchString(text):
		return true
	case ordinary.MatchString(source):
		return false
	}
	return active.MatchString(source) || styled.MatchString(source)
}

// standaloneHead begins a page that holds the HTML of guest code. The code is hostile and
// a browser opens the page from a disk: the HTML is in a frame with an origin of its
// own, which cannot read files or leave the frame, and the policy, which the frame
// inherits, lets scripts run but nothing be loaded or sent.
const standaloneHead = `<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval' blob:; worker-src blob:; style-src 'unsafe-inline'; img-src data: blob:; media-src data: blob:; font-src data:; form-action 'none'; base-uri 'none'">
<meta name="referrer" content="no-referrer"><meta name="viewport" content="width=device-width">
`

// Standalone returns HTML that code displayed as a page of that name, which works by
// itself: nothing is loaded. What it names on the network is listed at its top.
func Standalone(name, source string) []byte {
	var b bytes.Buffer
	b.Grow(len(source) + len(source)/4 + 1<<10)
	b.WriteString(standaloneHead)
	b.WriteString("<title>" + template.HTMLEscapeString(safetext.Line(name)) + "</title>\n")
	b.WriteString("<style>html,body{height:100%;margin:0}body{display:flex;flex-direction:column;font:14px/1.5 sans-serif}p{margin:0;padding:6px 12px;background:#fff3cd;color:#333}iframe{flex:1;border:0;width:100%}</style></head>\n<body>\n")
	if hosts := Hosts(source); len(hosts) > 0 {
		b.WriteString("<p>This page needs " + template.HTMLEscapeString(strings.Join(hosts, ", ")) + " on the network. Nothing is loaded from there, so parts of it are missing.</p>\n")
	}
	b.WriteString(`<iframe sandbox="allow-scripts" referrerpolicy="no-referrer" title="` + template.HTMLEscapeString(safetext.Line(name)) + `" srcdoc="`)
	escapeAttribute(&b, source)
	b.WriteString("\"></iframe>\n</body></html>\n")
	return b.Bytes()
}

// escapeAttribute writes HTML as the value of an attribute in double quotes. A browser
// reads exactly the source there: what a script holds must not change.
func escapeAttribute(b *bytes.Buffer, source string) {
	source = strings.Map(func(r rune) rune {
		if r == 0 {
			return utf8.RuneError
		}
		return r
	}, valid(source))
	_, _ = strings.NewReplacer("&", "&amp;", `"`, "&quot;", "<", "&lt;", ">", "&gt;").WriteString(b, source) // a buffer takes all
}

// loaded finds the addresses that HTML loads scripts, styles and pictures from.
var loaded = lazyregexp.New(`(?i)<(?:script|link|img|iframe)\b[^<>]{0,500}?\b(?:src|href)\s*=\s*["']?(?:https?:)?//([a-z0-9.-]{1,253})|(?:\btileLayer\(|\bimport\()\s*["'](?:https?:)?//([a-z0-9.{}-]{1,253})`)

// maxHosts bounds how many hosts of a page are named.
const maxHosts = 8

// Hosts names the hosts that HTML loads parts from, sorted, and no more than a few.
// Frames within it are looked into.
func Hosts(source string) []string {
	found := map[string]bool{}
	for depth := 0; depth < 2; depth++ {
		for _, m := range loaded.FindAllStringSubmatch(source, 200) {
			found[strings.ToLower(m[1]+m[2])] = true
		}
		if !strings.Contains(source, "srcdoc=") {
			break
		}
		source = html.UnescapeString(source)
	}
	var out []string
	for host := range found {
		out = append(out, host)
	}
	slices.Sort(out)
	return out[:min(len(out), maxHosts)]
}

// File returns what is saved of a picture.
func (p Picture) File() []byte {
	if p.MIME == page {
		return Standalone(p.Name, string(p.Data))
	}
	return p.Data
}
