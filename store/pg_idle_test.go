package store_test

import (
	"context"
	"io"
	"net"
	"net/url"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"toolcrib/gateway"
	"toolcrib/internal/shortrun"
	"toolcrib/review"
	"toolcrib/store/pg/pgtest"
	"toolcrib/store/storetest"
)

// TestIdleConnectionsClose checks that an unused database keeps only the connection that listens (P13).
func TestIdleConnectionsClose(t *testing.T) {
	shortrun.NeedsLong(t)
	t.Parallel()
	cluster := pgtest.Private(t, pgtest.Options{})
	db := openOn(t, cluster, nil)
	db.Wait(t.Context(), 0, time.Millisecond)
	desk := db.Desk(t, review.Policy{Severities: storetest.BasicSeverities()})
	db.Approved(t, desk, ada, storetest.Prompt("first"))
	conn, err := pgx.Connect(t.Context(), cluster.URL(pgtest.Superuser, "postgres"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context()) //nolint:errcheck // nothing is written
	open := 0
	for late := time.Now().Add(time.Minute); time.Now().Before(late); time.Sleep(100 * time.Millisecond) {
		if err := conn.QueryRow(t.Context(), "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'toolcrib'").Scan(&open); err != nil {
			t.Fatal(err)
		}
		if open <= 1 {
			break
		}
	}
	if open != 1 {
		t.Errorf("%d connections are open", open)
	}
	db.Approved(t, desk, ada, storetest.Prompt("second")) // opens a connection
}

// TestCrowdedServer has twelve processes read and write with ten connections beside those that listen: none waits as long
// as a guarded call may (P13).
func TestCrowdedServer(t *testing.T) {
	shortrun.NeedsLong(t)
	t.Parallel()
	const processes = 12
	cluster := pgtest.Private(t, pgtest.Options{Settings: []string{"max_connections=22", "superuser_reserved_connections=0"}})
	all := []*storetest.Database{openOn(t, cluster, nil)}
	for len(all) < processes {
		all = append(all, storetest.Open(t, all[0].Path()))
	}
	var group errgroup.Group
	for _, db := range all {
		db.Wait(t.Context(), 0, time.Millisecond)
		group.Go(func() error {
			for range 10 {
				ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
				err := db.Calls().View(ctx, func(gateway.LedgerReader) error { return nil })
				if err == nil {
					err = db.Calls().Log(ctx, func(gateway.LedgerTx) error { return nil })
				}
				cancel()
				if err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		t.Error(err)
	}
}

// TestDroppedConnectionsEnd reads through a proxy that drops each connection when a
// transaction begins: after three attempts, there is an error (P12).
func TestDroppedConnectionsEnd(t *testing.T) {
	shortrun.NeedsLong(t)
	t.Parallel()
	cluster := pgtest.Private(t, pgtest.Options{})
	target := openOn(t, cluster, nil)
	at, err := url.Parse(target.Path())
	if err != nil {
		t.Fatal(err)
	}
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close() //nolint:errcheck // of a test
	var opened atomic.Int64
	var drops atomic.Bool
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			opened.Add(1)
			go func() {
				defer client.Close() //nolint:errcheck // of a test
				server, err := dialURL(t.Context(), at)
				if err != nil {
					return
				}
				defer server.Close()       //nolint:errcheck // of a test
				go io.Copy(client, server) //nolint:errcheck // until it is closed
				buffer := make([]byte, 4096)
				for {
					n, err := client.Read(buffer)
					if err != nil || drops.Load() && n > 5 && containsBegin(buffer[:n]) {
						return
					}
					if _, err := server.Write(buffer[:n]); err != nil {
						return
					}
				}
			}()
		}
	}()
	through := *at
	query := through.Query()
	query.Del("host")
	query.Set("sslmode", "disable")
	through.Host, through.RawQuery = listener.Addr().String(), query.Encode()
	db := storetest.Open(t, through.String())
	desk := db.Desk(t, review.Policy{Severities: storetest.BasicSeverities()})
	db.Approved(t, desk, ada, storetest.Prompt("first"))
	drops.Store(true)
	before := opened.Load()
	if err := db.View(t.Context(), func(review.Reader) error { return nil }); err == nil {
		t.Error("a transaction began on a connection that was dropped")
	}
	if n := opened.Load() - before; n > 6 {
		t.Errorf("%d connections were opened", n)
	}
	drops.Store(false)
	db.Approved(t, desk, ada, storetest.Prompt("second"))
}

func containsBegin(b []byte) bool {
	for i := range b {
		if i+5 <= len(b) && string(b[i:i+5]) == "BEGIN" {
			return true
		}
	}
	return false
}

// dialURL connects to the server at a URL. The host may be the folder of a Unix socket.
func dialURL(ctx context.Context, at *url.URL) (net.Conn, error) {
	if dir := at.Query().Get("host"); dir != "" {
		port := at.Query().Get("port")
		if port == "" {
			port = "5432"
		}
		return new(net.Dialer).DialContext(ctx, "unix", dir+"/.s.PGSQL."+port)
	}
	return new(net.Dialer).DialContext(ctx, "tcp", at.Host)
}
