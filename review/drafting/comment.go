package drafting

import (
	"context"
	"fmt"
	"strings"

	"toolcrib/proposals"
	"toolcrib/registry/jsondoc"
	"toolcrib/review"
	"toolcrib/review/records"
)

// Comment adds a comment to an open or closed proposal.
func (d *Drafter) Comment(ctx context.Context, actor proposals.Actor, id proposals.ID, body string, at review.Anchor) (proposals.Comment, error) {
	return records.Write(ctx, d.records, func(tx review.Tx) (c proposals.Comment, err error) {
		p, err := tx.Proposal(ctx, id)
		if err != nil {
			return c, err
		}
		if err := proposals.Authorize(actor, proposals.ActComment, p.Author); err != nil {
			return c, fmt.Errorf("%s: %w", p.Name(), err)
		}
		if at.Revision == 0 {
			at.Revision = p.Revision
		}
		if err := anchored(ctx, tx, p, &at); err != nil {
			return c, err
		}
		if err := d.withinPace(ctx, tx, actor); err != nil {
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

// anchored returns an error if an anchor refers to a missing line or field. It replaces the name of a skill's file by
// the path of its field.
func anchored(ctx context.Context, tx review.Tx, p proposals.Proposal, at *review.Anchor) error {
	rev, err := tx.Revision(ctx, p.ID, at.Revision)
	switch {
	case err != nil:
		return err
	case at.Field == "" && at.Line == 0:
		return nil
	case at.Field == "" || at.Line < 0:
		return fmt.Errorf("line %d of field %s: %w; lines count from 1 within a field", at.Line, jsondoc.Quote(at.Field), proposals.ErrNotFound)
	}
	doc, err := jsondoc.Parse(rev.Draft.Canonical(), jsondoc.DefaultLimits)
	if err != nil {
		return err
	}
	if f := rev.Draft.Definition.Folder(); f != nil {
		if path, ok := f.Field(at.Field); ok {
			at.Field = "definition." + path
		}
	}
	field := doc.Find(at.Field)
	if field == nil {
		return fmt.Errorf("field %s of revision %d of %s: %w", jsondoc.Quote(at.Field), at.Revision, p.Name(), proposals.ErrNotFound)
	}
	if lines := strings.Count(field.Text, "\n") + 1; at.Line > lines {
		return fmt.Errorf("line %d of %s, which has %d: %w", at.Line, at.Field, lines, proposals.ErrNotFound)
	}
	return nil
}
