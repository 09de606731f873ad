// Package demo is the question that "praxis demo" asks, with everything that it
// needs: a file of real figures and the replies of a model, written down.
//
// The figures are the annual means of carbon dioxide at Mauna Loa, published by
// the NOAA Global Monitoring Laboratory with the Scripps Institution of
// Oceanography (gml.noaa.gov/ccgg/trends), which are free for all to use.
package demo

import _ "embed"

// DataName and ScriptName are the names of the files, here and in the demo.
const (
	DataName   = "co2.csv"
	ScriptName = "co2.script"
)

// Data is the file that the question is about.
//
//go:embed co2.csv
var Data []byte

// Script is the model's side of the conversation, in the format of package
// praxis/internal/llm/scripted.
//
//go:embed co2.script
var Script []byte

// Question is the text of the question.
//
//go:embed question.txt
var Question string
