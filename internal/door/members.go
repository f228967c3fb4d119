package door

import "container/list"

// shares is among how many the seats are divided: nobody has more than this part of
// them, unless one token is for everybody.
const shares = 4

// members are the authenticated connections of a door. Beyond the share of their
// principal, and beyond all seats, a further one closes one that is idle: that of the
// principal for longest, or of the one who has the most. The door's lock guards them.
type members struct {
	seats int
	count int
	of    map[string]*principal
}

// principal has the connections of one token or key.
type principal struct {
	name  string
	count int
	idle  list.List // of *visitor, the one that rests for longest first
}

// share returns how many connections a principal may have.
func (m *members) share(who string) int {
	if who == "" {
		return m.seats
	}
	return max(m.seats/shares, 1)
}

// join makes a connection one of a principal. It returns the idle connection that had
// to leave, which is to be closed, and false when none was idle.
func (m *members) join(v *visitor, who string) (idle *visitor, ok bool) {
	m.leave(v)
	p := m.of[who]
	if p == nil {
		p = &principal{name: who}
	}
	if p.count >= m.share(who) {
		if idle = p.longest(); idle == nil {
			return nil, false
		}
	} else if m.count >= m.seats {
		if idle = m.largest().longest(); idle == nil {
			return nil, false
		}
	}
	if idle != nil {
		m.leave(idle)
		idle.closed = true
	}
	if m.of == nil {
		m.of = map[string]*principal{}
	}
	m.of[who] = p
	v.principal = p
	p.count++
	m.count++
	return idle, true
}

// longest returns the connection that is idle for longest, nil when none is.
func (p *principal) longest() *visitor {
	if p == nil || p.idle.Len() == 0 {
		return nil
	}
	v, _ := p.idle.Front().Value.(*visitor)
	return v
}

// largest returns who has the most connections, one of which is idle; nil when none
// is.
func (m *members) largest() *principal {
	var most *principal
	for _, p := range m.of {
		if p.idle.Len() > 0 && (most == nil || p.count > most.count) {
			most = p
		}
	}
	return most
}

// leave takes a connection from its principal.
func (m *members) leave(v *visitor) {
	p := v.principal
	if p == nil {
		return
	}
	m.setIdle(v, false)
	v.principal = nil
	m.count--
	if p.count--; p.count == 0 {
		delete(m.of, p.name)
	}
}

func (m *members) setIdle(v *visitor, idle bool) {
	switch {
	case v.principal == nil || idle == (v.rest != nil):
	case idle:
		v.rest = v.principal.idle.PushBack(v)
	default:
		v.principal.idle.Remove(v.rest)
		v.rest = nil
	}
}
