// Package price knows what models cost: a table of list prices in US dollars
// per million tokens, by patterns of model names.
//
// # The table
//
// The table that is built in holds prices that their sellers have published,
// each with the date on which it was valid and its source. A person's own file goes
// before it: the first entry whose pattern matches a model's name is its price,
// the file's entries first, so that a price can be corrected, added or agreed
// on with a seller without waiting for a new version.
//
//	{
//	  "prices": [
//	    {"model": "openai:my-model*", "input": 0.5, "output": 1.5, "as_of": "2025-11-30", "source": "our contract"}
//	  ]
//	}
//
// An entry may have "cache_read" and "cache_write", too. In a pattern, * stands for any characters. A name is PROVIDER:NAME, as it is
// given to --model.
//
// A model without an entry has no price: its cost is unknown and never a guess.
// Replies that come from a file cost nothing, see [Scripted]. Input that comes
// from a seller's cache, or goes there, has a price of its own; where an entry has
// none, it costs as other input does. What sellers give off the list price beside
// that (batches) or ask on top of it (very long input) is not in the tokens that
// are counted, so a cost is an estimate.
package price

import (
	"bytes"
	_ "embed" // the table that is built in
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/bounded"
)

//go:embed prices.json
var builtIn []byte

// Bounds of a file of prices.
const (
	maxFile    = 1 << 20 // bytes
	maxEntries = 5000
	maxPattern = 256     // bytes
	maxNote    = 500     // bytes of a date or a source
	maxUSD     = 1000000 // per million tokens
)

// Price is one entry of a table.
type Price struct {
	Model  string  `json:"model"`  // a pattern: * stands for any characters
	Input  float64 `json:"input"`  // US dollars per million tokens
	Output float64 `json:"output"` // US dollars per million tokens
	// Of input that comes from the seller's cache, and that goes there; nil: as Input.
	CacheRead  *float64 `json:"cache_read,omitempty"`
	CacheWrite *float64 `json:"cache_write,omitempty"`
	AsOf       string   `json:"as_of,omitempty"`  // when it was valid
	Source     string   `json:"source,omitempty"` // who says so
}

// Table is a list of prices, of which the first that matches holds. The zero
// value knows no price.
type Table struct{ prices []Price }

// Load reads the person's file at path and puts the table that is built in
// behind it. An empty path, or one at which there is no file, gives the latter
// alone.
func Load(path string) (Table, error) {
	base, err := Parse(builtIn)
	if err != nil {
		return Table{}, fmt.Errorf("cannot read the prices that are built in: %w", err)
	}
	if path == "" {
		return base, nil
	}
	data, err := read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return base, nil
	}
	if err != nil {
		return Table{}, err
	}
	own, err := Parse(data)
	if err != nil {
		return Table{}, fmt.Errorf("cannot read prices from %s: %w", path, err)
	}
	return Table{append(own.prices, base.prices...)}, nil
}

// read reads a file that is no longer than it may be.
func read(path string) (data []byte, err error) {
	const remedy = "Make it a readable file, or remove it to use the prices that are built in."
	data, err = bounded.ReadFile(path, maxFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fault.New(fault.Invalid, remedy, "cannot read prices from %s: %w", path, err)
	}
	return data, err
}

// entry is a Price as it is read: what is left out differs from what is 0.
type entry struct {
	Model  *string  `json:"model"`
	Input  *float64 `json:"input"`
	Output *float64 `json:"output"`
	Read   *float64 `json:"cache_read"`
	Write  *float64 `json:"cache_write"`
	AsOf   string   `json:"as_of"`
	Source string   `json:"source"`
}

// Parse reads a file of prices. It refuses what it does not know, so that a
// typing error is not a price of 0.
func Parse(data []byte) (Table, error) {
	const remedy = `Write {"prices": [{"model": "PROVIDER:NAME", "input": 3, "output": 15}]}, in US dollars per million tokens.`
	var file struct {
		Prices []entry `json:"prices"`
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&file); err != nil {
		return Table{}, fault.New(fault.Invalid, remedy, "%s%s", position(data, err, dec.InputOffset()), plain(err))
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return Table{}, fault.New(fault.Invalid, remedy, "%sthere is text after the object", line(data, dec.InputOffset()))
	}
	if len(file.Prices) > maxEntries {
		return Table{}, fault.New(fault.Invalid, remedy, "there are %d entries, and the bound is %d", len(file.Prices), maxEntries)
	}
	var t Table
	seen := map[string]int{}
	for i, e := range file.Prices {
		p, err := e.price()
		if err != nil {
			return Table{}, fault.New(fault.Invalid, remedy, "entry %d: %w", i+1, err)
		}
		if before := seen[p.Model]; before > 0 {
			return Table{}, fault.New(fault.Invalid, "Remove one of them.", "entry %d: %q is already priced by entry %d", i+1, p.Model, before)
		}
		seen[p.Model] = i + 1
		t.prices = append(t.prices, p)
	}
	return t, nil
}

// plain takes the package's name out of a message of encoding/json.
func plain(err error) string {
	if errors.Is(err, io.EOF) {
		return "the file is empty"
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return "the text ends too early"
	}
	return strings.TrimPrefix(err.Error(), "json: ")
}

// position says where an error of encoding/json is.
func position(data []byte, err error, offset int64) string {
	var syntax *json.SyntaxError
	var typed *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		offset = syntax.Offset
	case errors.As(err, &typed):
		offset = typed.Offset
	case !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF):
		return "" // for a key that is not known, the decoder's error has the name alone
	}
	return line(data, offset)
}

func line(data []byte, offset int64) string {
	offset = min(max(offset, 0), int64(len(data)))
	return fmt.Sprintf("line %d: ", 1+bytes.Count(data[:offset], []byte("\n")))
}

func (e entry) price() (Price, error) {
	if e.Model == nil {
		return Price{}, errors.New(`"model" is missing`)
	}
	p := Price{Model: *e.Model, CacheRead: e.Read, CacheWrite: e.Write, AsOf: e.AsOf, Source: e.Source}
	switch {
	case p.Model == "" || len(p.Model) > maxPattern || !visible(p.Model) || strings.ContainsRune(p.Model, ' '):
		return Price{}, fmt.Errorf("%.80q is no pattern of a model's name", p.Model)
	case len(p.AsOf) > maxNote || !visible(p.AsOf):
		return Price{}, errors.New(`"as_of" is no short line of text`)
	case len(p.Source) > maxNote || !visible(p.Source):
		return Price{}, errors.New(`"source" is no short line of text`)
	}
	for _, v := range []struct {
		name string
		got  *float64
		set  *float64 // nil: it may be left out
	}{{"input", e.Input, &p.Input}, {"output", e.Output, &p.Output}, {"cache_read", e.Read, nil}, {"cache_write", e.Write, nil}} {
		switch {
		case v.got == nil && v.set == nil:
			continue
		case v.got == nil:
			return Price{}, fmt.Errorf("%q: %q is missing", p.Model, v.name)
		case math.IsNaN(*v.got) || *v.got < 0 || *v.got > maxUSD:
			return Price{}, fmt.Errorf("%q: %q is %g, not a price from 0 to %d", p.Model, v.name, *v.got, maxUSD)
		case v.set != nil:
			*v.set = *v.got
		}
	}
	return p, nil
}

// visible says whether a text has only characters that show.
func visible(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return r != ' ' && !unicode.IsGraphic(r) })
}

// Prices returns the entries, the ones that are tried first at the front.
func (t Table) Prices() []Price { return slices.Clone(t.prices) }

// Find returns the price of a model. By which of OpenAI's interfaces it is asked,
// and that its replies are kept, changes no price.
func (t Table) Find(model string) (Price, bool) {
	if recorded, ok := strings.CutPrefix(model, "record:"); ok {
		_, model, _ = strings.Cut(recorded, "=")
	}
	for _, provider := range []string{"openai-chat:", "openai-responses:"} {
		if name, ok := strings.CutPrefix(model, provider); ok {
			model = "openai:" + name
		}
	}
	if Scripted(model) {
		return Price{Model: model, Source: "replies that come from a file cost nothing"}, true
	}
	for _, p := range t.prices {
		if match(p.Model, model) {
			return p, true
		}
	}
	return Price{}, false
}

// Cost returns what tokens of a model cost in US dollars, by the list price. A
// model that has no price is not known.
func (t Table) Cost(model string, tokens event.Tokens) (usd float64, known bool) {
	p, known := t.Find(model)
	if !known {
		return 0, false
	}
	return p.of(tokens) / 1e6, true
}

// of returns what tokens cost, times a million.
func (p Price) of(t event.Tokens) float64 {
	read, written := p.Input, p.Input
	if p.CacheRead != nil {
		read = *p.CacheRead
	}
	if p.CacheWrite != nil {
		written = *p.CacheWrite
	}
	fresh := max(t.Input-t.CacheRead-t.CacheWritten, 0)
	return float64(fresh)*p.Input + float64(t.CacheRead)*read + float64(t.CacheWritten)*written + float64(t.Output)*p.Output
}

// Scripted says whether a model's replies come from a file, written or
// recorded: no one is paid for them.
func Scripted(model string) bool {
	provider, _, _ := strings.Cut(model, ":")
	return provider == "scripted" || provider == "recorded" || provider == "replay"
}

// match says whether a name is what a pattern describes. It takes time that
// grows with the product of the lengths at the most.
func match(pattern, name string) bool {
	star, mark := -1, 0 // the last * and what it has taken of the name so far
	p, n := 0, 0
	for n < len(name) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, mark = p, n
			p++
		case p < len(pattern) && pattern[p] == name[n]:
			p, n = p+1, n+1
		case star >= 0:
			mark++
			p, n = star+1, mark
		default:
			return false
		}
	}
	return strings.Trim(pattern[p:], "*") == ""
}

// Format writes US dollars: "$0.0123", "$4.20", "$1,234.50". An amount that is
// too small to show is "<$0.0001".
func Format(usd float64) string {
	switch {
	case usd == 0:
		return "$0"
	case usd < 0.00005:
		return "<$0.0001"
	case usd < 1:
		return fmt.Sprintf("$%.4f", usd)
	}
	text := fmt.Sprintf("%.2f", usd)
	for i := len(text) - len(".00") - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return "$" + text
}
