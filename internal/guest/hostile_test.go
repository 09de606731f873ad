package guest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"runtime"
	"strings"
	"testing"
	"time"

	"praxis/event"
	"praxis/fault"
	"praxis/internal/guest"
	"praxis/internal/guest/wire"
)

// liar is a guest that says what a test wants it to say.
type liar struct {
	t    *testing.T
	conn net.Conn
	r    *wire.Reader
}

// lie makes a client whose guest is f, once the stream is open.
func lie(t *testing.T, f func(l *liar)) *guest.Client {
	t.Helper()
	host, conn := net.Pipe()
	l := &liar{t: t, conn: conn, r: wire.NewReader(conn)}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer conn.Close()
		h, err := l.r.Next()
		if err != nil || h.Kind != wire.HelloKind {
			return
		}
		var hello wire.Hello
		if json.Unmarshal(h.Body, &hello) != nil {
			return
		}
		l.say(wire.HelloKind, 0, wire.Hello{Version: wire.Version, Epoch: hello.Epoch})
		f(l)
	}()
	c := guest.New(host, guest.Patience{})
	t.Cleanup(func() {
		c.Close()
		<-done
	})
	if err := c.Hello(testCtx(t), wire.Hello{}); err != nil {
		t.Fatal(err)
	}
	return c
}

func testCtx(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// say sends a frame; a body that is neither bytes nor a string is sent as JSON.
func (l *liar) say(kind wire.Kind, id uint32, body any) bool {
	var text []byte
	switch b := body.(type) {
	case []byte:
		text = b
	case string:
		text = []byte(b)
	default:
		text, _ = json.Marshal(b)
	}
	frame, err := wire.Append(nil, kind, id, text)
	if err != nil {
		return false
	}
	_, err = l.conn.Write(frame)
	return err == nil
}

// receive reads the next request and returns its number.
func (l *liar) receive() (uint32, string) {
	for {
		f, err := l.r.Next()
		if err != nil {
			return 0, ""
		}
		if f.Kind == wire.Request {
			return f.ID, string(f.Body)
		}
	}
}

// drain reads until the host has closed the stream.
func (l *liar) drain() {
	for {
		if _, err := l.r.Next(); err != nil {
			return
		}
	}
}

func output(seq uint64, stream uint8, text string) []byte {
	return append(wire.AppendOutput(nil, seq, stream), text...)
}

const okResult = `{"status":"ok","state":"intact","wall_ms":1,"cpu_ms":1,"peak_memory_bytes":1}`

// TestLiesOfAnExecution lies in every field of what an execution sends. Each
// lie must end the stream with an error, not with a panic or a hang.
func TestLiesOfAnExecution(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 70<<10)
	result := func(change string) string { // one field of a good result, changed
		var m map[string]any
		json.Unmarshal([]byte(okResult), &m)
		if err := json.Unmarshal([]byte(change), &m); err != nil {
			t.Fatal(err)
		}
		text, _ := json.Marshal(m)
		return string(text)
	}
	changes := func(list string) string { return result(`{"changes":[` + list + `]}`) }
	respond := func(body string) func(*liar, uint32) {
		return func(l *liar, id uint32) { l.say(wire.Response, id, body) }
	}
	say := func(kind wire.Kind, body any) func(*liar, uint32) {
		return func(l *liar, id uint32) { l.say(kind, id, body) }
	}
	lies := map[string]func(*liar, uint32){
		"status report is no JSON": respond("{"),
		"status report is a list":  respond("[]"),
		"status report is empty":   respond(""),
		"no status":                respond(result(`{"status":""}`)),
		"unknown status":           respond(result(`{"status":"fine"}`)),
		"status is a number":       respond(result(`{"status":1}`)),
		"unknown state":            respond(result(`{"state":"better"}`)),
		"state restored":           respond(result(`{"state":"restored"}`)),
		"state gone":               respond(result(`{"state":"gone"}`)),
		"negative wall time":       respond(result(`{"wall_ms":-1}`)),
		"huge wall time":           respond(result(`{"wall_ms":1e300}`)),
		"wall time out of range":   respond(strings.Replace(okResult, `"wall_ms":1`, `"wall_ms":1e999`, 1)),
		"negative cpu time":        respond(result(`{"cpu_ms":-0.5}`)),
		"negative memory":          respond(result(`{"peak_memory_bytes":-5}`)),
		"huge memory":              respond(result(`{"peak_memory_bytes":9223372036854775807}`)),
		"memory is a fraction":     respond(result(`{"peak_memory_bytes":1.5}`)),
		"relative output file":     respond(result(`{"output_file":"x"}`)),
		"output file with ..":      respond(result(`{"output_file":"/tmp/../etc/passwd"}`)),
		"output file with escapes": respond(result(`{"output_file":"/tmp/\u001b[2J"}`)),
		"long output file":         respond(result(`{"output_file":"/` + long + `"}`)),
		"result with bad key":      respond(result(`{"result":{"h t m l":"x"}}`)),
		"result with bad image":    respond(result(`{"result":{"image/png":"%%%"}}`)),
		"result is a text":         respond(result(`{"result":"x"}`)),
		"result with a number":     respond(result(`{"result":{"text":1}}`)),
		"result with 33 keys":      respond(result(`{"result":` + keys(33) + `}`)),
		"exception with long name": respond(result(`{"error":{"name":"` + long + `","value":"","traceback":""}}`)),
		"exception with long text": respond(result(`{"error":{"name":"E","value":"` + long + long + `","traceback":""}}`)),
		"long traceback":           respond(result(`{"error":{"name":"E","value":"","traceback":"` + strings.Repeat(long, 8) + `"}}`)),
		"exception is a list":      respond(result(`{"error":[]}`)),
		"stamps":                   respond(result(`{"stamps":{"taken":1}}`)),
		"relative change":          respond(changes(`{"path":"a","kind":"created","bytes":1}`)),
		"change elsewhere":         respond(changes(`{"path":"/etc/passwd","kind":"changed","bytes":1}`)),
		"change of the folder":     respond(changes(`{"path":"/work","kind":"changed","bytes":1}`)),
		"change of the folder/":    respond(changes(`{"path":"/work/","kind":"changed","bytes":1}`)),
		"change with ..":           respond(changes(`{"path":"/work/../etc/passwd","kind":"changed","bytes":1}`)),
		"change in a like folder":  respond(changes(`{"path":"/workshop/a","kind":"changed","bytes":1}`)),
		"change with escapes":      respond(changes(`{"path":"/work/\u001b[2J","kind":"changed","bytes":1}`)),
		"change of a long path":    respond(changes(`{"path":"/work/` + long + `","kind":"changed","bytes":1}`)),
		"change without a path":    respond(changes(`{}`)),
		"change of unknown kind":   respond(changes(`{"path":"/work/a","kind":"eaten","bytes":1}`)),
		"change of the watch":      respond(changes(`{"path":"/work/a","kind":"modified","bytes":1}`)),
		"change of negative size":  respond(changes(`{"path":"/work/a","kind":"created","bytes":-1}`)),
		"change of huge size":      respond(changes(`{"path":"/work/a","kind":"created","bytes":9223372036854775807}`)),
		"change with short hash":   respond(changes(`{"path":"/work/a","kind":"created","bytes":1,"sha256":"ab"}`)),
		"change with large hash":   respond(changes(`{"path":"/work/a","kind":"created","bytes":1,"sha256":"` + strings.Repeat("A", 64) + `"}`)),
		"hash of what is removed":  respond(changes(`{"path":"/work/a","kind":"removed","bytes":0,"sha256":"` + strings.Repeat("a", 64) + `"}`)),
		"size of what is removed":  respond(changes(`{"path":"/work/a","kind":"removed","bytes":1}`)),
		"changes out of order":     respond(changes(`{"path":"/work/b","kind":"created"},{"path":"/work/a","kind":"created"}`)),
		"change told twice":        respond(changes(`{"path":"/work/a","kind":"created"},{"path":"/work/a","kind":"removed"}`)),
		"changes are an object":    respond(result(`{"changes":{}}`)),
		"change is a number":       respond(result(`{"changes":[1]}`)),
		"endless changes":          respond(changes(strings.Repeat(`{},`, 200_000) + `{}`)),
		"state note of two lines":  respond(result(`{"state_note":"a\nb"}`)),
		"long state note":          respond(result(`{"state_note":"` + long + `"}`)),
		"unlisted of two lines":    respond(result(`{"unlisted":"a\nb"}`)),
		"long unlisted":            respond(result(`{"unlisted":"` + long + `"}`)),
		"event is no JSON":         say(wire.Event, "}"),
		"event of unknown type":    say(wire.Event, `{"seq":1,"type":"dance"}`),
		"event without type":       say(wire.Event, `{"seq":1}`),
		"event with number 0":      say(wire.Event, `{"seq":0,"type":"display","bundle":{"text":"x"}}`),
		"event with number 2":      say(wire.Event, `{"seq":2,"type":"display","bundle":{"text":"x"}}`),
		"event with number -1":     say(wire.Event, `{"seq":-1,"type":"display","bundle":{"text":"x"}}`),
		"event with huge number":   say(wire.Event, `{"seq":18446744073709551616,"type":"display","bundle":{"text":"x"}}`),
		"empty display":            say(wire.Event, `{"seq":1,"type":"display"}`),
		"display with bad image":   say(wire.Event, `{"seq":1,"type":"display","bundle":{"image/jpeg":"a"}}`),
		"display with 33 keys":     say(wire.Event, `{"seq":1,"type":"display","bundle":`+keys(33)+`}`),
		"negative cut":             say(wire.Event, `{"seq":1,"type":"cut","stdout":-1}`),
		"cut with bad path":        say(wire.Event, `{"seq":1,"type":"cut","stdout":1,"file":"x\ny"}`),
		"short output":             say(wire.Output, []byte("x")),
		"output of stream 0":       say(wire.Output, output(1, 0, "x")),
		"output of stream 3":       say(wire.Output, output(1, 3, "x")),
		"output number 0":          say(wire.Output, output(0, 1, "x")),
		"output number 2":          say(wire.Output, output(2, 1, "x")),
		"output number max":        say(wire.Output, output(1<<64-1, 1, "x")),
		"output twice": func(l *liar, id uint32) {
			l.say(wire.Output, id, output(1, 1, "x"))
			l.say(wire.Output, id, output(1, 1, "x"))
		},
		"more output than asked":   func(l *liar, id uint32) { l.say(wire.Output, id, output(1, 1, strings.Repeat("x", 400<<10))) },
		"output within a message":  func(l *liar, id uint32) { l.say(wire.Part, id, "x"); l.say(wire.Output, id, output(1, 1, "x")) },
		"parts that make no sense": func(l *liar, id uint32) { l.say(wire.Part, id, `{"seq`); l.say(wire.Event, id, `{"seq":1}`) },
		"data":                     say(wire.Data, "x"),
		"end":                      say(wire.End, ""),
		"end with body":            say(wire.End, "x"),
		"hello":                    func(l *liar, _ uint32) { l.say(wire.HelloKind, 0, wire.Hello{Version: 1, Epoch: 5}) },
		"hello of an id":           func(l *liar, id uint32) { l.say(wire.HelloKind, id, wire.Hello{Version: 1, Epoch: 5}) },
		"request":                  say(wire.Request, `{"op":"ping"}`),
		"cancel":                   say(wire.Cancel, ""),
		"kind 0":                   say(wire.Kind(0), ""),
		"kind 99":                  say(wire.Kind(99), "x"),
		"unknown id":               func(l *liar, id uint32) { l.say(wire.Response, id+1, okResult) },
		"id 0":                     func(l *liar, _ uint32) { l.say(wire.Response, 0, okResult) },
		"output of unknown id":     func(l *liar, id uint32) { l.say(wire.Output, id+7, output(1, 1, "x")) },
		"short credit":             say(wire.Credit, "x"),
		"credit that is not due":   say(wire.Credit, wire.AppendCredit(nil, 10)),
		"credit of 0":              say(wire.Credit, wire.AppendCredit(nil, 0)),
		"huge credit":              say(wire.Credit, wire.AppendCredit(nil, 1<<32-1)),
		"failure is no JSON":       say(wire.Failure, "x"),
		"failure of unknown kind":  say(wire.Failure, `{"kind":"bad","message":"m"}`),
		"failure that is huge":     say(wire.Failure, `{"kind":"invalid","message":"`+strings.Repeat("x", 200<<10)+`"}`),
		"length 0":                 func(l *liar, _ uint32) { l.conn.Write(make([]byte, 4)) },
		"length of 4 GiB":          func(l *liar, _ uint32) { l.conn.Write(bytes.Repeat([]byte{255}, 9)) },
		"end of stream":            func(l *liar, _ uint32) { l.conn.Close() },
		"end in a frame":           func(l *liar, _ uint32) { l.conn.Write([]byte{0, 0, 0, 9, 2}); l.conn.Close() },
	}
	for name, f := range lies {
		t.Run(name, func(t *testing.T) {
			c := lie(t, func(l *liar) {
				id, _ := l.receive()
				f(l, id)
				l.drain()
			})
			x, err := c.Execute(testCtx(t), wire.Execute{Code: "1", OutputBytes: 1000, Changes: true}, nil)
			if err == nil || fault.KindOf(err) != fault.Unavailable {
				t.Fatalf("got %+v, %v", x, err)
			}
			select {
			case <-c.Done():
			case <-testCtx(t).Done():
				t.Fatal("the stream is still open")
			}
			if c.Err() == nil {
				t.Error("the stream ended without a reason")
			}
			if err := c.Ping(testCtx(t)); fault.KindOf(err) != fault.Unavailable {
				t.Errorf("a request on it: %v", err)
			}
		})
	}
}

// TestChangesNobodyAskedFor answers an execution that did not ask for them.
func TestUnrequestedChanges(t *testing.T) {
	t.Parallel()
	for _, changes := range []string{`"changes":[{"path":"/work/a","kind":"created","bytes":1}]`, `"unlisted":"x"`} {
		c := lie(t, func(l *liar) {
			id, _ := l.receive()
			l.say(wire.Response, id, strings.Replace(okResult, "{", "{"+changes+",", 1))
			l.drain()
		})
		if x, err := c.Execute(testCtx(t), wire.Execute{Code: "1"}, nil); fault.KindOf(err) != fault.Unavailable {
			t.Errorf("%s: got %+v, %v", changes, x, err)
		}
	}
}

func keys(n int) string {
	m := map[string]string{}
	for i := range n {
		m[fmt.Sprintf("text/k%d", i)] = "v"
	}
	text, _ := json.Marshal(m)
	return string(text)
}

// TestLiesOfReplies lies in the replies of the other ops.
func TestLiesOfReplies(t *testing.T) {
	t.Parallel()
	const file = `"kind":"file","size":1,"mode":420,"mod_time_ns":1`
	stat := func(c *guest.Client, ctx context.Context) error { _, err := c.Stat(ctx, "f"); return err }
	list := func(c *guest.Client, ctx context.Context) error { _, err := c.List(ctx, "f", true); return err }
	contexts := func(c *guest.Client, ctx context.Context) error { _, err := c.Contexts(ctx); return err }
	complete := func(c *guest.Client, ctx context.Context) error { _, err := c.Complete(ctx, "", "abc", 3); return err }
	read := func(c *guest.Client, ctx context.Context) error {
		_, err := c.ReadFile(ctx, "f", io.Discard)
		return err
	}
	watch := func(c *guest.Client, ctx context.Context) error { return c.Watch(ctx, "f", true, func(wire.Change) {}) }
	startProc := func(c *guest.Client, ctx context.Context) error {
		p, err := c.Start(ctx, wire.Process{Argv: []string{"x"}}, nil)
		if err == nil {
			_, err = p.Wait(ctx)
		}
		return err
	}
	type frame struct {
		kind wire.Kind
		body any
	}
	for name, c := range map[string]struct {
		call func(*guest.Client, context.Context) error
		says []frame
	}{
		"stat: no JSON":            {stat, []frame{{wire.Response, "x"}}},
		"stat: no path":            {stat, []frame{{wire.Response, "{" + file + "}"}}},
		"stat: relative path":      {stat, []frame{{wire.Response, `{"path":"x",` + file + "}"}}},
		"stat: unknown kind":       {stat, []frame{{wire.Response, `{"path":"/x","kind":"door"}`}}},
		"stat: negative size":      {stat, []frame{{wire.Response, `{"path":"/x","kind":"file","size":-1}`}}},
		"stat: mode with setuid":   {stat, []frame{{wire.Response, `{"path":"/x","kind":"file","mode":2541}`}}},
		"stat: negative mode":      {stat, []frame{{wire.Response, `{"path":"/x","kind":"file","mode":-1}`}}},
		"stat: time out of range":  {stat, []frame{{wire.Response, `{"path":"/x","kind":"file","mod_time_ns":1e30}`}}},
		"stat: long path":          {stat, []frame{{wire.Response, `{"path":"/` + strings.Repeat("x", 20000) + `",` + file + "}"}}},
		"stat: data":               {stat, []frame{{wire.Data, "x"}}},
		"stat: event":              {stat, []frame{{wire.Event, "{}"}}},
		"list: no JSON":            {list, []frame{{wire.Event, "x"}}},
		"list: bad entry":          {list, []frame{{wire.Event, `{"files":[{"path":"/x",` + file + `},{}]}`}}},
		"list: long path":          {list, []frame{{wire.Event, `{"files":[{"path":"/` + strings.Repeat("x", 4096) + `",` + file + `}]}`}}},
		"list: long target":        {list, []frame{{wire.Event, `{"files":[{"path":"/x","kind":"symlink","target":"` + strings.Repeat("x", 4097) + `"}]}`}}},
		"list: bad end":            {list, []frame{{wire.Response, `{"left_out":-1}`}}},
		"list: end is no JSON":     {list, []frame{{wire.Response, "x"}}},
		"list: output":             {list, []frame{{wire.Output, output(1, 1, "x")}}},
		"contexts: no JSON":        {contexts, []frame{{wire.Response, "x"}}},
		"contexts: bad name":       {contexts, []frame{{wire.Response, `{"contexts":[{"language":"python","name":"a b","state":"idle"}]}`}}},
		"contexts: bad language":   {contexts, []frame{{wire.Response, `{"contexts":[{"language":"Py thon","name":"a","state":"idle"}]}`}}},
		"contexts: no language":    {contexts, []frame{{wire.Response, `{"contexts":[{"name":"a","state":"idle"}]}`}}},
		"contexts: bad state":      {contexts, []frame{{wire.Response, `{"contexts":[{"language":"python","name":"a","state":"happy"}]}`}}},
		"contexts: negative pid":   {contexts, []frame{{wire.Response, `{"contexts":[{"language":"python","name":"a","state":"idle","pid":-4}]}`}}},
		"contexts: bad execution":  {contexts, []frame{{wire.Response, `{"contexts":[{"language":"python","name":"a","state":"busy","execution":"\u001b"}]}`}}},
		"contexts: bad version":    {contexts, []frame{{wire.Response, `{"contexts":[{"language":"python","name":"a","state":"busy","version":"\u001b[2J"}]}`}}},
		"complete: negative start": {complete, []frame{{wire.Response, `{"start":-1,"end":1,"matches":[]}`}}},
		"complete: end first":      {complete, []frame{{wire.Response, `{"start":2,"end":1,"matches":[]}`}}},
		"complete: end outside":    {complete, []frame{{wire.Response, `{"start":2,"end":4,"matches":[]}`}}},
		"complete: 501 matches":    {complete, []frame{{wire.Response, `{"start":0,"end":1,"matches":[` + strings.Repeat(`"a",`, 500) + `"a"]}`}}},
		"complete: a number":       {complete, []frame{{wire.Response, `{"start":0,"end":1,"matches":[1]}`}}},
		"read: no end":             {read, []frame{{wire.Data, "x"}, {wire.Response, `{"path":"/x",` + file + `}`}}},
		"read: data after end":     {read, []frame{{wire.End, ""}, {wire.Data, "x"}}},
		"read: two ends":           {read, []frame{{wire.End, ""}, {wire.End, ""}}},
		"read: event":              {read, []frame{{wire.Event, "{}"}}},
		"read: bad file":           {read, []frame{{wire.End, ""}, {wire.Response, `{}`}}},
		"watch: no JSON":           {watch, []frame{{wire.Event, "x"}}},
		"watch: unknown type":      {watch, []frame{{wire.Event, `{"type":"moved","path":"/x"}`}}},
		"watch: long path":         {watch, []frame{{wire.Event, `{"type":"created","path":"` + strings.Repeat("x", 20000) + `"}`}}},
		"watch: response":          {watch, []frame{{wire.Response, "{}"}}},
		"process: pid 0":           {startProc, []frame{{wire.Event, `{"pid":0}`}}},
		"process: negative pid":    {startProc, []frame{{wire.Event, `{"pid":-3}`}}},
		"process: no pid":          {startProc, []frame{{wire.Event, `x`}}},
		"process: response first":  {startProc, []frame{{wire.Response, `{"code":0}`}}},
		"process: exit no JSON":    {startProc, []frame{{wire.Event, `{"pid":3}`}, {wire.Response, "x"}}},
		"process: exit code":       {startProc, []frame{{wire.Event, `{"pid":3}`}, {wire.Response, `{"code":256}`}}},
		"process: negative signal": {startProc, []frame{{wire.Event, `{"pid":3}`}, {wire.Response, `{"code":-1,"signal":-9}`}}},
		"process: output number":   {startProc, []frame{{wire.Event, `{"pid":3}`}, {wire.Output, output(5, 1, "x")}}},
		"process: output stream":   {startProc, []frame{{wire.Event, `{"pid":3}`}, {wire.Output, output(1, 9, "x")}}},
		"process: data":            {startProc, []frame{{wire.Event, `{"pid":3}`}, {wire.Data, "x"}}},
	} {
		t.Run(name, func(t *testing.T) {
			g := lie(t, func(l *liar) {
				id, _ := l.receive()
				for _, f := range c.says {
					l.say(f.kind, id, f.body)
				}
				l.drain()
			})
			if err := c.call(g, testCtx(t)); fault.KindOf(err) != fault.Unavailable {
				t.Errorf("got %v", err)
			}
			<-g.Done()
		})
	}
}

// TestListingWithoutEnd lists for ever, by number and by bytes.
func TestListingWithoutEnd(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		path string
		n    int // entries of an event
	}{"many": {"/x", 5000}, "long": {"/" + strings.Repeat("x", 4000), 100}} {
		t.Run(name, func(t *testing.T) {
			one := wire.FileInfo{Path: c.path, Kind: wire.KindFile}
			batch := wire.Files{Files: make([]wire.FileInfo, c.n)}
			for i := range batch.Files {
				batch.Files[i] = one
			}
			body, _ := json.Marshal(batch)
			g := lie(t, func(l *liar) {
				id, _ := l.receive()
				credits := make(chan int, 1000)
				go func() {
					defer close(credits)
					for f, err := l.r.Next(); err == nil; f, err = l.r.Next() {
						if n, err := wire.ParseCredit(f.Body); err == nil && f.Kind == wire.Credit {
							credits <- n
						}
					}
				}()
				for flying := 0; l.say(wire.Event, id, body); {
					flying += wire.Cost(len(body))
					for ok := true; ok && flying >= wire.Window; {
						var n int
						n, ok = <-credits
						flying -= n
					}
				}
				for range credits {
					continue // until the reader is done
				}
			})
			_, err := g.List(testCtx(t), "/", true)
			if fault.KindOf(err) != fault.Unavailable || !strings.Contains(fmt.Sprint(g.Err()), "too long") {
				t.Errorf("got %v, %v", err, g.Err())
			}
		})
	}
}

func TestLiesOfHello(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"no JSON": "x", "version 2": `{"version":2,"epoch":1}`, "version 0": `{"epoch":1}`, "epoch below 0": `{"version":1,"epoch":-1}`,
		"long": `{"version":1,"epoch":1,"reseed":"` + strings.Repeat("0", 5000) + `"}`,
	} {
		host, conn := net.Pipe()
		done := make(chan struct{})
		go func() {
			defer close(done)
			l := &liar{t: t, conn: conn, r: wire.NewReader(conn)}
			l.r.Next()
			l.say(wire.HelloKind, 0, body)
			l.drain()
		}()
		c := guest.New(host, guest.Patience{})
		if err := c.Hello(testCtx(t), wire.Hello{}); fault.KindOf(err) != fault.Unavailable {
			t.Errorf("%s: got %v", name, err)
		}
		c.Close()
		conn.Close()
		<-done
	}
}

// TestFloods sends without end. The host must stop it long before memory does.
func TestFloods(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]func(l *liar, id uint32){
		"output": func(l *liar, id uint32) {
			for i := uint64(1); l.say(wire.Output, id, output(i, 1, strings.Repeat("x", 100<<10))); i++ {
			}
		},
		"empty output": func(l *liar, id uint32) {
			for i := uint64(1); l.say(wire.Output, id, output(i, 1, "")); i++ {
				if i > 3_000_000 {
					l.t.Error("three million empty frames were taken")
					return
				}
			}
		},
		"displays": func(l *liar, id uint32) {
			for i := uint64(1); l.say(wire.Event, id, fmt.Sprintf(`{"seq":%d,"type":"display","bundle":{"text":"x"}}`, i)); i++ {
			}
		},
		"parts": func(l *liar, id uint32) {
			for l.say(wire.Part, id, strings.Repeat("x", 1<<20)) {
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := lie(t, func(l *liar) {
				id, _ := l.receive()
				go l.drain() // credit, so that the host is not held up
				f(l, id)
			})
			ctx, cancel := context.WithTimeout(testCtx(t), 40*time.Second)
			defer cancel()
			_, err := c.Execute(ctx, wire.Execute{Code: "1", OutputBytes: 1000}, nil)
			if fault.KindOf(err) != fault.Unavailable {
				t.Errorf("got %v", err)
			}
		})
	}
}

// TestWindow sends more than the window while nobody takes it.
func TestWindow(t *testing.T) {
	t.Parallel()
	c := lie(t, func(l *liar) {
		id, _ := l.receive()
		for l.say(wire.Data, id, make([]byte, 100<<10)) {
		}
		l.drain()
	})
	hold := make(chan struct{})
	done := make(chan error, 1)
	go func() {
		_, err := c.ReadFile(testCtx(t), "f", writerFunc(func(b []byte) (int, error) { <-hold; return len(b), nil }))
		done <- err
	}()
	<-c.Done()
	close(hold)
	if err := <-done; fault.KindOf(err) != fault.Unavailable || !strings.Contains(c.Err().Error(), "window") {
		t.Errorf("got %v, %v", err, c.Err())
	}
}

// TestSilentGuest cancels requests of a guest that answers nothing.
func TestSilentGuest(t *testing.T) {
	t.Parallel()
	c := lie(t, func(l *liar) { l.drain() })
	for name, f := range map[string]func(ctx context.Context) error{
		"ping":  c.Ping,
		"read":  func(ctx context.Context) error { _, err := c.ReadFile(ctx, "f", io.Discard); return err },
		"write": func(ctx context.Context) error { _, err := c.WriteFile(ctx, "f", zeros{}, 0); return err },
		"start": func(ctx context.Context) error {
			_, err := c.Start(ctx, wire.Process{Argv: []string{"x"}}, nil)
			return err
		},
		"attach": func(ctx context.Context) error {
			_, err := c.Attach(ctx, "x", 0, nil)
			return err
		},
	} {
		ctx, cancel := context.WithTimeout(testCtx(t), 50*time.Millisecond)
		if err := f(ctx); fault.KindOf(err) != fault.Canceled {
			t.Errorf("%s: got %v", name, err)
		}
		cancel()
	}
	if err := c.Err(); err != nil {
		t.Errorf("the stream ended: %v", err)
	}
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) { return len(b), nil }

// TestFailuresAreFaults passes what an honest guest refuses on to the caller,
// without what would harm a screen.
func TestFailuresAreFaults(t *testing.T) {
	t.Parallel()
	c := lie(t, func(l *liar) {
		id, _ := l.receive()
		l.say(wire.Failure, id, wire.Fault{Kind: "denied", Message: "no \x1b[31mway\x00", Remedy: "ask"})
		id, _ = l.receive()
		l.say(wire.Failure, id, wire.Fault{Kind: "not_found", Message: strings.Repeat("m", 60<<10)})
		l.drain()
	})
	_, err := c.Stat(testCtx(t), "f")
	if fault.KindOf(err) != fault.Denied || err.Error() != "no [31mway" || fault.RemedyOf(err) != "ask" {
		t.Errorf("got %v", err)
	}
	_, err = c.Execute(testCtx(t), wire.Execute{Code: "1"}, nil)
	if fault.KindOf(err) != fault.NotFound || len(err.Error()) > 8<<10 {
		t.Errorf("got %d bytes", len(err.Error()))
	}
}

// TestOlderEpoch sends frames of the stream before while a hello is awaited.
func TestOlderEpoch(t *testing.T) {
	t.Parallel()
	got := make(chan struct{})
	c := lie(t, func(l *liar) {
		l.receive()
		close(got)
		f, _ := l.r.Next() // the second hello
		var h wire.Hello
		json.Unmarshal(f.Body, &h)
		l.say(wire.Output, 999, output(1, 1, "old"))
		l.say(wire.HelloKind, 0, wire.Hello{Version: 1, Epoch: h.Epoch + 1})
		l.say(wire.HelloKind, 0, wire.Hello{Version: 1, Epoch: h.Epoch})
		id, _ := l.receive()
		l.say(wire.Response, id, "{}")
		l.drain()
	})
	done := make(chan error, 1)
	ctx := testCtx(t)
	go func() { _, err := c.Stat(ctx, "f"); done <- err }()
	<-got
	if err := c.Hello(ctx, wire.Hello{}); err != nil {
		t.Fatal(err)
	}
	if err := <-done; fault.KindOf(err) != fault.Unavailable {
		t.Errorf("a request of the older stream: %v", err)
	}
	if err := c.Ping(ctx); err != nil {
		t.Errorf("a request of the newer stream: %v", err)
	}
}

// TestNothingLeaks counts goroutines after clients with open requests were closed.
func TestNothingLeaks(t *testing.T) {
	before := runtime.NumGoroutine()
	for range 10 {
		host, conn := net.Pipe()
		l := &liar{t: t, conn: conn, r: wire.NewReader(conn)}
		served := make(chan struct{})
		go func() {
			defer close(served)
			f, _ := l.r.Next()
			var h wire.Hello
			json.Unmarshal(f.Body, &h)
			l.say(wire.HelloKind, 0, wire.Hello{Version: 1, Epoch: h.Epoch})
			id, _ := l.receive()
			l.say(wire.Event, id, `{"pid":3}`)
			l.drain()
		}()
		c := guest.New(host, guest.Patience{})
		if err := c.Hello(testCtx(t), wire.Hello{}); err != nil {
			t.Fatal(err)
		}
		p, err := c.Start(testCtx(t), wire.Process{Argv: []string{"x"}}, event.Discard)
		if err != nil {
			t.Fatal(err)
		}
		c.Close()
		if _, err := p.Wait(testCtx(t)); fault.KindOf(err) != fault.Unavailable {
			t.Errorf("the process ended with %v", err)
		}
		conn.Close()
		<-served
	}
	for end := time.Now().Add(30 * time.Second); runtime.NumGoroutine() > before; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d goroutines before, %d after", before, runtime.NumGoroutine())
		}
	}
}
