package pg

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"toolcrib/history"
	"toolcrib/store/engine"
)

// Schema implements session.Engine. The error wraps engine.ErrForeign if the schema is missing or older, because an
// account that only uses a database cannot change it.
func (s *Server) Schema(ctx context.Context, c *engine.Conn) (int, error) {
	conn, err := raw(c)
	if err != nil {
		return 0, err
	}
	all, err := steps()
	if err != nil {
		return 0, err
	}
	version, err := schemaVersion(ctx, conn)
	last := all[len(all)-1].Number
	switch {
	case err != nil:
		return 0, err
	case version > last:
		return 0, fmt.Errorf("%w: it has schema %d, this program supports %d; install a newer toolcrib", engine.ErrNewer, version, last)
	case version == 0:
		return 0, fmt.Errorf("%w: it has no schema %s; run toolcrib migrate", engine.ErrForeign, Schema)
	case version < last:
		return 0, fmt.Errorf("%w of this version: it has schema %d, not %d; run toolcrib migrate", engine.ErrForeign, version, last)
	}
	return version, nil
}

// Current implements session.Engine: Schema refuses every other.
func (s *Server) Current(int) bool { return true }

// Steps implements session.Engine: Migrate takes them.
func (s *Server) Steps() ([]engine.Step, error) { return nil, nil }

// Took implements session.Engine.
func (s *Server) Took(context.Context, *engine.Conn, engine.Step) error { return nil }

// Migrate creates the roles and the schema through c, whose login must have the necessary rights, and returns the
// numbers of the missing steps. seed writes the shipped definitions through the same connection.
func (s *Server) Migrate(ctx context.Context, c *engine.Conn, seed func(context.Context) error) ([]int, error) {
	conn, err := raw(c)
	if err != nil {
		return nil, err
	}
	return migrate(ctx, conn, func(ctx context.Context, _ *pgx.Conn) error { return seed(ctx) })
}

// object is a table, an index, a trigger or a policy.
type object struct{ kind, table, name string }

func (o object) String() string { return o.kind + " " + o.name }

var created = regexp.MustCompile(`(?m)^CREATE (?:UNIQUE )?(TABLE|INDEX|TRIGGER|POLICY) (\w+)(?:[^;]*? ON (\w+))?`)

// wanted returns the objects that the migrations define, with the last definition of each. It omits the trigram index,
// because the extension may be missing.
func wanted() ([]object, error) {
	all, err := steps()
	var list []object
	for _, step := range all {
		for _, m := range created.FindAllStringSubmatch(step.SQL, -1) {
			o := object{strings.ToLower(m[1]), m[3], m[2]}
			if o.kind == "table" || o.kind == "index" {
				o.table = ""
			}
			if !slices.Contains(list, o) {
				list = append(list, o)
			}
		}
	}
	return list, err
}

// there are the objects of the schema that protect, or find, its rows. A trigger
// that was disabled, and a table whose row-level security was, are not among them.
const there = `SELECT CASE WHEN c.relrowsecurity THEN 'table' ELSE 'open table' END, '', c.relname FROM pg_class c
		WHERE c.relnamespace = 'toolcrib'::regnamespace AND c.relkind = 'r'
	UNION ALL SELECT 'index', '', c.relname FROM pg_class c JOIN pg_index i ON i.indexrelid = c.oid
		WHERE c.relnamespace = 'toolcrib'::regnamespace AND i.indisvalid
	UNION ALL SELECT 'trigger', c.relname, t.tgname FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
		WHERE c.relnamespace = 'toolcrib'::regnamespace AND NOT t.tgisinternal AND t.tgenabled IN ('O', 'A')
	UNION ALL SELECT 'policy', c.relname, p.polname FROM pg_policy p JOIN pg_class c ON c.oid = p.polrelid WHERE c.relnamespace = 'toolcrib'::regnamespace`

// Structure implements session.Engine: it reports dropped, disabled, changed and
// foreign parts of the schema, and rows that CHECK constraints and foreign keys
// exclude. The files are checked on the server, by pg_amcheck.
func (s *Server) Structure(ctx context.Context, c *engine.Conn, _ bool, fn func(history.Damage)) error {
	list, err := wanted()
	if err != nil {
		return err
	}
	missing := map[object]bool{}
	for _, o := range list {
		missing[o] = true
	}
	var found []object
	err = c.Each(ctx, there, nil, func(row engine.Scanner) error {
		var o object
		err := row.Scan(&o.kind, &o.table, &o.name)
		found = append(found, o)
		return err
	})
	if err != nil {
		return err
	}
	for _, o := range found {
		if o.kind == "open table" {
			if o.kind = "table"; missing[o] {
				continue // and is reported as disabled
			}
		}
		known := missing[o] || o.kind == "policy" && strings.HasSuffix(o.name, "_read") || o.kind == "index"
		if delete(missing, o); !known {
			fn(history.Damage{Table: "pg_class", Key: o.String(), Message: "It is not part of the schema."})
		}
	}
	for _, o := range list {
		if missing[o] {
			fn(history.Damage{Table: "pg_class", Key: o.String(), Message: "It was dropped or disabled."})
		}
	}
	if err := drift(ctx, c, fn); err != nil {
		return err
	}
	if err := checks(ctx, c, fn); err != nil {
		return err
	}
	return danglingKeys(ctx, c, fn)
}

// Problems implements session.Engine.
func (s *Server) Problems(ctx context.Context, c *engine.Conn) ([]string, error) {
	var problems []string
	err := s.Structure(ctx, c, false, func(d history.Damage) { problems = append(problems, d.Key+": "+d.Message) })
	slices.Sort(problems)
	return problems, err
}
