// This file copies the rows of another database into PostgreSQL in a single transaction.
// During the copy, the triggers of the target are disabled.

package pg

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"toolcrib/store/engine"
)

// BeginCopy begins a transaction that copies the rows of another database to this database. To
// discard the copy, close conn. BeginCopy returns a nil transaction if the database already has the
// current schema.
func BeginCopy(ctx context.Context, conn *pgx.Conn) (pgx.Tx, error) {
	version, err := schemaVersion(ctx, conn)
	if err != nil {
		return nil, err
	}
	all := steps()
	switch last := all[len(all)-1].Number; {
	case version == last:
		_, err := conn.Exec(ctx, "SET search_path = "+Schema+", pg_temp")
		return nil, err
	case version > 0:
		return nil, errors.New("the schema is incomplete; run toolcrib migrate, or choose an empty database")
	}
	if err := createRoles(ctx, conn, all[rolesStep]); err != nil {
		return nil, err
	}
	if _, err := conn.Exec(ctx, "SET ROLE "+Owner+"; SET search_path = "+Schema+", pg_temp"); err != nil {
		return nil, err
	}
	tx, err := conn.Begin(ctx)
	if err != nil {
		return nil, err
	}
	for _, s := range all[rolesStep+1:] {
		var err error
		switch {
		case s.Number <= seedStep:
			err = takeStep(ctx, tx, s)
		case s.Number == kindsStep || engine.Adds(s.Number): // the copied rows need these changes; FinishCopy reverts them and runs the migrations again
			_, err = tx.Exec(ctx, s.SQL)
		}
		if err != nil {
			return nil, err
		}
	}
	if _, err := tx.Exec(ctx, lateTables); err != nil {
		return nil, err
	}
	return tx, setTriggers(ctx, tx, "DISABLE")
}

// The migrations that create these tables run after the migrations that grant rights, that is, in
// FinishCopy. Until then, the copied rows are in tables without grants.
const (
	lateTables = `CREATE TABLE contents (sha256 text COLLATE "C" CONSTRAINT copied_contents_pkey PRIMARY KEY, bytes bytea NOT NULL);
		CREATE TABLE call_prunes (seq bigint CONSTRAINT copied_call_prunes_pkey PRIMARY KEY, id text COLLATE "C", before text COLLATE "C",
			calls bigint, last_call bigint, call_hash text COLLATE "C", outcomes bigint, last_outcome bigint, outcome_hash text COLLATE "C",
			file text COLLATE "C", file_hash text COLLATE "C", pruned_by text COLLATE "C", pruned_at text COLLATE "C", seal text COLLATE "C");`
	setAside = `ALTER TABLE contents RENAME TO copied_contents; ALTER TABLE call_prunes RENAME TO copied_call_prunes`
	// The calls that a row of call_prunes describes are not in any database. The trigger of the
	// table would therefore reject the row.
	putBack = `INSERT INTO contents SELECT sha256, bytes FROM copied_contents; DROP TABLE copied_contents;
		ALTER TABLE call_prunes DISABLE TRIGGER USER; INSERT INTO call_prunes SELECT * FROM copied_call_prunes; DROP TABLE copied_call_prunes;
		ALTER TABLE call_prunes ENABLE TRIGGER USER`
)

// takeStep runs the migration s and records its number.
func takeStep(ctx context.Context, tx pgx.Tx, s engine.Step) error {
	if _, err := tx.Exec(ctx, s.SQL); err != nil {
		return fmt.Errorf("migration %d: %w", s.Number, err)
	}
	_, err := tx.Exec(ctx, "INSERT INTO schema_migrations (number) VALUES ($1)", s.Number)
	return err
}

// setTriggers enables or disables the triggers of all tables. The mode is "ENABLE" or "DISABLE".
// Foreign keys are always checked.
func setTriggers(ctx context.Context, tx pgx.Tx, mode string) error {
	rows, err := tx.Query(ctx, "SELECT relname FROM pg_catalog.pg_class WHERE relnamespace = '"+Schema+"'::regnamespace AND relkind = 'r' ORDER BY relname")
	if err != nil {
		return err
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return err
	}
	for _, name := range names {
		if _, err := tx.Exec(ctx, "ALTER TABLE "+pgx.Identifier{name}.Sanitize()+" "+mode+" TRIGGER USER"); err != nil {
			return err
		}
	}
	return nil
}

// FinishCopy runs the remaining migrations, moves the copied rows into their tables, and commits
// the transaction.
func FinishCopy(ctx context.Context, tx pgx.Tx) error {
	if err := setTriggers(ctx, tx, "ENABLE"); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, setAside); err != nil {
		return err
	}
	if err := takeStep(ctx, tx, engine.Step{Number: seedStep}); err != nil {
		return err
	}
	for _, s := range steps() {
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
	_, err := tx.Conn().Exec(ctx, "RESET ROLE; ANALYZE")
	return err
}

// CheckSchema returns an error unless the database has the current schema.
func CheckSchema(ctx context.Context, conn *pgx.Conn) error {
	version, err := schemaVersion(ctx, conn)
	if err != nil {
		return err
	}
	all := steps()
	if last := all[len(all)-1].Number; version != last {
		return fmt.Errorf("the database has schema %d, but this program requires schema %d", version, last)
	}
	return nil
}

// Script prints the statements that create the roles and the schema, for an administrator who runs
// them. It calls seed to print the rows of the shipped definitions.
func Script(seed func() error, print func(statements string) error) error {
	for _, s := range steps() {
		var err error
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
