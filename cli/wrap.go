package cli

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"toolcrib/gateway/clients"
	"toolcrib/history/diff"
)

type wrapFlags struct {
	agent              string
	yes, here, anyway  bool
	keepChanges, links bool
}

// docWrap lists the files of clients that are wrapped or unwrapped.
type docWrap struct {
	docHead
	Files   []docWrapFile `json:"files"`
	Written bool          `json:"written"`
	// Configuration is added to the user's file, with secrets masked.
	Configuration string `json:"configuration,omitempty"`
	DryRun        bool   `json:"dry_run,omitempty"`
}

type docWrapFile struct {
	Client  string    `json:"client"`
	File    string    `json:"file"`
	Servers []string  `json:"servers"`
	Backup  string    `json:"backup,omitempty"`
	Hunks   []docHunk `json:"hunks"` // with secrets masked
	Refused string    `json:"refused,omitempty"`
}

// wrapEntry is the name of the server that replaces the others.
const wrapEntry = "toolcrib"

func newWrap(a *app) *cobra.Command {
	f := wrapFlags{agent: clientsAgent}
	cmd := &cobra.Command{
		Use:   "wrap [CLIENT…]",
		Short: "Put toolcrib in the place of a client's MCP servers",
		Long: `Replace the servers in the files of clients by one entry that starts
"toolcrib mcp --expose tools": the client then has the approved tools of these
servers, of no others, and every call passes the gates. All clients are wrapped
when none is named. The difference is shown first; a terminal asks, and scripts
pass --yes.

Only the servers change: comments and everything else in the file stay byte for
byte. A backup, which only you can read, and a record are kept beside the file, and
toolcrib unwrap restores it. What the servers need is added to your configuration,
with the values of the variables that the client gives them.

A file is refused when it changed in between, when a server in it cannot run behind
toolcrib, when none of the tools of a server is approved for the agent (--anyway
wraps it), when a symbolic link leads it elsewhere (--follow-links writes there),
or when servers were added to a wrapped one. Files of the working directory need
--here. Exit status 6 when a file was refused.`,
		Example: `  toolcrib wrap --dry-run
  toolcrib wrap cursor claude-desktop --yes
  toolcrib wrap --follow-links --yes`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error { return runWrap(cmd.Context(), a, args, f) },
	}
	set := cmd.Flags()
	set.StringVar(&f.agent, "agent", f.agent, "the agent `PROFILE` whose tools the clients get")
	set.BoolVar(&f.anyway, "anyway", false, "wrap a file also when a server in it has no approved tool yet")
	set.BoolVar(&f.here, "here", false, "wrap the files of the working directory, too")
	set.BoolVar(&f.links, "follow-links", false, "write to where a symbolic link leads")
	set.BoolVar(&f.yes, "yes", false, "write without asking")
	return cmd
}

// wrapping is one file and its planned change.
type wrapping struct {
	change  clients.Change
	servers []clientServer
}

func runWrap(ctx context.Context, a *app, ids []string, f wrapFlags) error {
	files, err := a.clientFiles(ids, f.here)
	if err != nil {
		return err
	}
	c, err := a.settings()
	if err != nil {
		return err
	}
	has, err := f.approvedServers(ctx, a)
	if err != nil {
		return err
	}
	all, err := a.allClientServers()
	if err != nil {
		return err
	}
	doc := docWrap{docHead: head("wrap"), Files: []docWrapFile{}, DryRun: a.flags.dryRun}
	var plans []wrapping
	missing := map[string]clientServer{}
	for _, file := range files {
		w, err := f.plan(a, c, file, all, has)
		switch {
		case errors.Is(err, clients.ErrNoServers):
			continue
		case err != nil:
			doc.Files = append(doc.Files, docWrapFile{Client: file.Client, File: file.Path, Servers: []string{}, Hunks: []docHunk{}, Refused: sentence(err)})
			continue
		case w.change.None():
			continue
		}
		plans = append(plans, w)
		d := newDocWrapFile(w.change)
		for _, s := range w.servers {
			d.Servers = append(d.Servers, s.label)
			if _, known := c.Servers[s.label]; !known {
				missing[s.label] = s
			}
		}
		doc.Files = append(doc.Files, d)
	}
	var shown, lines []string
	for _, label := range slices.Sorted(maps.Keys(missing)) {
		shown = append(shown, missing[label].lines(true))
		lines = append(lines, missing[label].lines(false))
	}
	doc.Configuration = strings.Join(shown, "\n")
	return doc.finish(a, f, len(plans), func() error {
		if err := a.addToConfig(lines); err != nil {
			return err
		}
		for _, w := range plans {
			if err := f.keeper(a).Apply(w.change); err != nil {
				return err
			}
		}
		return nil
	})
}

func (f wrapFlags) keeper(a *app) clients.Keeper {
	return clients.Keeper{Now: a.env.Now, FollowLinks: f.links}
}

func newDocWrapFile(c clients.Change) docWrapFile {
	patch := diff.Lines(string(c.Before.Masked()), string(c.After.Masked()))
	return docWrapFile{Client: c.Before.Client, File: c.Path, Servers: []string{}, Backup: c.Backup, Hunks: newDocHunks(patch.Unified(3))}
}

// finish shows the planned changes, asks, and writes.
func (d *docWrap) finish(a *app, f wrapFlags, changes int, write func() error) error {
	asks := !f.yes && !a.flags.json && !a.flags.dryRun && a.env.InTerminal && a.env.OutTerminal && changes > 0
	if asks {
		var err error
		if f.yes, err = a.confirm("Write "+counted(changes, "file")+"?", func(p *page) { d.write(a, p) }); err != nil {
			return err
		}
	}
	if f.yes && changes > 0 && !a.flags.dryRun {
		if err := write(); err != nil {
			return err
		}
		d.Written = true
	}
	err := a.print(d, func(p *page) {
		if !asks {
			d.write(a, p)
		}
		switch {
		case d.Written:
			p.linef("%s written. Restart the clients to have them read it.", counted(changes, "file"))
		case changes == 0:
			p.linef("There is nothing to write.")
		case a.flags.dryRun:
			a.closing(p)
		default:
			p.linef("Nothing was written; say --yes.")
		}
	})
	refused := slices.ContainsFunc(d.Files, func(file docWrapFile) bool { return file.Refused != "" })
	return cmp.Or(err, findingsUnless(!refused))
}

func (d *docWrap) write(a *app, p *page) {
	for _, file := range d.Files {
		if file.Refused != "" {
			p.linef("%s: refused: %s", file.File, file.Refused)
			continue
		}
		p.linef("--- %s", file.File)
		p.linef("+++ %s", file.File)
		for _, h := range file.Hunks {
			writeHunk(p, h)
		}
		if file.Backup != "" {
			p.linef("backup: %s", file.Backup)
		}
		p.blank()
	}
	if d.Configuration != "" {
		p.linef("Added to %s:", a.config.userFile)
		p.text("  ", d.Configuration)
		p.blank()
	}
}

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
