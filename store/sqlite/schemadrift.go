package sqlite

import (
	"context"
	"database/sql"
	"sync"

	"toolcrib/history"
	"toolcrib/store/engine"
)

// schemaDrift reports tables, indexes and triggers that differ from those of the
// migrations: a dropped trigger no longer protects its table.
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

// objects returns the SQL of every object of the schema, by type and name.
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

// freshSchema returns the objects that the migrations create. One verification
// may need them twice, and they are the same as long as the process runs.
var freshSchema = sync.OnceValues(func() (map[string]string, error) { return makeSchema(context.Background(), SchemaVersion) })

// makeSchema runs the migrations up to a number on an empty database in memory and
// returns its objects.
func makeSchema(ctx context.Context, last int) (map[string]string, error) {
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
	steps, err := steps()
	if err != nil {
		return nil, err
	}
	for _, step := range steps {
		if step.SQL == "" || step.Number > last {
			continue
		}
		if err := c.Script(ctx, step.SQL); err != nil {
			return nil, err
		}
	}
	return objects(ctx, c)
}
