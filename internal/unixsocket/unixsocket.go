// Package unixsocket listens on Unix sockets and accepts only connections from permitted
// accounts.
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

// errPeer indicates that the system does not report which account connected to a socket.
var errPeer = errors.New("this system does not report which account connects to a socket; serve with --http instead")

// Listen listens on a Unix socket at path. Without accounts, the listener accepts only
// connections from the account of this process. The socket then has mode 0600, and other
// accounts must not have access to its folder. With accounts, the listener also accepts
// connections from these user ids. The socket then has mode 0666, and other accounts may
// enter the folder, but must not have write access. The listener closes connections from
// all other accounts. Listen replaces a stale socket. Closing the listener removes the
// socket.
func Listen(ctx context.Context, path string, accounts ...int) (net.Listener, error) {
	if !peersAreKnown {
		return nil, errPeer
	}
	mode, forbidden := fs.FileMode(0o600), fs.FileMode(0o077)
	if len(accounts) > 0 {
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
			err = fmt.Errorf("%w: the path of a socket must not exceed about 100 bytes (got %d)", err, len(path))
		}
		return nil, err
	}
	if err := os.Chmod(path, mode); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return &listener{l, append([]int{os.Getuid()}, accounts...)}, nil
}

// checkFolder returns an error if the folder dir belongs to another account, or if its
// mode contains a bit of forbidden.
func checkFolder(dir string, forbidden fs.FileMode) error {
	info, err := os.Stat(dir)
	if err != nil {
		return fmt.Errorf("cannot use the folder of the socket: %w; create the folder with mode 0700", err)
	}
	if !info.IsDir() {
		return fmt.Errorf("%s is not a folder", dir)
	}
	switch mode := info.Mode().Perm(); {
	case mode&0o022&forbidden != 0:
		return fmt.Errorf("other accounts can write %s (mode %04o); run chmod go-w on it, or use another folder for the socket", dir, mode)
	case mode&forbidden != 0:
		return fmt.Errorf("other accounts can enter %s (mode %04o); run chmod 700 on it, or use another folder for the socket", dir, mode)
	}
	if uid, known := owner.Of(info); known && uid != os.Getuid() {
		return fmt.Errorf("%s belongs to uid %d; use a folder that belongs to you for the socket", dir, uid)
	}
	return nil
}

// removeStale removes the socket at path if no process listens on it.
func removeStale(ctx context.Context, path string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if info.Mode()&fs.ModeSocket == 0 {
		return fmt.Errorf("%s exists and is not a socket; remove the file, or choose another path", path)
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

// Conn is a connection, with the account of the process at the other end.
type Conn struct {
	net.Conn
	UID int // user id of the account
}

// listener accepts only connections from the accounts in uids.
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

// control calls fn with the file descriptor of a connection.
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
