package evaluate

import (
	_ "embed"
	"encoding/xml"
	"fmt"
	"html/template"
	"io"
	"strconv"

	"praxis/internal/safetext"
)

// Report is an evaluation as it is written down.
type Report struct {
	Name    string   `json:"name"` // of the file of cases
	Models  []string `json:"models"`
	Scores  []Score  `json:"scores"`
	Results []Result `json:"results"`
}

// The elements of JUnit's reports, as build servers read them.
type (
	junitSuites struct {
		XMLName xml.Name     `xml:"testsuites"`
		Suites  []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Errors   int         `xml:"errors,attr"`
		Time     string      `xml:"time,attr"`
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Name    string        `xml:"name,attr"`
		Class   string        `xml:"classname,attr"`
		Time    string        `xml:"time,attr"`
		Failure *junitProblem `xml:"failure"`
		Error   *junitProblem `xml:"error"`
	}
	junitProblem struct {
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
)

// JUnit writes the report as JUnit's XML, a suite for each model.
func (r Report) JUnit(w io.Writer) error {
	var all junitSuites
	for _, s := range r.Scores {
		suite := junitSuite{Name: s.Model, Failures: s.Failed + s.Unverified, Errors: s.Errors}
		total := 0.0
		for _, one := range r.Results {
			if one.Model != s.Model {
				continue
			}
			c := junitCase{Name: one.Case, Class: r.Name, Time: seconds(one.Seconds)}
			problem := &junitProblem{safetext.Line(one.Why), safetext.Text("expected: " + one.Expected + "\nanswer: " + one.Answer)}
			switch one.Verdict {
			case Failed, Unverified:
				c.Failure = problem
			case Error:
				c.Error = problem
			}
			suite.Cases = append(suite.Cases, c)
			total += one.Seconds
		}
		suite.Tests, suite.Time = len(suite.Cases), seconds(total)
		all.Suites = append(all.Suites, suite)
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(all); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func seconds(s float64) string { return strconv.FormatFloat(s, 'f', 3, 64) }

//go:embed report.html
var page string

// row is a case in the page: its results, one for each model.
type row struct {
	Case, Expected string
	Cells          []*Result
}

// HTML writes the report as one page that needs nothing else.
func (r Report) HTML(w io.Writer) error {
	var rows []*row
	byCase := map[string]*row{}
	column := map[string]int{}
	for i, m := range r.Models {
		column[m] = i
	}
	for i := range r.Results {
		one := &r.Results[i]
		line := byCase[one.Case]
		if line == nil {
			line = &row{Case: one.Case, Expected: one.Expected, Cells: make([]*Result, len(r.Models))}
			byCase[one.Case], rows = line, append(rows, line)
		}
		line.Cells[column[one.Model]] = one
	}
	t, err := template.New("report").Funcs(template.FuncMap{
		"percent": func(f float64) string { return Percent(f) },
		"seconds": func(f float64) string { return strconv.FormatFloat(f, 'f', 2, 64) },
		"cost":    Cost,
		"safe":    safetext.Text,
		"clip":    func(s string) string { return safetext.Clip(safetext.Text(s), 600) },
	}).Parse(page)
	if err != nil {
		return err
	}
	return t.Execute(w, map[string]any{"Report": r, "Rows": rows})
}

// Percent writes a share, such as "93.3 %".
func Percent(share float64) string { return strconv.FormatFloat(100*share, 'f', 1, 64) + " %" }

// Cost writes US dollars, "" when they are not known.
func Cost(c *float64) string {
	if c == nil {
		return ""
	}
	return fmt.Sprintf("$%.4f", *c)
}
