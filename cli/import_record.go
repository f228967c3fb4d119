package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"toolcrib/proposals"
	"toolcrib/proposals/facts"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/wire"
	"toolcrib/review"
	"toolcrib/review/intake"
	"toolcrib/store"
)

// everything returns the definitions of every layer, deactivated ones too.
func (a *app) everything(ctx context.Context) ([]registry.Live, error) {
	db, err := a.database(ctx)
	if err != nil {
		return nil, err
	}
	var live []registry.Live
	for _, kind := range registry.SubjectKinds() {
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

// leaveOutPending takes out the proposals that somebody has made already, and
// where nobody asked for this very import those that were rejected.
func (a *app) leaveOutPending(ctx context.Context, steps []intake.Step, watched bool) error {
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
				if p.Type == s.Draft.Type && p.ContentHash == s.Draft.Definition.Hash() && (p.State != proposals.Drafted || s.Missing != "") {
					steps[i] = s.Pending(p)
				}
			}
			if !watched || steps[i].Draft == nil {
				continue
			}
			d, err := r.Rejection(ctx, s.Subject, s.Draft.Definition.Hash())
			switch {
			case err == nil:
				steps[i].Change, steps[i].Draft, steps[i].Reason = intake.Skip, nil, "it was rejected: "+d.Note
			case !errors.Is(err, proposals.ErrNotFound):
				return err
			}
		}
		return nil
	})
}

// leaveOutUndeclared takes out the deactivation of tools that the server listed to a
// client with more capabilities than this list was asked with: servers leave out the
// tools that a client cannot serve, and another client still has them.
func (a *app) leaveOutUndeclared(ctx context.Context, steps []intake.Step, live []registry.Live, declared json.RawMessage) error {
	has := map[string]json.RawMessage{}
	if len(declared) == 0 || json.Unmarshal(declared, &has) != nil {
		return nil // nobody knows what was declared
	}
	for i, s := range steps {
		at := slices.IndexFunc(live, func(l registry.Live) bool { return l.Subject == s.Subject })
		if s.Change != intake.Deactivate || s.Draft == nil || at < 0 || live[at].Definition.Tool == nil || live[at].Definition.Tool.Source == nil {
			continue
		}
		listed, known, err := a.db.ImportOf(ctx, live[at].Definition.Tool.Source.Hash)
		if err != nil {
			return err
		}
		had := map[string]json.RawMessage{}
		if !known || json.Unmarshal(listed.Capabilities, &had) != nil {
			continue
		}
		for _, capability := range slices.Sorted(maps.Keys(had)) {
			if _, ok := has[capability]; !ok {
				steps[i].Change, steps[i].Draft = intake.Skip, nil
				steps[i].Reason = "it was listed to a client that declares " + jsondoc.Quote(capability) + ", which this one does not"
				break
			}
		}
	}
	return nil
}

// takeIn keeps the raw JSON, then proposes the changes of the steps: a pin is
// never without its JSON.
func (b session) takeIn(ctx context.Context, a *app, doc wire.Document, o intake.Origin, steps []intake.Step, submit bool) ([]proposals.Proposal, error) {
	var drafts []proposals.Draft
	for _, s := range steps {
		if s.Draft != nil {
			drafts = append(drafts, *s.Draft)
		}
	}
	if len(drafts) == 0 {
		return nil, nil
	}
	record := b.importRecord(a, doc, o)
	if !a.flags.dryRun {
		if err := a.db.KeepImport(ctx, record); err != nil {
			return nil, err
		}
	}
	raws := map[string][]byte{}
	for _, t := range record.Tools {
		raws[t.Hash] = t.Body
	}
	desk := b.desk.Importing(raws)
	if !submit {
		return desk.Propose(ctx, b.actor, drafts, false)
	}
	if b.actor.Kind == proposals.System {
		return desk.Observe(ctx, drafts)
	}
	return desk.TakeIn(ctx, b.actor, drafts)
}

// retract withdraws what an earlier look at a guarded server proposed about tools that
// are live as the server lists them now: it took the change back.
func (b session) retract(ctx context.Context, a *app, steps []intake.Step, live []registry.Live) error {
	var over []proposals.Revision
	err := a.db.View(ctx, func(r review.Reader) error {
		over = nil
		for _, s := range steps {
			if s.Change != intake.None {
				continue
			}
			open, err := r.OpenOn(ctx, s.Subject)
			if err != nil {
				return err
			}
			for _, p := range open {
				rev, err := r.Revision(ctx, p.ID, p.Revision)
				if err != nil {
					return err
				}
				at := slices.IndexFunc(live, func(l registry.Live) bool { return l.Subject == s.Subject })
				if p.Author == b.actor && rev.Author == b.actor && at >= 0 && intake.Generated(rev.Draft, &live[at].Definition) {
					over = append(over, rev)
				}
			}
		}
		return nil
	})
	for _, rev := range over {
		const note = "The server took the change back."
		if err != nil {
			return err
		}
		if b.actor.Kind == proposals.System {
			_, err = b.desk.Retract(ctx, rev.Proposal, rev.Number, note)
		} else {
			_, err = b.desk.Withdraw(ctx, b.actor, rev.Proposal, note)
		}
	}
	return err
}

func (b session) importRecord(a *app, doc wire.Document, o intake.Origin) store.Import {
	record := store.Import{
		ID: a.env.NewID(), At: a.env.Now(), Actor: b.actor.String(), Format: string(doc.Format), Label: o.Label,
		Hash: registry.HashBytes(jsondoc.Canonical(doc.Node)), Capabilities: doc.Capabilities,
	}
	for _, it := range doc.Items {
		record.Tools = append(record.Tools, store.Raw{Hash: it.Hash(), Body: it.Raw})
	}
	for _, e := range doc.Entries {
		if hash, err := wire.HashRaw(e.Raw); err == nil && len(e.Raw) > 0 {
			record.Tools = append(record.Tools, store.Raw{Hash: hash, Body: e.Raw})
		}
	}
	return record
}

type docImport struct {
	docHead
	File    string `json:"file"`
	Format  string `json:"format"`
	Label   string `json:"label"`
	RawHash string `json:"raw_hash"`
	// Definitions counts those that the document holds, skipped ones included.
	// Steps are more where some vanished.
	Definitions int              `json:"definitions"`
	Steps       []docImportStep  `json:"steps"`
	Proposals   []facts.Document `json:"proposals"`
	Warnings    []string         `json:"warnings"`
	DryRun      bool             `json:"dry_run,omitempty"`
	// Capabilities are the capabilities that were declared to a live server.
	Capabilities json.RawMessage `json:"client_capabilities,omitempty"`
	// Configuration is the configuration that the tools of a live server need, when it
	// is not there: lines for the user's own file.
	Configuration string `json:"configuration,omitempty"`
}

// docImportStep is the change of one imported definition.
type docImportStep struct {
	Name     string `json:"name"`
	Subject  string `json:"subject,omitempty"`
	Change   string `json:"change"` // new, modify, deactivate, reactivate, none, pending or skip
	Reason   string `json:"reason,omitempty"`
	RawHash  string `json:"raw_hash,omitempty"`
	Proposal string `json:"proposal,omitempty"`
	// Missing describes what keeps a prompt a draft; UnknownKeys are those that the v0
	// format does not have. They are kept.
	Missing     string   `json:"missing,omitempty"`
	UnknownKeys []string `json:"unknown_keys,omitempty"`
}

// newDocImportSteps returns the documents of steps; made are the proposals of
// those that have a draft, in their order.
func newDocImportSteps(steps []intake.Step, made []proposals.Proposal) []docImportStep {
	docs := make([]docImportStep, len(steps))
	for i, s := range steps {
		docs[i] = docImportStep{Name: s.Name, Change: string(s.Change), Reason: s.Reason, RawHash: s.Hash, Subject: s.Subject.String(), Missing: s.Missing, UnknownKeys: s.Unknown}
		if s.Draft != nil {
			docs[i].Proposal = string(made[0].ID)
			made = made[1:]
		}
	}
	return docs
}

// document returns an import as the document for scripts.
func (t intaken) document(a *app) docImport {
	d := docImport{
		docHead: head("import"), File: t.file, Format: string(t.doc.Format), Label: t.origin.Label,
		Definitions: len(t.doc.Items) + len(t.doc.Entries) + len(t.doc.Skipped),
		RawHash:     registry.HashBytes(jsondoc.Canonical(t.doc.Node)), Steps: newDocImportSteps(t.steps, t.made),
		Proposals: newDocProposalList(t.made, "", false).Proposals, Warnings: append(notKept(t.doc), t.doc.Skipped...), DryRun: a.flags.dryRun,
	}
	if t.from != nil {
		d.Capabilities, d.Configuration = t.doc.Capabilities, t.missing(a)
	}
	return d
}

// missing returns the lines that a configuration lacks for the server's tools
// to run, "" for none.
func (t intaken) missing(a *app) string {
	if _, known := a.config.Servers[t.origin.Label]; known {
		return ""
	}
	return t.from.server.lines(t.origin.Label)
}

func (a *app) printImport(t intaken) error {
	counts := map[intake.Change]int{}
	for _, s := range t.steps {
		counts[s.Change]++
	}
	out := t.document(a)
	skipped := len(t.doc.Skipped) + counts[intake.Skip]
	return a.printChecked(out, skipped == 0, func(p *page) {
		for _, w := range notKept(t.doc) {
			p.linef("%s", w)
		}
		p.linef("%s: %s as %s, %s", t.file, counted(out.Definitions, "definition"), string(t.doc.Format), t.origin.Label)
		t.lines(p)
		for _, w := range t.doc.Skipped {
			p.linef("skipped: %s", w)
		}
		var parts []any
		for _, c := range []intake.Change{intake.New, intake.Modify, intake.Deactivate, intake.Reactivate, intake.None, intake.Pending, intake.Skip} {
			parts = append(parts, counts[c])
		}
		parts[len(parts)-1] = skipped
		p.linef("%d new, %d changed, %d vanished, %d back, %d unchanged, %d proposed before, %d skipped.", parts...)
		if out.Configuration != "" {
			p.blank()
			p.linef("For its approved tools to run, %s needs:", a.config.userFile)
			for line := range strings.Lines(out.Configuration) {
				p.linef("  %s", strings.TrimRight(line, "\n"))
			}
			if len(t.from.server.Command) > 0 {
				p.linef("It runs in your home folder then; dir = \"/FOLDER\" names another.")
			}
		}
		a.closing(p)
	})
}

// lines prints which tools were proposed, and which could not be.
func (t intaken) lines(p *page) {
	next := 0
	for _, s := range t.steps {
		switch {
		case s.Draft != nil:
			p.linef("%s", moved(t.made[next]))
			if s.Change == intake.Modify {
				p.linef("    changed: %s", s.Reason)
			}
			if s.Missing != "" {
				p.linef("    a draft until it is complete: %s", s.Missing)
			}
			if len(s.Unknown) > 0 {
				p.linef("    kept as they are, as the format does not have them: %s", strings.Join(s.Unknown, ", "))
			}
			next++
		case s.Change == intake.Skip:
			p.linef("skipped %s: %s", s.Name, s.Reason)
		}
	}
}

// notKept names the parts of a file that an export does not write again.
func notKept(doc wire.Document) []string {
	lines := []string{}
	for _, key := range doc.NotKept {
		lines = append(lines, fmt.Sprintf("not kept: the key %s of the file belongs to no prompt, and an export does not have it", jsondoc.Quote(key)))
	}
	return lines
}
