package review

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"toolcrib/internal/plaintext"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/wire"
	"toolcrib/review/impact"
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

// source returns the JSON that a definition was imported from, nil when it was
// not imported or the JSON was not kept here. What was kept and is not what the
// definition pins is an error.
func source(ctx context.Context, r RegistryReader, d registry.Definition) ([]byte, error) {
	hash := pin(d)
	if hash == "" {
		return nil, nil
	}
	raw, ok, err := r.Raw(ctx, hash)
	if err != nil || !ok {
		return nil, err
	}
	if found, err := wire.HashRaw(raw); err != nil || found != hash {
		return nil, fmt.Errorf("the stored JSON of %s does not match its pin; run toolcrib verify", d.ID())
	}
	return raw, nil
}

// pin returns the hash that a definition's source pins, "" for none.
func pin(d registry.Definition) string {
	if d.Tool == nil || d.Tool.Source == nil {
		return ""
	}
	return d.Tool.Source.Hash
}

// unseen reports a source that pins JSON which nobody can be shown: it was never
// imported here, and no version in force pins it.
func unseen(ctx context.Context, r RegistryReader, draft proposals.Draft) (proposals.Problems, error) {
	hash := pin(draft.Definition)
	if hash == "" {
		return nil, nil
	}
	if _, ok, err := r.Raw(ctx, hash); ok || err != nil {
		return nil, err
	}
	now, err := impact.Live(ctx, r, draft.Subject)
	if err != nil || now != nil && pin(now.Definition) == hash {
		return nil, err
	}
	return misfit(proposals.RuleDefinition, "definition.source.hash",
		"pins JSON that was never imported here, so nobody can review it; import the tool (toolcrib import) or leave source out"), nil
}

// Source returns the JSON that a definition was imported from, nil when there is
// none here.
func (d *reading) Source(ctx context.Context, definition registry.Definition) ([]byte, error) {
	if pin(definition) == "" {
		return nil, nil
	}
	return read(ctx, d.office, func(r Reader) ([]byte, error) { return source(ctx, r, definition) })
}

// ErrText is wrapped when a note, a reason or a comment cannot be kept as it
// is.
var ErrText = errors.New("not usable as text")

// checkText refuses a note, a reason or a comment that is too long or not text.
// what names it.
func checkText(what, text string) error {
	if message := unusable(text, proposals.MaxComment); message != "" {
		return fmt.Errorf("%w: the %s %s", ErrText, what, message)
	}
	return nil
}

// unusable returns why text cannot be stored, "" if it can. limit is in
// characters.
func unusable(text string, limit int) string {
	if n := utf8.RuneCountInString(text); n > limit {
		return fmt.Sprintf("has %d characters; the limit is %d", n, limit)
	}
	return plaintext.Problem(text)
}
