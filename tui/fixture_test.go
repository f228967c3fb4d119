package tui_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"toolcrib/internal/shortrun"
	"toolcrib/registry"
	"toolcrib/review/service"
	"toolcrib/store"
	"toolcrib/tui"
)

// newWorkbench opens a workbench of the given size. Times and ids are the same in every run.
func newWorkbench(tb testing.TB, width, height int, prepare ...func(*workbench)) *workbench {
	tb.Helper()
	b := prepared(tb, "new").open(tb)
	for _, p := range prepare {
		p(b)
	}
	return b.show(width, height)
}

// newSharedWorkbench is like newWorkbench, but its database is prepared only once for all tests that use the same name, and
// copied for each of them.
func newSharedWorkbench(tb testing.TB, name string, width, height int, prepare ...func(*workbench)) *workbench {
	tb.Helper()
	return prepared(tb, name, prepare...).open(tb).show(width, height)
}

// fixtures are the prepared databases by name.
var (
	preparing sync.Mutex
	fixtures  = map[string]fixture{}
)

// prepared returns the fixture with a name, and creates it if necessary. A workbench runs commands sequentially, so a
// short run skips its tests; the workbenches of SSH sessions run theirs concurrently.
func prepared(tb testing.TB, name string, prepare ...func(*workbench)) fixture {
	tb.Helper()
	shortrun.OneGoroutine(tb)
	preparing.Lock()
	defer preparing.Unlock()
	if f, ok := fixtures[name]; ok {
		return f
	}
	b := fixture{}.open(tb)
	for _, p := range prepare {
		p(b)
	}
	if err := b.db.Close(); err != nil {
		tb.Fatal(err)
	}
	image, err := os.ReadFile(b.db.Path())
	if err != nil {
		tb.Fatal(err)
	}
	fixtures[name] = fixture{image, b.made}
	return fixtures[name]
}

// fixture is a prepared database, and the number of ids and seconds used to prepare it. Without an image, the
// database is new.
type fixture struct {
	image []byte
	made  counts
}

type counts struct{ seconds, ids int }

func (f fixture) open(tb testing.TB) *workbench {
	tb.Helper()
	b := &workbench{t: tb, env: map[string]string{}, made: f.made}
	now := func() time.Time {
		b.made.seconds++
		return time.Date(2026, 11, 20, 12, 0, b.made.seconds, 0, time.UTC)
	}
	newID := func() string {
		b.made.ids++
		return fmt.Sprintf("01990000-0000-7000-8000-%012x", b.made.ids)
	}
	path := filepath.Join(tb.TempDir(), "test.db")
	if f.image != nil {
		if err := os.WriteFile(path, f.image, 0o600); err != nil {
			tb.Fatal(err)
		}
	}
	var err error
	if b.db, err = store.Open(context.Background(), path, store.Options{Now: now, NewID: newID}); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := b.db.Close(); err != nil {
			tb.Error(err)
		}
	})
	if b.desk, err = service.New(b.db, policyWithoutRules(), now, newID); err != nil {
		tb.Fatal(err)
	}
	return b
}

// show opens the workbench.
func (b *workbench) show(width, height int) *workbench {
	b.config = tui.Config{
		Desk: tui.DeskOf(b.desk), Regroup: b.desk.Drafting.Regroup, Registry: registryPage{b.db}, Actor: mara, Layer: registry.LayerUser, Place: "test", Theme: "dark",
		Getenv: func(name string) string { return b.env[name] }, Drafts: b.t.TempDir(), Now: b.now, After: b.after, Exec: runNow, Size: b.size,
		Extents: b.desk.Reading.Extents,
	}
	b.m = tui.New(b.config)
	b.m.Prime(width, height)
	b.drain(b.m.Init())
	return b
}
