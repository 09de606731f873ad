package measure

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/coder/websocket"

	"praxis/internal/image"
)

// Jupyter is a Jupyter server on the host, over REST and WebSocket as its clients speak it:
// https://jupyter-server.readthedocs.io/en/latest/developers/rest-api.html.
type Jupyter struct {
	*client
	dir    string
	cancel context.CancelFunc
	over   chan error
}

// startWithin bounds how long the server may take to answer.
const startWithin = 2 * time.Minute

// StartJupyter starts the server with the interpreter of an image that has jupyter_server and
// ipykernel. Its files are in a folder below dir that goes with it.
func StartJupyter(ctx context.Context, dir string, img image.Image) (*Jupyter, error) {
	dir, err := os.MkdirTemp(dir, "bench-")
	if err != nil {
		return nil, err
	}
	spec, err := json.Marshal(map[string]any{"argv": append(img.OutsideCommand(), "-m", "ipykernel_launcher", "-f", "{connection_file}"), "display_name": "Python", "language": "python"})
	if err != nil {
		return nil, err
	}
	kernel := filepath.Join(dir, "kernels", "python3")
	if err := errors.Join(os.MkdirAll(kernel, 0o700), os.WriteFile(filepath.Join(kernel, "kernel.json"), spec, 0o600)); err != nil {
		return nil, err
	}
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	secret := rand.Text()
	running, cancel := context.WithCancel(ctx)
	r, said := io.Pipe()
	j := &Jupyter{client: newClient(fmt.Sprintf("http://127.0.0.1:%d", port), "token "+secret), dir: dir, cancel: cancel, over: make(chan error, 1)}
	go func() {
		err := img.RunOutside(running, image.Outside{
			Args: []string{"-m", "jupyter_server", "--ServerApp.ip=127.0.0.1", fmt.Sprintf("--ServerApp.port=%d", port), "--ServerApp.port_retries=0", "--ServerApp.open_browser=False", "--ServerApp.allow_root=True", "--ServerApp.root_dir=" + dir},
			Dir:  dir, Out: said, Err: said,
			Env: []string{"HOME=" + dir, "IPYTHONDIR=" + dir, "JUPYTER_CONFIG_DIR=" + dir, "JUPYTER_DATA_DIR=" + dir, "JUPYTER_RUNTIME_DIR=" + dir, "JUPYTER_TOKEN=" + secret},
		})
		_ = said.Close()
		j.over <- err
	}()
	last := make(chan string, 1)
	go func() {
		line := ""
		for lines := bufio.NewScanner(r); lines.Scan(); {
			line = lines.Text()
		}
		_, _ = io.Copy(io.Discard, r) // after a line that is too long
		last <- line
	}()
	for began := time.Now(); ; {
		err := j.do(ctx, http.MethodGet, "/api", nil, nil)
		if err == nil {
			return j, nil
		}
		select {
		case ended := <-j.over:
			j.over <- nil
			return nil, errors.Join(fmt.Errorf("cannot start the Jupyter server: %s", <-last), ended, j.close())
		case <-time.After(50 * time.Millisecond):
		}
		if time.Since(began) > startWithin {
			return nil, errors.Join(fmt.Errorf("cannot start the Jupyter server: %w", err), j.close())
		}
	}
}

func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	return l.Addr().(*net.TCPAddr).Port, l.Close()
}

// close ends the server, and waits for it.
func (j *Jupyter) close() error {
	j.idle()
	j.cancel()
	<-j.over // it was killed
	return os.RemoveAll(j.dir)
}

// kernel is a kernel and a WebSocket to its channels.
type kernel struct {
	j    *Jupyter
	id   string
	conn *websocket.Conn
}

// kernel starts a kernel and connects to it.
func (j *Jupyter) kernel(ctx context.Context) (*kernel, error) {
	var made struct {
		ID string `json:"id"`
	}
	if err := j.do(ctx, http.MethodPost, "/api/kernels", map[string]any{"name": "python3"}, &made); err != nil {
		return nil, err
	}
	conn, _, err := websocket.Dial(ctx, strings.Replace(j.base, "http", "ws", 1)+"/api/kernels/"+made.ID+"/channels?session_id="+rand.Text(),
		&websocket.DialOptions{HTTPHeader: http.Header{"Authorization": {j.authorization}}})
	if err != nil {
		return nil, err
	}
	conn.SetReadLimit(maxAnswer)
	return &kernel{j, made.ID, conn}, nil
}

// execute runs code, and returns when the kernel has answered and is idle again:
// https://jupyter-client.readthedocs.io/en/stable/messaging.html.
func (k *kernel) execute(ctx context.Context, code string) error {
	id := rand.Text()
	data, err := json.Marshal(map[string]any{
		"channel": "shell", "parent_header": map[string]any{}, "metadata": map[string]any{}, "buffers": []any{},
		"header":  map[string]any{"msg_id": id, "msg_type": "execute_request", "session": id, "username": "bench", "version": "5.4", "date": time.Now().UTC().Format(time.RFC3339Nano)},
		"content": map[string]any{"code": code, "silent": false, "store_history": true, "user_expressions": map[string]any{}, "allow_stdin": false, "stop_on_error": true},
	})
	if err != nil {
		return err
	}
	if err := k.conn.Write(ctx, websocket.MessageText, data); err != nil {
		return err
	}
	for replied, idle := false, false; !replied || !idle; {
		_, data, err := k.conn.Read(ctx)
		if err != nil {
			return err
		}
		var m struct {
			Header struct {
				Type string `json:"msg_type"`
			} `json:"header"`
			Parent struct {
				ID string `json:"msg_id"`
			} `json:"parent_header"`
			Content struct {
				Status string `json:"status"`
				State  string `json:"execution_state"`
			} `json:"content"`
		}
		if err := json.Unmarshal(data, &m); err != nil {
			return err
		}
		switch {
		case m.Parent.ID != id:
		case m.Header.Type == "execute_reply" && m.Content.Status != "ok":
			return fmt.Errorf("%q ended as %q", code, m.Content.Status)
		case m.Header.Type == "execute_reply":
			replied = true
		case m.Header.Type == "status" && m.Content.State == "idle":
			idle = true
		}
	}
	return nil
}

// close ends the kernel.
func (k *kernel) close(ctx context.Context) error {
	_ = k.conn.CloseNow() // it is not needed any more
	return k.j.do(ctx, http.MethodDelete, "/api/kernels/"+k.id, nil, nil)
}
