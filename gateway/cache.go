package gateway

import "sync"

// maxCached bounds what a cache holds.
const maxCached = 256

// cache stores values that are expensive to compute. When it is full, it evicts
// some of them. The zero value is ready.
type cache[K comparable, V any] struct {
	mu     sync.Mutex
	values map[K]V
}

func (c *cache[K, V]) get(key K) (V, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	v, ok := c.values[key]
	return v, ok
}

func (c *cache[K, V]) put(key K, v V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.values == nil {
		c.values = map[K]V{}
	}
	if _, ok := c.values[key]; !ok && len(c.values) >= maxCached {
		for other := range c.values {
			delete(c.values, other)
			break
		}
	}
	c.values[key] = v
}
