// This file changes existing proposals: it revises, regroups, withdraws, and rebases open proposals, and comments on
// open and closed proposals.

package drafting

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/review"
	"toolcrib/review/admission"
	"toolcrib/review/impact"
	"toolcrib/review/records"
)

// Revise adds a revision to a proposal. A proposal in the state draft stays in that state. Any other open proposal
// returns to the Chief of Staff, so its revision must be complete.
func (d *Drafter) Revise(ctx context.Context, actor proposals.Actor, id proposals.ID, draft proposals.Draft) (proposals.Proposal, error) {
	if err := fromOutside(actor); err != nil {
		return proposals.Proposal{}, err
	}
	submission := admission.NewSubmission(draft)
	d.chief.RunTests(ctx, submission)
	p, err := records.Write(ctx, d.records, func(tx review.Tx) (proposals.Proposal, error) {
		p, err := tx.Proposal(ctx, id)
		if err != nil {
			return p, err
		}
		submission, err := admission.Complete(ctx, tx, submission)
		if err != nil {
			return p, err
		}
		p, _, err = d.revise(ctx, tx, actor, actor, p, submission)
		return p, err
	})
	return d.chief.Consulted(ctx, p, err)
}

// revise writes the next revision of p. actor performs the act, and author is recorded as the author of the revision.
// Unless the proposal stays in the state draft, revise first checks the revision and then submits it to the Chief of
// Staff.
func (d *Drafter) revise(ctx context.Context, tx review.Tx, actor, author proposals.Actor, p proposals.Proposal, submission admission.Submission) (proposals.Proposal, proposals.Revision, error) {
	var rev proposals.Revision
	draft := submission.Draft
	to, err := proposals.Permit(actor, proposals.ActRevise, p)
	if err != nil {
		return p, rev, err
	}
	if draft.Subject != p.Subject {
		return p, rev, fmt.Errorf("%w: %s is about %s; propose %s separately", proposals.ErrConflict, p.Name(), p.Subject, draft.Subject)
	}
	if err := admission.CheckSize(draft); err != nil {
		return p, rev, err
	}
	last, err := tx.Revision(ctx, p.ID, p.Revision)
	if err != nil {
		return p, rev, err
	}
	if last.Canonical() == string(draft.Canonical()) {
		return p, last, fmt.Errorf("%s: %w since revision %d", p.Name(), proposals.ErrUnchanged, p.Revision)
	}
	if err := d.checkRate(ctx, tx, actor); err != nil {
		return p, rev, err
	}
	data := map[string]any{}
	if draft.ChangeSet != p.ChangeSet {
		if err := joins(ctx, tx.Reader, actor, draft.ChangeSet); err != nil {
			return p, rev, err
		}
		data["change_set"], data["change_set_before"] = draft.ChangeSet, p.ChangeSet
	}
	if to != proposals.Drafted {
		if err := d.admit(ctx, tx, actor, submission); err != nil {
			return p, rev, err
		}
	}
	from := p.State
	describe(&p, draft)
	p.Revision++
	p.UpdatedAt = d.records.Time()
	rev = proposals.Revision{Proposal: p.ID, Number: p.Revision, Draft: draft, ContentHash: p.ContentHash, Author: author, CreatedAt: p.UpdatedAt}
	seal, err := tx.AddRevision(ctx, p, rev)
	if err != nil {
		return p, rev, err
	}
	p.State, p.Summary = to, proposals.Summary{}
	if err := tx.MoveProposal(ctx, p, from); err != nil {
		return p, rev, err
	}
	data["content_hash"] = p.ContentHash
	if err := d.records.Log(ctx, tx, actor, "revise", p, p.UpdatedAt, seal, data); err != nil || to == proposals.Drafted {
		return p, rev, err
	}
	if err := tx.AssignIssue(ctx, p.ID, proposals.AssigneeChief, proposals.IssueOpen); err != nil {
		return p, rev, err
	}
	p, err = d.chief.Receive(ctx, tx, p, rev, submission)
	return p, rev, err
}

// Regroup atomically moves the open proposals with the given ids to the change set named changeSet. If changeSet is "",
// Regroup removes the proposals from their change sets. Each proposal gets a new revision by the author of its current
// revision. The new revision differs only in the change set, and it is reviewed again together with the other members.
func (d *Drafter) Regroup(ctx context.Context, actor proposals.Actor, ids []proposals.ID, changeSet string) ([]proposals.Proposal, error) {
	moved, err := records.Write(ctx, d.records, func(tx review.Tx) ([]proposals.Proposal, error) {
		moved := make([]proposals.Proposal, len(ids))
		for i, id := range ids {
			p, rev, err := impact.Current(ctx, tx, id)
			if err != nil {
				return nil, err
			}
			if p.State == proposals.NeedsChanges {
				return nil, proposals.Reason(proposals.ErrState, "%s: the proposal waits for its author, who can change the change set in the next revision", p.Name())
			}
			rev.Draft.ChangeSet = changeSet
			if moved[i], _, err = d.revise(ctx, tx, actor, rev.Author, p, admission.NewSubmission(rev.Draft)); err != nil {
				return nil, err
			}
		}
		return moved, nil
	})
	if err != nil {
		return nil, err
	}
	return moved, d.chief.Consult(ctx, moved)
}

// Withdraw closes an open proposal without a decision.
func (d *Drafter) Withdraw(ctx context.Context, actor proposals.Actor, id proposals.ID, note string) (proposals.Proposal, error) {
	if err := errors.Join(fromOutside(actor), review.CheckText("note", note)); err != nil {
		return proposals.Proposal{}, err
	}
	return d.withdraw(ctx, actor, id, 0, note)
}

// Retract withdraws a proposal of Observe or of an import after a change of the server has made the proposal obsolete.
// revision must be the number of the current revision. The actor is toolcrib itself.
func (d *Drafter) Retract(ctx context.Context, id proposals.ID, revision int, note string) (proposals.Proposal, error) {
	return d.withdraw(ctx, proposals.Actor{Kind: proposals.System}, id, revision, note)
}

// withdraw closes an open proposal. If actor is toolcrib itself, revision must be the number of the current revision,
// and an import must have written that revision.
func (d *Drafter) withdraw(ctx context.Context, actor proposals.Actor, id proposals.ID, revision int, note string) (proposals.Proposal, error) {
	return records.Write(ctx, d.records, func(tx review.Tx) (proposals.Proposal, error) {
		p, rev, err := impact.Current(ctx, tx, id)
		if err != nil {
			return p, err
		}
		if actor.Kind == proposals.System {
			if p.Revision != revision {
				return p, fmt.Errorf("%s: %w: the proposal has a newer revision", p.Name(), proposals.ErrConflict)
			}
			if generated, err := isGenerated(ctx, tx.Reader, rev); err != nil {
				return p, err
			} else if !generated {
				return p, fmt.Errorf("%s: %w: the proposal was not written by an import", p.Name(), proposals.ErrAuthority)
			}
		}
		to, err := proposals.Permit(actor, proposals.ActWithdraw, p)
		if err != nil {
			return p, err
		}
		from := p.State
		p.State, p.UpdatedAt = to, d.records.Time()
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
		return p, d.records.Log(ctx, tx, actor, "withdraw", p, p.UpdatedAt, "", data)
	})
}

// Rebase merges a stale proposal with the live version in a three-way merge. The result becomes the next revision,
// which is based on the live version. If the author must resolve conflicts, the error is a *review.RebaseConflict, and
// no revision is written.
func (d *Drafter) Rebase(ctx context.Context, actor proposals.Actor, id proposals.ID) (proposals.Proposal, error) {
	p, err := records.Write(ctx, d.records, func(tx review.Tx) (proposals.Proposal, error) {
		p, rev, err := impact.Current(ctx, tx, id)
		if err != nil {
			return p, err
		}
		if _, err := proposals.Permit(actor, proposals.ActRevise, p); err != nil {
			return p, err
		}
		now, err := impact.Live(ctx, tx, p.Subject)
		if err != nil {
			return p, err
		}
		if now == nil || now.Version == p.BaseVersion {
			return p, fmt.Errorf("%s is not stale: %w", p.Name(), proposals.ErrUnchanged)
		}
		draft, base := rev.Draft, rev.Draft.Base()
		draft.BaseVersion = &now.Version
		switch draft.Type {
		case proposals.Deactivate, proposals.Reactivate:
			draft.Definition = admission.Implied(draft.Type, now.Definition)
		case proposals.Restore: // the restored content does not depend on the base
		case proposals.New, proposals.Modify:
			draft.Type = proposals.Modify // even if draft.Type is New, because another author has created the subject
			if now.Refused != nil {
				break // the live version is not trusted, so there is nothing to merge with
			}
			var from registry.Definition
			if base > 0 {
				if from, err = records.Definition(ctx, tx, p.Subject, base); err != nil {
					return p, err
				}
			}
			if draft, err = review.Merge(p.Name(), draft, base, from, *now); err != nil {
				return p, err
			}
		}
		p, _, err = d.revise(ctx, tx, actor, actor, p, admission.NewSubmission(draft))
		return p, err
	})
	return d.chief.Consulted(ctx, p, err)
}

// Comment adds a comment to a proposal, which may be closed.
func (d *Drafter) Comment(ctx context.Context, actor proposals.Actor, id proposals.ID, body string, place review.Anchor) (proposals.Comment, error) {
	return records.Write(ctx, d.records, func(tx review.Tx) (c proposals.Comment, err error) {
		p, err := tx.Proposal(ctx, id)
		if err != nil {
			return c, err
		}
		if err := proposals.Authorize(actor, proposals.ActComment, p.Author); err != nil {
			return c, fmt.Errorf("%s: %w", p.Name(), err)
		}
		at := place // a copy, because this function runs again after a conflict with another write
		at.Revision = cmp.Or(at.Revision, p.Revision)
		if err := anchored(ctx, tx, p, &at); err != nil {
			return c, err
		}
		if err := d.checkRate(ctx, tx, actor); err != nil {
			return c, err
		}
		if strings.TrimSpace(body) == "" {
			return c, fmt.Errorf("the comment is empty: %w", review.ErrNoReason)
		}
		if err := review.CheckText("comment", body); err != nil {
			return c, err
		}
		c = proposals.Comment{
			ID: d.records.NewID(), Proposal: p.ID, Author: actor, At: d.records.Time(), Body: body,
			Revision: at.Revision, Field: at.Field, Line: at.Line,
		}
		seal, err := tx.AddComment(ctx, c)
		if err != nil {
			return c, err
		}
		return c, d.records.Log(ctx, tx, actor, "comment", p, c.At, seal, nil)
	})
}

// anchored returns an error if anchor refers to a field or a line that does not exist. If anchor.Field is the name of a
// file in a skill, anchored replaces it with the path of the field that contains the file.
func anchored(ctx context.Context, tx review.Tx, p proposals.Proposal, anchor *review.Anchor) error {
	rev, err := tx.Revision(ctx, p.ID, anchor.Revision)
	switch {
	case err != nil:
		return err
	case anchor.Field == "" && anchor.Line == 0:
		return nil
	case anchor.Field == "" || anchor.Line < 0:
		return fmt.Errorf("line %d of field %s: %w; lines count from 1 within a field", anchor.Line, jsondoc.Quote(anchor.Field), proposals.ErrNotFound)
	}
	doc, err := jsondoc.Parse(rev.Draft.Canonical(), jsondoc.DefaultLimits)
	if err != nil {
		return err
	}
	if f := rev.Draft.Definition.Folder(); f != nil {
		if path, ok := f.Field(anchor.Field); ok {
			anchor.Field = "definition." + path
		}
	}
	field := doc.Find(anchor.Field)
	if field == nil {
		return fmt.Errorf("field %s of revision %d of %s: %w", jsondoc.Quote(anchor.Field), anchor.Revision, p.Name(), proposals.ErrNotFound)
	}
	if lines := strings.Count(field.Text, "\n") + 1; anchor.Line > lines {
		return fmt.Errorf("line %d of %s, which has %d: %w", anchor.Line, anchor.Field, lines, proposals.ErrNotFound)
	}
	return nil
}
