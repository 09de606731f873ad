package event

// ConnectionOpened says that the proxy connected to a host for the code of a
// run. It is emitted before a byte flows.
type ConnectionOpened struct {
	ID      string `json:"id"`   // unique in the run
	Host    string `json:"host"` // the name that was asked for, or an IP address
	Port    int    `json:"port"`
	Address string `json:"address"` // that the name was resolved to, with the port
	Rule    string `json:"rule"`    // that allows it
	Via     string `json:"via"`     // the protocol of the request: "http", "connect" or "socks5"
}

// ConnectionClosed closes what ConnectionOpened opened.
type ConnectionClosed struct {
	ID string `json:"id"`
	// Protocol is what was spoken: "http", "tls" (not read), "https" (read,
	// because credentials are put in), "raw", or empty when nothing was said.
	Protocol string   `json:"protocol,omitempty"`
	Sent     int64    `json:"sent_bytes"`     // to the host
	Received int64    `json:"received_bytes"` // from the host
	Requests int      `json:"requests,omitempty"`
	Injected int      `json:"injected,omitempty"` // requests that a credential was put into
	Took     Duration `json:"took_ms"`
	Reason   string   `json:"reason"` // why it ended
}

// ConnectionRefused says that the proxy did not connect, or did not let through
// what was said. When many are refused, those that are alike share one event.
type ConnectionRefused struct {
	Host   string `json:"host,omitempty"` // as asked for; empty: it was not understood, or they differ
	Port   int    `json:"port,omitempty"`
	Via    string `json:"via,omitempty"` // as in ConnectionOpened
	Reason string `json:"reason"`
	Remedy string `json:"remedy,omitempty"`
	Code   string `json:"code,omitempty"` // of the remedy, as package fault names it; its data are the host and the port
	Count  int    `json:"count"`          // how many, one at least
}
