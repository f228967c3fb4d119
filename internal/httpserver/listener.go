// Package httpserver provides a listener with a limit for unauthenticated connections,
// and an HTTP server that uses this listener. Clients without a token or key therefore
// cannot prevent other clients from connecting. The package does not depend on the
// service behind the server.
package httpserver

import (
	"container/list"
	"crypto/tls"
	"net"
	"net/http"
	"sync"
	"time"
)

// Maximum numbers of connections.
const (
	maxConnections     = 4096 // authenticated connections
	maxUnauthenticated = 4096 // unauthenticated connections
)

// listener is a net.Listener that reserves connections for authenticated clients. It
// accepts each connection immediately, because the queue of the operating system does not
// distinguish between clients. A connection is unauthenticated until its client presents
// a valid token or key. It is then called a member. If there are too many unauthenticated
// connections, the listener closes the oldest unauthenticated connection. It never closes
// a member to make room for an unauthenticated connection.
type listener struct {
	net.Listener
	places   int           // maximum number of unauthenticated connections
	authTime time.Duration // time limit for authentication

	mu              sync.Mutex
	unauthenticated list.List // elements are *clientConn, oldest first
	members         members
}

// Limits contains the limits for the connections of a listener.
type Limits struct {
	Unauthenticated int           // maximum number of unauthenticated connections; if it is exceeded, the oldest is closed
	Authenticated   int           // maximum number of authenticated connections
	Time            time.Duration // time limit for authentication
}

// New returns a listener that accepts the connections of l and enforces the limits in c,
// or lower limits if the process cannot open enough files. A server must call AdmitConn
// for each accepted connection after it has authenticated the client. HTTP handlers call
// Admit instead.
func New(l net.Listener, c Limits) net.Listener {
	places, seats := connectionLimits(OpenFiles())
	return &listener{Listener: l, places: min(places, c.Unauthenticated), authTime: c.Time, members: members{seats: min(seats, c.Authenticated)}}
}

// connectionLimits returns the maximum numbers of unauthenticated connections and of
// members for a process that can open the given number of files, or any number of files
// if files is 0.
func connectionLimits(files uint64) (places, seats int) {
	const (
		others = 192 // files for the database, outgoing connections, and the runtime
		least  = 16
	)
	if files == 0 || files >= maxUnauthenticated+maxConnections+others {
		return maxUnauthenticated, maxConnections
	}
	if files < others+2*least {
		return least, least
	}
	seats = min(int(files-others)/2, maxConnections)
	return int(files-others) - seats, seats
}

// Accept implements net.Listener.
func (d *listener) Accept() (net.Conn, error) {
	conn, err := d.Listener.Accept()
	if err != nil {
		return nil, err
	}
	v := &clientConn{Conn: conn, listener: d, until: time.Now().Add(d.authTime)}
	d.mu.Lock()
	v.place = d.unauthenticated.PushBack(v)
	var oldest *clientConn
	if d.unauthenticated.Len() > d.places {
		oldest, _ = d.unauthenticated.Front().Value.(*clientConn)
	}
	d.mu.Unlock()
	if oldest != nil {
		_ = oldest.Close()
	}
	return v, nil
}

// clientConn is a connection of a listener.
type clientConn struct {
	net.Conn
	listener *listener
	until    time.Time // deadline for authentication

	// The following fields are guarded by the mutex of the listener.
	place     *list.Element // element in listener.unauthenticated; nil for members and closed connections
	principal *principal    // nil unless the connection is a member
	idleEntry *list.Element // element in principal.idle; nil while the connection is in use
	closed    bool
}

// Close implements net.Conn.
func (v *clientConn) Close() error {
	v.listener.mu.Lock()
	if v.place != nil {
		v.listener.unauthenticated.Remove(v.place)
		v.place = nil
	}
	v.listener.members.leave(v)
	v.closed = true
	v.listener.mu.Unlock()
	return v.Conn.Close()
}

// SetReadDeadline implements net.Conn. Before authentication, the deadline is never later
// than the deadline for authentication.
func (v *clientConn) SetReadDeadline(t time.Time) error {
	v.listener.mu.Lock()
	defer v.listener.mu.Unlock()
	if v.principal == nil && (t.IsZero() || t.After(v.until)) {
		t = v.until
	}
	return v.Conn.SetReadDeadline(t)
}

// SetDeadline implements net.Conn.
func (v *clientConn) SetDeadline(t time.Time) error {
	if err := v.SetReadDeadline(t); err != nil {
		return err
	}
	return v.SetWriteDeadline(t)
}

// connKey is the key for the connection of a request in its context.
type connKey struct{}

// plain returns the connection below the TLS layer of conn, or conn itself if it does not
// use TLS.
func plain(conn net.Conn) net.Conn {
	if encrypted, ok := conn.(*tls.Conn); ok {
		return encrypted.NetConn()
	}
	return conn
}

// trackIdle is the ConnState callback of the http.Server. It records which connections
// are idle.
func trackIdle(conn net.Conn, state http.ConnState) {
	switch state {
	case http.StateIdle:
		SetIdle(plain(conn), true)
	case http.StateActive:
		SetIdle(plain(conn), false)
	case http.StateNew, http.StateHijacked, http.StateClosed:
	}
}

// SetIdle sets whether conn is idle. When a limit is reached, idle connections are closed
// to make room for new ones.
func SetIdle(conn net.Conn, idle bool) {
	v, ok := conn.(*clientConn)
	if !ok {
		return
	}
	v.listener.mu.Lock()
	defer v.listener.mu.Unlock()
	v.listener.members.setIdle(v, idle)
}

// Admit records that the connection of r is authenticated as the given principal, and
// reports whether the server may process the request. Each principal can use only a share
// of all connections, except "", which can use all connections. Pass "" if all clients
// use the same token. A request is always admitted if no listener of this package
// accepted its connection.
func Admit(r *http.Request, who string) bool {
	conn, _ := r.Context().Value(connKey{}).(net.Conn)
	return AdmitConn(conn, who)
}

// Conn returns the connection of r that the underlying listener accepted, or nil if no
// listener of this package accepted the connection.
func Conn(r *http.Request) net.Conn {
	if v, ok := r.Context().Value(connKey{}).(*clientConn); ok {
		return v.Conn
	}
	return nil
}

// AdmitConn is like Admit for a connection of a protocol other than HTTP. It returns
// false if a limit is reached or the connection is closed.
func AdmitConn(conn net.Conn, who string) bool {
	v, ok := conn.(*clientConn)
	if !ok {
		return true
	}
	v.listener.mu.Lock()
	var idle *clientConn
	ok = !v.closed
	if ok && (v.principal == nil || v.principal.name != who) {
		idle, ok = v.listener.members.join(v, who)
	}
	if ok && v.place != nil {
		v.listener.unauthenticated.Remove(v.place)
		v.place = nil
		ok = v.Conn.SetReadDeadline(time.Time{}) == nil
	}
	v.listener.mu.Unlock()
	if idle != nil {
		_ = idle.Conn.Close()
	}
	return ok
}
