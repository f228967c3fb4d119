package pgtest

import (
	"context"
	"errors"
	"sync"
	"testing"
)

// shared starts the cluster of a test binary.
var shared = sync.OnceValues(func() (*Cluster, error) { return Start(Options{}) })

// Shared returns the cluster that all tests of a binary share. The first call starts it, and it
// stops with the process. Shared skips the test if no server is installed.
func Shared(t testing.TB) *Cluster {
	t.Helper()
	return started(t, shared)
}

// Private returns a separate cluster for tests that kill server processes. It stops when the test
// ends.
func Private(t testing.TB, opts Options) *Cluster {
	t.Helper()
	c := started(t, func() (*Cluster, error) { return Start(opts) })
	t.Cleanup(func() {
		if err := c.Stop(); err != nil {
			t.Error(err)
		}
	})
	return c
}

func started(t testing.TB, start func() (*Cluster, error)) *Cluster {
	t.Helper()
	c, err := start()
	if errors.Is(err, ErrMissing) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// New creates a database as a copy of template ("" for the server's default), returns its name, and
// removes it after the test.
func (c *Cluster) New(t testing.TB, template string) string {
	t.Helper()
	name, err := c.Database(t.Context(), template)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Drop(context.WithoutCancel(t.Context()), name); err != nil {
			t.Error(err)
		}
	})
	return name
}
