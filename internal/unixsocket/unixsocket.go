// Package unixsocket listens on a socket that only accounts of a list can connect to.
package unixsocket

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"toolcrib/internal/owner"
)

// errPeer is for systems that do not report who connects.
var errPeer = errors.New("this system does not tell who connects to a socket; serve with --http instead")

// Listen listens on a socket with mode 0600 in a folder of the account that
// nobody else can enter. For the uids of others, the socket has mode 0666 and the
// folder is one that nobody else can write. Connections of all other accounts are
// closed. A socket that nobody listens on any more is replaced; the socket is
// removed when the listener is closed.
func Listen(ctx context.Context, path string, others ...int) (net.Listener, error) {
	if !peersAreKnown {
		return nil, errPeer
	}
	mode, forbidden := fs.FileMode(0o600), fs.FileMode(0o077)
	if len(others) > 0 {
		mode, forbidden = 0o666, 0o022
	}
	if err := checkFolder(filepath.Dir(path), forbidden); err != nil {
		return nil, err
	}
	if err := removeStale(ctx, path); err != nil {
		return nil, err
	}
	l, err := new(net.ListenConfig).Listen(ctx, "unix", path)
	if err != nil {
		if errors.Is(err, syscall.EINVAL) {
			err = fmt.Errorf("%w: the path of a socket may have about 100 bytes; this one has %d", err, len(path))
		}
		return nil, err
	}
	if err := os.Chmod(path, mode); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return &listener{l, append([]int{os.Getuid()}, others...)}, nil
}

// checkFolder refuses a folder that gives others one of the forbidden rights, or
// that is somebody else's.
func checkFolder(dir string, forbidden fs.FileMode) error {
	info, err := os.Stat(dir)
	if err != nil {
		return fmt.Errorf("the folder of the socket: %w; create it with mode 0700", err)
	}
	if !info.IsDir() {
		return fmt.Errorf("%s is not a folder", dir)
	}
	switch mode := info.Mode().Perm(); {
	case mode&0o022&forbidden != 0:
		return fmt.Errorf("other accounts can write %s (mode %04o); chmod go-w it, or use another folder for the socket", dir, mode)
	case mode&forbidden != 0:
		return fmt.Errorf("other accounts can enter %s (mode %04o); chmod 700 it, or use another folder for the socket", dir, mode)
	}
	if uid, known := owner.Of(info); known && uid != os.Getuid() {
		return fmt.Errorf("%s belongs to uid %d; use a folder of your own for the socket", dir, uid)
	}
	return nil
}

// removeStale removes a socket that nobody listens on.
func removeStale(ctx context.Context, path string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if info.Mode()&fs.ModeSocket == 0 {
		return fmt.Errorf("%s exists and is not a socket; remove it, or name another path", path)
	}
	conn, err := new(net.Dialer).DialContext(ctx, "unix", path)
	if err == nil {
		return errors.Join(fmt.Errorf("another process already serves on %s", path), conn.Close())
	}
	if !errors.Is(err, syscall.ECONNREFUSED) {
		return fmt.Errorf("%s: %w", path, err)
	}
	return os.Remove(path)
}

// Conn is a connection of an account.
type Conn struct {
	net.Conn
	UID int // of the other end
}

// listener accepts only connections of some accounts.
type listener struct {
	net.Listener
	uids []int
}

// Accept implements net.Listener.
func (l *listener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if uid, err := peer(conn); err == nil && slices.Contains(l.uids, uid) {
			return Conn{conn, uid}, nil
		}
		_ = conn.Close()
	}
}

// control runs fn with the descriptor of a connection.
func control(conn net.Conn, fn func(fd int) error) error {
	c, ok := conn.(syscall.Conn)
	if !ok {
		return errPeer
	}
	raw, err := c.SyscallConn()
	if err != nil {
		return err
	}
	var inner error
	err = raw.Control(func(fd uintptr) { inner = fn(int(fd)) })
	return errors.Join(err, inner)
}
