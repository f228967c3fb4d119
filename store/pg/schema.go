// Package pg keeps toolcrib's data in PostgreSQL.
package pg

import (
	"embed"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

// Schema is the name of the PostgreSQL schema with the tables.
const Schema = "toolcrib"

// Owner is the role that owns the tables. Nobody logs in as it.
const Owner = "toolcrib_owner"

// The numbers of the steps that something else stands between.
const (
	rolesStep = 0 // creates the roles and the schema; the others run as Owner
	seedStep  = 7 // written by the program: what toolcrib ships
)

// step is one step of the schema: a file of statements. Steps run forward only,
// in the order of their numbers.
type step struct {
	number int
	sql    string
}

// steps returns the steps in the order of their numbers.
func steps() ([]step, error) {
	files, err := fs.Glob(migrationFiles, "migrations/*.sql") // sorted by name
	if err != nil {
		return nil, err
	}
	made := make([]step, len(files))
	for i, name := range files {
		prefix, _, _ := strings.Cut(strings.TrimPrefix(name, "migrations/"), "_")
		number, err := strconv.Atoi(prefix)
		if err != nil {
			return nil, fmt.Errorf("migration %s: %w", name, err)
		}
		text, err := migrationFiles.ReadFile(name)
		if err != nil {
			return nil, err
		}
		made[i] = step{number, string(text)}
	}
	return made, nil
}
