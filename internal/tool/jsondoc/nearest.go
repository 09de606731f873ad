package jsondoc

import (
	"cmp"
	"slices"
	"strings"

	"praxis/internal/safetext"
)

// Nearest returns the candidate that is closest to name by edits, or "" when
// none is close enough to be what was meant.
func Nearest(name string, candidates []string) string {
	if len(name) == 0 || len(name) > 100 {
		return ""
	}
	// One in three characters may be wrong, never all of them.
	best, bestCost := "", min(1+max(1, len(name)/3), len(name))
	folded := fold(name)
	for _, c := range candidates {
		if len(c) > 100 || c == name {
			continue
		}
		if fold(c) == folded {
			return c
		}
		if d := len(c) - len(name); d >= bestCost || -d >= bestCost {
			continue
		}
		if cost := edits(strings.ToLower(name), strings.ToLower(c), bestCost); cost < bestCost {
			best, bestCost = c, cost
		}
	}
	return best
}

// ByLikeness returns the candidates with the nearest to name, by edits, first. They should
// be short.
func ByLikeness(name string, candidates []string) []string {
	type rated struct {
		name string
		cost int
	}
	var all []rated
	for _, c := range candidates {
		cost := len(name) + len(c)
		if len(name) <= 100 && len(c) <= 100 {
			cost = edits(strings.ToLower(name), strings.ToLower(c), cost)
		}
		all = append(all, rated{c, cost})
	}
	slices.SortStableFunc(all, func(a, b rated) int { return cmp.Compare(a.cost, b.cost) })
	out := make([]string, len(all))
	for i, r := range all {
		out[i] = r.name
	}
	return out
}

// fold drops case and separators, so that readableBy meets readable_by.
func fold(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r == ' ' {
			return -1
		}
		return r
	}, strings.ToLower(s))
}

// edits is the optimal string alignment distance (insert, delete, replace, swap
// of neighbours) over bytes, cut off at limit.
func edits(a, b string, limit int) int {
	prev2 := make([]int, len(b)+1)
	prev := make([]int, len(b)+1)
	row := make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		least := i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(prev[j]+1, row[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], prev2[j-2]+1)
			}
			least = min(least, row[j])
		}
		if least >= limit {
			return limit
		}
		prev2, prev, row = prev, row, prev2
	}
	return prev[len(b)]
}

// DidYouMean returns a sentence that names the nearest candidate, or lists
// them when they are few, or "".
func DidYouMean(name string, candidates []string) string {
	if n := Nearest(name, candidates); n != "" {
		return "Did you mean " + safetext.Quote(n) + "?"
	}
	if len(candidates) > 0 && len(candidates) <= 24 {
		return "Known are " + safetext.OneLine(strings.Join(candidates, ", "), 300) + "."
	}
	return ""
}
