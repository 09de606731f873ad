package regex

import (
	"testing"

	"praxis/internal/test/cpython"
)

// tableCases are patterns, each with the subjects that it is tried on.
var tableCases = []struct {
	pattern  string
	subjects []string
}{
	// characters, sets, positions
	{``, []string{"", "a", "\n"}},
	{`abc`, []string{"abc", "xabcabc", "ab", "abx"}},
	{`a.c`, []string{"abc", "a\nc", "aéc"}},
	{`(?s)a.c`, []string{"abc", "a\nc"}},
	{`[abc]+`, []string{"cabx", "", "xyz"}},
	{`[^abc]+`, []string{"xyzabc", "", "\n"}},
	{`[]a]+`, []string{"]a]b"}},
	{`[^]a]+`, []string{"]axyz]"}},
	{`[a-]+`, []string{"a-b"}},
	{`[-a]+`, []string{"a-b"}},
	{`[a\-z]+`, []string{"a-z b"}},
	{`[\w-]+`, []string{"foo-bar baz"}},
	{`[\d\s]+`, []string{"12 34x5"}},
	{`[\D]+`, []string{"12ab34"}},
	{`[^\d]+`, []string{"12ab34"}},
	{`[^\D]+`, []string{"12ab34"}},
	{`[\s\S]+`, []string{"a\nb", ""}},
	{`[^\s\S]`, []string{"a", ""}},
	{`[\x41-\x43\u0100-\U00010000]+`, []string{"ABCD", "ĀЖ\U00010000\U00010001"}},
	{`[\101\0\n\t\b]+`, []string{"A\x00\n\t\bB"}},
	{`\x41\u00e9\U0001F600`, []string{"Aé😀"}},
	{`\0\01\012\101\1234`, []string{"\x00\x01\nAS4"}},
	{`\a\f\n\r\t\v\\`, []string{"\a\f\n\r\t\v\\"}},
	{`\.\*\-\ \#\&\~`, []string{".*- #&~"}},
	{`^abc$`, []string{"abc", "abc\n", "abc\n\n", "\nabc"}},
	{`(?m)^abc$`, []string{"abc\nabc", "\nabc\n", "xabc"}},
	{`\Aabc\Z`, []string{"abc", "abc\n"}},
	{`\Aabc\z`, []string{"abc", "abc\n"}},
	{`(?m)\Aa\Z`, []string{"a\na", "a"}},
	{`$`, []string{"", "\n", "a\n", "a\n\n"}},
	{`(?m)$`, []string{"", "\n", "a\nb\n"}},
	{`^`, []string{"", "a\nb"}},
	{`(?m)^`, []string{"", "a\nb\n"}},
	{`\b`, []string{"", "a", "a b", " é "}},
	{`\B`, []string{"", "a", "ab cd", "  "}},
	{`\bfoo\b`, []string{"foo", "foobar foo", "éfoo"}},
	{`(?a)\bfoo\b`, []string{"éfoo"}},
	{`\w+`, []string{"héllo wörld_1", "日本語 テスト", "٣४"}},
	{`(?a)\w+`, []string{"héllo wörld_1"}},
	{`\d+`, []string{"12٣४ 5", "²½"}},
	{`(?a)\d+`, []string{"12٣"}},
	{`\s+`, []string{"a \t\n\r\f\v\x1c\x1d\x1e\x1f\u0085\u00a0\u2003b"}},
	{`(?a)\s+`, []string{"a \t\x1c\u00a0b"}},
	{`\w(?a:\w)\w`, []string{"éaé", "ééé"}},
	// quantifiers
	{`a*`, []string{"", "aaa", "baac"}},
	{`a+`, []string{"", "aaa", "baac"}},
	{`a?`, []string{"", "aaa"}},
	{`a*?`, []string{"", "aaa"}},
	{`a+?`, []string{"", "aaa"}},
	{`a??`, []string{"", "aaa"}},
	{`a{2}`, []string{"a", "aa", "aaaaa"}},
	{`a{2,}`, []string{"a", "aaaaa"}},
	{`a{,2}`, []string{"a", "aaaaa"}},
	{`a{2,3}`, []string{"a", "aaaaa"}},
	{`a{2,3}?`, []string{"a", "aaaaa"}},
	{`a{0}b`, []string{"aab"}},
	{`a{,}b`, []string{"aab"}},
	{`a{`, []string{"a{"}},
	{`a{}`, []string{"a{}"}},
	{`a{1`, []string{"a{1"}},
	{`a{1,`, []string{"a{1,"}},
	{`a{x}`, []string{"a{x}"}},
	{`a{1,x}`, []string{"a{1,x}"}},
	{`{1}`, []string{"{1}"}},
	{`x{ 1}`, []string{"x{ 1}"}},
	{`(ab)*`, []string{"ababx", ""}},
	{`(ab){2,3}`, []string{"abababab", "ab"}},
	{`(ab){2,3}?x`, []string{"abababx"}},
	{`(a|ab)(c|bcd)(d*)`, []string{"abcd"}},
	{`(a+|b+|ab)*c`, []string{"aabbc", "abababc"}},
	{`(?:a|b)*?c`, []string{"ababc"}},
	{`(?:(a)|b)*`, []string{"aab", "ba"}},
	{`(?:(a)|(b))+`, []string{"ab", "ba"}},
	{`((a)|b)*`, []string{"ab"}},
	{`(a)?(b)?`, []string{"ab", "b", ""}},
	{`(a|b|)*c`, []string{"abc", "c"}},
	// loops whose body can be empty
	{`(a*)*`, []string{"", "aa", "b"}},
	{`(a*)+`, []string{"", "aa", "b"}},
	{`(a*)*?b`, []string{"aab", "b"}},
	{`(a*)+?b`, []string{"aab", "b"}},
	{`(|a)*`, []string{"aa"}},
	{`(|a)+`, []string{"aa"}},
	{`(|a)*b`, []string{"aab"}},
	{`(|a)+b`, []string{"aab"}},
	{`(|a)+?b`, []string{"aab"}},
	{`(a|)*b`, []string{"aab"}},
	{`(?:()|(a))+?b`, []string{"ab", "aab"}},
	{`(?:()|(a))+b`, []string{"ab", "aab"}},
	{`(?:()|(a)){2,3}b`, []string{"ab", "aab", "aaab"}},
	{`(?:()|(a)){2,}b`, []string{"ab", "aab", "aaab"}},
	{`(?:(a)|()){2,4}?b`, []string{"ab", "aab", "aaab"}},
	{`((a*)*)*`, []string{"aab"}},
	{`((a*)+)*b`, []string{"aab"}},
	{`((a|b*)*)*c`, []string{"abbac"}},
	{`(?:(?:a?)*?b?)*?c`, []string{"abac"}},
	{`(a?b??)*`, []string{"aabab"}},
	{`(a??b??)*c`, []string{"aababc"}},
	{`(?:a?){3}b`, []string{"aab", "aaaab"}},
	{`(a?){3}`, []string{"aa", "aaaa", ""}},
	{`(a?)*?$`, []string{"aaa"}},
	{`(^)*a`, []string{"a", "ba"}},
	{`(^)+a`, []string{"a", "ba"}},
	{`(\b)*a`, []string{"a"}},
	{`(?:$)*`, []string{"a"}},
	// groups and references
	{`(a)(b)(c)`, []string{"abc"}},
	{`(?P<x>a)(?P<y>b)`, []string{"ab"}},
	{`(?P<x>a)(?P=x)`, []string{"aa", "ab"}},
	{`(a)\1`, []string{"aa", "ab"}},
	{`(a*)\1`, []string{"aaaa", "aaa"}},
	{`(?:(a)|b)\1`, []string{"aa", "b"}},
	{`(?i)(a)\1`, []string{"aA", "Aa", "ab"}},
	{`(?i)(é)\1`, []string{"éÉ"}},
	{`(?ai)(é)\1`, []string{"éÉ", "éé"}},
	{`((\w)\2)+`, []string{"aabbc"}},
	{`(a)|(b)`, []string{"a", "b"}},
	{`(a(b)?)+`, []string{"aba"}},
	{`(a(?:b(c)?)?)*`, []string{"abcaba"}},
	{`(?:(x)|(y)|(z))*`, []string{"xyz", "zyx"}},
	{`(.)(.)(.)(.)(.)(.)(.)(.)(.)(.)(.)\11`, []string{"abcdefghijkk"}},
	{`(((((a)))))`, []string{"a"}},
	{`(?#comment)a(?#x)*`, []string{"aa"}},
	// scoped flags
	{`(?i)AbC`, []string{"abc", "ABC"}},
	{`(?i:a)b`, []string{"Ab", "AB"}},
	{`a(?i:b(?-i:c))`, []string{"aBc", "aBC"}},
	{`(?i)a(?-i:b)c`, []string{"AbC", "ABC"}},
	{`(?s:.)(.)`, []string{"\n\n", "\na"}},
	{`(?m:^)a`, []string{"b\na"}},
	{`(?x) a b  # c
	 c [ ] \  `, []string{"abc  "}},
	{`(?x: a b )c d`, []string{"abc d"}},
	{`(?x)a(?-x: b)`, []string{"a b"}},
	{`(?x)a{1, 2}b {2} * `, []string{"a{1,2}bb"}},
	{`(?x)a # no end`, []string{"a"}},
	{`(?aims)a.B$`, []string{"A\nb"}},
	{`(?x)(?i)a b`, []string{"AB"}},
	// case
	{`(?i)[a-z]+`, []string{"ABCxyzſK", "é"}},
	{`(?i)[^a-z]+`, []string{"ABCſK1"}},
	{`(?i)k`, []string{"kK\u212a"}},
	{`(?i)\u212a`, []string{"kK\u212a"}},
	{`(?ai)k`, []string{"kK\u212a"}},
	{`(?i)s`, []string{"sSſ"}},
	{`(?i)[s]`, []string{"sSſ"}},
	{`(?i)[^s]`, []string{"sSſx"}},
	{`(?i)ß`, []string{"ßẞ", "ss"}},
	{`(?i)σ`, []string{"σςΣ"}},
	{`(?i)[Σ-Ω]+`, []string{"σςΣω"}},
	{`(?i)µ`, []string{"µμΜ"}},
	{`(?i)ΐ`, []string{"ΐΐ"}},
	{`(?i)ͅ`, []string{"ͅιΙι"}},
	{`(?i)в`, []string{"вВᲀ"}},
	{`(?i)[\U00010400-\U00010427]+`, []string{"\U00010400\U00010428\U0001044f\U00010450"}},
	{`(?i)\U00010428`, []string{"\U00010400\U00010428"}},
	{`(?i)[\u0400-\U00010410]+`, []string{"\U00010438\u0450я", "a"}},
	{`(?i)[^\U00010400]+`, []string{"\U00010428a"}},
	{`(?i)[Z-a]+`, []string{"zZaA^_b"}},
	{`(?i)ǅ`, []string{"ǄǅǆX"}},
	{`(?i)[\W]+`, []string{"aK\u212a!"}},
	{`(?i)\u1e9e|x`, []string{"ß", "X"}},
	// lookaround
	{`a(?=b)`, []string{"ab", "ac"}},
	{`a(?!b)`, []string{"ab", "ac", "a"}},
	{`(?<=a)b`, []string{"ab", "cb", "b"}},
	{`(?<!a)b`, []string{"ab", "cb", "b"}},
	{`(?=(a+))a*b\1`, []string{"aaabaaa", "aba"}},
	{`(?=(a))(?!(b))`, []string{"a"}},
	{`(?!(a)b)a`, []string{"ac", "ab"}},
	{`(?<=(a))b`, []string{"ab"}},
	{`(?<=a|b)c`, []string{"ac", "bc", "cc"}},
	{`(?<=ab|cd)e`, []string{"abe", "cde", "e"}},
	{`(?<=\bfoo)bar`, []string{"foobar", "xfoobar"}},
	{`(?<=^)a`, []string{"aa"}},
	{`(?<=a{3})b`, []string{"aaab", "aab"}},
	{`(a)(?<=\1)b`, []string{"ab"}},
	{`(?<=(?=a)a)b`, []string{"ab"}},
	{`(?<!a)(?<!b)c`, []string{"ac", "bc", "c"}},
	{`(?=a*?b)a`, []string{"aab"}},
	{`(?:(?=(a))a|b)*`, []string{"abab"}},
	{`(?:(?!(a))b|a)*`, []string{"abab"}},
	{`(?!)`, []string{"a"}},
	{`(?=)`, []string{"a"}},
	{`(?!)*a`, []string{"a"}},
	{`(?=a)*b`, []string{"ab"}},
	{`(?=a)+a`, []string{"aa"}},
	{`(?<=)a`, []string{"a"}},
	{`(?<!)a`, []string{"a"}},
	{`\w+(?=\s)`, []string{"foo bar"}},
	{`(?<=(?<=a)b)c`, []string{"abc"}},
	{`(?:a(?=(b))|b)+`, []string{"abab"}},
	// the classics
	{`(\d+)-(\d+)-(\d+)`, []string{"2024-01-02 and 1-2-3"}},
	{`[\w.+-]+@[\w-]+\.[\w.-]+`, []string{"mail bob@example.com, al.b+c@x.y.z!"}},
	{`(?P<key>\w+)\s*=\s*(?P<value>"[^"]*"|\S+)`, []string{`a=1 b = "x y" c=`}},
	{`<(\w+)[^>]*>(.*?)</\1>`, []string{"<b>x</b><i>y</i><b>z</i>"}},
	{`\s*,\s*`, []string{"a , b,c ,d"}},
	{`(,)|(;)`, []string{"a,b;c"}},
	{`x*`, []string{"axbc", "xx"}},
	{`\b|x`, []string{"ax b"}},
	{`(?:)|a`, []string{"aa"}},
	{`a|(?:)`, []string{"aba"}},
	{`|a|b`, []string{"ab"}},
	{`^|a`, []string{"aa"}},
	{`a?b??`, []string{"aabb"}},
	{`"(?:[^"\\]|\\.)*"`, []string{`x "a\"b" "c`}},
	{`(?m)^\s*#.*$`, []string{"a\n # b\n#c"}},
	{`([a-z]+)(\d*)(?:\.(\w+))?`, []string{"abc12.x d e.f"}},
	{`(\d{1,3})(?=(?:\d{3})+$)`, []string{"1234567"}},
	{`(foo|foobar)(bar)?$`, []string{"foobar"}},
	{`.*foo.*?bar(.*)`, []string{"xfoofoobarbar", "foo"}},
	{`(.*)(\d+)`, []string{"abc123"}},
	{`(.*?)(\d+)`, []string{"abc123"}},
	{`^(?:(\d+)\.)?(\d+)$`, []string{"1.2", "3"}},
	{`[+-]?(?:\d+\.\d*|\.\d+|\d+)(?:[eE][+-]?\d+)?`, []string{"1 -2.5 +.3e10 4.e-2 e5"}},
	{`(a)\Z|(b)`, []string{"ab", "ba"}},
	// errors
	{`*a`, nil}, {`a**`, nil}, {`a*?*`, nil}, {`?`, nil}, {`(*)`, nil}, {`a|*`, nil},
	{`^*`, nil}, {`$+`, nil}, {`\b*`, nil}, {`(?:^)*`, []string{"a"}}, {`(?i)*`, nil}, {`{1,2}`, []string{"{1,2}"}},
	{`x{2,1}`, nil}, {`x{4294967295}`, nil}, {`x{4294967294,}`, []string{"x"}}, {`x{99999999999999999999}`, nil},
	{`(`, nil}, {`)`, nil}, {`a)`, nil}, {`(a`, nil}, {`(?`, nil}, {`(?:`, nil}, {`(?P`, nil}, {`(?P<`, nil},
	{`(?P<>a)`, nil}, {`(?P<a`, nil}, {`(?P<a>`, nil}, {`(?P<1a>x)`, nil}, {`(?P<a b>x)`, nil}, {`(?P<é>x)`, []string{"x"}},
	{`(?P<a>x)(?P<a>y)`, nil}, {`(?P=a)`, nil}, {`(?P=`, nil}, {`(?P=)`, nil}, {`(?P=1)`, nil},
	{`(?P<a>(?P=a))`, nil}, {`(?P>x)`, nil}, {`(?Px)`, nil}, {`(?P`, nil}, {`(?<`, nil}, {`(?<a`, nil}, {`(?<a>x)`, nil},
	{`(?z)`, nil}, {`(?~a)`, nil}, {`(?\n)`, nil}, {`(?#abc`, nil}, {`(?#abc)`, []string{""}}, {`(?=a`, nil}, {`(?<=a`, nil},
	{`[`, nil}, {`[a`, nil}, {`[]`, nil}, {`[^]`, nil}, {`[a-`, nil}, {`[a-]`, []string{"-"}}, {`[z-a]`, nil}, {`[\w-a]`, nil},
	{`[a-\w]`, nil}, {`[a-\d]`, nil}, {`[\x41-\x40]`, nil}, {`[\b-\a]`, nil}, {`[\8]`, nil}, {`[\400]`, nil}, {`[\q]`, nil},
	{`[\A]`, nil}, {`[\Z]`, nil}, {`[\B]`, nil}, {`[\z]`, nil}, {`[\`, nil},
	{`\`, nil}, {`a\`, nil}, {`*\`, nil}, {`(\`, nil}, {`\q`, nil}, {`\Q`, nil}, {`\y`, nil}, {`\8`, nil}, {`\1`, nil}, {`\99`, nil},
	{`(a\1)`, nil}, {`(a)\2`, nil}, {`\400`, nil}, {`\377`, []string{"ÿ"}}, {`\x`, nil}, {`\x1`, nil}, {`\xg1`, nil}, {`\u12`, nil},
	{`\U1234567`, nil}, {`\U00110000`, nil}, {`[\U00110000]`, nil}, {`\N`, nil}, {`\N{`, nil}, {`\N{}`, nil},
	{`[\x1]`, nil}, {`[\u1]`, nil},
	{`(?i`, nil}, {`(?i-`, nil}, {`(?i-:`, nil}, {`(?-`, nil}, {`(?-:a)`, nil}, {`(?i-i:a)`, nil}, {`(?iz)`, nil}, {`(?i!`, nil}, {`(?-z:a)`, nil},
	{`(?-i`, nil}, {`(?-i)`, nil}, {`(?-iz)`, nil}, {`(?-i!)`, nil}, {`(?au)`, nil}, {`(?-a:x)`, nil},
	{`(?-u:x)`, nil}, {`(?a:x)(?u:y)`, []string{"xy"}}, {`a(?i)`, nil}, {`(a(?i))`, nil}, {`|(?i)`, nil}, {`(?:(?i))`, nil}, {`(?i)(?m)a`, []string{"A"}},
	{`(?ié)`, nil}, {`(?-é)`, nil}, {`(?i\)`, nil},
	{"a\n(b\nc", nil}, {"(?x)a # b\n *", []string{"aa"}}, {"(?x)a\n # b\n * *", nil}, {"\n\n*", nil}, {"x\n\n\\q", nil},
}

func tableExamples() []example {
	repls := []string{`<\g<0>>`, `[\1]`, `\\x\n`, `-`}
	var out []example
	for i, c := range tableCases {
		e := example{Pattern: []rune(c.pattern), End: 1 << 30, Repl: []rune(repls[i%len(repls)]), Limit: i % 3}
		for _, s := range c.subjects {
			e.Subjects = append(e.Subjects, []rune(s))
		}
		out = append(out, e)
		e.Pos, e.End, e.Limit = 1, 3, 0
		out = append(out, e)
		e.Pos, e.End, e.Flags = 0, 2, IgnoreCase|MultiLine
		out = append(out, e)
		e.Pos, e.End, e.Flags = 2, 100, DotAll|ASCII
		out = append(out, e)
		e.Pos, e.End, e.Flags = 1, 100, Verbose
		out = append(out, e)
	}
	for _, f := range []Flags{Unicode, ASCII | Unicode} {
		for _, p := range []string{"a", "*", ")", "(?u)a"} {
			out = append(out, example{Pattern: []rune(p), Flags: f, Subjects: [][]rune{[]rune("aA")}, End: 9})
		}
	}
	return out
}

func TestTableAgainstCPython(t *testing.T) {
	py := cpython.Start(t)
	examples := tableExamples()
	done, wrong := compare(t, py, examples)
	if done < len(examples)-20 {
		t.Errorf("only %d of %d examples were compared", done, len(examples))
	}
	t.Logf("%d compared, %d wrong", done, wrong)
}

// TestTemplatesAgainstCPython tries replacements, the wrong ones too.
func TestTemplatesAgainstCPython(t *testing.T) {
	repls := []string{
		``, `x`, `\1`, `\2`, `\3`, `\g<1>`, `\g<0>`, `\g<a>`, `\g<b>`, `\g<zz>`, `\g<`, `\g<>`, `\g<1`, `\g`, `\gx`, `\g<1a>`, `\g<-1>`, `\g< 1>`,
		`\g<99>`, `\g<99999999999>`, `\g<01>`, `\g<²>`, `\0`, `\00`, `\01`, `\012`, `\0123`, `\101`, `\400`, `\377`, `\18`, `\11`, `\111`, `\1a`,
		`\a\b\f\n\r\t\v\\`, `\q`, `\x41`, `\u0041`, `\.`, `\-\ \#`, `\`, `a\`, `\é`, `é\1`, `\8`, `\9`, `\80`, "a\nb\\q", "\\\n", `\g<a>\g<b>\1\2`, `\g<é>`, `\Q`, `\z`, `\200`, `\99`,
	}
	var out []example
	for _, r := range repls {
		out = append(out, example{Pattern: []rune(`(?P<a>x)|(?P<b>y)`), Repl: []rune(r), End: 99, Subjects: [][]rune{[]rune("axbyc")}})
	}
	compare(t, cpython.Start(t), out)
}
