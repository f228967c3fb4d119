package storetest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"

	"toolcrib/store"
	"toolcrib/store/pg"
	"toolcrib/store/pg/pgtest"
)

// engineVariable selects the engine for tests: "postgres", "compatible" for a compatible engine, or SQLite.
const engineVariable = "TOOLCRIB_TEST_ENGINE"

// OnPostgres reports whether the tests run on PostgreSQL or a compatible engine.
func OnPostgres() bool { return os.Getenv(engineVariable) == "postgres" || onCompatible() }

func onCompatible() bool { return os.Getenv(engineVariable) == "compatible" }

// front starts the proxy that simulates a compatible engine.
var front = sync.OnceValues(func() (*compatible, error) {
	c, err := cluster()
	if err != nil {
		return nil, err
	}
	u, err := url.Parse(c.URL(serverLogin, ""))
	if err != nil {
		return nil, err
	}
	return startCompatible(filepath.Join(u.Query().Get("host"), ".s.PGSQL.5432"))
})

// NeedsFile skips a test that requires SQLite if the tests run on PostgreSQL.
func NeedsFile(t testing.TB) {
	t.Helper()
	if OnPostgres() {
		t.Skip("this test requires a SQLite file")
	}
}

// serverLogin is the login for tests. It has the role of a server, which writes on behalf of all users.
const serverLogin = "toolcrib_tests"

// cluster starts the PostgreSQL server that the tests of a binary share.
var cluster = sync.OnceValues(func() (*pgtest.Cluster, error) {
	c, err := pgtest.Start(pgtest.Options{})
	if err != nil {
		return nil, err
	}
	return c, c.Exec(context.Background(), "CREATE ROLE "+serverLogin+" LOGIN")
})

// migrated creates a database with the schema and the shipped definitions, and returns its name.
var migrated = sync.OnceValues(func() (string, error) {
	c, err := cluster()
	if err != nil {
		return "", err
	}
	ctx := context.Background()
	name, err := c.Database(ctx, "")
	if err != nil {
		return "", err
	}
	clock := NewClock()
	if _, err := store.Migrate(ctx, c.URL(pgtest.Superuser, name), store.Options{Now: clock.Now, NewID: IDs(0xffff)}); err != nil {
		return "", err
	}
	return name, c.Exec(ctx, "GRANT toolcrib_server TO "+serverLogin)
})

// templateMark begins every PostgreSQL image. The rest of the image is the name of the database to copy.
const templateMark = "postgres template "

// NewURL creates a database on the test server. It copies the database at the URL source. If source is "", the database
// contains a new registry. NewURL returns the URL and a function that removes the database. The source must have no
// open connections.
func NewURL(ctx context.Context, source string) (address string, drop func() error, err error) {
	origin := ""
	if source == "" {
		origin, err = migrated()
	} else {
		origin, err = databaseOf(source)
	}
	if err != nil {
		return "", nil, err
	}
	address, name, err := fromTemplate(ctx, origin)
	return address, func() error { return remove(context.WithoutCancel(ctx), name) }, err
}

// remove removes a database from the test server.
func remove(ctx context.Context, name string) error {
	c, err := cluster()
	if err != nil {
		return err
	}
	return c.Drop(ctx, name)
}

// databaseOf returns the database name in a URL.
func databaseOf(address string) (string, error) {
	u, err := url.Parse(address)
	if err != nil {
		return "", err
	}
	return strings.TrimPrefix(u.Path, "/"), nil
}

// fromTemplate creates a copy of a database and returns its URL and name.
func fromTemplate(ctx context.Context, template string) (url, name string, err error) {
	c, err := cluster()
	if err != nil {
		return "", "", err
	}
	name, err = c.Database(ctx, template)
	if err != nil || !onCompatible() {
		return c.URL(serverLogin, name), name, err
	}
	f, err := front()
	if err != nil {
		return "", name, err
	}
	url, err = f.before(c.URL(serverLogin, name))
	return url, name, err
}

// template returns the image of a PostgreSQL database after fill has run.
func template(fill func(db *Database) error) ([]byte, error) {
	origin, err := migrated()
	if err != nil {
		return nil, err
	}
	url, name, err := fromTemplate(context.Background(), origin)
	if err != nil {
		return nil, err
	}
	db, err := connect(context.Background(), url, 0xfffd, nil)
	if err != nil {
		return nil, err
	}
	return []byte(templateMark + name), errors.Join(fill(db), db.Close())
}

// place creates a database from an image and returns its URL. The database is removed when the test ends.
func place(t testing.TB, image string) string {
	t.Helper()
	url, name, err := fromTemplate(t.Context(), strings.TrimPrefix(image, templateMark))
	if errors.Is(err, pgtest.ErrMissing) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := remove(context.WithoutCancel(t.Context()), name); err != nil {
			t.Error(err)
		}
	})
	return url
}

// ReplaceText replaces all occurrences of a text in the database at a URL, as a superuser could. It returns an error if
// the text does not occur.
func ReplaceText(ctx context.Context, url, old, new string) (err error) {
	db, err := openRaw(url)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	db.SetMaxOpenConns(1)
	updates, err := collect(ctx, db, fmt.Sprintf(`SELECT format('UPDATE %%I.%%I SET %%I = replace(%%I, $1, $2) WHERE strpos(%%I, $1) > 0',
		table_schema, table_name, column_name, column_name, column_name) FROM information_schema.columns JOIN information_schema.tables
		USING (table_schema, table_name) WHERE table_schema = '%s' AND table_type = 'BASE TABLE' AND data_type = 'text' AND is_generated = 'NEVER'`, pg.Schema))
	if err != nil {
		return err
	}
	if _, err := db.ExecContext(ctx, "SET session_replication_role = replica"); err != nil { // without triggers
		return err
	}
	var changed int64
	for _, update := range updates {
		result, err := db.ExecContext(ctx, update, old, new)
		if err != nil {
			return fmt.Errorf("%s: %w", update, err)
		}
		n, err := result.RowsAffected()
		if changed += n; err != nil {
			return err
		}
	}
	if changed == 0 {
		return fmt.Errorf("no row of %s contains %q", url, old)
	}
	return nil
}

// collect returns the values of a query with a single column.
func collect(ctx context.Context, db *sql.DB, query string) (lines []string, err error) {
	rows, err := db.QueryContext(ctx, query)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", query, err)
	}
	defer rows.Close()
	for rows.Next() {
		var line string
		if err := rows.Scan(&line); err != nil {
			return nil, err
		}
		lines = append(lines, line)
	}
	return lines, rows.Err()
}

// sorted is like collect, but sorts the values.
func sorted(ctx context.Context, db *sql.DB, query string) ([]string, error) {
	lines, err := collect(ctx, db, query)
	slices.Sort(lines)
	return lines, err
}

// dumpPostgres implements DumpOf for a database on a server.
func dumpPostgres(ctx context.Context, name string) (string, error) {
	db, err := sql.Open("pgx", name)
	if err != nil {
		return "", err
	}
	defer db.Close() //nolint:errcheck // nothing was written
	tables, err := sorted(ctx, db, "SELECT relname FROM pg_class WHERE relnamespace = '"+pg.Schema+"'::regnamespace AND relkind = 'r'")
	var dumped []string
	for _, table := range tables {
		var lines []string
		if lines, err = sorted(ctx, db, "SELECT '"+table+": ' || row_to_json(t) FROM "+pg.Schema+"."+table+" t"); err != nil {
			return "", err
		}
		dumped = append(dumped, lines...)
	}
	return strings.Join(dumped, "\n"), err
}
