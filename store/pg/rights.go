package pg

import (
	"context"
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
)

// rightsQuery lists every right on the schema, and the statement that undoes it.
//
//go:embed rights.sql
var rightsQuery string

// rightsMigrated are the rights that the migrations make, one a line. A test
// compares them with those of a new database.
//
//go:embed rights.txt
var rightsMigrated string

// mostRights is how many rights that differ are listed.
const mostRights = 20

// rights returns the rights on the schema in order, each with the statement that
// undoes it. Names are qualified, so that each is a statement for any session.
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

// compareRights lists the rights that differ from those that the migrations make,
// each with the statement that repairs it: first those that are too many.
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
			problems = append(problems, fmt.Sprintf("toolcrib migrate does not do this: %s; a superuser runs: %s", right, undo[right]))
		}
	}
	for _, right := range want {
		if _, ok := undo[right]; !ok {
			problems = append(problems, fmt.Sprintf("A right that toolcrib migrate creates is missing; a superuser runs: %s", right))
		}
	}
	if more := len(problems) - mostRights; more > 0 {
		problems = append(problems[:mostRights], fmt.Sprintf("%d more rights differ from those that toolcrib migrate creates.", more))
	}
	return problems, nil
}
