package pgtest

import (
	"context"
	"errors"
	"sync"
	"testing"
)

// shared is the cluster of the tests of one binary.
var shared = sync.OnceValues(func() (*Cluster, error) { return Start(Options{}) })

// Shared returns the cluster that the tests of one binary share. It is started
// at the first call and stops with the process. The test is skipped where no
// server is installed.
func Shared(t testing.TB) *Cluster {
	t.Helper()
	return started(t, shared)
}

// Private returns a cluster of the test's own, for tests that end server
// processes. It stops with the test.
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

// New creates a database for a test as a copy of the template ("" for the engine's own), and returns its name. The
// database is removed after the test.
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
