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

// How many connections there may be.
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
	places, seats int           // for unauthenticated connections and for members
	time          time.Duration // until a connection has to be authenticated

	mu              sync.Mutex
	unauthenticated list.List // of *visitor, the oldest first
	members         int
}

// New returns the door before l, with as many places as the system has files
// for. What it accepts is for a server made by Server.
func New(l net.Listener) net.Listener {
	places, seats := room(openFiles())
	return &door{Listener: l, places: places, seats: seats, time: authenticationTime}
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
	places, seats := room(openFiles())
	return &door{Listener: l, places: min(places, c.Unauthenticated), seats: min(seats, c.Authenticated), time: c.Time}
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
	place  *list.Element // among the unauthenticated; nil for members and when closed
	member bool
	closed bool
}

// Close implements net.Conn.
func (v *visitor) Close() error {
	v.door.mu.Lock()
	if v.place != nil {
		v.door.unauthenticated.Remove(v.place)
		v.place = nil
	}
	if v.member && !v.closed {
		v.door.members--
	}
	v.closed = true
	v.door.mu.Unlock()
	return v.Conn.Close()
}

// SetReadDeadline implements net.Conn. Nothing that the server allows for lets a
// unauthenticated connection stay longer.
func (v *visitor) SetReadDeadline(t time.Time) error {
	v.door.mu.Lock()
	defer v.door.mu.Unlock()
	if !v.member && (t.IsZero() || t.After(v.until)) {
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

// admit makes a connection that has shown the token a member. It reports false when
// there is no place, or when the connection was closed in the meantime.
func (v *visitor) admit() bool {
	v.door.mu.Lock()
	defer v.door.mu.Unlock()
	switch {
	case v.member:
		return true
	case v.closed, v.door.members >= v.door.seats:
		return false
	}
	v.door.unauthenticated.Remove(v.place)
	v.place, v.member = nil, true
	v.door.members++
	return v.Conn.SetReadDeadline(time.Time{}) == nil
}

// visitorKey finds the visitor in the context of a request.
type visitorKey struct{}

// announce is for http.Server.ConnContext.
func announce(ctx context.Context, conn net.Conn) context.Context {
	if encrypted, ok := conn.(*tls.Conn); ok {
		conn = encrypted.NetConn()
	}
	return context.WithValue(ctx, visitorKey{}, conn)
}

// Admit makes the connection of a request that has shown the token a member, and
// reports whether it may stay. What came without a door, as in a test, may.
func Admit(r *http.Request) bool {
	v, ok := r.Context().Value(visitorKey{}).(*visitor)
	return !ok || v.admit()
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
func AdmitConn(conn net.Conn) bool {
	v, ok := conn.(*visitor)
	return !ok || v.admit()
}
