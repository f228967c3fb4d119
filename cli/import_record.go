package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"toolcrib/proposals"
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
			case !errors.Is(err, review.ErrNotFound):
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
