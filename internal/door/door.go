// Package door is a listener that clients without a token or a key cannot fill,
// and the limits for HTTP that comes through it. It is independent of the service
// behind it.
package door

import (
	"container/list"
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"sync"
	"time"
)

// Limits of connections.
const (
	maxConnections     = 1024 // that have shown the token
	maxUnauthenticated = 4096 // connections that have not
)

// authenticationTime is how long a connection may take until it has shown the token.
const authenticationTime = 2 * time.Second

// door is a listener that keeps room for clients with the token. It accepts every
// connection, so that the queue of the system, which cannot tell clients apart, is
// always empty. Connections are unauthenticated until they have shown the token;
// beyond a limit, a further one closes the oldest. A client with the token becomes
// a member, which no unauthenticated connection can push out.
type door struct {
	net.Listener
	places int           // for unauthenticated connections
	time   time.Duration // until a connection has to be authenticated

	mu              sync.Mutex
	unauthenticated list.List // of *visitor, the oldest first
	members         members
}

// New returns the door before l, with as many places as the system has files
// for. What it accepts is for a server made by Server.
func New(l net.Listener) net.Listener {
	places, seats := room(OpenFiles())
	return &door{Listener: l, places: places, time: authenticationTime, members: members{seats: seats}}
}

// Limits bounds the connections of a door.
type Limits struct {
	Unauthenticated int           // connections that are not authenticated; one more closes the oldest
	Authenticated   int           // connections that are
	Time            time.Duration // until a connection has to be authenticated
}

// NewWith returns the door before l with limits of its own, and at most those of
// New. A server passes accepted connections to AdmitConn once they are
// authenticated.
func NewWith(l net.Listener, c Limits) net.Listener {
	places, seats := room(OpenFiles())
	return &door{Listener: l, places: min(places, c.Unauthenticated), time: c.Time, members: members{seats: min(seats, c.Authenticated)}}
}

// room returns how many unauthenticated connections and members there may be where
// the process can have so many files open; 0 means no limit.
func room(files uint64) (places, seats int) {
	const (
		others = 192 // the database, servers that are called, the runtime
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
func (d *door) Accept() (net.Conn, error) {
	conn, err := d.Listener.Accept()
	if err != nil {
		return nil, err
	}
	v := &visitor{Conn: conn, door: d, until: time.Now().Add(d.time)}
	d.mu.Lock()
	v.place = d.unauthenticated.PushBack(v)
	var oldest *visitor
	if d.unauthenticated.Len() > d.places {
		oldest, _ = d.unauthenticated.Front().Value.(*visitor)
	}
	d.mu.Unlock()
	if oldest != nil {
		_ = oldest.Close()
	}
	return v, nil
}

// visitor is one connection.
type visitor struct {
	net.Conn
	door  *door
	until time.Time // when the token must have been shown

	// The lock of the door guards these fields.
	place     *list.Element // among the unauthenticated; nil for members and when closed
	principal *principal    // nil for those who are not members
	rest      *list.Element // among the idle connections of the principal; nil while it is in use
	closed    bool
}

// Close implements net.Conn.
func (v *visitor) Close() error {
	v.door.mu.Lock()
	if v.place != nil {
		v.door.unauthenticated.Remove(v.place)
		v.place = nil
	}
	v.door.members.leave(v)
	v.closed = true
	v.door.mu.Unlock()
	return v.Conn.Close()
}

// SetReadDeadline implements net.Conn. Nothing that the server allows for lets a
// unauthenticated connection stay longer.
func (v *visitor) SetReadDeadline(t time.Time) error {
	v.door.mu.Lock()
	defer v.door.mu.Unlock()
	if v.principal == nil && (t.IsZero() || t.After(v.until)) {
		t = v.until
	}
	return v.Conn.SetReadDeadline(t)
}

// SetDeadline implements net.Conn.
func (v *visitor) SetDeadline(t time.Time) error {
	if err := v.SetReadDeadline(t); err != nil {
		return err
	}
	return v.SetWriteDeadline(t)
}

// admit makes a connection that has shown the token of somebody their member. It
// reports false when there is no room, or when the connection was closed meanwhile.
func (v *visitor) admit(who string) bool {
	v.door.mu.Lock()
	var idle *visitor
	ok := !v.closed
	if ok && (v.principal == nil || v.principal.name != who) {
		idle, ok = v.door.members.join(v, who)
	}
	if ok && v.place != nil {
		v.door.unauthenticated.Remove(v.place)
		v.place = nil
		ok = v.Conn.SetReadDeadline(time.Time{}) == nil
	}
	v.door.mu.Unlock()
	if idle != nil {
		_ = idle.Conn.Close()
	}
	return ok
}

// visitorKey finds the visitor in the context of a request.
type visitorKey struct{}

// announce is for http.Server.ConnContext.
func announce(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, visitorKey{}, plain(conn))
}

// plain returns the connection below TLS.
func plain(conn net.Conn) net.Conn {
	if encrypted, ok := conn.(*tls.Conn); ok {
		return encrypted.NetConn()
	}
	return conn
}

// watch is for http.Server.ConnState.
func watch(conn net.Conn, state http.ConnState) {
	switch state {
	case http.StateIdle:
		SetIdle(plain(conn), true)
	case http.StateActive:
		SetIdle(plain(conn), false)
	case http.StateNew, http.StateHijacked, http.StateClosed:
	}
}

// SetIdle tells whether a connection is in use. One that is idle is closed when its
// principal, or the door, has room for no more.
func SetIdle(conn net.Conn, idle bool) {
	v, ok := conn.(*visitor)
	if !ok {
		return
	}
	v.door.mu.Lock()
	defer v.door.mu.Unlock()
	v.door.members.setIdle(v, idle)
}

// Admit makes the connection of a request that has shown the token of somebody a
// member, and reports whether it may stay: there is room for a share of connections
// of each, "" for a door that everybody passes with one token. What came without a
// door, as in a test, may stay.
func Admit(r *http.Request, who string) bool {
	conn, _ := r.Context().Value(visitorKey{}).(net.Conn)
	return AdmitConn(conn, who)
}

// Conn returns the connection that a request came over as the listener behind the
// door accepted it, nil for one that came without a door.
func Conn(r *http.Request) net.Conn {
	if v, ok := r.Context().Value(visitorKey{}).(*visitor); ok {
		return v.Conn
	}
	return nil
}

// AdmitConn is Admit for a connection that NewWith accepted.
func AdmitConn(conn net.Conn, who string) bool {
	v, ok := conn.(*visitor)
	return !ok || v.admit(who)
}
