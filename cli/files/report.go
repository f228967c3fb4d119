// This file proposes the files that following machines report.

package files

import (
	"context"
	"fmt"
	"slices"

	"toolcrib/cli/command"
	"toolcrib/gateway/follow"
	"toolcrib/gateway/instructions"
	"toolcrib/gateway/tokens"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/places"
	"toolcrib/review"
	"toolcrib/store/catalog"
)

// ProposeReport proposes an unapproved skill or instruction file that a following machine has found. The proposer is the
// agent of the machine's token. ProposeReport also counts the machines.
func ProposeReport(ctx context.Context, a *command.App, t tokens.Token, r follow.Report) (made int, err error) {
	kind := r.Kind
	layer, err := registry.ParseLayer(string(r.Layer))
	if err != nil || layer == registry.LayerGlobal || !kind.InFiles() {
		return 0, jsondoc.Problems{{Path: "kind", Message: "expected skill or instructions, and a layer: user or project/NAME"}}
	}
	d, err := registry.DecodeDefinition(kind, r.Document)
	if err != nil {
		return 0, err
	}
	folder := *d.Folder()
	approved, err := database{a.DB}.in(ctx, layer)
	if err != nil {
		return 0, err
	}
	open, err := openOn(ctx, a.DB, layer, openStates()...)
	if err != nil {
		return 0, err
	}
	here := slices.DeleteFunc(slices.Clone(approved), func(o instructions.Approved) bool { return o.Subject.Kind != kind || o.Path != folder.Path })
	found := instructions.Found{Kind: kind, Path: folder.Path, Folder: folder, Client: "a client of a follower"}
	if place, known := places.Find(kind, layer, folder.Path); known {
		found.Client = place.Client
	}
	differences := instructions.Compare([]instructions.Found{found}, here)
	proposed := slices.IndexFunc(open, func(p review.Bundle) bool { return p.Proposal.Subject.Kind == kind && p.Proposal.Title == folder.Path })
	if len(differences) > 0 && proposed >= 0 {
		differences[0].Subject = open[proposed].Proposal.Subject
	}
	steps, err := instructions.Plan(differences, origin(ctx, a, layer, "reported_files", open, approved))
	if err != nil || len(steps) == 0 {
		return 0, err
	}
	if steps[0].Draft == nil {
		return 0, fmt.Errorf("%w: %s", review.ErrText, steps[0].Reason)
	}
	b, err := a.OpenSession(ctx)
	if err != nil {
		return 0, err
	}
	hash := steps[0].Draft.Definition.Hash()
	same := func(p review.Bundle) bool { return p.Revision.Draft.Definition.Hash() == hash }
	if !slices.ContainsFunc(open, same) {
		if steps[0].Draft.ChangeSet, err = a.FreeSet(ctx, t.Caller.Actor, steps[0].Draft.ChangeSet); err != nil {
			return 0, err
		}
		if _, err := b.Desk.Drafting.Import(ctx, t.Caller.Actor, []proposals.Draft{*steps[0].Draft}, true); err != nil {
			return 0, err
		}
		made = 1
		if open, err = openOn(ctx, a.DB, layer, openStates()...); err != nil {
			return made, err
		}
	}
	if at := slices.IndexFunc(open, same); at >= 0 {
		text := catalog.Raw{Hash: hash, Body: steps[0].Draft.Definition.Canonical()}
		err = a.CountMachine(ctx, b, t, r.Machine, "files", text, open[at].Revision)
	}
	return made, err
}
