package mcp

import (
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"praxis/internal/server/rest"
)

// NewWithFixtures returns the door over HTTP with more than its own tools.
func NewWithFixtures(cfg rest.Config, options func(*mcp.ServerOptions), add func(*mcp.Server)) *HTTP {
	d := newDoor(cfg, nil, options)
	add(d.server)
	return d.overHTTP(func(*http.Request, string) bool { return true })
}
