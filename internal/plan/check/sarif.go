package check

import (
	"encoding/json"
	"net/url"
	"path/filepath"
)

// sarif is a part of a document in SARIF 2.1.0 (OASIS).
type sarif = map[string]any

// sarifRules describe the kinds of findings, in the order of the report.
func sarifRules() []sarif {
	var out []sarif
	for _, rule := range [...]struct {
		kind Kind
		text string
	}{
		{Syntax, "The program is not Python."},
		{Refused, "The language of plans leaves this out."},
		{Name, "A name, module or attribute does not exist."},
		{Arguments, "A call cannot be made."},
		{Value, "A value does not fit a schema."},
		{Unused, "A call is never reached."},
		{Violation, "The policy denies every such call."},
		{Possible, "The policy may deny the call: it is decided when it runs."},
	} {
		out = append(out, sarif{"id": rule.kind, "shortDescription": sarif{"text": rule.text}})
	}
	return out
}

// SARIF returns the findings in the Static Analysis Results Interchange Format
// 2.1.0. Columns count characters, from 1.
func (r *Result) SARIF() ([]byte, error) {
	results := []sarif{}
	lines := newLines(r.source)
	for _, f := range r.Findings {
		text := f.Message
		if f.Remedy != "" {
			text += ". " + f.Remedy
		}
		out := sarif{
			"ruleId": f.Kind, "level": f.Level, "message": sarif{"text": text},
			"locations": []sarif{r.location(lines, f.Line, f.Col, f.EndLine, f.EndCol)},
		}
		var flows []sarif
		for _, p := range f.Paths {
			var steps []sarif
			for _, s := range p.Steps {
				at := r.location(lines, s.Line, s.Col, 0, 0)
				if s.Text != "" {
					at["message"] = sarif{"text": s.Text}
				}
				steps = append(steps, sarif{"location": at})
			}
			if len(steps) > 0 {
				flows = append(flows, sarif{"message": sarif{"text": p.Source + " reaches " + p.Argument}, "threadFlows": []sarif{{"locations": steps}}})
			}
		}
		if len(flows) > 0 {
			out["codeFlows"] = flows
		}
		results = append(results, out)
	}
	return json.MarshalIndent(sarif{
		"$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
		"version": "2.1.0",
		"runs": []sarif{{
			"tool":       sarif{"driver": sarif{"name": "praxis", "rules": sarifRules()}},
			"columnKind": "unicodeCodePoints",
			"results":    results,
		}},
	}, "", "  ")
}

func (r *Result) location(lines *lines, line, col, endLine, endCol int) sarif {
	region := sarif{"startLine": max(line, 1), "startColumn": lines.col(line, col)}
	if endLine >= line && endLine > 0 && (endLine > line || endCol > col) {
		region["endLine"], region["endColumn"] = endLine, lines.col(endLine, endCol)
	}
	return sarif{"physicalLocation": sarif{"artifactLocation": sarif{"uri": uri(r.Name)}, "region": region}}
}

// uri is a file's name as a relative reference.
func uri(name string) string { return (&url.URL{Path: filepath.ToSlash(name)}).String() }
