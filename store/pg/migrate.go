// Package pg stores toolcrib's data in PostgreSQL.
package pg

import (
	"context"
	"embed"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"toolcrib/internal/lists"
	"toolcrib/store/engine"
)

// seedFunc writes the shipped definitions in the transaction of conn.
type seedFunc = func(ctx context.Context, conn *pgx.Conn) error

// migrate runs the missing migrations and returns their numbers. It creates the roles in a
// separate transaction, and runs all other migrations in a single transaction. The login of
// conn must be allowed to create roles and schemas.
func migrate(ctx context.Context, conn *pgx.Conn, seed seedFunc) ([]int, error) {
	all := steps()
	version, err := schemaVersion(ctx, conn)
	if err != nil {
		return nil, err
	}
	if version == all[len(all)-1].Number {
		return nil, nil
	}
	if err := createRoles(ctx, conn, all[rolesStep]); err != nil {
		return nil, err
	}
	var done []int
	err = retry(func() error {
		done, err = migrateTables(ctx, conn, all[rolesStep+1:], seed)
		return err
	})
	return done, err
}

// createRoles creates the missing roles, and the schema, which the role Owner owns.
func createRoles(ctx context.Context, conn *pgx.Conn, roles engine.Step) error {
	err := retry(func() error { _, err := conn.Exec(ctx, roles.SQL); return err })
	if err != nil {
		return fmt.Errorf("create the roles: %w", err)
	}
	return nil
}

// attempts is the maximum number of attempts to create objects while other sessions create the same
// objects.
const attempts = 5

// retry calls create again if it failed because another session created the same objects at the
// same time.
func retry(create func() error) error {
	for tried := 1; ; tried++ {
		err := create()
		switch sqlState(err) {
		case "42P06", "42P07", "42710", "42723", "40001", "40P01": // duplicate schema, table, object, function; serialization failure; deadlock
		case "23505": // unique indexes of the system catalogs
		case "XX000": // concurrent updates of a catalog row, which have no specific code
		default:
			return err
		}
		if tried == attempts {
			return err
		}
	}
}

// migrateTables runs the missing migrations in steps, including the seed, in a single transaction.
func migrateTables(ctx context.Context, conn *pgx.Conn, steps []engine.Step, seed seedFunc) (done []int, err error) {
	tx, err := conn.Begin(ctx)
	if err != nil {
		return nil, err
	}
	defer tx.Rollback(ctx) //nolint:errcheck // after COMMIT, Rollback does nothing
	if _, err := tx.Exec(ctx, "SET LOCAL ROLE "+Owner+"; SET LOCAL search_path = "+Schema+", pg_temp"); err != nil {
		return nil, err
	}
	version, err := schemaVersion(ctx, conn)
	if err != nil {
		return nil, err
	}
	run := func(number int, apply func() error) error {
		if number <= version {
			return nil
		}
		if err := apply(); err != nil {
			return fmt.Errorf("migration %d: %w", number, err)
		}
		done = append(done, number)
		_, err := tx.Exec(ctx, "INSERT INTO schema_migrations (number) VALUES ($1)", number)
		return err
	}
	seeded := false
	for _, s := range steps {
		if s.Number > seedStep && !seeded {
			seeded = true
			if err := run(seedStep, func() error { return seed(ctx, conn) }); err != nil {
				return nil, err
			}
		}
		err := run(s.Number, func() error { _, err := tx.Exec(ctx, s.SQL); return err })
		if err != nil {
			return nil, err
		}
	}
	return done, tx.Commit(ctx)
}

// schemaVersion returns the number of the last completed migration, or 0 if the schema does not
// exist. The error wraps engine.ErrNumbering if the migrations of the database differ from
// those of this program. It wraps engine.ErrNewer if a newer program has added migrations.
func schemaVersion(ctx context.Context, conn *pgx.Conn) (version int, err error) {
	var there bool
	err = conn.QueryRow(ctx, "SELECT to_regclass('"+Schema+".schema_migrations') IS NOT NULL").Scan(&there)
	if err != nil || !there {
		return 0, err
	}
	rows, err := conn.Query(ctx, "SELECT number FROM "+Schema+".schema_migrations ORDER BY number")
	if err != nil {
		return 0, err
	}
	have, err := pgx.CollectRows(rows, pgx.RowTo[int])
	if err != nil || len(have) == 0 {
		return 0, err
	}
	all := steps()
	want := append([]int{seedStep}, lists.Map(all[rolesStep+1:], func(s engine.Step) int { return s.Number })...)
	slices.Sort(want)
	version = have[len(have)-1]
	last := want[len(want)-1]
	known := func(n int) bool { return n > min(version, last) }
	if have = slices.DeleteFunc(have, known); !slices.Equal(have, slices.DeleteFunc(want, known)) {
		return 0, fmt.Errorf("%w: the database has the migrations %d, which differ from the migrations of this program; use the version of toolcrib that created the database", engine.ErrNumbering, have)
	}
	if version > last {
		return 0, fmt.Errorf("%w: the database has schema %d, but this program only supports schema %d; install a newer toolcrib", engine.ErrNewer, version, last)
	}
	return version, nil
}

//go:embed migrations/*.sql
var migrationFiles embed.FS

// Schema is the name of the PostgreSQL schema that contains the tables.
const Schema = "toolcrib"

// Owner is the role that owns the tables. It cannot log in.
const Owner = "toolcrib_owner"

// Numbers of migrations that have no file, or that other code refers to.
const (
	rolesStep = 0  // creates the roles and the schema; the other migrations run as Owner
	seedStep  = 7  // inserts the shipped definitions, which the program writes
	kindsStep = 24 // makes the tables accept every kind of subject
)

// steps returns the migrations from files and the added columns, ordered by number. Migrations
// cannot be reversed.
func steps() []engine.Step {
	return engine.ReadSteps(migrationFiles, func(a engine.Added) engine.Step {
		// A copy from another engine can already have the column; see BeginCopy.
		sql := strings.Replace(a.Statement(`text COLLATE "C"`, "bigint"), "ADD COLUMN", "ADD COLUMN IF NOT EXISTS", 1)
		for _, role := range a.Roles {
			sql += fmt.Sprintf("GRANT UPDATE (%s) ON %s TO %s;\n", a.Column, a.Table, role)
		}
		return engine.Step{Number: a.Step, SQL: sql}
	})
}
