// Package httpserver contains the listener of toolcrib's servers. Clients without a token
// or a key cannot exhaust its connections. The package also sets the limits for
// HTTP over such a listener. It does not depend on the service behind it.
package httpserver

import (
	"container/list"
	"crypto/tls"
	"net"
	"net/http"
	"sync"
	"time"
)

// Limits of connections.
const (
	maxConnections     = 4096 // authenticated connections
	maxUnauthenticated = 4096 // unauthenticated connections
)

// listener is a listener that reserves room for clients with a token. It accepts every
// connection at once, because the system's queue cannot tell clients apart. A
// connection counts as unauthenticated until it has presented a token; if too many
// are unauthenticated, the oldest is closed. An authenticated connection is a
// member, and unauthenticated connections never displace it.
type listener struct {
	net.Listener
	places   int           // limit of unauthenticated connections
	authTime time.Duration // limit for authentication

	mu              sync.Mutex
	unauthenticated list.List // of *clientConn, the oldest first
	members         members
}

// Limits are the limits for the connections of a listener.
type Limits struct {
	Unauthenticated int           // unauthenticated connections; one more closes the oldest
	Authenticated   int           // authenticated connections
	Time            time.Duration // until a connection must be authenticated
}

// New returns a listener that accepts the connections of l, with lower limits if the
// process may not open enough files. A server calls AdmitConn for each accepted
// connection once it is authenticated; the handlers of a server made by Server call
// Admit.
func New(l net.Listener, c Limits) net.Listener {
	places, seats := connectionLimits(OpenFiles())
	return &listener{Listener: l, places: min(places, c.Unauthenticated), authTime: c.Time, members: members{seats: min(seats, c.Authenticated)}}
}

// connectionLimits returns how many unauthenticated connections and members fit into a limit of
// open files; 0 means no limit.
func connectionLimits(files uint64) (places, seats int) {
	const (
		others = 192 // the database, outgoing connections, the runtime
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
	until    time.Time // the deadline for authentication

	// The lock of the listener guards these fields.
	place     *list.Element // in listener.unauthenticated; nil for members and closed connections
	principal *principal    // nil unless the connection is a member
	idleEntry *list.Element // in principal.idle; nil while in use
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

// SetReadDeadline implements net.Conn. It never extends the deadline for
// authentication.
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

// connKey is the context key of a request's connection.
type connKey struct{}

// plain returns the connection below TLS.
func plain(conn net.Conn) net.Conn {
	if encrypted, ok := conn.(*tls.Conn); ok {
		return encrypted.NetConn()
	}
	return conn
}

// trackIdle is the ConnState of the http.Server.
func trackIdle(conn net.Conn, state http.ConnState) {
	switch state {
	case http.StateIdle:
		SetIdle(plain(conn), true)
	case http.StateActive:
		SetIdle(plain(conn), false)
	case http.StateNew, http.StateHijacked, http.StateClosed:
	}
}

// SetIdle sets whether conn is idle. If its principal or the listener reaches a limit,
// idle connections are closed first.
func SetIdle(conn net.Conn, idle bool) {
	v, ok := conn.(*clientConn)
	if !ok {
		return
	}
	v.listener.mu.Lock()
	defer v.listener.mu.Unlock()
	v.listener.members.setIdle(v, idle)
}

// Admit makes the connection of an authenticated request a member of the principal
// who, and reports whether the request may be served. The limit of each principal
// is a share of all connections; pass "" if all clients use the same token. A
// request that did not come through a listener of this package, as in tests, is always admitted.
func Admit(r *http.Request, who string) bool {
	conn, _ := r.Context().Value(connKey{}).(net.Conn)
	return AdmitConn(conn, who)
}

// Conn returns the connection of a request as the underlying listener accepted it,
// or nil if the request did not come through a listener of this package.
func Conn(r *http.Request) net.Conn {
	if v, ok := r.Context().Value(connKey{}).(*clientConn); ok {
		return v.Conn
	}
	return nil
}

// AdmitConn is like Admit for a connection without HTTP requests, such as one of SSH. It reports false if the principal
// has no room or the connection was closed in the meantime.
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
