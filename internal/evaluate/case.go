// Package evaluate measures how well models answer: it asks questions whose answers are
// known, grades what comes back and says how sure the shares are.
//
// The questions are JSON Lines, one object each ([Read] has the fields). A case passes
// when everything that it expects holds. [Run] asks each case of each model, several at
// once, and keeps every result as soon as it is there, so that an evaluation that was cut
// off goes on where it stopped.
//
// The shares have Wilson's score intervals of 95 % (E. B. Wilson, "Probable inference, the
// law of succession, and statistical inference", 1927), which hold for few questions, too.
package evaluate

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"praxis/fault"
	"praxis/internal/safetext"
)

// Bounds of a file of cases.
const (
	maxLine  = 4 << 20
	MaxCases = 100_000
)

// Case is a question with what its answer must be.
type Case struct {
	ID       string
	Question string
	Files    []string // beside the file of cases
	With     []string // packages
	Expect   Expect
	Repo     *Repo  // the project that is to be repaired; nil: it is a question
	Image    string // that its session runs; "": the one that all cases have
	// Replies are a model's replies for this case, for an evaluation without a model.
	Replies []string
	Sum     string // SHA-256 of the line
}

// Expect is what an answer must be. What is not set is not looked at; one must be.
type Expect struct {
	// Number must be among the figures of the answer. Tolerance is how far off it may be,
	// as an absolute number, and Relative as a share of Number. Without both whole numbers
	// must be equal; of others a millionth is allowed, and what the rounding of either hides.
	Number    *Number  `json:"number,omitempty"`
	Tolerance *float64 `json:"tolerance,omitempty"`
	Relative  *float64 `json:"relative,omitempty"`
	// Text must stand in the answer; capitals and white space do not matter.
	Text string `json:"text,omitempty"`
	// Matches is a regular expression (RE2) that the answer must match.
	Matches string `json:"matches,omitempty"`
	// JSON is the value that the answer must be, numbers within the tolerance.
	JSON json.RawMessage `json:"json,omitempty"`
	// Assert is a Python expression that must be true, with the names answer, a text, and
	// figures, a list of numbers. It is evaluated in a sandbox.
	Assert string `json:"assert,omitempty"`
	// Tests is what becomes of the tests of a project: one of TestsPass and its neighbours.
	Tests string `json:"tests,omitempty"`
}

// Number is a number as it stands in a file of cases: a float does not hold every one.
type Number struct {
	Value   float64
	written string
}

// UnmarshalJSON reads it.
func (n *Number) UnmarshalJSON(raw []byte) error {
	n.written = string(raw)
	return json.Unmarshal(raw, &n.Value)
}

// whole says that it is written without a fraction and without an exponent.
func (n Number) whole() bool { return n.written != "" && !strings.ContainsAny(n.written, ".eE") }

// line is a case as it stands in a file. The names of well-known collections are understood.
type line struct {
	ID       any             `json:"id"`
	Question string          `json:"question"`
	Files    []string        `json:"files"`
	With     []string        `json:"with"`
	Expect   json.RawMessage `json:"expect"`
	Expected json.RawMessage `json:"expected"`
	Target   json.RawMessage `json:"target"`
	Answer   json.RawMessage `json:"answer"`
	Replies  []string        `json:"replies"`
	Code     string          `json:"code"`
	Repo     string          `json:"repo"`
	Test     string          `json:"test"`
	Break    []Replacement   `json:"break"`
	Image    string          `json:"image"`
}

// Read reads the cases of a file called name: one JSON object a line, empty lines and lines
// that begin with # left out. The fields are id (default: the line's number), question,
// files (relative to the file of cases), with (packages), and expect (expected, target and
// answer mean the same): a number, a text that must stand in the answer, or an object of
// [Expect]. replies are a model's replies; in their place code can be a program that
// defines solution(), whose value is then the answer. A case with repo, a project beside the
// file, and test, the command that runs its tests, is a project to be repaired: question and
// expect may be left out, break lists what is replaced in its files first, and image is what
// its session runs. Other fields are ignored. A mistake
// is a fault.Invalid that names the line.
func Read(name string, r io.Reader) ([]Case, error) {
	var out []Case
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	ids := map[string]int{}
	n := 0
	wrong := func(format string, args ...any) error {
		return fault.New(fault.Invalid, "Write one JSON object a line, with a question and what is expected.",
			"cannot read case %s:%d: %w", name, n, fmt.Errorf(format, args...))
	}
	for lines.Scan() {
		n++
		text := bytes.TrimSpace(lines.Bytes())
		if len(text) == 0 || text[0] == '#' {
			continue
		}
		c, err := parse(text, n)
		if err != nil {
			return nil, wrong("%w", err)
		}
		if first, twice := ids[c.ID]; twice {
			return nil, wrong("line %d has the id %s, too", first, safetext.Quote(c.ID))
		}
		ids[c.ID] = n
		if out = append(out, c); len(out) > MaxCases {
			return nil, wrong("there are more than %d cases", MaxCases)
		}
	}
	if err := lines.Err(); err != nil {
		n++
		return nil, wrong("%w", err)
	}
	if len(out) == 0 {
		return nil, fault.New(fault.Invalid, "Write one JSON object a line, with a question and what is expected.", "cannot evaluate %s: it holds no case", name)
	}
	return out, nil
}

func parse(text []byte, n int) (Case, error) {
	var l line
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&l); err != nil {
		return Case{}, fmt.Errorf("it is no such JSON object: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return Case{}, fmt.Errorf("something stands after the object")
	}
	sum := sha256.Sum256(text)
	c := Case{ID: strconv.Itoa(n), Question: strings.TrimSpace(l.Question), Files: l.Files, With: l.With, Replies: l.Replies, Sum: hex.EncodeToString(sum[:])}
	if l.ID != nil {
		c.ID = strings.TrimSpace(fmt.Sprint(l.ID))
	}
	if c.ID == "" || len(c.ID) > 200 || safetext.Line(c.ID) != c.ID {
		return Case{}, fmt.Errorf("the id is empty, longer than 200 bytes or no single line")
	}
	if err := c.repo(l); err != nil {
		return Case{}, err
	}
	if c.Question == "" && c.Repo == nil {
		return Case{}, fmt.Errorf("there is no question")
	}
	if l.Code != "" && len(l.Replies) == 0 {
		c.Replies = programReplies(l.Code)
	}
	var given []json.RawMessage
	for _, raw := range []json.RawMessage{l.Expect, l.Expected, l.Target, l.Answer} {
		if raw != nil && string(raw) != "null" {
			given = append(given, raw)
		}
	}
	if len(given) == 0 && c.Repo != nil {
		c.Expect.Tests = TestsPass
		return c, nil
	}
	if len(given) != 1 {
		return Case{}, fmt.Errorf("it has %d of the fields expect, expected, target and answer, and needs one", len(given))
	}
	var err error
	c.Expect, err = parseExpect(given[0])
	if err == nil && (c.Expect.Tests != "") != (c.Repo != nil) {
		err = fmt.Errorf("what is expected of tests goes with a project, and with nothing else")
	}
	return c, err
}

// repo takes the project of a case.
func (c *Case) repo(l line) error {
	if l.Repo == "" {
		if l.Test != "" || l.Break != nil {
			return fmt.Errorf("test and break go with a project, and there is no repo")
		}
		return nil
	}
	if strings.TrimSpace(l.Test) == "" {
		return fmt.Errorf("there is no test: give the command that runs the tests of the project")
	}
	c.Repo, c.Image = &Repo{Path: l.Repo, Test: l.Test, Break: l.Break}, l.Image
	if len(c.Replies) == 0 {
		c.Replies = c.Repo.repairReplies()
	}
	return nil
}

// programReplies are those of a model that writes the program and answers with what its
// solution() returns.
func programReplies(code string) []string {
	return []string{
		"```python\n" + strings.Trim(code, "\n") + "\n\nresult = solution()\nprint(result)\n```",
		"FINAL ANSWER: {{ result }}",
	}
}

func parseExpect(raw json.RawMessage) (Expect, error) {
	var e Expect
	switch raw[0] {
	case '"':
		err := json.Unmarshal(raw, &e.Text)
		if err == nil && strings.TrimSpace(e.Text) == "" {
			err = fmt.Errorf("the expected text is empty")
		}
		return e, err
	case '{':
		d := json.NewDecoder(bytes.NewReader(raw))
		d.DisallowUnknownFields()
		if err := d.Decode(&e); err != nil {
			return e, fmt.Errorf("what is expected cannot be read: %w", err)
		}
		return e, e.check()
	}
	e.Number = new(Number)
	if err := json.Unmarshal(raw, e.Number); err != nil {
		return e, fmt.Errorf("what is expected is no number, no text and no object")
	}
	return e, nil
}

func (e Expect) check() error {
	if e.Number == nil && strings.TrimSpace(e.Text) == "" && e.Matches == "" && e.JSON == nil && strings.TrimSpace(e.Assert) == "" && e.Tests == "" {
		return fmt.Errorf("nothing is expected: set number, text, matches, json, assert or tests")
	}
	if !slices.Contains([]string{"", TestsPass, TestsWrong, TestsFlaky}, e.Tests) {
		return fmt.Errorf("tests is %s, and may be pass, wrong or flaky", safetext.Quote(e.Tests))
	}
	for name, t := range map[string]*float64{"tolerance": e.Tolerance, "relative": e.Relative} {
		if t != nil && *t < 0 {
			return fmt.Errorf("%s is negative", name)
		}
	}
	if _, err := regexp.Compile(e.Matches); err != nil {
		return fmt.Errorf("matches is no regular expression: %w", err)
	}
	return nil
}

// String says in one line what is expected.
func (e Expect) String() string {
	var parts []string
	if e.Number != nil {
		text := e.Number.written
		if e.Tolerance != nil {
			text += " ± " + strconv.FormatFloat(*e.Tolerance, 'g', -1, 64)
		}
		if e.Relative != nil {
			text += " ± " + strconv.FormatFloat(100**e.Relative, 'g', -1, 64) + " %"
		}
		parts = append(parts, text)
	}
	if e.Text != "" {
		parts = append(parts, safetext.Quote(e.Text))
	}
	if e.Matches != "" {
		parts = append(parts, "/"+e.Matches+"/")
	}
	if e.JSON != nil {
		parts = append(parts, string(e.JSON))
	}
	if e.Assert != "" {
		parts = append(parts, "assert "+e.Assert)
	}
	if e.Tests != "" {
		parts = append(parts, "tests "+e.Tests)
	}
	return safetext.OneLine(strings.Join(parts, ", "), 200)
}
