package stream

import (
	"net/http"
	"time"

	"praxis/fault"
	"praxis/internal/llm"
)

// Provider is what is known of a provider before one of its models is asked.
type Provider struct {
	Name    string // as models are called by it, such as "anthropic"
	Account string // who gives the key, as messages say
	KeyVar  string // the setting that holds the key
	URLVar  string // the setting that names another server
	URL     string // where the API begins at the provider's own server
	Host    string // the name of that server
	Query   string // of every address that a question is sent to
	// Anybody says that many servers speak the same: without a key, naming one is a remedy.
	Anybody bool
	Key     func(h http.Header, key string) // puts the key into the header of every request
	Header  http.Header                     // what else stands there
}

// Options are what one model is made with. Nothing is read from the environment.
type Options struct {
	Name       string        // such as "claude-sonnet-4-5" or "qwen3:8b"
	Key        string        // may be empty when BaseURL is set
	BaseURL    string        // such as "http://localhost:11434/v1"; empty: the provider's own
	HTTPClient *http.Client  // gives the transport; nil: the default one
	Timeout    time.Duration // the longest silence of the server; 0: see [Client.Silence]
	Effort     llm.Effort    // how much it is asked to reason; "": it is not asked
	Sees       bool          // it sees pictures, although another server than the provider's does not say so
	Retry      Retry
}

// Client makes the client of a model. It sends nothing. A missing key without a base URL
// is a fault.Denied.
func (p Provider) Client(o Options) (*Client, error) {
	full := p.Name + ":" + o.Name
	if o.Name == "" {
		return nil, fault.Coded(fault.ModelUnnamed, fault.Data{"provider": p.Name}, "cannot use %s: no model is named", p.Name)
	}
	if o.Key == "" && o.BaseURL == "" {
		missing, elsewhere := p.KeyVar+" is not set", ""
		if p.Anybody {
			missing, elsewhere = "neither "+p.KeyVar+" nor "+p.URLVar+" is set", p.URLVar
		}
		return nil, fault.Coded(fault.ModelKeyMissing, fault.Data{"model": full, "account": p.Account, "key_variable": p.KeyVar, "url_variable": elsewhere},
			"cannot use model %s: %s", full, missing)
	}
	if o.BaseURL == "" {
		o.BaseURL = p.URL
	}
	header := p.Header.Clone()
	if header == nil {
		header = http.Header{}
	}
	if o.Key != "" {
		p.Key(header, o.Key)
	}
	return New(Config{
		Model: full, Key: o.Key, KeyVar: p.KeyVar, BaseURL: o.BaseURL, URLVar: p.URLVar, OwnHost: p.Host, Query: p.Query,
		Header: header, HTTPClient: o.HTTPClient, Timeout: o.Timeout, Sees: o.Sees,
	})
}
