package schema

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"praxis/internal/tool/jsondoc"
)

// leftOut says which files and groups of the official test suite are not for
// us, and why. All others have to pass.
var leftOut = map[string]string{
	"dynamicRef.json": "$dynamicRef is refused",
	"refRemote.json":  "remote references are never fetched",
	"unevaluatedItems.json: unevaluatedItems with $dynamicRef":           "$dynamicRef is refused",
	"unevaluatedProperties.json: unevaluatedProperties with $dynamicRef": "$dynamicRef is refused",
	"defs.json: validate definition against metaschema":                  "remote references are never fetched",
	"ref.json: remote ref, containing refs itself":                       "remote references are never fetched",
}

// TestOfficialSuite runs the test suite of json-schema.org for draft 2020-12,
// which comes with the module that the comparison below uses.
func TestOfficialSuite(t *testing.T) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/google/jsonschema-go").Output()
	dir := filepath.Join(strings.TrimSpace(string(out)), "jsonschema", "testdata", "draft2020-12")
	files, _ := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil || len(files) == 0 {
		t.Skipf("the suite is not there: the go command or the module is missing (%v)", err)
	}
	total, groups, left := 0, 0, 0
	for _, file := range files {
		base := filepath.Base(file)
		if leftOut[base] != "" {
			left++
			continue
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var suite []struct {
			Description string
			Schema      json.RawMessage
			Tests       []struct {
				Description string
				Data        json.RawMessage
				Valid       bool
			}
		}
		if err := json.Unmarshal(data, &suite); err != nil {
			t.Fatal(err)
		}
		for _, group := range suite {
			name := base + ": " + group.Description
			if leftOut[name] != "" {
				left++
				continue
			}
			groups++
			s, err := Parse(base, group.Schema)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			for _, test := range group.Tests {
				total++
				v, err := jsondoc.Decode(test.Data)
				if err != nil {
					t.Errorf("%s: %s: %v", name, test.Description, err)
					continue
				}
				if m := s.Validate(v); (m == nil) != test.Valid {
					t.Errorf("%s: %s: valid is %v, want %v (%v)", name, test.Description, m == nil, test.Valid, m)
				}
			}
		}
	}
	if left != len(leftOut) {
		t.Errorf("%d files and groups were left out, %d are listed", left, len(leftOut))
	}
	if total < 1000 {
		t.Errorf("only %d tests of the suite ran", total)
	}
	t.Logf("%d tests in %d groups", total, groups)
}
