package review

import (
	"context"
	"fmt"
	"strings"

	"toolcrib/proposals"
	"toolcrib/registry/jsondoc"
)

// Anchor ties a comment to a line of a field. The zero value ties it to
// nothing. Revision 0 means the current one.
type Anchor struct {
	Revision int
	Field    string // JSON path in the proposal
	Line     int    // counted from 1, 0 for the field as a whole
}

// Comment adds to a proposal's thread, open or closed.
func (d *drafting) Comment(ctx context.Context, actor proposals.Actor, id proposals.ID, body string, at Anchor) (proposals.Comment, error) {
	return write(ctx, d.office, func(tx Tx) (c proposals.Comment, err error) {
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
		if err := d.anchored(ctx, tx, p, &at); err != nil {
			return c, err
		}
		if err := d.withinPace(ctx, tx, actor); err != nil {
			return c, err
		}
		return d.say(ctx, tx, actor, p, body, at)
	})
}

// anchored reports an anchor that points nowhere. The name of a file of a skill becomes the
// path of its field.
func (d *drafting) anchored(ctx context.Context, tx Tx, p proposals.Proposal, at *Anchor) error {
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

// say writes a comment into the thread.
func (d *drafting) say(ctx context.Context, tx Tx, actor proposals.Actor, p proposals.Proposal, body string, at Anchor) (proposals.Comment, error) {
	if strings.TrimSpace(body) == "" {
		return proposals.Comment{}, fmt.Errorf("the comment is empty: %w", ErrNoReason)
	}
	if err := checkText("comment", body); err != nil {
		return proposals.Comment{}, err
	}
	c := proposals.Comment{
		ID: d.newID(), Proposal: p.ID, Author: actor, At: d.stamp(), Body: body,
		Revision: at.Revision, Field: at.Field, Line: at.Line,
	}
	seal, err := tx.AddComment(ctx, c)
	if err != nil {
		return c, err
	}
	return c, d.log(ctx, tx, actor, "comment", p, c.At, seal, nil)
}
