package check

import (
	"encoding/json"
	"net/url"
	"path/filepath"
)

// The types below are the part of SARIF 2.1.0 (OASIS) that findings need.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool       sarifTool     `json:"tool"`
		ColumnKind string        `json:"columnKind"`
		Results    []sarifResult `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name  string      `json:"name"`
		Rules []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID               string    `json:"id"`
		ShortDescription sarifText `json:"shortDescription"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		RuleID    string          `json:"ruleId"`
		Level     string          `json:"level"`
		Message   sarifText       `json:"message"`
		Locations []sarifLocation `json:"locations"`
		CodeFlows []sarifCodeFlow `json:"codeFlows,omitempty"`
	}
	sarifLocation struct {
		Physical sarifPhysical `json:"physicalLocation"`
		Message  *sarifText    `json:"message,omitempty"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   sarifRegion   `json:"region"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn,omitempty"`
		EndLine     int `json:"endLine,omitempty"`
		EndColumn   int `json:"endColumn,omitempty"`
	}
	sarifCodeFlow struct {
		Message     sarifText         `json:"message"`
		ThreadFlows []sarifThreadFlow `json:"threadFlows"`
	}
	sarifThreadFlow struct {
		Locations []sarifStep `json:"locations"`
	}
	sarifStep struct {
		Location sarifLocation `json:"location"`
	}
)

// ruleTexts describe the kinds of findings, in the order of the report.
func ruleTexts() []sarifRule {
	return []sarifRule{
		{string(Syntax), sarifText{"The program is not Python."}},
		{string(Refused), sarifText{"The language of plans leaves this out."}},
		{string(Name), sarifText{"A name, module or attribute does not exist."}},
		{string(Arguments), sarifText{"A call cannot be made."}},
		{string(Value), sarifText{"A value does not fit a schema."}},
		{string(Unused), sarifText{"A call is never reached."}},
		{string(Violation), sarifText{"The policy denies every such call."}},
		{string(Possible), sarifText{"The policy may deny the call: it is decided when it runs."}},
	}
}

// SARIF returns the findings in the Static Analysis Results Interchange Format
// 2.1.0. Columns count characters, from 1.
func (r *Result) SARIF() ([]byte, error) {
	results := []sarifResult{}
	lines := newLines(r.source)
	for _, f := range r.Findings {
		text := f.Message
		if f.Remedy != "" {
			text += ". " + f.Remedy
		}
		out := sarifResult{
			RuleID: string(f.Kind), Level: string(f.Level), Message: sarifText{text},
			Locations: []sarifLocation{r.location(lines, f.Line, f.Col, f.EndLine, f.EndCol, "")},
		}
		for _, p := range f.Paths {
			flow := sarifCodeFlow{Message: sarifText{p.Source + " reaches " + p.Argument}}
			var steps []sarifStep
			for _, s := range p.Steps {
				steps = append(steps, sarifStep{r.location(lines, s.Line, s.Col, 0, 0, s.Text)})
			}
			if len(steps) == 0 {
				continue
			}
			flow.ThreadFlows = []sarifThreadFlow{{steps}}
			out.CodeFlows = append(out.CodeFlows, flow)
		}
		results = append(results, out)
	}
	return json.MarshalIndent(sarifLog{
		Schema:  "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
		Version: "2.1.0",
		Runs: []sarifRun{{
			Tool: sarifTool{sarifDriver{Name: "praxis", Rules: ruleTexts()}}, ColumnKind: "unicodeCodePoints", Results: results,
		}},
	}, "", "  ")
}

func (r *Result) location(lines *lines, line, col, endLine, endCol int, text string) sarifLocation {
	region := sarifRegion{StartLine: max(line, 1), StartColumn: lines.col(line, col)}
	if endLine >= line && endLine > 0 && (endLine > line || endCol > col) {
		region.EndLine, region.EndColumn = endLine, lines.col(endLine, endCol)
	}
	out := sarifLocation{Physical: sarifPhysical{Artifact: sarifArtifact{uri(r.Name)}, Region: region}}
	if text != "" {
		out.Message = &sarifText{text}
	}
	return out
}

// uri is a file's name as a relative reference.
func uri(name string) string { return (&url.URL{Path: filepath.ToSlash(name)}).String() }
