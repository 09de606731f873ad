package mcp

import (
	"context"
	"net/url"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"praxis/fault"
	"praxis/internal/app"
	"praxis/internal/safetext"
	"praxis/internal/server/api"
)

// The resources: files of sessions, and transcripts of runs.
const (
	filesURI = "praxis://sessions/"
	runsURI  = "praxis://runs/"
)

// fileURI names a file of a session.
func fileURI(session, name string) string {
	parts := strings.Split(strings.TrimPrefix(name, "/"), "/")
	for i, p := range parts {
		parts[i] = url.PathEscape(p)
	}
	return filesURI + url.PathEscape(session) + "/files/" + strings.Join(parts, "/")
}

// decodeURI reads the name of a resource: a file of a session, or a run. It is false for one
// that names neither.
func decodeURI(uri string) (session, file, run string, ok bool) {
	if rest, found := strings.CutPrefix(uri, runsURI); found {
		run, err := url.PathUnescape(rest)
		return "", "", run, err == nil && run != "" && !strings.Contains(run, "/")
	}
	rest, found := strings.CutPrefix(uri, filesURI)
	escaped, raw, inside := strings.Cut(rest, "/files/")
	session, err := url.PathUnescape(escaped)
	if !found || !inside || err != nil || app.CheckSessionName(session) != nil {
		return "", "", "", false
	}
	file, err = url.PathUnescape(raw)
	if err != nil || file == "" || strings.ContainsRune(file, 0) {
		return "", "", "", false
	}
	return session, path.Clean("/" + file), "", true
}

func (d *Door) addResources() {
	d.server.AddResourceTemplate(&mcp.ResourceTemplate{URITemplate: filesURI + "{session}/files/{+path}", Name: "file", Title: "File of a session"}, d.readResource)
	d.server.AddResourceTemplate(&mcp.ResourceTemplate{URITemplate: runsURI + "{run}", Name: "transcript", Title: "Transcript of a run", MIMEType: "text/markdown"}, d.readResource)
}

// readResource reads a file or a transcript.
func (d *Door) readResource(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	uri := req.Params.URI
	session, file, run, ok := decodeURI(uri)
	if !ok {
		return nil, mcp.ResourceNotFoundError(uri)
	}
	out := &mcp.ResourceContents{URI: uri}
	var err error
	if run != "" {
		out.MIMEType = "text/markdown"
		out.Text, err = d.transcript(ctx, run)
	} else {
		var data []byte
		data, err = d.content(ctx, session, file)
		out.MIMEType = typeOf(file, data)
		if isPicture := slices.Contains(pictureTypes(), out.MIMEType); utf8.Valid(data) && !isPicture {
			out.Text = string(data)
		} else {
			out.Blob = data
		}
	}
	if fault.KindOf(err) == fault.NotFound {
		return nil, mcp.ResourceNotFoundError(uri)
	}
	if err != nil {
		return nil, worded(err)
	}
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{out}}, nil
}

// Bounds of the list of resources.
const (
	listedFiles = 100
	listedRuns  = 20
)

// listResources lists the files of the client's session, if it has one, and the latest runs.
func (d *Door) listResources(ctx context.Context, _ *mcp.ListResourcesRequest) (*mcp.ListResourcesResult, error) {
	out := &mcp.ListResourcesResult{Resources: []*mcp.Resource{}}
	out.Cacheable.CacheScope = "private"
	if c := callerOf(ctx).client; c != nil {
		c.mu.Lock()
		session := c.own
		c.mu.Unlock()
		if session != "" {
			files, _, err := d.files(ctx, session, "")
			if err != nil && fault.KindOf(err) != fault.NotFound {
				return nil, worded(err)
			}
			for _, f := range files[:min(len(files), listedFiles)] {
				out.Resources = append(out.Resources, &mcp.Resource{URI: fileURI(session, f.Path), Name: strings.TrimPrefix(f.Path, app.WorkDir+"/"), Size: f.Bytes})
			}
		}
	}
	list, err := get[api.Records](ctx, d, "records.list", &api.RecordQuery{Limit: listedRuns})
	if err != nil {
		return nil, worded(err)
	}
	for _, r := range list.Records {
		out.Resources = append(out.Resources, &mcp.Resource{URI: runsURI + url.PathEscape(r.ID), Name: r.ID, Title: safetext.OneLine(r.Question, 100), MIMEType: "text/markdown"})
	}
	return out, nil
}
