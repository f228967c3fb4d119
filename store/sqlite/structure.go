// This file checks the integrity of a database file and compares its schema with the migrations.

package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"sync"

	"toolcrib/history"
	"toolcrib/internal/lists"
	"toolcrib/store/engine"
)

// Problems implements session.Engine. It runs SQLite's quick check and foreign-key check. These checks detect damage to
// the structure of the file; the hash chains detect damage to the content.
func (f *File) Problems(ctx context.Context, c *engine.Conn) ([]string, error) {
	answers, err := check(ctx, c, "quick_check")
	if err != nil {
		return nil, err
	}
	problems := lists.Map(answers, func(a string) string { return "quick_check: " + a })
	err = danglingKeys(ctx, c, func(_, message string) { problems = append(problems, message) })
	return problems, err
}

// textIndexes lists the full-text indexes. Lists and searches depend on these indexes, and no seal covers them.
var textIndexes = []string{"proposals_text", "memories_text", "entities_text"}

// Structure implements session.Engine. It checks the schema, the full-text indexes, and the foreign keys. If deep is
// true, it also runs SQLite's full integrity check, which reads the whole file. SQLite's quick check would take half
// the time, but it would miss an index that differs from its table. Such an index affects lists and the search for
// earlier rejections.
func (f *File) Structure(ctx context.Context, c *engine.Conn, deep bool, fn func(history.Damage)) error {
	if err := schemaDrift(ctx, c, fn); err != nil {
		return err
	}
	pragmas := lists.Map(textIndexes, func(name string) string { return "integrity_check(" + name + ")" })
	if deep {
		pragmas = []string{"integrity_check"}
	}
	answers, err := check(ctx, c, pragmas...)
	for _, answer := range answers {
		fn(history.Damage{Table: "sqlite_schema", Key: "file", Message: "The integrity check of SQLite reports: " + answer + "."})
	}
	if err != nil {
		return err
	}
	return danglingKeys(ctx, c, func(table, message string) { fn(history.Damage{Table: table, Message: message + "."}) })
}

// DamagedPages returns the lines about damaged pages from SQLite's integrity check of the file at path. It returns nil
// if the file cannot be opened.
func DamagedPages(ctx context.Context, path string) (found []string) {
	db, err := openDB(path, "ro")
	if err != nil {
		return nil
	}
	defer db.Close() //nolint:errcheck // the connection only reads
	rows, err := db.QueryContext(ctx, "PRAGMA integrity_check(20)")
	if err != nil {
		return nil
	}
	defer rows.Close()
	for rows.Next() {
		var answer string
		if rows.Scan(&answer) != nil {
			break
		}
		for line := range strings.Lines(answer) {
			if line = strings.TrimSpace(line); strings.Contains(strings.ToLower(line), "page ") && !strings.HasSuffix(line, "never used") && len(found) < 5 {
				found = append(found, line)
			}
		}
	}
	_ = rows.Err() // the file is known to be damaged
	return found
}

// danglingKeys calls fn for each row with a foreign key that refers to a missing row.
func danglingKeys(ctx context.Context, c *engine.Conn, fn func(table, message string)) error {
	return c.Each(ctx, `SELECT "table", coalesce(rowid, 0), parent FROM pragma_foreign_key_check`, nil, func(row engine.Scanner) error {
		var table, parent string
		var rowid int64
		if err := row.Scan(&table, &rowid, &parent); err != nil {
			return err
		}
		fn(table, fmt.Sprintf("row %d of %s refers to a missing row of %s", rowid, table, parent))
		return nil
	})
}

// check runs the given integrity checks of SQLite and returns their findings. The pragma integrity_check finds damaged
// pages, values that violate a constraint, and indexes that differ from their tables. The pragma quick_check does not
// check indexes.
func check(ctx context.Context, c *engine.Conn, pragmas ...string) ([]string, error) {
	var found []string
	// Read from the full-text index before its check, which would otherwise use data in the cache of this connection
	// instead of the file.
	var seq int64
	if _, err := c.OptionalRow(ctx, "SELECT rowid FROM proposals_text WHERE proposals_text MATCH $1 LIMIT 1", []any{quoteFTS("user")}, &seq); err != nil {
		found = append(found, "the full-text index cannot be read: "+err.Error())
	}
	for _, pragma := range pragmas {
		answers, err := c.Strings(ctx, "PRAGMA "+pragma)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			found = append(found, err.Error())
		}
		for _, answer := range answers {
			if answer != "ok" {
				found = append(found, answer)
			}
		}
	}
	return found, nil
}

// schemaDrift compares tables, indexes, and triggers with the statements of the migrations, and reports differences.
// For example, a table is no longer protected if a trigger is missing.
func schemaDrift(ctx context.Context, c *engine.Conn, fn func(history.Damage)) error {
	want, err := freshSchema()
	if err != nil {
		return err
	}
	have, err := objects(ctx, c)
	if err != nil {
		return err
	}
	for name, text := range want {
		switch got, ok := have[name]; {
		case !ok:
			fn(history.Damage{Table: "sqlite_schema", Key: name, Message: "It was dropped."})
		case got != text:
			fn(history.Damage{Table: "sqlite_schema", Key: name, Message: "It differs from the definition in the schema."})
		}
	}
	for name := range have {
		if _, ok := want[name]; !ok {
			fn(history.Damage{Table: "sqlite_schema", Key: name, Message: "It is not part of the schema."})
		}
	}
	return nil
}

// objects returns the SQL of each object in the schema, keyed by the type and the name of the object.
func objects(ctx context.Context, c *engine.Conn) (map[string]string, error) {
	found := map[string]string{}
	err := c.Each(ctx, "SELECT type || ' ' || name, coalesce(sql, '') FROM sqlite_schema", nil, func(row engine.Scanner) error {
		var name, text string
		if err := row.Scan(&name, &text); err != nil {
			return err
		}
		found[name] = text
		return nil
	})
	return found, err
}

// freshSchema returns the objects that all migrations create. The result is cached because a verification can need it
// twice.
var freshSchema = sync.OnceValues(func() (map[string]string, error) { return makeSchema(context.Background(), SchemaVersion()) })

// makeSchema runs the migrations up to the given version in an empty in-memory database. It returns the objects that
// they create.
func makeSchema(ctx context.Context, version int) (map[string]string, error) {
	db, err := sql.Open(Driver, ":memory:")
	if err != nil {
		return nil, err
	}
	defer db.Close() //nolint:errcheck // nothing in memory can be lost
	c, err := engine.Connect(ctx, db)
	if err != nil {
		return nil, err
	}
	defer c.Close() //nolint:errcheck // nothing in memory can be lost
	for _, step := range steps() {
		if step.SQL == "" || step.Number > version {
			continue
		}
		if err := c.Script(ctx, step.SQL); err != nil {
			return nil, err
		}
	}
	return objects(ctx, c)
}
