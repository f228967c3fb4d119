// This file implements the migrate and backup commands.

package database

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"toolcrib/cli/command"
	"toolcrib/cli/output"
	"toolcrib/cli/process"
	"toolcrib/cli/settings"
	"toolcrib/cli/verify"
	"toolcrib/history"
	"toolcrib/store"
	"toolcrib/store/transfer"
)

// docMigrate is the document that the migrate command prints. It describes either the creation of a schema or the
// copy of a database.
type docMigrate struct {
	output.Head
	From string `json:"from,omitempty"` // source of a copy, or "" if migrate created a schema
	To   string `json:"to"`
	// Complete is true if there was nothing to do, because the schema was up to date or the target was a complete copy.
	Complete bool   `json:"complete"`
	Steps    []int  `json:"steps,omitempty"` // numbers of the migrations that were applied
	Tables   int    `json:"tables,omitempty"`
	Rows     int64  `json:"rows,omitempty"`
	Copied   int64  `json:"copied,omitempty"` // number of rows that were copied
	Event    int64  `json:"event,omitempty"`  // number of the newest event in the copy
	Hash     string `json:"hash,omitempty"`   // hash of the newest event in the copy
}

func newMigrate(a *command.App) *cobra.Command {
	var to string
	var print bool
	cmd := &cobra.Command{
		Use: "migrate",
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx := cmd.Context()
			switch {
			case print && to != "":
				return process.Usagef("--print cannot be combined with --to, because --print only prints the statements that create a schema")
			case print:
				return printSchema(ctx, a)
			}
			c, err := a.Settings()
			switch {
			case err != nil:
				return err
			case to != "":
				return runMigrateTo(ctx, a, c.DB, settings.DatabaseName(a.Env.Dir, to))
			case !store.IsURL(c.DB):
				return process.Usagef("%s is a file, and its schema is always up to date; specify a PostgreSQL server with --db postgres://…, or copy the file with --to", c.DB)
			}
			done, err := store.Migrate(ctx, c.DB, store.Options{Now: a.Env.Now, NewID: a.Env.NewID, Account: a.Env.CurrentAccount().Account})
			if err != nil {
				return err
			}
			doc := docMigrate{Head: output.NewHead("migrate"), To: store.DisplayName(c.DB), Steps: done, Complete: len(done) == 0}
			return a.Print(doc, func(p *output.Page) {
				if doc.Complete {
					p.Linef("The schema in %s is already up to date.", doc.To)
					return
				}
				p.Linef("Created the schema and the roles in %s.", doc.To)
				p.Linef(`Make each login a member of a role: CREATE ROLE "agent:support" LOGIN IN ROLE toolcrib_agent.`)
			})
		},
	}
	cmd.Flags().StringVar(&to, "to", "", "copy the database to `DATABASE`, a new file or the URL of a PostgreSQL server")
	cmd.Flags().BoolVar(&print, "print", false, "print the statements that create the schema, without running them")
	return cmd
}

// printSchema prints the SQL statements that create the schema and insert the rows of a new database.
func printSchema(ctx context.Context, a *command.App) (err error) {
	dir, err := os.MkdirTemp(a.Env.Getenv("TMPDIR"), "toolcrib-migrate-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	path := filepath.Join(dir, "seed.db")
	db, err := store.Open(ctx, path, store.Options{Now: a.Env.Now, NewID: a.Env.NewID, Account: a.Env.CurrentAccount().Account})
	if err != nil {
		return err
	}
	if err := db.Close(); err != nil {
		return err
	}
	return transfer.Print(ctx, a.Env.Out, path)
}

// runMigrateTo copies the database source to target. Each of them is a file or the URL of a server. If source is a
// file, runMigrateTo verifies it before copying. If only target is a file, runMigrateTo verifies target after copying.
func runMigrateTo(ctx context.Context, a *command.App, source, target string) error {
	if !store.IsURL(source) {
		if err := verifyFile(ctx, a, source); err != nil {
			return err
		}
	}
	r, err := transfer.Copy(ctx, source, target)
	if err != nil {
		return err
	}
	if store.IsURL(source) && !store.IsURL(target) {
		if err := verifyFile(ctx, a, target); err != nil {
			return err
		}
	}
	doc := docMigrate{
		Head: output.NewHead("migrate"), From: store.DisplayName(source), To: store.DisplayName(target),
		Complete: r.Already, Tables: r.Tables, Rows: r.Rows, Event: r.Event, Hash: r.Hash,
	}
	if !r.Already {
		doc.Copied = r.Rows
	}
	return a.Print(doc, func(p *output.Page) {
		if doc.Complete {
			p.Linef("%s is already a complete copy: %d rows in %d tables.", doc.To, doc.Rows, doc.Tables)
		} else {
			p.Linef("Copied %d rows to %s and compared %d tables.", doc.Rows, doc.To, doc.Tables)
		}
		p.Linef("The newest event is %d, with the hash %s.", doc.Event, doc.Hash)
	})
}

// verifyFile verifies the database file at path. If the file is damaged, verifyFile prints a report and returns an
// error.
func verifyFile(ctx context.Context, a *command.App, path string) error {
	db, err := store.Open(ctx, path, store.Options{Now: a.Env.Now, NewID: a.Env.NewID, Existing: true, Inspect: true})
	if err != nil {
		return err
	}
	report, err := command.ReadView(ctx, db.Audit, func(l history.Ledger) (history.Report, error) {
		return history.Verify(ctx, l, history.Options{Deep: true})
	})
	if err = errors.Join(err, db.Close()); err != nil || len(report.Damage) == 0 {
		return err
	}
	return verify.PrintReport(a, verify.Verification{Report: report}, nil)
}

type docBackup struct {
	output.Head
	File  string `json:"file"`
	Bytes int64  `json:"bytes"`
}

func newBackup(a *command.App) *cobra.Command {
	return &cobra.Command{
		Use:  "backup FILE",
		Args: command.ExactArgs(1, "the name of a new file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			db, err := a.Database(cmd.Context())
			if err != nil {
				return err
			}
			if err := a.FolderOf(args[0]); err != nil {
				return err
			}
			path := a.Path(args[0])
			if err := db.Backup(cmd.Context(), path); err != nil {
				return err
			}
			info, err := os.Stat(path)
			if err != nil {
				return err
			}
			doc := docBackup{Head: output.NewHead("backup"), File: path, Bytes: info.Size()}
			return a.Print(doc, func(p *output.Page) { p.Linef("Copied %d bytes to %s.", doc.Bytes, doc.File) })
		},
	}
}
