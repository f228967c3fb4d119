// Package wrap implements the wrap, unwrap, and status commands. The wrap command edits the configuration files of MCP
// clients to make the clients start their servers through a guard. The unwrap command reverts these changes. The status
// command shows which servers are guarded.
package wrap

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"toolcrib/cli/command"
	"toolcrib/cli/document"
	"toolcrib/cli/output"
	"toolcrib/cli/process"
	"toolcrib/gateway/clients"
	"toolcrib/history/diff"
)

// Family returns the wrap, unwrap, and status commands.
func Family() command.Family {
	return command.Family{
		Commands: []command.Entry{
			{Group: command.GroupRegistry, New: newWrap(false)},
			{Group: command.GroupRegistry, New: newWrap(true)},
			{Group: command.GroupRegistry, New: newStatus},
		},
		Documents: map[string]any{
			"status": docStatus{},
			"unwrap": docWrap{},
			"wrap":   docWrap{},
		},
	}
}

type wrapFlags struct {
	servers, except         []string
	yes, here, links, hooks bool
	undo                    bool
}

// docWrap is the document that the wrap and unwrap commands print. It lists the changes to the files of clients.
type docWrap struct {
	output.Head
	Files   []docWrapFile `json:"files"`
	Left    []docWrapLeft `json:"left"` // servers and files that remain unchanged
	Written bool          `json:"written"`
	DryRun  bool          `json:"dry_run,omitempty"`
	servers int           // number of selected servers
}

type docWrapFile struct {
	Client  string          `json:"client"`
	File    string          `json:"file"`
	Servers []string        `json:"servers"`        // names of the servers in toolcrib
	Hook    bool            `json:"hook,omitempty"` // whether the change adds or removes the hook that checks files
	Hunks   []document.Hunk `json:"hunks"`          // changes to the file, with secrets masked
}

// docWrapLeft is a server or a file that remains unchanged, with the reason.
type docWrapLeft struct {
	Client string `json:"client"`
	File   string `json:"file"`
	Server string `json:"server,omitempty"`
	Reason string `json:"reason"`
}

// newWrap returns the constructor of the wrap command or, if undo is true, of the unwrap command.
func newWrap(undo bool) func(a *command.App) *cobra.Command {
	return func(a *command.App) *cobra.Command {
		f := wrapFlags{here: undo, undo: undo}
		name, hooksUsage := "wrap", "add the hook that checks skills and instruction files, instead of wrapping servers"
		if undo {
			name, hooksUsage = "unwrap", "remove only the hooks that check files; the servers stay guarded"
		}
		cmd := &cobra.Command{
			Use:  name + " [CLIENT…]",
			Args: cobra.ArbitraryArgs,
			RunE: func(cmd *cobra.Command, ids []string) error {
				ctx := cmd.Context()
				if err := KnownClients(ids); err != nil {
					return err
				}
				if f.hooks && len(f.servers)+len(f.except) > 0 {
					return process.Usagef("--hooks cannot be combined with --server or --except")
				}
				doc := docWrap{Head: output.NewHead(name), Files: []docWrapFile{}, Left: []docWrapLeft{}, DryRun: a.Flags.DryRun}
				var plans []*wrapping
				var err error
				if !f.hooks {
					if plans, err = f.planServers(ctx, a, &doc, ids); err != nil {
						return err
					}
				}
				if f.hooks || f.undo && len(f.servers)+len(f.except) == 0 {
					hooks, err := f.planHooks(a, &doc, ids)
					if err != nil {
						return err
					}
					plans = append(plans, hooks...)
				}
				for _, w := range plans {
					patch := diff.Lines(string(w.before.Masked()), string(w.after.Masked()))
					doc.Files = append(doc.Files, docWrapFile{Client: w.before.Client, File: w.before.Path, Servers: w.servers, Hook: w.hook, Hunks: document.NewHunks(patch.Unified(3))})
				}
				return doc.finish(a, f, plans)
			},
		}
		set := cmd.Flags()
		set.StringSliceVar(&f.servers, "server", nil, "only the server `NAME`")
		set.StringSliceVar(&f.except, "except", nil, "all servers except the server `NAME`")
		set.BoolVar(&f.links, "follow-links", false, "if a file is a symbolic link, write to its target")
		set.BoolVar(&f.yes, "yes", false, "write without asking")
		if !undo {
			set.BoolVar(&f.here, "here", false, "also wrap the servers in files of the working directory")
		}
		set.BoolVar(&f.hooks, "hooks", false, hooksUsage)
		return cmd
	}
}

// wrapping is a planned change of a file. Several clients may use the same file.
type wrapping struct {
	before, after clients.File
	servers       []string
	hook          bool
}

// planServers returns the changes to the files in which clients configure servers. It adds the servers that remain
// unchanged to doc.
func (f wrapFlags) planServers(ctx context.Context, a *command.App, doc *docWrap, ids []string) ([]*wrapping, error) {
	entries, files, err := ClientEntries(ctx, a)
	if err != nil {
		return nil, err
	}
	if entries, files, err = f.choose(entries, files, ids); err != nil {
		return nil, err
	}
	if !f.undo {
		var group errgroup.Group // detect servers that require a sign-in, because they cannot be guarded
		for i := range entries {
			if e := &entries[i]; e.State() != clients.Refused && e.Server().URL != "" {
				group.Go(func() error {
					if why := signIn(ctx, e.Server(), a.Env.MinWait); e.State() == clients.Open || why == signsIn {
						e.Fault = cmp.Or(why, e.Fault)
					}
					return ctx.Err()
				})
			}
		}
		if err := group.Wait(); err != nil {
			return nil, err
		}
	}
	doc.servers = len(entries)
	var plans []*wrapping
	for _, file := range files {
		leave := func(server, reason string) {
			doc.Left = append(doc.Left, docWrapLeft{Client: file.Client, File: file.Path, Server: server, Reason: reason})
		}
		if len(file.Servers) == 0 && len(file.Problems) > 0 {
			leave("", strings.Trim(strings.TrimPrefix(file.Problems[0].Error(), file.Path), ": "))
		}
		names, back := map[int]string{}, []int(nil)
		for _, e := range entries {
			s := e.Server()
			switch {
			case e.File.Path != file.Path || e.File.Client != file.Client:
			case !f.undo && e.State() == clients.Open, f.undo && s.Guarded():
				names[e.Index] = e.Name
			case !f.undo && e.State() == clients.Guarded && e.Fault == signsIn:
				back = append(back, e.Index)
				leave(s.Name, signsIn+"; the guard is removed")
			case !f.undo && e.Fault != "" && !s.Self() && !s.BuiltIn():
				leave(s.Name, e.Fault)
			}
		}
		if len(names)+len(back) == 0 {
			continue
		}
		if file.Target != "" && !f.links {
			leave("", fmt.Sprintf("%v, to %s; to write to that file, add --follow-links", clients.ErrLink, file.Target))
			continue
		}
		w := &wrapping{before: file, after: file}
		if at := slices.IndexFunc(plans, func(w *wrapping) bool { return w.before.Path == file.Path }); at >= 0 {
			w = plans[at]
		} else {
			plans = append(plans, w)
		}
		now := file.With(w.after.Data())
		var left map[int]string
		if f.undo {
			w.after, left = now.Unguard(slices.Sorted(maps.Keys(names)))
		} else {
			p, err := guardPrefix(a, file.Scope)
			if err != nil {
				return nil, err
			}
			w.after, left = now.Unguard(back)
			if len(names) > 0 {
				now = file.With(w.after.Data())
				var more map[int]string
				w.after, more = now.Guard(p, names)
				maps.Copy(left, more)
			}
		}
		for i := range file.Servers {
			if reason, ok := left[i]; ok {
				leave(file.Servers[i].Name, reason)
			} else if name, ok := names[i]; ok || slices.Contains(back, i) {
				w.servers = append(w.servers, cmp.Or(name, file.Servers[i].Guard.Name))
			}
		}
		if len(w.servers) == 0 {
			plans = plans[:len(plans)-1]
		}
	}
	return plans, nil
}

// choose returns the entries and files that the flags and the ids of clients select.
func (f wrapFlags) choose(entries []clients.Entry, files []clients.File, ids []string) ([]clients.Entry, []clients.File, error) {
	matches := func(e clients.Entry, name string) bool { return name == e.Name || name == e.Server().Name }
	for _, name := range slices.Concat(f.servers, f.except) {
		if !slices.ContainsFunc(entries, func(e clients.Entry) bool { return matches(e, name) }) {
			return nil, nil, command.NotFoundf("server %s in the files of clients (toolcrib init lists the servers)", name)
		}
	}
	excluded := func(file *clients.File) bool {
		return len(ids) > 0 && !slices.Contains(ids, file.Client) || !f.here && file.Scope == clients.Project
	}
	entries = slices.DeleteFunc(entries, func(e clients.Entry) bool {
		in := func(names []string) bool {
			return slices.ContainsFunc(names, func(name string) bool { return matches(e, name) })
		}
		return excluded(e.File) || len(f.servers) > 0 && !in(f.servers) || in(f.except)
	})
	return entries, slices.DeleteFunc(slices.Clone(files), func(file clients.File) bool { return excluded(&file) }), nil
}

// finish prints the planned changes and writes them. In a terminal, it first prompts the user for confirmation, unless
// the user passed --yes.
func (d *docWrap) finish(a *command.App, f wrapFlags, plans []*wrapping) error {
	asks := !f.yes && !a.Flags.DryRun && a.Asks() && len(plans) > 0
	if asks {
		var err error
		if f.yes, err = a.Confirm("Write "+output.Counted(len(plans), "file")+"?", d.write); err != nil {
			return err
		}
	}
	if f.yes && !a.Flags.DryRun {
		plans = slices.DeleteFunc(plans, func(w *wrapping) bool {
			err := w.before.Write(w.after.Data(), f.links)
			if err != nil {
				d.Left = append(d.Left, docWrapLeft{Client: w.before.Client, File: w.before.Path, Reason: strings.TrimPrefix(output.Sentence(err), w.before.Path+": ")})
				d.Files = slices.DeleteFunc(d.Files, func(file docWrapFile) bool { return file.File == w.before.Path })
			}
			return err != nil
		})
		d.Written = len(plans) > 0
	}
	err := a.Print(d, func(p *output.Page) {
		if !asks {
			d.write(p)
		}
		switch {
		case d.Written && (f.undo || f.hooks):
			p.Linef("%s written. Restart the clients to apply the changes.", output.Counted(len(plans), "file"))
			if f.undo {
				break
			}
			p.Linef("From now on, a session stops while skills or instruction files differ from their approved versions. To approve the files, run toolcrib import --files, and then toolcrib")
			if slices.ContainsFunc(plans, func(w *wrapping) bool { return w.before.Client == "codex" }) {
				p.Linef("Codex runs a hook only after you trust the hook: start codex, and confirm the hook when codex prompts you (/hooks).")
			}
		case d.Written:
			p.Linef("%s written. Restart the clients to apply the changes. The guards withhold tools until you approve them.", output.Counted(len(plans), "file"))
			p.Linef("To review and approve tools: toolcrib")
		case len(plans) == 0:
			p.Linef("No changes to write%s.", d.noChangeReason(f))
		case a.Flags.DryRun:
			a.Closing(p)
		default:
			p.Linef("Nothing was written; to write without a question, add --yes.")
		}
	})
	return cmp.Or(err, process.CheckFindings(len(d.Left) == 0))
}

// noChangeReason returns the reason why no file needs to change, in a form that can be appended to a message. It
// returns "" if a problem prevents the changes.
func (d *docWrap) noChangeReason(f wrapFlags) string {
	switch {
	case len(d.Left) > 0:
		return ""
	case f.hooks:
		return ": the hooks are already as requested"
	case f.undo:
		return ": none of these servers is guarded"
	case d.servers == 0:
		return ": none of these files has a server; for the files of the working directory, add --here"
	}
	return ": every server is already guarded"
}

func (d *docWrap) write(p *output.Page) {
	for _, file := range d.Files {
		p.Linef("--- %s", file.File)
		p.Linef("+++ %s", file.File)
		for _, h := range file.Hunks {
			document.WriteHunk(p, h)
		}
		p.Blank()
	}
	for i, left := range d.Left {
		if i == 0 {
			p.Linef("Unchanged:")
		}
		what := left.Client
		if of := cmp.Or(left.Server, left.File); of != "" {
			what = of + " (" + what + ")"
		}
		p.Linef("  %s: %s", what, left.Reason)
	}
	if len(d.Left) > 0 {
		p.Blank()
	}
}
