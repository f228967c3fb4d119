package cli

import (
	"errors"

	"github.com/spf13/cobra"

	"toolcrib/clients"
)

func newUnwrap(a *app) *cobra.Command {
	f := wrapFlags{here: true}
	cmd := &cobra.Command{
		Use:   "unwrap [CLIENT…]",
		Short: "Restore the files of clients as they were before wrap",
		Long: `Restore the files that toolcrib wrap changed, byte for byte, from the backup that
it left beside them, and remove the backup. All wrapped files are restored,
or those of the clients that are named. A terminal asks, and scripts pass --yes.

A file that changed since is refused, as its changes would be lost.
--keep-changes puts back the servers alone, leaves the rest as it is now, and keeps
the backup. What wrap added to your configuration stays. Exit status 6 when a file
was refused.`,
		Example: `  toolcrib unwrap --dry-run
  toolcrib unwrap claude-code --keep-changes --yes`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error { return runUnwrap(a, args, f) },
	}
	set := cmd.Flags()
	set.BoolVar(&f.keepChanges, "keep-changes", false, "put back the servers, and keep other changes")
	set.BoolVar(&f.links, "follow-links", false, "write to where a symbolic link leads")
	set.BoolVar(&f.yes, "yes", false, "write without asking")
	return cmd
}

func runUnwrap(a *app, ids []string, f wrapFlags) error {
	files, err := a.clientFiles(ids, true)
	if err != nil {
		return err
	}
	if _, err := a.settings(); err != nil {
		return err
	}
	doc := docWrap{docHead: head("unwrap"), Files: []docWrapFile{}, DryRun: a.flags.dryRun}
	var changes []clients.Change
	for _, file := range files {
		c, err := f.keeper(a).Unwrap(file, f.keepChanges)
		switch {
		case errors.Is(err, clients.ErrNotWrapped):
			continue
		case err != nil:
			doc.Files = append(doc.Files, docWrapFile{Client: file.Client, File: file.Path, Servers: []string{}, Hunks: []docHunk{}, Refused: sentence(err)})
			continue
		}
		changes = append(changes, c)
		d := newDocWrapFile(c)
		d.Backup = ""
		for _, s := range c.After.Servers {
			d.Servers = append(d.Servers, s.Name)
		}
		doc.Files = append(doc.Files, d)
	}
	return doc.finish(a, f, len(changes), func() error {
		for _, c := range changes {
			if err := f.keeper(a).Apply(c); err != nil {
				return err
			}
		}
		return nil
	})
}
