package rest

import (
	"net/http/httptest"
	"net/url"
	"reflect"
	"testing"

	"praxis/fault"
	"praxis/internal/server/api"
)

// Whatever is sent, a request is read or refused as invalid.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"code":"1","stream":true}`), "a")
	f.Add([]byte(`{"code":"1"} {}`), "a%00b")
	f.Fuzz(func(t *testing.T, data []byte, id string) {
		for _, o := range api.Table() {
			in := reflect.New(o.In)
			if err := Decode(data, in.Interface()); err != nil {
				if fault.KindOf(err) != fault.Invalid {
					t.Fatalf("%s: %v", o.Name, err)
				}
				continue
			}
			r := httptest.NewRequest("GET", "/?path="+url.QueryEscape(id)+"&limit="+url.QueryEscape(id), nil)
			for _, name := range []string{"session", "execution", "run", "record", "thread", "id", "language"} {
				r.SetPathValue(name, id)
			}
			if err := bind(r, in.Elem()); err != nil && fault.KindOf(err) != fault.Invalid {
				t.Fatalf("%s: %v", o.Name, err)
			}
		}
	})
}
