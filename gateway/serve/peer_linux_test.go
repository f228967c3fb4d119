package serve_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"toolcrib/internal/shortrun"
)

// nobody is an account other than that of the tests.
const nobody = 65534

// dialAs returns a function that connects to a socket as an account.
func dialAs(uid int, path string) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, _, _ string) (conn net.Conn, err error) {
		done := make(chan struct{})
		go func() {
			defer close(done)
			runtime.LockOSThread() // never unlocked: the thread ends with its account
			if _, _, errno := syscall.RawSyscall(syscall.SYS_SETRESUID, uintptr(uid), uintptr(uid), uintptr(uid)); errno != 0 {
				err = errno
				return
			}
			conn, err = new(net.Dialer).DialContext(ctx, "unix", path)
		}()
		<-done
		return conn, err
	}
}

// peers starts a server with a socket that the accounts can connect to, each of which has a token.
func (p place) peers(uids ...int) (s *server, path string, ids []string) {
	p.Helper()
	dir, err := os.MkdirTemp("", "s") //nolint:usetesting // a socket's path is short
	if err != nil {
		p.Fatal(err)
	}
	p.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o711); err != nil { //nolint:gosec // other accounts must be able to connect to the socket in it
		p.Fatal(err)
	}
	var table strings.Builder
	for _, uid := range uids {
		_, id := p.token("--user", fmt.Sprint("user", uid))
		ids = append(ids, id)
		fmt.Fprintf(&table, "%d = %q\n", uid, id)
	}
	if err := os.MkdirAll(filepath.Join(p.dir, ".config", "toolcrib"), 0o700); err != nil {
		p.Fatal(err)
	}
	p.write(".config/toolcrib/toolcrib.toml", "[serve.peers]\n"+table.String())
	path = filepath.Join(dir, "s")
	return p.serve("--socket", path), path, ids
}

// TestServePeers checks that accounts can call as the agent of their token without sending it.
func TestServePeers(t *testing.T) {
	shortrun.OneGoroutine(t)
	if os.Getuid() != 0 {
		t.Skip("connects as another account, which needs root")
	}
	p := open(t, tool("get_tides", hub(t), nil))
	s, path, ids := p.peers(0, nobody)
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o666 {
		t.Errorf("the socket: %v, %v", info, err)
	}
	s.url = "http://toolcrib"
	ask := func(uid int, authorization string) (int, string) {
		t.Helper()
		client := &http.Client{Transport: &http.Transport{DialContext: dialAs(uid, path), DisableKeepAlives: true}}
		r := s.request("POST", "/v1/agents/skipper/execute", `{"tool": "get_tides", "args": {"harbour": "Husum"}}`)
		r.Header.Del("Authorization")
		if authorization != "" {
			r.Header.Set("Authorization", authorization)
		}
		resp, err := client.Do(r)
		if err != nil {
			return 0, err.Error()
		}
		defer resp.Body.Close() //nolint:errcheck // only read
		body, _ := io.ReadAll(resp.Body)
		return resp.StatusCode, string(body)
	}
	for _, tt := range []struct {
		uid           int
		authorization string
		status        int
		says          string
	}{
		{0, "", 200, `"user0"`},
		{nobody, "", 200, `"user65534"`},
		{nobody, "Bearer " + s.secret, 200, `"ada"`}, // a token in the request takes precedence
		{nobody, "Bearer toolcrib_", 401, "token_invalid"},
		{nobody, "Basic eDp5", 401, "token_missing"},
		{nobody - 1, "", 0, "EOF"}, // connections of accounts that are not listed are closed
		{nobody - 1, "Bearer " + s.secret, 0, "EOF"},
	} {
		status, body := ask(tt.uid, tt.authorization)
		if status != tt.status || (tt.status != 0 && !strings.Contains(body, tt.says)) {
			t.Errorf("uid %d with %.12q: %d %s", tt.uid, tt.authorization, status, body)
		}
	}
	p.run("tokens", "revoke", ids[1], "--note", "the service moved")
	if status, body := ask(nobody, ""); status != 401 || !strings.Contains(body, "revoked") {
		t.Errorf("after its token was revoked: %d %s", status, body)
	}
	if status, body := ask(0, ""); status != 200 {
		t.Errorf("the other account: %d %s", status, body)
	}
	s.stop()
}
