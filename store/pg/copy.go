package pg

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"toolcrib/store/engine"
)

// This file copies a database into PostgreSQL. During a copy, the triggers of the target are
// disabled, a table names the source, and the schema has no valid version number.

// BeginCopy prepares a database to receive the rows of another, which is identified by the hash of
// its first event. Afterwards, conn has the rights to write the rows.
func BeginCopy(ctx context.Context, conn *pgx.Conn, genesis string) (engine.CopyState, error) {
	var state engine.CopyState
	err := retry(func() (err error) {
		state, err = beginCopy(ctx, conn, genesis)
		return err
	})
	return state, err
}

func beginCopy(ctx context.Context, conn *pgx.Conn, genesis string) (engine.CopyState, error) {
	version, err := schemaVersion(ctx, conn)
	if err != nil {
		return 0, err
	}
	all, err := steps()
	if err != nil {
		return 0, err
	}
	switch last := all[len(all)-1].Number; {
	case version > last:
		return 0, fmt.Errorf("%w: it has schema %d, this program supports %d; install a newer toolcrib", ErrSchemaNewer, version, last)
	case version == last:
		_, err := conn.Exec(ctx, "SET search_path = "+Schema+", pg_temp")
		return engine.CopyComplete, err
	case version > 0:
		return resumeCopy(ctx, conn, genesis)
	}
	if err := createRoles(ctx, conn, all[rolesStep]); err != nil {
		return 0, err
	}
	if err := asOwner(ctx, conn); err != nil {
		return 0, err
	}
	return engine.CopyBegun, pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		for _, s := range all[rolesStep+1:] {
			var err error
			switch {
			case s.Number <= seedStep:
				err = takeStep(ctx, tx, s)
			case s.Number == kindsStep || engine.Adds(s.Number): // the rows require it; FinishCopy removes and repeats it
				_, err = tx.Exec(ctx, s.SQL)
			}
			if err != nil {
				return err
			}
		}
		if _, err := tx.Exec(ctx, lateTables+"CREATE TABLE unfinished_copy (genesis text NOT NULL)"); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, "INSERT INTO unfinished_copy VALUES ($1)", genesis); err != nil {
			return err
		}
		return setTriggers(ctx, tx, "DISABLE")
	})
}

// The migrations that create these tables come after the grants, which FinishCopy makes. Until
// then, the copied rows are in tables without grants.
const (
	lateTables = `CREATE TABLE contents (sha256 text COLLATE "C" CONSTRAINT copied_contents_pkey PRIMARY KEY, bytes bytea NOT NULL);
		CREATE TABLE call_prunes (seq bigint CONSTRAINT copied_call_prunes_pkey PRIMARY KEY, id text COLLATE "C", before text COLLATE "C",
			calls bigint, last_call bigint, call_hash text COLLATE "C", outcomes bigint, last_outcome bigint, outcome_hash text COLLATE "C",
			file text COLLATE "C", file_hash text COLLATE "C", pruned_by text COLLATE "C", pruned_at text COLLATE "C", seal text COLLATE "C");`
	setAside = `ALTER TABLE contents RENAME TO copied_contents; ALTER TABLE call_prunes RENAME TO copied_call_prunes`
	// The calls that a row of call_prunes describes are not in any database, so its trigger would
	// reject the row.
	putBack = `INSERT INTO contents SELECT sha256, bytes FROM copied_contents; DROP TABLE copied_contents;
		ALTER TABLE call_prunes DISABLE TRIGGER USER; INSERT INTO call_prunes SELECT * FROM copied_call_prunes; DROP TABLE copied_call_prunes;
		ALTER TABLE call_prunes ENABLE TRIGGER USER`
)

// asOwner sets the role and the search path of a connection to those of the owner.
func asOwner(ctx context.Context, conn *pgx.Conn) error {
	_, err := conn.Exec(ctx, "SET ROLE "+Owner+"; SET search_path = "+Schema+", pg_temp")
	return err
}

func resumeCopy(ctx context.Context, conn *pgx.Conn, genesis string) (engine.CopyState, error) {
	if err := asOwner(ctx, conn); err != nil {
		return 0, err
	}
	there, err := copies(ctx, conn)
	if err != nil {
		return 0, err
	}
	if !there {
		return 0, errors.New("the schema is incomplete; run toolcrib migrate, or name an empty database")
	}
	var of string
	if err := conn.QueryRow(ctx, "SELECT genesis FROM unfinished_copy").Scan(&of); err != nil {
		return 0, err
	}
	if of != genesis {
		return 0, engine.ErrOtherCopy
	}
	return engine.CopyResumed, nil
}

// errUnfinished means that the database is the target of an unfinished copy.
var errUnfinished = errors.New("the database has an unfinished copy of another one; run toolcrib migrate --to again, or name an empty database")

// copies reports whether the database is the target of an unfinished copy.
func copies(ctx context.Context, conn *pgx.Conn) (there bool, err error) {
	err = conn.QueryRow(ctx, "SELECT to_regclass('"+Schema+".unfinished_copy') IS NOT NULL").Scan(&there)
	return there, err
}

// takeStep runs a migration and records its number.
func takeStep(ctx context.Context, tx pgx.Tx, s engine.Step) error {
	if _, err := tx.Exec(ctx, s.SQL); err != nil {
		return fmt.Errorf("migration %d: %w", s.Number, err)
	}
	_, err := tx.Exec(ctx, "INSERT INTO schema_migrations (number) VALUES ($1)", s.Number)
	return err
}

// setTriggers enables or disables the triggers of all tables. Foreign keys are always checked.
func setTriggers(ctx context.Context, tx pgx.Tx, how string) error {
	rows, err := tx.Query(ctx, "SELECT relname FROM pg_catalog.pg_class WHERE relnamespace = '"+Schema+"'::regnamespace AND relkind = 'r' ORDER BY relname")
	if err != nil {
		return err
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return err
	}
	for _, name := range names {
		if _, err := tx.Exec(ctx, "ALTER TABLE "+pgx.Identifier{name}.Sanitize()+" "+how+" TRIGGER USER"); err != nil {
			return err
		}
	}
	return nil
}

// HoldCopy locks the target against other copying processes until the returned transaction ends,
// with FinishCopy or AbandonCopy. conn is a separate connection. The error has the SQLSTATE 55P03
// if another process is copying, and 42P01 if another process has finished in the meantime.
func HoldCopy(ctx context.Context, conn *pgx.Conn) (pgx.Tx, error) {
	if err := asOwner(ctx, conn); err != nil {
		return nil, err
	}
	tx, err := conn.Begin(ctx)
	if err != nil {
		return nil, err
	}
	_, err = tx.Exec(ctx, "SELECT genesis FROM unfinished_copy FOR UPDATE NOWAIT")
	return tx, err
}

// FinishCopy completes a copy in the transaction of HoldCopy.
func FinishCopy(ctx context.Context, tx pgx.Tx) error {
	all, err := steps()
	if err != nil {
		return err
	}
	if err := setTriggers(ctx, tx, "ENABLE"); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, "DROP TABLE unfinished_copy; "+setAside); err != nil {
		return err
	}
	if err := takeStep(ctx, tx, engine.Step{Number: seedStep}); err != nil {
		return err
	}
	for _, s := range all {
		if s.Number <= seedStep {
			continue
		}
		if err := takeStep(ctx, tx, s); err != nil {
			return err
		}
	}
	if _, err := tx.Exec(ctx, putBack); err != nil {
		return err
	}
	if err := tx.Commit(ctx); err != nil {
		return err
	}
	_, err = tx.Conn().Exec(ctx, "RESET ROLE; ANALYZE")
	return err
}

// AbandonCopy removes the copied rows in the transaction of HoldCopy.
func AbandonCopy(ctx context.Context, tx pgx.Tx) error {
	if _, err := tx.Exec(ctx, "DROP SCHEMA "+Schema+" CASCADE"); err != nil {
		return err
	}
	return tx.Commit(ctx)
}

// CheckSchema returns an error unless a database has the schema of this program.
func CheckSchema(ctx context.Context, conn *pgx.Conn) error {
	version, err := schemaVersion(ctx, conn)
	if err != nil {
		return err
	}
	all, err := steps()
	if err != nil {
		return err
	}
	if last := all[len(all)-1].Number; version != last {
		return fmt.Errorf("the database has schema %d, this program needs %d", version, last)
	}
	return nil
}

// Script prints the statements that create the roles and the schema, so that an administrator can
// run them. seed prints the rows of the shipped definitions.
func Script(seed func() error, print func(statements string) error) error {
	all, err := steps()
	if err != nil {
		return err
	}
	for _, s := range all {
		if s.Number == rolesStep {
			err = print(s.SQL + "\nSET ROLE " + Owner + ";\nSET search_path = " + Schema + ", pg_temp;\n\n")
		} else {
			err = print(fmt.Sprintf("%s\nINSERT INTO schema_migrations (number) VALUES (%d);\n\n", s.SQL, s.Number))
		}
		if err == nil && s.Number == seedStep-1 {
			err = errors.Join(seed(), print(fmt.Sprintf("INSERT INTO schema_migrations (number) VALUES (%d);\n\n", seedStep)))
		}
		if err != nil {
			return err
		}
	}
	return nil
}
