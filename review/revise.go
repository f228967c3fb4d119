package review

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"toolcrib/history"
	"toolcrib/proposals"
	"toolcrib/registry"
)

// Revise makes a new revision of a proposal from draft. A draft stays a draft;
// anything else goes back to the Chief of Staff, so it has to be whole.
func (d *drafting) Revise(ctx context.Context, actor proposals.Actor, id proposals.ID, draft proposals.Draft) (proposals.Proposal, error) {
	if err := fromOutside(actor); err != nil {
		return proposals.Proposal{}, err
	}
	d.try(ctx, draft)
	p, err := write(ctx, d.office, func(tx Tx) (proposals.Proposal, error) {
		p, err := tx.Proposal(ctx, id)
		if err != nil {
			return p, err
		}
		if draft, err = complete(ctx, tx, draft); err != nil {
			return p, err
		}
		p, _, err = d.revise(ctx, tx, actor, p, draft)
		return p, err
	})
	return d.consulted(ctx, p, err)
}

// revise writes the next revision of a proposal in the actor's own words.
func (d *drafting) revise(ctx context.Context, tx Tx, actor proposals.Actor, p proposals.Proposal, draft proposals.Draft) (proposals.Proposal, proposals.Revision, error) {
	return d.revised(ctx, tx, actor, actor, p, draft)
}

// revised writes the next revision of a proposal, in which the words are those
// of author.
func (d *drafting) revised(ctx context.Context, tx Tx, actor, author proposals.Actor, p proposals.Proposal, draft proposals.Draft) (proposals.Proposal, proposals.Revision, error) {
	var rev proposals.Revision
	to, err := permit(actor, proposals.ActRevise, p)
	if err != nil {
		return p, rev, err
	}
	if draft.Subject != p.Subject {
		return p, rev, fmt.Errorf("%w: %s is about %s; propose %s separately", proposals.ErrConflict, p.Name(), p.Subject, draft.Subject)
	}
	if err := checkSize(draft); err != nil {
		return p, rev, err
	}
	last, err := tx.Revision(ctx, p.ID, p.Revision)
	if err != nil {
		return p, rev, err
	}
	if last.Canonical() == string(draft.Canonical()) {
		return p, last, fmt.Errorf("%s: %w since revision %d", p.Name(), proposals.ErrUnchanged, p.Revision)
	}
	if err := d.admits(ctx, tx, actor, p, draft, to); err != nil {
		return p, rev, err
	}
	if p, rev, err = d.addRevision(ctx, tx, actor, author, p, draft, to); err != nil || to == proposals.Drafted {
		return p, rev, err
	}
	if err := tx.AssignIssue(ctx, p.ID, proposals.AssigneeChief, proposals.IssueOpen); err != nil {
		return p, rev, err
	}
	p, err = d.receive(ctx, tx, p, rev)
	return p, rev, err
}

// admits refuses a revision that comes too soon after others, joins a change
// set of somebody else, or, unless it stays a draft, would not pass the gate.
func (d *drafting) admits(ctx context.Context, tx Tx, actor proposals.Actor, p proposals.Proposal, draft proposals.Draft, to proposals.State) error {
	if err := d.withinPace(ctx, tx, actor); err != nil {
		return err
	}
	if draft.ChangeSet != p.ChangeSet {
		if err := d.joins(ctx, tx.Reader, actor, draft.ChangeSet); err != nil {
			return err
		}
	}
	if to == proposals.Drafted {
		return nil
	}
	if err := d.gate(ctx, tx.Reader, actor, draft); err != nil {
		return err
	}
	return d.prefetchSimilar(ctx, tx, draft)
}

// addRevision writes draft as the next revision of p and moves p to a state.
func (d *drafting) addRevision(ctx context.Context, tx Tx, actor, author proposals.Actor, p proposals.Proposal, draft proposals.Draft, to proposals.State) (proposals.Proposal, proposals.Revision, error) {
	data := map[string]any{}
	if draft.ChangeSet != p.ChangeSet {
		data["change_set"], data["change_set_before"] = draft.ChangeSet, p.ChangeSet
	}
	from := p.State
	describe(&p, draft)
	p.Revision++
	p.UpdatedAt = d.stamp()
	rev := proposals.Revision{Proposal: p.ID, Number: p.Revision, Draft: draft, ContentHash: p.ContentHash, Author: author, CreatedAt: p.UpdatedAt}
	seal, err := tx.AddRevision(ctx, p, rev)
	if err != nil {
		return p, rev, err
	}
	p.State, p.Summary = to, proposals.Summary{}
	if err := tx.MoveProposal(ctx, p, from); err != nil {
		return p, rev, err
	}
	data["content_hash"] = p.ContentHash
	return p, rev, d.log(ctx, tx, actor, "revise", p, p.UpdatedAt, seal, data)
}

// Withdraw ends an open proposal without a decision.
func (d *drafting) Withdraw(ctx context.Context, actor proposals.Actor, id proposals.ID, note string) (proposals.Proposal, error) {
	if err := errors.Join(fromOutside(actor), checkText("note", note)); err != nil {
		return proposals.Proposal{}, err
	}
	return d.withdraw(ctx, actor, id, 0, note)
}

// Retract withdraws, as toolcrib itself, what Observe or an import proposed and a server
// took back, if revision is still its current one.
func (d *drafting) Retract(ctx context.Context, id proposals.ID, revision int, note string) (proposals.Proposal, error) {
	return d.withdraw(ctx, proposals.Actor{Kind: proposals.System}, id, revision, note)
}

// withdraw ends a proposal. As toolcrib itself it ends a current revision that an
// import wrote.
func (d *drafting) withdraw(ctx context.Context, actor proposals.Actor, id proposals.ID, revision int, note string) (proposals.Proposal, error) {
	return write(ctx, d.office, func(tx Tx) (proposals.Proposal, error) {
		p, err := tx.Proposal(ctx, id)
		if err == nil && actor.Kind == proposals.System {
			err = retractable(ctx, tx.Reader, p, revision)
		}
		if err != nil {
			return p, err
		}
		to, err := permit(actor, proposals.ActWithdraw, p)
		if err != nil {
			return p, err
		}
		from := p.State
		p.State, p.UpdatedAt = to, d.stamp()
		if err := tx.MoveProposal(ctx, p, from); err != nil {
			return p, err
		}
		if p.Issue > 0 {
			if err := tx.AssignIssue(ctx, p.ID, "", proposals.IssueClosed); err != nil {
				return p, err
			}
		}
		data := map[string]any{}
		if note != "" {
			data["note"] = note
		}
		return p, d.log(ctx, tx, actor, "withdraw", p, p.UpdatedAt, "", data)
	})
}

// retractable returns why toolcrib itself may not withdraw a revision of p.
func retractable(ctx context.Context, r Reader, p proposals.Proposal, revision int) error {
	if p.Revision != revision {
		return fmt.Errorf("%s: %w: it has a newer revision", p.Name(), proposals.ErrConflict)
	}
	rev, err := r.Revision(ctx, p.ID, revision)
	if err != nil {
		return err
	}
	generated, err := isGenerated(ctx, r, rev)
	if err == nil && !generated {
		err = fmt.Errorf("%s: %w: no import wrote it", p.Name(), proposals.ErrAuthority)
	}
	return err
}

// Fork drafts a new tool from a core tool, which cannot itself be changed: in
// the layer given, under the id "<id>_custom", or "<id>_custom_2" and so on
// when that is taken.
func (d *drafting) Fork(ctx context.Context, actor proposals.Actor, coreID string, layer registry.Layer) (proposals.Proposal, error) {
	return write(ctx, d.office, func(tx Tx) (p proposals.Proposal, err error) {
		core, err := tx.Live(ctx, registry.Subject{Kind: registry.KindTool, Layer: registry.LayerGlobal, ID: coreID})
		if err != nil {
			return p, err
		}
		if !core.Locked {
			return p, fmt.Errorf("%w: %s is not a core tool; propose to modify it, or propose %s/%s to override it there", proposals.ErrConflict, coreID, layer, coreID)
		}
		id, err := freeID(ctx, tx, layer, coreID+"_custom")
		if err != nil {
			return p, err
		}
		tool := *core.Definition.Tool
		suffix := strings.ReplaceAll(strings.TrimPrefix(id, coreID+"_"), "_", " ") // "custom", "custom 2"
		tool.ID, tool.Name, tool.Aliases = id, tool.Name+" ("+suffix+")", nil
		base := 0
		p, _, err = d.draft(ctx, tx, actor, proposals.Draft{
			Type: proposals.New, Subject: registry.Subject{Kind: registry.KindTool, Layer: layer, ID: id}, BaseVersion: &base,
			Definition: registry.Definition{Tool: &tool},
		}, false)
		return p, err
	})
}

// freeID returns id, or id with the first number behind it, that no live tool
// and no open proposal has.
func freeID(ctx context.Context, tx Tx, layer registry.Layer, id string) (string, error) {
	for n := 1; ; n++ {
		candidate := id
		if n > 1 {
			candidate = id + "_" + strconv.Itoa(n)
		}
		taken, err := tx.ByName(ctx, candidate)
		if err != nil {
			return "", err
		}
		open, err := tx.OpenOn(ctx, registry.Subject{Kind: registry.KindTool, Layer: layer, ID: candidate})
		if err != nil {
			return "", err
		}
		if len(taken)+len(open) == 0 {
			return candidate, nil
		}
	}
}

// Rollback drafts a restore of an earlier version. The examples and test cases
// are those the version was approved with; a version that toolcrib shipped has
// none, so its author has to add them before it can be submitted.
func (d *drafting) Rollback(ctx context.Context, actor proposals.Actor, s registry.Subject, version int, rationale string) (proposals.Proposal, error) {
	return write(ctx, d.office, func(tx Tx) (p proposals.Proposal, err error) {
		if err := lockedSubject(s); err != nil {
			return p, err
		}
		now, err := tx.Live(ctx, s)
		if err != nil {
			return p, err
		}
		if version >= now.Version {
			return p, fmt.Errorf("%s is at version %d; name an earlier one: %w", s, now.Version, proposals.ErrUnchanged)
		}
		v, err := tx.Version(ctx, s, version)
		if err != nil {
			return p, err
		}
		if v.ContentHash == now.ContentHash {
			return p, fmt.Errorf("version %d of %s has the content of the live version %d: %w", version, s, now.Version, proposals.ErrUnchanged)
		}
		draft, err := restoring(ctx, tx, v, now.Version)
		if err != nil {
			return p, err
		}
		draft.Rationale = cmp.Or(rationale, fmt.Sprintf("Go back from version %d to version %d.", now.Version, version))
		p, _, err = d.draft(ctx, tx, actor, draft, false)
		return p, err
	})
}

// restoring drafts the way back to v from the version base, with the examples
// and test cases that v was approved with.
func restoring(ctx context.Context, r ProposalReader, v history.Version, base int) (proposals.Draft, error) {
	draft := proposals.Draft{Type: proposals.Restore, Subject: v.Subject, BaseVersion: &base, RestoreVersion: v.Number}
	var err error
	if draft.Definition, err = v.Decode(); err != nil {
		return draft, err
	}
	rev, err := r.Revision(ctx, proposals.ID(v.Proposal), v.Revision)
	if errors.Is(err, proposals.ErrNotFound) {
		return draft, nil
	}
	draft.Examples, draft.TestCases = rev.Draft.Examples, rev.Draft.TestCases
	return draft, err
}

// changeSetRef begins a reference to the members of a change set: those that
// are not live yet, or all of them when they all are.
const changeSetRef = "set:"

// ChangeSetRef returns the name of the change set in ref; false when ref names
// something else.
func ChangeSetRef(ref string) (changeSet string, ok bool) {
	return strings.CutPrefix(ref, changeSetRef)
}

func resolve(ctx context.Context, r ProposalReader, refs []string) ([]proposals.ID, error) {
	var ids []proposals.ID
	for len(refs) > 0 {
		changeSet, isSet := strings.CutPrefix(refs[0], changeSetRef)
		n := 1
		var found []proposals.ID
		var err error
		if isSet {
			found, err = resolveSet(ctx, r, changeSet)
		} else {
			if n = slices.IndexFunc(refs, func(ref string) bool { return strings.HasPrefix(ref, changeSetRef) }); n < 0 {
				n = len(refs)
			}
			found, err = r.ResolveIDs(ctx, refs[:n])
		}
		if err != nil {
			return nil, err
		}
		ids, refs = append(ids, found...), refs[n:]
	}
	return ids, nil
}

func resolveSet(ctx context.Context, r ProposalReader, changeSet string) ([]proposals.ID, error) {
	members, err := r.Members(ctx, changeSet)
	if err != nil {
		return nil, err
	}
	if len(members) == 0 {
		return nil, fmt.Errorf("change set %q: %w", changeSet, proposals.ErrNotFound)
	}
	if slices.ContainsFunc(members, notLive) {
		members = slices.DeleteFunc(members, func(p proposals.Proposal) bool { return !notLive(p) })
	}
	ids := make([]proposals.ID, len(members))
	for i, m := range members {
		ids[i] = m.ID
	}
	return ids, nil
}

func notLive(p proposals.Proposal) bool { return p.State != proposals.Approved }

// acceptable completes a draft by its type, and refuses one that cannot even be
// stored.
func (d *drafting) acceptable(ctx context.Context, r Reader, actor proposals.Actor, draft proposals.Draft) (proposals.Draft, error) {
	if err := proposals.Authorize(actor, proposals.ActDraft, actor); err != nil {
		return draft, err
	}
	if draft.Type == "" || draft.Subject == (registry.Subject{}) {
		return draft, incomplete("a draft", draft.Problems())
	}
	if err := lockedSubject(draft.Subject); err != nil {
		return draft, err
	}
	draft, err := complete(ctx, r, draft)
	if err != nil {
		return draft, err
	}
	if err := checkSize(draft); err != nil {
		return draft, err
	}
	return draft, d.joins(ctx, r, actor, draft.ChangeSet)
}
