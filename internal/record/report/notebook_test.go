package report_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"praxis/event"
	"praxis/internal/record/report"
)

// checkNotebook checks by hand what nbformat's JSON schema of version 4.5 asks
// for, as far as our notebooks use it: the keys of each object and no others,
// types, the shape and uniqueness of ids. TestNotebookSchema asks nbformat itself.
func checkNotebook(data []byte) error {
	if err := checkText(string(data)); err != nil {
		return err
	}
	var book map[string]any
	if err := json.Unmarshal(data, &book); err != nil {
		return err
	}
	if err := keys(book, "cells metadata nbformat nbformat_minor"); err != nil {
		return err
	}
	if book["nbformat"] != 4.0 || book["nbformat_minor"] != 5.0 {
		return fmt.Errorf("version %v.%v", book["nbformat"], book["nbformat_minor"])
	}
	meta := book["metadata"].(map[string]any)
	if meta["kernelspec"].(map[string]any)["name"] != "python3" || meta["language_info"].(map[string]any)["name"] != "python" {
		return errors.New("no kernel of Python 3")
	}
	ids := map[string]bool{}
	for i, c := range book["cells"].([]any) {
		cell := c.(map[string]any)
		id := cell["id"].(string)
		if !regexp.MustCompile(`^[a-zA-Z0-9-_]{1,64}$`).MatchString(id) || ids[id] {
			return fmt.Errorf("cell %d with the id %q", i, id)
		}
		ids[id] = true
		if err := checkCell(cell); err != nil {
			return fmt.Errorf("cell %s with %w", id, err)
		}
	}
	return nil
}

func keys(object map[string]any, want string) error {
	for _, k := range strings.Fields(want) {
		if _, has := object[k]; !has {
			return fmt.Errorf("no key %q", k)
		}
	}
	if len(object) != len(strings.Fields(want)) {
		return fmt.Errorf("other keys than %s: %v", want, object)
	}
	return nil
}

// multiline is a text as a list of lines, each but the last with its newline.
func multiline(v any) (string, error) {
	var b strings.Builder
	lines, ok := v.([]any)
	for i, l := range lines {
		s, isText := l.(string)
		ok = ok && isText && (i == len(lines)-1 || strings.HasSuffix(s, "\n"))
		b.WriteString(s)
	}
	if !ok {
		return "", fmt.Errorf("%.100v, which is no list of lines", v)
	}
	return b.String(), nil
}

func checkCell(cell map[string]any) error {
	source, err := multiline(cell["source"])
	if err != nil {
		return err
	}
	switch cell["cell_type"] {
	case "markdown":
		return errors.Join(keys(cell, "cell_type id metadata source"), checkMarkdown(source))
	case "code":
		if err := keys(cell, "cell_type execution_count id metadata outputs source"); err != nil {
			return err
		}
	default:
		return fmt.Errorf("type %v", cell["cell_type"])
	}
	if n, ok := cell["execution_count"].(float64); !ok || n < 1 {
		return fmt.Errorf("the count %v", cell["execution_count"])
	}
	for _, o := range cell["outputs"].([]any) {
		if err := checkOutput(o.(map[string]any), cell["execution_count"]); err != nil {
			return fmt.Errorf("an output with %w", err)
		}
	}
	return nil
}

func checkOutput(out map[string]any, count any) error {
	switch out["output_type"] {
	case "stream":
		text, err := multiline(out["text"])
		if err == nil && !slices.Contains([]any{"stdout", "stderr"}, out["name"]) {
			err = fmt.Errorf("the stream %v", out["name"])
		}
		return errors.Join(err, checkText(text), keys(out, "output_type name text"))
	case "error":
		for _, l := range out["traceback"].([]any) {
			if err := checkText(l.(string)); err != nil {
				return err
			}
		}
		return errors.Join(keys(out, "output_type ename evalue traceback"), checkText(out["ename"].(string)), checkText(out["evalue"].(string)))
	case "display_data":
		return errors.Join(keys(out, "output_type data metadata"), checkData(out["data"].(map[string]any)))
	case "execute_result":
		if out["execution_count"] != count {
			return fmt.Errorf("the count %v", out["execution_count"])
		}
		return errors.Join(keys(out, "output_type execution_count data metadata"), checkData(out["data"].(map[string]any)))
	}
	return fmt.Errorf("type %v", out["output_type"])
}

func checkData(data map[string]any) error {
	for mime, v := range data {
		text, err := multiline(v)
		if err != nil {
			return err
		}
		switch mime {
		case "text/plain":
			err = checkText(text)
		case "image/png", "image/jpeg":
			_, err = base64.StdEncoding.DecodeString(text)
		case "text/html":
			// Void tags are not closed in HTML.
			err = checkPage([]byte("<div>" + strings.ReplaceAll(regexp.MustCompile(`(<img [^>]*)>`).ReplaceAllString(text, "$1/>"), ` border="1"`, "") + "</div>"))
			if strings.HasPrefix(text, "<iframe ") {
				err = checkPage([]byte(strings.Replace(text, ` width="100%" height="400"`, "", 1)))
			}
		default:
			return fmt.Errorf("data of type %s", mime)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", mime, err)
		}
	}
	return nil
}

func TestNotebookShape(t *testing.T) {
	for name, run := range runs(t) {
		var b bytes.Buffer
		if err := report.Notebook(&b, run); err != nil {
			t.Fatal(err)
		}
		if err := checkNotebook(b.Bytes()); err != nil {
			t.Errorf("%s.ipynb has %v", name, err)
		}
	}
}

// The code in a notebook is what ran, whatever stands in it.
func TestNotebookPreservesTheCode(t *testing.T) {
	code := "x = 'a\u202eb\u200b\u0085'\r\n# \x1b\U000e0041 end\n"
	var b bytes.Buffer
	if err := report.Notebook(&b, report.Run{ID: "r", Languages: languages, Records: records(event.RunBegan{Kind: event.Code}, event.ExecutionBegan{Code: code})}); err != nil {
		t.Fatal(err)
	}
	var book struct {
		Cells []struct {
			Type   string `json:"cell_type"`
			Source []string
		}
	}
	if err := json.Unmarshal(b.Bytes(), &book); err != nil {
		t.Fatal(err)
	}
	for _, c := range book.Cells {
		if c.Type == "code" {
			if got := strings.Join(c.Source, ""); got != code {
				t.Errorf("got %q, want %q", got, code)
			}
			return
		}
	}
	t.Error("no code cell")
}

// TestNotebookSchema asks nbformat whether the notebooks are valid by its JSON
// schema. Without nbformat the same rules are checked by TestNotebookShape.
func TestNotebookSchema(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no python3 to run nbformat with; TestNotebookShape checks the rules of its schema")
	}
	if out, err := exec.CommandContext(t.Context(), python, "-c", "import nbformat").CombinedOutput(); err != nil {
		t.Skipf("python3 has no nbformat; TestNotebookShape checks the rules of its schema: %s", bytes.TrimSpace(out))
	}
	for name, run := range runs(t) {
		var b bytes.Buffer
		if err := report.Notebook(&b, run); err != nil {
			t.Fatal(err)
		}
		cmd := exec.CommandContext(t.Context(), python, "-c", "import json, sys, nbformat\nnbformat.validate(json.load(sys.stdin), version=4, version_minor=5)")
		cmd.Stdin = &b
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s.ipynb: %v: %s", name, err, out)
		}
	}
}
