// Package lazyregexp compiles regular expressions when they are first used. Variables of
// packages hold hundreds of them; to compile all at the start of each process took half of
// the time before main, and most commands use none.
package lazyregexp

import (
	"os"
	"regexp"
	"strings"
	"sync"
)

// Regexp is a regular expression that is compiled when it is first used. Its methods are
// those of [regexp.Regexp]; they may be called by several goroutines at once.
type Regexp struct {
	text     string
	compiled func() *regexp.Regexp
}

// New returns the expression. One that is not valid panics when it is first used, and at
// once in the binary of a test, so that every test of its package finds it.
func New(text string) *Regexp {
	r := &Regexp{text: text, compiled: sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })}
	if strings.HasSuffix(os.Args[0], ".test") {
		r.Compiled()
	}
	return r
}

// Compiled returns the expression itself.
func (r *Regexp) Compiled() *regexp.Regexp { return r.compiled() }

func (r *Regexp) String() string                       { return r.text }
func (r *Regexp) Match(b []byte) bool                  { return r.compiled().Match(b) }
func (r *Regexp) MatchString(s string) bool            { return r.compiled().MatchString(s) }
func (r *Regexp) FindString(s string) string           { return r.compiled().FindString(s) }
func (r *Regexp) FindStringIndex(s string) []int       { return r.compiled().FindStringIndex(s) }
func (r *Regexp) FindStringSubmatch(s string) []string { return r.compiled().FindStringSubmatch(s) }
func (r *Regexp) FindStringSubmatchIndex(s string) []int {
	return r.compiled().FindStringSubmatchIndex(s)
}
func (r *Regexp) FindSubmatch(b []byte) [][]byte         { return r.compiled().FindSubmatch(b) }
func (r *Regexp) FindIndex(b []byte) []int               { return r.compiled().FindIndex(b) }
func (r *Regexp) FindAllString(s string, n int) []string { return r.compiled().FindAllString(s, n) }
func (r *Regexp) FindAllStringIndex(s string, n int) [][]int {
	return r.compiled().FindAllStringIndex(s, n)
}
func (r *Regexp) FindAllIndex(b []byte, n int) [][]int { return r.compiled().FindAllIndex(b, n) }
func (r *Regexp) FindAllStringSubmatch(s string, n int) [][]string {
	return r.compiled().FindAllStringSubmatch(s, n)
}
func (r *Regexp) FindAllStringSubmatchIndex(s string, n int) [][]int {
	return r.compiled().FindAllStringSubmatchIndex(s, n)
}
func (r *Regexp) FindAllSubmatch(b []byte, n int) [][][]byte {
	return r.compiled().FindAllSubmatch(b, n)
}
func (r *Regexp) FindAllSubmatchIndex(b []byte, n int) [][]int {
	return r.compiled().FindAllSubmatchIndex(b, n)
}
func (r *Regexp) ReplaceAll(b, with []byte) []byte { return r.compiled().ReplaceAll(b, with) }
func (r *Regexp) ReplaceAllFunc(b []byte, f func([]byte) []byte) []byte {
	return r.compiled().ReplaceAllFunc(b, f)
}
func (r *Regexp) ReplaceAllString(s, with string) string {
	return r.compiled().ReplaceAllString(s, with)
}
func (r *Regexp) ReplaceAllStringFunc(s string, f func(string) string) string {
	return r.compiled().ReplaceAllStringFunc(s, f)
}
func (r *Regexp) Split(s string, n int) []string { return r.compiled().Split(s, n) }
func (r *Regexp) SubexpNames() []string          { return r.compiled().SubexpNames() }
