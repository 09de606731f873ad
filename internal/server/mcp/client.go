package mcp

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"praxis/fault"
	"praxis/internal/server/access"
	"praxis/internal/server/api"
)

// client is a session of the protocol.
type client struct {
	session *mcp.ServerSession
	key     access.Key
	named   string        // the session of Praxis that it works in by itself; "": one of its own
	turn    chan struct{} // held by whoever makes the session

	mu       sync.Mutex
	own      string // the session of Praxis that was made for it; "": none yet
	extended time.Time
	packages map[string]bool // that sessions were given, as SESSION PACKAGE
	calls    int
	used     time.Time
}

// begin counts a call. It is false when there are too many.
func (c *client) begin() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.calls >= maxCalls {
		return false
	}
	c.calls++
	return true
}

func (c *client) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls--
	c.used = time.Now()
}

// join takes in a client that has begun a session, until that ends.
func (d *Door) join(session *mcp.ServerSession, key access.Key) error {
	c := &client{session: session, key: key, turn: make(chan struct{}, 1), packages: map[string]bool{}, used: time.Now()}
	if d.local != nil {
		c.named = d.local.Session
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the server is stopping"}
	}
	if d.clients[session] != nil {
		return nil
	}
	d.clients[session] = c
	d.work.Go(func() {
		_ = session.Wait() // however it ended
		d.mu.Lock()
		delete(d.clients, session)
		d.mu.Unlock()
		d.clear(c)
	})
	return nil
}

// crowd ends the session of a tenant's client that was idle longest, when there are as many as
// may be. It is false when all of them are at work.
func (d *Door) crowd(tenant string) bool {
	d.mu.Lock()
	n, oldest, since := 0, (*client)(nil), time.Time{}
	for _, c := range d.clients {
		if c.key.Tenant != tenant {
			continue
		}
		n++
		c.mu.Lock()
		if c.calls == 0 && (oldest == nil || c.used.Before(since)) {
			oldest, since = c, c.used
		}
		c.mu.Unlock()
	}
	d.mu.Unlock()
	if n < maxClients {
		return true
	}
	if oldest == nil {
		return false
	}
	_ = oldest.session.Close() // what it leaves behind is removed by who waits for its end
	return true
}

// clearFor is how long the session of a client that has gone is waited for.
const clearFor = time.Minute

// clear removes the session of Praxis that was made for a client. Where that does not work, it
// goes when its time is over.
func (d *Door) clear(c *client) {
	c.mu.Lock()
	own := c.own
	c.mu.Unlock()
	if own == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithValue(context.Background(), callerKey{}, caller{key: c.key}), clearFor)
	defer cancel()
	// What goes wrong is in the log.
	_ = d.do(ctx, "sessions.delete", &api.SessionRef{Session: own}, nil)
	if turns, err := get[api.Turns](ctx, d, "threads.turns", &api.ThreadRef{Thread: own}); err == nil && len(turns.Turns) > 0 {
		_ = d.do(ctx, "threads.delete", &api.ThreadRef{Thread: own}, nil)
	}
}

// place is a session of Praxis that a tool works in.
type place struct {
	id    string
	fresh bool // it was made for the call
	named bool // the caller has to know its name, to go on in it
}

// place finds the session that a call names, or that of its client, and makes it when it is not
// there, as like says.
func (d *Door) place(ctx context.Context, name string, like api.NewSession) (place, error) {
	c := callerOf(ctx).client
	if name == "" && c != nil {
		name = c.named
	}
	if name != "" || c == nil {
		like.ID = name
		if name != "" {
			_, err := get[api.Session](ctx, d, "sessions.get", &api.SessionRef{Session: name})
			if fault.KindOf(err) != fault.NotFound {
				return place{id: name}, err
			}
		} else {
			like.LastsS = IdleClient.Seconds()
		}
		made, err := get[api.Session](ctx, d, "sessions.create", &like)
		if fault.CodeOf(err) == fault.SessionExists { // another call made it meanwhile
			return place{id: name}, nil
		}
		return place{made.ID, true, name == ""}, err
	}
	select {
	case c.turn <- struct{}{}:
		defer func() { <-c.turn }()
	case <-ctx.Done():
		return place{}, fault.New(fault.Canceled, "", "cannot wait for the session: %w", context.Cause(ctx))
	}
	return d.ownPlace(ctx, c, like)
}

// ownPlace is the session of a client that has the turn.
func (d *Door) ownPlace(ctx context.Context, c *client, like api.NewSession) (place, error) {
	c.mu.Lock()
	own, extended := c.own, c.extended
	c.mu.Unlock()
	if own != "" && time.Since(extended) < time.Hour {
		return place{id: own}, nil
	}
	if own != "" {
		_, err := get[api.Session](ctx, d, "sessions.extend", &api.Lasting{SessionRef: api.SessionRef{Session: own}, LastsS: IdleClient.Seconds()})
		if fault.KindOf(err) != fault.NotFound {
			c.stands(own)
			return place{id: own}, err
		}
	}
	like.LastsS = IdleClient.Seconds()
	made, err := get[api.Session](ctx, d, "sessions.create", &like)
	if err == nil {
		c.stands(made.ID)
	}
	return place{id: made.ID, fresh: true}, err
}

// stands notes which session is the client's, and that it lasts from now on.
func (c *client) stands(own string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.own, c.extended = own, time.Now()
}

// gone notes that the client's session is not there any more, if it is that one.
func (c *client) gone(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.own == id {
		c.own = ""
	}
}

// maxPackages are those that are remembered of a client's sessions.
const maxPackages = 1000

// missing returns those of some packages that a session was not given yet.
func (c *client) missing(session string, packages []string) []string {
	if c == nil {
		return packages
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(packages), func(p string) bool { return c.packages[session+" "+p] })
}

// given notes packages that a session has.
func (c *client) given(session string, packages []string) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.packages) > maxPackages {
		clear(c.packages)
	}
	for _, p := range packages {
		c.packages[session+" "+p] = true
	}
}

// equip gives a session packages.
func (d *Door) equip(ctx context.Context, at place, packages []string) error {
	c := callerOf(ctx).client
	if at.fresh { // it was made with them
		c.given(at.id, packages)
		return nil
	}
	packages = c.missing(at.id, packages)
	if len(packages) == 0 {
		return nil
	}
	err := d.do(ctx, "packages.add", &api.NewPackages{SessionRef: api.SessionRef{Session: at.id}, Packages: packages}, nil)
	if err == nil {
		c.given(at.id, packages)
	}
	return err
}

// like is what a session is made as that code in a language, with packages, is the first of.
func like(lang string, packages []string) api.NewSession {
	var out api.NewSession
	for _, p := range packages {
		if npm, ok := strings.CutPrefix(p, "npm:"); ok {
			out.NPM = append(out.NPM, npm)
		} else {
			out.With = append(out.With, p)
		}
	}
	if l := strings.ToLower(lang); !slices.Contains([]string{"", "python", "py", "bash", "sh"}, l) {
		out.Languages = []string{"python", l}
	}
	return out
}

// within lends a session to f. One of the client's own that is not there any more, since
// somebody removed it, is made anew.
func (d *Door) within(ctx context.Context, name string, as api.NewSession, f func(at place) error) (place, error) {
	at, err := d.place(ctx, name, as)
	if err != nil {
		return at, err
	}
	err = f(at)
	c := callerOf(ctx).client
	if fault.CodeOf(err) != fault.SessionMissing || name != "" || c == nil || at.fresh {
		return at, err
	}
	c.gone(at.id)
	again, made := d.place(ctx, "", as)
	if made != nil {
		return again, errors.Join(err, made)
	}
	return again, f(again)
}

// note tells the caller what it has to know of a place.
func (p place) note() string {
	if !p.named {
		return ""
	}
	return "[session " + p.id + ": name it in the next call to go on with its variables and files]"
}
