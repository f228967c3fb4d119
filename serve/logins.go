package serve

import (
	"context"
	"crypto/sha256"
	"sync"

	"toolcrib/gateway/tokens"
)

// logins caches valid secrets and ids as of an event: a revocation is an event, so
// older entries no longer count.
type logins struct {
	mu    sync.Mutex
	event int64
	known map[[sha256.Size]byte]tokens.Token
}

// maxLogins bounds how many are remembered.
const maxLogins = 1024

// check returns the token that find has for a secret or an id, as of an event.
func (l *logins) check(ctx context.Context, c Config, shown string, event int64, find func(context.Context, string) (tokens.Token, error)) (tokens.Token, error) {
	key := sha256.Sum256([]byte(shown)) // no secret looks like an id
	if t, ok := l.get(key, event); ok {
		return t, t.InForce(c.Now())
	}
	t, err := find(ctx, shown)
	if err == nil {
		l.put(key, event, t)
	}
	return t, err
}

func (l *logins) get(key [sha256.Size]byte, event int64) (tokens.Token, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.event != event {
		return tokens.Token{}, false
	}
	t, ok := l.known[key]
	return t, ok
}

func (l *logins) put(key [sha256.Size]byte, event int64, t tokens.Token) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if event < l.event {
		return
	}
	if event > l.event || len(l.known) >= maxLogins || l.known == nil {
		l.event, l.known = event, map[[sha256.Size]byte]tokens.Token{}
	}
	l.known[key] = t
}
