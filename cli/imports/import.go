// Package imports implements the commands that propose tools from a file or a running server: import, watch,
// canonicalize, and exclude.
package imports

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"toolcrib/cli/command"
	"toolcrib/cli/document"
	"toolcrib/cli/files"
	"toolcrib/cli/output"
	"toolcrib/cli/process"
	"toolcrib/cli/settings"
	"toolcrib/gateway/upstream"
	"toolcrib/proposals"
	"toolcrib/proposals/facts"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/wire"
	"toolcrib/review/intake"
	"toolcrib/store"
	"toolcrib/store/catalog"
)

// Family returns the commands for imports.
func Family() command.Family {
	return command.Family{
		Commands: []command.Entry{
			{Group: command.GroupRegistry, New: newImport, Creates: true},
			{Group: command.GroupRegistry, New: newWatch, Creates: true},
			{Group: command.GroupRegistry, New: newCanonicalize, Creates: true},
			{Group: command.GroupRegistry, New: newExclude},
		},
		Documents: map[string]any{
			"exclusion": docExcluded{},
			"import":    DocImport{},
			"migration": docMigration{},
		},
	}
}

// Import specifies how the tools in a document are proposed.
type Import struct {
	Server, layer, set, capabilities string
	named                            bool // the change set was given as a flag
	draft, files                     bool
	from                             command.ServerFlags
	Observed                         bool        // a guard imports the list of its server
	tell                             output.Tell // reports progress; may be nil
}

func newImport(a *command.App) *cobra.Command {
	var f Import
	cmd := &cobra.Command{
		Use:  "import FILE | - | --mcp COMMAND | --mcp-url URL | --server NAME | --files [FOLDER]",
		Args: command.ArgsBetween(0, 1, "one file, - for standard input, or no file with --mcp, --mcp-url, --server or --files"),
		RunE: func(cmd *cobra.Command, args []string) error {
			f.named = cmd.Flags().Changed("change-set")
			ctx := cmd.Context()
			if f.files {
				if f.from.Given() || f.Server != "" || f.layer != "" || f.capabilities != "" {
					return process.Usagef("--files cannot be combined with --server, --mcp, --mcp-url, --layer, or --client-capabilities; use --project to set the project of a folder")
				}
				return files.Import{Set: f.set, Draft: f.draft}.Run(ctx, a, args)
			}
			p := a.Progress()
			defer p.End()
			var data []byte
			var from *command.LiveServer
			var err error
			name := strings.Join(args, "")
			switch {
			case len(args) == 1 && f.from.Given():
				return process.Usagef("a file cannot be combined with --mcp or --mcp-url")
			case len(args) == 0 && f.capabilities != "":
				return process.Usagef("--client-capabilities can only be used with a file that contains a saved answer; toolcrib declares %s to a live server", upstream.Declared)
			case len(args) == 1:
				data, err = a.ReadAll(ctx, name)
			case !f.from.Given() && f.Server == "":
				return process.Usagef("pass a file, or select a live server with --mcp, --mcp-url, or --server")
			default:
				var live command.LiveServer
				if live, err = f.from.LiveServer(a, f.Server); err == nil {
					from, name = &live, live.Shown
					p.Tell(0, 0, "Asking "+name+" for its tools")
					data, err = live.Ask(ctx, a)
				}
			}
			if err != nil {
				return err
			}
			f.tell = p.Tell
			taken, err := f.Run(ctx, a, name, data, from)
			p.End()
			if err != nil {
				return err
			}
			counts, out := taken.counts(), taken.Document(a)
			return a.PrintChecked(out, taken.Skipped() == 0, func(p *output.Page) {
				for _, w := range notKept(taken.doc) {
					p.Linef("%s", w)
				}
				p.Linef("%s: %s as %s, %s", taken.file, output.Counted(out.Definitions, "definition"), string(taken.doc.Format), taken.Origin.Label)
				taken.lines(p)
				p.Linef("%d new, %d changed, %d missing, %d reappeared, %d unchanged, %d proposed before, %d skipped.",
					counts[intake.New], counts[intake.Modify], counts[intake.Deactivate], counts[intake.Reactivate], counts[intake.None], counts[intake.Pending], taken.Skipped())
				if out.Configuration != "" {
					p.Blank()
					p.Linef("To run the approved tools of this server, add these lines to %s:", a.Config.UserFile)
					for line := range strings.Lines(out.Configuration) {
						p.Linef("  %s", strings.TrimRight(line, "\n"))
					}
					if len(taken.from.Server.Command) > 0 {
						p.Linef("The server will run in your home folder. To use another folder, add dir = \"/FOLDER\".")
					}
				}
				a.Closing(p)
			})
		},
	}
	set := cmd.Flags()
	set.StringVar(&f.Server, "server", "", "the `NAME` of the server that provides the tools (default: from the document, or the file's name)")
	set.StringVar(&f.layer, "layer", "", "propose new tools in `LAYER`: global, user or project/NAME")
	set.StringVar(&f.set, "change-set", "", "put the proposals into the change set `NAME` (default: the server's name)")
	set.StringVar(&f.capabilities, "client-capabilities", "", "the capabilities that the client declared, as `JSON`")
	set.BoolVar(&f.draft, "draft", false, "save the proposals as drafts")
	set.BoolVar(&f.files, "files", false, "import skills and instruction files of a folder")
	f.from.Register(set)
	return cmd
}

// reportStep reports the current step as progress.
func (f Import) reportStep(step string) {
	if f.tell != nil {
		f.tell(0, 0, step)
	}
}

// Result is a completed import.
type Result struct {
	file   string
	from   *command.LiveServer // nil for a file
	doc    wire.Document
	Origin intake.Origin
	steps  []intake.Step
	Made   []proposals.Proposal // one proposal for each step with a draft, in order
	// withdrawn lists the obsolete proposals of earlier imports that this import withdrew.
	withdrawn []proposals.Proposal
}

// Run imports the tools in data. If server is nil, data was read from a file. Otherwise, it was read from a running
// server. In messages, file is the name of the file or the server.
func (f Import) Run(ctx context.Context, a *command.App, file string, data []byte, server *command.LiveServer) (Result, error) {
	doc, err := wire.Decode(data)
	if err != nil {
		var problems jsondoc.Problems
		start := bytes.TrimLeft(data, "\ufeff \t\r\n")
		switch {
		case len(start) > 0 && !bytes.ContainsAny(start[:1], "{["):
			err = proposals.Reason(err, "%s is not valid JSON; import reads an MCP server's answer to tools/list, an OpenAI or Anthropic tool array, a v0 prompt file, or an export of toolcrib; "+
				"use `toolcrib propose` for a proposal, and `toolcrib lint` to check a prompt", file)
		case errors.As(err, &problems):
			err = fmt.Errorf("%s cannot be imported: %w", file, err)
		default:
			err = fmt.Errorf("%s: %w", file, err)
		}
		return Result{}, err
	}
	if doc.Format == wire.Names {
		return Result{}, fmt.Errorf("%s contains only the names of tools, not their definitions; compare the names with toolcrib check --code", file)
	}
	if f.capabilities != "" {
		n, err := jsondoc.Parse([]byte(f.capabilities), jsondoc.DefaultLimits)
		if err != nil || n.Kind != jsondoc.Object {
			return Result{}, process.Usagef("--client-capabilities is not a JSON object")
		}
		doc.Capabilities = jsondoc.Canonical(n)
	}
	b, err := a.OpenSession(ctx)
	if err != nil {
		return Result{}, err
	}
	origin, err := f.origin(a, file, doc)
	if err != nil {
		return Result{}, err
	}
	if f.Observed {
		b.Actor = Observer(a.Config)
	}
	if origin.Server = origin.Server || server != nil; origin.Server && !f.named {
		if origin.Set, err = a.FreeSet(ctx, b.Actor, origin.Label); err != nil {
			return Result{}, err
		}
	}
	f.reportStep("Comparing " + output.Counted(len(doc.Items)+len(doc.Entries), "definition") + " with the live definitions")
	steps, live, err := plan(ctx, a, doc, origin)
	if err != nil {
		return Result{}, err
	}
	if server != nil {
		if err := checkName(a, *server, doc, live); err != nil {
			return Result{}, err
		}
	}
	if err := errors.Join(leaveOutUndeclared(ctx, a, steps, live, doc.Capabilities), leaveOutPending(ctx, a, steps)); err != nil {
		return Result{}, err
	}
	f.reportStep("Proposing the changes")
	taken := Result{file: file, from: server, doc: doc, Origin: origin, steps: steps}
	taken.Made, err = proposeSteps(ctx, b, a, doc, origin, steps, !f.draft)
	if err == nil && server != nil && !a.Flags.DryRun {
		err = catalog.KeepLeftOut(ctx, a.DB.Imports, a.Env.NewID(), a.Env.Now(), b.Actor.String(), origin.Label, taken.LeftOut())
	}
	if err == nil && server != nil && len(server.Start) > 0 && !a.Flags.DryRun {
		err = a.DB.KeepStart(ctx, a.Env.NewID(), a.Env.Now(), b.Actor.String(), origin.Label, server.Start)
	}
	if err == nil && server != nil { // a missing tool in a file proves nothing, because a file may contain only a part of the server's list
		taken.withdrawn, err = taken.retract(ctx, b, a, live)
	}
	return taken, err
}

// plan compares doc with the live definitions. It returns the steps of the import and the live definitions.
func plan(ctx context.Context, a *command.App, doc wire.Document, origin intake.Origin) ([]intake.Step, []registry.Live, error) {
	live, err := command.Definitions(ctx, a)
	if err != nil {
		return nil, nil, err
	}
	steps := intake.Plan(doc, origin, intake.Live{All: live, Raw: func(hash string) ([]byte, bool) {
		body, ok, rawErr := a.DB.Raw(ctx, hash)
		err = errors.Join(err, rawErr)
		return body, ok
	}, Stored: func(l registry.Live) (registry.Definition, error) { return command.Stored(ctx, a, l) }})
	return steps, live, err
}

func (f Import) origin(a *command.App, file string, doc wire.Document) (intake.Origin, error) {
	o := intake.Origin{Set: f.set, Layer: a.Config.Layer}
	if f.layer != "" {
		var err error
		if o.Layer, err = registry.ParseLayer(f.layer); err != nil {
			return o, err
		}
	}
	name := cmp.Or(f.Server, doc.Server)
	o.Server = f.Server != "" || doc.Format == wire.MCP && doc.Server != wire.SelfName
	if name == "" && file != "-" {
		name = file
	}
	if o.Label = registry.ServerName(name); o.Label == "" {
		if doc.Format == wire.MCP {
			return o, process.Usagef("the document does not contain the name of the server; set the name with --server")
		}
		o.Label = "stdin"
	}
	return o, nil
}

type docMigration struct {
	output.Head
	ChangeSet string               `json:"change_set"`
	Steps     []docImportStep      `json:"steps"`
	Retired   []intake.RetiredName `json:"retired"`
	DeadTiers []string             `json:"dead_tiers"`
	Remarks   []string             `json:"remarks"`
	Proposals []facts.Document     `json:"proposals"`
	DryRun    bool                 `json:"dry_run,omitempty"`
}

func newCanonicalize(a *command.App) *cobra.Command {
	var set string
	cmd := &cobra.Command{
		Use:  "canonicalize FILE | -",
		Args: command.ExactArgs(1, "one file, or - for standard input"),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx, file := cmd.Context(), args[0]
			data, err := a.ReadAll(ctx, file)
			if err != nil {
				return err
			}
			legacy, err := intake.DecodeLegacy(data)
			if err != nil {
				return fmt.Errorf("%s is not a legacy registry: %w", file, err)
			}
			b, err := a.OpenSession(ctx)
			if err != nil {
				return err
			}
			o := intake.Origin{Set: set, Layer: a.Config.Layer}
			live, err := command.Definitions(ctx, a)
			if err != nil {
				return err
			}
			m := intake.Canonicalize(legacy, o, live)
			if err := leaveOutPending(ctx, a, m.Steps); err != nil {
				return err
			}
			drafts := intake.Drafts(m.Steps)
			var made []proposals.Proposal
			if len(drafts) > 0 {
				if made, err = b.Desk.Drafting.Propose(ctx, b.Actor, drafts, true); err != nil {
					return err
				}
			}
			doc := docMigration{
				Head: output.NewHead("migration"), ChangeSet: set, Steps: newDocImportSteps(m.Steps, made), Retired: append([]intake.RetiredName{}, m.Retired...),
				DeadTiers: append([]string{}, m.DeadTiers...), Remarks: append([]string{}, m.Remarks...),
				Proposals: document.NewProposalList(made, "", false).Proposals, DryRun: a.Flags.DryRun,
			}
			return a.Print(doc, func(p *output.Page) {
				switch {
				case len(m.Steps) > 0:
				case len(m.Retired)+len(m.DeadTiers) > 0:
					p.Linef("The registry already has the canonical catalog, so nothing is proposed. The file still contains retired or unused names:")
				default:
					p.Linef("The registry already has the canonical catalog, so nothing is proposed.")
				}
				for _, s := range m.Steps {
					p.Linef("%s %s: %s", s.Change, s.Subject, s.Reason)
				}
				for _, r := range m.Retired {
					if r.Successor == "" {
						p.Linef("Retired without a successor: %s (%s)", r.Name, strings.Join(r.In, ", "))
						continue
					}
					p.Linef("Retired: %s → %s (%s)", r.Name, r.Successor, strings.Join(r.In, ", "))
				}
				for _, name := range m.DeadTiers {
					p.Linef("Unused approval tier: %s", name)
				}
				for _, r := range m.Remarks {
					p.Linef("Note: %s", output.FullStop(r))
				}
				if len(made) > 0 && !a.Flags.DryRun {
					p.Linef("%s. Approve them together: toolcrib --approve set:%s", output.Counted(len(made), "proposal"), set)
				}
				a.Closing(p)
			})
		},
	}
	cmd.Flags().StringVar(&set, "change-set", "canonicalize", "the `NAME` of the change set")
	return cmd
}

// Observer returns the actor who proposes the tools of guarded servers: the actor of the database login or, if the
// login determines no actor, toolcrib itself. With a user's login, the user is the author. If toolcrib were the author
// instead, the user could approve these proposals even if four_eyes is set.
func Observer(c *settings.Config) proposals.Actor {
	if login, err := store.Login(c.DB); err == nil && login != "" {
		if actor, err := proposals.ParseActor(login); err == nil {
			return actor
		}
	}
	return proposals.Actor{Kind: proposals.System}
}
