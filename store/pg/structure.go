// This file migrates the schema and compares its objects with the objects that the migrations define.

package pg

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"toolcrib/history"
	"toolcrib/internal/lists"
	"toolcrib/store/engine"
)

// Schema implements session.Engine. The error wraps engine.ErrForeign if the schema is missing or older
// than this program, because an ordinary login cannot migrate the schema.
func (s *Server) Schema(ctx context.Context, c *engine.Conn) (int, error) {
	conn, err := raw(c)
	if err != nil {
		return 0, err
	}
	all := steps()
	version, err := schemaVersion(ctx, conn)
	last := all[len(all)-1].Number
	switch {
	case err != nil:
		return 0, err
	case version == 0:
		return 0, fmt.Errorf("%w: the schema %s is missing; run toolcrib migrate", engine.ErrForeign, Schema)
	case version < last:
		return 0, fmt.Errorf("%w of this version: the schema number is %d instead of %d; run toolcrib migrate", engine.ErrForeign, version, last)
	}
	return version, nil
}

// Steps implements session.Engine. It returns nil because Migrate runs the migrations.
func (s *Server) Steps(int) []engine.Step { return nil }

// RecordStep implements session.Engine. It does nothing because Migrate records the migrations.
func (s *Server) RecordStep(context.Context, *engine.Conn, engine.Step) error { return nil }

// Migrate creates the roles and the schema through c, and returns the numbers of the migrations that it
// ran. The login of c must have the right to do so. Migrate calls seed to write the shipped definitions
// through the same connection.
func (s *Server) Migrate(ctx context.Context, c *engine.Conn, seed func(context.Context) error) ([]int, error) {
	conn, err := raw(c)
	if err != nil {
		return nil, err
	}
	return migrate(ctx, conn, func(ctx context.Context, _ *pgx.Conn) error { return seed(ctx) })
}

// object identifies a table, an index, a trigger, a policy, or a function.
type object struct{ kind, table, name string }

func (o object) String() string { return o.kind + " " + o.name }

var (
	created  = regexp.MustCompile(`(?m)^CREATE (?:UNIQUE )?(TABLE|INDEX|TRIGGER|POLICY) (\w+) (?:'[^']*'|[^;'])*;`)
	onTable  = regexp.MustCompile(` ON (\w+)`)
	function = regexp.MustCompile(`(?ms)^CREATE (?:OR REPLACE )?FUNCTION (\w+)\(.*?\bAS (?:\$\$(.*?)\$\$|'(.*?)');`)
)

// expectedObjects returns the objects that the migrations define, in their order, and the latest
// definitions of indexes, triggers, and functions. The list does not contain the trigram index, because the
// extension pg_trgm can be missing.
func expectedObjects() (list []object, definitions map[object]string) {
	definitions = map[object]string{}
	for _, step := range steps() {
		for _, m := range created.FindAllStringSubmatch(step.SQL, -1) {
			o := object{kind: strings.ToLower(m[1]), name: m[2]}
			if on := onTable.FindStringSubmatch(m[0]); on != nil && (o.kind == "trigger" || o.kind == "policy") {
				o.table = on[1]
			}
			if !slices.Contains(list, o) {
				list = append(list, o)
			}
			if o.kind == "trigger" || o.kind == "index" {
				definitions[o] = words(m[0])
			}
		}
		for _, m := range function.FindAllStringSubmatch(step.SQL, -1) {
			definitions[object{kind: "function", name: m[1]}] = m[2] + m[3]
		}
	}
	return list, definitions
}

// selectObjects selects the objects of the schema that protect or index rows, whether each object is
// enabled, and its definition. The server reformats the definitions of indexes and triggers, but not the
// definitions of functions.
const selectObjects = `SELECT 'table', '', relname, relrowsecurity, '' FROM pg_class WHERE relnamespace = 'toolcrib'::regnamespace AND relkind = 'r'
	UNION ALL SELECT 'index', '', c.relname, i.indisvalid, pg_get_indexdef(c.oid) FROM pg_class c JOIN pg_index i ON i.indexrelid = c.oid
		WHERE c.relnamespace = 'toolcrib'::regnamespace
	UNION ALL SELECT 'trigger', c.relname, t.tgname, t.tgenabled IN ('O', 'A'), pg_get_triggerdef(t.oid) FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
		WHERE c.relnamespace = 'toolcrib'::regnamespace AND NOT t.tgisinternal
	UNION ALL SELECT 'policy', c.relname, p.polname, true, '' FROM pg_policy p JOIN pg_class c ON c.oid = p.polrelid WHERE c.relnamespace = 'toolcrib'::regnamespace
	UNION ALL SELECT 'function', '', p.proname, true, p.prosrc FROM pg_proc p JOIN pg_language l ON l.oid = p.prolang
		WHERE p.pronamespace = 'toolcrib'::regnamespace AND l.lanname IN ('sql', 'plpgsql')
	ORDER BY 1, 2, 3`

// Structure implements session.Engine. It reports objects of the schema that are missing, disabled,
// modified, or unknown, and tables with rows that violate CHECK constraints or foreign keys. It does not
// check the data files; use pg_amcheck on the server.
func (s *Server) Structure(ctx context.Context, c *engine.Conn, _ bool, fn func(history.Damage)) error {
	list, definitions := expectedObjects()
	missing := lists.Set(list, func(o object) object { return o })
	report := func(o object, message string) {
		fn(history.Damage{Table: "pg_class", Key: o.String(), Message: message})
	}
	err := c.Each(ctx, selectObjects, nil, func(row engine.Scanner) error {
		var o object
		var inForce bool
		var definition string
		if err := row.Scan(&o.kind, &o.table, &o.name, &inForce, &definition); err != nil {
			return err
		}
		want, defined := definitions[o]
		if o.kind != "function" {
			definition = words(definition)
		}
		switch {
		case missing[o] && !inForce:
			return nil // the loop below reports the object as disabled
		case defined && definition != want:
			report(o, "It differs from the definition in the schema.")
		case !defined && !missing[o] && o.kind != "index" && (o.kind != "policy" || !strings.HasSuffix(o.name, "_read")):
			report(o, "It is not part of the schema.")
		}
		delete(missing, o)
		return nil
	})
	if err != nil {
		return err
	}
	for _, o := range list {
		if missing[o] {
			report(o, "It was dropped or disabled.")
		}
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
