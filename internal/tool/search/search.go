// Package search finds tools among many by words.
package search

import (
	"cmp"
	"math"
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"praxis/internal/safetext"
	"praxis/internal/tool"
)

// Index finds tools by words. It is immutable and safe for concurrent use.
//
// Tools are ranked by BM25 over the words of their names, titles, descriptions
// and arguments, where a word of a name weighs more than one of a description.
// Words are taken from identifiers too ("findCustomer", "find_customer") and lose
// their endings. A word of a query also finds words that begin with it and, for
// less, those that mean the same.
type Index struct {
	defs  []*tool.Definition
	names []string // in small letters
	lists map[string][]posting
	words []string // the keys of lists, sorted
}

type posting struct {
	tool   int32
	weight float32 // of the word in the tool, as BM25 has it but for how rare the word is
}

// The weights of the places of a word, and the parameters of BM25.
const (
	inLastName  = 5.0
	inName      = 3.0
	inTitle     = 3.0
	inArgument  = 1.5
	inText      = 1.0
	inArgText   = 0.4
	saturation  = 1.4 // k1
	lengthShare = 0.6 // b

	maxTextWords  = 300 // of one description
	maxQuery      = 1000
	maxQueryWords = 16
	maxPrefixed   = 8
	maxLimit      = 1000 // results
)

// NewIndex makes an index of tools.
func NewIndex(defs []*tool.Definition) *Index {
	ix := &Index{defs: slices.Clone(defs), lists: map[string][]posting{}}
	length := make([]float64, len(defs))
	slices.SortStableFunc(ix.defs, func(a, b *tool.Definition) int { return strings.Compare(a.Name, b.Name) })
	total := 0.0
	w := weigher{weights: map[string]float32{}, seen: map[string]float32{}}
	weights := w.weights
	var words []string
	for i, d := range ix.defs {
		ix.names = append(ix.names, strings.ToLower(d.Name))
		clear(weights)
		cut := strings.LastIndexByte(d.Name, '.') + 1
		w.add(d.Name[cut:], inLastName)
		w.add(d.Name[:cut], inName)
		w.add(d.Title, inTitle)
		w.add(d.Description, inText)
		args := d.Arguments()
		for _, a := range args[:min(len(args), 50)] {
			w.add(a.Name, inArgument)
			w.add(a.Type.Description, inArgText)
		}
		words = words[:0]
		for w := range weights {
			words = append(words, w)
		}
		slices.Sort(words) // sums of floats depend on their order
		for _, w := range words {
			ix.lists[w] = append(ix.lists[w], posting{int32(i), weights[w]})
			length[i] += float64(weights[w])
		}
		total += length[i]
	}
	mean := max(total/float64(max(len(defs), 1)), 1)
	ix.words = make([]string, 0, len(ix.lists))
	for word, list := range ix.lists {
		ix.words = append(ix.words, word)
		for i, p := range list {
			w := float64(p.weight)
			list[i].weight = float32(w * (saturation + 1) / (w + saturation*(1-lengthShare+lengthShare*length[p.tool]/mean)))
		}
	}
	slices.Sort(ix.words)
	return ix
}

// Search is NewIndex and [Index.Search], for a few tools.
func Search(defs []*tool.Definition, query string, limit int) []*tool.Definition {
	return NewIndex(defs).Search(query, limit)
}

// Search returns at most limit tools that fit the words of a query, the best
// first. The same query on the same tools gives the same list.
func (ix *Index) Search(query string, limit int) []*tool.Definition {
	query = strings.TrimSpace(safetext.Clip(query, maxQuery))
	limit = min(limit, maxLimit)
	if query == "" || limit <= 0 {
		return nil
	}
	terms := queryWords(query)
	score := ix.score(terms)
	low := strings.ToLower(query)
	below := strings.TrimSuffix(low, ".") + "."
	var top []int // the best so far, the best first
	better := func(a, b int) int { return cmp.Or(cmp.Compare(score[b], score[a]), cmp.Compare(a, b)) }
	for i, name := range ix.names {
		switch {
		case !strings.HasSuffix(name, low) && !strings.HasPrefix(name, below):
		case name == low:
			score[i] += 1000
		case strings.HasPrefix(name, below):
			score[i] += 10
		case strings.HasSuffix(name, "."+low):
			score[i] += 100
		}
		if score[i] <= 0 || (len(top) == limit && better(i, top[limit-1]) > 0) {
			continue
		}
		if len(top) == limit {
			top = top[:limit-1]
		}
		at, _ := slices.BinarySearchFunc(top, i, better)
		top = slices.Insert(top, at, i)
	}
	out := make([]*tool.Definition, len(top))
	for i, at := range top {
		out[i] = ix.defs[at]
	}
	return out
}

// score weighs all tools by the words of a query.
func (ix *Index) score(terms []string) []float64 {
	score := make([]float64, len(ix.defs))
	matched := make([]uint8, len(ix.defs))
	best := make([]float64, len(ix.defs)) // of the word at hand
	touched := make([]int32, 0, len(ix.defs))
	for _, term := range terms {
		touched = touched[:0]
		for _, v := range ix.variants(term) {
			list := ix.lists[v.word]
			share := v.share * math.Log(1+(float64(len(ix.defs))-float64(len(list))+0.5)/(float64(len(list))+0.5))
			for _, p := range list {
				if best[p.tool] == 0 {
					touched = append(touched, p.tool)
				}
				best[p.tool] = max(best[p.tool], share*float64(p.weight))
			}
		}
		for _, i := range touched {
			score[i] += best[i]
			matched[i]++
			best[i] = 0
		}
	}
	for i := range score {
		score[i] *= 0.4 + 0.6*float64(matched[i])/float64(max(len(terms), 1))
	}
	return score
}

type variant struct {
	word  string
	share float64
}

// variants are the indexed words that a word of a query matches.
func (ix *Index) variants(term string) []variant {
	var out []variant
	if _, ok := ix.lists[term]; ok {
		out = append(out, variant{term, 1})
	}
	if len(term) >= 3 {
		n := 0
		for i := sort.SearchStrings(ix.words, term); i < len(ix.words) && n < maxPrefixed && strings.HasPrefix(ix.words[i], term); i++ {
			if ix.words[i] != term {
				out = append(out, variant{ix.words[i], 0.5})
				n++
			}
		}
	}
	for _, group := range sameMeaning() {
		words := strings.Fields(group)
		for i := range words {
			words[i] = stem(words[i])
		}
		if !slices.Contains(words, term) {
			continue
		}
		for _, w := range words {
			if _, ok := ix.lists[w]; ok && w != term {
				out = append(out, variant{w, 0.4})
			}
		}
	}
	return out
}

// sameMeaning are words that those who name tools use for one thing.
func sameMeaning() []string {
	return []string{
		"delete remove erase drop", "create add make new insert", "find search lookup query seek", "get fetch read retrieve load download",
		"update change edit modify set", "email mail", "send post deliver", "list enumerate all", "write save store put",
		"customer client", "issue ticket bug", "user person people account", "message chat", "file document", "run execute call",
		"picture image photo", "price cost", "buy order purchase", "pay payment", "calendar event meet appointment", "translate translation",
	}
}

func queryWords(s string) []string {
	var terms []string
	for word := range eachWord(s) {
		if !slices.Contains(terms, word) && len(terms) < maxQueryWords {
			terms = append(terms, word)
		}
	}
	telling := slices.DeleteFunc(slices.Clone(terms), isFiller)
	if len(telling) > 0 {
		return telling
	}
	return terms
}

func isFiller(w string) bool {
	switch w {
	case "a", "an", "the", "of", "to", "for", "in", "on", "at", "by", "with", "and", "or", "from", "into", "is", "are", "be", "do", "it", "its", "this",
		"that", "i", "me", "my", "you", "your", "can", "how", "what", "which", "some", "any", "need", "want", "tool", "function", "please":
		return true
	}
	return false
}

// weigher weighs the words of one tool after the other.
type weigher struct {
	weights, seen map[string]float32
}

func (w *weigher) add(s string, weight float32) {
	n := 0
	clear(w.seen)
	for word := range eachWord(safetext.Clip(s, 16*maxTextWords)) {
		if n++; n > maxTextWords {
			break
		}
		// What is said again says less.
		w.seen[word]++
		w.weights[word] += weight / w.seen[word]
	}
}

// eachWord gives the stems of the words of a text or an identifier, in small letters.
func eachWord(s string) func(yield func(string) bool) {
	s = strings.ReplaceAll(strings.ReplaceAll(strings.ReplaceAll(s, "e-mail", "email"), "E-mail", "email"), "E-Mail", "email")
	return func(yield func(string) bool) {
		start := -1
		var before rune
		flush := func(end int) bool {
			if start < 0 {
				return true
			}
			word := s[start:end]
			start = -1
			return yield(stem(strings.ToLower(safetext.Clip(word, 40))))
		}
		for i, r := range s {
			switch {
			case r >= utf8.RuneSelf && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana):
				if !flush(i) || !yield(string(r)) {
					return
				}
			case !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r):
				if !flush(i) {
					return
				}
			case start >= 0 && newWord(before, r, s[i+utf8.RuneLen(r):]):
				if !flush(i) {
					return
				}
				start = i
			case start < 0:
				start = i
			}
			before = r
		}
		flush(len(s))
	}
}

// newWord says whether a word begins at r inside an identifier: a large letter
// behind a small one, or the last of several large ones.
func newWord(before, r rune, rest string) bool {
	if !unicode.IsUpper(r) {
		return false
	}
	if unicode.IsLower(before) || unicode.IsDigit(before) {
		return true
	}
	next, _ := utf8.DecodeRuneInString(rest)
	return unicode.IsUpper(before) && unicode.IsLower(next)
}

// stem takes the commonest endings of English words off.
func stem(w string) string {
	switch {
	case len(w) < 4 || w[0] >= utf8.RuneSelf:
		return w
	case strings.HasSuffix(w, "ies") && len(w) > 4:
		return w[:len(w)-3] + "y"
	case strings.HasSuffix(w, "sses"), strings.HasSuffix(w, "xes"), strings.HasSuffix(w, "ches"), strings.HasSuffix(w, "shes"):
		w = w[:len(w)-2]
	case strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") && !strings.HasSuffix(w, "us") && !strings.HasSuffix(w, "is"):
		w = w[:len(w)-1]
	}
	for _, ending := range []string{"ing", "ed"} {
		base, ok := strings.CutSuffix(w, ending)
		if !ok || len(base) < 3 || !strings.ContainsAny(base, "aeiouy") {
			continue
		}
		if n := len(base); base[n-1] == base[n-2] && !strings.ContainsRune("lsz", rune(base[n-1])) {
			return base[:n-1]
		}
		return dropE(base)
	}
	return dropE(w)
}

// dropE makes "delete" and "deleting" one word.
func dropE(w string) string {
	if len(w) > 3 && strings.HasSuffix(w, "e") && !strings.HasSuffix(w, "ee") {
		return w[:len(w)-1]
	}
	return w
}
