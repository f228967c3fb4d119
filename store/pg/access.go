package pg

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"toolcrib/internal/visible"
)

// Access has the connection of a login to a server, and its rights there.
type Access struct {
	Version           string   // of the server
	Login             string   // the session's user, to which its rows are bound
	Roles             []string // those of toolcrib's that the login has the rights of
	TLS               string   // the protocol, such as "TLSv1.3"; "" for none
	Local             bool     // over a unix socket
	SynchronousCommit string
	Trigrams          bool // searches of the queue have an index
	RowSecurity       bool // writes are bound to the login
	Problems          []string
}

// Examine connects to the server of a URL and describes the login's access.
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
	a.judge(super, bypass)
	if err := a.oddLogins(ctx, conn); err != nil {
		return a, err
	}
	differ, err := compareRights(ctx, conn)
	a.Problems = append(a.Problems, differ...)
	return a, err
}

// judge lists the problems of an access.
func (a *Access) judge(super, bypass bool) {
	problem := func(format string, args ...any) { a.Problems = append(a.Problems, fmt.Sprintf(format, args...)) }
	roles := " " + strings.Join(a.Roles, " ") + " "
	switch {
	case super || bypass:
		problem("The login %s passes row-level security; use one that is a member of toolcrib_user, toolcrib_agent, toolcrib_chief or toolcrib_reader.", a.Login)
	case strings.Contains(roles, " "+Owner+" "):
		problem("The login %s has the rights of %s, which may change the schema; keep it for toolcrib migrate.", a.Login, Owner)
	case len(a.Roles) == 0:
		problem("The login %s is a member of none of toolcrib's roles; a superuser runs: GRANT toolcrib_user TO %s", a.Login, pgx.Identifier{a.Login}.Sanitize())
	case strings.Contains(roles, " toolcrib_user ") && !strings.Contains(roles, " toolcrib_server ") && !strings.HasPrefix(a.Login, "user:"):
		problem("The login %s is in toolcrib_user and not named like a user, so it can decide nothing; name it user:NAME, or, for a server that writes for every user, a superuser runs: GRANT toolcrib_server TO %s",
			a.Login, pgx.Identifier{a.Login}.Sanitize())
	case strings.Contains(roles, " toolcrib_agent ") && !strings.HasPrefix(a.Login, "agent:"):
		problem("The login %s is in toolcrib_agent and not named like an agent, so it can write nothing; name it agent:NAME.", a.Login)
	}
	if a.TLS == "" && !a.Local {
		problem("The connection is not encrypted; add sslmode=verify-full to the URL.")
	}
	if a.SynchronousCommit == "off" || a.SynchronousCommit == "local" {
		problem("synchronous_commit is %s for this login; toolcrib sets it to on where it decides, and a server that fails over may lose the rest.", a.SynchronousCommit)
	}
	if !a.RowSecurity {
		problem("Tables have no row-level security, so a login can write under the name of another.")
	}
}

// oddLogins adds the logins of toolcrib's roles whose name is none of a principal of that
// role, and the servers whose name looks like one.
func (a *Access) oddLogins(ctx context.Context, conn *pgx.Conn) error {
	rows, err := conn.Query(ctx, `SELECT CAST(m.rolname AS text), CAST(r.rolname AS text)
		FROM pg_catalog.pg_auth_members x JOIN pg_catalog.pg_roles m ON m.oid = x.member JOIN pg_catalog.pg_roles r ON r.oid = x.roleid
		WHERE m.rolcanlogin AND NOT m.rolsuper AND m.rolname <> session_user AND (
			r.rolname IN ('toolcrib_user', 'toolcrib_agent', 'toolcrib_chief') AND m.rolname !~ ('^' || substr(r.rolname, 10) || ':[A-Za-z0-9_][A-Za-z0-9_.@+-]*$')
			OR r.rolname = 'toolcrib_server' AND m.rolname !~ '^[A-Za-z0-9_.-]+$')
		ORDER BY m.rolname, r.rolname`)
	if err != nil {
		return err
	}
	var login, role string
	_, err = pgx.ForEachRow(rows, []any{&login, &role}, func() error {
		name := visible.Line(login)
		if role == "toolcrib_server" {
			a.Problems = append(a.Problems, fmt.Sprintf("The login %s is in toolcrib_server, so it writes for every user, and its name looks like that of one principal.", name))
		} else {
			a.Problems = append(a.Problems, fmt.Sprintf("The login %s is in %s, and its name is none of a principal of that role, so it can write nothing in a name.", name, role))
		}
		return nil
	})
	return err
}
