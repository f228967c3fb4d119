package cli

import (
	"context"
	"os"

	"github.com/spf13/cobra"
)

type docBackup struct {
	docHead
	File  string `json:"file"`
	Bytes int64  `json:"bytes"`
}

func newBackup(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "backup FILE",
		Short: "Copy the database while it is in use",
		Long: `Write a consistent copy of the database to a new file while others keep reading
and writing. Check it with verify --db FILE. To restore it, stop every toolcrib,
delete the original's -wal and -shm files, and put the copy in its place.

backup never overwrites a file.`,
		Example: `  toolcrib backup copy.db
  toolcrib verify --db copy.db`,
		Args: exact(1, "the name of a new file"),
		RunE: func(cmd *cobra.Command, args []string) error { return runBackup(cmd.Context(), a, args[0]) },
	}
}

func runBackup(ctx context.Context, a *app, name string) error {
	db, err := a.database(ctx)
	if err != nil {
		return err
	}
	if err := a.folderOf(name); err != nil {
		return err
	}
	path := a.path(name)
	if err := db.Backup(ctx, path); err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	doc := docBackup{docHead: head("backup"), File: path, Bytes: info.Size()}
	return a.print(doc, func(p *page) { p.linef("Copied %d bytes to %s.", doc.Bytes, doc.File) })
}
