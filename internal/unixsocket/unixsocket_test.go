//go:build linux || darwin || freebsd

package unixsocket

import (
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// folder returns a new folder with the given mode and a path that is short enough
// for a socket.
func folder(t *testing.T, mode os.FileMode) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "s") //nolint:usetesting // its paths are too long on some systems
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, mode); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestListen(t *testing.T) {
	path := filepath.Join(folder(t, 0o700), "x.sock")
	l, err := Listen(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if _, err := Listen(t.Context(), path); err == nil || !strings.Contains(err.Error(), "another process") {
		t.Errorf("a second listener on the same path: %v", err)
	}
	go func() {
		for { // the first connection is that of the check for stale sockets
			conn, err := l.Accept()
			if err != nil {
				return
			}
			if from, ok := conn.(Conn); !ok || from.UID != os.Getuid() {
				t.Errorf("the connection is of %v", conn)
			}
			_, _ = io.WriteString(conn, "in")
			_ = conn.Close()
		}
	}()
	conn, err := new(net.Dialer).DialContext(t.Context(), "unix", path)
	if err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(conn); string(text) != "in" {
		t.Errorf("connection of the own account: %q, %v", text, err)
	}
	if uid, err := peer(conn); err != nil || uid != os.Getuid() {
		t.Errorf("the peer is %d, %v", uid, err)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("the socket was not removed: %v", err)
	}
}

// TestListenReplacesStaleSockets listens again after a process was killed.
func TestListenReplacesStaleSockets(t *testing.T) {
	path := filepath.Join(folder(t, 0o700), "x.sock")
	dead, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	dead.SetUnlinkOnClose(false)
	_ = dead.Close()
	l, err := Listen(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	_ = l.Close()
}

func TestListenRefuses(t *testing.T) {
	file := filepath.Join(folder(t, 0o700), "notes")
	if err := os.WriteFile(file, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	for why, path := range map[string]string{
		"other accounts can enter":         filepath.Join(folder(t, 0o750), "x.sock"),
		"other accounts can write":         filepath.Join(folder(t, 0o770), "x.sock"),
		"create the folder with mode 0700": filepath.Join(folder(t, 0o700), "none", "x.sock"),
		"is not a socket":                  file,
		"is not a folder":                  filepath.Join(file, "x.sock"),
		"about 100 bytes":                  filepath.Join(folder(t, 0o700), strings.Repeat("x", 200)),
	} {
		if l, err := Listen(t.Context(), path); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %v, %v", path, l, err)
		}
	}
	if text, err := os.ReadFile(file); string(text) != "mine" {
		t.Errorf("the file is %q, %v", text, err)
	}
}
