package store_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"toolcrib/history"
	"toolcrib/internal/shortrun"
	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/review/service"
	"toolcrib/store"
	"toolcrib/store/pg/pgtest"
	"toolcrib/store/storetest"
)

// The ways in which a connection ends during COMMIT.
const (
	sound       int32 = iota
	beforeSent        // the server does not receive the COMMIT
	beforeHeard       // the server executes it, but the response is lost
)

// cutter is a proxy to the server that can cut connections during COMMIT.
type cutter struct {
	target string
	next   atomic.Int32
	cuts   atomic.Int32
}

// listen returns the URL of the server through the cutter.
func (c *cutter) listen(t *testing.T, server string) string {
	t.Helper()
	u, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	const socket = ".s.PGSQL.5432"
	q := u.Query()
	c.target = filepath.Join(q.Get("host"), socket)
	dir := t.TempDir()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "unix", filepath.Join(dir, socket))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() }) //nolint:errcheck // it goes away with its folder
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			go c.pass(context.WithoutCancel(t.Context()), client)
		}
	}()
	q.Set("host", dir)
	u.RawQuery = q.Encode()
	return u.String()
}

// pass forwards a connection until it ends.
func (c *cutter) pass(ctx context.Context, client net.Conn) {
	defer client.Close() //nolint:errcheck // a test that ends
	server, err := new(net.Dialer).DialContext(ctx, "unix", c.target)
	if err != nil {
		return
	}
	defer server.Close() //nolint:errcheck // a test that ends
	var deaf atomic.Bool
	go func() {
		defer client.Close() //nolint:errcheck // a test that ends
		b := make([]byte, 1<<16)
		for {
			n, err := server.Read(b)
			if err != nil || deaf.Load() {
				return
			}
			if _, err := client.Write(b[:n]); err != nil {
				return
			}
		}
	}()
	b := make([]byte, 1<<16)
	for {
		n, err := client.Read(b)
		if err != nil {
			return
		}
		if bytes.Contains(b[:n], []byte("COMMIT")) {
			switch c.next.Swap(sound) {
			case beforeSent:
				c.cuts.Add(1)
				return
			case beforeHeard:
				c.cuts.Add(1)
				deaf.Store(true)
			}
		}
		if _, err := server.Write(b[:n]); err != nil {
			return
		}
	}
}

// TestCutDuringCommit cuts the connection during the COMMIT of approvals, before and after the server executes it. Each
// approval must exist exactly once, and its caller must receive the correct result.
func TestCutDuringCommit(t *testing.T) {
	shortrun.NeedsLong(t)
	shortrun.OneGoroutine(t)
	cluster := pgtest.Private(t, pgtest.Options{})
	var c cutter
	db := openOn(t, cluster, func(url string) string { return c.listen(t, url) })
	desk := db.Desk(t, review.Policy{Severities: storetest.BasicSeverities()})
	const cuts = 20
	for i := range cuts {
		draft := storetest.Prompt("tool_" + strconv.Itoa(i))
		choices := storetest.ProposeChoices(t, desk, ada, draft)
		c.next.Store([]int32{beforeSent, beforeHeard}[i%2])
		if decisions, err := desk.Deciding.Approve(t.Context(), ada, choices, ""); err != nil || len(decisions) != 1 {
			t.Fatalf("cut %d: %d decisions, %v", i, len(decisions), err)
		}
		if versions, err := db.Versions(t.Context(), draft.Subject, 0, 10); err != nil || len(versions) != 1 {
			t.Errorf("cut %d: %d versions, %v", i, len(versions), err)
		}
	}
	if n := c.cuts.Load(); n != cuts {
		t.Errorf("%d connections were cut, not %d", n, cuts)
	}
	if report := verify(t, db); len(report.Damage) > 0 {
		t.Errorf("damage: %+v", report.Damage)
	}
}

// TestServerEnds kills the server process of a connection, or restarts the server immediately, during approvals. None
// may be lost or duplicated.
func TestServerEnds(t *testing.T) {
	shortrun.NeedsLong(t)
	shortrun.OneGoroutine(t)
	cluster := pgtest.Private(t, pgtest.Options{})
	db := openOn(t, cluster, nil)
	desk := db.Desk(t, review.Policy{Severities: storetest.BasicSeverities()})
	ends := map[string]struct {
		times int
		end   func() error
	}{
		"kill":    {3, func() error { return killBackend(t.Context(), cluster, db.Path()) }},
		"restart": {3, cluster.Restart},
	}
	approved, again := 0, 0
	for name, e := range ends {
		if whole() {
			e.times = map[string]int{"kill": 100, "restart": 20}[name]
		}
		before := approved
		for range e.times {
			ended := make(chan error, 1)
			go func() { ended <- e.end() }()
			for running := true; running; approved++ {
				again += approveOnce(t, db, desk, storetest.Prompt(fmt.Sprintf("tool_%d", approved)))
				select {
				case err := <-ended:
					if running = false; err != nil {
						t.Fatalf("%s: %v", name, err)
					}
				default:
				}
			}
		}
		t.Logf("%s: %d times, beside %d approvals; so far %d calls were cut while they read and asked again", name, e.times, approved-before, again)
	}
	for n := range approved {
		subject := storetest.Prompt(fmt.Sprintf("tool_%d", n)).Subject
		versions, err := db.Versions(t.Context(), subject, 0, 10)
		if err != nil || len(versions) != 1 {
			t.Errorf("%s has %d versions in the end, %v", subject, len(versions), err)
		}
	}
	if report := verify(t, db); len(report.Damage) > 0 {
		t.Errorf("damage: %+v", report.Damage)
	}
}

// approveOnce proposes and approves a draft, and checks that it exists exactly once. It returns how many of the three
// calls were cut while reading and therefore repeated, as their error recommends. When a call that writes returns, it
// is known whether it has written.
func approveOnce(t *testing.T, db *storetest.Database, desk *service.Desk, draft proposals.Draft) (again int) {
	t.Helper()
	var made []proposals.Proposal
	var versions []history.Version
	for _, step := range []func() error{
		func() (err error) {
			made, err = desk.Drafting.Propose(t.Context(), ada, []proposals.Draft{draft}, true)
			return err
		},
		func() error {
			_, err := desk.Deciding.Approve(t.Context(), ada, []review.Choice{{ID: made[0].ID}}, "")
			return err
		},
		func() (err error) {
			versions, err = db.Versions(t.Context(), draft.Subject, 0, 10)
			return err
		},
	} {
		err := step()
		for ; errors.Is(err, store.ErrLost); err = step() {
			again++
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(versions) != 1 {
		t.Fatalf("%s has %d versions", draft.Subject, len(versions))
	}
	return again
}

// killBackend kills a server process of the program with SIGKILL, as the system does if it runs out of memory. If the
// server is still recovering, killBackend waits.
func killBackend(ctx context.Context, c *pgtest.Cluster, url string) error {
	for tick := time.NewTicker(10 * time.Millisecond); ; <-tick.C {
		pid, err := backend(ctx, url)
		if err == nil {
			err = c.Kill(pid)
		}
		if err == nil || ctx.Err() != nil {
			tick.Stop()
			return err
		}
	}
}

// backend returns the process id of a server process of the program.
func backend(ctx context.Context, url string) (pid int, err error) {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return 0, err
	}
	defer conn.Close(ctx) //nolint:errcheck // the server ends it
	err = conn.QueryRow(ctx, "SELECT pid FROM pg_stat_activity WHERE application_name = 'toolcrib' ORDER BY random() LIMIT 1").Scan(&pid)
	return pid, err
}
