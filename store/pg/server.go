// This file connects to a PostgreSQL server, runs transactions on it, and converts its errors.

package pg

import (
	"cmp"
	"context"
	"crypto/tls"
	"database/sql"
	sqldriver "database/sql/driver"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"

	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/store/engine"
)

// Server is a database on a PostgreSQL server. It implements session.Engine. Its methods are safe for concurrent
// use.
//
// A write transaction first locks the only row of the table writer, in the same way as BEGIN IMMEDIATE locks a
// SQLite file. The transaction is READ COMMITTED and therefore sees everything that was committed before it
// acquired the lock. A read transaction is a REPEATABLE READ snapshot. Numbers of rows and links of hash chains are
// assigned while the lock is held.
type Server struct {
	name      string
	config    *pgx.ConnConfig
	pool      *sql.DB
	shared    *sql.DB     // pool for connections through a connection pooler
	pooled    atomic.Bool // whether a pooler can run each transaction on a different connection
	connected atomic.Bool // whether a connection has succeeded before
	noNotify  atomic.Bool // whether the server does not support NOTIFY
	lockWait  time.Duration
}

// IsURL reports whether name, the name of a database, is the URL of a PostgreSQL server.
func IsURL(name string) bool {
	return strings.HasPrefix(name, "postgres://") || strings.HasPrefix(name, "postgresql://")
}

// Open returns the database at the given URL. It does not connect yet.
func Open(address string) (*Server, error) {
	config, err := pgx.ParseConfig(address)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", Redacted(address), err) // the parse error without the password
	}
	config.RuntimeParams["search_path"] = Schema
	config.RuntimeParams["application_name"] = cmp.Or(config.RuntimeParams["application_name"], "toolcrib")
	config.ConnectTimeout = cmp.Or(config.ConnectTimeout, longestWait)
	// Poolers such as pgbouncer reject search_path as a startup parameter.
	plain := config.Copy()
	delete(plain.RuntimeParams, "search_path")
	plain.DefaultQueryExecMode = pgx.QueryExecModeCacheDescribe // without prepared statements
	s := &Server{name: Redacted(address), config: config, pool: stdlib.OpenDB(*config, stdlib.OptionAfterConnect(newDatabaseConfig)), shared: stdlib.OpenDB(*plain), lockWait: lockWait}
	s.pool.SetMaxIdleConns(0) // the store keeps the connections that it reuses
	s.shared.SetMaxIdleConns(0)
	return s, nil
}

// Login returns the login for the given URL. The login is specified in the URL, in PGUSER, or in a service file;
// otherwise, it is the name of the operating system account.
func Login(address string) (string, error) {
	config, err := pgx.ParseConfig(address)
	if err != nil {
		return "", fmt.Errorf("%s: %w", Redacted(address), err) // the parse error without the password
	}
	return config.User, nil
}

// Redacted returns the given URL without its password.
func Redacted(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "postgres://"
	}
	q := u.Query()
	if q.Has("password") {
		q.Set("password", "xxxxx")
		u.RawQuery = q.Encode()
	}
	return u.Redacted()
}

// Name implements session.Engine.
func (s *Server) Name() string { return s.name }

// CheckExists implements session.Engine. It always returns nil, because an unreachable server can become
// reachable again.
func (s *Server) CheckExists() error { return nil }

// Frozen implements session.Engine.
func (s *Server) Frozen() bool { return false }

// Close closes the idle connections.
func (s *Server) Close() error { return errors.Join(s.pool.Close(), s.shared.Close()) }

// Backup implements session.Engine. It always returns an error, which refers to pg_dump.
func (s *Server) Backup(context.Context, string) error {
	return errors.New("the backup command only copies database files; copy a PostgreSQL database with pg_dump, and restore the copy with pg_restore")
}

// longestWait is the maximum time that a transaction waits for other transactions, and the maximum time that a
// connection waits for a server that restarts.
const longestWait = 30 * time.Second

// firstPause and longestPause bound the pauses between attempts to connect to a server that restarts or has no free
// connection. The pauses are random to give all waiting processes the same chance. They are short because a call
// through the gateway waits only 3 seconds.
const (
	firstPause   = 50 * time.Millisecond
	longestPause = 400 * time.Millisecond
)

// Conn implements session.Engine. If the server has no free connection, or if it became unreachable after an
// earlier connection, Conn waits for the server.
func (s *Server) Conn(ctx context.Context, _ engine.Use) (*engine.Conn, error) {
	over := time.Now().Add(longestWait)
	for wait := firstPause; ; wait = min(2*wait, longestPause) {
		pooled, pool := s.pooled.Load(), s.pool
		if pooled {
			pool = s.shared
		}
		c, err := engine.Connect(ctx, pool)
		if err == nil {
			s.connected.Store(true)
			c.Buffer()
			if pooled {
				c.Unprepared()
			}
			return c, nil
		}
		if !pooled && s.detectPooler(err) {
			continue
		}
		refused, ok := errors.AsType[*pgconn.PgError](err)
		full := ok && (refused.Code == "53300" || strings.Contains(refused.Message, "no more connections allowed")) // the message comes from pgbouncer
		if !full && (!s.connected.Load() || !errors.Is(s.Describe(err), engine.ErrLost)) || time.Now().After(over) {
			return nil, err
		}
		select {
		case <-time.After(wait/2 + rand.N(wait)): //nolint:gosec // the pause need not be unpredictable
		case <-ctx.Done():
			return nil, fmt.Errorf("%w: %w", ctx.Err(), err)
		}
	}
}

// detectPooler reports whether err, the error of a connection attempt, shows that a pooler rejected the connection.
// If so, s uses the pool for poolers from now on.
func (s *Server) detectPooler(err error) bool {
	refused, ok := errors.AsType[*pgconn.PgError](err)
	pooler := ok && refused.Code == "08P01" && strings.Contains(refused.Message, "startup parameter")
	if pooler {
		s.pooled.Store(true)
	}
	return pooler
}

// idleWriterTimeout is the time after which the server ends an idle write transaction. The host of such a
// transaction may have disappeared.
const idleWriterTimeout = 20 * time.Second

// begin returns the statements that begin a transaction. Begin sends them as a single message.
func (s *Server) begin(use engine.Use) string {
	wait := fmt.Sprintf("; SET LOCAL lock_timeout = %d", s.lockWait.Milliseconds())
	if s.pooled.Load() {
		wait += "; SET LOCAL search_path = " + Schema
	}
	if use != engine.Write && use != engine.Log {
		return "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY" + wait
	}
	sync := "on"
	if use == engine.Log {
		sync = "off"
	}
	return "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE" + wait + fmt.Sprintf("; SET LOCAL idle_in_transaction_session_timeout = %d", idleWriterTimeout.Milliseconds()) +
		"; SET LOCAL synchronous_commit = " + sync + "; SELECT id FROM writer WHERE id = 1 FOR UPDATE"
}

// Begin implements session.Engine. It tries three times to acquire the lock. After each failure, it ends the
// sessions that hold the lock, if its login has the right to do so.
func (s *Server) Begin(ctx context.Context, c *engine.Conn, use engine.Use) error {
	for left := int(longestWait / lockWait); ; left-- {
		err := c.Script(ctx, s.begin(use))
		if err == nil {
			return nil
		}
		_ = c.Script(ctx, "ROLLBACK") // return the earlier error
		if sqlState(err) != "55P03" || left <= 1 || ctx.Err() != nil {
			return err
		}
		_, _, _ = s.release(ctx) // the next attempt shows whether release helped
	}
}

// Channel is the NOTIFY channel that carries the numbers of new events.
const Channel = "toolcrib"

// Commit implements session.Engine. It checks the status of the transaction first, because the server responds to
// COMMIT with a silent rollback if a statement of the transaction has failed.
func (s *Server) Commit(ctx context.Context, c *engine.Conn, event int64) error {
	conn, err := raw(c)
	if err != nil {
		return err
	}
	if status := conn.PgConn().TxStatus(); status != 'T' {
		return fmt.Errorf("%w: a statement of the transaction failed; nothing was written", engine.ErrRefused)
	}
	if event == 0 || s.noNotify.Load() {
		return c.Script(ctx, "COMMIT")
	}
	err = c.Script(ctx, fmt.Sprintf("NOTIFY %s, '%d'; COMMIT", Channel, event))
	if code := sqlState(err); code == "0A000" || code == "42601" { // feature or statement not supported
		s.noNotify.Store(true)
		return fmt.Errorf("%w: %w", engine.ErrAgain, err)
	}
	return err
}

// raw returns the pgx connection of c. Do not use it after c was closed.
func raw(c *engine.Conn) (conn *pgx.Conn, err error) {
	err = c.Raw(func(driver any) error {
		conn = driver.(*stdlib.Conn).Conn()
		return nil
	})
	return conn, err
}

// Promote implements session.Engine. It returns true because every connection can both read and write.
func (s *Server) Promote(context.Context, *engine.Conn, engine.Use) (bool, error) { return true, nil }

// WhileAudited implements session.Engine.
func (s *Server) WhileAudited(_ context.Context, _ *engine.Conn, fn func() error) error { return fn() }

// Listen listens for commits until ctx ends or the connection is lost. When it starts to listen, it calls heard(0).
// After each commit, it calls heard with the number of the newest event. If the server does not support LISTEN, it
// returns an error at once. Behind a pooler, it receives no notifications and waits until ctx ends.
func (s *Server) Listen(ctx context.Context, heard func(event int64)) (err error) {
	conn, err := pgx.ConnectConfig(ctx, s.config.Copy())
	if s.detectPooler(err) {
		<-ctx.Done()
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close(context.WithoutCancel(ctx))) }()
	if _, err := conn.Exec(ctx, "LISTEN "+Channel); err != nil {
		return err
	}
	heard(0)
	for {
		n, err := conn.WaitForNotification(ctx)
		if err != nil {
			return err
		}
		if event, err := strconv.ParseInt(n.Payload, 10, 64); err == nil { // every login can send notifications, including invalid payloads
			heard(event)
		}
	}
}

// errCertificate indicates that the verification of the server's TLS certificate failed.
var errCertificate = fmt.Errorf("%w: the certificate does not prove that the server belongs to the host in the URL; set sslrootcert=FILE to the certificate of the signing authority, and use the host name from the server certificate", engine.ErrLost)

// Describe implements session.Engine. It converts errors of the server according to their SQLSTATE
// (https://www.postgresql.org/docs/current/errcodes-appendix.html).
func (s *Server) Describe(err error) error {
	for _, known := range []error{proposals.ErrAuthority, engine.ErrRefused, engine.ErrBusy, engine.ErrDamaged, engine.ErrAgain, engine.ErrLost, engine.ErrForeign, engine.ErrNumbering} {
		if err == nil || errors.Is(err, known) {
			return err
		}
	}
	e, ok := errors.AsType[*pgconn.PgError](err)
	if !ok {
		if strange := new(tls.CertificateVerificationError); errors.As(err, &strange) {
			return fmt.Errorf("%w: %w", errCertificate, err)
		}
		if lost(err) {
			return fmt.Errorf("%w: %w", engine.ErrLost, err)
		}
		return err
	}
	switch e.Code {
	case "40001", "40P01": // serialization failure, deadlock
		return fmt.Errorf("%w: %w", engine.ErrAgain, err)
	case "55P03": // lock timeout
		return s.waited()
	case "57014": // statement timeout
		return fmt.Errorf("%w: other processes are using the database; nothing was written, so try again", engine.ErrBusy)
	case "57P01", "57P02", "57P03", "57P05", "25P03": // the server stops, crashed, or starts, or the session or the transaction timed out
		return fmt.Errorf("%w: %w", engine.ErrLost, err)
	case "42501":
		return fmt.Errorf("%w: the login %s does not have the necessary rights, or cannot write as this user or agent: %w", proposals.ErrAuthority, s.config.User, err)
	case "25006", "0A000": // 0A000: a write transaction on a standby
		return fmt.Errorf("%w; the server is a standby or does not accept writes: %w", review.ErrReadOnly, err)
	case "22021": // invalid text, for example in a filter
		return fmt.Errorf("%w: a text is not valid UTF-8, or contains a NUL character: %w", proposals.ErrNotFound, err)
	case "53100":
		return fmt.Errorf("the disk of the server is full; nothing was written: %w", err)
	case "42P01", "3F000": // no such table, no such schema
		return fmt.Errorf("%w: the database does not have the schema of toolcrib; run toolcrib migrate: %w", engine.ErrForeign, err)
	}
	switch e.Code[:2] {
	case "23":
		return fmt.Errorf("%w: %w", engine.ErrRefused, err)
	case "08":
		return fmt.Errorf("%w: %w", engine.ErrLost, err)
	case "XX":
		return fmt.Errorf("%w; keep the damaged data of the server, and restore a backup: %w", engine.ErrDamaged, err)
	}
	return err
}

// lost reports whether err, an error of the client, means that the connection was lost or could not be established.
func lost(err error) bool {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return false
	}
	var network net.Error
	var connect *pgconn.ConnectError
	return errors.As(err, &network) || errors.As(err, &connect) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, sqldriver.ErrBadConn) || errors.Is(err, sql.ErrConnDone) || errors.Is(err, net.ErrClosed) || pgconn.SafeToRetry(err)
}
