package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/wire"
	"toolcrib/review"
	"toolcrib/review/intake"
	"toolcrib/store"
)

type importFlags struct {
	server, layer, set, capabilities string
	draft                            bool
}

type docImport struct {
	Schema    int             `json:"schema"`
	Kind      string          `json:"kind"`
	File      string          `json:"file"`
	Format    string          `json:"format"`
	Label     string          `json:"label"`
	RawHash   string          `json:"raw_hash"`
	Steps     []docImportStep `json:"steps"`
	Proposals []docProposal   `json:"proposals"`
	Warnings  []string        `json:"warnings"`
	DryRun    bool            `json:"dry_run,omitempty"`
}

// docImportStep is what became of one imported definition.
type docImportStep struct {
	Name     string `json:"name"`
	Subject  string `json:"subject,omitempty"`
	Change   string `json:"change"` // new, modify, deactivate, reactivate, none, pending or skip
	Reason   string `json:"reason,omitempty"`
	RawHash  string `json:"raw_hash,omitempty"`
	Proposal string `json:"proposal,omitempty"`
}

func newImport(a *app) *cobra.Command {
	var f importFlags
	cmd := &cobra.Command{
		Use:   "import FILE | -",
		Short: "Propose what a server, an application or a file says about its tools",
		Long: `Read tools from a saved tools/list answer of an MCP server, an OpenAI or
Anthropic tool array, a v0 prompt file, or an export of toolcrib, and hold them
against what is live. What is new, changed or vanished becomes a proposal;
nothing is live before it is approved. An import that finds nothing different
proposes nothing.

The JSON of every tool is kept as it was read, and its hash is what the tool is
pinned to. A tool of a server gets an id made of the server's name and its own,
so that one name on two servers is two tools; the name it has there stays.

What the client had declared it can do changes what a server lists: pass it with
--client-capabilities, or save it with the answer as "clientCapabilities".`,
		Example: `  toolcrib import tracker.json --server tracker
  toolcrib import tools.json --change-set app --draft
  toolcrib export --format mcp | toolcrib import -`,
		Args: exact(1, "one file, or - for standard input"),
		RunE: func(cmd *cobra.Command, args []string) error { return runImport(cmd.Context(), a, args[0], f) },
	}
	set := cmd.Flags()
	set.StringVar(&f.server, "server", "", "the `NAME` of the server the tools belong to (default: from the document, or the file's name)")
	set.StringVar(&f.layer, "layer", "", "propose what is new in `LAYER`: global, user or project/NAME")
	set.StringVar(&f.set, "change-set", "", "put the proposals into the change set `NAME`")
	set.StringVar(&f.capabilities, "client-capabilities", "", "the `JSON` that the client had declared")
	set.BoolVar(&f.draft, "draft", false, "only keep the proposals as drafts")
	return cmd
}

func runImport(ctx context.Context, a *app, file string, f importFlags) error {
	data, err := a.readAll(file)
	if err != nil {
		return err
	}
	doc, err := wire.Decode(data)
	if err != nil {
		return unreadable(file, err)
	}
	if doc.Format == wire.Names {
		return fmt.Errorf("%s: names alone define nothing; toolcrib check reads them", file)
	}
	if doc.Capabilities, err = f.declared(doc); err != nil {
		return err
	}
	origin, err := f.origin(a, file, doc)
	if err != nil {
		return err
	}
	b, err := a.bind(ctx)
	if err != nil {
		return err
	}
	live, err := a.everything(ctx)
	if err != nil {
		return err
	}
	steps := intake.Plan(doc, origin, intake.Live{All: live, Raw: func(hash string) ([]byte, bool) {
		body, ok, rawErr := a.db.Raw(ctx, hash)
		err = errors.Join(err, rawErr)
		return body, ok
	}})
	if err != nil {
		return err
	}
	if err := a.leaveOutPending(ctx, steps); err != nil {
		return err
	}
	made, err := b.takeIn(ctx, a, doc, origin, steps, !f.draft)
	if err != nil {
		return err
	}
	return a.printImport(file, doc, origin, steps, made)
}

func unreadable(file string, err error) error {
	var ps jsondoc.Problems
	if errors.As(err, &ps) {
		return fmt.Errorf("%s can not be imported: %w", file, err)
	}
	return fmt.Errorf("%s: %w", file, err)
}

// declared returns what the client had declared: the flag, else the document.
func (f importFlags) declared(doc wire.Document) (json.RawMessage, error) {
	if f.capabilities == "" {
		return doc.Capabilities, nil
	}
	n, err := jsondoc.Parse([]byte(f.capabilities), jsondoc.DefaultLimits)
	if err != nil || n.Kind != jsondoc.Object {
		return nil, usagef("--client-capabilities is no JSON object")
	}
	return jsondoc.Canonical(n), nil
}

func (f importFlags) origin(a *app, file string, doc wire.Document) (intake.Origin, error) {
	o := intake.Origin{Set: f.set}
	var err error
	if o.Layer, err = a.layer(); err != nil {
		return o, err
	}
	if f.layer != "" {
		if o.Layer, err = registry.ParseLayer(f.layer); err != nil {
			return o, err
		}
	}
	name := f.server
	if name == "" {
		name = doc.Server
	}
	o.Server = f.server != "" || doc.Format == wire.MCP && doc.Server != wire.SelfName
	if name == "" && file != "-" {
		name = file
	}
	if o.Label = wire.ServerName(name); o.Label == "" {
		if doc.Format == wire.MCP {
			return o, usagef("name the server with --server; the document does not say which one it is")
		}
		o.Label = "stdin"
	}
	return o, nil
}

// everything returns the definitions of every layer, deactivated ones too.
func (a *app) everything(ctx context.Context) ([]registry.Live, error) {
	db, err := a.database(ctx)
	if err != nil {
		return nil, err
	}
	var live []registry.Live
	for _, kind := range []registry.Kind{registry.KindTool, registry.KindAgent} {
		entries, err := db.Export(ctx, store.CatalogQuery{Kind: kind, All: true})
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			l, err := liveOf(e)
			if err != nil {
				return nil, err
			}
			live = append(live, l)
		}
	}
	return live, nil
}

func liveOf(e store.Exported) (registry.Live, error) {
	d, err := registry.DecodeDefinition(e.Subject.Kind, e.Definition)
	if err != nil {
		return registry.Live{}, fmt.Errorf("%s: %w", e.Subject, err)
	}
	return registry.Live{Subject: e.Subject, Version: e.Version, ContentHash: e.ContentHash, Definition: d, Locked: e.Locked}, nil
}

// leaveOutPending takes out the proposals that somebody has made already.
func (a *app) leaveOutPending(ctx context.Context, steps []intake.Step) error {
	return a.db.View(ctx, func(r review.Reader) error {
		for i, s := range steps {
			if s.Draft == nil {
				continue
			}
			open, err := r.OpenOn(ctx, s.Subject)
			if err != nil {
				return err
			}
			for _, p := range open {
				if p.Type == s.Draft.Type && p.ContentHash == s.Draft.Definition.Hash() && p.State != proposals.Drafted {
					steps[i] = s.Pending(p)
				}
			}
		}
		return nil
	})
}

// takeIn keeps the raw JSON, then proposes what the steps say: a pin is never
// without what it is a pin of.
func (b bound) takeIn(ctx context.Context, a *app, doc wire.Document, o intake.Origin, steps []intake.Step, submit bool) ([]proposals.Proposal, error) {
	var drafts []proposals.Draft
	for _, s := range steps {
		if s.Draft != nil {
			drafts = append(drafts, *s.Draft)
		}
	}
	if len(drafts) == 0 {
		return nil, nil
	}
	if !a.flags.dryRun {
		if err := a.db.KeepImport(ctx, b.importRecord(a, doc, o)); err != nil {
			return nil, err
		}
	}
	return b.desk.Propose(ctx, b.actor, drafts, submit)
}

func (b bound) importRecord(a *app, doc wire.Document, o intake.Origin) store.Import {
	record := store.Import{
		ID: a.env.NewID(), At: a.env.Now(), Actor: b.actor.String(), Format: string(doc.Format), Label: o.Label,
		Hash: registry.HashBytes(jsondoc.Canonical(doc.Node)), Capabilities: doc.Capabilities,
	}
	for _, it := range doc.Items {
		record.Tools = append(record.Tools, store.Raw{Hash: it.Hash(), Body: it.Raw})
	}
	return record
}

// newDocImportSteps tells of steps; made are the proposals of those that have
// a draft, in their order.
func newDocImportSteps(steps []intake.Step, made []proposals.Proposal) []docImportStep {
	docs := make([]docImportStep, len(steps))
	for i, s := range steps {
		docs[i] = docImportStep{Name: s.Name, Change: string(s.Change), Reason: s.Reason, RawHash: s.Hash, Subject: s.Subject.String()}
		if s.Draft != nil {
			docs[i].Proposal = string(made[0].ID)
			made = made[1:]
		}
	}
	return docs
}

func (a *app) printImport(file string, doc wire.Document, o intake.Origin, steps []intake.Step, made []proposals.Proposal) error {
	out := docImport{
		Schema: schema, Kind: "import", File: file, Format: string(doc.Format), Label: o.Label,
		RawHash: registry.HashBytes(jsondoc.Canonical(doc.Node)), Steps: newDocImportSteps(steps, made),
		Proposals: newDocProposalList(made, "", false).Proposals, Warnings: append([]string{}, doc.Skipped...), DryRun: a.flags.dryRun,
	}
	counts := map[intake.Change]int{}
	for _, s := range steps {
		counts[s.Change]++
	}
	return a.print(out, func(p *page) {
		p.linef("%s: %d definitions as %s, %s", file, len(steps), doc.Format, o.Label)
		next := 0
		for _, s := range steps {
			switch {
			case s.Draft != nil:
				p.linef("%s", moved(made[next]))
				if s.Change == intake.Modify {
					p.linef("    changed: %s", s.Reason)
				}
				next++
			case s.Change == intake.Skip:
				p.linef("skipped %s: %s", s.Name, s.Reason)
			}
		}
		for _, w := range doc.Skipped {
			p.linef("skipped: %s", w)
		}
		var parts []any
		for _, c := range []intake.Change{intake.New, intake.Modify, intake.Deactivate, intake.Reactivate, intake.None, intake.Pending, intake.Skip} {
			parts = append(parts, counts[c])
		}
		p.linef("%d new, %d changed, %d vanished, %d back, %d as they are live, %d proposed before, %d skipped.", parts...)
		a.closing(p)
	})
}
