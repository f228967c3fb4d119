// This file examines a login and its rights, and ends sessions that block the write transactions of other sessions.

package pg

import (
	"context"
	"crypto/tls"
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"toolcrib/internal/lists"
	"toolcrib/internal/visible"
	"toolcrib/store/engine"
)

// Access describes the connection and the rights of a login on a PostgreSQL server.
type Access struct {
	Version           string   `json:"version"` // version of the server
	Login             string   `json:"login"`   // session user, which row-level security compares with the author of a row
	Roles             []string `json:"roles"`   // toolcrib roles whose rights the login has
	TLS               string   `json:"tls"`     // protocol, such as "TLSv1.3", or "" without TLS
	Local             bool     `json:"local"`   // connected through a Unix socket
	SynchronousCommit string   `json:"synchronous_commit"`
	RowSecurity       bool     `json:"row_security"` // whether row-level security restricts which rows the login can write
	Trigrams          bool     `json:"trigrams"`     // whether an index supports searches in the queue
	Problems          []string `json:"-"`
}

// Examine connects to the server at url and describes the access of the login in url.
func Examine(ctx context.Context, url string) (a Access, err error) {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		if strange := new(tls.CertificateVerificationError); errors.As(err, &strange) {
			err = fmt.Errorf("%w: %w", errCertificate, err)
		}
		return Access{}, fmt.Errorf("%s: %w", Redacted(url), err)
	}
	defer func() { err = errors.Join(err, conn.Close(context.WithoutCancel(ctx))) }()
	var super, bypass bool
	err = conn.QueryRow(ctx, `SELECT current_setting('server_version'), CAST(session_user AS text), current_setting('synchronous_commit'),
		coalesce((SELECT version FROM pg_catalog.pg_stat_ssl WHERE pid = pg_backend_pid() AND ssl), ''), inet_server_addr() IS NULL,
		EXISTS (SELECT 1 FROM pg_catalog.pg_indexes WHERE schemaname = $1 AND indexname = 'proposals_text'),
		coalesce((SELECT bool_and(c.relrowsecurity) FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
			WHERE n.nspname = $1 AND c.relkind = 'r'), false),
		rolsuper, rolbypassrls FROM pg_catalog.pg_roles WHERE rolname = session_user`, Schema).
		Scan(&a.Version, &a.Login, &a.SynchronousCommit, &a.TLS, &a.Local, &a.Trigrams, &a.RowSecurity, &super, &bypass)
	if err != nil {
		return a, err
	}
	rows, err := conn.Query(ctx, `SELECT CAST(rolname AS text) FROM pg_catalog.pg_roles
		WHERE rolname LIKE 'toolcrib\_%' AND NOT rolcanlogin AND pg_has_role(oid, 'USAGE') ORDER BY rolname`)
	if err != nil {
		return a, err
	}
	if a.Roles, err = pgx.CollectRows(rows, pgx.RowTo[string]); err != nil {
		return a, err
	}
	problem := func(format string, args ...any) { a.Problems = append(a.Problems, fmt.Sprintf(format, args...)) }
	has := func(role string) bool { return slices.Contains(a.Roles, role) }
	switch {
	case super || bypass:
		problem("The login %s bypasses row-level security; use a login with the role toolcrib_user, toolcrib_agent, toolcrib_chief, or toolcrib_reader.", a.Login)
	case has(Owner):
		problem("The login %s has the rights of %s, which can change the schema; use this login only for toolcrib migrate.", a.Login, Owner)
	case len(a.Roles) == 0:
		problem("The login %s has none of toolcrib's roles; as a superuser, run: GRANT toolcrib_user TO %s", a.Login, pgx.Identifier{a.Login}.Sanitize())
	case has("toolcrib_user") && !has("toolcrib_server") && !strings.HasPrefix(a.Login, "user:"):
		problem("The login %s has the role toolcrib_user but not the name of a user, so it cannot decide. Rename the login to user:NAME. If the login belongs to a server that writes for all users, run as a superuser: GRANT toolcrib_server TO %s",
			a.Login, pgx.Identifier{a.Login}.Sanitize())
	case has("toolcrib_agent") && !strings.HasPrefix(a.Login, "agent:"):
		problem("The login %s has the role toolcrib_agent but not the name of an agent, so it cannot write. Rename the login to agent:NAME.", a.Login)
	}
	if a.TLS == "" && !a.Local {
		problem("The connection is not encrypted; add sslmode=verify-full to the URL.")
	}
	if a.SynchronousCommit == "off" || a.SynchronousCommit == "local" {
		problem("synchronous_commit is %s for this login; toolcrib turns it on for decisions, but a failover can lose other changes.", a.SynchronousCommit)
	}
	if !a.RowSecurity {
		problem("Tables have no row-level security, so a login can write under the name of another login.")
	}
	// Report each login with a toolcrib role if its name does not have the form of a principal of that role. Also
	// report each login with the role of a server if its name has the form of a principal.
	rows, err = conn.Query(ctx, `SELECT CAST(m.rolname AS text), CAST(r.rolname AS text)
		FROM pg_catalog.pg_auth_members x JOIN pg_catalog.pg_roles m ON m.oid = x.member JOIN pg_catalog.pg_roles r ON r.oid = x.roleid
		WHERE m.rolcanlogin AND NOT m.rolsuper AND m.rolname <> session_user AND (
			r.rolname IN ('toolcrib_user', 'toolcrib_agent', 'toolcrib_chief') AND m.rolname !~ ('^' || substr(r.rolname, 10) || ':[A-Za-z0-9_][A-Za-z0-9_.@+-]*$')
			OR r.rolname = 'toolcrib_server' AND m.rolname !~ '^[A-Za-z0-9_.-]+$')
		ORDER BY m.rolname, r.rolname`)
	if err != nil {
		return a, err
	}
	var login, role string
	_, err = pgx.ForEachRow(rows, []any{&login, &role}, func() error {
		if role == "toolcrib_server" {
			problem("The login %s has the role toolcrib_server and can write for every user, but it is named like a single user or agent. Rename the login.", visible.Line(login))
		} else {
			problem("The login %s has the role %s but its name does not have the form that the role requires, so it cannot write. Rename the login.", visible.Line(login), role)
		}
		return nil
	})
	if err != nil {
		return a, err
	}
	differ, err := compareRights(ctx, conn)
	a.Problems = append(a.Problems, differ...)
	return a, err
}

// rightsQuery selects each right on the schema and the statement that revokes the right.
//
//go:embed rights.sql
var rightsQuery string

// rightsMigrated lists the rights that the migrations grant, one per line. A test compares the list with a new
// database.
//
//go:embed rights.txt
var rightsMigrated string

// mostRights is the maximum number of differences that compareRights reports.
const mostRights = 20

// rights returns the rights on the schema in alphabetical order, and a map with the statement that revokes each right.
// The names in the statements are qualified. A statement therefore works in any session.
func rights(ctx context.Context, conn *pgx.Conn) (made []string, undo map[string]string, err error) {
	tx, err := conn.BeginTx(ctx, pgx.TxOptions{AccessMode: pgx.ReadOnly})
	if err != nil {
		return nil, nil, err
	}
	defer tx.Rollback(ctx) //nolint:errcheck // nothing was written
	if _, err := tx.Exec(ctx, "SET LOCAL search_path = pg_catalog"); err != nil {
		return nil, nil, err
	}
	rows, err := tx.Query(ctx, rightsQuery)
	if err != nil {
		return nil, nil, err
	}
	undo = map[string]string{}
	var right, reverse string
	_, err = pgx.ForEachRow(rows, []any{&right, &reverse}, func() error {
		made, undo[right] = append(made, right), reverse
		return nil
	})
	slices.Sort(made)
	return made, undo, err
}

// compareRights compares the rights on the schema with the rights that the migrations grant. It returns a message for
// each difference, with the statement that repairs it. Excess rights come before missing rights.
func compareRights(ctx context.Context, conn *pgx.Conn) ([]string, error) {
	var migrated bool
	err := conn.QueryRow(ctx, "SELECT EXISTS (SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname = $1)", Schema).Scan(&migrated)
	if err != nil || !migrated {
		return nil, err
	}
	made, undo, err := rights(ctx, conn)
	if err != nil {
		return nil, err
	}
	want := strings.Split(strings.TrimSpace(rightsMigrated), "\n")
	var problems []string
	for _, right := range made {
		if !slices.Contains(want, right) {
			problems = append(problems, fmt.Sprintf("The database has a right that toolcrib migrate does not grant: %s. As a superuser, run: %s", right, undo[right]))
		}
	}
	for _, right := range want {
		if _, ok := undo[right]; !ok {
			problems = append(problems, fmt.Sprintf("A right that toolcrib migrate grants is missing. As a superuser, run: %s", right))
		}
	}
	if more := len(problems) - mostRights; more > 0 {
		problems = append(problems[:mostRights], fmt.Sprintf("%d more rights differ from the rights that toolcrib migrate grants.", more))
	}
	return problems, nil
}

// A login with SQL access can indefinitely hold a lock on a table, or on the row of the table writer, which every
// write transaction locks first. PostgreSQL does not end such a session, and a session can raise its time limits.
// After waiting for lockWait, a write transaction therefore looks up the sessions that hold the lock. If its login
// has the right to end them, it ends those that are idle in a transaction or belong to an agent. If it ends no
// session, it returns an error that lists the sessions.

// lockWait is the time that a transaction waits for a lock before it looks up the holders.
const lockWait = 10 * time.Second

// holder describes a transaction with a lock that blocks other sessions.
type holder struct {
	pid         int32
	transaction string // virtual transaction id
	login       string
	idle, agent bool
}

func (h holder) String() string {
	return fmt.Sprintf("the login %s (server process %d)", pgx.Identifier{h.login}.Sanitize(), h.pid)
}

// holders selects the sessions that hold a lock and are not waiting for a lock. A session that waits for a row also has
// a granted lock on the table, but its lock on the row is not granted. Only the login of a session, superusers, and
// members of pg_read_all_stats can see the activity of the session.
const holders = `SELECT DISTINCT l.pid, l.virtualtransaction, coalesce(a.usename, ''),
	coalesce(a.state LIKE 'idle in transaction%' AND a.state_change < clock_timestamp() - interval '5 seconds', false),
	coalesce(pg_has_role(a.usesysid, 'toolcrib_agent', 'MEMBER') AND NOT pg_has_role(a.usesysid, 'toolcrib_user', 'MEMBER'), false)
	FROM pg_locks l JOIN pg_class c ON c.oid = l.relation JOIN pg_stat_activity a ON a.pid = l.pid
	WHERE l.database = (SELECT oid FROM pg_database WHERE datname = current_database()) AND c.relnamespace = '` + Schema + `'::regnamespace
	AND l.granted AND l.pid <> pg_backend_pid() AND (l.mode IN ('AccessExclusiveLock', 'ExclusiveLock', 'ShareRowExclusiveLock', 'ShareLock') OR c.relname = 'writer')
	AND NOT EXISTS (SELECT 1 FROM pg_locks w WHERE w.pid = l.pid AND NOT w.granted) ORDER BY 1`

// release ends the sessions that have held a lock for too long, if the login has the right to end them. It reports
// whether it ended a session, and returns the remaining holders.
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
			continue // the session did not hold the lock all the time
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

// waited returns the error for a lock that was not acquired in time. The error wraps engine.ErrAgain if the session of
// a holder was ended. Otherwise, it wraps engine.ErrBusy and lists the holders.
func (s *Server) waited() error {
	ctx, cancel := context.WithTimeout(context.Background(), lockWait)
	defer cancel()
	ended, held, err := s.release(ctx)
	if ended {
		return fmt.Errorf("%w: the session that held the lock was ended", engine.ErrAgain)
	}
	busy := fmt.Errorf("%w: other processes are using the database; nothing was written, so try again", engine.ErrBusy)
	if err != nil || len(held) == 0 { // the server cannot list holders, or no holder remains
		return busy
	}
	names := lists.Map(held, holder.String)
	return fmt.Errorf("%w: %s holds a lock; nothing was written. Try again, or end this session with SELECT pg_terminate_backend(%d). If your login has the role pg_signal_backend, toolcrib ends such sessions itself",
		engine.ErrBusy, strings.Join(names, ", "), held[0].pid)
}

// sqlState returns the SQLSTATE of an error from the server, or "" for other errors.
func sqlState(err error) string {
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		return e.Code
	}
	return ""
}

// newDatabaseConfig configures a new connection. With keepalives, the server notices when the host of a client
// disappears. The timeout for idle transactions is disabled, because a verification can be idle while it waits for
// other readers. Settings that the server does not support are ignored.
func newDatabaseConfig(ctx context.Context, conn *pgx.Conn) error {
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
