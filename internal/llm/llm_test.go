package llm

import (
	"reflect"
	"testing"
)

func TestSetInput(t *testing.T) {
	tests := []struct {
		raw  string
		want Call
	}{
		{``, Call{Input: map[string]any{}}},
		{`{"code":"1"}`, Call{Input: map[string]any{"code": "1"}}},
		{`null`, Call{Raw: `null`}},
		{`{"code":"1`, Call{Raw: `{"code":"1`}},
		{`"{\"code\":1}"`, Call{Raw: `"{\"code\":1}"`}},
	}
	for _, tt := range tests {
		var got Call
		got.SetInput(tt.raw)
		if !reflect.DeepEqual(got, tt.want) {
			t.Errorf("SetInput(%q) = %+v, want %+v", tt.raw, got, tt.want)
		}
		if got.InputObject() == nil {
			t.Errorf("SetInput(%q): no object to send back", tt.raw)
		}
	}
}
