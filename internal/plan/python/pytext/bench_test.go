package pytext

import (
	"strings"
	"testing"
)

// BenchmarkPaths measures what the interpreter does most.
func BenchmarkPaths(b *testing.B) {
	var buf [128]byte
	two, _ := ParseSpec(".2f", ForFloat, "float")
	wide, _ := ParseSpec("010,.2f", ForFloat, "float")
	left, _ := ParseSpec("<10", ForStr, "str")
	plain, _ := ParseSpec("5d", ForInt, "int")
	text := strings.Repeat("hello wörld ", 20)
	sink := 0
	ascii := strings.Repeat("hello world ", 20)
	for _, c := range []struct {
		name string
		f    func()
	}{
		{"AppendFloat", func() { AppendFloat(buf[:0], 1234.5678) }},
		{"AppendFloatWhole", func() { AppendFloat(buf[:0], 1234) }},
		{"ParseSpec", func() { ParseSpec("010,.2f", ForFloat, "float") }},
		{"FormatFloat", func() { FormatFloat(buf[:0], 1234.5678, &two, 1000) }},
		{"FormatFloatWide", func() { FormatFloat(buf[:0], 1234.5678, &wide, 1000) }},
		{"FormatStr", func() { FormatStr(buf[:0], "abc", &left, 1000) }},
		{"FormatInt", func() { FormatInt(buf[:0], 42, &plain, 1000) }},
		{"ParseInt", func() { ParseInt("123456", 10) }},
		{"ParseFloat", func() { ParseFloat("1234.5678") }},
		{"RoundFloat", func() { RoundFloat(1234.5678, 2) }},
		{"FloatMod", func() { FloatMod(1234.5678, 7.5) }},
		{"FloatPow", func() { FloatPow(1.05, 10) }},
		{"ReprStr", func() { AppendReprStr(buf[:0], "hello world") }},
		{"RuneCount", func() { sink += RuneCount(text) }},
		{"CaseFold", func() { sink += len(CaseFold(ascii)) }},
		{"Upper", func() { Upper(ascii) }},
		{"UpperUnicode", func() { Upper(text) }},
		{"StrIsAlpha", func() { StrIsAlpha("helloworld") }},
		{"ParseTemplate", func() { ParseTemplate("{0}: {name!r:>{width}}") }},
		{"ParsePercent", func() { ParsePercent("%s has %5.2f%%") }},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				c.f()
			}
		})
	}
}
