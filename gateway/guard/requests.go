package guard

import "sync"

// asked is a request of the client that the server has not answered.
type asked struct {
	method string
	call   *call // nil for anything but a call
}

// requests keeps what the client asked and the server has not answered.
type requests struct {
	idle chan struct{} // gets a signal when nothing waits for an answer any more

	mu   sync.Mutex
	byID map[string]*asked
}

func (r *requests) init() { r.idle, r.byID = make(chan struct{}, 1), map[string]*asked{} }

// add keeps a request, and reports false for one with an id that another one has.
func (r *requests) add(key string, a *asked) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.byID[key] != nil {
		return false
	}
	r.byID[key] = a
	return true
}

// find returns the request with an id, nil for none.
func (r *requests) find(key string) *asked {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.byID[key]
}

// take forgets the request with an id, and returns it; nil for none.
func (r *requests) take(key string) *asked {
	r.mu.Lock()
	a := r.byID[key]
	delete(r.byID, key)
	r.mu.Unlock()
	if a != nil && !r.busy() {
		select {
		case r.idle <- struct{}{}:
		default:
		}
	}
	return a
}

// busy reports whether the client waits for an answer. A subscription has none until
// the server ends it.
func (r *requests) busy() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, a := range r.byID {
		if a.method != "subscriptions/listen" {
			return true
		}
	}
	return false
}

// drain forgets all requests, and returns them.
func (r *requests) drain() []*asked {
	r.mu.Lock()
	defer r.mu.Unlock()
	var all []*asked
	for _, a := range r.byID {
		all = append(all, a)
	}
	clear(r.byID)
	return all
}
