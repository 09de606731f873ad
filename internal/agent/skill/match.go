package skill

import (
	"slices"
	"strings"

	"praxis/internal/tool"
	"praxis/internal/tool/schema"
	"praxis/internal/tool/search"
)

// Match returns at most limit skills that fit a question, and then those that fit the
// columns of its files, the best first. The same question finds the same skills.
func Match(skills []Skill, question string, columns []string, limit int) []Skill {
	var defs []*tool.Definition
	byName := map[string]Skill{}
	for _, s := range skills {
		defs = append(defs, &tool.Definition{Name: s.Name, Title: s.Signature, Description: s.Description, Input: schema.Any()})
		byName[s.Name] = s
	}
	index := search.NewIndex(defs)
	var out []Skill
	for _, d := range append(index.Search(question, limit), index.Search(strings.Join(columns, " "), limit)...) {
		if len(out) < limit && !slices.ContainsFunc(out, func(s Skill) bool { return s.Name == d.Name }) {
			out = append(out, byName[d.Name])
		}
	}
	return out
}
