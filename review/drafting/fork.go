// This file drafts proposals that derive their content from existing definitions: forks of core tools and rollbacks.

package drafting

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
	"toolcrib/review"
	"toolcrib/review/admission"
	"toolcrib/review/records"
)

// Fork drafts a copy of a core tool as a new tool in the given layer, because core tools cannot be changed. The id of
// the new tool is "<id>_custom" or, if that id is taken, "<id>_custom_2" and so on.
func (d *Drafter) Fork(ctx context.Context, actor proposals.Actor, coreID string, layer registry.Layer) (proposals.Proposal, error) {
	return records.Write(ctx, d.records, func(tx review.Tx) (p proposals.Proposal, err error) {
		core, err := tx.Live(ctx, registry.Subject{Kind: registry.KindTool, Layer: registry.LayerGlobal, ID: coreID})
		if errors.Is(err, proposals.ErrNotFound) {
			return p, proposals.Reason(proposals.ErrNotFound, "no core tool is called %s; list the core tools with toolcrib tools, and change any other tool with toolcrib propose", coreID)
		}
		if err != nil {
			return p, err
		}
		if !core.Locked {
			return p, fmt.Errorf("%w: %s is not a core tool; propose to modify the tool, or propose %s/%s to override the tool in that layer", proposals.ErrConflict, coreID, layer, coreID)
		}
		id := coreID + "_custom"
		for n := 2; ; n++ { // until no live tool and no open proposal has the id
			taken, err := tx.ByName(ctx, id)
			if err != nil {
				return p, err
			}
			open, err := tx.OpenOn(ctx, registry.Subject{Kind: registry.KindTool, Layer: layer, ID: id})
			if err != nil {
				return p, err
			}
			if len(taken)+len(open) == 0 {
				break
			}
			id = coreID + "_custom_" + strconv.Itoa(n)
		}
		tool := *core.Definition.Tool
		suffix := strings.ReplaceAll(strings.TrimPrefix(id, coreID+"_"), "_", " ") // "custom", "custom 2"
		tool.ID, tool.Name, tool.Aliases = id, tool.Name+" ("+suffix+")", nil
		base := 0
		return d.proposeOne(ctx, tx, actor, admission.NewSubmission(proposals.Draft{
			Type: proposals.New, Subject: registry.Subject{Kind: registry.KindTool, Layer: layer, ID: id}, BaseVersion: &base,
			Definition: registry.Definition{Tool: &tool},
		}), false, false)
	})
}

// Rollback drafts a proposal that restores an earlier version of s. The draft has the same examples and test cases as
// the proposal that created that version. A version that ships with toolcrib has none, so the author must add examples
// and test cases before the submission.
func (d *Drafter) Rollback(ctx context.Context, actor proposals.Actor, s registry.Subject, version int, rationale string) (proposals.Proposal, error) {
	return records.Write(ctx, d.records, func(tx review.Tx) (p proposals.Proposal, err error) {
		if err := admission.Locked(s); err != nil {
			return p, err
		}
		now, err := tx.Live(ctx, s)
		if err != nil {
			return p, err
		}
		if version >= now.Version {
			return p, fmt.Errorf("%s is at version %d; use an earlier version: %w", s, now.Version, proposals.ErrUnchanged)
		}
		v, err := tx.Version(ctx, s, version)
		if err != nil {
			return p, err
		}
		if v.ContentHash == now.ContentHash {
			return p, fmt.Errorf("version %d of %s has the content of the live version %d: %w", version, s, now.Version, proposals.ErrUnchanged)
		}
		draft, err := restoreDraft(ctx, tx, v, now.Version)
		if err != nil {
			return p, err
		}
		draft.Rationale = cmp.Or(rationale, fmt.Sprintf("Go back from version %d to version %d.", now.Version, version))
		return d.proposeOne(ctx, tx, actor, admission.NewSubmission(draft), false, false)
	})
}

// RollbackSet proposes a change set that undoes the latest approval of changeSet. For each subject, the new change set
// restores the previous version, or deactivates the definition if it has no previous version. RollbackSet omits
// subjects that have changed since that approval.
func (d *Drafter) RollbackSet(ctx context.Context, actor proposals.Actor, changeSet, rationale string) ([]proposals.Proposal, error) {
	drafts, err := records.Read(ctx, d.records, func(r review.Reader) ([]proposals.Draft, error) {
		members, err := r.Members(ctx, changeSet)
		if err != nil {
			return nil, err
		}
		type approved struct {
			proposals.Decision
			draft proposals.Draft
		}
		var last []approved
		for _, m := range members {
			decisions, err := r.Decisions(ctx, m.ID)
			if err != nil {
				return nil, err
			}
			i := slices.IndexFunc(decisions, func(d proposals.Decision) bool { return d.Verdict == proposals.VerdictApproved })
			switch {
			case i < 0:
				continue
			case len(last) > 0 && decisions[i].At.Before(last[0].At):
				continue
			case len(last) > 0 && decisions[i].At.After(last[0].At):
				last = nil
			}
			rev, err := r.Revision(ctx, m.ID, decisions[i].Revision)
			if err != nil {
				return nil, err
			}
			last = append(last, approved{decisions[i], rev.Draft})
		}
		if len(last) == 0 {
			return nil, fmt.Errorf("an approved member of change set %q: %w", changeSet, proposals.ErrNotFound)
		}
		var drafts []proposals.Draft
		for _, one := range last {
			live, err := r.Live(ctx, one.Subject)
			if err != nil {
				return nil, err
			}
			if live.Version != one.Version {
				continue
			}
			draft := proposals.Draft{Type: proposals.Deactivate, Subject: one.Subject, BaseVersion: &one.Version, Examples: one.draft.Examples, TestCases: one.draft.TestCases}
			if one.Version > 1 {
				before, err := r.Version(ctx, one.Subject, one.Version-1)
				if err != nil {
					return nil, err
				}
				if draft, err = restoreDraft(ctx, r, before, one.Version); err != nil {
					return nil, err
				}
			}
			draft.ChangeSet, draft.Rationale = "undo "+changeSet, cmp.Or(rationale, fmt.Sprintf("Undo the approval of the change set %s.", changeSet))
			drafts = append(drafts, draft)
		}
		if len(drafts) == 0 {
			return nil, fmt.Errorf("all definitions in change set %q have changed since its approval: %w", changeSet, review.ErrStale)
		}
		return drafts, nil
	})
	if err != nil {
		return nil, err
	}
	return d.Propose(ctx, actor, drafts, true)
}

// restoreDraft drafts a restoration of v. base is the live version.
func restoreDraft(ctx context.Context, r review.ProposalReader, v history.Version, base int) (proposals.Draft, error) {
	draft, err := records.DraftOf(ctx, r, v)
	draft.Type, draft.BaseVersion, draft.RestoreVersion = proposals.Restore, &base, v.Number
	return draft, err
}
