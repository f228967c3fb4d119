package pg

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"toolcrib/store/engine"
)

// A login with SQL access can take a lock and keep it: the row of the writer, for
// which every write waits, or a table. PostgreSQL ends nothing of that by itself, and
// every session can set its own limits. So who waits for too long looks who holds
// the lock, ends those sessions that do nothing in their transaction or belong to an
// agent, if its login may, and otherwise names them.

// lockWait is how long a transaction waits until it looks who holds a lock.
const lockWait = 10 * time.Second

// holder is a transaction that has a lock on a table of the schema for which others
// wait.
type holder struct {
	pid         int32
	transaction string // names it
	login       string
	idle, agent bool
}

func (h holder) String() string {
	return fmt.Sprintf("the login %s (server process %d)", pgx.Identifier{h.login}.Sanitize(), h.pid)
}

// holders finds those of other sessions. Who waits for a row has a lock on its table,
// too, and one on what it waits for that is not granted. What a session does is
// visible to its own login, to superusers and to pg_read_all_stats.
const holders = `SELECT DISTINCT l.pid, l.virtualtransaction, coalesce(a.usename, ''),
	coalesce(a.state LIKE 'idle in transaction%' AND a.state_change < clock_timestamp() - interval '5 seconds', false),
	coalesce(pg_has_role(a.usesysid, 'toolcrib_agent', 'MEMBER') AND NOT pg_has_role(a.usesysid, 'toolcrib_user', 'MEMBER'), false)
	FROM pg_locks l JOIN pg_class c ON c.oid = l.relation JOIN pg_stat_activity a ON a.pid = l.pid
	WHERE l.database = (SELECT oid FROM pg_database WHERE datname = current_database()) AND c.relnamespace = '` + Schema + `'::regnamespace
	AND l.granted AND l.pid <> pg_backend_pid() AND (l.mode IN ('AccessExclusiveLock', 'ExclusiveLock', 'ShareRowExclusiveLock', 'ShareLock') OR c.relname = 'writer')
	AND NOT EXISTS (SELECT 1 FROM pg_locks w WHERE w.pid = l.pid AND NOT w.granted) ORDER BY 1`

// release ends the sessions that keep a lock for too long, as far as the login may. It
// reports whether it ended one, and otherwise who holds locks.
func (s *Server) release(ctx context.Context) (ended bool, held []holder, err error) {
	conn, err := pgx.ConnectConfig(ctx, s.config.Copy())
	if err != nil {
		return false, nil, err
	}
	defer conn.Close(ctx) //nolint:errcheck // nothing was written
	before, err := heldLocks(ctx, conn)
	if err != nil {
		return false, nil, err
	}
	select {
	case <-time.After(s.lockWait / 10):
	case <-ctx.Done():
		return false, nil, ctx.Err()
	}
	now, err := heldLocks(ctx, conn)
	if err != nil {
		return false, nil, err
	}
	for _, h := range now {
		if !slices.ContainsFunc(before, func(b holder) bool { return b.pid == h.pid && b.transaction == h.transaction }) {
			continue // it has begun meanwhile
		}
		if h.idle || h.agent {
			var done bool
			if err := conn.QueryRow(ctx, "SELECT pg_terminate_backend($1)", h.pid).Scan(&done); err == nil && done {
				ended = true
				continue
			}
		}
		held = append(held, h)
	}
	return ended, held, nil
}

func heldLocks(ctx context.Context, conn *pgx.Conn) ([]holder, error) {
	rows, err := conn.Query(ctx, holders)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (h holder, err error) {
		err = row.Scan(&h.pid, &h.transaction, &h.login, &h.idle, &h.agent)
		return h, err
	})
}

// waited returns what follows from a lock that was not to be had in time: the
// transaction is tried again where a holder was ended, and else told who they are.
func (s *Server) waited() error {
	ctx, cancel := context.WithTimeout(context.Background(), lockWait)
	defer cancel()
	ended, held, err := s.release(ctx)
	if ended {
		return fmt.Errorf("%w: a session that kept a lock was ended", engine.ErrAgain)
	}
	busy := fmt.Errorf("%w: other processes are using it; nothing was written, try again", engine.ErrBusy)
	if err != nil || len(held) == 0 { // an engine without these views, or nobody any more
		return busy
	}
	names := make([]string, len(held))
	for i, h := range held {
		names[i] = h.String()
	}
	return fmt.Errorf("%w: %s keeps a lock; nothing was written. Try again, or end its session with SELECT pg_terminate_backend(%d); a login with pg_signal_backend has toolcrib do it",
		engine.ErrBusy, strings.Join(names, ", "), held[0].pid)
}

// lockTimeout reports whether a lock was not to be had in time.
func lockTimeout(err error) bool {
	var e *pgconn.PgError
	return errors.As(err, &e) && e.Code == "55P03"
}

// prepare sets what a connection needs: a server notices that its host is gone, and a
// setting of the database for sessions that forget their transactions is not for a
// verification, which reads others meanwhile. An engine that lacks a setting goes
// without.
func prepare(ctx context.Context, conn *pgx.Conn) error {
	settings := []string{
		"SET tcp_keepalives_idle = 15", "SET tcp_keepalives_interval = 5", "SET tcp_keepalives_count = 3", "SET tcp_user_timeout = 30000",
		"SET idle_in_transaction_session_timeout = 0",
	}
	_, err := conn.Exec(ctx, strings.Join(settings, "; "))
	if err == nil || conn.IsClosed() {
		return err
	}
	for _, setting := range settings {
		if _, err := conn.Exec(ctx, setting); err != nil && conn.IsClosed() {
			return err
		}
	}
	return nil
}
