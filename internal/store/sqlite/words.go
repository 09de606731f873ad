package sqlite

import (
	"fmt"
	"strings"
	"unicode"

	"praxis/fault"
)

const (
	maxWords      = 64   // of a query
	maxWordsBytes = 4096 // of a query
)

// kindWord is the word that distinguishes the texts of one kind from others.
func kindWord(kf int64) string { return fmt.Sprintf("k%d", kf) }

// wordsOf prepares a text for FTS5, which reads UTF-8 up to a zero byte.
func wordsOf(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, " "), "\x00", " ")
}

// match returns the expression of FTS5 that finds all words of a query. The
// words are quoted, each of them, so that nothing of them is syntax. It returns
// "" when there is no word in the query, which nothing fits then.
func match(query string) (string, error) {
	if len(query) > maxWordsBytes {
		return "", fault.New(fault.Invalid, "Search for fewer words.", "%d bytes are too many to search for, at most %d are taken", len(query), maxWordsBytes)
	}
	query = wordsOf(query)
	var terms []string
	for rest := query; rest != ""; {
		var term string
		term, rest = nextTerm(rest)
		if term != "" {
			terms = append(terms, term)
		}
	}
	if len(terms) > maxWords {
		return "", fault.New(fault.Invalid, "Search for fewer words.", "%d words are too many to search for, at most %d are taken", len(terms), maxWords)
	}
	return strings.Join(terms, " AND "), nil
}

// nextTerm takes the first word or phrase off a query and returns it quoted, or ""
// when it has no letter and no digit.
func nextTerm(query string) (term, rest string) {
	if phrase, ok := strings.CutPrefix(query, `"`); ok {
		phrase, rest, _ = strings.Cut(phrase, `"`)
		return quote(phrase, false), rest
	}
	end := strings.IndexFunc(query, func(r rune) bool { return r == '"' || unicode.IsSpace(r) })
	if end < 0 {
		end = len(query)
	}
	word, prefix := strings.CutSuffix(query[:end], "*")
	rest = strings.TrimLeftFunc(query[end:], unicode.IsSpace)
	return quote(word, prefix), rest
}

// quote makes a string of FTS5, in which a double quote stands twice; the
// words never have one, because it begins and ends phrases.
func quote(text string, prefix bool) string {
	if !strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }) {
		return ""
	}
	text = `"` + strings.ReplaceAll(text, `"`, `""`) + `"`
	if prefix {
		text += "*"
	}
	return text
}
