package sql

import (
	"strings"

	"praxis/internal/language"
	"praxis/internal/lazyregexp"
)

// A light scanner of SQL: enough to colour code and to know whether a person at the
// prompt has more to type. It does not know which engine runs the code, so it takes what
// either of them does.

// scanner finds one token. Its groups are, in order: a comment of a line, the beginning of
// one of lines, a string, the beginning of a string between dollars, a quoted name, a number,
// a placeholder, a word, and anything else.
var scanner = lazyregexp.New(`(?s)^(?:(--[^\n]*)|(/\*)|([eE]'(?:[^'\\]|\\.|'')*'?|'(?:[^']|'')*'?)|(\$(?:[A-Za-z_]\w*)?\$)|("(?:[^"]|"")*"?)|(\d[\w.]*)|([$:@][A-Za-z_]\w*)|([\pL_][\pL\pN_$]*)|(::|.))`)

const (
	lineComment = 2 * (1 + iota)
	blockComment
	quotedText
	dollarText
	quotedName
	number
	placeholder
	word
)

// token is one token of a source.
type token struct {
	class language.Class
	text  string
	open  bool // a string or a comment that does not end
	end   bool // a semicolon
	blank bool // a comment, or white space
}

// scan splits a source into tokens, which put together are the source.
func scan(source string) []token {
	var out []token
	for len(source) > 0 {
		t := token{class: language.Plain, text: source[:1]}
		if m := scanner.FindStringSubmatchIndex(source); m != nil {
			t = classify(source, m)
		}
		out = append(out, t)
		source = source[len(t.text):]
	}
	return out
}

// classify makes the token of a match at the beginning of source.
func classify(source string, m []int) token {
	t := token{class: language.Plain, text: source[:m[1]]}
	has := func(group int) bool { return m[group] >= 0 }
	switch {
	case has(lineComment):
		t.class, t.blank = language.Comment, true
	case has(blockComment):
		t.class, t.blank = language.Comment, true
		t.text, t.open = until(source, "*/", 2)
	case has(quotedText):
		t.class, t.open = language.Text, unclosed(t.text, '\'')
	case has(dollarText):
		t.class = language.Text
		t.text, t.open = until(source, t.text, len(t.text))
	case has(quotedName):
		t.open = unclosed(t.text, '"')
	case has(number):
		t.class = language.Number
	case has(placeholder):
		t.class = language.Decorator
	case has(word):
		switch upper := strings.ToUpper(t.text); {
		case isKeyword(upper):
			t.class = language.Keyword
		case strings.HasPrefix(strings.TrimLeft(source[len(t.text):], " "), "("):
			t.class = language.Builtin
		}
	default:
		t.end = t.text == ";"
		t.blank = strings.TrimSpace(t.text) == ""
	}
	return t
}

// until returns the beginning of source up to the end of a mark that is looked for from a
// position on; open says that there is none.
func until(source, mark string, from int) (text string, open bool) {
	i := strings.Index(source[from:], mark)
	if i < 0 {
		return source, true
	}
	return source[:from+i+len(mark)], false
}

// unclosed says whether a text that begins with a quote lacks the one at its end. A doubled
// quote stands for one.
func unclosed(text string, quote byte) bool {
	if text[0] != quote {
		if strings.HasSuffix(strings.ReplaceAll(text[1:], `\\`, ""), `\'`) {
			return true
		}
		text = strings.ReplaceAll(strings.ReplaceAll(text[1:], `\\`, ""), `\'`, "")
	}
	return strings.Count(text, string(quote))%2 != 0
}

// highlight splits a source into spans.
func highlight(source string) []language.Span {
	var out []language.Span
	start, end := 0, 0
	for _, t := range scan(source) {
		if n := len(out); n == 0 || out[n-1].Class != t.class {
			out = append(out, language.Span{Class: t.class})
			start = end
		}
		end += len(t.text)
		out[len(out)-1].Text = source[start:end]
	}
	return out
}

// incomplete says whether more is to come: a string, a comment or a quoted name is open, or
// the last statement has no semicolon. An empty line ends it in any case.
func incomplete(source string) bool {
	ended, some := true, false
	for _, t := range scan(source) {
		switch {
		case t.open:
			return true
		case !t.blank:
			ended, some = t.end, true
		}
	}
	return some && !ended && !strings.HasSuffix(source, "\n\n")
}

// isKeyword says whether a word, in capitals, is coloured as one.
func isKeyword(upper string) bool { return strings.Contains(keywords, " "+upper+" ") }

const keywords = " ADD ALL ALTER ANALYZE AND ANTI ANY AS ASC ASOF ATTACH BEGIN BETWEEN BY CASCADE CASE CAST CHECK COLLATE COLUMN COMMIT CONFLICT " +
	"CONSTRAINT COPY CREATE CROSS CUBE CURRENT DATABASE DEFAULT DELETE DESC DESCRIBE DETACH DISTINCT DO DROP ELSE END ESCAPE EXCEPT EXCLUDE EXISTS " +
	"EXPLAIN FALSE FETCH FILTER FIRST FOLLOWING FOR FOREIGN FROM FULL FUNCTION GLOB GROUP GROUPING HAVING IF ILIKE IN INDEX INNER INSERT INTERSECT " +
	"INTO IS ISNULL JOIN KEY LAST LATERAL LEFT LIKE LIMIT MACRO MATERIALIZED MERGE NATURAL NOT NOTHING NOTNULL NULL NULLS OFFSET ON OR ORDER OUTER " +
	"OVER PARTITION PIVOT PLAN POSITIONAL PRAGMA PRECEDING PRIMARY QUALIFY QUERY RANGE RECURSIVE REFERENCES REPLACE RESTRICT RETURNING RIGHT ROLLBACK " +
	"ROLLUP ROW ROWS SAMPLE SCHEMA SELECT SEMI SEQUENCE SET SETS SHOW SUMMARIZE TABLE TEMP TEMPORARY THEN TO TRANSACTION TRIGGER TRUE TRUNCATE " +
	"UNBOUNDED UNION UNIQUE UNPIVOT UPDATE USING VACUUM VALUES VIEW VIRTUAL WHEN WHERE WINDOW WITH WITHOUT "
