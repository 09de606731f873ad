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
			r := httptest.NewRequest("GET", "/?path="+url.QueryEscape(id)+"&limit="+url.QueryEscape(id)+"&recursive="+url.QueryEscape(id)+"&rows="+url.QueryEscape(id), nil)
			for _, name := range []string{"session", "execution", "run", "record", "thread", "id", "context", "process"} {
				r.SetPathValue(name, id)
			}
			if err := bind(r, in.Elem(), fieldsOf(in.Type().Elem())); err != nil && fault.KindOf(err) != fault.Invalid {
				t.Fatalf("%s: %v", o.Name, err)
			}
		}
	})
}

// Whatever a client of a terminal sends, it is one order or refused as invalid.
func FuzzControl(f *testing.F) {
	f.Add([]byte(`{"resize":{"rows":24,"cols":80}}`))
	f.Add([]byte(`{"signal":2}`))
	f.Add([]byte(`{"signal":2,"resize":{}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := decodeControl(data)
		if err != nil && fault.KindOf(err) != fault.Invalid {
			t.Fatal(err)
		}
		if err == nil && (c.Resize == nil) == (c.Signal == 0) {
			t.Fatalf("accepted %+v", c)
		}
	})
}
