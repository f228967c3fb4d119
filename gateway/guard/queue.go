package guard

import "sync"

// queued is a message of the client that waits behind a call.
type queued struct {
	line []byte
	call *call // nil for another message
}

// maxQueued limits the messages that wait behind a call, in bytes. Beyond it, the
// client waits.
const maxQueued = MaxLine

// queue keeps the order of the client's messages while a call passes the gates.
type queue struct {
	mu      sync.Mutex
	changed *sync.Cond
	items   []queued
	size    int
	working bool // an item was taken and is not sent
	closed  bool
}

// waits reports whether a message has to wait.
func (q *queue) waits() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.working || len(q.items) > 0
}

func (q *queue) put(item queued) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.size > 0 && q.size+len(item.line) > maxQueued && !q.closed {
		q.changed.Wait()
	}
	q.items, q.size = append(q.items, item), q.size+len(item.line)
	q.changed.Broadcast()
}

// next ends the work on the item before and returns the next one; false when there is
// none and nothing more comes.
func (q *queue) next() (queued, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.working = false
	for len(q.items) == 0 && !q.closed {
		q.changed.Wait()
	}
	if len(q.items) == 0 {
		return queued{}, false
	}
	item := q.items[0]
	q.items, q.size, q.working = q.items[1:], q.size-len(item.line), true
	q.changed.Broadcast()
	return item, true
}

func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.changed.Broadcast()
}
