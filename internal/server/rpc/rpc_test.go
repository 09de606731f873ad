package rpc

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"praxis/fault"
	"praxis/internal/server/api"
	"praxis/internal/server/observe"
)

// denying lets nobody do anything: what is tested here is what stands before an operation.
func denying() *Door {
	return NewDoor(func(context.Context, *api.Operation) (*api.Call, error) {
		return nil, fault.New(fault.Denied, "", "not you")
	}, func(observe.Request) {})
}

func exchange(t *testing.T, in string) []map[string]any {
	t.Helper()
	var out bytes.Buffer
	if err := denying().Serve(t.Context(), NewLines(strings.NewReader(in), &out)); err != nil {
		t.Fatal(err)
	}
	var got []map[string]any
	dec := json.NewDecoder(&out)
	for {
		var v any
		if err := dec.Decode(&v); errors.Is(err, io.EOF) {
			return got
		} else if err != nil {
			t.Fatal(err)
		}
		list, ok := v.([]any)
		if !ok {
			list = []any{v}
		}
		for _, v := range list {
			got = append(got, v.(map[string]any))
		}
	}
}

func TestSpecification(t *testing.T) {
	for name, tt := range map[string]struct {
		in    string
		codes []float64
	}{
		"no JSON":         {"{", []float64{codeParse}},
		"empty batch":     {"[]", []float64{codeRequest}},
		"bad batch":       {"[1]", []float64{codeParse}},
		"no version":      {`{"id":1,"method":"x"}`, []float64{codeRequest}},
		"no such method":  {`{"jsonrpc":"2.0","id":1,"method":"x"}`, []float64{codeMethod}},
		"bad id":          {`{"jsonrpc":"2.0","id":{},"method":"x"}`, []float64{codeRequest}},
		"a notification":  {`{"jsonrpc":"2.0","method":"sessions.list"}`, nil},
		"denied":          {`{"jsonrpc":"2.0","id":"a","method":"sessions.list"}`, []float64{codeFault}},
		"a batch":         {`[{"jsonrpc":"2.0","id":1,"method":"x"},{"jsonrpc":"2.0","method":"x"},{"jsonrpc":"2.0","id":2,"method":"y"}]`, []float64{codeMethod, codeMethod}},
		"cancel":          {`{"jsonrpc":"2.0","id":1,"method":"cancel","params":{"id":7}}`, []float64{0}},
		"cancel of none":  {`{"jsonrpc":"2.0","id":1,"method":"cancel"}`, []float64{codeParams}},
		"only whitespace": {"\n\n", nil},
	} {
		got := exchange(t, tt.in+"\n")
		if len(got) != len(tt.codes) {
			t.Errorf("%s: got %v", name, got)
			continue
		}
		for i, want := range tt.codes {
			code := 0.0
			if e, ok := got[i]["error"].(map[string]any); ok {
				code, _ = e["code"].(float64)
			}
			if code != want || got[i]["jsonrpc"] != "2.0" {
				t.Errorf("%s: got %v, want the code %v", name, got[i], want)
			}
		}
	}
}

func FuzzMessages(f *testing.F) {
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"method":"sessions.list"}`))
	f.Add([]byte(`[{"jsonrpc":"2.0","id":1,"method":"files.write","params":{"data":"eA=="}}]`))
	f.Fuzz(func(t *testing.T, message []byte) {
		var out bytes.Buffer
		if err := denying().Serve(t.Context(), NewLines(bytes.NewReader(message), &out)); err != nil && !errors.Is(err, errLong) {
			t.Fatal(err)
		}
		dec := json.NewDecoder(&out)
		for {
			var v any
			if err := dec.Decode(&v); errors.Is(err, io.EOF) {
				return
			} else if err != nil {
				t.Fatal(err)
			}
		}
	})
}
